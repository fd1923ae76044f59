"""Measure how fast a game runs.

It runs under random legal play, alone and beside other libraries. Observation and mask are part of every step. Whatever
is compared is measured in turns, A B A B, in this one run; a rate is the median of its rounds, a ratio the median over
the pairs, so that a busy machine slows both sides alike.
"""

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from statistics import median

import numba
import numpy as np

from sobremesa import agents, envs
from sobremesa.arguments import count, seconds
from sobremesa.bench import fresh_process, peers
from sobremesa.bench import search as bench_search
from sobremesa.bench.peers import SEED, TABLES, Burst, Peer
from sobremesa.bench.speed import ROUNDS, game_burst, in_turns, rate, seconds_of, vector_burst
from sobremesa.commit import commit
from sobremesa.envs.core.api.vector import DTYPES
from sobremesa.envs.core.compile.threads import cores
from sobremesa.envs.core.errors import one_line

EXAMPLE = "sobremesa bench ese_toro_enamorado --peers"
DECISIONS = 100
SECONDS = 1.0
TUTORIAL_STEPS = 4096
LIBRARIES = ("open_spiel", "pgx", "jax", "rlcard", "pettingzoo", "sb3_contrib", "torch")
HOW_TO_INSTALL = {"peers": "pip install 'sobremesa[bench]'", "training": "pip install 'sobremesa[train,bench]'"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("game", nargs="?", help="the game to measure; with --search all games may be, and nothing else")
    parser.add_argument("--peers", action="store_true", help="measure other libraries too, in turns with this one")
    parser.add_argument(
        "--training", action="store_true", help="measure training too, beside its ceiling and a tutorial"
    )
    parser.add_argument(
        "--limit", action="store_true", help="measure what a step takes, part by part, beside what the machine allows"
    )
    parser.add_argument("--arena", action="store_true", help="measure the arena too, beside a plain loop over raw_env")
    parser.add_argument(
        "--search", action="store_true", help="measure agents that think ahead too, beside OpenSpiel's tree search"
    )
    parser.add_argument(
        "--decisions", type=count, default=DECISIONS, help="of each of them, at most (default: %(default)s)"
    )
    parser.add_argument("--seconds", type=seconds, help=f"how long a round lasts (default: {SECONDS})")


def run(arguments: argparse.Namespace) -> int:
    """Print the table that `arguments` ask for; return the exit code.

    Raises:
        ValueError: there is no such game.
    """
    game, seconds = arguments.game, arguments.seconds or SECONDS
    if arguments.decisions != DECISIONS and not arguments.search:
        raise ValueError("--decisions is of agents that think ahead, which --search measures")
    if game is None:
        others = [name for name in ("peers", "training", "limit", "arena", "seconds") if getattr(arguments, name)]
        if others or not arguments.search:
            why = f"--{others[0]} is of one game; " if others else ""
            raise ValueError(f"{why}say which game to measure: {', '.join(envs.games())}")
        _print_search(envs.games(), arguments.decisions)
        return 0
    envs.load(game)
    _print_header(game, seconds)
    _print_vector(game, seconds)
    _print_aec(game, seconds)
    _print_memory(game)
    _print_first_step(game)
    if arguments.peers:
        for dtype in DTYPES:
            ours = partial(vector_burst, game, dtype=dtype)
            _print_peers(game, _vector(cores(), dtype), ours, peers.BESIDE_VECTOR, seconds)
        _print_peers(game, "raw_env", lambda: game_burst(game, "raw_env"), peers.BESIDE_RAW_ENV, seconds)
        _print_peers(game, "env", lambda: game_burst(game, "env"), peers.BESIDE_ENV, seconds)
    if arguments.training:
        _print_training(game)
    if arguments.limit:
        _print_limit(game)
    if arguments.arena:
        _print_arena(game)
    if arguments.search:
        print()
        _print_search([game], arguments.decisions)
    return 0


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count != 1)}"


def _vector(threads: int, dtype: str) -> str:
    return f"vector, {TABLES:,} tables, {_threads(threads)}, {dtype}"


def _aim(game: str, aim: str) -> str:
    """Return what is added to a figure that has an aim; aims were set for one game, and for others there are none."""
    return f" (aim {aim})" if game == peers.AIMED_AT else ""


def _progress(what: str) -> None:
    print(f"... {what}", file=sys.stderr, flush=True)


def _print_row(what: str, number: str, note: str = "") -> None:
    print(f"{what:<44}{number:>14}  {note}".rstrip(), flush=True)


def _print_versions() -> None:
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {numba.__version__}, {cores()} cores")
    print("; ".join(f"{library} {_version(library)}" for library in LIBRARIES))


def _print_header(game: str, seconds: float) -> None:
    print(f"sobremesa bench {game}: random legal play, observation and mask included")
    _print_versions()
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
    kinds = [(threads, dtype) for threads in sorted({cores(), 1}, reverse=True) for dtype in DTYPES]
    rates = in_turns(*(partial(rate, vector_burst(game, threads, dtype), seconds) for threads, dtype in kinds))
    for kind, numbers in zip(kinds, rates, strict=True):
        _print_row(_vector(*kind), f"{median(numbers):,.0f}")


def _print_aec(game: str, seconds: float) -> None:
    _progress("raw_env and env")
    names = ("raw_env", "env")
    rates = in_turns(*(partial(rate, game_burst(game, name), seconds) for name in names))
    for name, numbers in zip(names, rates, strict=True):
        _print_row(name, f"{median(numbers):,.0f}")


def _print_memory(game: str) -> None:
    many = f"{fresh_process.MANY_TABLES:,} tables"
    _progress(f"memory of {many}")
    for dtype, aim in (("uint8", " (aim under 1,000 MB)"), ("float32", "")):  # in every game
        buffers, grown = fresh_process.memory(game, dtype)
        resident = "" if grown is None else f", resident memory grew by {grown / 1e6:,.0f} MB"
        _print_row(f"{many}, {dtype}", f"{buffers / 1e6:,.0f} MB", f"in buffers{resident}{aim}")


def _print_first_step(game: str) -> None:
    _progress("import to first step")
    fresh_process.first_step(game)  # the kernels come from disk from here on
    spent = median(fresh_process.first_step(game) for _ in range(ROUNDS))
    note = f"of processor time after importing Numba{_aim(game, 'under 2 s')}"
    _print_row("import to first step", f"{spent:.2f} s", note)


def _print_peers(game: str, name: str, make_ours: Callable[[], Burst], beside: Sequence[Peer], seconds: float) -> None:
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
        _print_ratio(game, peer, *in_turns(partial(rate, ours, seconds), partial(rate, theirs, seconds)))
    if missing:
        _print_row("", "", HOW_TO_INSTALL["peers"])


def _print_ratio(game: str, peer: Peer, ours: list[float], theirs: list[float]) -> None:
    ratio = median(mine / other for mine, other in zip(ours, theirs, strict=True))
    aim = f" (aim {peer.aims[game]:g})" if game in peer.aims else ""
    _print_row(f"  {peer.title}", f"{median(theirs):,.0f}", f"{ratio:.1f} x {peer.title}{aim}")


def _print_limit(game: str) -> None:
    """Print what a step of the vector environment takes on one thread, for observations as numbers and as bytes."""
    from sobremesa.bench import limit

    found = {}
    for dtype in DTYPES:
        _progress(f"parts of a step, {dtype}")
        found[dtype] = limit.measure(game, dtype)
    print()
    for what, *numbers in ((f"a step, {TABLES:,} tables, {_threads(1)}", *found), *limit.rows(found.values())):
        print(f"{what:<44}" + "".join(f"{number:>14}" for number in numbers), flush=True)
    ratio = found["float32"].whole / found["uint8"].whole
    _print_row("uint8 beside float32", f"{ratio:.1f} x", "steps/s")


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
        rates = in_turns(ours.rate, ceiling, lambda: TUTORIAL_STEPS / seconds_of(learn))
    layers = "x".join(map(str, config.hidden))
    what = f"MLP {layers}, {config.epochs} passes, minibatches of {config.batch_size:,}, {_threads(config.threads)}"
    _print_row("training", f"{median(rates[0]):,.0f}", what)
    _print_row("  against", "", ", ".join(f"{name} {weight:g}" for name, weight in config.opponents.items()))
    _print_row("  of which", "", ", ".join(f"{part} {share:.0%}" for part, share in ours.profile()))
    part = median(mine / most for mine, most in zip(rates[0], rates[1], strict=True))
    _print_row("  gradient steps alone (ceiling)", f"{median(rates[1]):,.0f}", f"{part:.0%} of it{_aim(game, '60%')}")
    _print_ratio(
        game, Peer("MaskablePPO by PettingZoo's tutorial", lambda: lambda: 0, {peers.AIMED_AT: 15}), rates[0], rates[2]
    )
    _progress("training with other networks")
    for name, number in bench_training.variant_rates(game, config).items():
        _print_row(f"training, {name}", f"{number:,.0f}")
    _progress("the algorithms of the benchmark")
    with tempfile.TemporaryDirectory() as folder:
        measures = bench_training.algorithms(game, Path(folder))
        for name, numbers in zip(measures, in_turns(*measures.values()), strict=True):
            _print_row(f"training, {name}", f"{median(numbers):,.0f}", "as in the benchmark, 1 thread")


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


def _print_search(games: Sequence[str], decisions: int) -> None:
    """Measure agents that think ahead in `games`, in turns with OpenSpiel's tree search in its own."""
    measured, aims, missing = {}, {}, {}
    for game in games:
        for spec, of, aim in bench_search.SEARCHES:
            name = f"{game}, {spec}"
            _progress(f"compiling {name}")
            try:
                measured[name] = bench_search.our_decisions(envs.load(game), spec)
                aims[name] = of, aim
            except (ValueError, ImportError) as error:
                missing[name] = one_line(str(error))
    for peer in bench_search.PEERS:
        name = f"OpenSpiel {peer}, ISMCTSBot"
        try:
            measured[name] = bench_search.open_spiel_decisions(peer)
        except ImportError as error:
            missing[name] = f"{one_line(str(error))}; {HOW_TO_INSTALL['peers']}"
    _progress(f"{decisions} decisions of each, in turns")
    found = bench_search.costs(measured, decisions)
    print(f"sobremesa bench --search: processor time a decision; trees of {bench_search.SIMULATIONS:,} simulations")
    _print_versions()
    print(
        f"commit {commit()}; seed {SEED}; up to {decisions} decisions in {ROUNDS} rounds; one seat of the usual table"
    )
    print()
    print(f"{'':<44}{'decisions':>10}{'median s':>10}{'mean s':>10}{'a second':>10}{'rollouts/s':>12}")
    for name, cost in found.items():
        told = (
            f"{cost.decisions:>10}{cost.median:>10.4f}{cost.mean:>10.4f}{1 / cost.mean:>10,.1f}{cost.rollouts:>12,.0f}"
        )
        of, aim = aims.get(name, ("", 0.0))
        print(f"{name:<44}{told}" + (f"  (aim: {of} under {aim:g} s)" if of else ""), flush=True)
    for name, reason in missing.items():
        print(f"{name:<44}{'not there':>10}  {reason}")
