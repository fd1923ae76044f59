"""Self-play at N tables, and the replay buffer: the latest decisions with their successors and payoffs.

Seats take turns, so the successor of a decision is the next decision of the same seat. Decision k is in row k % C, in
place of the oldest. At the end of a deal its decisions that are still there get their seat's payoff.

Letters: `N` tables, `S` seats of the largest table, `C` capacity, `A` actions, `D` numbers in
an observation, `W` bytes in one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import ConfigError, ReplayConfig
from sobremesa.training.runs.evaluation import setup_per_table

NONE, OPEN, END = -1, -2, -3  # no decision; not known yet; the deal is over

# (observations (N, D), last step) -> actions (N,)
Choose = Callable[[np.ndarray, VectorStep], np.ndarray]


class Tables:
    """N tables where the learner plays all seats, and their replay buffer.

    Raises ConfigError for setup fields that do not fit the game.
    """

    def __init__(self, config: ReplayConfig, game: Game) -> None:
        try:
            setup = setup_per_table(config)
            self.env = VectorEnv(game, config.tables, config.seed, copy=False, dtype="uint8", **setup)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        self.layout = game.layout
        self.seen = self.env.reset(config.seed)  # `step` overwrites these arrays
        self.replay = Replay(game, config.replay, config.tables)

    def play(self, choose: Choose, plies: int) -> dict[str, float]:
        """Play `plies` decisions at each table by `choose`; return metrics."""
        paid: list[float] = []
        for _ in range(plies):
            actions = choose(self.layout.decode(self.seen.observations), self.seen)
            self.replay.add(self.seen, actions)
            self.env.step(actions)
            self.replay.pay(self.seen)
            paid += self.seen.payoffs[self.seen.dones, 0].tolist()
        return {"deals/payoff": float(np.mean(paid))} if paid else {}

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return all arrays that a checkpoint needs."""
        return {"tables": self.env.arrays(), "replay": self.replay.arrays()}


class LaterDecisions(NamedTuple):
    """Later decisions of the same seats."""

    rows: np.ndarray  # (n,) int64
    later: np.ndarray  # (n,) int64, decisions of the seat in between, plus one
    last: np.ndarray  # (n,) bool: the row is the seat's last decision


class Replay:
    """The latest `room` decisions."""

    def __init__(self, game: Game, room: int, tables: int) -> None:
        self.layout, self.room = game.layout, room
        self.written = np.zeros(1, np.int64)  # decisions so far
        self.latest = np.full((tables, game.max_seats), NONE)  # (N, S) number of each seat's last decision in its deal
        self.codes = np.zeros((room, game.layout.width), np.uint8)  # (C, W) observations as bytes
        self.masks = np.zeros((room, game.num_actions), np.bool_)  # (C, A)
        self.actions = np.zeros(room, np.int64)
        self.before = np.full(room, NONE)  # number of the seat's decision before, or NONE
        self.after = np.full(room, OPEN)  # number of the seat's next decision, or OPEN, or END
        self.payoffs = np.zeros(room, np.float32)  # of the seat, once the deal is over
        self.paid = np.zeros(room, np.bool_)  # whether the deal is over

    def add(self, seen: VectorStep, actions: np.ndarray) -> None:
        """Add a decision of each table, `actions` `(N,)`, in place of the oldest."""
        tables = np.arange(len(actions))
        numbers = self.written[0] + tables
        rows = numbers % self.room
        self.codes[rows], self.masks[rows], self.actions[rows] = seen.observations, seen.masks, actions
        self.before[rows], self.after[rows] = self.latest[tables, seen.seats], OPEN
        self.paid[rows] = False
        self.written += len(actions)
        kept = self.before[rows] >= max(0, self.written[0] - self.room)
        self.after[self.before[rows[kept]] % self.room] = numbers[kept]
        self.latest[tables, seen.seats] = numbers

    def pay(self, seen: VectorStep) -> None:
        """Write the payoffs of the deals that ended with the last step."""
        oldest = max(0, self.written[0] - self.room)
        pay_deals(seen.dones, seen.payoffs, oldest, self.latest, self.before, self.after, self.payoffs, self.paid)

    def observations(self, rows: np.ndarray) -> np.ndarray:
        """Return the observations in `rows` `(n,)`, `(n, D)` float32."""
        return self.layout.decode(self.codes[rows])

    def ahead(self, rows: np.ndarray, most: int) -> LaterDecisions:
        """Return the seats' decisions `most` decisions after `rows` `(n,)`, or the latest known ones."""
        rows, later, last = rows.copy(), np.zeros(len(rows), np.int64), np.zeros(len(rows), np.bool_)
        for _ in range(most):
            after = self.after[rows]
            later += after >= 0
            last |= after == END
            rows = np.where(after >= 0, after % self.room, rows)
        return LaterDecisions(rows, later, last)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name."""
        return {name: array for name, array in vars(self).items() if isinstance(array, np.ndarray)}


@kernel
def pay_deals(dones, payoffs, oldest, latest, before, after, told, paid):
    """Write payoffs backwards along the decisions of each seat of the finished deals."""
    for table in range(dones.shape[0]):
        if dones[table]:
            for seat in range(latest.shape[1]):
                number = latest[table, seat]
                latest[table, seat] = NONE
                if number >= oldest:
                    after[number % after.shape[0]] = END
                while number >= oldest:
                    row = number % after.shape[0]
                    told[row] = payoffs[table, seat]
                    paid[row] = True
                    number = before[row]
