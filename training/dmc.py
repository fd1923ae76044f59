"""Train by deep Monte Carlo: learn what each action brings in the end, from games of all seats against themselves.

As DouZero does (Zha et al. 2021): the worth of an action is fitted to what the seat was paid when the deal was over.
Nothing is estimated from estimates and nothing is discounted; what is played is the best action, now and then any. Here
the network tells the worth of all actions at once, where DouZero takes an action in and asks for each that is legal:
it has 27,472 of them and shows what they have in common, these games have hundreds that are numbered, and one look at
an observation serves them all. Read top to bottom: a run plays some decisions at each of its tables (replay.py), and
learns from decisions of deals that are over, each `epochs` times on average.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.vector import VectorStep
from sobremesa.training.action_values import ActionValues, descend, mostly_best
from sobremesa.training.config import DMCConfig
from sobremesa.training.evaluation import Progress
from sobremesa.training.loop import Loop, weights_of
from sobremesa.training.replay import Tables


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
