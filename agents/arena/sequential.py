"""Sequential tests of whether one agent is ahead of another.

A generalised sequential probability ratio test (Lai 2001; for the chess engine Stockfish by Van den Bergh): deals are
played in blocks, and after each the likelihood of a lead of `margin` is compared with that of no lead, each at the
spread that fits it best. Leads are means over all seatings of a deal, so that one test serves any number of seats,
roles and teams. It ends when one is (1 - errors) / errors times as likely as the other. So at most about
`errors` of tests call an agent ahead that is not, or miss an agent that is ahead by the margin; for a smaller lead both
answers are possible.

Letters: `D` deals, `T` parallel tests.
"""

from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import nature, rates_by_row
from sobremesa.envs.core.game import Game

BLOCK = 16  # deals between two looks
# The prior: this many deals of the widest squared spread. With fewer, teams that differ on few
# decks would be separated too early.
PRIOR_DEALS, PRIOR_SPREAD = 8, 0.25
AHEAD, NOT_AHEAD, OPEN = 1, -1, 0
FEWEST = 2  # deals before a decision
MARGINS, ERRORS = (0.0, 1.0), (0.0, 0.5)  # what is allowed lies between these

Play = Callable[[range], np.ndarray]  # numbers of deals to leads `(D,)` in them


class Verdict(NamedTuple):
    """The result of a test."""

    decided: int  #: 1: ahead, -1: not ahead, 0: open after the most deals
    deals: int
    lead: float  #: mean over the deals, as a share of the wins or of a team's success
    ratio: float  #: log likelihood ratio of a lead of the margin to no lead
    bound: float  #: the test ends where `ratio` reaches it or its negative


def decide(play: Play, margin: float, errors: float, most: int) -> Verdict:
    """Play blocks of deals until the test decides whether there is a lead, at most `most` deals.

    Raises ValueError for a margin, errors or a number of deals out of range.
    """
    for name, value, (low, high) in (("margin", margin, MARGINS), ("errors", errors, ERRORS)):
        if not low < value < high:
            raise ValueError(f"{name}={value!r} is not allowed; it takes a number between {low:g} and {high:g}")
    if most < 1:
        raise ValueError(f"deals={most!r} is not allowed; it takes a whole number from 1")
    bound, leads = log((1 - errors) / errors), np.zeros(0)
    while True:
        numbers = range(len(leads), min(len(leads) + BLOCK, most))
        leads = np.concatenate([leads, play(numbers)])
        ratio = float(log_ratio(len(leads), leads.sum(), (leads**2).sum(), margin))
        decided = AHEAD if ratio >= bound else NOT_AHEAD if ratio <= -bound else OPEN
        decided = decided if len(leads) >= FEWEST else OPEN
        if decided or len(leads) >= most:
            return Verdict(decided, len(leads), float(leads.mean()), ratio, bound)


def log_ratio(deals: int, total: np.ndarray | float, squares: np.ndarray | float, margin: float) -> np.ndarray:
    """Return the log likelihood ratio of a lead of `margin` to no lead, `(T,)` or a number.

    `total` and `squares` are the sums of the leads in `deals` deals and of their squares.
    """
    mean = np.asarray(total) / deals
    spread = (squares - deals * mean**2 + PRIOR_DEALS * PRIOR_SPREAD) / (deals + PRIOR_DEALS)
    return np.asarray(deals / 2 * np.log((spread + mean**2) / (spread + (mean - margin) ** 2)))


def leads(game: Game, met: Sequence[Results]) -> np.ndarray:
    """Return the lead of the candidate in each deal of `met`, `(D,)`: of one match, or of a team of each.

    In a competitive game this is its share of the wins over all seatings, both roles included, minus a fair share; in a
    cooperative one the success of its team minus that of the reference's on the same deal.
    """
    if nature(game).rated:
        seats = met[0].seating.shape[1]
        return np.asarray(rates_by_row(met[0]).reshape(-1, seats).mean(1) - 1 / seats)
    mine, theirs = (one.payoffs[:, 0].astype(float) for one in met)
    return np.asarray(mine - theirs)
