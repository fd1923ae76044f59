"""Export the policy of a run, or an ONNX graph of your own, as a bot."""

import argparse
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.exported import CHOICES

EXAMPLE = "sobremesa export runs/mine -o bots/mine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("source", metavar="RUN", type=Path, help="folder of the run, or an ONNX file with --game")
    parser.add_argument("-o", "--out", metavar="BOT", type=Path, required=True, help="folder of the bot to write")
    parser.add_argument("--game", metavar="GAME", help="game of an ONNX file")
    parser.add_argument(
        "--checkpoint", choices=("best", "last", "average"),
        help="weights of the run: best in evaluation, last, or the moving average (default: best)",
    )  # fmt: skip
    parser.add_argument(
        "--average", metavar="RUN", nargs="+", type=Path, default=[],
        help="also average the weights of these runs or files, for example RUN/last.safetensors (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--choice", choices=CHOICES,
        help="sample from the policy, or take its likeliest action (default: as the run was evaluated)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write a bot."""
    from sobremesa.training.bots import export, export_graph

    source, choice = arguments.source, arguments.choice
    if source.is_file():
        if arguments.game is None:
            raise ValueError(f"{source} is an ONNX file; add --game with one of {', '.join(envs.all_games())}")
        for name in ("checkpoint", "average"):
            if getattr(arguments, name):
                raise ValueError(f"--{name} needs the folder of a run; {source} is a file")
        manifest = export_graph(source, arguments.game, arguments.out, choice or "sample")
        print(
            f"{arguments.out}: plays {manifest['game']}; the graph accepts the observations and returns legal actions"
        )
        return 0
    if arguments.game is not None:
        raise ValueError(f"--game needs an ONNX file; {source} is not a file")
    manifest = export(source, arguments.out, arguments.checkpoint or "best", choice, arguments.average)
    parity = manifest["parity"]
    print(
        f"{arguments.out}: plays {manifest['game']}; torch and onnxruntime agree to "
        f"{parity['largest_difference']:.1e} on {parity['observations']:,} observations"
    )
    return 0
