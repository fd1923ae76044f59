"""Arguments that several commands share: declarations, types and checks."""

import argparse
import contextlib
import itertools
import math
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sobremesa.agents.arena.cluster import check_address
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.envs.core.seeds import check_secret

_Kind = TypeVar("_Kind", int, float)

AGENT_HELP = (
    "names of agents, folders of bots, search(AGENT), ismcts(AGENT), solved:FILE, python:FILE.py:FUNCTION, "
    "or command:TEXT"
)


def add_allowing(parser: argparse.ArgumentParser, where: str) -> None:
    """Add `--allow-commands`, for external agents that `where` names."""
    parser.add_argument(
        "--allow-commands", action="store_true",
        help=f"start external agents (python:..., command:...) and functions that {where} names; without it only those "
        "that you name here",
    )  # fmt: skip


def add_setup(parser: argparse.ArgumentParser) -> None:
    """Add `--setup`; `read_setup` reads it."""
    parser.add_argument(
        "--setup", nargs="+", action="extend", default=[], metavar="FIELD=VALUE",
        help="setup fields, as `sobremesa games GAME` lists them: board=small max_rounds=12",
    )  # fmt: skip


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`, `--language` and `--setup` of one deal."""
    parser.add_argument("--seed", type=whole, default=None, help="seed of the deal (default: random)")
    parser.add_argument(
        "--language", choices=LANGUAGES, default="en", help="language of texts and pictures (default: en)"
    )
    add_setup(parser)


def add_deals(
    parser: argparse.ArgumentParser, default: int, doc: str = "each in all seatings", seeded: str = "the deals"
) -> None:
    """Add `--deals`, described by `doc`, and `--seed` of `seeded`."""
    parser.add_argument("--deals", type=count, default=default, help=f"{doc} (default: {default})")
    parser.add_argument("--seed", type=whole, default=0, help=f"seed of {seeded} (default: 0)")


def add_secret(parser: argparse.ArgumentParser) -> None:
    """Add `--secret`, which with the seed determines deals with external agents."""
    parser.add_argument(
        "--secret", type=secret, metavar="HEX",
        help="repeat the deals of a tournament by its secret (default: random, printed with external agents)",
    )  # fmt: skip


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`, for `agents.arena.cluster.joined`."""
    parser.add_argument(
        "--cluster", type=address, metavar="ADDRESS",
        help="run on a Ray cluster: auto for that of this machine, or HOST:PORT",
    )  # fmt: skip


def add_engine(parser: argparse.ArgumentParser, default: str) -> None:
    """Add `--processes`, `--cluster` and `--piece`; `default` describes the default of `--processes`."""
    parser.add_argument("--processes", type=count, help=f"processes that play (default: {default})")
    add_cluster(parser)
    parser.add_argument("--piece", type=count, metavar="DEALS", help="deals of a match in one unit of work")


def check_engine(arguments: argparse.Namespace, *needing: str) -> None:
    """Raise ValueError for both `--processes` and `--cluster`, or neither with one of the arguments `needing` one."""
    if arguments.cluster is not None and arguments.processes is not None:
        raise ValueError("--processes are of this machine, and --cluster plays on others; give one of them")
    for name in needing:
        if getattr(arguments, name) is not None and arguments.cluster is None and arguments.processes is None:
            raise ValueError(f"--{name} is of what --processes or --cluster play; give one of them")


def address(text: str) -> str:
    """Return the address of a cluster."""
    try:
        return check_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def secret(text: str) -> str:
    """Return a secret of 32 hex digits."""
    try:
        return check_secret(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not allowed; it takes 32 hex digits (0-9, a-f)") from None


def seed_flags(seed: int, secret: str) -> str:
    """Return the arguments that repeat the same deals."""
    return f"--seed {seed}" + (f" --secret {secret}" if secret else "")


def whole(text: str) -> int:
    """Return a whole number from 0 to 2**63 - 1."""
    return _number(text, 0, 2**63, "a whole number from 0 to 2**63 - 1")


def integer(text: str) -> int:
    """Return a whole number; the caller checks its range."""
    return _parsed(int, text, "a whole number")


def number(text: str) -> float:
    """Return a number; the caller checks its range."""
    return _parsed(float, text, "a number")


def count(text: str) -> int:
    """Return a whole number from 1."""
    return _number(text, 1, 2**63, "a whole number from 1")


def points(text: str) -> float:
    """Return a number of points above 0."""
    return _time(text, "points")


def minutes(text: str) -> float:
    """Return a number of minutes above 0."""
    return _time(text, "minutes")


def seconds(text: str) -> float:
    """Return a number of seconds above 0."""
    return _time(text, "seconds")


def _parsed(kind: Callable[[str], _Kind], text: str, allowed: str) -> _Kind:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it takes {allowed}") from None


def _time(text: str, unit: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it takes a number of {unit} above 0")
    return value


def _number(text: str, lowest: int, end: int, allowed: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = lowest - 1
    if not lowest <= value < end:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it takes {allowed}")
    return value


def check_folders(arguments: argparse.Namespace, *names: str) -> None:
    """Raise ValueError for an output file without a folder, that is a folder, or that two arguments share."""
    taken: dict[Path, str] = {}
    for name in names:
        path: Path | None = getattr(arguments, name)
        if path is None:
            continue
        if not path.parent.is_dir():
            raise ValueError(f"--{name} {path}: there is no folder {path.parent}")
        if path.is_dir():
            raise ValueError(f"--{name} {path} is a folder; it takes a file to write")
        if not os.access(path.parent, os.W_OK):
            raise ValueError(f"--{name} {path}: nothing may be written in {path.parent}")
        if (other := taken.setdefault(path.resolve(), name)) != name:
            raise ValueError(f"--{other} and --{name} are both {path}; they take two files")


def read_setup(game: Game, pairs: list[str], instead: str) -> dict[str, Any]:
    """Return setup fields from FIELD=VALUE without `seats`, which the argument `instead` sets.

    Raises ValueError naming the field.
    """
    setup = setup_fields(game, pairs)
    if "seats" in setup:
        raise ValueError(f"--setup seats={setup['seats']}: the number of seats is given by {instead}")
    return setup


def setup_fields(game: Game, pairs: list[str]) -> dict[str, Any]:
    """Return setup fields from FIELD=VALUE; raise ValueError naming the field."""
    known = {option.name: option for option in game.options}
    setup = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in known:
            raise ValueError(f"--setup {pair}: {game.name} has the fields {', '.join(known)}, given as FIELD=VALUE")
        if name in setup:
            raise ValueError(f"--setup {pair}: {name} is given twice")
        setup[name] = known[name].parse(text)
    return setup


def drawn_seed(given: int | None) -> int:
    """Return the given seed, or a random one."""
    return secrets.randbelow(2**31) if given is None else given


@contextmanager
def folder_for(out: Path | None, name: str) -> Iterator[Path]:
    """Yield the folder `out`, or create `runs/<name>-<number>` with the lowest free number, removed if empty."""
    if out is not None:
        yield out
        return
    first = not Path("runs").exists()
    for number in itertools.count(1):
        folder = Path("runs") / f"{name}-{number}"
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            break
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):  # something was written there
            folder.rmdir()
            if first:
                folder.parent.rmdir()
