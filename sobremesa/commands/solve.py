"""Solve a small two-player game with CFR+: its value and an equilibrium policy."""

import argparse
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.exact import solved
from sobremesa.agents.exact.solve import respond as respond_to, solve, uniform
from sobremesa.agents.exact.tree import enumerate_tree, sizes
from sobremesa.agents.named import SOLVED
from sobremesa.arguments import add_nodes, add_setup, check_folders, count, setup_fields, write_json
from sobremesa.progress import progress

EXAMPLE = "sobremesa solve leduc_poker --iterations 2000 --out leduc.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of a two-player zero-sum game")
    parser.add_argument("--iterations", type=count, default=1000, help="iterations of CFR+ (default: 1000)")
    add_nodes(parser)
    parser.add_argument("--out", type=Path, help="file for the policy (.npz), the agent solved:FILE (default: none)")
    parser.add_argument("--json", type=Path, help="file for the figures (default: none)")
    add_setup(parser)


def run(arguments: argparse.Namespace) -> int:
    """Enumerate the game tree, run CFR+ and print the result."""
    check_folders(arguments, "out", "json")
    game = envs.load(arguments.game)
    tree = enumerate_tree(game, setup_fields(game, arguments.setup), arguments.nodes)
    print(sizes(tree), flush=True)
    with progress("solve") as update:
        solution = solve(tree, arguments.iterations, update)
    best, anyhow = solution.response, respond_to(tree, uniform(tree))
    print(
        f"value of the game for seat 0: {best.value:+.8f} by this policy, "
        f"between {-best.best[1]:+.8f} and {best.best[0]:+.8f}"
    )
    print(
        f"exploitability: {best.exploitability:.2e} after {solution.iterations:,} iterations of CFR+, "
        f"{anyhow.exploitability:.6f} for random play"
    )
    if arguments.out:
        solved.write(arguments.out, tree, solution)
        print(f"{arguments.out}: play it as {SOLVED}{arguments.out}")
    figures = {"game": game.id, "setup": tree.setup, "iterations": solution.iterations, **best._asdict()}
    write_json(arguments, figures | {"exploitability": best.exploitability})
    return 0
