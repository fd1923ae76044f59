"""Write the decisions of replays as arrays."""

import argparse
from pathlib import Path

from sobremesa.agents.arena import dataset as datasets
from sobremesa.agents.arena import replay as replays

EXAMPLE = "sobremesa dataset deals/1.json deals/2.json -o deals.npz"
ENDING = ".npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("files", metavar="REPLAY", nargs="+", type=Path, help="files of replays, all of one game")
    parser.add_argument("-o", "--out", type=Path, required=True, help=f"file to write ({ENDING})")


def run(arguments: argparse.Namespace) -> int:
    """Play replays again and write their decisions as arrays."""
    out: Path = arguments.out
    if out.suffix != ENDING:
        raise ValueError(f"{out}: the ending is {ENDING}")
    read = [replays.read(path) for path in arguments.files]
    game = replays.game_of(read[0])
    out.parent.mkdir(parents=True, exist_ok=True)
    arrays = datasets.write(out, read, game)
    sizes = ", ".join(f"{name} {'x'.join(map(str, array.shape))}" for name, array in arrays.items())
    print(f"{out}: {len(arrays['action']):,} decisions of {len(read):,} deals of {game.id}")
    print(sizes)
    return 0
