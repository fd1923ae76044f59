"""What arena rows say without a model: shares of the win at each other's tables, and success of teams.

Letters: `R` rows, `S` seats, `A` agents, `D` deals.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.choices import by_agent, matches_of
from sobremesa.agents.arena.play import bootstrap, win_shares
from sobremesa.agents.arena.results import ROUNDING, Results
from sobremesa.agents.arena.statistics import Share

Team = tuple[str, ...]  # names of those who sit together, in order of the names; one for each seat


class Pairs(NamedTuple):
    """Who wins at whose tables: what ratings hide, such as three that beat each other in a ring."""

    agents: tuple[str, ...]  # in order of their names
    share: np.ndarray  # (A, A) float64, mean share of the win for a seat of i at tables with j; nan if they never met
    fair: np.ndarray  # (A, A) float64, what equals would get there, the mean of 1/S
    rows: np.ndarray  # (A, A) int64, how many rows had both; on the diagonal, where the agent held several seats
    deals: np.ndarray  # (A, A) int64, how many deals had


class Success(NamedTuple):
    """How often a team does what a cooperative game asks for."""

    team: Team
    deals: int
    rate: float  # mean payoff, 0 to 1
    low: float  # ends of the bootstrapped 95 % interval over deals
    high: float


class Lead(NamedTuple):
    """By how much one team does better than another on the same deals."""

    deals: int
    lead: float  # mean difference of their rates
    low: float  # ends of the bootstrapped 95 % interval over deals
    high: float


def pairs(rows: Results | Iterable[Results], alone: bool = False) -> Pairs:
    """Return the matrix of mean shares of the win; of a win shared by k each has 1/k, as in `arena.score`.

    If `alone`, i is counted only where it holds one seat: at tables of one i and copies of j that is the statistic of
    `arena.score`.

    Raises ValueError where a row does not fit, or where its payoffs do not sum to zero: the game is cooperative.
    """
    matches = matches_of(rows)
    agents = tuple(sorted({name for match in matches for name in match.agents}))
    number = {name: place for place, name in enumerate(agents)}
    sums, fair = np.zeros((len(agents),) * 2), np.zeros((len(agents),) * 2)
    met: dict[tuple[int, int], list[np.ndarray]] = {}
    for match in matches:
        seats = match.seating.shape[1]
        for bad in np.flatnonzero(np.abs(match.payoffs.sum(1)) > seats * ROUNDING):
            raise ValueError(f"payoffs {match.payoffs[bad].tolist()} of deal {match.seeds[bad]} do not sum to zero")
        seating = np.array([number[name] for name in match.agents])[match.seating]
        held = by_agent(seating, np.ones(seating.shape), len(agents))
        won = by_agent(seating, win_shares(match.payoffs), len(agents))
        mean = won / np.maximum(held, 1)
        for i, j in product(np.flatnonzero(held.any(0)).tolist(), repeat=2):
            both = ((held[:, i] == 1) if alone else (held[:, i] > 0)) & (held[:, j] > (i == j))
            if both.any():
                sums[i, j] += mean[both, i].sum()
                fair[i, j] += both.sum() / seats
                met.setdefault((i, j), []).append(match.seeds[both])
    counts = np.zeros((2, *sums.shape), np.int64)
    for place, seeds in met.items():
        counts[:, *place] = sum(map(len, seeds)), len(np.unique(np.concatenate(seeds)))
    with np.errstate(invalid="ignore"):
        return Pairs(agents, sums / counts[0], fair / counts[0], counts[0], counts[1])


def by_seat(rows: Results | Iterable[Results], agent: str | None = None, seed: int = 0) -> tuple[Share, ...]:
    """Return the mean share of the win at each seat, whoever sits there or `agent` alone, with intervals over deals.

    All deals are to be played in all cyclic seatings; then only seats make the difference. `seed` is of the bootstrap.
    Raises ValueError as `seat_values`.
    """
    return tuple(Share(float(values.mean()), *bootstrap(values, seed)) for values in seat_values(rows, agent))


def seat_values(rows: Results | Iterable[Results], agent: str | None = None) -> list[np.ndarray]:
    """Return for each seat the mean share of the win there in each deal: of whoever sits there, or of `agent` if given.

    What `agent` does at tables of its own copies says nothing and is left out.

    Raises ValueError where tables differ in size, or where `agent` did not sit at every seat.
    """
    matches = matches_of(rows)
    if len(sizes := {match.seating.shape[1] for match in matches}) > 1:
        raise ValueError(f"tables of {', '.join(map(str, sorted(sizes)))} seats are not allowed; it takes one size")
    seats = sizes.pop()
    deal = np.unique(np.concatenate([match.seeds for match in matches]), return_inverse=True)[1]
    shares = win_shares(np.concatenate([match.payoffs for match in matches]))
    names = np.concatenate([np.array(match.agents)[match.seating] for match in matches])
    found = []
    among_others = (names != agent).any(1)
    for seat in range(seats):
        mine = np.ones(len(deal), bool) if agent is None else (names[:, seat] == agent) & among_others
        if not mine.any():
            raise ValueError(f"{agent!r} did not sit at seat {seat}")
        rows_of = np.bincount(deal[mine])
        sums = np.bincount(deal[mine], shares[mine, seat])
        found.append(sums[rows_of > 0] / rows_of[rows_of > 0])
    return found


def success(rows: Results | Iterable[Results], seed: int = 0) -> tuple[Success, ...]:
    """Return the rate of each team of a cooperative game over the deals that all teams had, best first.

    `seed` is of the bootstrap. Raises ValueError where payoffs are not those of a cooperative game, or where no deal
    was had by all teams.
    """
    by_team = _by_team(rows)
    common = set.intersection(*(set(rates) for rates in by_team.values()))
    if not common:
        raise ValueError(f"no deal was played by all of {_names(by_team)}")
    found = []
    for team, rates in by_team.items():
        values = np.array([rates[deal] for deal in sorted(common)])
        found.append(Success(team, len(values), float(values.mean()), *bootstrap(values, seed)))
    return tuple(sorted(found, key=lambda one: -one.rate))


def lead(rows: Results | Iterable[Results], team: Iterable[str], other: Iterable[str], seed: int = 0) -> Lead:
    """Return by how much `team` does better than `other` on the deals that both had; see `success`."""
    by_team = _by_team(rows)
    mine, theirs = tuple(sorted(team)), tuple(sorted(other))
    for named in (mine, theirs):
        if named not in by_team:
            raise ValueError(f"no team {' + '.join(named)}; there are {_names(by_team)}")
    common = sorted(by_team[mine].keys() & by_team[theirs].keys())
    if not common:
        raise ValueError(f"no deal was played by both of {_names([mine, theirs])}")
    values = np.array([by_team[mine][deal] - by_team[theirs][deal] for deal in common])
    return Lead(len(values), float(values.mean()), *bootstrap(values, seed))


def _by_team(rows: Results | Iterable[Results]) -> dict[Team, dict[int, float]]:
    """Return for each team its mean payoff in each deal, by seed."""
    payoffs: dict[Team, dict[int, list[float]]] = {}
    for match in matches_of(rows, seats=1):
        paid = match.payoffs[:, 0]
        fits = (np.abs(match.payoffs - paid[:, None]) <= ROUNDING).all(1) & (paid >= 0) & (paid <= 1)
        for bad in np.flatnonzero(~fits):
            raise ValueError(
                f"payoffs {match.payoffs[bad].tolist()} of deal {match.seeds[bad]} are not allowed; a cooperative game "
                "pays all seats the same, from 0 to 1"
            )
        for seed, seating, payoff in zip(match.seeds.tolist(), match.seating, paid.tolist(), strict=True):
            team = tuple(sorted(match.agents[place] for place in seating))
            payoffs.setdefault(team, {}).setdefault(seed, []).append(payoff)
    return {team: {seed: float(np.mean(values)) for seed, values in deals.items()} for team, deals in payoffs.items()}


def _names(teams: Iterable[Team]) -> str:
    return ", ".join(" + ".join(team) for team in teams)
