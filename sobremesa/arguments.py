"""Command-line arguments shared by several commands: declarations, types and checks."""

import argparse
import contextlib
import inspect
import itertools
import json
import math
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sobremesa import envs
from sobremesa.agents.arena.cluster import check_address
from sobremesa.agents.arena.workers import Machines
from sobremesa.agents.exact.tree import MOST_NODES
from sobremesa.envs.core import home
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.envs.core.seeds import check_secret

_Kind = TypeVar("_Kind", int, float)

AGENT_HELP = (
    "an agent's name, a bot folder, sampled(BOT), search(AGENT), ismcts(AGENT), solved:FILE, python:FILE.py:FUNCTION, "
    "command:TEXT or llm:MODEL@URL"
)


def default(function: Callable[..., Any], name: str) -> Any:
    """Return the default of the parameter `name` of `function`, for the help of its flag."""
    return inspect.signature(function).parameters[name].default


def given(arguments: argparse.Namespace, function: Callable[..., Any]) -> dict[str, Any]:
    """Return the flags that were given among the keyword parameters of `function`; the others keep its defaults."""
    every = inspect.signature(function).parameters.values()
    names = [one.name for one in every if one.kind is one.KEYWORD_ONLY]
    return {name: value for name in names if (value := getattr(arguments, name, None)) is not None}


def add_allowing(parser: argparse.ArgumentParser, where: str) -> None:
    """Add `--allow-commands`, which permits external agents named in `where`."""
    parser.add_argument(
        "--allow-commands", action="store_true",
        help=f"also use external agents, functions and language models named in {where} (default: only those on the "
        "command line)",
    )  # fmt: skip


def add_setup(parser: argparse.ArgumentParser) -> None:
    """Add `--setup`; `read_setup` reads it."""
    parser.add_argument(
        "--setup", nargs="+", action="extend", default=[], metavar="FIELD=VALUE",
        help="setup of the game, for example board=small; `sobremesa games GAME` lists the fields; variant=SEED is "
        "a balanced variant drawn by a seed",
    )  # fmt: skip


def add_nodes(parser: argparse.ArgumentParser) -> None:
    """Add `--nodes`, the limit of a game tree."""
    parser.add_argument(
        "--nodes", type=count, default=MOST_NODES, help=f"maximum nodes of the game tree (default: {MOST_NODES:,})"
    )


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
        help="secret of an earlier tournament, to repeat its deals (default: random; printed with external agents)",
    )  # fmt: skip


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`, for `agents.arena.cluster.joined`."""
    parser.add_argument(
        "--cluster", type=address, metavar="ADDRESS",
        help="Ray cluster to run on: HOST:PORT, or auto for the local one (default: no cluster)",
    )  # fmt: skip


def add_engine(parser: argparse.ArgumentParser, default: str) -> None:
    """Add `--processes`, `--cluster` and `--piece`; `default` describes the default of `--processes`."""
    parser.add_argument("--processes", type=count, help=f"worker processes (default: {default})")
    add_cluster(parser)
    parser.add_argument("--piece", type=count, metavar="DEALS", help="deals in one unit of work (default: automatic)")


def machines(arguments: argparse.Namespace) -> Machines:
    """Return the machines that `add_engine` names; raise ArgumentError for flags that cannot be combined."""
    return Machines(**given(arguments, Machines))


def address(text: str) -> str:
    """Parse the address of a cluster."""
    try:
        return check_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def secret(text: str) -> str:
    """Parse a secret of 32 hex digits."""
    try:
        return check_secret(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not allowed; it takes 32 hex digits (0-9, a-f)") from None


def seed_flags(seed: int, secret: str) -> str:
    """Return the arguments that repeat the same deals."""
    return f"--seed {seed}" + (f" --secret {secret}" if secret else "")


def whole(text: str) -> int:
    """Parse a whole number from 0 to 2**63 - 1."""
    return _parsed(int, text, "a whole number from 0 to 2**63 - 1", lambda value: 0 <= value < 2**63)


def count(text: str) -> int:
    """Parse a whole number from 1."""
    return _parsed(int, text, "a whole number from 1", lambda value: 1 <= value < 2**63)


def integer(text: str) -> int:
    """Parse a whole number; the caller checks its range."""
    return _parsed(int, text, "a whole number")


def number(text: str) -> float:
    """Parse a number; the caller checks its range."""
    return _parsed(float, text, "a number")


def points(text: str) -> float:
    """Parse a number of points above 0."""
    return _parsed(float, text, "a number of points above 0", _positive)


def minutes(text: str) -> float:
    """Parse a number of minutes above 0."""
    return _parsed(float, text, "a number of minutes above 0", _positive)


def seconds(text: str) -> float:
    """Parse a number of seconds above 0."""
    return _parsed(float, text, "a number of seconds above 0", _positive)


def _positive(value: float) -> bool:
    return 0 < value < math.inf


def _parsed(
    kind: Callable[[str], _Kind], text: str, allowed: str, fits: Callable[[_Kind], bool] = lambda _: True
) -> _Kind:
    with contextlib.suppress(ValueError):
        if fits(value := kind(text)):
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed; it takes {allowed}")


def refuse(arguments: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Raise ValueError, `why` after the name of the argument, for the first of `names` that was given."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value != [] and value is not False:
            raise ValueError(f"{'AGENT' if name == 'agents' else flag(name)} {why}")


def flag(name: str) -> str:
    """Return the flag of the parameter `name`."""
    return f"--{name.replace('_', '-')}"


def write_json(arguments: argparse.Namespace, figures: dict[str, Any]) -> None:
    """Write `figures` to the file of `--json`, if there is one."""
    if arguments.json:
        write_whole(arguments.json, json.dumps(figures, indent=1, allow_nan=False))


def check_folders(arguments: argparse.Namespace, *names: str) -> None:
    """Raise ValueError if an output file is a folder, cannot be written, or is given by two arguments."""
    taken: dict[Path, str] = {}
    for name in names:
        path: Path | None = getattr(arguments, name)
        if path is None:
            continue
        if not path.parent.is_dir():
            raise ValueError(f"--{name} {path}: the folder {path.parent} does not exist; create it first")
        if path.is_dir():
            raise ValueError(f"--{name} {path} is a folder; give a file")
        if not os.access(path.parent, os.W_OK):
            raise ValueError(f"--{name} {path}: the folder {path.parent} is not writable; choose another one")
        if (other := taken.setdefault(path.resolve(), name)) != name:
            raise ValueError(f"--{other} and --{name} are both {path}; give two different files")


def read_setup(game: Game, pairs: list[str], instead: str) -> dict[str, Any]:
    """Parse setup fields; raise ValueError for `seats`, which the argument `instead` sets."""
    setup = setup_fields(game, pairs)
    if "seats" in setup:
        raise ValueError(f"--setup seats={setup['seats']} is not allowed; set the number of seats with {instead}")
    return setup


def setup_fields(game: Game, pairs: list[str]) -> dict[str, Any]:
    """Parse setup fields given as FIELD=VALUE; raise ValueError naming a wrong one."""
    known = {option.name: option for option in game.options}
    setup: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if name == "variant" and text.isdecimal():
            given = envs.variant(game.name, int(text))
        elif equals and name in known:
            given = {name: known[name].parse(text)}
        else:
            fields = ", ".join([*known, "variant"] if home.matching(game, "variants.toml") else known)
            raise ValueError(f"--setup {pair} is not allowed; give FIELD=VALUE with a field of {fields}")
        if twice := sorted(given.keys() & setup.keys()):
            raise ValueError(f"--setup {pair}: {' and '.join(twice)} is given twice")
        setup |= given
    return setup


def drawn_seed(given: int | None) -> int:
    """Return `given`, or a random seed if it is None."""
    return secrets.randbelow(2**31) if given is None else given


@contextmanager
def folder_for(out: Path | None, name: str) -> Iterator[Path]:
    """Yield `out`, or a new folder `runs/<name>-<number>` with the lowest free number, removed at the end if empty."""
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
        with contextlib.suppress(OSError):  # the folder is not empty
            folder.rmdir()
            if first:
                folder.parent.rmdir()
