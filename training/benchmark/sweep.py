"""Many cells: the plan, worker processes, status, and verification."""

import importlib.metadata
import platform
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from sobremesa import agents
from sobremesa.agents.arena.workers import NOTHING, Executor, TaskFiles, run_tasks
from sobremesa.agents.named import Model, Named, check_allowed, programs
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside, text_of, write_whole
from sobremesa.training.benchmark import cells, sandbox, tasks
from sobremesa.training.benchmark.candidates import (
    AGENT,
    LIBRARY,
    OUTSIDE,
    candidate,
    check_no_programs,
    instantiate,
    resolved,
)
from sobremesa.training.benchmark.cells import FILE, POINTS, Cell, CellError, Record

SWEEP = "sweep.json"
LARGEST_SWEEP = 2**26  # bytes
SEEDS, BUDGET = (0, 1, 2, 3, 4), 1_000_000
PACKAGES = ("sobremesa", "numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib")
POOL_APART = 0.1  # most difference of a value among the pool with other versions, two standard errors of 200 deals
LOOK_EVERY = 2.0  # seconds between two polls of running cells
_WEIGHT_OF_AGENT = 10_000  # weight of an agent that does not learn in the progress bar, in decisions

Progress = Callable[[int, int, str], None]  # (decisions done, total, activity)


class _Sweep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tasks of workers, in a file of their folder."""

    cells: list[Cell]
    commit: str
    command: str


def plan(
    specs: Sequence[str],
    named: Sequence[str] = (),
    seeds: Sequence[int] = SEEDS,
    budget: int = BUDGET,
    points: int = POINTS,
) -> list[Cell]:
    """Return the cells of the candidates `specs` at the tasks `named`, seed by seed and task by task.

    Without `named`, these are all playable tasks.

    Raises CandidateError or TaskError for unknown names, ValueError for two candidates of one name.
    """
    candidates = [candidate(spec) for spec in dict.fromkeys(specs)]
    names = [one.name for one in candidates]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two candidates are called {twice[0]}; their cells would lie in one folder")
    at = [tasks.load(name) for name in dict.fromkeys(named)] or tasks.playable()
    found = [
        cells.asked(one, task, seed, budget, points)
        for seed in seeds
        for task in at
        for one in candidates
        if one.fits(task)
    ]
    return list({cell.name: cell for cell in found}.values())  # an agent that does not learn has one cell


def provenance(commit: str, command: str) -> dict[str, str]:
    """Return the versions, machine, commit and command of new cells."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    machine = {"python": platform.python_version(), "machine": _machine()}
    return {**versions, **machine, "commit": commit, "command": command}


def _machine() -> str:
    """Return the name of the processor: others round differently."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{platform.machine()} {named[0] if named else platform.processor()}".strip()


def play(
    out: Path,
    asked: Sequence[Cell],
    commit: str = "unknown",
    command: str = "",
    processes: int = 1,
    progress: Progress | None = None,
    cluster: Executor | None = None,
) -> list[Record]:
    """Run the missing cells of `asked` in `out`, and return all their records.

    Args:
        out: the folder of the cells; one sweep at a time.
        asked: as `plan` returns them.
        commit: of the library.
        command: of the user.
        processes: number of cells to run in parallel.
        progress: called with (decisions done, total, the cell that has ended).
        cluster: run on its machines instead of local processes; see `cluster.joined`.

    Raises:
        CellError: a folder has another cell, or another process works there.
        WorkerFailed: a worker died in a cell.
        WorkerRefused: the disk is full, or the rules have changed.
        ValueError: a function of your own or a bot cannot go to a cluster.
    """
    with cells.locked(out):
        return _play(out, asked, _Sweep(list(asked), commit, command), processes, progress, cluster)


def _play(
    out: Path, asked: Sequence[Cell], sweep: _Sweep, processes: int, progress: Progress | None,
    cluster: Executor | None,
) -> list[Record]:  # fmt: skip
    write_whole(out / SWEEP, content := msgspec.json.encode(sweep))
    along = _cell_files(asked, content) if cluster else NOTHING
    missing = [number for number, cell in enumerate(asked) if not _is_finished(out, cell)]
    weights = [cell.budget or _WEIGHT_OF_AGENT for cell in asked]
    done = sum(weights) - sum(weights[number] for number in missing)

    def count(number: int) -> None:
        nonlocal done
        done += weights[number]
        if progress is not None:
            progress(done, sum(weights), asked[number].name)

    if progress is not None:
        progress(done, sum(weights), "")
    if missing:
        workers = min(processes, len(missing))
        with _watched(out, asked, progress):
            run_tasks(play_cell, str(out.resolve()), missing, workers, count, cluster=cluster, along=along)
    return [cells.read(out / cell.name) for cell in asked]


@contextmanager
def _watched(out: Path, asked: Sequence[Cell], progress: Progress | None) -> Iterator[None]:
    """Report each new point of running cells while the context lasts."""
    ended, seen = threading.Event(), dict[str, tuple[int, Record]]()
    total = sum(cell.budget or _WEIGHT_OF_AGENT for cell in asked)

    def watch() -> None:
        while not ended.wait(LOOK_EVERY):
            for cell in asked:
                written, before = _written(out / cell.name), seen.get(cell.name)
                if not written or (before and before[0] == written):
                    continue
                seen[cell.name] = written, (record := cells.read(out / cell.name))
                if record.status == "running" and record.rows:
                    done = sum(_weight_done(one, seen[one.name][1]) for one in asked if one.name in seen)
                    assert progress is not None
                    progress(done, total, f"{cell.name}: {record.last.decisions:,} decisions, {record.last.score:z.2f}")

    looking = threading.Thread(target=watch, daemon=True)
    if progress is not None:
        looking.start()
    try:
        yield
    finally:
        ended.set()
        if progress is not None:
            looking.join()


def _written(folder: Path) -> int:
    """Return the time of the last write of the cell in `folder`; 0 for a new one."""
    path = folder / FILE
    return path.stat().st_mtime_ns if path.exists() else 0


def _weight_done(cell: Cell, record: Record) -> int:
    if record.status == "running":
        return record.last.decisions if record.rows else 0
    return cell.budget or _WEIGHT_OF_AGENT


def play_cell(folder: str, number: int) -> None:
    """Run cell `number` of the sweep in `folder`, in a worker."""
    sweep = msgspec.json.decode(text_of(read_inside(Path(folder), SWEEP, LARGEST_SWEEP)), type=_Sweep)
    cell = sweep.cells[number]
    made = provenance(sweep.commit, sweep.command)
    cells.run(Path(folder) / cell.name, cell, made, allow_commands=True)  # the user has named it


def _cell_files(asked: Sequence[Cell], content: bytes) -> TaskFiles:
    """Return the files that cells need on other machines; raise ValueError for candidates with local files."""
    for cell in asked:
        one = cell.candidate
        if one.kind == OUTSIDE or (one.kind == AGENT and one.spec not in agents.names(tasks.load(cell.task).rules)):
            raise ValueError(f"{one.spec:.200} is not allowed on a cluster: it runs where its files are")
    return TaskFiles({SWEEP: content}, games=tuple(sorted({tasks.load(cell.task).game for cell in asked})))


def _is_finished(out: Path, cell: Cell) -> bool:
    record = cells.found(out / cell.name, cell)
    return record is not None and record.status == "finished"


def records(out: Path) -> list[Record]:
    """Return the records of all cells in `out`; raise CellError if one is damaged, or there are none."""
    if not out.is_dir():
        raise CellError(f"{out}: no folder of a benchmark; `sobremesa benchmark run --out {out}` makes one")
    found = [cells.read(path.parent) for path in sorted(out.glob(f"*/*/*/{FILE}"))]
    if not found:
        raise CellError(f"{out}: there are no cells; `sobremesa benchmark run --out {out}` makes some")
    return found


def records_so_far(out: Path) -> list[Record]:
    """Return the records of all cells in `out`, none if there are no cells; raise CellError if one is damaged."""
    return records(out) if out.is_dir() and any(out.glob(f"*/*/*/{FILE}")) else []


class Standing(NamedTuple):
    """Progress of a candidate."""

    candidate: str
    finished: int
    running: int  # or interrupted
    failed: int
    decisions: int  # so far
    cpu: float  # CPU seconds of learning so far
    left: float  # estimated CPU seconds left in its running cells


def standings(found: Sequence[Record]) -> list[Standing]:
    """Return the progress of each candidate by name."""
    by_name: dict[str, list[Record]] = {}
    for record in found:
        by_name.setdefault(record.cell.candidate.name, []).append(record)
    return [_standing(name, mine) for name, mine in sorted(by_name.items())]


def _standing(name: str, mine: Sequence[Record]) -> Standing:
    decisions = sum(record.last.decisions for record in mine if record.rows)
    cpu = sum(record.last.cpu for record in mine if record.rows)
    wanted = sum(record.cell.budget for record in mine if record.status == "running")
    reached = sum(record.last.decisions for record in mine if record.status == "running" and record.rows)
    finished, running, failed = (
        sum(record.status == status for record in mine) for status in ("finished", "running", "failed")
    )
    return Standing(name, finished, running, failed, decisions, cpu, (wanted - reached) * cpu / max(decisions, 1))


class Verdict(NamedTuple):
    """Result of a verification."""

    same: bool  #: all results, or with other versions the last score within the intervals
    differences: tuple[str, ...]  #: differences in words
    record: Record  #: of the new run
    limits: tuple[str, ...] | None = None  #: restrictions that the sandbox applied; None: it ran outside a sandbox


def verify(record: Record, made: dict[str, str], *, allow_commands: bool = False, confined: bool = False) -> Verdict:
    """Run the finished cell of `record` again and compare.

    A learning function, an external agent or a language model starts only with `allow_commands`; else NotAllowed is
    raised. Functions and external agents run in the sandbox (sandbox.py), with `confined` every cell. Raises CellError
    for an unfinished cell, TaskError for a changed task, CandidateError for a missing function, a name that means
    another kind than the cell states, or a configuration with an external program.
    """
    if record.status != "finished":
        raise CellError(f"{record.cell.name}: is {record.status}; verify a finished cell")
    check(record)
    cell, found = record.cell, list[Named]()
    if cell.candidate.kind == LIBRARY:
        check_no_programs(cell.candidate.keys, cell.name)
    else:
        found = programs(instantiate(cell.candidate))
        if not allow_commands:
            check_allowed(found, cell.name)
        resolved(cell.candidate)
    with tempfile.TemporaryDirectory(prefix="sobremesa-cell-") as scratch:
        if confined or any(not isinstance(one, Model) for one in found):
            ran = sandbox.run(Path(scratch), cell, made)
            return _compared(record, ran.record, ran.rebuilt, made)._replace(limits=ran.limits)
        again = cells.run(Path(scratch) / "cell", cell, made, allow_commands=allow_commands)
    return _compared(record, again, cells.rebuilt(cell), made)


def check(record: Record) -> None:
    """Raise CellError if a point of `record` cannot be a result of its task; TaskError for a task of another suite."""
    task = cells.task_of(record.cell)
    for row in record.rows:
        try:
            why = tasks.misfit_of(task, row)
        except tasks.PoolError as error:
            raise CellError(f"{record.cell.name}: {error}") from None
        if why:
            raise CellError(f"{record.cell.name}, {row.decisions:,} decisions: {why}")


def _compared(record: Record, again: Record, rebuilt: tuple[str, ...], made: dict[str, str]) -> Verdict:
    """Return the verdict on `record` after the run `again` with the versions `made`."""
    if again.status == "failed":
        return Verdict(False, (*rebuilt, f"failed: {one_line(again.why)}"), again)
    other = [f"made with other versions: {one}" for one in cells.differences(record.made, made)]
    if again.seal == record.seal:
        return Verdict(True, (*rebuilt, *other), again)
    if bool(again.last.pool) != bool(record.last.pool) and _without_pool(again) == _without_pool(record):
        where = "then" if again.last.pool else "here"
        return Verdict(True, (*rebuilt, *other, f"the held-out pool was missing {where}; all else is the same"), again)
    unlike = _differences(record, again)
    if rebuilt or not other or record.met != again.met:
        return Verdict(False, (*rebuilt, *other, *unlike), again)
    then, now, task = record.last, again.last, cells.task_of(record.cell)
    low, high = tasks.interval_of(task, now.value, now.low, now.high)
    pools = then.pool.keys() == now.pool.keys() or not (then.pool and now.pool)
    near = pools and all(abs(value - now.pool.get(name, value)) <= POOL_APART for name, value in then.pool.items())
    return Verdict(low <= then.score <= high and near, (*other, *unlike), again)


def _without_pool(record: Record) -> str:
    """Return the seal of `record` as it would be without the held-out pool."""
    rows = [msgspec.structs.replace(row, pool={}) for row in record.rows]
    return msgspec.structs.replace(record, rows=rows).sealed()


def _differences(then: Record, now: Record) -> tuple[str, ...]:
    """Return in words the differences between two runs of a cell."""
    differences = []
    if len(then.rows) != len(now.rows):
        differences.append(f"{len(now.rows)} points, then {len(then.rows)}")
    for one, other in zip(then.rows, now.rows, strict=False):
        if one.lasting() != other.lasting():
            where = f"{other.decisions:,} decisions (then {one.decisions:,})"
            differences.append(f"first at {where}: {other.score:.4f}, then {one.score:.4f}")
            break
    differences.append(f"at last {now.last.score:.4f} ({now.last.low:.4f} to {now.last.high:.4f}), "
                f"then {then.last.score:.4f} ({then.last.low:.4f} to {then.last.high:.4f})")  # fmt: skip
    if then.last.pool != now.last.pool:
        differences.append(f"among the pool {now.last.pool}, then {then.last.pool}")
    if then.met != now.met:
        differences.append(f"met {', '.join(now.met) or 'no agent'}, then {', '.join(then.met) or 'no agent'}")
    if then.weights != now.weights:
        differences.append(f"weights {now.weights[:16]}, then {then.weights[:16]}")
    return tuple(differences)


def expected(asked: Sequence[Cell], found: Sequence[Record]) -> float:
    """Return the estimated CPU seconds of the cells `asked` from the records `found`; nan without any."""
    rates = {one.candidate: one.cpu / one.decisions for one in standings(found) if one.decisions}
    if not rates:
        return float("nan")
    mean = sum(rates.values()) / len(rates)
    return sum(cell.budget * rates.get(cell.candidate.name, mean) for cell in asked if cell.candidate.kind != AGENT)
