"""Engines: they do numbered tasks in any order, and report failed ones.

A `Pool` has worker processes on this machine, spawned, of one thread each; no task is lost if one dies. cluster.py has
the engine for the machines of a cluster, `Alone` does the tasks in this process.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sobremesa.envs.core.errors import ArgumentError, check_count, file_error, one_line

ATTEMPTS = 3  # at a task whose worker dies, or that fails on a cluster
ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PATIENCE = 10.0  # seconds for a worker to clean up after itself
_MOST_TOLD, _LONGEST_TOLD = 5, 160  # failed tasks in a message, and characters of each reason

Work = Callable[[str, int], None]  # (folder of all tasks, number of the task); pickled by name


class WorkerFailed(RuntimeError):
    """A task that raised in its worker, or killed its workers."""


class WorkerExit(SystemExit):
    """A worker must end; the task is not at fault."""


class WorkerRefused(WorkerFailed, ValueError):
    """A task that failed for a reason outside the program, such as a full disk."""


class TaskFiles(NamedTuple):
    """Files and conditions of tasks on a machine without a shared disk."""

    files: Mapping[str, bytes] = {}  #: content of the task's folder there, by name
    bots: Mapping[str, Path] = {}  #: folders of bots, by their names in the tasks
    games: tuple[str, ...] = ()  #: whose rules must be the same there
    prepare: Callable[[str], None] | None = None  #: called with such a folder, once per machine, before its first task


NOTHING = TaskFiles()


@dataclass(frozen=True, kw_only=True)
class Machines:
    """Where matches are played: in this process, by worker processes, or on a cluster.

    Raises ArgumentError for arguments that cannot be combined.
    """

    processes: int | None = None  #: workers on this machine; None: this process, in a tournament one per core
    cluster: str | None = None  #: address of the Ray cluster
    piece: int | None = None  #: deals in one unit of their work; None chooses

    def __post_init__(self) -> None:
        names = {"processes": None, "cluster": None}
        check_count("processes", self.processes)
        check_count("piece", self.piece)
        if self.cluster is not None and self.processes is not None:
            raise ArgumentError("{processes} and {cluster} cannot be combined; give one of them", **names)
        if self.piece is not None and self.cluster is None and self.processes is None:
            raise ArgumentError("{piece} needs {processes} or {cluster}; give one of them", piece=None, **names)


THIS_PROCESS = Machines()


class Ended(NamedTuple):
    """A task that has ended."""

    task: int
    failure: WorkerFailed | None = None


class Engine(Protocol):
    """The interface of an engine: tasks start in the order of submission, and end in any order."""

    goes_on: bool  #: whether it continues after a failed task

    @property
    def width(self) -> int:
        """Number of tasks in parallel."""

    def submit(self, task: int) -> None:
        """Add a task; each is submitted once."""

    def take(self) -> Ended:
        """Wait for a task to end, and return it: once for each submitted one."""

    def close(self) -> None:
        """Drop the unfinished tasks and end all workers."""


class Executor(Protocol):
    """Machines that do tasks (`cluster.Cluster`)."""

    def engine(self, work: Work, given: str, along: TaskFiles) -> Engine:
        """Return an engine whose machines do `work`, and write its files into `given`."""


def run_tasks(
    work: Work, given: str, tasks: Sequence[int], processes: int, done: Callable[[int], None], *,
    cluster: Executor | None = None, along: TaskFiles = NOTHING,
) -> None:  # fmt: skip
    """Have `processes` workers do `work(given, task)` for all `tasks`, in any order; call `done(task)` after each.

    If a worker dies, another one gets its task. Raises WorkerFailed for a task that raises or that killed `ATTEMPTS`
    workers, WorkerRefused for one that raises ValueError, OSError or MemoryError. All workers end in any case.

    With a `cluster` its machines do the tasks: `work` gets its own folder with the files of `along`, and the files
    that it writes are in the folder `given` before `done` is called. A failed task is repeated up to `ATTEMPTS` times;
    once all others are done, WorkerRefused names the failed ones.
    """
    engine = Pool(work, given, processes) if cluster is None else cluster.engine(work, given, along)
    with contextlib.closing(engine):
        Queue(engine, tasks).do(tasks, done)


class Queue:
    """Tasks of an engine, in the order of their start: all together, or `ahead` for each worker."""

    def __init__(self, engine: Engine, tasks: Iterable[int], ahead: int | None = None) -> None:
        self._engine, self._ahead = engine, ahead
        self._waiting = deque(tasks)
        self._submitted = 0  # and not ended
        self._ended: dict[int, WorkerFailed | None] = {}

    def do(self, wanted: Collection[int], done: Callable[[int], None]) -> None:
        """Wait until all `wanted` tasks have ended; call `done` after each task. Raises as `run_tasks`."""
        left = set(wanted) - self._ended.keys()
        while left:
            while self._waiting and (self._ahead is None or self._submitted < self._ahead * self._engine.width):
                self._engine.submit(self._waiting.popleft())
                self._submitted += 1
            task, failure = self._engine.take()
            self._submitted -= 1
            if failure is not None and not self._engine.goes_on:
                raise failure
            self._ended[task] = failure
            left.discard(task)
            if failure is None:
                done(task)
        if failed := [failure for task in wanted if (failure := self._ended[task]) is not None]:
            raise error_of_failed(failed, len(wanted))


def error_of_failed(failed: Sequence[WorkerFailed], tasks: int) -> WorkerRefused:
    """Return the error for `failed` tasks, of `tasks` in all, of which the others are done."""
    more = f"; and {len(failed) - _MOST_TOLD} more" if len(failed) > _MOST_TOLD else ""
    shown = "; ".join(one_line(str(one), _LONGEST_TOLD) for one in failed[:_MOST_TOLD])
    return WorkerRefused(f"{len(failed)} of {tasks} tasks failed, the others are done and kept: {shown}{more}")


class Pool:
    """The engine of this machine: `width` processes do `work(given, task)`; the errors are those of `run_tasks`."""

    goes_on = False

    def __init__(self, work: Work, given: str, width: int) -> None:
        self.width = width
        self._work, self._given = work, given
        self._waiting: deque[int] = deque()
        self._died: Counter[int] = Counter()
        self._busy: dict[Any, tuple[_Worker, int]] = {}  # by the worker's pipe
        self._idle: list[_Worker] = []
        self._ended: deque[Ended] = deque()

    def submit(self, task: int) -> None:
        """Add a task."""
        self._waiting.append(task)
        self._start_worker()

    def take(self) -> Ended:
        """Wait for a task to end, and return it."""
        while not self._ended:
            for pipe in connection.wait(list(self._busy)):
                worker, task = self._busy.pop(pipe)
                try:
                    failure = worker.pipe.recv()
                except (EOFError, OSError):  # it has died
                    worker.end()
                    self._died[task] += 1
                    if self._died[task] < ATTEMPTS:
                        self._waiting.appendleft(task)
                    else:
                        code = worker.process.exitcode
                        why = f"{ATTEMPTS} worker processes died at task {task}, the last of them with exit code {code}"
                        self._ended.append(Ended(task, WorkerFailed(why)))
                    continue
                self._idle.append(worker)
                if failure is not None:
                    kind, why = failure
                    failure = kind(f"task {task} failed in its worker process{why}")
                self._ended.append(Ended(task, failure))
            self._start_worker()
        return self._ended.popleft()

    def close(self) -> None:
        """End all workers."""
        everybody = [*self._idle, *(worker for worker, _ in self._busy.values())]
        for worker in everybody:
            worker.process.terminate()
        for worker in everybody:
            worker.end()

    def _start_worker(self) -> None:
        while self._waiting and len(self._busy) < self.width:
            worker, task = self._idle.pop() if self._idle else self._started(), self._waiting.popleft()
            self._busy[worker.pipe] = (worker, task)
            worker.give(task)

    def _started(self) -> "_Worker":
        return _Worker(self._work, self._given)


class Alone:
    """The engine of this process: a task is done when it is taken, and its errors are raised there."""

    goes_on = False
    width = 1

    def __init__(self, work: Work, given: str) -> None:
        self._work, self._given = work, given
        self._waiting: deque[int] = deque()

    def submit(self, task: int) -> None:
        """Add a task."""
        self._waiting.append(task)

    def take(self) -> Ended:
        """Do the first task that waits."""
        self._work(self._given, self._waiting[0])
        return Ended(self._waiting.popleft())

    def close(self) -> None:
        """Drop the unfinished tasks."""
        self._waiting.clear()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, work: Work, given: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work, given), daemon=True)
        with _one_thread(), _ignoring_interrupts():
            self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def give(self, task: int) -> None:
        with contextlib.suppress(OSError):  # a dead worker is noticed when its pipe is read
            self.pipe.send(task)

    def end(self) -> None:
        """End the process, if it has not ended."""
        self.process.terminate()
        self.process.join(_PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.pipe.close()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Limit processes that start within to one thread each."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Let processes that start within ignore Ctrl-C from the beginning."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which each start would see to, and unblock Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Any, work: Work, given: str) -> None:
    """Do the tasks from `pipe`; answer each with None, or its error as in `run_tasks`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            failure: tuple[type[WorkerFailed], str] | None = None
            try:
                work(given, task)
            except (ValueError, OSError, MemoryError) as error:
                words = file_error(error) if isinstance(error, OSError) else error
                failure = (WorkerRefused, f": {one_line(f'{type(error).__name__}: {words}')}")
            except Exception:
                failure = (WorkerFailed, f"\n{traceback.format_exc()}")
            pipe.send(failure)


def _leave(*_: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise WorkerExit(1)  # so that child processes of the task end with it


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(_PATIENCE)
    os._exit(1)
