"""Sequential tests of simulated leads: error rates and numbers of deals."""

from math import comb, log
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.sequential import AHEAD, BLOCK, NOT_AHEAD, log_ratio


class Trial(NamedTuple):
    """The results of many tests of two agents whose true lead is known."""

    ahead: float  # part of the tests that ended with AHEAD
    not_ahead: float
    deals: float  # mean


def simulate(
    values: np.ndarray, odds: np.ndarray, margin: float, errors: float, most: int, tests: int, seed: int
) -> Trial:
    """Run `tests` tests in which the lead of each deal is one of `values` with probabilities `odds`."""
    rng, bound = np.random.default_rng(seed), log((1 - errors) / errors)
    total, squares, used = np.zeros(tests), np.zeros(tests), np.full(tests, most)
    decided, going = np.zeros(tests, int), np.arange(tests)
    for deals in range(BLOCK, most + 1, BLOCK):
        drawn = rng.choice(values, p=odds, size=(len(going), BLOCK))
        total[going] += drawn.sum(1)
        squares[going] += (drawn**2).sum(1)
        ratio = log_ratio(deals, total[going], squares[going], margin)
        ended = np.abs(ratio) >= bound
        decided[going[ended]] = np.sign(ratio[ended])
        used[going[ended]] = deals
        going = going[~ended]
        if not len(going):
            break
    return Trial(float((decided == AHEAD).mean()), float((decided == NOT_AHEAD).mean()), float(used.mean()))


def duel(lead: float, drawn: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    """Return leads in a deal played in both seatings of two, and their odds; each wins one in a part `drawn`."""
    won = (1 - drawn) / 2 + lead
    return np.array([-0.5, 0.0, 0.5]), np.array([1 - drawn - won, drawn, won])


def table(lead: float, seats: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return leads in a deal played in all seatings of a larger table, and their odds: seatings are independent."""
    chance, wins = 1 / seats + lead, np.arange(seats + 1)
    return wins / seats - 1 / seats, np.array([comb(seats, k) * chance**k * (1 - chance) ** (seats - k) for k in wins])


def team(lead: float, success: float = 0.3, same: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    """Return leads of a team over another on the same decks, and their odds; a part `same` of them is alike."""
    apart = (1 - same) * 2 * success * (1 - success)
    return np.array([-1.0, 0.0, 1.0]), np.array([(apart - lead) / 2, 1 - apart, (apart + lead) / 2])
