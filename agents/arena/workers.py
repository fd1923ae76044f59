"""Worker processes: numbered tasks, done by spawned processes of one thread that may die without a task being lost."""

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection
from typing import Any

from sobremesa.envs.core.errors import one_line

ATTEMPTS = 3  # at a task during which its worker dies
_ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PATIENCE = 10.0  # seconds for a worker to clean up after itself

Work = Callable[[str, int], None]  # (what all tasks are given, number of the task); found by its name in the worker


class WorkerFailed(RuntimeError):
    """A task that raised in its worker, or that no worker lived through."""


class WorkerRefused(WorkerFailed, ValueError):
    """A task that could not be done for a reason that is nobody's mistake in a program, such as a full disk."""


def do_all(work: Work, given: str, tasks: Sequence[int], processes: int, done: Callable[[int], None]) -> None:
    """Have `processes` workers do `work(given, task)` for all `tasks`, in any order; call `done(task)` after each.

    A task whose worker dies is given to another one. Raises WorkerFailed for a task that raises or that `ATTEMPTS`
    workers died of, WorkerRefused for one that raises ValueError, OSError or MemoryError. However this ends, no worker
    is left.
    """
    waiting = list(reversed(tasks))
    died = dict.fromkeys(tasks, 0)
    busy: dict[Any, tuple[_Worker, int]] = {}  # by the worker's pipe
    idle: list[_Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < processes:
                worker, task = idle.pop() if idle else _Worker(work, given), waiting.pop()
                busy[worker.pipe] = (worker, task)
                worker.give(task)
            for pipe in connection.wait(list(busy)):
                worker, task = busy[pipe]
                try:
                    failure = worker.pipe.recv()
                except (EOFError, OSError):  # it has died
                    del busy[pipe]
                    worker.end()
                    died[task] += 1
                    if died[task] == ATTEMPTS:
                        raise WorkerFailed(f"{ATTEMPTS} worker processes died at task {task}, the last of them with "
                                           f"exit code {worker.process.exitcode}") from None  # fmt: skip
                    waiting.append(task)
                    continue
                if failure is not None:
                    kind, why = failure
                    raise kind(f"task {task} failed in its worker process{why}")
                del busy[pipe]
                idle.append(worker)
                done(task)
    finally:
        everybody = [*idle, *(worker for worker, _ in busy.values())]
        for worker in everybody:
            worker.process.terminate()
        for worker in everybody:
            worker.end()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, work: Work, given: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work, given), daemon=True)
        with _one_thread():
            self.process.start()
        theirs.close()  # so that the pipe ends with the process

    def give(self, task: int) -> None:
        with contextlib.suppress(OSError):  # if it is dead, the pipe says so when it is read
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
    """Have processes that are started meanwhile use one thread each."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _serve(pipe: Any, work: Work, given: str) -> None:
    """Do the tasks that come through `pipe`; answer each with None, or what it raised, as `do_all` tells it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            failure: tuple[type[WorkerFailed], str] | None = None
            try:
                work(given, task)
            except (ValueError, OSError, MemoryError) as error:
                failure = (WorkerRefused, f": {one_line(f'{type(error).__name__}: {error}')}")
            except Exception:
                failure = (WorkerFailed, f"\n{traceback.format_exc()}")
            pipe.send(failure)


def _leave(*_: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(1)  # what the task has started ends with it


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(_PATIENCE)
    os._exit(1)
