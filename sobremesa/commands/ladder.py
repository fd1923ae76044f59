"""Rank agents in a tournament, or show the published ladder of a game."""

import argparse
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sobremesa import agents, arguments as flags, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena.ladder import Climbed, fitting, sample
from sobremesa.agents.arena.leaderboard import Leaderboard, rate_apart
from sobremesa.agents.arena.meetings import load_named
from sobremesa.agents.arena.score import nature
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.commit import commit
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.progress import progress
from sobremesa.report import forfeits, ladder_page, models as language_models
from sobremesa.report.ladder_words import interval, labels, method, notes, seat_labels, table_line, words_of
from sobremesa.report.tables import aligned, short

EXAMPLE = "sobremesa ladder ese_toro_enamorado bots/mine -o ladder.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    deals = flags.default(agents.ladder, "deals")
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*",
        help=f"{flags.AGENT_HELP}; added to the scripted agents (default: the published ladder)",
    )  # fmt: skip
    parser.add_argument("--seats", type=flags.integer, help="number of players (default: that of the game)")
    parser.add_argument("-o", "--out", type=Path, help="HTML file for a report (default: none)")
    parser.add_argument("--json", type=Path, help="file for the ladder (default: none)")
    parser.add_argument("--freeze", action="store_true", help="publish this ladder with the game (default: off)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the output (default: en)")
    flags.add_setup(parser)
    parser.add_argument("--deals", type=flags.count, help=f"deals of a match, each in all seatings (default: {deals})")
    parser.add_argument(
        "--search-deals", type=flags.count, metavar="N",
        help="deals of a match with a searching agent, which then meets only the stronger agents; without AGENT also "
        "add search(NAME) of the game's agents (default: as --deals)",
    )  # fmt: skip
    parser.add_argument("--seed", type=flags.whole, help="seed of the deals (default: 0)")
    flags.add_secret(parser)
    flags.add_engine(parser, "none, several threads")


def run(arguments: argparse.Namespace) -> int:
    """Print a ladder and write the files that the arguments name."""
    game = envs.load(arguments.game)
    flags.check_folders(arguments, "out", "json")
    if arguments.out and arguments.out.suffix.lower() != ".html":
        raise ValueError(f"--out {arguments.out}: the file name must end in .html")
    if arguments.freeze and arguments.agents:
        raise ValueError("--freeze takes no AGENT; a published ladder contains the agents of the game only")
    if arguments.freeze:
        frozen = leaderboard_file.frozen_file(game)
        if frozen is None:
            raise ValueError(f"--freeze needs the package of a game, and {game.name} names none; use --json FILE")
        frozen.parent.mkdir(exist_ok=True)
    ladder, matches, met = _published(game, arguments) or _played(game, arguments)
    lost = forfeits.found(matches)
    limit = max((agent.time_limit for agent in met if isinstance(agent, ExternalAgent)), default=None)
    rate = partial(rate_apart, game, anchors=ladder.anchors, seed=ladder.seed) if nature(game).rated else None
    models = language_models.found(game, matches, language_models.models_of(met), rate)
    told = [*language_models.lines_of(game, models), *forfeits.lines_of(lost)]
    print("\n".join([*lines_of(game, ladder, arguments.language, limit), *told]))
    also: dict[str, Any] = {} if limit is None else {"time_limit": limit, "forfeits": lost}
    also |= {"models": models, "forfeits": lost} if models else {}
    secret = matches[0].secret if matches else ""
    also |= {"secret": secret} if secret else {}
    for path in [arguments.json, *([leaderboard_file.frozen_file(game)] if arguments.freeze else [])]:
        if path is not None:
            leaderboard_file.write(path, ladder, also)
            print(f"ladder: {path}")
    if arguments.out:
        names = [name for name in agents.names(game) if ladder.called(game, name)]
        shown = sample(game, ladder, met or load_named(game, names), secret)
        write_whole(arguments.out, ladder_page.report(game, ladder, shown, arguments.language, limit, lost))
        print(f"report: {arguments.out}")
    return 0


def _published(game: Game, arguments: argparse.Namespace) -> Climbed | None:
    """Return the published ladder if the arguments ask for it and it has what they need, otherwise None."""
    given = {**flags.given(arguments, agents.ladder), **flags.given(arguments, agents.Machines)}
    if any(given.values()) or arguments.agents or arguments.setup or arguments.freeze:
        return None
    if arguments.out is None and arguments.json is None:
        found = leaderboard_file.frozen(game)
    else:
        found = fitting(game, {})
        known = {name for name in agents.names(game) if found and found.called(game, name)}
        found = found if known == set(agents.names(game)) else None
    return None if found is None else Climbed(found, [], [])


def _played(game: Game, arguments: argparse.Namespace) -> Climbed:
    """Play the tournament; its ladder names the command that plays it again."""
    setup = flags.read_setup(game, arguments.setup, "--seats")
    with progress("ladder") as update:
        given = flags.given(arguments, agents.ladder) | {"machines": flags.machines(arguments)}
        found = agents.ladder(game, arguments.agents, **given, progress=update, tell=print, **setup)
    one = found.ladder
    words = ["sobremesa", "ladder", game.name, *arguments.agents, "--seats", one.setup["seats"], "--deals", one.deals]
    words += ["--search-deals", one.search_deals] if one.search_deals else []
    words += flags.seed_flags(one.seed, found.secret).split()
    words += ["--setup", *arguments.setup] if arguments.setup else []
    return found._replace(ladder=replace(one, command=shlex.join(map(str, words)), commit=commit()))


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
