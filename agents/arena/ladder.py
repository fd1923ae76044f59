"""The ladder of a game: a tournament of its agents and of others, rated from the published ladder."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.leaderboard import Leaderboard, rank
from sobremesa.agents.arena.leaderboard_file import LadderError, frozen
from sobremesa.agents.arena.meetings import Progress, opened, silent
from sobremesa.agents.arena.pairings import matchups
from sobremesa.agents.arena.replay import Replay, record
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import nature
from sobremesa.agents.arena.workers import THIS_PROCESS, Machines
from sobremesa.agents.builtin import names, scripted_names
from sobremesa.agents.exported import Bot
from sobremesa.agents.external.agent import ExternalAgent, Fault
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.named import is_search
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.errors import ArgumentError, check_count, check_several
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seed_of

MOST_REPLAYS = 3


class Climbed(NamedTuple):
    """A ladder and the tournament that it follows from."""

    ladder: Leaderboard
    matches: list[Results]
    agents: list[Agent]

    @property
    def secret(self) -> str:
        """The second source of the deals (`play.secret_for`)."""
        return self.matches[0].secret


def ladder(
    game: Game,
    specs: Sequence[str] = (),
    *,
    seats: int | None = None,
    deals: int = 1000,
    search_deals: int | None = None,
    seed: int = 0,
    secret: str | None = None,
    machines: Machines = THIS_PROCESS,
    progress: Progress = silent,
    tell: Callable[[str], None] = silent,
    **setup: Any,
) -> Climbed:
    """Play a tournament between the scripted agents and those of `specs`, and rate them.

    Args:
        game: the game.
        specs: agents by name as in `agents.load`, rated from the scripted agents of the published ladder; without any,
            all agents of the game, rated from `random`.
        seats: number of players; None takes that of the game.
        deals: of a match, each in all cyclic seatings.
        search_deals: of a match with a searching agent, which then meets only the stronger agents (`parts`). Without
            `specs` it also adds a search over each agent but the weaker scripted ones.
        seed: of the deals.
        secret: second source of the deals; None draws one with an external agent (`play.secret_for`).
        machines: where to play. With worker processes or a cluster, and with a language model, rows are kept in a
            folder below `runs`.
        progress: called with (rows or deals done, wanted, activity).
        tell: called with a line that names the folder of the rows.
        setup: the game's other setup fields.

    Raises ValueError for an unknown agent or setup, ArgumentError for numbers that do not fit together.
    """
    check_count("deals", deals)
    check_count("search_deals", search_deals)
    check_several("specs", specs)
    specs, fixed = _competing(game, specs, search_deals is not None), bool(specs)
    setup["seats"] = game.default_seats if seats is None else seats
    matches: list[Results] = []
    with opened("ladder", game, specs, seed=seed, secret=secret, machines=machines, tell=tell) as meetings:
        for part in parts(game, specs, setup["seats"], deals, search_deals):
            with meetings.at(setup, part.wanted, part.deals, progress, part.taking) as meet:
                matches += meet(range(part.deals))
    met = list(meetings.met)
    builds = {one.name: one.manifest["sha256"] for one in met if isinstance(one, Bot)}
    builds |= {one.name: identity(one).rpartition("#")[2] for one in met if isinstance(one, Improve | Ismcts)}
    given: dict[str, Any] = {"deals": deals, "search_deals": search_deals, "seed": seed, "builds": builds}
    anchors = _anchors(game, setup) if fixed else None
    return Climbed(rank(game, matches, anchors=anchors, **given, **setup), matches, met)


def _competing(game: Game, specs: Sequence[str], searches: bool) -> list[str]:
    """Return the agents of a ladder."""
    base = scripted_names(game)
    if specs:
        return base + [spec for spec in specs if spec not in base]
    known = names(game)
    return known + [f"search({name})" for name in known if searches and name not in base[:-1]]


def _anchors(game: Game, setup: dict[str, Any]) -> dict[str, float] | None:
    """Return the ratings of the scripted agents on the published ladder, None if its setup differs."""
    published = fitting(game, setup)
    if published is None or not nature(game).rated:
        return None
    fixed = {called for name in scripted_names(game) for called in nature(game).called(name)}
    return {name: rating for name, rating in published.ladder.frozen.items() if name in fixed} or None


def fitting(game: Game, setup: dict[str, Any]) -> Leaderboard | None:
    """Return the published ladder if it has this `setup` and the current rules, otherwise None."""
    try:
        found = frozen(game)
    except LadderError:
        return None
    fits = found is not None and game.setup(game.new_tables(1, found.setup)) == game.setup(game.new_tables(1, setup))
    return found if fits else None


def sample(game: Game, found: Leaderboard, met: Sequence[Agent], secret: str = "") -> list[Replay]:
    """Play a deal between each two neighbours on the ladder `found`, the best first, `MOST_REPLAYS` in all.

    In a cooperative game it is one for each of the best teams. A deal that an external agent or a language model
    forfeits is left out.
    """
    by_name = {agent.name: agent for agent in met}
    order = sorted(by_name, key=lambda name: min(map(found.agents.index, found.called(game, name))))
    seats = int(found.setup["seats"])
    neighbours = pairwise(order) if nature(game).rated else zip(order, order, strict=True)
    tables = [[upper, *[lower] * (seats - 1)] for upper, lower in neighbours]
    setup = {name: value for name, value in found.setup.items() if name != "seats"}
    replays = []
    for number, table in enumerate(tables[:MOST_REPLAYS]):
        seated = [by_name[name] for name in table]
        with suppress(Fault, EndpointFailed):
            replays.append(record(game, seated, seed_of(DEAL, found.seed, number, secret=secret), **setup))
        for agent in seated:
            if isinstance(agent, ExternalAgent):
                agent.stop()
    return replays


class Part(NamedTuple):
    """Matches with the same number of deals."""

    taking: tuple[int, ...]  # indices of the agents
    wanted: Sequence[tuple[int, ...]]  # matches among these, in the format of `pairings.matchups`
    deals: int


def parts(game: Game, specs: Sequence[str], seats: int, deals: int, search_deals: int | None) -> list[Part]:
    """Return the matches on `deals` deals and those of searching agents on `search_deals`.

    Agents without search all meet each other. A searching agent sits alone among copies of each other agent, except
    scripted agents below the best one; two searching agents never meet. In cooperative games each team plays alone.
    Without `search_deals` all agents meet on `deals` deals.

    Raises ArgumentError for `search_deals` without a searching agent, or above `deals`.
    """
    indices = tuple(range(len(specs)))
    if search_deals is None:
        return [Part(indices, matchups(game, len(specs), seats), deals)]
    thinkers = [index for index in indices if is_search(specs[index])]
    if not thinkers:
        why = "{search_deals} needs a searching agent; add one, for example search(strong)"
        raise ArgumentError(why, search_deals=search_deals)
    if search_deals > deals:
        why = "{search_deals} is above {deals}; give at most {}"
        raise ArgumentError(why, deals, search_deals=search_deals, deals=deals)
    others = tuple(index for index in indices if index not in thinkers)
    among = matchups(game, len(others), seats)
    found = [Part(others, among, deals)] if among else []
    if not nature(game).rated or seats == 1:
        return [*found, Part(tuple(thinkers), [(index,) for index in range(len(thinkers))], search_deals)]
    weak = scripted_names(game)[:-1]
    met = [index for index in others if specs[index] not in weak]
    wanted = [(one, len(thinkers) + other) for one in range(len(thinkers)) for other in range(len(met))]
    return [*found, Part((*thinkers, *met), wanted, search_deals)]
