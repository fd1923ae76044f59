"""Measure how fast a game runs.

It runs under random legal play, alone and beside other libraries. Observation and mask are part of every step. Whatever
is compared is measured in turns, A B A B, in this one run; a rate is the median of its rounds, a ratio the median over
the pairs, so that a busy machine slows both sides alike.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np

from sobremesa import agents, envs
from sobremesa.arguments import seconds
from sobremesa.bench import peers
from sobremesa.bench.peers import SEED, TABLES, Burst, Peer, aec_burst
from sobremesa.commit import commit
from sobremesa.envs.core.guarded import constructors
from sobremesa.envs.core.threads import cores

EXAMPLE = "sobremesa bench ese_toro_enamorado --peers"
ROUNDS = 5
MANY_TABLES = 65_536
SETTLE = 512  # steps before tables that began together are at different places of their deals
TUTORIAL_STEPS = 4096
LIBRARIES = ("open_spiel", "pgx", "jax", "rlcard", "pettingzoo", "sb3_contrib", "torch")
HOW_TO_INSTALL = {"peers": "pip install 'sobremesa[bench]'", "training": "pip install 'sobremesa[train,bench]'"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", help="the game to measure")
    parser.add_argument("--peers", action="store_true", help="measure other libraries too, in turns with this one")
    parser.add_argument(
        "--training", action="store_true", help="measure training too, beside its ceiling and a tutorial"
    )
    parser.add_argument("--arena", action="store_true", help="measure the arena too, beside a plain loop over raw_env")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="how long a round lasts (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Print the table that `arguments` ask for; return the exit code.

    Raises:
        ValueError: there is no such game.
    """
    game, seconds = arguments.game, arguments.seconds
    envs.load(game)
    _print_header(game, seconds)
    _print_vector(game, seconds)
    _print_aec(game, seconds)
    _print_memory(game)
    _print_first_step(game)
    if arguments.peers:
        threads = f"vector, {TABLES:,} tables, {_threads(cores())}"
        _print_peers(threads, lambda: vector_burst(game), peers.BESIDE_VECTOR, seconds)
        _print_peers("raw_env", lambda: game_burst(game, "raw_env"), peers.BESIDE_RAW_ENV, seconds)
        _print_peers("env", lambda: game_burst(game, "env"), peers.BESIDE_ENV, seconds)
    if arguments.training:
        _print_training(game)
    if arguments.arena:
        _print_arena(game)
    return 0


def rate(burst: Burst, seconds: float) -> float:
    """Return the steps a second of `burst`, called until `seconds` have passed."""
    steps, start = 0, time.perf_counter()
    while True:
        steps += burst()
        spent = time.perf_counter() - start
        if spent >= seconds:
            return steps / spent


def _seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(*measures: Callable[[], float]) -> list[list[float]]:
    """Take each of `measures` in turn, `ROUNDS` times over; return the numbers of each."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    return [list(numbers) for numbers in zip(*rounds, strict=True)]


def vector_burst(game: str, threads: int | None = None) -> Burst:
    """Play `TABLES` tables of `game` in one vector environment, on all processors unless `threads` says otherwise."""
    tables = envs.make_vec(game, TABLES, SEED, threads=threads)
    for _ in range(SETTLE):
        tables.step(tables.sample())

    def burst() -> int:
        for _ in range(8):
            tables.step(tables.sample())
        return 8 * TABLES

    return burst


def game_burst(game: str, constructor: str) -> Burst:
    """Play `game` in the environment made by `constructor`, "raw_env" or "env"."""
    env, raw_env = constructors(envs.load(game))
    return aec_burst(env() if constructor == "env" else raw_env())


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count != 1)}"


def _progress(what: str) -> None:
    print(f"... {what}", file=sys.stderr, flush=True)


def _print_row(what: str, number: str, note: str = "") -> None:
    print(f"{what:<44}{number:>14}  {note}".rstrip(), flush=True)


def _print_header(game: str, seconds: float) -> None:
    print(f"sobremesa bench {game}: random legal play, observation and mask included")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}, {cores()} cores")
    print("; ".join(f"{library} {_version(library)}" for library in LIBRARIES))
    print(f"commit {commit()}; seed {SEED}; medians of {ROUNDS} rounds of {seconds:g} s")
    print()
    _print_row("", "steps/s")


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "not installed"


def _print_vector(game: str, seconds: float) -> None:
    _progress("vector")
    counts = sorted({cores(), 1}, reverse=True)
    rates = in_turns(*(partial(rate, vector_burst(game, threads), seconds) for threads in counts))
    for threads, numbers in zip(counts, rates, strict=True):
        _print_row(f"vector, {TABLES:,} tables, {_threads(threads)}", f"{median(numbers):,.0f}")


def _print_aec(game: str, seconds: float) -> None:
    _progress("raw_env and env")
    names = ("raw_env", "env")
    rates = in_turns(*(partial(rate, game_burst(game, name), seconds) for name in names))
    for name, numbers in zip(names, rates, strict=True):
        _print_row(name, f"{median(numbers):,.0f}")


def _print_memory(game: str) -> None:
    _progress(f"memory of {MANY_TABLES:,} tables")
    buffers, grown = _in_fresh_process("_measure_memory", game)
    resident = "" if grown is None else f", resident memory grew by {grown / 1e6:,.0f} MB"
    _print_row(f"{MANY_TABLES:,} tables", f"{buffers / 1e6:,.0f} MB", f"in buffers{resident} (aim under 1,000 MB)")


def _print_first_step(game: str) -> None:
    _progress("import to first step")
    _in_fresh_process("_measure_first_step", game)  # the kernels come from disk from here on
    spent = median(_in_fresh_process("_measure_first_step", game) for _ in range(ROUNDS))
    _print_row("import to first step", f"{spent:.2f} s", "of processor time after importing Numba (aim under 2 s)")


def _in_fresh_process(measure: str, game: str) -> Any:
    code = "import numba, numpy, time; start = time.process_time(); from sobremesa.commands import bench"
    done = subprocess.run(
        (sys.executable, "-c", f"{code}; bench.{measure}({game!r}, start)"),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def _measure_first_step(game: str, start: float) -> None:
    """Print the processor time from `start` to the end of a first step."""
    env = envs.make(game)
    env.reset(seed=SEED)
    observation = env.last()[0]
    assert observation is not None
    env.step(int(observation["action_mask"].argmax()))
    print(time.process_time() - start)


def _measure_memory(game: str, _start: float) -> None:
    """Print the bytes in the buffers of `MANY_TABLES` tables, and those by which resident memory grew, or null."""
    small = envs.make_vec(game, 1, SEED)
    small.step(small.sample())
    before = _resident()
    tables = envs.make_vec(game, MANY_TABLES, SEED)
    for _ in range(ROUNDS):
        out = tables.step(tables.sample())
    after = _resident()
    kept = [array for array in (*vars(tables).values(), *out) if isinstance(array, np.ndarray)]
    print(json.dumps([sum(array.nbytes for array in kept), None if before is None else after - before]))


def _resident() -> Any:
    """Return the bytes of this process in memory; None where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


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
        _print_ratio(peer, *in_turns(partial(rate, ours, seconds), partial(rate, theirs, seconds)))
    if missing:
        _print_row("", "", HOW_TO_INSTALL["peers"])


def _print_ratio(peer: Peer, ours: list[float], theirs: list[float]) -> None:
    ratio = median(mine / other for mine, other in zip(ours, theirs, strict=True))
    aim = "" if peer.aim is None else f" (aim {peer.aim:g})"
    _print_row(f"  {peer.title}", f"{median(theirs):,.0f}", f"{ratio:.1f} x {peer.title}{aim}")


def _print_training(game: str) -> None:
    """Measure training in turns with its ceiling and with PettingZoo's tutorial, then other networks."""
    try:
        from sobremesa.bench import training as bench_training

        _progress("training, its ceiling, and PettingZoo's tutorial")
        learn = peers.tutorial_training(TUTORIAL_STEPS)
        learn()  # the first rollouts are slower
    except ImportError as error:
        _print_row("training", "not installed", f"{error}; {HOW_TO_INSTALL['training']}")
        return
    with tempfile.TemporaryDirectory() as folder:
        config, ours, ceiling = bench_training.measures(game, Path(folder))
        rates = in_turns(ours.rate, ceiling, lambda: TUTORIAL_STEPS / _seconds_of(learn))
    layers = "x".join(map(str, config.hidden))
    what = f"MLP {layers}, {config.epochs} passes, minibatches of {config.batch_size:,}, {_threads(config.threads)}"
    _print_row("training", f"{median(rates[0]):,.0f}", what)
    _print_row("  against", "", ", ".join(f"{name} {weight:g}" for name, weight in config.opponents.items()))
    _print_row("  of which", "", ", ".join(f"{part} {share:.0%}" for part, share in ours.profile()))
    part = median(mine / most for mine, most in zip(rates[0], rates[1], strict=True))
    _print_row("  gradient steps alone (ceiling)", f"{median(rates[1]):,.0f}", f"{part:.0%} of it (aim 60%)")
    _print_ratio(Peer("MaskablePPO by PettingZoo's tutorial", lambda: lambda: 0, 15), rates[0], rates[2])
    _progress("training with other networks")
    for name, number in bench_training.variant_rates(game, config).items():
        _print_row(f"training, {name}", f"{number:,.0f}")


def _print_arena(game: str) -> None:
    """Measure the arena in turns with a plain loop that plays the same deals."""
    from sobremesa.bench import arena as bench_arena

    loaded = envs.load(game)
    names = agents.names(loaded)
    deals, loop_deals = bench_arena.DEALS, bench_arena.LOOP_DEALS
    # The best two spend most of the time themselves, so that the arena can save little of it; the others leave more.
    for pair in dict.fromkeys((tuple(names[:-3:-1]), tuple(names[1::-1]))):
        if len(pair) < 2:
            _print_row("arena", "none", f"{game} comes with no two agents")
            return
        who = " against ".join(pair)
        _progress(f"arena and a plain loop, {who}")
        bench_arena.arena_rate(loaded, pair, 1)  # compiled from here on
        bench_arena.loop_rate(loaded, pair, 1)
        measures = (partial(bench_arena.arena_rate, loaded, pair, deals),
                    partial(bench_arena.loop_rate, loaded, pair, loop_deals))  # fmt: skip
        rates = in_turns(*measures)
        ratio = median(mine / other for mine, other in zip(*rates, strict=True))
        seconds = f"{deals:,} deals, each in all seatings, in {deals / median(rates[0]):.1f} s"
        _print_row(f"arena, {who}", f"{median(rates[0]):,.0f}", f"deals/s: {seconds}")
        _print_row("  plain loop over raw_env", f"{median(rates[1]):,.0f}", f"deals/s, ratio {ratio:.1f}")
