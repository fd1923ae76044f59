"""Tables where the learner and its opponents play. Letters as in rollout_buffer.py."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sobremesa import agents
from sobremesa.envs.core.agent import value_estimate_of
from sobremesa.envs.core.api.match import OUTSIDE, Match
from sobremesa.envs.core.chance import STREAM, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import AGENT, DEAL, seed_of, seeds_of
from sobremesa.training.config.classes import SelfPlayConfig
from sobremesa.training.data.opponents import LEARNER, OpponentPool
from sobremesa.training.data.rollout_buffer import RolloutBuffer, draw_actions
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.runs import processes
from sobremesa.training.runs.evaluation import advisor_of, setup_per_table

NOBODY = -1  # at seats that a table does not have

# (codes (N, W), masks (N, A), memory (N, M))
# -> logits (N, A), values (N,), memory after the decision (N, M)
Look = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]


class Tables:
    """The N tables of this process. Each deal has the learner at one seat, and draws the other players by the odds of
    the pool.

    Raises TypeError or ValueError for setup fields that do not fit the game.
    """

    def __init__(self, config: SelfPlayConfig, game: Game, pool: OpponentPool, memory: int = 0) -> None:
        numbers = processes.part_of(config.tables)
        count, self.first_table = len(numbers), numbers.start
        self.seed, self.pool = config.seed, pool
        self.match = Match(game, [OUTSIDE, *pool.agents], game.new_tables(count, setup_per_table(config)))
        pool.match = self.match
        self.rng = np.random.default_rng(processes.seed_here(config.seed))  # draws the seating, and minibatches
        self.deals = np.zeros(count, np.int64)
        self.streams = np.zeros(count, STREAM)  # of the learner's actions
        begin_streams(self.streams, seeds_of(AGENT, config.seed, numbers))
        self.measure = measuring(game, config.shaping_by) if config.shaping else None
        self.shaping = config.shaping
        self._advisor = advisor_of(config, game)
        self.memory = np.zeros((count, game.max_seats, memory), np.float32)  # (N, S, M) the learner's
        self.paid: list[float] = []  # mean payoffs of the learner's seats in deals that ended in this batch
        self.plies: list[int] = []  # of these deals
        self._all = np.arange(count)
        self._actions, self._log_probs = np.zeros(count, np.int64), np.zeros(count, np.float32)
        self._deal(self._all)

    def play(self, look: Look, buffer: RolloutBuffer) -> None:
        """Fill `buffer` with the learner's decisions, `buffer.horizon` at each table."""
        match = self.match
        self.paid, self.plies = [], []
        for step in range(buffer.horizon):
            now = buffer.at(step)
            tables = self._all[: now.stop - now.start]
            codes, masks = match.codes[: len(tables)], match.masks[: len(tables)]
            observations = match.observations[: len(tables)]
            actions, log_probs = self._actions[: len(tables)], self._log_probs[: len(tables)]
            seats = match.seats[: len(tables)].copy()
            memory = self.memory[tables, seats]
            if self._advisor is not None:
                codes = self._advisor.advise_coded(codes, observations, masks)
            logits, values, after = look(codes, masks, memory)
            empty = draw_actions(logits, masks, self.streams[: len(tables)], actions, log_probs)
            assert empty == len(tables), f"table {empty}: the mask of seat {seats[empty]} allows nothing"
            buffer.codes[now], buffer.masks[now] = codes, masks
            buffer.seats[now], buffer.actions[now], buffer.values[now] = seats, actions, values
            buffer.log_probs[now], buffer.memories[now] = log_probs, memory
            self.memory[tables, seats] = after
            if self.measure is not None:
                self.measure(observations, masks, self.shaping, buffer.potentials[now])
            match.step(tables, actions)
            match.advance()
            buffer.dones[step], buffer.payoffs[step] = match.over, match.payoffs
            self._end(np.flatnonzero(buffer.dones[step]))

    def metrics(self) -> dict[str, float]:
        """Return the mean payoff of the learner's seats in the deals that ended in this batch, and their plies."""
        if not self.paid:
            return {}
        return {"deals/payoff": float(np.mean(self.paid)), "deals/plies": float(np.mean(self.plies))}

    def seat_snapshots(self, learner: PolicyNet) -> None:
        """Take part in no copying: new deals draw from the pool itself."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays that a checkpoint needs, apart from `rng` and the pool."""
        mine = {"deals": self.deals, "learner_streams": self.streams, "learner_memory": self.memory}
        return self.match.arrays() | mine

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue from `arrays`, which share the memory of these tables."""
        self.match.encode()

    def _end(self, tables: np.ndarray) -> None:
        if len(tables):
            match = self.match
            self.pool.count(match.seating[tables], match.payoffs[tables])
            mine = match.seating[tables] == LEARNER
            self.paid += ((match.payoffs[tables] * mine).sum(1) / mine.sum(1)).tolist()
            self.plies += match.states["ply"][tables].tolist()
            self._deal(tables)

    def _deal(self, tables: np.ndarray) -> None:
        """Deal at `tables`, and again where a deal ends before the learner's first decision."""
        match, odds = self.match, self.pool.odds()
        seats = match.seating.shape[1]
        while len(tables):
            counts = match.setups["seats"][tables]
            seating = self.rng.choice(len(odds), (len(tables), seats), p=odds)
            seating[np.arange(len(tables)), self.rng.integers(counts)] = LEARNER
            seating[np.arange(seats) >= counts[:, None]] = NOBODY
            match.seating[tables] = seating
            self.memory[tables] = 0
            self.deals[tables] += 1
            seeds = [seed_of(DEAL, self.seed, self.first_table + table, self.deals[table]) for table in tables]
            match.deal(tables, np.array(seeds))
            match.advance()
            tables = tables[match.over[tables]]


@cache
def measuring(game: Game, agent: str) -> Any:
    """Return a kernel that writes the weighted potential of the seat to act at each table into `out (N,)`.

    The potential is the value estimate (outlook) of the scripted `agent`.
    """
    outlook = value_estimate_of(agents.load(agent, game))

    @kernel
    def measure(observations, masks, weight, out):
        for table in range(observations.shape[0]):
            out[table] = weight * outlook(observations[table], masks[table])

    return measure


@kernel
def begin_streams(streams, seeds):
    """Start each of the random streams `(n,)` at its seed."""
    for table in range(streams.shape[0]):
        start(streams[table], seeds[table])
