"""Rank agents in a tournament, or show the published ladder of a game."""

import argparse
import shlex
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.arena.cluster import Cluster, joined
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.leaderboard import Leaderboard, rank
from sobremesa.agents.arena.leaderboard_file import LadderError, check_name, frozen, frozen_file
from sobremesa.agents.arena.pairings import meet_all
from sobremesa.agents.arena.parcels import check_travels
from sobremesa.agents.arena.play import secret_for
from sobremesa.agents.arena.ratings import Rating, fit
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import nature
from sobremesa.agents.exported import Bot
from sobremesa.agents.external.agent import ExternalAgent, Fault
from sobremesa.agents.language.endpoint import EndpointFailed
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.arguments import (
    AGENT_HELP,
    add_engine,
    add_secret,
    add_setup,
    check_engine,
    check_folders,
    count,
    integer,
    read_setup,
    seed_flags,
    whole,
)
from sobremesa.commit import commit
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.envs.core.seeds import DEAL, seed_of
from sobremesa.matches import Meetings, parts
from sobremesa.progress import progress
from sobremesa.report import forfeits, ladder_page
from sobremesa.report import models as language_models
from sobremesa.report.ladder_words import interval, labels, method, notes, seat_labels, table_line, words_of
from sobremesa.report.tables import aligned, short

EXAMPLE = "sobremesa ladder ese_toro_enamorado bots/mine -o ladder.html"

DEALS = 1000
MOST_REPLAYS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*",
        help=f"{AGENT_HELP}; added to the scripted agents (default: the published ladder)",
    )  # fmt: skip
    parser.add_argument("--seats", type=integer, help="number of players (default: that of the game)")
    parser.add_argument("-o", "--out", type=Path, help="HTML file for a report (default: none)")
    parser.add_argument("--json", type=Path, help="file for the ladder (default: none)")
    parser.add_argument("--freeze", action="store_true", help="publish this ladder with the game (default: off)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the output (default: en)")
    add_setup(parser)
    parser.add_argument("--deals", type=count, help=f"deals of a match, each in all seatings (default: {DEALS})")
    parser.add_argument(
        "--search-deals", type=count, metavar="N",
        help="deals of a match with a searching agent, which then meets only the stronger agents; without AGENT also "
        "add search(NAME) of the game's agents (default: as --deals)",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole, help="seed of the deals (default: 0)")
    add_secret(parser)
    add_engine(parser, "none, several threads")


def run(arguments: argparse.Namespace) -> int:
    """Print a ladder and write the files that the arguments name."""
    game = envs.load(arguments.game)
    check_folders(arguments, "out", "json")
    if arguments.out and arguments.out.suffix.lower() != ".html":
        raise ValueError(f"--out {arguments.out}: the file name must end in .html")
    if arguments.freeze and arguments.agents:
        raise ValueError("--freeze takes no AGENT; a published ladder contains the agents of the library only")
    if arguments.freeze and frozen_file(game) is None:
        raise ValueError(f"--freeze needs the package of a game, and {game.name} names none; use --json FILE")
    check_engine(arguments, "piece")
    check_travels(arguments.agents if arguments.cluster else ())
    met: list[Agent] = []
    matches: list[Results] = []
    ladder = _kept(game, arguments)
    if ladder is None:
        specs = _specs(game, arguments.agents, arguments.search_deals is not None)
        met = load_named(game, specs)
        with joined(arguments.cluster) as cluster:
            ladder, matches = _play(game, specs, met, arguments, cluster)
    lost = forfeits.found(matches)
    limit = max((agent.time_limit for agent in met if isinstance(agent, ExternalAgent)), default=None)
    models = language_models.found(
        game, matches, language_models.models_of(met), partial(_fitted, game, ladder) if nature(game).rated else None
    )
    told = [*language_models.lines_of(game, models), *forfeits.lines_of(lost)]
    print("\n".join([*lines_of(game, ladder, arguments.language, limit), *told]))
    also = {} if limit is None else {"time_limit": limit, "forfeits": lost}
    secret = matches[0].secret if matches else ""
    also |= {"models": models, "forfeits": lost} if models else {}
    also |= {"secret": secret} if secret else {}
    for path in [arguments.json, *([frozen_file(game)] if arguments.freeze else [])]:
        if path is not None:
            leaderboard_file.write(path, ladder, also)
            print(f"ladder: {path}")
    if arguments.out:
        shown = _sample(game, met or load_named(game, _names(game, ladder)), ladder, secret)
        write_whole(arguments.out, ladder_page.report(game, ladder, shown, arguments.language, limit, lost))
        print(f"report: {arguments.out}")
    return 0


def _fitted(game: Game, ladder: Leaderboard, matches: Sequence[Results]) -> Sequence[Rating]:
    """Return the ratings of `matches` with the anchors of `ladder`."""
    return fit([nature(game).apart(match) for match in matches], ladder.anchors, seed=ladder.seed).ratings


def _kept(game: Game, arguments: argparse.Namespace) -> Leaderboard | None:
    """Return the published ladder if the arguments ask for it, otherwise None."""
    of_deals = ("seats", "deals", "search_deals", "seed", "secret", "setup")
    asked = ("agents", *of_deals, "freeze", "processes", "cluster", "piece")
    if any(getattr(arguments, name) not in (None, [], False) for name in asked):
        return None
    if arguments.out is None and arguments.json is None:
        return frozen(game)
    ladder = fitting(game, {})
    return ladder if ladder and set(_names(game, ladder)) == set(agents.names(game)) else None


def _names(game: Game, ladder: Leaderboard) -> list[str]:
    """Return the agents of `game` that are on `ladder`, in a role or not."""
    return [name for name in agents.names(game) if any(one in ladder.agents for one in nature(game).called(name))]


def _specs(game: Game, specs: Sequence[str], searches: bool) -> list[str]:
    """Return the scripted agents and those of `specs`; without `specs` all agents of the game.

    With `searches` and without `specs`, also add search over each agent except the weaker scripted ones.
    """
    base = agents.scripted_names(game)
    if specs:
        return base + [spec for spec in specs if spec not in base]
    known = agents.names(game)
    return known + [f"search({name})" for name in known if searches and name not in base[:-1]]


def load_named(game: Game, specs: Sequence[str]) -> list[Agent]:
    """Load the agents of `specs` under different names: a bot is named by its path if its name is taken.

    Raises ValueError for an agent that is given twice or has a name that no ladder can hold.
    """
    for spec in specs:
        if specs.count(spec) > 1:
            raise ValueError(f"{spec} is given twice; give each agent once")
    met = [agents.load(spec, game) for spec in specs]
    names, known = [agent.name for agent in met], agents.names(game)
    for spec, agent in zip(specs, met, strict=True):
        if spec not in known and (agent.name in known or names.count(agent.name) > 1):
            agent.name = str(spec)
        check_name(agent.name, str(spec))
    return met


def _play(
    game: Game, specs: Sequence[str], met: Sequence[Agent], arguments: argparse.Namespace, cluster: Cluster | None
) -> tuple[Leaderboard, list[Results]]:
    setup = read_setup(game, arguments.setup, "--seats")
    setup["seats"] = game.default_seats if arguments.seats is None else arguments.seats
    deals = DEALS if arguments.deals is None else arguments.deals
    seed = arguments.seed or 0
    secret = secret_for(met, arguments.secret)
    dealt: dict[str, Any] = {"seed": seed, "secret": secret}
    matches: list[Results] = []
    for part in parts(game, specs, setup["seats"], deals, arguments.search_deals):
        taking = [met[index] for index in part.taking]
        meetings = Meetings("ladder", game, [specs[index] for index in part.taking], taking, dealt, arguments, cluster)
        with progress("ladder") as update:
            here = partial(meet_all, game, taking, wanted=part.wanted, **dealt, progress=update, **setup)
            with meetings.at(setup, part.wanted, part.deals, here, update) as meet:
                matches += meet(range(part.deals))
    words = ["sobremesa", "ladder", game.name, *arguments.agents, "--seats", setup["seats"]]
    words += ["--deals", deals, *(["--search-deals", arguments.search_deals] if arguments.search_deals else [])]
    words += seed_flags(seed, secret).split()
    words += ["--setup", *arguments.setup] if arguments.setup else []
    made: dict[str, Any] = {"command": shlex.join(map(str, words)), "commit": commit()}
    made["search_deals"] = arguments.search_deals
    made["builds"] = {agent.name: agent.manifest["sha256"] for agent in met if isinstance(agent, Bot)}
    made["builds"] |= {one.name: identity(one).rpartition("#")[2] for one in met if isinstance(one, Improve | Ismcts)}
    anchors = _anchors(game, setup) if arguments.agents else None
    return rank(game, matches, deals=deals, seed=seed, anchors=anchors, **made, **setup), matches


def _anchors(game: Game, setup: dict[str, Any]) -> dict[str, float] | None:
    """Return the ratings of the scripted agents on the published ladder, None if its setup differs."""
    ladder = fitting(game, setup)
    if ladder is None or not nature(game).rated:
        return None
    fixed = {called for name in agents.scripted_names(game) for called in nature(game).called(name)}
    return {name: rating for name, rating in ladder.ladder.frozen.items() if name in fixed} or None


def fitting(game: Game, setup: dict[str, Any]) -> Leaderboard | None:
    """Return the published ladder if it has this `setup` and the current rules, otherwise None."""
    try:
        ladder = frozen(game)
    except LadderError:
        return None
    fits = ladder is not None and game.setup(game.new_tables(1, ladder.setup)) == game.setup(game.new_tables(1, setup))
    return ladder if fits else None


def _sample(game: Game, met: Sequence[Agent], ladder: Leaderboard, secret: str) -> list[replays.Replay]:
    """Play a deal between each two neighbours, the best first; in a cooperative game one for each of the best teams.

    A deal that an external agent or a language model forfeits is left out.
    """
    by_name = {agent.name: agent for agent in met}
    order = sorted(by_name, key=lambda name: _best_place(game, ladder, name))
    seats = int(ladder.setup["seats"])
    neighbours = pairwise(order) if nature(game).rated else zip(order, order, strict=True)
    tables = [[upper, *[lower] * (seats - 1)] for upper, lower in neighbours]
    setup = {name: value for name, value in ladder.setup.items() if name != "seats"}
    found = []
    for number, table in enumerate(tables[:MOST_REPLAYS]):
        seated = [by_name[name] for name in table]
        with suppress(Fault, EndpointFailed):
            found.append(replays.record(game, seated, seed_of(DEAL, ladder.seed, number, secret=secret), **setup))
        for agent in seated:
            if isinstance(agent, ExternalAgent):
                agent.stop()
    return found


def _best_place(game: Game, ladder: Leaderboard, name: str) -> int:
    return min(ladder.agents.index(one) for one in nature(game).called(name) if one in ladder.agents)


def lines_of(game: Game, ladder: Leaderboard, language: str, limit: float | None = None) -> list[str]:
    """Return the printed lines of a ladder: ratings, matrix, balance of the seats, and method.

    `limit` is the time limit for a move of external agents in seconds, None without external agents.
    """
    kind, words = nature(game), words_of(game, language)
    names = {name: short(label) for name, label in labels(game, ladder, language).items()}
    form = kind.form
    ratings = [[words["agent"], words["unit"], words["interval"], words["ahead"], words["deals"]]]
    for one in ladder.rungs:
        reach = words["fixed"] if one.agent in ladder.anchors else interval(one.low, one.high, form, language)
        gap = one.ahead
        ahead = gap and f"{gap.mean:+{form}} ({interval(gap.low, gap.high, f'+{form}', language)})"
        ratings.append([names[one.agent], f"{one.value:{form}}", reach, ahead or "", f"{one.deals:,}"])
    heads = [names[name] for name in ladder.agents]
    cells = [["" if value != value else f"{value:{kind.cell}}" for value in row] for row in ladder.matrix]
    matrix = [["", *heads], *([name, *row] for name, row in zip(heads, cells, strict=True))]
    lines = [f"{words['title'].format(title=game.words.title[language])}: {table_line(game, ladder, language)}", ""]
    lines += [*aligned(ratings), "", words["matrix"], *aligned(matrix)]
    lines += [words["weighs"]] if kind.rated else []
    lines += ["", *seen] if (seen := notes(game, ladder, language)) else []
    if ladder.seats:
        seats = [["", *seat_labels(game, ladder, language)]]
        rates = [f"{one.mean:.3f} ({interval(one.low, one.high, '.3f', language)})" for one in ladder.seats]
        seats.append([words["everybody"], *rates])
        seats += [[short(name), *(f"{rate:.3f}" for rate in rates)] for name, rates in ladder.by_seat.items()]
        lines += ["", words["balance"], *aligned(seats)]
    return [*lines, "", *method(game, ladder, language, limit)]
