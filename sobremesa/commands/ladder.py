"""Rank agents, or show the ladder that comes with the library."""

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
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import nature
from sobremesa.agents.exported import Bot
from sobremesa.agents.external.agent import ExternalAgent, Fault
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
from sobremesa.report.ladder_words import interval, labels, method, seat_labels, table_line, words_of
from sobremesa.report.tables import aligned, short

EXAMPLE = "sobremesa ladder ese_toro_enamorado bots/mine -o ladder.html"

DEALS = 1000
MOST_REPLAYS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*",
        help=f"{AGENT_HELP}, to stand beside random and the scripted ones (default: all that come with the game, and "
        "with no other argument but -o, --json and --language the ladder that comes with the library)",
    )  # fmt: skip
    parser.add_argument("--seats", type=integer, help="players at the table (default: the game's own)")
    parser.add_argument("-o", "--out", type=Path, help="write a report (.html) here")
    parser.add_argument("--json", type=Path, help="write the ladder to this file too")
    parser.add_argument("--freeze", action="store_true", help="make this the ladder that comes with the library")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of text and report (default: en)")
    add_setup(parser)
    parser.add_argument("--deals", type=count, help=f"for each match, in all seatings (default: {DEALS})")
    parser.add_argument(
        "--search-deals", type=count, metavar="N",
        help="for each match of an agent that thinks ahead, such as search(strong), which then sits alone among "
        "copies of each other one but the weaker scripted ones; with no AGENT, search(NAME) of those that come with "
        "the game plays too (default: as --deals, against all)",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole, help="of the deals (default: 0)")
    add_secret(parser)
    add_engine(parser, "this one, with several threads")


def run(arguments: argparse.Namespace) -> int:
    """Print a ladder, and write it where the arguments say; return the exit code."""
    game = envs.load(arguments.game)
    check_folders(arguments, "out", "json")
    if arguments.out and arguments.out.suffix != ".html":
        raise ValueError(f"--out {arguments.out}: the ending is .html")
    if arguments.freeze and arguments.agents:
        raise ValueError("--freeze takes no AGENT: the ladder of the library holds the agents of the library")
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
    print("\n".join([*lines_of(game, ladder, arguments.language, limit), *forfeits.lines_of(lost)]))
    also = {} if limit is None else {"time_limit": limit, "forfeits": lost}
    secret = matches[0].secret if matches else ""
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


def _kept(game: Game, arguments: argparse.Namespace) -> Leaderboard | None:
    """Return the ladder of the library if no other one is asked for, None if there is none to be shown or written."""
    of_deals = ("seats", "deals", "search_deals", "seed", "secret", "setup")
    asked = ("agents", *of_deals, "freeze", "processes", "cluster", "piece")
    if any(getattr(arguments, name) not in (None, [], False) for name in asked):
        return None
    if arguments.out is None and arguments.json is None:
        return frozen(game)
    ladder = fitting(game, {})
    return ladder if ladder and set(_names(game, ladder)) == set(agents.names(game)) else None


def _names(game: Game, ladder: Leaderboard) -> list[str]:
    """Return the agents of `ladder`, in their roles or not, that come with `game`."""
    return [name for name in agents.names(game) if any(one in ladder.agents for one in nature(game).called(name))]


def _specs(game: Game, specs: Sequence[str], searches: bool) -> list[str]:
    """Return `random`, the scripted agents and those of `specs`; without `specs` all that come with the game.

    Where `searches` are wanted these think ahead, too, but for the weaker scripted ones.
    """
    base = agents.scripted_names(game)
    if specs:
        return base + [spec for spec in specs if spec not in base]
    known = agents.names(game)
    return known + [f"search({name})" for name in known if searches and name not in base[:-1]]


def load_named(game: Game, specs: Sequence[str]) -> list[Agent]:
    """Return the agents of `specs`, all by different names: folders go by their paths if their names are not enough.

    Raises ValueError for an agent that is named twice, or by a name that no ladder can hold.
    """
    for spec in specs:
        if specs.count(spec) > 1:
            raise ValueError(f"{spec} is named twice")
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
    """Return the ratings of the scripted agents on the ladder of the library; None if it is of another setup."""
    ladder = fitting(game, setup)
    if ladder is None or not nature(game).rated:
        return None
    fixed = {called for name in agents.scripted_names(game) for called in nature(game).called(name)}
    return {name: rating for name, rating in ladder.ladder.frozen.items() if name in fixed} or None


def fitting(game: Game, setup: dict[str, Any]) -> Leaderboard | None:
    """Return the ladder of the library if it was made at `setup` under today's rules, None otherwise."""
    try:
        ladder = frozen(game)
    except LadderError:
        return None
    fits = ladder is not None and ladder.setup == game.setup(game.new_tables(1, setup))
    return ladder if fits else None


def _sample(game: Game, met: Sequence[Agent], ladder: Leaderboard, secret: str) -> list[replays.Replay]:
    """Play a deal for each two neighbours, the best first; in a cooperative game one for each of the best teams.

    What a foreign agent does wrong ends its deal: that one is left out.
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
        with suppress(Fault):
            found.append(replays.record(game, seated, seed_of(DEAL, ladder.seed, number, secret=secret), **setup))
        for agent in seated:
            if isinstance(agent, ExternalAgent):
                agent.stop()
    return found


def _best_place(game: Game, ladder: Leaderboard, name: str) -> int:
    return min(ladder.agents.index(one) for one in nature(game).called(name) if one in ladder.agents)


def lines_of(game: Game, ladder: Leaderboard, language: str, limit: float | None = None) -> list[str]:
    """Return the lines that tell a ladder: ratings, matrix, balance of the seats, and how it was made.

    `limit` is how many seconds foreign agents had for a move; None if there were none.
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
    if ladder.seats:
        seats = [["", *seat_labels(game, ladder, language)]]
        rates = [f"{one.mean:.3f} ({interval(one.low, one.high, '.3f', language)})" for one in ladder.seats]
        seats.append([words["everybody"], *rates])
        seats += [[short(name), *(f"{rate:.3f}" for rate in rates)] for name, rates in ladder.by_seat.items()]
        lines += ["", words["balance"], *aligned(seats)]
    return [*lines, "", *method(game, ladder, language, limit)]
