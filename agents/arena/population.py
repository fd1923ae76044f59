"""The test of a champion over a population of agents, on the same deals at every table and in every role.

One candidate plays among copies of each member, and each member among copies of the candidate. `strong` and the
candidate's predecessor play among copies of the members, too. The lead of an agent among copies of another one is its
value minus that of the other one in its place: a fair share of the wins, in a role the payoff of copies of the other
one, in a cooperative game the success of their team.

The candidate fails if one of these claims is sure:

- BEATEN: a member is ahead, among copies of the member (in a game with roles over all roles together; not where
  `strong` never wins in its place either) or among copies of the candidate (in each role)
- BELOW: the candidate is below `strong` or its predecessor among copies of a member, in some role
- LONG: more than TOO_LONG of the deals reach the limit of the game's length, and more than with `strong` in its place

It also fails where the opposite of such a claim is not sure:

- LEVEL: the agent of a level is ahead of that of the next lower level, among copies of it, in each role

With many claims some seem to hold by chance. So a claim is sure if the one-sided interval of its mean, at the level
ERRORS divided by the number of claims (Bonferroni), excludes zero: a candidate that is level with all others fails by
chance in at most ERRORS of such tests. The 95 % intervals of cells are not corrected.

Letters: `D` deals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.meetings import Progress, silent
from sobremesa.agents.arena.members import Plan, pairs_of, plan_population
from sobremesa.agents.arena.population_rows import ONE, TEAM, Compared, Rows
from sobremesa.agents.arena.ratings import points_of_lead
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import Estimate, differences, estimate, interval, nature, varied
from sobremesa.agents.arena.stored_matches import (
    MOST_PIECES,
    PIECE,
    SEARCH_PIECE,
    Match,
    is_slow,
    play_stored,
    stored_secret,
)
from sobremesa.agents.loading import load
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.errors import ArgumentError, check_count
from sobremesa.envs.core.game import Game

DEALS, SEARCH_DEALS = 1000, 20  # of a match
ERRORS = 0.05  # probability that chance makes one of the claims sure
TOO_LONG = 0.02  # share of deals that may reach the limit of length
EXTREME = 0.0005  # distance from the end of the scale, below which a value is printed as 0.000 or 1.000
FAR = 0.1  # distance from equal play, from which on such a value is odd
BEATEN, BELOW, LONG, LEVEL = "beaten", "below", "too long", "level"  # kinds of claims


class Cell(NamedTuple):
    """One agent among copies of another one, in one place of a table."""

    agent: str
    among: str
    seats: int
    place: str  #: a role; "team" or "one" in a cooperative game; otherwise ""
    deals: int
    value: Estimate  #: win rate, payoff in the role, or success
    baseline: float  #: value of the other agent in its place
    lead: Estimate  #: over the baseline


class Step(NamedTuple):
    """Two neighbouring levels: one agent of the higher level among copies of that of the lower one."""

    level: str
    above: str  #: the next lower level
    cell: Cell
    points: Estimate | None  #: the lead in points of a ladder, infinite without a win or a loss; None for teams


class Failure(NamedTuple):
    """A reason for which the candidate fails."""

    kind: str  #: "beaten", "below", "too long" or "level"
    seats: int
    sentence: str


class Population(NamedTuple):
    """The result of a test."""

    plan: Plan
    cells: list[Cell]
    steps: list[Step]
    failures: list[Failure]
    odd: list[str]  #: sentences about cells that need an explanation
    claims: int  #: number of tested claims
    secret: str  #: text that is mixed into the seeds of the deals; "" for none
    matches: list[Results]


def population(
    game: Game,
    candidate: str | None = None,
    *,
    out: Path,
    against: Sequence[str] = (),
    seats: Sequence[int] = (),
    deals: int = DEALS,
    search_deals: int = SEARCH_DEALS,
    seed: int = 0,
    secret: str | None = None,
    processes: int | None = None,
    progress: Progress = silent,
    **setup: Any,
) -> Population:
    """Test `candidate` over the population of `game`.

    Args:
        game: the game.
        candidate: an agent, by name as in `agents.load`; None takes the champion of the game. A level that names the
            champion is played by the candidate.
        out: folder of the rows. The same folder resumes, and another candidate plays only its own matches there.
        against: names of members, or other agents; without any, all members.
        seats: numbers of seats; without any, all of the game.
        deals: of each match, each in all cyclic seatings.
        search_deals: of each match with a search or a language model, if fewer.
        seed: of the deals, which are the same in all matches.
        secret: second source of the deals; None draws one for `out` with an external agent (`play.secret_for`).
        processes: workers; None plays in this process.
        progress: called with (deals done, deals wanted, activity).
        setup: the game's other setup fields.

    Raises ArgumentError for numbers out of range or without a member, ValueError for a candidate that is another agent
    by a second name or an unknown agent or setup, and otherwise as `stored_matches.play_stored`.
    """
    limits = {"deals": (deals, PIECE * MOST_PIECES), "search_deals": (search_deals, SEARCH_PIECE * MOST_PIECES)}
    for name, (given, most) in limits.items():
        check_count(name, given)
        if not 2 <= given <= most:
            raise ArgumentError(f"{{{name}}} is not allowed; it takes a number from 2 to {most:,}", **{name: given})
    check_count("processes", processes)
    plan = plan_population(game, candidate, against)
    counts = list(dict.fromkeys(seats or game.seat_range))
    for count in counts:
        game.new_tables(1, {**setup, "seats": count})
    loaded = {name: load(spec, game) for name, spec in plan.agents.items()}
    _check_different(loaded, plan.candidate)
    secret = stored_secret(Path(out), list(loaded.values()), secret)
    keys = [(count, *pair) for count in counts for pair in pairs_of(game, plan, count)]
    matches = []
    for count, *pair in keys:
        specs = tuple(plan.agents[name] for name in dict.fromkeys(pair))
        matches.append(Match(count, specs, min(search_deals, deals) if any(map(is_slow, specs)) else deals))
    dealt: dict[str, Any] = {"seed": seed, "secret": secret, "setup": setup}
    played = play_stored(game, matches, Path(out), processes=processes, progress=progress, **dealt)
    return judge(game, plan, counts, Rows(game, dict(zip(keys, played, strict=True))))._replace(secret=secret)


def _check_different(loaded: dict[str, Agent], candidate: str) -> None:
    """Raise ValueError if the candidate is one of the other agents by another name."""
    contents = {identity(agent).rpartition("#")[2]: name for name, agent in loaded.items() if name != candidate}
    same = contents.get(identity(loaded[candidate]).rpartition("#")[2])
    if same is not None:
        raise ValueError(f"{candidate} is the same agent as {same}; give another candidate")


# Claims.


class _Claim(NamedTuple):
    """A claim that the mean of `values` is above 0."""

    kind: str
    seats: int
    values: np.ndarray  # (D,)
    limits: tuple[float, float]
    sentence: str


def judge(game: Game, plan: Plan, counts: Sequence[int], rows: Rows) -> Population:
    """Test all claims about the candidate of `plan` at tables of `counts`."""
    test = _Test(game, plan, rows)
    for seats in counts:
        for member in plan.members:
            test.compare_with_member(seats, member)
            for reference in plan.references:
                test.compare_with_reference(seats, reference, member)
        for (lower, one), (upper, other) in pairwise(plan.levels.items()):
            if one != other:
                test.compare_levels(seats, (upper, other), (lower, one))
    tail = ERRORS / max(len(test.claims), 1)
    sure = [lower_end(one.values, one.limits, tail) > 0 for one in test.claims]
    failures = [
        Failure(one.kind, one.seats, one.sentence)
        for one, holds in zip(test.claims, sure, strict=True)
        if holds != (one.kind == LEVEL)
    ]
    every = list(rows.matches.values())
    return Population(plan, test.cells, test.steps, failures, test.odd, len(test.claims), "", every)


def lower_end(values: np.ndarray, limits: tuple[float, float], tail: float) -> float:
    """Return the lower end of the one-sided interval of the mean of `values` `(D,)`, between `limits`, at level `tail`.

    With many different values it is that of the normal distribution, since 2,000 resamples do not reach small tails;
    otherwise that of `score.interval`.
    """
    if varied(values):
        error = float(values.std(ddof=1)) / sqrt(len(values))
        return float(values.mean()) - NormalDist().inv_cdf(1 - tail) * error
    return interval(values, limits, confidence=1 - 2 * tail)[0]


@dataclass
class _Test:
    game: Game
    plan: Plan
    rows: Rows
    cells: list[Cell] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    claims: list[_Claim] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    def compare_with_member(self, seats: int, member: str) -> None:
        """Compare the candidate and `member`, each among copies of the other."""
        candidate, kind = self.plan.candidate, nature(self.game)
        mine = list(self.rows.among(seats, candidate, member))
        cells = [self._cell(seats, candidate, member, one) for one in mine]
        if kind.roles:
            sentence = f"{member} beats {candidate} over both roles, {seats} seats: {_listed(cells)}"
            lost = np.mean([one.baseline - one.values for one in mine], axis=0)
            self._claim(BEATEN, seats, lost, mine[0].limits, sentence)
        for one, cell in zip(mine, cells, strict=True):
            if kind.roles:
                continue
            if self._never_won(seats, candidate, member) and self._never_won(seats, self._usual(member), member):
                self.odd.append(f"{self._usual(member)} never wins among copies of {member}, {seats} seats, either")
                continue
            sentence = f"{member} beats {candidate}: {_shown(cell)}"
            self._claim(BEATEN, seats, one.baseline - one.values, one.limits, sentence)
        self._claim_length(seats, candidate, member)
        if seats == 1 or (seats == 2 and not kind.alone):
            return  # both orders are one match
        for one in self.rows.among(seats, member, candidate):
            if one.place == TEAM:  # compared above
                continue
            cell = self._cell(seats, member, candidate, one)
            self._claim(
                BEATEN, seats, one.values - one.baseline, one.limits, f"{member} beats {candidate}: {_shown(cell)}"
            )
        if not kind.alone:
            self._claim_length(seats, member, candidate)

    def compare_with_reference(self, seats: int, reference: str, member: str) -> None:
        """Compare the candidate with `reference`, both among copies of `member`."""
        if reference == member or seats == 1:
            return  # compared as a member
        for one in self.rows.among(seats, reference, member):
            if one.place != TEAM:
                self._cell(seats, reference, member, one)
        for one in self.rows.instead(seats, self.plan.candidate, reference, member):
            if one.place == TEAM:
                continue
            lead = estimate(one.values - one.baseline, differences(one.limits))
            sentence = (
                f"{self.plan.candidate} is below {reference} among copies of {member}{_at(seats, one.place)}: "
                f"{one.values.mean():.3f} and {one.baseline.mean():.3f}, {_signed(lead)}"
            )
            self._claim(BELOW, seats, one.baseline - one.values, one.limits, sentence)

    def compare_levels(self, seats: int, upper: tuple[str, str], lower: tuple[str, str]) -> None:
        """Compare the agents of two neighbouring levels."""
        for one in self.rows.among(seats, upper[1], lower[1]):
            if one.place == ONE:
                continue
            cell = _cell(seats, upper[1], lower[1], one)
            points = points_of_lead(cell.value.mean, cell.baseline, cell.lead, seats, in_role=one.place != "")
            self.steps.append(Step(upper[0], lower[0], cell, None if one.place == TEAM else points))
            sentence = f"{upper[0]} is not surely above {lower[0]}: {_shown(cell)}"
            self._claim(LEVEL, seats, one.values - one.baseline, one.limits, sentence)

    def _usual(self, others: str) -> str:
        """Return the agent that also takes the candidate's place: `strong`, or `others` where it cannot."""
        return self.plan.references[0] if self.plan.references else others

    def _never_won(self, seats: int, one: str, others: str) -> bool:
        """Return whether `one` never wins at a table of three or more, where copies of `others` may act together."""
        if seats == 2 or one == others or not nature(self.game).rated:
            return False
        return not any(compared.values.any() for compared in self.rows.among(seats, one, others))

    def _claim(self, kind: str, seats: int, values: np.ndarray, limits: tuple[float, float], sentence: str) -> None:
        self.claims.append(_Claim(kind, seats, values, differences(limits), sentence))

    def _claim_length(self, seats: int, one: str, others: str) -> None:
        """Claim that deals of `one` among copies of `others` reach the limit of length."""
        if self.game.too_long is None:
            return
        share, usual = self.rows.too_long(seats, one, others), self._usual(others)
        allowed = np.full_like(share, TOO_LONG)
        if one == self.plan.candidate and usual != others:
            same = self.rows.too_long(seats, usual, others)[: len(share)]
            if same.mean() > TOO_LONG:
                allowed = same
        where = f"{one} among copies of {others}, {seats} seats"
        sentence = f"{share.mean():.1%} of the deals of {where}, reach the limit of length"
        self._claim(LONG, seats, share[: len(allowed)] - allowed, (0.0, 1.0), sentence)
        if min(share.mean(), allowed.mean()) > TOO_LONG:
            self.odd.append(f"{sentence}; with {usual} in its place {allowed.mean():.1%} do")

    def _cell(self, seats: int, one: str, others: str, compared: Compared) -> Cell:
        """Add a cell, and a sentence if its value is odd."""
        cell = _cell(seats, one, others, compared)
        self.cells.append(cell)
        low, high = compared.limits
        value, extreme = cell.value.mean, (high - low) * EXTREME
        if min(value - low, high - value) < extreme and abs(value - cell.baseline) > FAR * (high - low):
            self.odd.append(f"{_shown(cell)}; watch a deal")
        return cell


def _cell(seats: int, one: str, others: str, compared: Compared) -> Cell:
    value = estimate(compared.values, compared.limits)
    lead = estimate(compared.values - compared.baseline, differences(compared.limits))
    baseline = float(compared.baseline.mean())
    return Cell(one, others, seats, compared.place, len(compared.values), value, baseline, lead)


def _at(seats: int, place: str) -> str:
    return f", {seats} seats" + (f", {place}" if place else "")


def _shown(cell: Cell) -> str:
    return f"{cell.agent} among copies of {cell.among}{_at(cell.seats, cell.place)}: {_numbers(cell)}"


def _numbers(cell: Cell) -> str:
    return f"{cell.value.mean:.3f}, {cell.among} in its place {cell.baseline:.3f}, {_signed(cell.lead)}"


def _listed(cells: Sequence[Cell]) -> str:
    return "; ".join(f"{one.place} {_numbers(one)}".strip() for one in cells)


def _signed(lead: Estimate) -> str:
    return f"{lead.mean:+.3f} ({lead.low:+.3f} to {lead.high:+.3f})"
