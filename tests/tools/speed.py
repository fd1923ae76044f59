"""Speed of training and of search decisions on one thread, alone or in turns with another checkout.

    python tests/tools/speed.py training                         # all games, as `sobremesa train GAME` trains them
    python tests/tools/speed.py search estafado                  # of one game
    python tests/tools/speed.py training --beside ../old         # ratios to the checkout in ../old, with its own .venv

A number is decisions a CPU second: of the learner, or of a search at one seat among `strong`. Each checkout measures in
its own process, round by round in turns (A B A B). Printed are the median with the minimum and maximum of the rounds,
and the same of the ratio within a round. Other load on the machine changes caches and clock rates, so compare on a
quiet machine.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

ROUNDS = 5
SECONDS = 4.0  # of CPU time in a round
SEARCHES = ("search(strong)", "search(trained)", "ismcts()")
MANY_STEPS = 10**12  # more than are measured: no batch is cut short
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

Work = Callable[[], int]  # does some decisions and returns their number


def training(name: str, folder: Path) -> dict[str, Work]:
    """Return by name of the algorithm a function that makes an update."""
    from sobremesa.training.config.classes import default_for, from_dict
    from sobremesa.training.config.registry import find, resolved

    config = from_dict(default_for(name) | {"steps": MANY_STEPS, "threads": 1, "evaluate_against": ["random"]})
    run = resolved(find(config.algorithm).loop)(config, folder, None, None)

    def update() -> int:
        before = run.steps
        run.update()
        return int(run.steps - before)

    return {config.algorithm: update}


def search(name: str, folder: Path) -> dict[str, Work]:
    """Return by name of the search a function that plays until its next decision."""
    from sobremesa import agents, envs
    from sobremesa.envs.core.deal import deal_between

    game = envs.load(name)
    strong = agents.load("strong", game)

    def plies(spec: str) -> Iterator[int]:
        seats = game.default_seats
        for seed in count():
            searching = seed % seats
            seated = [agents.load(spec, game) if seat == searching else strong for seat in range(seats)]
            for ply in deal_between(game, seated, seed):
                yield int(ply.seat == searching)

    def decide(spec: str) -> Work:
        played = plies(spec)
        return lambda: next(one for one in played if one)

    return {spec: decide(spec) for spec in SEARCHES}


def serve(kind: str, name: str) -> None:
    """Measure a round for each line of standard input, and answer with decisions a CPU second as JSON."""
    with TemporaryDirectory() as folder:
        works = {"training": training, "search": search}[kind](name, Path(folder))
        for work in works.values():
            work()  # compiles
        for _ in sys.stdin:
            print(json.dumps({called: _rate(work) for called, work in works.items()}), flush=True)


def _rate(work: Work) -> float:
    done, began = 0, process_time()
    while process_time() - began < SECONDS:
        done += work()
    return done / (process_time() - began)


def measure(kind: str, game: str, checkouts: Sequence[Path]) -> list[dict[str, list[float]]]:
    """Return for each checkout the numbers of all rounds, by name."""
    with ExitStack() as stack:
        workers = [stack.enter_context(_worker(kind, game, checkout)) for checkout in checkouts]
        rounds = [[_asked(worker) for worker in workers] for _ in range(ROUNDS)]
    return [{name: [one[place][name] for one in rounds] for name in rounds[0][place]} for place in range(len(workers))]


def _worker(kind: str, game: str, checkout: Path) -> "subprocess.Popen[str]":
    python, script = _python(checkout), str(Path(__file__).resolve())
    command = [str(python) if python.exists() else sys.executable, script, kind, game, "--serve"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, **pipes, text=True, cwd=checkout, env=os.environ | ONE_THREAD)


def _python(checkout: Path) -> Path:
    return checkout / ".venv" / "bin" / "python"


def _asked(worker: "subprocess.Popen[str]") -> dict[str, float]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write("\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise SystemExit("a measuring process ended early; its error stands above")
    return dict(json.loads(line))


def lines_of(game: str, found: list[dict[str, list[float]]]) -> Iterator[str]:
    """Yield a line for each number; with two checkouts also of the ratio of the first one to the second one."""
    for name, numbers in found[0].items():
        line = f"{game:<20}{name:<24}{spread(numbers, ',.1f'):>36}"
        if len(found) > 1 and name in found[1]:
            ratios = [mine / other for mine, other in zip(numbers, found[1][name], strict=True)]
            line += f"{spread(found[1][name], ',.1f'):>36}{spread(ratios, '.2f'):>26}"
        yield line


def spread(numbers: Sequence[float], form: str) -> str:
    """Return the median, the minimum and the maximum of `numbers`."""
    return f"{median(numbers):{form}} ({min(numbers):{form}} to {max(numbers):{form}})"


def main() -> None:
    """Print a table."""
    from sobremesa import envs

    parser = argparse.ArgumentParser(prog="python tests/tools/speed.py", description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("training", "search"), help="what is measured")
    parser.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another checkout, with its own .venv")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.kind, *arguments.games)
        return
    if arguments.beside and not _python(arguments.beside).exists():
        parser.error(f"--beside {arguments.beside}: there is no .venv/bin/python; install that checkout first")
    checkouts = [Path(__file__).resolve().parents[2], *([arguments.beside.resolve()] if arguments.beside else [])]
    print(f"{ROUNDS} rounds of {SECONDS:g} CPU s: median (minimum to maximum)")
    print(f"{'':<44}{'decisions a CPU second':>36}" + (f"{'beside':>36}{'ratio':>26}" if arguments.beside else ""))
    for game in arguments.games or envs.games():
        print("\n".join(lines_of(game, measure(arguments.kind, game, checkouts))), flush=True)


if __name__ == "__main__":
    main()
