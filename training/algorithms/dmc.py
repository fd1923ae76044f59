"""Deep Monte Carlo: regress each action's value on the return of its episode, in self-play.

As in DouZero (Zha et al. 2021), the value of an action is fitted to its player's return at the end of the episode,
without bootstrapping or discounting, and the behaviour is epsilon-greedy. DouZero feeds the network one action at a
time, because it has 27,472 of them; these games have a few hundred numbered actions, so one forward pass returns all
values.

Read top to bottom: a run plays decisions at each table (replay_buffer.py), then trains on decisions of finished
episodes, each sampled `epochs` times on average.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.api.vector import VectorStep
from sobremesa.training.algorithms.action_values import ActionValues, descend, mostly_best
from sobremesa.training.config.classes import DMCConfig
from sobremesa.training.data.replay_buffer import Tables
from sobremesa.training.runs.evaluation import Progress
from sobremesa.training.runs.loop import Loop, weights_of


class Training(Loop):
    """A run: the network, and the tables where all seats play by it."""

    config: DMCConfig

    def __init__(
        self, config: DMCConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
    ) -> None:
        super().__init__(config, folder, progress, record)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.learned = self.net = ActionValues(self.game, config.hidden)
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.learning_rate, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.tables = Tables(config, self.game)

    def update(self) -> dict[str, float]:
        """Play about `batch_size` decisions, and take `epochs` gradient steps on as many."""
        plies = self.config.plies(self.steps)
        told = self.tables.play(self._choose, plies)
        self.steps += plies * self.config.tables
        ended = np.flatnonzero(self.tables.replay.paid)
        if len(ended) >= self.config.batch_size:
            losses = [self._learn(self.rng.choice(ended, self.config.batch_size)) for _ in range(self.config.epochs)]
            told["loss/value"] = float(np.mean(losses))
        return told

    def _choose(self, observations: np.ndarray, seen: VectorStep) -> np.ndarray:
        """Return the best action of each table, with the chance `explore` any legal one, `(N,)`."""
        with torch.inference_mode():
            worths = self.net.value(observations).numpy()
        random = self.rng.random(len(worths)) < self.config.exploring(self.done)
        return mostly_best(worths, seen.masks, random, self.rng)

    def _learn(self, rows: np.ndarray) -> float:
        """Draw the worth of what was done at `rows` of the replay buffer to what it brought; return the loss."""
        replay = self.tables.replay
        worths = self.net.value(replay.observations(rows))
        done = worths.gather(1, torch.from_numpy(replay.actions[rows])[:, None])[:, 0]
        loss = (done - torch.from_numpy(replay.payoffs[rows])).square().mean()
        return descend(self.optimizer, loss, self.config.learning_rate, self.done)

    @property
    def over(self) -> bool:
        """Whether a decision at each table would go beyond the budget, too."""
        return self.config.plies(self.steps) == 0 or super().over

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return weights, tables and replay buffer."""
        return {"value": weights_of(self.net), **self.tables.arrays()}
