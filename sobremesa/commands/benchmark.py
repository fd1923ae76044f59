"""Compare learning algorithms on a suite of tasks.

A task is a game with one setup, scored against frozen agents on held-out deals: 0 is `random`, 1 is `strong`. A cell is
one algorithm on one task with one seed and one budget of decisions. Each cell has its own folder, resumes after an
interruption, and can be verified by running it again.
"""

import argparse
import math
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from sobremesa.agents.arena.cluster import joined
from sobremesa.agents.arena.workers import Machines
from sobremesa.arguments import add_allowing, add_cluster, count, whole
from sobremesa.commit import command, commit
from sobremesa.configs import benchmark as configs
from sobremesa.envs.core.compile.threads import cores
from sobremesa.envs.core.errors import how_to_install
from sobremesa.progress import progress
from sobremesa.report.tables import aligned, folded
from sobremesa.training.benchmark import cells, published, sweep, tasks
from sobremesa.training.benchmark.cells import Cell, Record
from sobremesa.training.benchmark.comparison import compare

EXAMPLE = "sobremesa benchmark run --algorithms ppo_selfplay mine.py:learn --tasks estafado-fox --budget 100_000"
OUT = Path("runs/benchmark")
MOST_SCORES = 20  # printed at the end of a run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: an action with its own options."""
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action", help="action, with its own --help")

    def action(name: str, does: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        doc = str(does.__doc__).partition("\n")[0]
        sub = actions.add_parser(name, help=doc[0].lower() + doc[1:].rstrip("."), description=doc)
        sub.set_defaults(does=does)
        sub.add_argument(
            "--out", type=Path, metavar="DIR", default=OUT, help="folder of the cells (default: %(default)s)"
        )
        return sub

    _add_cells(action("plan", _plan))
    add_cluster(running := action("run", _run))
    _add_cells(running)
    running.add_argument("--processes", type=count, help=f"cells that run in parallel (default: {cores()})")
    action("status", _status)
    report = action("report", _report)
    report.add_argument("--published", action="store_true", help="add the published results (default: off)")
    action("publish", _publish).add_argument(
        "--to", type=Path, metavar="DIR", default=published.FOLDER,
        help="folder of the published files (default: that of the library)",
    )  # fmt: skip
    verify = action("verify", _verify)
    verify.add_argument(
        "cells", nargs="+", metavar="CELL", help="folder of a cell, or ALGORITHM/TASK/CELL below DIR or published"
    )
    add_allowing(verify, "the cell")


def _add_cells(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that select cells."""
    parser.add_argument(
        "--algorithms", nargs="+", metavar="ALGORITHM", default=configs.names(),
        help=f"of {', '.join(configs.names())}; or a TOML file, a learning function FILE.py:FUNCTION or "
        "package.module:FUNCTION, or an agent to score without training (default: all shipped algorithms)",
    )  # fmt: skip
    parser.add_argument(
        "--tasks",
        nargs="+",
        metavar="TASK",
        default=[],
        help=f"of {', '.join(task.name for task in tasks.suite())}, or of an installed game (default: all of the "
        "former whose game still has their version)",
    )
    parser.add_argument(
        "--seeds", nargs="+", type=whole, default=list(sweep.SEEDS), help="seeds of training (default: %(default)s)"
    )
    parser.add_argument(
        "--budget", type=count, default=sweep.BUDGET, help="training decisions per cell (default: %(default)s)"
    )
    parser.add_argument(
        "--points", type=count, default=cells.POINTS, help="evaluations per learning curve (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the action."""
    return int(arguments.does(arguments))


def _asked(arguments: argparse.Namespace) -> list[Cell]:
    given = (arguments.algorithms, arguments.tasks, arguments.seeds, arguments.budget, arguments.points)
    return sweep.plan(*given)


def _plan(arguments: argparse.Namespace) -> int:
    """Print the cells to run and the expected time."""
    asked, found = _asked(arguments), sweep.records_so_far(arguments.out)
    states = {record.cell.name: record.status for record in found if record.cell in asked}
    rows = [["algorithm", "cells", "finished", "decisions"]]
    for name in dict.fromkeys(cell.candidate.name for cell in asked):
        mine = [cell for cell in asked if cell.candidate.name == name]
        done = sum(states.get(cell.name) == "finished" for cell in mine)
        rows.append([name, str(len(mine)), str(done), f"{sum(cell.budget for cell in mine):,}"])
    print("\n".join(aligned(rows)))
    left = sweep.expected([cell for cell in asked if states.get(cell.name) != "finished"], found)
    took = "the time is unknown until a cell has run" if math.isnan(left) else f"about {_hours(left)} of CPU to learn"
    print(f"{len(asked)} cells of {tasks.SUITE} in {arguments.out}; {took}, plus scoring")
    return 0


def _run(arguments: argparse.Namespace) -> int:
    """Run the missing cells and resume interrupted ones."""
    Machines(processes=arguments.processes, cluster=arguments.cluster)  # raises for both
    asked = _asked(arguments)
    again = command()
    print(f"{len(asked)} cells in {arguments.out}; Ctrl-C stops and keeps the points of each curve.", flush=True)
    try:
        with joined(arguments.cluster) as cluster, progress("benchmark") as update:
            processes = arguments.processes or cores()

            def moved(done: int, total: int, doing: str) -> None:
                update(done, total, f"{doing} ({cluster.told()})" if cluster else doing)

            found = sweep.play(arguments.out, asked, commit(), again, processes, moved, cluster)
    except KeyboardInterrupt:
        print(f"stopped; to resume: {again}")
        return 130
    failed = [record for record in found if record.status == "failed"]
    for record in failed:
        print(f"{record.cell.name} failed: {record.why} (see {arguments.out / record.cell.name / cells.ERROR})")
    _print_standings(found)
    finished = [record for record in found if record.status == "finished"]
    if finished:
        print()
        placed = published.placed(compare([*finished, *published.beside(finished)], finished))
        print("\n".join(placed[:MOST_SCORES]))
        if more := len(placed[MOST_SCORES:]):
            print(f"and {more} more")
        print(f"next: {shlex.join(['sobremesa', 'benchmark', 'report', '--published', '--out', str(arguments.out)])}")
    return 1 if failed else 0


def _status(arguments: argparse.Namespace) -> int:
    """Print the progress of the cells."""
    _print_standings(sweep.records(arguments.out))
    return 0


def _print_standings(found: Sequence[Record]) -> None:
    rows = [["algorithm", "finished", "running", "failed", "decisions", "CPU", "CPU left"]]
    for one in sweep.standings(found):
        left = _hours(one.left) if one.running else ""
        rows.append([one.candidate, str(one.finished), str(one.running), str(one.failed), f"{one.decisions:,}",
                     _hours(one.cpu), left])  # fmt: skip
    print("\n".join(aligned(rows)))


def _report(arguments: argparse.Namespace) -> int:
    """Write a page and a table of the finished cells."""
    from sobremesa.report import benchmark_page

    found = sweep.records_so_far(arguments.out)
    own = [record for record in found if record.status == "finished"]
    if arguments.published:
        found += published.beside(own)
    arguments.out.mkdir(parents=True, exist_ok=True)
    made = cells.without_places({"command": command()})["command"]
    compared = benchmark_page.write(arguments.out, found, f"{made} (commit {commit()})", own)
    print("\n".join([*folded(published.by_candidate(compared)), ""]))
    if arguments.published and own:
        print("\n".join(published.placed(compared)))
    page = str(arguments.out / benchmark_page.PAGE)
    if not benchmark_page.has_curves():
        page = f"no page (its curves need the 'train' extra; {how_to_install('train')})"
    print(f"report: {page} and {arguments.out / benchmark_page.TABLE}")
    return 0


def _publish(arguments: argparse.Namespace) -> int:
    """Write complete results into the published files."""
    left_out = published.publish(sweep.records(arguments.out), arguments.to)
    print("".join(f"left out: {line}\n" for line in left_out), end="")
    print(f"{len(published.records(arguments.to))} cells in {arguments.to}")
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    """Run cells again and check that the results agree."""
    made, unlike = sweep.provenance(commit(), command()), 0
    for name in arguments.cells:
        record = published.named(name, arguments.out)
        found = sweep.verify(record, made, allow_commands=arguments.allow_commands)
        unlike += not found.same
        exactly = found.record.seal == record.seal
        words = "identical" if exactly else "the same within its intervals"
        print(f"{record.cell.name}: {words if found.same else 'NOT the same'}")
        print("".join(f"  {line}\n" for line in found.differences), end="")
        if found.limits is not None:
            print(f"  it ran in the sandbox, {' and '.join(found.limits) or 'which only limits memory and time here'}")
    return 1 if unlike else 0


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.2f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"
