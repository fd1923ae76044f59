"""Standings: who stands where on the ladder of a game, and the file that keeps it.

Competitive games have ratings (`rating.fit`), with the matrix of shares beside them, because ratings hide that three
may beat each other in a ring. Where seats have roles, an agent stands on the ladder once in each role. In cooperative
games a team of copies of one agent stands there with its rate of success, and the matrix tells leads on the same deals.

The file is JSON. It is tied to the game's rules, read strictly, and refused with the reason where it does not fit. The
standings of the agents that come with the library lie in `agents/ladders/<game>.json`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena.play import RESAMPLES
from sobremesa.agents.arena.ratings import PRIOR, Ladder, Rating, fit
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.roles import by_role, role_name
from sobremesa.agents.arena.shares import by_seat, lead, pairs, success
from sobremesa.agents.arena.statistics import Share
from sobremesa.envs.core.check import rules_hash
from sobremesa.envs.core.game import Game

LOWEST = "random"  # the agent whose rating is 0 on every ladder
LANGUAGE = "en"  # of the roles in names


class Rung(NamedTuple):
    """One agent on the ladder."""

    agent: str
    value: float  # points; for a team its rate of success
    low: float  # ends of the interval; -inf and inf where it is open; an anchor's own rating
    high: float
    deals: int  # in which it met others
    ahead: Share | None  # by how much it stands above the next rung; None for the last one


@dataclass(frozen=True)
class Standings:
    """A ladder and all that it follows from."""

    game: str  # its name
    version: int
    rules_hash: str
    setup: dict[str, int | str | bool]  # every option of the game
    rungs: tuple[Rung, ...]  # best first
    anchors: dict[str, float]  # ratings that were given; none in a cooperative game
    prior: float  # points
    seed: int  # of deals and bootstrap
    resamples: int
    deals: int  # of each match
    agents: tuple[str, ...]  # of the matrix, by row and column: those on the rungs, best first
    matrix: tuple[tuple[float, ...], ...]  # [i][j]: share of one i among copies of j, or lead; nan where never met
    seats: tuple[Share, ...]  # share of the win at each seat, whoever sits there; none in a cooperative game
    by_seat: dict[str, tuple[float, ...]]  # that of each agent
    builds: dict[str, str]  # SHA-256 of the graphs of those that are bots
    command: str  # that made it
    commit: str  # of the library then

    @property
    def ladder(self) -> Ladder:
        """The ratings, as `rating.place` takes them."""
        ratings = tuple(Rating(one.agent, one.value, one.low, one.high, one.deals) for one in self.rungs)
        return Ladder(ratings, self.anchors, self.prior, self.seed, self.resamples)


def stand(
    game: Game,
    matches: Sequence[Results],
    *,
    deals: int,
    seed: int = 0,
    anchors: Mapping[str, float] | None = None,
    resamples: int = RESAMPLES,
    builds: Mapping[str, str] | None = None,
    command: str = "",
    commit: str = "unknown",
    **setup: Any,
) -> Standings:
    """Return the standings that follow from the `matches` of a tournament.

    Args:
        game: the game.
        matches: as `meetings.meet_all` returns them.
        deals: how many each match has.
        seed: of those deals, and of the bootstrap.
        anchors: ratings that are fixed, in points; None fixes `LOWEST` at 0, in its first role where there are roles.
        resamples: of the bootstrap that ratings have.
        builds: SHA-256 of the graphs of bots, by name.
        command: how to make it again.
        commit: of the library.
        setup: that the deals had.

    Raises ValueError where the rows do not fit the game, or nobody is an anchor.
    """
    options = game.setup(game.new_tables(1, setup))
    roles = game.roles[LANGUAGE] if game.roles else None
    rows = [by_role(match, roles) for match in matches] if roles else list(matches)
    if game.cooperative:
        anchors, rungs, matrix = {}, *_success(rows, seed)
    else:
        if anchors is None:
            anchors = {role_name(LOWEST, roles[0]) if roles else LOWEST: 0.0}
        rungs, matrix = _rated(rows, anchors, seed, resamples)
    played = [] if game.cooperative else sorted({name for match in matches for name in match.agents})
    return Standings(
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
        agents=tuple(one.agent for one in rungs),
        matrix=tuple(tuple(row) for row in matrix.tolist()),
        seats=by_seat(matches) if played else (),
        by_seat={name: tuple(one.mean for one in by_seat(matches, name)) for name in played},
        builds=dict(builds or {}),
        command=command,
        commit=commit,
    )


def _rated(
    rows: Sequence[Results], anchors: Mapping[str, float], seed: int, resamples: int
) -> tuple[tuple[Rung, ...], np.ndarray]:
    """Return the rungs by rating, and the shares of the win in their order."""
    ratings = fit(rows, anchors, seed=seed, resamples=resamples).ratings
    gaps: list[Share | None] = []
    for upper, lower in pairwise(ratings):  # seen from the lower one: what is open below it does not matter here
        seen = fit(rows, {lower.agent: 0.0}, seed=seed, resamples=resamples)
        gaps.append(next(Share(*one[1:4]) for one in seen.ratings if one.agent == upper.agent))
    rungs = tuple(Rung(*one, gap) for one, gap in zip(ratings, [*gaps, None], strict=True))
    found = pairs(rows, alone=True)
    order = [found.agents.index(one.agent) for one in rungs]
    return rungs, found.share[np.ix_(order, order)]


def _success(rows: Sequence[Results], seed: int) -> tuple[tuple[Rung, ...], np.ndarray]:
    teams = success(rows, seed)
    names = [one.team[0] for one in teams]
    leads = {
        (one.team, other.team): lead(rows, one.team, other.team, seed)
        for one in teams
        for other in teams
        if one is not other
    }
    ahead = [Share(*leads[upper.team, lower.team][1:]) for upper, lower in pairwise(teams)]
    rungs = tuple(
        Rung(name, one.rate, one.low, one.high, one.deals, gap)
        for name, one, gap in zip(names, teams, [*ahead, None], strict=True)
    )
    matrix = [[leads[one.team, other.team].lead if one is not other else np.nan for other in teams] for one in teams]
    return rungs, np.array(matrix)
