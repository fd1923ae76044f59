"""Leaderboards: the ladder of a game, the win rates of all pairs, and the balance of the seats.

Competitive games have ratings (`ratings.fit`), next to the matrix of win rates, because ratings hide cycles. Where
seats have roles, an agent has a rung for each role. In cooperative games a team of copies has its rate of success, and
the matrix has leads on the same deals.

Matches of search agents may have fewer deals, the first ones. In a fit each row weighs the same, and the bootstrap
draws from all deals, so it draws about as many of those few as there are. The rate of a team is over its own deals, a
lead over the deals of both teams.

Letters: `A` agents, `S` seats.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.ratings import PRIOR, Ladder, Rating, by_agent, fit
from sobremesa.agents.arena.results import ROUNDING, Results, matches_of
from sobremesa.agents.arena.score import RESAMPLES, Estimate, estimate, lead, nature, success, win_rates
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash

LOWEST = "random"  # the agent whose rating is 0 on every ladder


class Rung(NamedTuple):
    """One agent on the ladder."""

    agent: str
    value: float  #: points; for a team its rate of success
    low: float  #: lower end of the interval; -inf where it is open; an anchor's own rating
    high: float  #: upper end
    deals: int  #: deals in which it met others
    ahead: Estimate | None  #: lead over the next rung; None for the last one


@dataclass(frozen=True)
class Leaderboard:
    """A ladder and all the data that it follows from."""

    game: str  #: its name
    version: int
    rules_hash: str
    setup: dict[str, int | str | bool]  #: every option of the game
    rungs: tuple[Rung, ...]  #: best first
    anchors: dict[str, float]  #: fixed ratings, in points; empty in a cooperative game
    prior: float  #: points
    seed: int  #: of deals and bootstrap
    resamples: int  #: of the bootstrap
    deals: int  #: of each match
    search_deals: int | None  #: of matches of search agents; None without such agents, or if all are as long
    agents: tuple[str, ...]  #: of the matrix, by row and column: those on the rungs, best first
    matrix: tuple[tuple[float, ...], ...]  #: [i][j]: win rate of one i among copies of j, or lead; nan where never met
    seats: tuple[Estimate, ...]  #: win rate at each seat, over all agents; empty in a cooperative game
    by_seat: dict[str, tuple[float, ...]]  #: win rate of each agent at each seat; empty in a cooperative game
    builds: dict[str, str]  #: by agent: SHA-256 of the graph of a bot, digest of a search; no other agents
    command: str  #: command that made it
    commit: str  #: commit of the library
    #: [i][j]: share of deals of one i among copies of j that were `Game.too_long`, nan where never met; or empty
    too_long: tuple[tuple[float, ...], ...] = ()

    @property
    def ladder(self) -> Ladder:
        """The ratings, as `ratings.place` takes them."""
        ratings = tuple(Rating(one.agent, one.value, one.low, one.high, one.deals) for one in self.rungs)
        return Ladder(ratings, self.anchors, self.prior, self.seed, self.resamples)

    def called(self, game: Game, agent: str) -> list[str]:
        """Return the names of `agent` on the rungs, in a role or not; none if it is not there."""
        return [name for name in nature(game).called(agent) if name in self.agents]


def rate_apart(game: Game, matches: Sequence[Results], anchors: Mapping[str, float], seed: int = 0) -> Sequence[Rating]:
    """Return the ratings of `matches` from `anchors`, of each role apart where seats have roles."""
    return fit([nature(game).apart(match) for match in matches], anchors, seed=seed).ratings


def rank(
    game: Game,
    matches: Sequence[Results],
    *,
    deals: int,
    search_deals: int | None = None,
    seed: int = 0,
    anchors: Mapping[str, float] | None = None,
    resamples: int = RESAMPLES,
    builds: Mapping[str, str] | None = None,
    command: str = "",
    commit: str = "unknown",
    **setup: Any,
) -> Leaderboard:
    """Return the leaderboard of the `matches` of a tournament.

    Args:
        game: the game.
        matches: as returned by `pairings.play_matches`.
        deals: number of deals of each match.
        search_deals: number of deals of matches with search agents, if fewer.
        seed: of these deals, and of the bootstrap.
        anchors: fixed ratings, in points; None fixes `LOWEST` at 0, in its first role where there are roles.
        resamples: of the bootstrap of ratings.
        builds: SHA-256 of the graphs of bots and digests of search agents (`identity`), by name.
        command, commit: the command that makes the leaderboard, and the commit of the library.
        setup: of the deals.

    Raises ValueError if the results do not fit the game, or there is no anchor.
    """
    options, kind = game.setup(game.new_tables(1, setup)), nature(game)
    if kind.rated:
        anchors = {kind.called(LOWEST)[0]: 0.0} if anchors is None else anchors
        rungs, matrix, long = _rungs_by_rating([kind.apart(match) for match in matches], anchors, seed, resamples)
        played = sorted({name for match in matches for name in match.agents})
    else:
        anchors, played = {}, []
        rungs, matrix, long = _rungs_by_success(matches, seed)
    return Leaderboard(
        game=game.name,
        version=game.version,
        rules_hash=rules_hash(game),
        setup=options,
        rungs=rungs,
        anchors=dict(anchors),
        prior=PRIOR,
        seed=seed,
        resamples=resamples,
        deals=deals,
        search_deals=search_deals,
        agents=tuple(one.agent for one in rungs),
        matrix=tuple(tuple(row) for row in matrix.tolist()),
        seats=by_seat(matches) if played else (),
        by_seat={name: tuple(one.mean for one in by_seat(matches, name)) for name in played},
        builds=dict(builds or {}),
        command=command,
        commit=commit,
        too_long=tuple(map(tuple, long.tolist())) if game.too_long else (),
    )


def _rungs_by_rating(
    matches: Sequence[Results], anchors: Mapping[str, float], seed: int, resamples: int
) -> tuple[tuple[Rung, ...], np.ndarray, np.ndarray]:
    """Return the rungs by rating, and in their order the matrices of win rates and of deals that were too long."""
    ratings = fit(matches, anchors, seed=seed, resamples=resamples).ratings
    gaps: list[Estimate | None] = []
    for upper, lower in pairwise(ratings):  # relative to the lower one, so an open interval below it does not matter
        seen = fit(matches, {lower.agent: 0.0}, seed=seed, resamples=resamples)
        gaps.append(next(Estimate(*one[1:4]) for one in seen.ratings if one.agent == upper.agent))
    rungs = tuple(Rung(*one, gap) for one, gap in zip(ratings, [*gaps, None], strict=True))
    found = pair_rates(matches, alone=True)
    order = [found.agents.index(one.agent) for one in rungs]
    return rungs, found.rate[np.ix_(order, order)], found.too_long[np.ix_(order, order)]


def _rungs_by_success(matches: Sequence[Results], seed: int) -> tuple[tuple[Rung, ...], np.ndarray, np.ndarray]:
    """Return the rungs by rate of success, the matrix of leads in their order, and nan, as teams meet no others.

    Each match is that of one team.
    """
    teams = sorted((one for match in matches for one in success(match, seed)), key=lambda one: -one.rate)
    leads = {
        (one.team, other.team): lead(matches, one.team, other.team, seed)
        for one, other in product(teams, repeat=2)
        if one is not other
    }
    gaps = [*(leads[upper.team, lower.team] for upper, lower in pairwise(teams)), None]
    rungs = tuple(
        Rung(one.team[0], one.rate, one.low, one.high, one.deals, gap) for one, gap in zip(teams, gaps, strict=True)
    )
    none = Estimate(np.nan, np.nan, np.nan)
    found = np.array([[leads.get((one.team, other.team), none).mean for other in teams] for one in teams])
    return rungs, found, np.full(found.shape, np.nan)


# Win rates of pairs and seats.


class PairRates(NamedTuple):
    """Win rates of all pairs of agents, which show cycles that ratings hide."""

    agents: tuple[str, ...]  #: in order of their names
    rate: np.ndarray  #: (A, A) float64, mean win rate of a seat of i at tables with j; nan if they never met
    baseline: np.ndarray  #: (A, A) float64, expected among equals, the mean of 1/S
    rows: np.ndarray  #: (A, A) int64, how many rows had both; on the diagonal, where the agent held several seats
    deals: np.ndarray  #: (A, A) int64, how many deals had
    too_long: np.ndarray  #: (A, A) float64, part of these rows that reached the limit of their length


def pair_rates(results: Results | Iterable[Results], alone: bool = False) -> PairRates:
    """Return the matrix of win rates; of a win shared by k each has 1/k, as in `score.win_rate`.

    If `alone`, i is counted only where it has one seat: at tables of one i and copies of j that is the statistic of
    `score.win_rate`.

    Raises ValueError where a row does not fit, or where its payoffs do not sum to zero: the game is cooperative.
    """
    matches = matches_of(results)
    agents = tuple(sorted({name for match in matches for name in match.agents}))
    number = {name: index for index, name in enumerate(agents)}
    sums, baseline, long = (np.zeros((len(agents),) * 2) for _ in range(3))
    met: dict[tuple[int, int], list[np.ndarray]] = {}
    for match in matches:
        seats = match.seating.shape[1]
        for bad in np.flatnonzero(np.abs(match.payoffs.sum(1)) > seats * ROUNDING):
            raise ValueError(f"payoffs {match.payoffs[bad].tolist()} of deal {match.seeds[bad]} do not sum to zero")
        seating = np.array([number[name] for name in match.agents])[match.seating]
        held = by_agent(seating, np.ones(seating.shape), len(agents))
        won = by_agent(seating, win_rates(match.payoffs), len(agents))
        mean = won / np.maximum(held, 1)
        for i, j in product(np.flatnonzero(held.any(0)).tolist(), repeat=2):
            both = ((held[:, i] == 1) if alone else (held[:, i] > 0)) & (held[:, j] > (i == j))
            if both.any():
                sums[i, j] += mean[both, i].sum()
                baseline[i, j] += both.sum() / seats
                long[i, j] += 0 if match.too_long is None else match.too_long[both].sum()
                met.setdefault((i, j), []).append(match.seeds[both])
    counts = np.zeros((2, *sums.shape), np.int64)
    for pair, seeds in met.items():
        counts[:, *pair] = sum(map(len, seeds)), len(np.unique(np.concatenate(seeds)))
    with np.errstate(invalid="ignore"):
        rows, deals = counts
        return PairRates(agents, sums / rows, baseline / rows, rows, deals, long / rows)


def by_seat(results: Results | Iterable[Results], agent: str | None = None, seed: int = 0) -> tuple[Estimate, ...]:
    """Return the win rate at each seat, of all agents or of `agent`, with intervals over deals.

    All deals must be played in all cyclic seatings; then only the seats differ. `seed` is of the bootstrap. Raises
    ValueError as `seat_values`.
    """
    return tuple(estimate(values, seed=seed) for values in seat_values(results, agent))


def seat_values(results: Results | Iterable[Results], agent: str | None = None) -> list[np.ndarray]:
    """Return for each seat the win rate there in each deal: of all agents, or of `agent`.

    Tables of only copies of `agent` are left out. Raises ValueError if tables differ in size, or `agent` did not sit at
    every seat.
    """
    matches = matches_of(results)
    if len(sizes := {match.seating.shape[1] for match in matches}) > 1:
        raise ValueError(f"tables of {', '.join(map(str, sorted(sizes)))} seats are not allowed; it takes one size")
    seats = sizes.pop()
    deal = np.unique(np.concatenate([match.seeds for match in matches]), return_inverse=True)[1]
    rates = win_rates(np.concatenate([match.payoffs for match in matches]))
    names = np.concatenate([np.array(match.agents)[match.seating] for match in matches])
    found = []
    among_others = (names != agent).any(1)
    for seat in range(seats):
        mine = np.ones(len(deal), bool) if agent is None else (names[:, seat] == agent) & among_others
        if not mine.any():
            raise ValueError(f"{agent!r} did not sit at seat {seat}")
        rows_of = np.bincount(deal[mine])
        sums = np.bincount(deal[mine], rates[mine, seat])
        found.append(sums[rows_of > 0] / rows_of[rows_of > 0])
    return found
