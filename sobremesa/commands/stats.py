"""Measure length, outcomes and win rates of deals in which one agent plays every seat."""

import argparse
from pathlib import Path

from sobremesa import agents, envs
from sobremesa.agents.arena.score import for_json, nature
from sobremesa.agents.arena.statistics import statistics
from sobremesa.arguments import AGENT_HELP, add_deals, add_setup, check_folders, integer, read_setup, write_json
from sobremesa.progress import progress
from sobremesa.report.figures import rows_of
from sobremesa.report.tables import markdown

EXAMPLE = "sobremesa stats ese_toro_enamorado"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help=f"agent at every seat: {AGENT_HELP} (default: the best scripted)"
    )
    parser.add_argument("--seats", type=integer, nargs="+", help="numbers of players (default: all allowed)")
    parser.add_argument("--json", type=Path, help="file for the figures (default: none)")
    add_setup(parser)
    add_deals(parser, 2000, "at each number of seats")


def run(arguments: argparse.Namespace) -> int:
    """Play the deals and print the figures."""
    game = envs.load(arguments.game)
    agent = agents.load(agents.scripted_names(game)[-1] if arguments.agent is None else arguments.agent, game)
    check_folders(arguments, "json")
    setup = read_setup(game, arguments.setup, "--seats")
    found = []
    for seats in arguments.seats or game.seat_range:
        with progress(f"{seats} seats") as update:
            table = {**setup, "seats": seats}
            found.append(statistics(game, agent, arguments.deals, seed=arguments.seed, progress=update, **table))
    print(f"{game.id}: {agent.name} at every seat, {arguments.deals:,} deals each, --seed {arguments.seed}\n")
    print("\n".join(markdown(rows_of(found, nature(game).roles.get("en")))))
    rows = for_json([one._asdict() for one in found])
    write_json(arguments, {"game": game.id, "seed": arguments.seed, "tables": rows})
    return 0
