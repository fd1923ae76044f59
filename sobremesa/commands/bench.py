"""Measure the steps per second of a game under random legal play, and of other libraries.

Every step includes the observation and the action mask. Measurements alternate (A B A B) in one run: a rate is the
median of its rounds and a ratio the median over pairs of rounds, each with the minimum and the maximum. Both sides of a
ratio have the same number of threads. Other load on the machine does not slow both sides alike: measure on a quiet one.
"""

import argparse
import platform
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from statistics import median

import numba
import numpy as np

from sobremesa import envs
from sobremesa.arguments import seconds
from sobremesa.bench import fresh_process, peers
from sobremesa.bench.peers import SEED, TABLES, Burst, Peer
from sobremesa.bench.speed import ROUNDS, alternate, game_burst, rate, vector_burst
from sobremesa.commit import commit
from sobremesa.envs.core.api.vector import DTYPES
from sobremesa.envs.core.compile.threads import cores
from sobremesa.envs.core.errors import how_to_install

EXAMPLE = "sobremesa bench ese_toro_enamorado --peers"
LIBRARIES = ("open_spiel", "pgx", "jax", "rlcard", "pettingzoo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument("--peers", action="store_true", help="also measure other libraries (default: off)")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="seconds of a round (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Print the table of speeds."""
    game = arguments.game
    envs.load(game)
    _print_header(game, arguments.seconds)
    kinds = [(threads, dtype) for threads in sorted({cores(), 1}, reverse=True) for dtype in DTYPES]
    _print_rates({_vector(*kind): vector_burst(game, *kind) for kind in kinds}, arguments.seconds)
    _print_rates({name: game_burst(game, name) for name in ("raw_env", "env")}, arguments.seconds)
    _print_memory(game)
    _print_first_step(game)
    if arguments.peers:
        for dtype in DTYPES:
            for threads, beside in ((1, peers.BESIDE_ONE_THREAD), (cores(), peers.BESIDE_ALL_CORES)):
                ours = partial(vector_burst, game, threads, dtype)
                _print_peers(_vector(threads, dtype), ours, beside, arguments.seconds)
        for name, others in (("raw_env", peers.BESIDE_RAW_ENV), ("env", peers.BESIDE_ENV)):
            _print_peers(name, partial(game_burst, game, name), others, arguments.seconds)
    return 0


def _vector(threads: int, dtype: str) -> str:
    return f"vector, {TABLES:,} tables, {threads} thread{'s' * (threads != 1)}, {dtype}"


def _progress(step: str) -> None:
    print(f"... {step}", file=sys.stderr, flush=True)


def _print_row(name: str, number: str, note: str = "") -> None:
    print(f"{name:<44}{number:>14}  {note}".rstrip(), flush=True)


def _print_header(game: str, seconds: float) -> None:
    print(f"sobremesa bench {game}: random legal play with observation and mask")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}, {cores()} cores")
    print("; ".join(f"{library} {_version(library)}" for library in LIBRARIES))
    print(f"commit {commit()}; seed {SEED}; medians of {ROUNDS} rounds of {seconds:g} s\n")
    _print_row("", "steps/s")


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "not installed"


def _spread(numbers: Sequence[float], form: str) -> str:
    return f"({min(numbers):{form}} to {max(numbers):{form}})"


def _print_rates(bursts: dict[str, Burst], seconds: float) -> None:
    _progress(", ".join(bursts))
    rates = alternate(*(partial(rate, burst, seconds) for burst in bursts.values()))
    for name, numbers in zip(bursts, rates, strict=True):
        _print_row(name, f"{median(numbers):,.0f}", _spread(numbers, ",.0f"))


def _print_memory(game: str) -> None:
    many = f"{fresh_process.MANY_TABLES:,} tables"
    _progress(f"memory of {many}")
    for dtype in ("uint8", "float32"):
        buffers, grown = fresh_process.memory(game, dtype)
        resident = "" if grown is None else f", resident memory grew by {grown / 1e6:,.0f} MB"
        _print_row(f"{many}, {dtype}", f"{buffers / 1e6:,.0f} MB", f"in buffers{resident}")


def _print_first_step(game: str) -> None:
    _progress("import to first step")
    fresh_process.first_step(game)  # fills the kernel cache
    spent = median(fresh_process.first_step(game) for _ in range(ROUNDS))
    _print_row("import to first step", f"{spent:.2f} s", "of processor time after importing Numba")


def _print_peers(name: str, make_ours: Callable[[], Burst], beside: Sequence[Peer], seconds: float) -> None:
    missing = False
    _print_row(f"{name}, beside:", "")
    ours = make_ours()
    for peer in beside:
        _progress(f"{name} beside {peer.title}")
        try:
            theirs = peer.make()
        except ImportError as error:
            missing = True
            _print_row(f"  {peer.title}", "not installed", str(error).partition("\n")[0])
            continue
        rates = alternate(partial(rate, ours, seconds), partial(rate, theirs, seconds))
        ratios = [mine / other for mine, other in zip(*rates, strict=True)]
        note = f"{median(ratios):.1f} x {peer.title} {_spread(ratios, '.1f')}"
        _print_row(f"  {peer.title}", f"{median(rates[1]):,.0f}", note)
    if missing:
        _print_row("", "", how_to_install("bench"))
