"""Solve a small game: its value, and a policy that hardly anything can be won from."""

import argparse
import json
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.exact import solved
from sobremesa.agents.exact.solve import respond as respond_to
from sobremesa.agents.exact.solve import solve, uniform
from sobremesa.agents.exact.tree import MOST_NODES, GameTree, enumerate_tree, table_name
from sobremesa.arguments import add_setup, check_folders, count, setup_fields
from sobremesa.envs.core.files import write_whole
from sobremesa.progress import progress

EXAMPLE = "sobremesa solve leduc_poker --iterations 2000 --out leduc.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of a game of two seats against each other")
    parser.add_argument("--iterations", type=count, default=1000, help="of CFR+ (default: 1000)")
    add_nodes(parser)
    parser.add_argument("--out", type=Path, help="write the policy here (.npz); the agent solved:FILE plays it")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    add_setup(parser)


def add_nodes(parser: argparse.ArgumentParser) -> None:
    """Add `--nodes`, how large a tree may be."""
    parser.add_argument("--nodes", type=count, default=MOST_NODES, help=f"largest tree (default: {MOST_NODES:,})")


def run(arguments: argparse.Namespace) -> int:
    """Enumerate a game, run CFR+ and print what it came to."""
    check_folders(arguments, "out", "json")
    game = envs.load(arguments.game)
    tree = enumerate_tree(game, setup_fields(game, arguments.setup), arguments.nodes)
    print(sizes(tree), flush=True)
    with progress("solve") as update:
        solution = solve(tree, arguments.iterations, update)
    best, anyhow = solution.response, respond_to(tree, uniform(tree))
    print(
        f"value      {best.value:+.8f} to seat 0, by this policy; between {-best.best[1]:+.8f} and {best.best[0]:+.8f}"
    )
    print(f"exploitable by {best.exploitability:.2e} after {solution.iterations:,} iterations of CFR+; random play by")
    print(f"           {anyhow.exploitability:.6f}: what a best response is paid a deal, on average over the seats")
    if arguments.out:
        solved.write(arguments.out, tree, solution)
        print(f"{arguments.out}: play it as {solved.BEGINS}{arguments.out}")
    if arguments.json:
        figures = {"game": game.id, "setup": tree.setup, "iterations": solution.iterations, **best._asdict()}
        write_whole(arguments.json, json.dumps(figures | {"exploitability": best.exploitability}, indent=1))
    return 0


def sizes(tree: GameTree) -> str:
    """Say how large a tree is."""
    ends = int((tree.arrays.seat < 0).sum())
    return (
        f"{table_name(tree.game, tree.setup)}: {len(tree.arrays.seat) - ends:,} decisions, {ends:,} ends, "
        f"{len(tree.arrays.owner):,} information sets"
    )
