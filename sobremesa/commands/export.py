"""Export a run's policy as a bot."""

import argparse
from pathlib import Path

from sobremesa.agents.exported import CHOICES

EXAMPLE = "sobremesa export runs/mine -o bots/mine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", metavar="RUN", type=Path, help="folder of the run")
    parser.add_argument("-o", "--out", metavar="BOT", type=Path, required=True, help="folder of the bot to write")
    parser.add_argument("--checkpoint", choices=("best", "last"), default="best", help="which weights (default: best)")
    parser.add_argument(
        "--choice", choices=CHOICES,
        help="draw from the policy or take its likeliest action (default: sample; of afterstates greedy)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write a bot."""
    from sobremesa.training.export import export

    manifest = export(arguments.folder, arguments.out, arguments.checkpoint, arguments.choice)
    parity = manifest["parity"]
    print(
        f"{arguments.out}: plays {manifest['game']}; torch and onnxruntime agree to "
        f"{parity['largest_difference']:.1e} on {parity['observations']:,} observations"
    )
    return 0
