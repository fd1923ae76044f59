"""Neural fictitious self-play: an average policy, and best responses to it (Heinrich and Silver 2016).

In each deal each seat plays its average policy or, with the chance `anticipatory`, its best response. The best response
learns as in dqn.py, from all decisions of all seats. The average policy learns by cross-entropy from the decisions of
best responses over the whole run, of which a reservoir keeps a uniform sample. In two-player zero-sum games the average
policy approaches an equilibrium. Evaluations and exports use the average policy.
"""

import numpy as np
import torch

from sobremesa.envs.core.api.vector import VectorStep
from sobremesa.envs.core.game import Game
from sobremesa.training.algorithms import dqn
from sobremesa.training.algorithms.action_values import best_legal, mostly_best
from sobremesa.training.config.classes import NFSPConfig
from sobremesa.training.networks.logits import weigh
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.networks.views import Views
from sobremesa.training.runs.loop import weights_of


class Training(dqn.Training):
    """A run of DQN, plus the average policy and its reservoir."""

    config: NFSPConfig

    def begin(self, new: bool) -> None:
        super().begin(new)
        config = self.config
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed + 1)
            self.learned = self.average = PolicyNet(self.game, config.hidden)
        self.optimizer.add_param_group({"params": [*self.average.parameters()]})
        self.reservoir = Reservoir(self.game, config.reservoir)
        self.responding = self._draw_roles(config.tables)  # (N, S) bool, whether a seat plays its best response

    def _choose(self, observations: np.ndarray, seen: VectorStep) -> np.ndarray:
        """Return the action of each table's seat, by its best response or its average policy, `(N,)`."""
        self.responding[seen.dones] = self._draw_roles(int(seen.dones.sum()))
        mine = self.responding[np.arange(len(seen.seats)), seen.seats]
        random = self.rng.random(len(mine)) < self.config.exploring(self.done)
        actions = np.zeros(len(mine), np.int64)
        with torch.inference_mode():
            worths = self.net.value(observations[mine]).numpy()
            logits = self._policy(observations[~mine], seen.masks[~mine])[1].numpy()
        actions[mine] = mostly_best(worths, seen.masks[mine], random[mine], self.rng)
        actions[~mine] = best_legal(logits + self.rng.gumbel(size=logits.shape), seen.masks[~mine])
        rows = np.flatnonzero(mine & ~random)  # a random action is no best response
        self.reservoir.add(seen.observations[rows], seen.masks[rows], actions[rows], self.rng)
        return actions

    def _known(self) -> np.ndarray:
        """Return the rows of DQN; no rows until the reservoir has a batch."""
        return super()._known()[: None if self.reservoir.kept >= self.config.batch_size else 0]

    def _losses(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Add the cross-entropy of the average policy on as many actions of the reservoir."""
        found, kept = self.reservoir, self.rng.integers(self.reservoir.kept, size=len(rows))
        views, logits = self._policy(self.game.layout.decode(found.codes[kept]), found.masks[kept])
        likely = weigh(logits, views, torch.from_numpy(found.actions[kept]), None, None).chosen
        return {**super()._losses(rows), "policy": -likely.mean()}

    def _policy(self, observations: np.ndarray, masks: np.ndarray) -> tuple[Views, torch.Tensor]:
        """Return views, and the average policy's logits `(n, A)`, not yet masked."""
        views = Views(torch.from_numpy(observations), torch.from_numpy(masks))
        return views, self.average.run(views, views.matrix[:, :0])[0]

    def _draw_roles(self, tables: int) -> np.ndarray:
        return self.rng.random((tables, self.game.max_seats)) < self.config.anticipatory

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Add the average policy, the reservoir, and which seats play best responses."""
        mine = {"policy": weights_of(self.average), "reservoir": self.reservoir.arrays()}
        return super().arrays() | mine | {"seats": {"responding": self.responding}}


class Reservoir:
    """A uniform sample of all decisions that were ever added (reservoir sampling, Vitter 1985)."""

    def __init__(self, game: Game, room: int) -> None:
        self.room = room
        self.added = np.zeros(1, np.int64)
        self.codes = np.zeros((room, game.layout.width), np.uint8)  # observations as bytes
        self.masks = np.zeros((room, game.num_actions), np.bool_)
        self.actions = np.zeros(room, np.int64)

    @property
    def kept(self) -> int:
        """The number of decisions; they are in the first rows."""
        return min(self.room, int(self.added[0]))

    def add(self, codes: np.ndarray, masks: np.ndarray, actions: np.ndarray, rng: np.random.Generator) -> None:
        """Add decisions `(n, ...)`; decision k (from 0) replaces a random one with probability room / (k + 1)."""
        numbers = self.added[0] + np.arange(len(actions))
        rows = np.where(numbers < self.room, numbers, rng.integers(numbers + 1))
        kept = rows < self.room
        self.codes[rows[kept]], self.masks[rows[kept]], self.actions[rows[kept]] = (
            codes[kept],
            masks[kept],
            actions[kept],
        )
        self.added += len(actions)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name."""
        return {name: array for name, array in vars(self).items() if isinstance(array, np.ndarray)}
