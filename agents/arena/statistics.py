"""Statistics of deals between equals: length, endings, the advantage of each seat, and the lead."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.play import deal_seeds, fresh_seed, play_out
from sobremesa.agents.arena.score import Estimate, estimate, nature
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game

CLEAR = 2.0  # standard errors between the two best chances, from which on there is a leader
FIRST = "first"  # the figure with the seat that opened a deal


class Spread(NamedTuple):
    """The spread of a number over deals."""

    mean: float
    low: float  #: 5 % quantile
    high: float  #: 95 % quantile


class Statistics(NamedTuple):
    """Deals between agents at tables of `seats`."""

    agent: str  #: names of the agents, joined by ", "
    seats: int
    deals: int
    spreads: dict[str, Spread]  #: plies, and the game's own figures that are numbers
    counts: dict[str, dict[str, float]]  #: figures that are names: the share of deals of each
    wins: tuple[Estimate, ...]  #: win rate, by seat from the one that opens the deal, or by role; a team's payoff


def statistics(
    game: Game,
    agent: Agent,
    deals: int,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **setup: Any,
) -> Statistics:
    """Play `deals` deals with `agent` at every seat and summarise them; the same `seed` gives the same figures.

    An external agent gets other deals each time (`play.fresh_seed`). Raises ValueError for a number of deals below 1, a
    setup that does not fit, or deals that an external agent forfeits.
    """
    seeds = deal_seeds(deals, fresh_seed([agent], seed))
    seats = setup.setdefault("seats", game.default_seats)
    game.options[0].encode(seats)  # before it is used as a number
    played = play_out(game, [agent], seeds, np.zeros((deals, seats), np.int64), setup, progress)
    return summarise(game, agent.name, *played.whole())


def summarise(game: Game, agent: str, ends: np.ndarray, payoffs: np.ndarray) -> Statistics:
    """Summarise deals with the end states `ends` `(R,)` and payoffs `(R, S)`; `agent` is the name of the players."""
    deals, seats = payoffs.shape
    figures = {"plies": ends["ply"], **game.figures(ends)}
    first = figures.pop(FIRST, np.zeros(deals, np.int64)).astype(np.int64)
    kind = nature(game)
    if kind.roles:
        first[:] = 0  # the role of a seat matters more than its order
    by_order = np.take_along_axis(kind.worth(payoffs), (first[:, None] + np.arange(seats)) % seats, axis=1)
    return Statistics(
        agent=agent,
        seats=seats,
        deals=deals,
        spreads={name: spread(values) for name, values in figures.items() if _counts(values)},
        counts={name: _parts(values) for name, values in figures.items() if values.dtype.kind == "U"},
        wins=tuple(estimate(column) for column in by_order.T),
    )


def spread(values: np.ndarray) -> Spread:
    """Return the mean of `values` `(n,)` and where the middle nine tenths of them are; NaN is left out."""
    values = values[~np.isnan(values)]
    low, high = np.quantile(values, (0.05, 0.95))
    return Spread(float(values.mean()), float(low), float(high))


def _counts(values: np.ndarray) -> bool:
    """Return whether a figure is a number, and present in some deal."""
    return values.dtype.kind != "U" and not np.isnan(values).all()


def _parts(values: np.ndarray) -> dict[str, float]:
    return {str(name): count / len(values) for name, count in Counter(values.tolist()).most_common()}


class Lead(NamedTuple):
    """The leader of deals, and how often it changes."""

    changes: Estimate  #: in a deal
    none: float  #: share of deals without a change of the lead
    decided: Spread  #: part of the deal's plies after which it is decided, 0 to 1; 1 where it never is before the end
    half: Estimate  #: share of deals that are decided by half time
    winner: tuple[float, ...]  #: mean chance of the later winners, at each look
    drawn: int  #: deals in which all share the win; they count as decided at the end


def lead_of(chances: np.ndarray, errors: np.ndarray, worth: np.ndarray) -> Lead:
    """Summarise the leads of deals.

    Args:
        chances: `(F, L, S)` chance of each side at each look.
        errors: `(F, L)` standard error of the difference between the two best.
        worth: `(F, S)` each side's share of the win at the end.
    """
    deals, looks, sides = chances.shape
    ranked = np.sort(chances, axis=2)
    clear = ranked[..., -1] - ranked[..., -2] > CLEAR * errors
    leader = np.where(clear, chances.argmax(2), sides)  # (F, L); `sides` stands for no leader
    won = worth >= worth.max(1, keepdims=True) - 1e-6
    drawn = won.all(1)
    wins = np.concatenate([won & ~drawn[:, None], np.zeros((deals, 1), bool)], axis=1)  # no leader does not win
    held = np.take_along_axis(wins, leader, axis=1)  # (F, L) whether a later winner leads
    lost = np.where(held, 0, np.arange(looks) + 1).max(1)  # looks up to the last one without such a leader
    decided = lost / looks
    changes = np.zeros(deals)
    claim = np.full(deals, sides)
    for look in range(looks):
        now = leader[:, look]
        changes += (now < sides) & (claim < sides) & (now != claim)
        claim = np.where(now < sides, now, claim)
    winner = np.where(won[:, None, :], chances, 0).sum(2)
    return Lead(
        changes=estimate(changes, (0.0, looks - 1.0)),
        none=float((changes == 0).mean()),
        decided=spread(decided),
        half=estimate((decided <= 0.5).astype(float)),
        winner=tuple(winner.mean(0).tolist()),
        drawn=int(drawn.sum()),
    )
