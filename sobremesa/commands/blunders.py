"""Measure how much an agent loses at its decisions, and list its worst ones."""

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import agents, arguments as flags, envs
from sobremesa.agents.arena.blunders import Blunder, Blunders
from sobremesa.agents.arena.score import for_json
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.wording import entry_of
from sobremesa.progress import progress
from sobremesa.report.ladder_words import interval
from sobremesa.report.tables import aligned

EXAMPLE = "sobremesa blunders ese_toro_enamorado champion --decisions 200"
SHOWN = 12  # rows of a table
COLUMNS = ("question", "deal", "ply", "seat", "played", "chance", "better", "loss")
_DETAIL = re.compile(r"\s*\([^)]*\)|\s*\S*\d\S*|:.*")  # remarks, numbers and places


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    decisions, least = (flags.default(agents.find_blunders, name) for name in ("decisions", "least"))
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("agent", metavar="AGENT", help=f"agent at all seats: {flags.AGENT_HELP}")
    parser.add_argument(
        "--judge", metavar="AGENT",
        help="agent that plays the rollouts (default: AGENT if it is fast enough, else the best scripted one)",
    )  # fmt: skip
    parser.add_argument(
        "--decisions", type=flags.count, default=decisions, help=f"number of decisions (default: {decisions})"
    )
    parser.add_argument(
        "--least", type=flags.number, default=least,
        help=f"loss that a listed decision surely exceeds, 1 for a whole win (default: {least})",
    )  # fmt: skip
    parser.add_argument("--seats", type=flags.integer, help="number of players (default: that of the game)")
    parser.add_argument("--seed", type=flags.whole, default=0, help="seed of the first deal (default: 0)")
    parser.add_argument("--json", type=Path, help="file for the figures, with all listed decisions (default: none)")
    flags.add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the mean loss and the worst decisions, and write the file that the arguments name."""
    game = envs.load(arguments.game)
    flags.check_folders(arguments, "json")
    setup = flags.read_setup(game, arguments.setup, "--seats")
    setup |= {} if arguments.seats is None else {"seats": arguments.seats}
    given = flags.given(arguments, agents.find_blunders)
    with progress("blunders") as update:
        found = agents.find_blunders(game, arguments.agent, arguments.decisions, **given, progress=update, **setup)
    print("\n".join(lines_of(game, found, arguments.least)))
    shares = {str(least): found.share(least) for least in (arguments.least / 2, arguments.least)}
    figures = {
        "game": game.id, "agent": found.agent, "judge": found.judge, "seats": found.seats, "deals": found.deals,
        "decisions": len(found.losses), "seed": arguments.seed, "least": arguments.least, "loss": found.loss._asdict(),
        "shares": shares, "losses": found.losses.tolist(), "blunders": [_row(game, one) for one in found.found],
    }  # fmt: skip
    flags.write_json(arguments, for_json(figures))
    return 0


def lines_of(game: Game, found: Blunders, least: float) -> list[str]:
    """Return the printed lines: the losses, the kinds of the listed decisions, and the worst ones."""
    number, loss = len(found.losses), found.loss
    lines = [
        f"{found.agent}, judged by {found.judge}, {game.id}, {found.seats} seats: {number:,} decisions of "
        f"{found.deals:,} deals",
        f"mean loss {loss.mean:.4f} ({interval(loss.low, loss.high, '.4f', 'en')}); more than {least / 2:g} at "
        f"{found.share(least / 2):.1%} of decisions, more than {least:g} at {found.share(least):.1%}; surely more than "
        f"{least:g}: {len(found.found)}",
    ]
    if not found.found:
        return lines
    rows = [_row(game, one) for one in found.found]
    kinds: dict[str, list[float]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], []).append(row["loss"])
    ordered = sorted(kinds.items(), key=lambda one: -len(one[1]))[:SHOWN]
    table = [["kind", "decisions", "mean loss"], *([name, str(len(of)), f"{np.mean(of):.2f}"] for name, of in ordered)]
    worst = [[_cell(row[name]) for name in COLUMNS] for row in rows[:SHOWN]]
    return [*lines, "", *aligned(table), "", *aligned([COLUMNS, *worst])]


def _cell(value: int | float | str) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _row(game: Game, one: Blunder) -> dict[str, Any]:
    """Return a blunder for a table and for `--json`."""
    of, words = one.costly, game.words
    question = words.asks(one.states, of.seat, "en")
    played, better = (_kind(*entry_of(words, action, "en", one.states)) for action in (of.played, of.better))
    kind = ": ".join(filter(None, (_kind(question), f"{played} instead of {better}")))
    return {
        "question": question, "kind": kind, "deal": one.deal, "ply": of.ply, "seat": of.seat,
        "played": words.action_name(of.played, "en"), "chance": one.chance,
        "better": words.action_name(of.better, "en"), "worth": of.worth, "loss": of.gain, "low": of.low,
        "high": of.high,
    }  # fmt: skip


def _kind(text: str, tail: str = "") -> str:
    """Return an action, by its heading or its name `tail`, or a question, without what differs from case to case."""
    return _DETAIL.sub("", text or tail).strip(" ,") or text
