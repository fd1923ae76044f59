"""Export the policy of a run, or an ONNX graph of your own, as a bot."""

import argparse
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.exported import CHOICES
from sobremesa.commit import made_now
from sobremesa.training.benchmark.cells import without_places
from sobremesa.training.exploitability import EXACT, SMALL, add_to_card, card_entry, exact_response

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
        print(_exploitability(arguments.out, manifest["game"]))
        return 0
    if arguments.game is not None:
        raise ValueError(f"--game needs an ONNX file; {source} is not a file")
    manifest = export(source, arguments.out, arguments.checkpoint or "best", choice, arguments.average)
    parity = manifest["parity"]
    print(
        f"{arguments.out}: plays {manifest['game']}; torch and onnxruntime agree to "
        f"{parity['largest_difference']:.1e} on {parity['observations']:,} observations"
    )
    print(_exploitability(arguments.out, manifest["game"]))
    return 0


def _exploitability(bot: Path, name: str) -> str:
    """Put the exact figure of a small game into the card of the bot; return a line about it."""
    game = envs.load(name)
    try:
        found = exact_response(game, str(bot), nodes=SMALL)
    except ValueError:  # the tree is too large, or it is no game of two against each other
        more = "" if game.cooperative else f"; to measure a lower bound: sobremesa exploit {bot} --by search --card"
        return f"its card has no exploitability{more}"
    add_to_card(bot, [card_entry(found.setup, EXACT, found.exploitability, without_places(made_now()))])
    return f"exploitable by {found.exploitability:.6f} (exact; in its card)"
