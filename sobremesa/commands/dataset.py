"""Write the decisions of replays as NumPy arrays or as a Minari dataset."""

import argparse
from pathlib import Path

from sobremesa.agents.arena import dataset as datasets
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.arena.dataset import write_minari

EXAMPLE = "sobremesa dataset deals/1.json deals/2.json -o deals.npz"
ENDING = ".npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("files", metavar="REPLAY", nargs="+", type=Path, help="replay files of one game")
    parser.add_argument(
        "-o", "--out", type=Path, required=True,
        help=f"file to write ({ENDING}); with --format minari the dataset id, for example toro/strong-v0",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=("npz", "minari"), default="npz",
        help="npz: one row per decision; minari: single-player episodes in Minari's folder (default: npz)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Replay the deals and write their decisions."""
    out: Path = arguments.out
    if arguments.format == "npz" and out.suffix != ENDING:
        raise ValueError(f"{out}: the file name must end in {ENDING}")
    read = [replays.read(path) for path in arguments.files]
    game = replays.game_of(read[0])
    if arguments.format == "minari":
        found = write_minari(out.as_posix(), read)
        decisions = sum(len(one.actions) for one in found)
        print(f"{out}: {len(found):,} episodes, {decisions:,} decisions of {len(read):,} deals of {game.id}")
        return 0
    out.parent.mkdir(parents=True, exist_ok=True)
    arrays = datasets.write(out, read, game)
    sizes = ", ".join(f"{name} {'x'.join(map(str, array.shape))}" for name, array in arrays.items())
    print(f"{out}: {len(arrays['action']):,} decisions of {len(read):,} deals of {game.id}")
    print(sizes)
    return 0
