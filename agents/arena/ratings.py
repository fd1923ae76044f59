"""Ratings on an Elo-like scale, as pure functions of results in any order.

The model. Every seat of a table has the strength of its agent, and comes first with a probability proportional to
exp(strength); the remaining seats compete for the next place, and so on (Plackett 1975, Luce 1959). For two seats this
is the model of Bradley and Terry (1952). Seats are ranked by payoff. Ties:

- k seats that tie for a place count 1/k of coming first there; two that tie count half a win each. It is the numerator
  of Davidson (1970) and of Turner et al. (2020) without their parameter for the frequency of ties, and makes the fit a
  quasi-likelihood (Papke and Wooldridge 1996): strengths predict the mean win rate, not how often a win is shared. So
  where a game pays winners only, the expected win rate of a fitted agent equals the observed one, apart from the prior.
- Seats that tie last, behind others, are not compared. This is exact: their orders together have probability 1.

Scale: 400 / ln 10 points per unit of strength, so that at a table of two 200 points more take 0.76 of the wins.

Prior: every free rating is Gaussian around the mean of the anchors, with a standard deviation of `PRIOR` points. It
weighs as much as 0.12 rows of an even match of two, and gives a number to an agent that lost every deal. If no chain of
wins leads from the agent to an anchor, or from an anchor to the agent (Hunter 2004, assumption 1), only the prior
bounds the rating on one side. Then the interval is open on that side, and ends on the other where such luck has a
probability of 2.5 %; a deal counts once, in however many seatings it was played.

Intervals: 95 %, percentiles of fits to resampled deals. A deal is a seed: all rows of that seed, in any seating and
match, are drawn together. Of n deals n - 1 are drawn each time, so that the spread is that of n (Rao and Wu 1988). An
agent that met others in fewer than two deals has an interval open on both sides. For few deals, or if an agent's share
of first places is nearly equal in all of its deals, the interval extends at least to the strengths at which its
expected share is at the ends of `score.interval`.

Choices. A ranked row is one choice of the first among all seats, one of the first among the remaining seats, and so on.

Letters: `R` rows, `S` seats, `A` agents, `D` deals, `K` kinds of choice (the number of remaining seats of each agent),
`T` choices.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from sobremesa.agents.arena.results import ROUNDING, Results, matches_of
from sobremesa.agents.arena.score import CONFIDENCE, RESAMPLES, Estimate, interval, varied
from sobremesa.envs.core.api.vector import check_seed

ELO = 400 / np.log(10)  # points of rating to a unit of strength
PRIOR = 1000.0  # points
PRIORS = (1, 100_000)  # beyond, the fit is a matter of rounding
TAIL = (1 - CONFIDENCE) / 2
STEPS, SETTLED = 200, 1e-9  # of Newton's method: at most so many; the last one no longer than this
FAR = 60.0  # units of strength within which a limit is looked for


def points_of_lead(value: float, baseline: float, lead: Estimate, seats: int, in_role: bool) -> Estimate:
    """Return the lead of `value` over `baseline` in points: 200 points are a win rate of 0.76 at a table of two.

    Both are win rates, successes of teams, or payoffs in a role; an end is infinite without a win or a loss.
    """
    ends = (value, baseline + lead.low, baseline + lead.high)
    own, *others = (_log_odds(one, seats, in_role) for one in (baseline, *ends))
    return Estimate(*(ELO * (one - own) for one in others))


def _log_odds(value: float, seats: int, in_role: bool) -> float:
    rate = ((seats - 1) * value + 1) / seats if in_role else value
    return -math.inf if rate <= 0 else math.inf if rate >= 1 else math.log(rate / (1 - rate))


class Choices(NamedTuple):
    """The choices in results: among seats of some kind, one came first."""

    agents: tuple[str, ...]  # in order of their names
    kinds: np.ndarray  # (K, A) float64, how many seats each agent holds among those left
    firsts: np.ndarray  # (K, A) float64, how often each came first there
    deal: np.ndarray  # (T,) int64, of a choice; a deal's choices of one kind are one
    kind: np.ndarray  # (T,) int64
    times: np.ndarray  # (T,) int64, how often the deal holds that kind
    by_deal: np.ndarray  # (D, A) float64, how often each came first in a deal

    def met(self) -> np.ndarray:
        """Return the number of deals in which each agent met another one, `(A,)` int64."""
        pairs = np.zeros((len(self.by_deal), len(self.agents)), bool)
        for agent, held in enumerate(self.kinds.T > 0):
            pairs[self.deal[held[self.kind]], agent] = True
        return np.asarray(pairs.sum(0))


def read_choices(results: Results | Iterable[Results]) -> Choices:
    """Return the choices of `results`; those of an agent against itself alone are left out."""
    matches = matches_of(results)
    agents = tuple(sorted({name for match in matches for name in match.agents}))
    number = {name: index for index, name in enumerate(agents)}
    deals, deal_of = np.unique(np.concatenate([match.seeds for match in matches]), return_inverse=True)
    by_deal = np.zeros((len(deals), len(agents)))
    parts, start = [], 0
    for match in matches:
        own_deals = deal_of[start : start + len(match.seeds)]
        start += len(own_deals)
        seating = np.array([number[name] for name in match.agents])[match.seating]
        for row, left, first in _rank(match.payoffs):
            seats, won = (by_agent(seating[row], values, len(agents)) for values in (left, first))
            contested = (seats > 0).sum(1) > 1
            deal, seats, won = own_deals[row[contested]], seats[contested], won[contested]
            np.add.at(by_deal, deal, won)
            parts.append((deal, *_kinds(seats, won)))
    return _join(agents, parts, by_deal)


def by_agent(seating: np.ndarray, values: np.ndarray, agents: int) -> np.ndarray:
    """Return the sums of `values` `(T, S)` over the seats of each agent, `(T, A)`."""
    sums = np.zeros((len(seating), agents))
    np.add.at(sums, (np.arange(len(seating))[:, None], seating), values)
    return sums


def _rank(payoffs: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield for each place: rows with a choice (T,), the remaining seats (T, S), shares of coming first (T, S)."""
    left = np.ones(payoffs.shape, bool)
    for stage in range(payoffs.shape[1] - 1):
        best = np.where(left, payoffs, -np.inf).max(1, keepdims=True)
        top = left & (payoffs >= best - ROUNDING)
        tied = top.sum(1)
        chosen = (tied < left.sum(1)) | (stage == 0)
        yield np.flatnonzero(chosen), left[chosen], top[chosen] / tied[chosen, None]
        left = left & ~top


def _kinds(seats: np.ndarray, won: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the different rows of `seats` `(T, A)`, the sums of `won` for each, and which of them each row is."""
    kinds, kind = np.unique(seats, axis=0, return_inverse=True)
    firsts = np.zeros(kinds.shape)
    np.add.at(firsts, kind, won)
    return kinds, firsts, kind


def _join(
    agents: tuple[str, ...], parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], by_deal: np.ndarray
) -> Choices:
    """Return the choices of all `parts`: each kind once, and each kind once in a deal."""
    kinds, firsts, number = _kinds(*(np.concatenate([part[column] for part in parts]) for column in (1, 2)))
    starts = np.cumsum([0, *(len(part[1]) for part in parts)])
    kind = np.concatenate([number[start + part[3]] for start, part in zip(starts, parts, strict=False)])
    deal = np.concatenate([part[0] for part in parts])
    once, times = np.unique(deal * max(len(kinds), 1) + kind, return_counts=True)
    deal, kind = np.divmod(once, max(len(kinds), 1))
    return Choices(agents, kinds, firsts, deal, kind, times, by_deal)


class Rating(NamedTuple):
    """The rating of an agent, in points."""

    agent: str
    rating: float
    low: float  #: lower end of the interval; -inf where it is open; an anchor's own rating
    high: float  #: upper end
    deals: int  #: deals in which it met another agent; a deal in several matches is one


class Ladder(NamedTuple):
    """Ratings, best first, and all that they follow from apart from the rows."""

    ratings: tuple[Rating, ...]
    anchors: dict[str, float]  #: fixed ratings
    prior: float
    seed: int  #: of the bootstrap
    resamples: int

    @property
    def frozen(self) -> dict[str, float]:
        """The ratings by agent."""
        return {one.agent: one.rating for one in self.ratings}


def fit(
    results: Results | Iterable[Results],
    anchors: Mapping[str, float],
    *,
    prior: float = PRIOR,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Ladder:
    """Rate all agents of `results` on an Elo-like scale; arena/ratings.py describes the model.

    Args:
        results: of one match or of many; agents of one name are one agent, so different builds need different names.
        anchors: agents whose ratings are fixed, in points, such as `{"random": 0}`.
        prior: standard deviation of the prior, in points.
        seed: of the bootstrap.
        resamples: how often it draws.

    Raises:
        ValueError: no row, rows that do not fit together, no anchor, or an anchor that took no part.
    """
    choices = read_choices(results)
    _check(choices, anchors, prior, resamples)
    given = {name: float(value) for name, value in anchors.items()}
    centre = float(np.mean(list(given.values())))
    ratings = _rate(choices, given, centre, prior, check_seed(seed), resamples)
    return Ladder(tuple(sorted(ratings, key=lambda one: -one.rating)), given, prior, seed, resamples)


def place(results: Results | Iterable[Results], ladder: Ladder, *, seed: int = 0, resamples: int = RESAMPLES) -> Rating:
    """Rate the one agent of `results` that is not on `ladder`; the ratings of the ladder do not change.

    The interval covers the uncertainty of these deals, not that of the ladder.

    Raises:
        ValueError: not exactly one agent is new, or no agent of the ladder took part.
    """
    choices = read_choices(results)
    new = [name for name in choices.agents if name not in ladder.frozen]
    if len(new) != 1:
        raise ValueError(f"rows of {', '.join(choices.agents)} are not allowed; exactly one agent is new to the ladder")
    met = {name: ladder.frozen[name] for name in choices.agents if name in ladder.frozen}
    if not met:
        raise ValueError(f"{new[0]} met no agent of the ladder, which has {', '.join(ladder.frozen)}")
    _check(choices, met, ladder.prior, resamples)
    centre = float(np.mean(list(ladder.anchors.values())))
    ratings = _rate(choices, met, centre, ladder.prior, check_seed(seed), resamples)
    return next(one for one in ratings if one.agent == new[0])


def expected(ratings: Iterable[float]) -> np.ndarray:
    """Return the expected win rate `(S,)` at a table of agents with these `ratings`."""
    strengths = np.array(list(ratings), float) / ELO
    worth = np.exp(strengths - strengths.max())
    return np.asarray(worth / worth.sum())


def _check(choices: Choices, anchors: Mapping[str, float], prior: float, resamples: int) -> None:
    if not anchors:
        raise ValueError("anchors={} is not allowed; it takes one agent at least, with its rating")
    for name, value in anchors.items():
        if name not in choices.agents:
            raise ValueError(f"anchor {name!r} took no part; there are {', '.join(choices.agents)}")
        if not np.isfinite(value):
            raise ValueError(f"anchor {name!r} at {value!r} is not allowed; it takes a number of points")
    if not PRIORS[0] <= prior <= PRIORS[1]:
        raise ValueError(f"prior={prior!r} is not allowed; it takes points from {PRIORS[0]:,} to {PRIORS[1]:,}")
    if not isinstance(resamples, (int, np.integer)) or resamples < 1:
        raise ValueError(f"resamples={resamples!r} is not allowed; it takes a whole number from 1")


# The fit.


def _rate(
    choices: Choices, fixed: Mapping[str, float], centre: float, prior: float, seed: int, resamples: int
) -> list[Rating]:
    free = np.array([name not in fixed for name in choices.agents])
    start = np.array([fixed.get(name, centre) for name in choices.agents]) / ELO
    precision, deals = (ELO / prior) ** 2, len(choices.by_deal)
    strengths = optimum(choices, np.ones(deals), start, free, centre / ELO, precision)
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, len(free)))
    for row in drawn:
        times = np.bincount(rng.integers(deals, size=max(deals - 1, 1)), minlength=deals).astype(float)
        row[:] = optimum(choices, times, strengths, free, centre / ELO, precision)
    low, high = np.quantile(drawn, (TAIL, 1 - TAIL), axis=0, method="weibull")  # not too near for few resamples
    low, high = np.minimum(low, strengths), np.maximum(high, strengths)  # n - 1 deals leave the prior a little more
    low[~free] = high[~free] = strengths[~free]
    _open(choices, strengths, free, low, high)
    _widen(choices, strengths, free, low, high)
    ratings = []
    for name, *ends, met in zip(choices.agents, strengths, low, high, choices.met(), strict=True):
        rating, a, b = [fixed[name]] * 3 if name in fixed else [float(end * ELO) for end in ends]
        ratings.append(Rating(name, rating, a, b, int(met)))
    return ratings


def optimum(
    choices: Choices, times: np.ndarray, start: np.ndarray, free: np.ndarray, centre: float, precision: float
) -> np.ndarray:
    """Return the strengths `(A,)` most likely after `choices` with deal d counted `times[d]`; only `free` ones move.

    `precision` is of the prior around `centre`. The sum is strictly concave; Newton's steps are halved where they would
    make it smaller.
    """
    weights = np.bincount(choices.kind, choices.times * times[choices.deal], len(choices.kinds))
    firsts = times @ choices.by_deal
    strengths = start.copy()
    value, chances = _value(choices, weights, firsts, strengths, free, centre, precision)
    for _ in range(STEPS if free.any() else 0):
        slope = firsts - weights @ chances - precision * (strengths - centre)
        bend = np.diag(weights @ chances + precision) - chances.T @ (weights[:, None] * chances)
        step = np.zeros(len(free))
        step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        while np.abs(step).max() > SETTLED:
            next_value, next_chances = _value(choices, weights, firsts, strengths + step, free, centre, precision)
            if next_value >= value:
                break
            step /= 2
        else:
            return strengths + step
        strengths, value, chances = strengths + step, next_value, next_chances
    return strengths


def _value(
    choices: Choices,
    weights: np.ndarray,
    firsts: np.ndarray,
    strengths: np.ndarray,
    free: np.ndarray,
    centre: float,
    precision: float,
) -> tuple[float, np.ndarray]:
    """Return the log-likelihood with the prior, and each agent's chances of coming first `(K, A)`."""
    chances, logs = _chances(choices.kinds, strengths)
    away = (strengths - centre)[free]
    return float(firsts @ strengths - weights @ logs - precision / 2 * away @ away), chances


def _chances(kinds: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each agent's chances of coming first `(K, A)`, and the logarithms of the sums they are parts of `(K,)`."""
    top = np.where(kinds > 0, strengths, -np.inf).max(1, initial=-np.inf)
    worth = kinds * np.exp(np.minimum(strengths - top[:, None], 0))
    total = worth.sum(1)
    return worth / total[:, None], np.log(total) + top


# Where only the prior holds a rating.


def _open(choices: Choices, strengths: np.ndarray, free: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Open the intervals from `low` to `high` `(A,)` where no chain of wins links an agent with an anchor."""
    above = (choices.firsts > 0).T.astype(float) @ (choices.kinds > 0)  # [i, j]: how i came before j, or level
    chain = (above > 0) | np.eye(len(free), dtype=bool)
    for middle in range(len(free)):
        chain |= chain[:, [middle]] & chain[middle]
    for agent in np.flatnonzero(free):
        up, down = chain[agent, ~free].any(), chain[~free, agent].any()
        if not up:
            low[agent] = -np.inf
            limit = _limit(choices, strengths, chain[agent], 1) if down else np.inf
            high[agent] = max(high[agent], strengths[agent] + limit)
        if not down:
            high[agent] = np.inf
            limit = _limit(choices, strengths, chain[:, agent], -1) if up else -np.inf
            low[agent] = min(low[agent], strengths[agent] + limit)


def _widen(choices: Choices, strengths: np.ndarray, free: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Widen the intervals from `low` to `high` `(A,)` of agents with few deals, or with deals that are nearly alike."""
    for agent in np.flatnonzero(free).tolist():
        own = choices.kinds[choices.kind, agent] > 0  # (T,)
        took = np.bincount(choices.deal[own], choices.times[own], len(choices.by_deal))  # choices in each deal
        parts = choices.by_deal[took > 0, agent] / took[took > 0]
        if len(parts) < 2:
            low[agent], high[agent] = -np.inf, np.inf
        if varied(parts) or not np.isfinite([low[agent], high[agent]]).all():
            continue
        weights = np.bincount(choices.kind[own], choices.times[own] / took[choices.deal[own]], len(choices.kinds))
        least, most = (_strength(choices.kinds, strengths, agent, weights / len(parts), end) for end in interval(parts))
        low[agent], high[agent] = min(low[agent], least), max(high[agent], most)


def _strength(kinds: np.ndarray, strengths: np.ndarray, agent: int, weights: np.ndarray, part: float) -> float:
    """Return the strength at which `agent` is expected to have `part` of its choices, which count `weights` `(K,)`."""
    near, far = strengths[agent] - FAR, strengths[agent] + FAR
    tried = strengths.copy()
    while far - near > SETTLED:
        tried[agent] = (near + far) / 2
        if weights @ _chances(kinds, tried)[0][:, agent] < part:
            near = tried[agent]
        else:
            far = tried[agent]
    return float(near)


def _limit(choices: Choices, strengths: np.ndarray, group: np.ndarray, sign: int) -> float:
    """Return by how much `group` `(A,)`, which never came first among others, can be stronger at a chance of 2.5 %.

    With a `sign` of -1 it always came first, and can be so much weaker. A deal counts as one choice.
    """
    mixed = (choices.kinds[:, group].sum(1) > 0) & (choices.kinds[:, ~group].sum(1) > 0)
    times = choices.times * mixed[choices.kind]
    in_deal = np.bincount(choices.deal, times)
    weights = np.bincount(choices.kind, times / np.maximum(in_deal[choices.deal], 1), len(mixed))[mixed]
    others = ~group if sign > 0 else group  # agents that always came first
    near, far = 0.0, FAR
    while far - near > SETTLED:
        middle = (near + far) / 2
        chances, _ = _chances(choices.kinds[mixed], strengths + sign * middle * group)
        with np.errstate(divide="ignore"):
            luck = weights @ np.log(chances[:, others].sum(1))
        if luck > np.log(TAIL):
            near = middle
        else:
            far = middle
    return sign * near
