"""The command `sobremesa`: one parser, one function a subcommand, errors of one line."""

import argparse
import dataclasses
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from sobremesa import __version__
from sobremesa.agents.arena.analysis import FOLLOWED
from sobremesa.agents.exported import CHOICES
from sobremesa.commands import analyse, arena, bench, commands, stats
from sobremesa.commands import ladder as ladders
from sobremesa.commands import rate as rates
from sobremesa.commands import watch as replays
from sobremesa.commands.commands import AGENT_HELP
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.training.config import TrainConfig


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all is well, 1 if a check failed, 2 for bad input."""
    parser = _build()
    arguments = parser.parse_args(argv)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read along has read enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        print(f"sobremesa: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _build() -> argparse.ArgumentParser:
    parser = _Parser(prog="sobremesa", description="Spanish tabletop games for reinforcement learning.")
    parser.add_argument("--version", action="version", version=f"sobremesa {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, run: Any, doc: str, example: str) -> argparse.ArgumentParser:
        sub = subparsers.add_parser(
            name,
            help=doc,
            description=doc[0].upper() + doc[1:] + ".",
            epilog=f"example: {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(run=run)
        return sub

    games = command("games", commands.games, "list the games", "sobremesa games")
    games.add_argument("game", nargs="?", help="tell all about this one")
    _add_play(command("play", commands.play, "play a deal yourself", f"sobremesa play {_GAME} --against strong"))
    example = f"sobremesa watch {_GAME} simple strong --out deal.html"
    watch = command("watch", replays.watch, "watch a deal between agents, or a replay", example)
    replays.add_watch_arguments(watch)
    _add_table(watch)
    example = "sobremesa dataset deals/1.json deals/2.json -o deals.npz"
    replays.add_dataset_arguments(
        command("dataset", replays.dataset, "write the decisions of replays as arrays", example)
    )
    example = f"sobremesa train {_GAME} --steps 500_000 --opponents self=0.5 simple=0.5 --out runs/mine"
    _add_train(command("train", commands.train, "train an agent", example))
    example = "sobremesa export runs/mine -o bots/mine"
    _add_export(command("export", commands.export, "export a run's policy as a bot", example))
    example = f"sobremesa rate {_GAME} bots/mine --deals 2000"
    _add_rate(command("rate", rates.run, "measure an agent against others", example))
    example = f"sobremesa ladder {_GAME} bots/mine -o ladder.html"
    _add_ladder(command("ladder", ladders.run, "rank agents, or show the ladder that comes with the library", example))
    example = f"sobremesa arena {_GAME} random simple strong python:mine.py:act --deals 200"
    _add_arena(command("arena", arena.run, "play a tournament between agents and rate them", example))
    _add_stats(command("stats", stats.run, "tell what deals between equals are like", f"sobremesa stats {_GAME}"))
    example = f"sobremesa analyse {_GAME} strong simple -o deals.html"
    _add_analyse(command("analyse", analyse.run, "tell what deals between agents are like to play", example))
    example = "sobremesa exploit bots/mine --minutes 5"
    _add_exploit(command("exploit", commands.exploit, "measure how much can be won against a bot", example))
    example = "sobremesa report runs/mine bots/mine"
    _add_report(command("report", commands.report, "write a page about a run and its bot", example))
    example = f"sobremesa bench {_GAME} --peers"
    bench.add_arguments(command("bench", bench.run, "measure how fast a game runs", example))
    example = f"sobremesa check {_GAME}"
    _add_check(command("check", commands.check, "check a game's contract and secrets", example))
    return parser


_GAME = "ese_toro_enamorado"


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=_whole, default=None, help="of the deal (default: another one each time)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of texts and pictures (default: en)")
    _add_setup(parser)


def _add_setup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--setup", nargs="+", action="extend", default=[], metavar="FIELD=VALUE",
        help="setup fields, as `sobremesa games GAME` lists them: board=small max_rounds=12",
    )  # fmt: skip


def _add_deals(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument("--deals", type=_count, default=default, help=f"each in all seatings (default: {default})")
    parser.add_argument("--seed", type=_whole, default=0, help="of the deals (default: 0)")


def _add_play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "--against", nargs="+", metavar="AGENT",
        help=f"the others: {AGENT_HELP}; `scripted` is the best scripted one (default; nobody at a table of one)",
    )  # fmt: skip
    parser.add_argument("--seats", type=int, help="players at the table (default: you and those you name)")
    parser.add_argument("--seat", type=int, help="your seat (default: drawn from the seed)")
    _add_table(parser)


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="RUN", type=Path, help="folder of the run")
    parser.add_argument("-o", "--out", metavar="BOT", type=Path, required=True, help="folder of the bot to write")
    parser.add_argument("--checkpoint", choices=("best", "last"), default="best", help="which weights (default: best)")
    parser.add_argument(
        "--choice", choices=CHOICES,
        help="draw from the policy or take its likeliest action (default: sample; of afterstates greedy)",
    )  # fmt: skip


def _add_ladder(parser: argparse.ArgumentParser) -> None:
    ladders.add_arguments(parser)
    _add_setup(parser)
    parser.add_argument("--deals", type=_count, help=f"for each match, in all seatings (default: {ladders.DEALS})")
    parser.add_argument("--seed", type=_whole, help="of the deals (default: 0)")


def _add_stats(parser: argparse.ArgumentParser) -> None:
    stats.add_arguments(parser)
    _add_setup(parser)
    parser.add_argument("--deals", type=_count, default=2000, help="at each number of seats (default: 2000)")
    parser.add_argument("--seed", type=_whole, default=0, help="of the deals (default: 0)")


def _add_analyse(parser: argparse.ArgumentParser) -> None:
    analyse.add_arguments(parser)
    _add_setup(parser)
    parser.add_argument("--deals", type=_count, default=2000, help="at each number of seats (default: 2000)")
    parser.add_argument(
        "--followed", type=_count, default=FOLLOWED, help=f"of them, for entropy and lead (default: {FOLLOWED})"
    )
    parser.add_argument("--seed", type=_whole, default=0, help="of the deals (default: 0)")


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="RUN", type=Path, help="folder of the run; the report is written there")
    parser.add_argument("bot", metavar="BOT", help="folder of the bot that was exported from it")
    _add_deals(parser, 1000)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("--deals", type=_count, default=5, help="random deals for each setup (default: 5)")
    parser.add_argument(
        "--pieces", type=_count, default=2000, help="random deals in which every piece is counted (default: 2000)"
    )
    parser.add_argument("--seed", type=_whole, default=0, help="of the deals (default: 0)")


def _add_rate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("agent", metavar="AGENT", help=f"one of {AGENT_HELP}")
    parser.add_argument(
        "--against",
        nargs="+",
        metavar="AGENT",
        help=f"references: {AGENT_HELP} (default: random and the scripted ones)",
    )
    parser.add_argument("--seats", nargs="+", type=int, help="numbers of seats to try (default: the game's own)")
    parser.add_argument("--json", type=Path, help="write the scores here as well")
    _add_deals(parser, 1000)
    _add_setup(parser)


def _add_arena(parser: argparse.ArgumentParser) -> None:
    arena.add_arguments(parser, _whole, _count)
    _add_setup(parser)


def _add_exploit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bot", metavar="BOT", help=f"folder of a bot, or with --game one of {AGENT_HELP}")
    parser.add_argument("--game", help="name of the game (default: the one that the bot plays)")
    parser.add_argument("--steps", type=_count, help="decisions to train against it (default: as for `train GAME`)")
    parser.add_argument("--minutes", type=_minutes, help="stop training after so many minutes")
    parser.add_argument("--seats", nargs="+", type=int, help="numbers of seats to train at (default: the game's own)")
    parser.add_argument("--deals", type=_count, default=2000, help="to measure on, held out (default: 2000)")
    parser.add_argument("--seed", type=_whole, default=0, help="of the training (default: 0)")
    parser.add_argument("--threads", type=_count, help="of PyTorch (default: as for `train`)")
    parser.add_argument("--out", type=Path, help="folder of the training run (default: runs/exploit-<number>)")
    parser.add_argument("--json", type=Path, help="write the result here as well")
    _add_setup(parser)


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="name of the game")
    parser.add_argument(
        "--resume", metavar="RUN", type=Path,
        help="go on with the run in this folder, which was stopped or killed, as if it had never stopped",
    )  # fmt: skip
    parser.add_argument(
        "--config", metavar="NAME",
        help="a TOML file, or one that comes with the library (default: GAME, if there is one); its keys take the "
        "place of the defaults below, and flags the place of its keys",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/GAME-<number>)")
    for key in dataclasses.fields(TrainConfig):
        if key.name == "game":
            continue
        default = getattr(TrainConfig(), key.name)
        many = isinstance(default, (list, dict))
        named = [f"{name}={value}" for name, value in default.items()] if isinstance(default, dict) else default
        shown = (" ".join(map(str, named)) or "none") if isinstance(named, list) else named
        parser.add_argument(
            "--" + key.name.replace("_", "-"),
            nargs="+" if many else None,
            metavar="NAME=VALUE" if isinstance(default, dict) else key.name.upper(),
            help=f"{key.metadata['doc']} (default: {shown})",
        )


def _whole(text: str) -> int:
    return _number(text, 0, 2**63, "a whole number from 0 to 2**63 - 1")


def _count(text: str) -> int:
    return _number(text, 1, 2**63, "a whole number from 1")


def _minutes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it takes a number of minutes above 0")
    return value


def _number(text: str, lowest: int, end: int, allowed: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = lowest - 1
    if not lowest <= value < end:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it takes {allowed}")
    return value
