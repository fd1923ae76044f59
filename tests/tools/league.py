"""Leagues with known strengths, to measure the coverage of rating intervals.

Letters: `D` deals, `S` seats.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.ratings import PRIOR, expected, fit
from sobremesa.agents.arena.results import Results

STRENGTHS = {"anchor": 0.0, "a": 120.0, "b": 200.0, "c": 330.0, "d": 400.0}  # points


class Coverage(NamedTuple):
    """The number of intervals that contain the true rating."""

    held: int
    tried: int  # agents, anchors left out, times repetitions

    def __str__(self) -> str:
        return f"{self.held:,} of {self.tried:,} intervals held the true rating ({self.held / self.tried:.1%})"


def league(
    strengths: Mapping[str, float], deals: int, *, seats: int = 2, tied: float = 0.2, alike: float = 0.3, seed: int = 0
) -> list[Results]:
    """Return made-up matches of all tables of `seats` of the agents in `strengths`, in points.

    An agent's expected win rate is that of `ratings.expected`.

    Args:
        strengths: the true ratings.
        deals: at each table, each in all cyclic seatings.
        seats: at each table.
        tied: chance that two winners are drawn; if they differ, they share the win.
        alike: chance that all seatings of a deal end alike, whoever sits where: rows are not independent then.
        seed: of all that is drawn.
    """
    rng = np.random.default_rng(seed)
    cycle = np.array([np.roll(range(seats), turn) for turn in range(seats)])
    matches = []
    for table in combinations(strengths, seats):
        chances = expected(strengths[name] for name in table)
        winners = rng.choice(seats, size=(deals, seats, 2), p=chances)  # for each deal and seating
        shares = np.eye(seats)[winners]
        ends = np.where(rng.random((deals, seats, 1)) < tied, shares.mean(2), shares[:, :, 0])  # (D, S, S) by agent
        ends = np.where(rng.random((deals, 1, 1)) < alike, ends[:, :1], ends)
        seating = np.tile(cycle, (deals, 1))
        won = np.take_along_axis(ends.reshape(-1, seats), seating, axis=1)
        payoffs = ((seats * won - 1) / (seats - 1)).astype(np.float32)
        seeds, plies = np.repeat(np.arange(deals), seats), np.ones(len(seating), np.int32)
        matches.append(Results(tuple(table), seeds, seating, payoffs, plies))
    return matches


def coverage(
    repetitions: int,
    *,
    strengths: Mapping[str, float] = STRENGTHS,
    deals: int = 60,
    seats: int = 2,
    tied: float = 0.2,
    alike: float = 0.3,
    prior: float = PRIOR,
    resamples: int = 200,
    seed: int = 0,
) -> Coverage:
    """Rate `repetitions` leagues, the first agent of `strengths` being the anchor, and count intervals that hold."""
    anchor = next(iter(strengths))
    held = tried = 0
    for one in range(repetitions):
        rows = league(strengths, deals, seats=seats, tied=tied, alike=alike, seed=seed + one)
        ladder = fit(rows, {anchor: strengths[anchor]}, prior=prior, seed=seed + one, resamples=resamples)
        rated = [rating for rating in ladder.ratings if rating.agent != anchor]
        held += sum(rating.low <= strengths[rating.agent] <= rating.high for rating in rated)
        tried += len(rated)
    return Coverage(held, tried)
