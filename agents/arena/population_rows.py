"""Values of agents among copies of others, from the matches of a population.

Letters: `D` deals, `K` roles, 1 without roles.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.members import key_of
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import LANGUAGE, PARTS, PAYOFFS, Nature, nature, rates_by_row
from sobremesa.envs.core.game import Game

TEAM, ONE = "team", "one"  # places in a cooperative game: at all seats, or at one among copies of the other agent


class Compared(NamedTuple):
    """Values of an agent and of another one in its place, on the same deals."""

    place: str  # a role; TEAM or ONE in a cooperative game; otherwise ""
    values: np.ndarray  # (D,)
    baseline: np.ndarray  # (D,)
    limits: tuple[float, float]  # of both


@dataclass(frozen=True)
class Rows:
    """The results of the matches, by number of seats and the names of one agent and of the others."""

    game: Game
    matches: dict[tuple[int, str, str], Results]

    @property
    def kind(self) -> Nature:
        """The nature of the game."""
        return nature(self.game)

    def among(self, seats: int, one: str, others: str) -> Iterator[Compared]:
        """Yield the values of `one` among copies of `others`, compared with those of `others` among themselves."""
        yield from self.instead(seats, one, others, others)

    def instead(self, seats: int, one: str, other: str, others: str) -> Iterator[Compared]:
        """Yield the values of `one` among copies of `others`, compared with those of `other` in its place.

        In a cooperative game it also yields the values of both teams.
        """
        if not self.kind.rated:
            yield _compared(TEAM, self._values(seats, one, one), self._values(seats, other, other), PARTS)
            if seats == 1:
                return
        values = self._values(seats, one, others)
        if other == others and not self.kind.alone:
            baseline = np.full_like(values, 1 / seats)
        else:
            baseline = self._values(seats, other, others)
        limits = PAYOFFS if self.kind.roles else PARTS
        places = self.kind.roles.get(LANGUAGE, ()) or ("" if self.kind.rated else ONE,)
        for place, mine, theirs in zip(places, values, baseline, strict=True):
            yield _compared(place, mine[None], theirs[None], limits)

    def too_long(self, seats: int, one: str, others: str) -> np.ndarray:
        """Return the share of results that reached the limit of length in each deal, `(D,)`."""
        results = self.matches[seats, *key_of((one, others), seats)]
        assert results.too_long is not None
        return np.asarray(results.too_long.reshape(_deals(results), -1).mean(1))

    def _values(self, seats: int, one: str, others: str) -> np.ndarray:
        """Return the values `(K, D)` of `one` among copies of `others`."""
        key = key_of((one, others), seats)
        results, agent = self.matches[seats, *key], int(one != key[0])
        if self.kind.roles:
            held = results.seating == agent
            return np.array([results.payoffs[held[:, seat], seat] for seat in range(seats)], float)
        if not self.kind.rated:
            return np.asarray(results.payoffs[:, 0].astype(float).reshape(_deals(results), -1).mean(1)[None])
        return np.asarray(rates_by_row(results, agent).reshape(-1, seats).mean(1)[None])


def _compared(place: str, values: np.ndarray, baseline: np.ndarray, limits: tuple[float, float]) -> Compared:
    """Return values `(1, D)` in the first deals, which both played."""
    many = min(values.shape[1], baseline.shape[1])
    return Compared(place, values[0, :many], baseline[0, :many], limits)


def _deals(results: Results) -> int:
    return len(np.unique(results.seeds))
