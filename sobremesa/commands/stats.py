"""Tell what deals between equals are like."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.agents.arena.statistics import Spread, Statistics, statistics
from sobremesa.arguments import AGENT_HELP, add_deals, add_setup, check_folders, read_setup
from sobremesa.envs.core.files import write_whole
from sobremesa.progress import progress

EXAMPLE = "sobremesa stats ese_toro_enamorado"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agent",
        metavar="AGENT",
        nargs="?",
        help=f"who plays every seat: one of {AGENT_HELP} (default: the best scripted one)",
    )
    parser.add_argument("--seats", type=int, nargs="+", help="players at the table (default: each number allowed)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    add_setup(parser)
    add_deals(parser, 2000, "at each number of seats")


def run(arguments: argparse.Namespace) -> int:
    """Print how long deals are, how they end and who wins them; return the exit code."""
    game = envs.load(arguments.game)
    agent = agents.load(arguments.agent or agents.scripted_names(game)[-1], game)
    check_folders(arguments, "json")
    setup = read_setup(game, arguments.setup, "--seats")
    found = []
    for seats in arguments.seats or game.seat_range:
        with progress(f"{seats} seats") as update:
            table = {**setup, "seats": seats}
            found.append(statistics(game, agent, arguments.deals, seed=arguments.seed, progress=update, **table))
    print(f"{game.id}: {agent.name} at every seat, {arguments.deals:,} deals each, --seed {arguments.seed}\n")
    print("\n".join(markdown(rows_of(found, game.roles["en"] if game.roles else None))))
    if arguments.json:
        rows = [one._asdict() for one in found]
        write_whole(arguments.json, json.dumps({"game": game.id, "seed": arguments.seed, "tables": rows}, indent=1))
    return 0


def rows_of(found: Sequence[Statistics], roles: Sequence[str] | None = None) -> list[list[str]]:
    """Return the figures as rows, one column for each number of seats; `roles` are names of the seats."""
    rows = [["seats", *(str(one.seats) for one in found)]]
    for name in dict.fromkeys(name for one in found for name in one.spreads):
        rows.append([f"{name} (5 % to 95 %)", *(spread(one.spreads[name]) for one in found)])
    for figure in dict.fromkeys(name for one in found for name in one.counts):
        for value in dict.fromkeys(value for one in found for value in one.counts[figure]):
            rows.append([f"{figure}: {value}", *(f"{one.counts[figure].get(value, 0):.1%}" for one in found)])
    for place, name in enumerate(win_names(max(one.seats for one in found), roles)):
        rows.append([f"wins, {name}", *(_win(one, place) for one in found)])
    return rows


def win_names(seats: int, roles: Sequence[str] | None) -> list[str]:
    """Return what the seats are called where wins are counted: by role, or by order of play."""
    return list(roles) if roles else [f"seat {place + 1} in order of play" for place in range(seats)]


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table of `rows`, the first of which is its head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def spread(one: Spread) -> str:
    """Return a spread in words."""
    return f"{one.mean:.1f} ({one.low:.0f} to {one.high:.0f})"


def _win(one: Statistics, place: int) -> str:
    if place >= one.seats:
        return ""
    share = one.wins[place]
    return f"{share.mean:.3f} ({share.low:.3f} to {share.high:.3f})"
