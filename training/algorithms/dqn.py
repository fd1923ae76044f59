"""Masked double DQN with n-step returns, in self-play.

A transition runs from one decision of a player to that player's next decision (Mnih et al. 2015). Its target is the
reward if the player never decides again in the episode, else the value of the best legal next action: the online
network chooses the action and the target network, a periodic copy, evaluates it (van Hasselt et al. 2016). `n_steps`
counts that player's decisions.

Read top to bottom: a run plays decisions at each table (replay_buffer.py) with an epsilon-greedy policy, then trains on
recent decisions, each sampled `epochs` times on average.
"""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.api.vector import VectorStep
from sobremesa.training.algorithms.action_values import ActionValues, best_legal, descend, mostly_best
from sobremesa.training.config.classes import BootstrapConfig
from sobremesa.training.data.replay_buffer import OPEN, Tables
from sobremesa.training.networks.policy import Learned
from sobremesa.training.runs.evaluation import Progress
from sobremesa.training.runs.loop import Loop, weights_of


class Training(Loop):
    """A run: the network, its target, and the tables where all seats play by it."""

    config: BootstrapConfig

    def __init__(
        self, config: BootstrapConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
    ) -> None:
        super().__init__(config, folder, progress, record)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.net = ActionValues(self.game, config.hidden)
        self.learned: Learned = self.net
        self.target = copy.deepcopy(self.net)
        self.next["target"] = config.target_every
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.learning_rate, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.tables = Tables(config, self.game)

    def update(self) -> dict[str, float]:
        """Play about `batch_size` decisions, and take `epochs` gradient steps on as many."""
        config, plies = self.config, self.config.plies(self.steps)
        told = self.tables.play(self._choose, plies)
        self.steps += plies * config.tables
        known = self._known()
        if len(known) >= config.batch_size:
            passes = []
            for _ in range(config.epochs):
                losses = self._losses(self.rng.choice(known, config.batch_size))
                descend(self.optimizer, torch.stack([*losses.values()]).sum(), config.learning_rate, self.done)
                passes.append({name: loss.item() for name, loss in losses.items()})
            told |= {f"loss/{name}": float(np.mean([one[name] for one in passes])) for name in passes[0]}
        if self.steps >= self.next["target"]:
            self.target.load_state_dict(self.net.state_dict())
            self.next["target"] = self.steps + config.target_every
        return told

    def _choose(self, observations: np.ndarray, seen: VectorStep) -> np.ndarray:
        """Return the best action of each table, with the chance `explore` any legal one, `(N,)`."""
        with torch.inference_mode():
            worths = self.net.value(observations).numpy()
        random = self.rng.random(len(worths)) < self.config.exploring(self.done)
        return mostly_best(worths, seen.masks, random, self.rng)

    def _known(self) -> np.ndarray:
        """Return the rows of the replay buffer of which it is known what came next, `(n,)`."""
        return np.flatnonzero(self.tables.replay.after != OPEN)

    def _losses(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return how far the worth of what was done at `rows` `(n,)` of the replay buffer is from its target."""
        replay, gamma = self.tables.replay, self.config.gamma
        ahead = replay.ahead(rows, self.config.n_steps)
        worth = replay.payoffs[ahead.rows].copy()
        worth[~ahead.last] = self._worth(ahead.rows[~ahead.last])
        wanted = torch.from_numpy((gamma**ahead.later * worth).astype(np.float32))
        actions = torch.from_numpy(replay.actions[rows])
        done = self.net.value(replay.observations(rows)).gather(1, actions[:, None])[:, 0]
        return {"value": (done - wanted).square().mean()}

    def _worth(self, rows: np.ndarray) -> np.ndarray:
        """Return what the target holds of the network's best legal action at `rows` `(n,)`, `(n,)`."""
        observations = self.tables.replay.observations(rows)
        with torch.inference_mode():
            best = best_legal(self.net.value(observations).numpy(), self.tables.replay.masks[rows])
            worths = self.target.value(observations).numpy()
        return np.asarray(worths[np.arange(len(rows)), best])

    @property
    def over(self) -> bool:
        """Whether a decision at each table would go beyond the budget, too."""
        return self.config.plies(self.steps) == 0 or super().over

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return weights, tables and replay buffer."""
        return {"value": weights_of(self.net), "target": weights_of(self.target), **self.tables.arrays()}
