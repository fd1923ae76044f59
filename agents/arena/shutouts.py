"""Odd cells of a matrix of win rates: shutouts, results against the order of the ratings, deals at the limit.

Ratings summarise many matches. An agent that never wins among copies of one other agent, but does well elsewhere,
has met an action that blocks it, or a fault, and the matrix needs an explanation.
"""

from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.ratings import ELO

RARE = 1 / 20  # part of an equal share of the wins, below which an agent counts as shut out
FAR_LESS = 1 / 3  # part of the share that ratings expect
ENOUGH = 5  # wins that ratings expect in the match; fewer say little
SURE = 3  # standard errors by which an agent wins less than a fair share among copies of one with a lower rating
LIMIT = 0.02  # largest share of deals at the limit of length, but for `random`, which has no aim


class Shutout(NamedTuple):
    """One cell."""

    agent: str
    among: str  # copies of this agent at the other seats
    value: float  # share of the wins
    expected: float  # by the ratings


def shutouts(ladder: Leaderboard) -> list[Shutout]:
    """Return the shutouts on `ladder`; none in a cooperative game, which has no ratings."""
    if not ladder.anchors:
        return []
    seats, rungs = int(ladder.setup["seats"]), {one.agent: one for one in ladder.rungs}
    found = []
    for row, agent in enumerate(ladder.agents):
        for column, among in enumerate(ladder.agents):
            value, one, other = ladder.matrix[row][column], rungs[agent], rungs[among]
            expected = 1 / (1 + (seats - 1) * np.exp((other.value - one.value) / ELO))
            likely = expected * seats * min(one.deals, other.deals) >= ENOUGH and expected >= RARE / seats
            if likely and value < RARE / seats and value < FAR_LESS * expected:
                found.append(Shutout(agent, among, value, float(expected)))
    return found


def odd(ladder: Leaderboard) -> list[str]:
    """Return a sentence for each cell that needs an explanation; only lengths are read in a cooperative game."""
    found = [
        f"{one.agent} wins {one.value:.3f} among copies of {one.among}, and the ratings expect {one.expected:.3f}"
        for one in shutouts(ladder)
    ]
    seats, deals = int(ladder.setup["seats"]), {one.agent: one.deals for one in ladder.rungs}
    for row, agent in enumerate(ladder.agents):
        for column, among in enumerate(ladder.agents):
            share, fair = ladder.matrix[row][column], 1 / seats
            error = np.sqrt(fair * (1 - fair) / (seats * min(deals[agent], deals[among])))
            if ladder.anchors and row < column and share < fair - SURE * error:
                found.append(f"{agent} is above {among}, and wins {share:.3f} among its copies (fair: {fair:.3f})")
            long = ladder.too_long[row][column] if ladder.too_long else 0.0
            if long > LIMIT and "random" not in (agent, among):
                found.append(f"{long:.1%} of the deals of {agent} among copies of {among} reach the limit of length")
    return found
