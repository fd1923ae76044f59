"""Shutouts: cells of a matrix of win rates where an agent wins far less than its rating says.

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
