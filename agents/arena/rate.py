"""Rate an agent against reference agents on the same deals, or test whether it is ahead of one of them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena import sequential
from sobremesa.agents.arena.ladder import fitting
from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.meetings import Meetings, Progress, opened, silent
from sobremesa.agents.arena.pairings import matchups
from sobremesa.agents.arena.ratings import Rating, place
from sobremesa.agents.arena.results import Results, join
from sobremesa.agents.arena.score import Score, nature, score
from sobremesa.agents.arena.workers import THIS_PROCESS, Machines
from sobremesa.agents.builtin import names, scripted_names
from sobremesa.agents.language.model import LanguageModel
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.errors import ArgumentError, check_count, check_several
from sobremesa.envs.core.game import Game

DEALS, MOST_DEALS = 1000, 20_000  # of each pair: a fixed number, and the limit of play until a result
_FIRST_LOOK, _PART = 64, 4  # deals before the first interval; after each interval a quarter more
_NEW = "\0the candidate"  # name of the rated agent, different from all names on a ladder


class Placing(NamedTuple):
    """A place on the published ladder."""

    rating: Rating
    seats: int
    against: tuple[str, ...]  #: names of the opponents; empty for an agent of the ladder
    deals: int  #: the most against one of them; 0 for an agent of the ladder


class Rated(NamedTuple):
    """The scores of an agent, and its places on the published ladders."""

    scores: list[Score]
    placings: list[Placing]  #: empty without a ladder for the setup
    placings_legal: list[Placing]  #: without forfeited rows, for a language model that forfeited; otherwise empty
    matches: list[Results]
    agents: list[Agent]  #: the rated one first
    secret: str  #: text that is mixed into the seeds of the deals; "" for none


def setups_of(game: Game, seats: int | Sequence[int], setup: dict[str, Any]) -> list[dict[str, Any]]:
    """Return `setup` for each number of `seats`; without any for that of the game."""
    counts = [seats] if isinstance(seats, int) else seats or [game.default_seats]
    return [{**setup, "seats": count} for count in dict.fromkeys(counts)]


def references_of(game: Game, spec: str, against: Sequence[str] = ()) -> list[str]:
    """Return the agents `against` without `spec` itself; without any the scripted agents."""
    check_several("against", against)
    return [other for other in dict.fromkeys(against or scripted_names(game)) if other != spec]


def rate(
    game: Game,
    spec: str,
    against: Sequence[str] = (),
    *,
    seats: int | Sequence[int] = (),
    width: float | None = None,
    deals: int | None = None,
    seed: int = 0,
    secret: str | None = None,
    machines: Machines = THIS_PROCESS,
    progress: Progress = silent,
    tell: Callable[[str], None] = silent,
    **setup: Any,
) -> Rated:
    """Rate the agent `spec` against reference agents.

    Args:
        game: the game.
        spec: the agent, by name as in `agents.load`.
        against: the references; without any, the scripted agents.
        seats: number or numbers of players; without any, that of the game.
        width: play until the interval of the rating is at most so wide, in points; None plays all deals.
        deals: each in all cyclic seatings; None takes 1,000, or with `width` at most 20,000.
        seed, secret, machines, progress, tell, setup: as in `ladder`.

    Raises ArgumentError if no reference is left, or `width` cannot be reached; ValueError for an unknown agent or
    setup; CannotPlay for an external agent that forfeits all of its first deals.
    """
    check_count("deals", deals)
    others = references_of(game, spec, against)
    if not others:
        raise ArgumentError("{against} names only {} itself; give another agent", spec, against=None)
    setups, specs = setups_of(game, seats, setup), [spec, *others]
    given: dict[str, Any] = {"seed": seed, "secret": secret, "machines": machines, "tell": tell}
    matches, placed = list[Results](), list[tuple[Leaderboard, list[Results]]]()
    scores: list[Score] = []
    with opened("rate", game, specs, setups, **given) as meetings:
        candidate, *references = (agent.name for agent in meetings.met)
        for setup in setups:
            if width is None:
                found = _all(meetings, setup, DEALS if deals is None else deals, progress)
            else:
                found = _until_placed(meetings, setup, width, MOST_DEALS if deals is None else deals, progress)
            for reference in references:
                scores += score(game, found, candidate, reference, seed)
            matches += found
            if nature(game).rated and (ladder := fitting(game, setup)) is not None:
                placed.append((ladder, _known(game, found, candidate)))
    placings = [one for ladder, own in placed for one in _placings(game, spec, candidate, own, ladder)]
    legal = [(ladder, [one for one in map(Results.legal, own) if len(one.seeds)]) for ladder, own in placed]
    lost = isinstance(meetings.met[0], LanguageModel) and any(one.forfeited() for _, own in placed for one in own)
    again = [one for ladder, kept in legal if lost and kept for one in _placings(game, spec, candidate, kept, ladder)]
    return Rated(scores, placings, again, matches, list(meetings.met), meetings.secret)


def _all(meetings: Meetings, setup: dict[str, Any], deals: int, progress: Progress) -> list[Results]:
    with meetings.at(setup, _wanted(meetings, setup), deals, progress) as meet:
        return meet(range(deals))


def _wanted(meetings: Meetings, setup: dict[str, Any]) -> list[tuple[int, ...]]:
    """Return the matches of the first agent against each of the others."""
    return matchups(meetings.game, len(meetings.met), setup["seats"], first=True)


def _known(game: Game, matches: Sequence[Results], candidate: str) -> list[Results]:
    """Return the matches of `candidate` among copies of an agent of the library."""
    known = set(names(game))
    pairs = [one for one in matches if len(one.agents) > 1]
    return [one for one in pairs if one.agents[0] == candidate and one.agents[1] in known]


def _until_placed(
    meetings: Meetings, setup: dict[str, Any], width: float, most: int, progress: Progress
) -> list[Results]:
    """Play until the interval of the first agent's rating is at most `width` wide, or `most` deals are played."""
    game, known, spec = meetings.game, set(names(meetings.game)), meetings.specs[0]
    ladder = fitting(game, setup) if nature(game).rated else None
    if ladder is None or spec in known:
        why = f"{spec} is already on the ladder" if ladder else f"{game.name} has no ladder for {setup}"
        raise ArgumentError("{width} is not allowed: {}", why, width=f"{width:g}")
    if not known & {agent.name for agent in meetings.met[1:]}:
        why = "{width}: no agent of {against} is on the ladder; add one, such as strong"
        raise ArgumentError(why, width=f"{width:g}", against=None)
    name, parts, deals = meetings.met[0].name, list[list[Results]](), range(min(_FIRST_LOOK, most))
    with meetings.at(setup, _wanted(meetings, setup), most) as meet:
        while True:
            parts.append(meet(deals))
            found = [join(match) for match in zip(*parts, strict=True)]
            ratings = _ratings(game, _known(game, found, name), name, ladder)
            widest = max(one.high - one.low for one in ratings)
            progress(deals.stop, most, f"to within {widest:.0f} points")
            if widest <= width or deals.stop >= most:
                return found
            deals = range(deals.stop, min(deals.stop + max(_FIRST_LOOK, deals.stop // _PART), most))


def _placings(game: Game, spec: str, name: str, matches: Sequence[Results], ladder: Leaderboard) -> list[Placing]:
    """Place the first agent of `matches`, `spec`, on `ladder`."""
    seats = int(ladder.setup["seats"])
    if spec in names(game):  # already on the ladder
        own = nature(game).called(spec)
        return [Placing(one, seats, (), 0) for one in ladder.ladder.ratings if one.agent in own]
    against = tuple(sorted({other for one in matches for other in one.agents[1:]}))
    deals = max((len(set(one.seeds.tolist())) for one in matches), default=0)
    return [Placing(one, seats, against, deals) for one in _ratings(game, matches, name, ladder)]


def _ratings(game: Game, matches: Sequence[Results], name: str, ladder: Leaderboard) -> list[Rating]:
    """Rate the first agent of `matches`, separately for each role of the game."""
    matches = [one._replace(agents=(_NEW, *one.agents[1:])) for one in matches]
    kind, found = nature(game), []
    for seat, called in enumerate(kind.called(name)):
        own = [kind.apart(one.where(one.seating[:, seat] == 0)) if kind.roles else one for one in matches]
        known = [one for one in own if set(one.agents[1:]) <= set(ladder.agents)]
        found += [place(known, ladder.ladder)._replace(agent=called)] if known else []
    return found


class Tested(NamedTuple):
    """The results of sequential tests of whether an agent is ahead of another one."""

    tests: list[tuple[int, sequential.Verdict]]  #: (number of seats, result) of each test
    matches: list[Results]
    agents: list[Agent]  #: the tested one first
    secret: str  #: text that is mixed into the seeds of the deals; "" for none


def ahead_of(
    game: Game,
    spec: str,
    than: str,
    *,
    seats: int | Sequence[int] = (),
    margin: float = 0.02,
    errors: float = 0.05,
    deals: int = MOST_DEALS,
    seed: int = 0,
    secret: str | None = None,
    machines: Machines = THIS_PROCESS,
    progress: Progress = silent,
    tell: Callable[[str], None] = silent,
    **setup: Any,
) -> Tested:
    """Test sequentially whether the agent `spec` is ahead of the agent `than`: play until the test decides.

    Args:
        game: the game.
        spec, than: the agents, by name as in `agents.load`.
        seats: numbers of players, each its own test; without any, that of the game.
        margin: lead that a test must detect.
        errors: its rate of errors.
        deals: the most to play, each in all cyclic seatings.
        seed, secret, machines, progress, tell, setup: as in `ladder`.

    Raises ArgumentError if both agents are the same one, ValueError for a number out of range or an unknown agent or
    setup, and CannotPlay as `rate`.
    """
    if spec == than:
        raise ArgumentError("{than} names only {} itself; give another agent", spec, than=None)
    setups = setups_of(game, seats, setup)
    given: dict[str, Any] = {"seed": seed, "secret": secret, "machines": machines, "tell": tell}
    wanted: list[tuple[int, ...]] = [(0, 1)] if nature(game).rated else [(0,), (1,)]
    tests, played = [], list[Results]()
    with opened("rate", game, [spec, than], setups, **given) as meetings:
        for setup in setups:
            with meetings.at(setup, wanted, deals) as meet:

                def play(numbers: range, meet: Callable[[range], list[Results]] = meet) -> np.ndarray:
                    progress(numbers.stop, deals, "at most; the test ends when it is decided")
                    played.extend(found := meet(numbers))
                    return sequential.leads(game, found)

                tests.append((setup["seats"], sequential.decide(play, margin, errors, deals)))
    return Tested(tests, played, list(meetings.met), meetings.secret)
