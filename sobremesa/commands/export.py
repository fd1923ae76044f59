"""Export a run's policy, or an ONNX graph from elsewhere, as a bot."""

import argparse
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.exported import CHOICES

EXAMPLE = "sobremesa export runs/mine -o bots/mine"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("source", metavar="RUN", type=Path, help="folder of the run, or an ONNX file that plays --game")
    parser.add_argument("-o", "--out", metavar="BOT", type=Path, required=True, help="folder of the bot to write")
    parser.add_argument(
        "--game", metavar="GAME", choices=envs.all_games(), help="what the policy in an ONNX file plays"
    )
    parser.add_argument(
        "--checkpoint", choices=("best", "last", "average"),
        help="which weights of a run: those that did best in evaluation, the last, or the mean that it kept by "
        "`average` (default: best)",
    )  # fmt: skip
    parser.add_argument(
        "--average", metavar="RUN", nargs="+", type=Path, default=[],
        help="take the mean of the weights with those of these runs, of the same network, each begun as the bot of "
        "another; or with files of weights in them, such as RUN/last.safetensors",
    )  # fmt: skip
    parser.add_argument(
        "--choice", choices=CHOICES,
        help="draw from the policy or take its likeliest action (default: as the run was evaluated)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write a bot."""
    from sobremesa.training.bots import export, export_graph

    source, choice = arguments.source, arguments.choice
    if source.is_file():
        if arguments.game is None:
            raise ValueError(f"{source}: an ONNX file does not say what it plays; add --game, one of {_games()}")
        if arguments.checkpoint is not None:
            raise ValueError(f"--checkpoint goes with the folder of a run; {source} is a file")
        if arguments.average:
            raise ValueError(f"--average goes with the folder of a run; {source} is a file")
        manifest = export_graph(source, arguments.game, arguments.out, choice or "sample")
        print(f"{arguments.out}: plays {manifest['game']}, and answers what it may be asked")
        return 0
    if arguments.game is not None and not source.exists():
        raise ValueError(f"{source}: there is no such file")
    if arguments.game is not None:
        raise ValueError(f"--game goes with an ONNX file; {source} is none")
    manifest = export(source, arguments.out, arguments.checkpoint or "best", choice, arguments.average)
    parity = manifest["parity"]
    print(
        f"{arguments.out}: plays {manifest['game']}; torch and onnxruntime agree to "
        f"{parity['largest_difference']:.1e} on {parity['observations']:,} observations"
    )
    return 0


def _games() -> str:
    return ", ".join(envs.all_games())
