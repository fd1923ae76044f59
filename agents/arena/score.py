"""Scores: one agent compared with another, by the kind of the game.

- Competitive: the win rate of one candidate among copies of the reference, against 1/n. A win shared by k counts 1/k.
- Roles (`Game.roles`): an agent may play one role well and another badly. So the candidate's payoff in a role is
  compared with the reference's in the same role, against the same opponents on the same deals.
- Cooperative: the success of a team of copies, compared with that of the reference's team on the same deals.

Letters: `R` rows, `S` seats.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.results import ROUNDING, Results, matches_of
from sobremesa.envs.core.game import Game

RESAMPLES = 2000  # of an interval
CONFIDENCE = 0.95
MANY, VARIED = 50, 10  # deals, and deals that differ from the commonest outcome, from which on the bootstrap is used
PARTS = (0.0, 1.0)  # range of a share of the win and of a success
PAYOFFS = (-1.0, 1.0)
FARTHEST = 1_000_000.0  # points from 0, beyond which no rating lies
LANGUAGE = "en"  # of the roles in names

Team = tuple[str, ...]  # names of the agents of a team in order, one for each seat


class Nature(NamedTuple):
    """The statistic of a kind of game; see `nature`."""

    name: str  # "competitive", "roles" or "cooperative"
    value: str  # the statistic of a score, in words
    rated: bool  # agents stand on a ladder by points; otherwise teams by their success
    alone: bool  # copies of one agent fill a table, so that they can be compared
    form: str  # of a number on the ladder, as `format` takes it
    cell: str  # of a number in the matrix next to the ladder
    limits: tuple[float, float]  # of a number on the ladder
    cells: tuple[float, float]  # of a number in the matrix
    roles: Mapping[str, Sequence[str]]  # names of the roles by language; empty if seats are alike

    def worth(self, payoffs: np.ndarray) -> np.ndarray:
        """Return the worth of `payoffs` `(..., S)` for each seat: its share of the win, or its team's success."""
        return win_rates(payoffs) if self.rated else payoffs.astype(float)

    def won(self, mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """Return how far `mine`, payoffs, are won from `theirs`, `(n,)` from 0 to 1; together as far as both are."""
        return np.asarray(0.5 + 0.5 * np.sign(mine - theirs)) if self.rated else mine

    def baseline(self, seats: int) -> float | None:
        """Return the worth of a seat among equals; None if it is unknown."""
        return 1 / seats if self.rated else None

    def called(self, agent: str) -> list[str]:
        """Return what `agent` is called on a ladder: by its name, or by each of its roles."""
        return [role_name(agent, role) for role in self.roles.get(LANGUAGE, ())] or [agent]

    def apart(self, results: Results) -> Results:
        """Return `results` with a separate agent for each role, if seats have roles; see `by_role`."""
        return by_role(results, self.roles[LANGUAGE]) if self.roles else results


_COMPETITIVE = Nature("competitive", "win rate", True, False, ".0f", ".3f", (-FARTHEST, FARTHEST), (0.0, 1.0), {})
_COOPERATIVE = Nature("cooperative", "success", False, True, ".3f", "+.3f", (0.0, 1.0), (-1.0, 1.0), {})


def nature(game: Game) -> Nature:
    """Return the nature of `game`: here alone it is looked at."""
    if game.cooperative:
        return _COOPERATIVE
    return _COMPETITIVE._replace(name="roles", alone=True, roles=game.roles) if game.roles else _COMPETITIVE


# Means and their intervals.


class Estimate(NamedTuple):
    """A mean with its 95 % interval over deals, nan where there is none."""

    mean: float
    low: float
    high: float


def estimate(values: np.ndarray, limits: tuple[float, float] = PARTS, seed: int = 0) -> Estimate:
    """Return the mean of `values` `(n,)`, one for each deal, and its `interval`."""
    return Estimate(float(values.mean()), *interval(values, limits, seed))


def interval(
    values: np.ndarray, limits: tuple[float, float] = PARTS, seed: int = 0, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the ends of the interval of the mean of `values` `(n,)`, one for each deal; nan for fewer than two deals.

    The percentile bootstrap is too narrow for few deals, and where most deals have the same outcome: it has no width
    if all have. In these cases (under `MANY` deals, or under `VARIED` that differ from the commonest outcome) the
    interval is that of Learned-Miller and Thomas (2020, arXiv:1905.06208) for values that are between `limits`: the
    weights of the bootstrap are those of n uniform spacings, and the spacing left over is put on the limit. For values
    of 0 and 1 it is that of Clopper and Pearson. `seed` is that of the resamples.
    """
    if len(values) < 2:
        return np.nan, np.nan
    if varied(values):
        return bootstrap(values, seed, confidence)
    kinds, counts = np.unique(values, return_counts=True)
    rng, ends, tail = np.random.default_rng(seed), list[float](), (1 - confidence) / 2
    for limit, quantile in ((min(limits[0], kinds[0]), tail), (max(limits[1], kinds[-1]), 1 - tail)):
        weights = rng.standard_gamma([*counts, 1], size=(RESAMPLES, len(kinds) + 1))
        ends.append(float(np.quantile(weights @ [*kinds, limit] / weights.sum(1), quantile)))
    return ends[0], ends[1]


def varied(values: np.ndarray) -> bool:
    """Return whether the bootstrap is to be trusted with `values` `(n,)`: many, and not nearly all alike."""
    commonest = np.unique(np.round(values / ROUNDING), return_counts=True)[1].max(initial=0)
    return len(values) >= MANY and len(values) - commonest >= VARIED


def bootstrap(values: np.ndarray, seed: int = 0, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the percentile interval of the mean of `values` `(n,)`, from 2,000 resamples drawn with `seed`."""
    rng = np.random.default_rng(seed)
    means = np.array([values[rng.integers(len(values), size=len(values))].mean() for _ in range(RESAMPLES)])
    tail = (1 - confidence) / 2
    return float(np.quantile(means, tail)), float(np.quantile(means, 1 - tail))


def for_json(value: Any) -> Any:
    """Return `value` with null for each number that is not finite, in lists, tuples and dictionaries, too."""
    if isinstance(value, dict):
        return {name: for_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [for_json(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def win_rates(payoffs: np.ndarray) -> np.ndarray:
    """Return the parts of the win that `payoffs` `(..., S)` of a competitive game mean.

    A payoff p at a table of n is a part ((n - 1) p + 1) / n, since k winners get (n - k) / (k (n - 1)) each and the
    others -1 / (n - 1).
    """
    seats = payoffs.shape[-1]
    return np.asarray(((seats - 1) * payoffs.astype(float) + 1) / seats)


# The score.


class Score(NamedTuple):
    """The score of a candidate compared with a reference at tables of `seats`."""

    candidate: str
    reference: str
    seats: int
    deals: int
    value: float  #: mean win rate, payoff in the role, or success of the team
    low: float  #: lower end of the 95 % interval of `value` over deals; nan without one
    high: float  #: upper end
    baseline: float  #: value of the reference in its place: 1 / seats as a win rate
    lead: float  #: the value less the baseline
    lead_low: float  #: lower end of the interval of `lead`, on the same deals
    lead_high: float  #: upper end
    plies: float  #: mean length of the candidate's deals
    by_seat: tuple[float, ...] = ()  #: the candidate's win rate at each seat; empty for a role or a team
    variance_ratio: float = 1.0  #: variance of a deal's mean over its seatings, to that of as many separate deals
    forfeits: int = 0  #: rows that the candidate forfeited
    role: str = ""  #: role of both; "" without roles
    opponents: tuple[str, ...] = ()  #: at the other seats, in order, in a role

    @property
    def beats(self) -> bool:
        """Whether the interval of the lead is above zero."""
        return self.lead_low > ROUNDING


def score(
    game: Game, matches: Results | Iterable[Results], candidate: str, reference: str, seed: int = 0
) -> tuple[Score, ...]:
    """Score `candidate` compared with `reference` by the `matches` of `pairings.play_matches`.

    Returns one score, or where seats have roles one per role and opponents that both met there, without the candidate
    itself. `seed` is of the bootstrap where deals of several matches are compared; for one match it is 0 as in
    `pairings.compare`. Raises ValueError if the two have no deal in common.
    """
    found, kind = matches_of(matches, seats=1), nature(game)
    if kind.roles:
        every = role_scores(found, candidate, reference, kind.roles[LANGUAGE], seed)
        return tuple(one for one in every if candidate not in one.opponents)
    if kind.rated:
        met = [one for one in found if one.agents == (candidate, reference)]
        if not met:
            raise ValueError(f"{candidate} met no table of {reference}")
        return tuple(map(win_rate, met))
    seats = found[0].seating.shape[1]
    mine, theirs = _common_deals(found, (candidate,) * seats, (reference,) * seats)
    plies = float(np.concatenate([one.plies for one in found if set(one.agents) == {candidate}]).mean())
    lost = sum(len(one.forfeited()) for one in found if set(one.agents) == {candidate})
    return (_score_pair(candidate, reference, seats, mine, theirs, PARTS, seed, plies=plies, forfeits=lost),)


def win_rate(results: Results, candidate: int = 0, seed: int = 0) -> Score:
    """Score agent number `candidate` of `results` by its win rate over deals; `seed` is of the bootstrap.

    The game is competitive. Seats count alike, so roles that differ are averaged.
    """
    seats = results.seating.shape[1]
    mine, rates = results.seating == candidate, win_rates(results.payoffs)
    by_row = rates_by_row(results, candidate)
    by_deal = by_row.reshape(-1, seats).mean(1)  # (deals,)
    value, low, high = estimate(by_deal, seed=seed)
    alone = by_row.var() / seats
    return Score(
        candidate=results.agents[candidate],
        reference=" + ".join(name for index, name in enumerate(results.agents) if index != candidate),
        seats=seats,
        deals=len(by_deal),
        value=value,
        low=low,
        high=high,
        baseline=1 / seats,
        lead=value - 1 / seats,
        lead_low=low - 1 / seats,
        lead_high=high - 1 / seats,
        plies=float(results.plies.mean()),
        by_seat=tuple(float(rates[mine[:, seat], seat].mean()) for seat in range(seats)),
        variance_ratio=float(by_deal.var() / alone) if alone > 0 else 1.0,
        forfeits=sum(results.seating[row, seat] == candidate for row, seat in results.forfeited()),
    )


def rates_by_row(results: Results, candidate: int = 0) -> np.ndarray:
    """Return the part of the win of agent number `candidate` in each row, `(R,)`: the mean of its seats."""
    mine = results.seating == candidate
    return np.asarray((win_rates(results.payoffs) * mine).sum(1) / mine.sum(1))


def team_score(mine: Results, theirs: Results, seed: int = 0) -> Score:
    """Score the team of `mine` compared with that of `theirs`, which had the same deals; `seed` is of the bootstrap."""
    if not np.array_equal(mine.seeds, theirs.seeds):
        raise ValueError("the teams did not have the same deals")
    won, lost = mine.payoffs[:, 0].astype(float), theirs.payoffs[:, 0].astype(float)
    names, seats = (mine.agents[0], theirs.agents[0]), mine.seating.shape[1]
    also: dict[str, Any] = {"plies": float(mine.plies.mean()), "forfeits": len(mine.forfeited())}
    return _score_pair(*names, seats, won, lost, PARTS, seed, **also)


def read_score(stored: Mapping[str, Any]) -> Score:
    """Return the score that the JSON object `stored` has; null means NaN."""
    one = {name: np.nan if value is None else value for name, value in stored.items()}
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in one.items()}
    return Score(**fields)


def differences(limits: tuple[float, float]) -> tuple[float, float]:
    """Return the range of the difference of two values between `limits`."""
    return limits[0] - limits[1], limits[1] - limits[0]


def _score_pair(
    candidate: str, reference: str, seats: int, mine: np.ndarray, theirs: np.ndarray, limits: tuple[float, float],
    seed: int, **also: Any,
) -> Score:  # fmt: skip
    """Score `mine` compared with `theirs`, `(n,)` payoffs in the same deals, between `limits`."""
    value, lead = estimate(mine, limits, seed), estimate(mine - theirs, differences(limits), seed)
    return Score(candidate, reference, seats, len(mine), *value, float(theirs.mean()), *lead, **also)


# Roles.


def role_name(agent: str, role: str) -> str:
    """Return the name of an agent in a role."""
    return f"{agent} ({role})"


def by_role(results: Results, roles: Sequence[str]) -> Results:
    """Return `results` with a separate agent for each role, such as "simple (Fox)", so that one fit rates all roles.

    `roles` are the names by seat. Raises ValueError unless there is one per seat.
    """
    seats = results.seating.shape[1]
    if len(roles) != seats:
        raise ValueError(f"roles {', '.join(roles)} are not allowed at a table of {seats}; it takes one for each seat")
    held, seating = np.unique(results.seating * seats + np.arange(seats), return_inverse=True)
    names = [role_name(results.agents[index // seats], roles[index % seats]) for index in held]
    return results._replace(agents=tuple(names), seating=seating.reshape(results.seating.shape))


def role_scores(
    results: Results | Iterable[Results], candidate: str, reference: str, roles: Sequence[str], seed: int = 0
) -> tuple[Score, ...]:
    """Score `candidate` in every role, against all opponents that both met there, on the deals that both played.

    `roles` are the names by seat; `seed` is of the bootstrap. Raises ValueError without a deal in common.
    """
    paid: dict[tuple[str, int, Team], dict[int, tuple[float, int, bool]]] = {}
    for match in matches_of(results):
        if match.seating.shape[1] != len(roles):
            raise ValueError(f"roles {', '.join(roles)} are not those of a table of {match.seating.shape[1]}")
        rows = zip(match.seeds.tolist(), match.seating, match.payoffs.tolist(), match.plies.tolist(), strict=True)
        faults = set(match.forfeited())
        for row, (deal, seating, payoffs, plies) in enumerate(rows):
            names = [match.agents[index] for index in seating]
            for seat, name in enumerate(names):
                others = (*names[:seat], *names[seat + 1 :])
                paid.setdefault((name, seat, others), {})[deal] = payoffs[seat], plies, (row, seat) in faults
    found = []
    for (name, seat, others), mine in paid.items():
        theirs = paid.get((reference, seat, others), {})
        common = sorted(mine.keys() & theirs.keys())
        if name == candidate and common:
            ours, other = (np.array([of[deal][0] for deal in common]) for of in (mine, theirs))
            _, spans, lost = np.array([mine[deal] for deal in common]).T
            also = {"plies": float(spans.mean()), "forfeits": int(lost.sum()), "role": roles[seat], "opponents": others}
            found.append(_score_pair(candidate, reference, len(roles), ours, other, PAYOFFS, seed, **also))
    if not found:
        raise ValueError(f"{candidate} and {reference} played no role against the same opponents on the same deals")
    return tuple(sorted(found, key=lambda one: (roles.index(one.role), one.opponents)))


# Teams.


class Success(NamedTuple):
    """The rate of success of a team in a cooperative game."""

    team: Team
    deals: int
    rate: float  #: mean payoff, 0 to 1
    low: float  #: lower end of the 95 % interval of `rate` over deals; nan without one
    high: float  #: upper end


def success(results: Results | Iterable[Results], seed: int = 0) -> tuple[Success, ...]:
    """Return the rate of each team of a cooperative game over the deals that all teams played, best first.

    `seed` is of the bootstrap. Raises ValueError if payoffs are not those of a cooperative game, or no deal was played
    by all teams.
    """
    by_team = _team_payoffs(results)
    common = set.intersection(*(set(rates) for rates in by_team.values()))
    if not common:
        raise ValueError(f"no deal was played by all of {_names(by_team)}")
    found = []
    for team, rates in by_team.items():
        values = np.array([rates[deal] for deal in sorted(common)])
        found.append(Success(team, len(values), *estimate(values, seed=seed)))
    return tuple(sorted(found, key=lambda one: -one.rate))


def lead(results: Results | Iterable[Results], team: Iterable[str], other: Iterable[str], seed: int = 0) -> Estimate:
    """Return the lead of `team` over `other` on the deals that both played; see `success`."""
    mine, theirs = _common_deals(results, tuple(sorted(team)), tuple(sorted(other)))
    return estimate(mine - theirs, differences(PARTS), seed)


def _common_deals(results: Results | Iterable[Results], team: Team, other: Team) -> tuple[np.ndarray, np.ndarray]:
    """Return the payoffs of two teams in the deals that both played, in order of their seeds."""
    by_team = _team_payoffs(results)
    for named in (team, other):
        if named not in by_team:
            raise ValueError(f"no team {' + '.join(named)}; there are {_names(by_team)}")
    common = sorted(by_team[team].keys() & by_team[other].keys())
    if not common:
        raise ValueError(f"no deal was played by both of {_names([team, other])}")
    mine, theirs = (np.array([by_team[one][deal] for deal in common]) for one in (team, other))
    return mine, theirs


def _team_payoffs(results: Results | Iterable[Results]) -> dict[Team, dict[int, float]]:
    """Return for each team its mean payoff in each deal, by seed."""
    payoffs: dict[Team, dict[int, list[float]]] = {}
    for match in matches_of(results, seats=1):
        paid = match.payoffs[:, 0]
        fits = (np.abs(match.payoffs - paid[:, None]) <= ROUNDING).all(1) & (paid >= 0) & (paid <= 1)
        for bad in np.flatnonzero(~fits):
            raise ValueError(
                f"payoffs {match.payoffs[bad].tolist()} of deal {match.seeds[bad]} are not allowed; a cooperative game "
                "pays all seats the same, from 0 to 1"
            )
        for seed, seating, payoff in zip(match.seeds.tolist(), match.seating, paid.tolist(), strict=True):
            team = tuple(sorted(match.agents[index] for index in seating))
            payoffs.setdefault(team, {}).setdefault(seed, []).append(payoff)
    return {team: {seed: float(np.mean(values)) for seed, values in deals.items()} for team, deals in payoffs.items()}


def _names(teams: Iterable[Team]) -> str:
    return ", ".join(" + ".join(team) for team in teams)
