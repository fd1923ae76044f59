"""Measure length, branching, decision entropy and lead changes of deals between agents."""

import argparse
import sys
import warnings
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.agents.arena import analysis
from sobremesa.agents.arena.score import for_json
from sobremesa.arguments import AGENT_HELP, add_deals, add_setup, check_folders, count, integer, read_setup, write_json
from sobremesa.envs.core.files import write_whole
from sobremesa.progress import progress
from sobremesa.report.analysis_page import head, lines_of, report

EXAMPLE = "sobremesa analyse ese_toro_enamorado strong simple -o deals.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*",
        help=f"one agent for each seat, or one for all: {AGENT_HELP} (default: the best scripted agent)",
    )  # fmt: skip
    parser.add_argument(
        "--seats", type=integer, nargs="+", help="numbers of players (default: one per AGENT, or that of the game)"
    )
    parser.add_argument("--json", type=Path, help="file for the figures (default: none)")
    parser.add_argument("-o", "--out", type=Path, help="HTML file for a page with charts (default: none)")
    add_setup(parser)
    add_deals(parser, 2000, "at each number of seats")
    parser.add_argument(
        "--followed", type=count, default=analysis.FOLLOWED,
        help=f"number of these deals to measure entropy and lead on (default: {analysis.FOLLOWED})",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Print the figures and write the files that the arguments name."""
    game = envs.load(arguments.game)
    check_folders(arguments, "out", "json")
    if arguments.out and arguments.out.suffix.lower() != ".html":
        raise ValueError(f"--out {arguments.out}: the file name must end in .html")
    seated = [agents.load(spec, game) for spec in arguments.agents or agents.scripted_names(game)[-1:]]
    setup = read_setup(game, arguments.setup, "--seats")
    usual = game.default_seats if len(seated) == 1 else len(seated)
    found = []
    for seats in arguments.seats or [usual]:
        with progress(f"{seats} seats") as update, warnings.catch_warnings():
            warnings.showwarning = lambda told, *_: print(f"sobremesa: {told}", file=sys.stderr)
            table = {**setup, "seats": seats}
            found.append(
                analysis.analyse(
                    game, seated, arguments.deals, seed=arguments.seed, followed=arguments.followed, progress=update,
                    **table,
                )
            )  # fmt: skip
    print(f"{game.id}: {head(found[0])}, --seed {arguments.seed}\n")
    print("\n".join(lines_of(game, found)))
    tables = for_json([{**one._asdict(), "statistics": one.statistics._asdict()} for one in found])
    write_json(arguments, {"game": game.id, "seed": arguments.seed, "setup": setup, "tables": tables})
    if arguments.out:
        write_whole(arguments.out, report(game, found, arguments.seed))
        print(f"report: {arguments.out}")
    return 0
