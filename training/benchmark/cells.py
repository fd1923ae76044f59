"""Cells: one candidate, task, seed and budget, in a folder that can be resumed and verified.

`cell.json` has the request, versions, and the curve so far, written atomically after each point. An algorithm of the
library has its run in `run/`, and resumes from there with identical results; any other starts again.
"""

import errno
import hashlib
import json
import shlex
import shutil
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sobremesa import agents
from sobremesa.agents.arena.workers import WorkerExit
from sobremesa.agents.named import Function, NotAllowed, check_allowed
from sobremesa.agents.stored import Count, Whole, format_problem, read_object, structured
from sobremesa.envs.core import files
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import write_whole
from sobremesa.training.benchmark import tasks
from sobremesa.training.benchmark.candidates import (
    AGENT,
    LIBRARY,
    Candidate,
    CandidateError,
    Learn,
    agents_in,
    candidate,
    identity_of,
    learning,
    resolved,
)
from sobremesa.training.benchmark.practice import Practice
from sobremesa.training.benchmark.tasks import SUITE, Task, TaskError

FORMAT = 1
FILE, RUN, ERROR, LOCK = "cell.json", "run", "error.txt", "lock"
POINTS = 5  # of a curve
LONGEST_REASON = 300
_PLACES = ("--out", "--json")  # options of commands that are local
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class CellError(ValueError):
    """A folder without a valid cell, or with another cell; the message has the reason."""


class Cell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The request: all that the results of a cell depend on, apart from versions."""

    suite: str
    task: str
    task_digest: str
    candidate: Candidate
    identity: str  #: `identity` of an agent, digest of a function's file and dataset; "" for the library's algorithms
    seed: Annotated[int, Meta(ge=0, lt=2**31)]
    budget: Whole  #: decisions; 0 for an agent that does not learn
    points: Count  #: points of the curve

    @property
    def name(self) -> str:
        """The cell's folder within that of a benchmark."""
        at = f"seed-{self.seed}-of-{self.budget}" if self.budget else "as-it-is"
        return f"{self.candidate.name}/{self.task}/{at}"


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A point of a curve: a score after so many decisions."""

    decisions: Whole
    cpu: float  #: CPU seconds of learning so far, of all threads, without scoring
    seconds: float  #: wall-clock seconds of learning so far, without scoring
    score: float  #: 0 as `random`, 1 as `strong`
    low: float  #: lower end of the 95 % interval of `score`
    high: float  #: upper end
    value: float  #: mean win rate, or success rate
    against: dict[str, float]  #: value by opponent; of a team {"": value}
    pool: dict[str, float] = {}  #: values among the held-out pool; {} where its files were missing
    plies: float  #: mean length of a deal
    forfeits: Whole  #: deals that the agent forfeited

    def lasting(self) -> dict[str, Any]:
        """Return all fields without the times, which a verified cell reproduces."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if name not in ("cpu", "seconds")}


class Record(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A cell and its results."""

    cell: Cell
    made: dict[str, str]  #: versions, machine, commit and command
    status: Literal["running", "finished", "failed"] = "running"
    rows: list[Row] = []
    weights: str = ""  #: digest of the last weights, of an algorithm of the library
    met: list[str] = []  #: agents that training met or imitated, as far as configuration or environments tell
    why: str = ""  #: reason of a failure
    seal: str = ""  #: digest of cell, rows and weights, once it is finished

    @property
    def last(self) -> Row:
        """The last point of the curve."""
        return self.rows[-1]

    def sealed(self) -> str:
        """Return the digest for `seal`."""
        content = [msgspec.to_builtins(self.cell), [row.lasting() for row in self.rows], self.weights, self.met]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def asked(one: Candidate, task: Task, seed: int, budget: int, points: int = POINTS) -> Cell:
    """Return the cell of a candidate; an agent that does not learn has neither seed nor budget.

    Raises ValueError for an invalid seed, or the seed of the task's deals.
    """
    if not 0 <= seed < 2**31 or seed in (task.seed, task.seed + 1):  # the second one is that of the pool's deals
        raise ValueError(
            f"seed={seed} is not allowed; it takes a whole number below 2**31, not that of the task's deals"
        )
    if one.kind == LIBRARY:
        agents_in(one.keys, task)  # raises for the pool
    still = one.kind == AGENT
    return Cell(
        suite=SUITE,
        task=task.name,
        task_digest=task.digest(),
        candidate=one,
        identity=identity_of(one, task),
        seed=0 if still else seed,
        budget=0 if still else budget,
        points=1 if still else points,
    )


def read(folder: Path) -> Record:
    """Return the record of the cell in `folder`; raise CellError if there is no valid one."""
    return checked(read_object(folder / FILE, "benchmark cell", FORMAT, CellError, inside=True), folder / FILE)


def checked(found: dict[str, Any], where: Path | str) -> Record:
    """Return `found`, as read from JSON, as a record; raise CellError if it is invalid or its seal is broken."""
    if wrong := format_problem(found, "benchmark cell", FORMAT):
        raise CellError(f"{where}: {wrong}")
    record = structured({key: value for key, value in found.items() if key != "format"}, Record, where, CellError)
    if record.status == "finished" and (not record.rows or record.seal != record.sealed()):
        raise CellError(f"{where}: changed or damaged: its seal does not fit it")
    return record


def task_of(cell: Cell) -> Task:
    """Return the task of `cell`; raise TaskError if the suite has changed or dropped it."""
    if cell.suite != SUITE:
        raise TaskError(f"{cell.name} is of the suite {cell.suite!r:.50}; this version of Sobremesa has {SUITE}")
    task = tasks.load(cell.task)
    if task.digest() != cell.task_digest:
        raise TaskError(f"{cell.name} was made with another {cell.task} ({cell.task_digest}, now {task.digest()})")
    return task


def run(folder: Path, cell: Cell, made: dict[str, str], *, allow_commands: bool = False) -> Record:
    """Run or resume `cell` in `folder` and return its record; a finished one is returned as it is.

    A learning function, an external agent or a language model starts only with `allow_commands`.

    A cell of other versions starts again. If the candidate raises an error the cell is `failed`, and the next call
    starts it again.

    Raises:
        CellError: the folder has another cell, or is in use.
        NotAllowed: it would start a program without `allow_commands`.
        TaskError: the task has changed since the request. OSError, MemoryError: the disk or memory is full; the points
        so far are kept.
    """
    task = task_of(cell)
    tasks.check(task)
    with locked(folder):
        record = _begun(folder, cell, made)
        if record.status == "finished":
            return record
        course = _Course(folder, record, task, allow_commands)
        try:
            course.go()
        except (TaskError, CellError, NotAllowed, MemoryError, WorkerExit):
            raise
        except (Exception, SystemExit) as error:  # an error of a candidate must not stop the others
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise
            write_whole(folder / ERROR, traceback.format_exc())
            record.status, record.why = "failed", one_line(f"{type(error).__name__}: {error}", LONGEST_REASON)
            _write(folder, record)
            return record
        record.status, record.seal = "finished", record.sealed()
        _write(folder, record)
        return record


def found(folder: Path, cell: Cell) -> Record | None:
    """Return the record of `cell` in `folder`, None if it is new; raise CellError if there are other files."""
    if not (folder / FILE).exists():
        there = folder.iterdir() if folder.is_dir() else ()
        if others := sorted(path.name for path in there if path.name != LOCK and ".partial" not in path.name):
            raise CellError(f"{folder}: holds {others[0]!r:.60} and no cell; choose another folder with --out")
        return None
    record = read(folder)
    if record.cell != cell:
        named = [name for name in Cell.__struct_fields__ if getattr(record.cell, name) != getattr(cell, name)]
        raise CellError(
            f"{folder}: holds a cell with another {' and '.join(named)}; choose another folder with --out, or remove it"
        )
    return record


def rebuilt(cell: Cell) -> tuple[str, ...]:
    """Return in words whether the function or agent of `cell` has changed; its program may be imported."""
    one = cell.candidate
    if one.kind == LIBRARY:
        return ()
    today = candidate(one.spec)
    if today.kind == one.kind and identity_of(today, task_of(cell)) == cell.identity:
        return ()
    return (f"{one.spec:.200} has changed since then",)


def _begun(folder: Path, cell: Cell, made: dict[str, str]) -> Record:
    """Return the record to resume, or a new one."""
    record = found(folder, cell)
    if record is None:
        record = Record(cell=cell, made=made)
        _write(folder, record)
        return record
    changed = differences(record.made, made)
    if record.status != "finished" and (record.status == "failed" or changed):
        shutil.rmtree(folder / RUN, ignore_errors=True)
        (folder / ERROR).unlink(missing_ok=True)
        record = Record(cell=cell, made=made)
        _write(folder, record)
    return record


def differences(then: dict[str, str], now: dict[str, str]) -> list[str]:
    """Return in words the differences between the versions of two cells, without the command."""
    names = sorted((then.keys() | now.keys()) - {"command"})
    return [f"{name} {then.get(name)} and {now.get(name)}" for name in names if then.get(name) != now.get(name)]


def without_places(made: dict[str, str]) -> dict[str, str]:
    """Return `made` without local folders in its command, for publication."""
    try:
        words = shlex.split(made.get("command", ""))
    except ValueError:  # not a command line
        return made
    kept = [
        word for before, word in zip(["", *words], words, strict=False)
        if before not in _PLACES and word not in _PLACES and not word.startswith(tuple(f"{one}=" for one in _PLACES))
    ]  # fmt: skip
    return {**made, "command": shlex.join(kept)}


def _write(folder: Path, record: Record) -> None:
    write_whole(folder / FILE, json.dumps({"format": FORMAT, **msgspec.to_builtins(record)}, indent=1))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create and lock the folder; raise CellError if another process has it."""
    with files.locked(folder / LOCK, CellError(f"{folder}: another process is at work there")):
        yield


class _Course:
    """The training of a cell, with a score at each point of the curve."""

    def __init__(self, folder: Path, record: Record, task: Task, allow_commands: bool) -> None:
        self.folder, self.record, self.task, self._allow_commands = folder, record, task, allow_commands
        self.cell = record.cell
        self._start_clock()

    def go(self) -> None:
        """Train to the end."""
        if self.cell.candidate.kind == LIBRARY:  # by its keys, in which no program is named
            self._train_by_library()
            return
        one = resolved(self.cell.candidate)
        if not self._allow_commands:
            check_allowed([one], self.cell.name)
        if isinstance(one, Function):
            self._outside(learning(one))
        else:
            self.look(0, agents.load(one, self.task.rules))

    def look(self, decisions: int, agent: Agent) -> tasks.Score:
        """Score `agent` and write the point into the curve, in place of later ones."""
        cpu, seconds = time.process_time() - self._began[0], time.perf_counter() - self._began[1]
        found = tasks.score(self.task, agent)
        earlier = [row for row in self.record.rows if row.decisions < decisions]
        before = earlier[-1] if earlier else None
        measured = {name: value for name, value in found._asdict().items() if name != "deals"}
        row = Row(
            decisions=decisions,
            cpu=round(cpu + (before.cpu if before else 0.0), 3),
            seconds=round(seconds + (before.seconds if before else 0.0), 3),
            **measured,
        )
        self.record.rows = [*earlier, row]
        _write(self.folder, self.record)
        self._start_clock()
        return found

    def _start_clock(self) -> None:
        """Start the clock of learning, up to the next point."""
        self._began = (time.process_time(), time.perf_counter())

    def _outside(self, learn: Learn) -> None:
        """Run a learning function and score it whenever a part of the budget is spent."""
        cell = self.cell
        practice = Practice(self.task, cell.budget)
        part = max(1, cell.budget // cell.points)
        used, agent, looked = 0, None, 0
        self.record.rows = []  # it cannot resume
        self._start_clock()
        for said, agent in learn(practice, cell.budget, cell.seed):
            used, self.record.met = index(said), sorted(practice.met)
            if not practice.spent <= used <= cell.budget:
                raise CandidateError(
                    f"{cell.candidate.spec} reported {used} decisions; {practice.spent} were counted, of {cell.budget}"
                )
            if used // part > looked // part:
                self.look(used, agent)
                looked = used
        if agent is None:
            raise CandidateError(f"{cell.candidate.spec} returned no agent")
        used, self.record.met = max(used, practice.spent), sorted(practice.met)  # it may have played on
        if used > looked or not self.record.rows:
            self.look(used, agent)

    def _train_by_library(self) -> None:
        """Train by an algorithm of the library, whose evaluations score the task."""
        from sobremesa.training.benchmark import library  # loading PyTorch is not learning

        self._start_clock()
        cell = self.cell
        self.record.met = agents_in(cell.candidate.keys, self.task)
        given = {**cell.candidate.keys, "seed": cell.seed, "steps": cell.budget}
        config = library.configured(given, self.task, cell.points)
        self.record.weights = library.train(config, self.task, self.folder / RUN, self.look)
