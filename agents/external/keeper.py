"""Start an external agent, and kill all its processes at the end.

    keeper.py LIFELINE command WORD...
    keeper.py LIFELINE python PLACE FUNCTION

The keeper waits until the agent's process ends, or until the other end of the pipe LIFELINE is closed. Then it kills
all processes of the agent. On Linux the keeper is their subreaper: a process whose parent has ended becomes a child of
the keeper, even in another session. If the keeper is killed, the kernel kills the agent. On other systems the keeper
kills the agent's process group only.

This file is run by its path and imports no module of the library, so it starts fast.
"""

import contextlib
import importlib.util
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

_DEATH_SIGNAL, _SUBREAPER = 1, 36  # prctl's options
_ROUNDS = 500  # rounds of killing, each of a millisecond or more; a clock would also count time while stopped
_LINUX = sys.platform == "linux"


def main(words: list[str]) -> None:
    """Start the program given by `words[1:]`, with the lifeline `words[0]`; return in the agent's process only."""
    lifeline, me = int(words[0]), os.getpid()
    _prctl(_SUBREAPER, 1)
    wake, woken = os.pipe()
    for pipe in (wake, woken):
        os.set_blocking(pipe, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    agent = os.fork()
    if agent == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for pipe in (lifeline, wake, woken):
            os.close(pipe)
        os.setsid()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == me:
            _runner().main(words[1:])
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):  # only the agent keeps these pipes, so their ends are noticed
        os.dup2(nowhere, pipe)
    status = _wait(agent, lifeline, wake)
    _kill_processes(agent)
    _leave(status)


def _wait(agent: int, lifeline: int, wake: int) -> int:
    """Return the status of the process `agent` when it ends; 0 if the lifeline was closed."""
    while True:
        ready = select.select([lifeline, wake], [], [])[0]
        if lifeline in ready:
            return 0
        with contextlib.suppress(BlockingIOError):
            os.read(wake, 4096)
        while True:  # orphans of the agent are children of the keeper too
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == agent:
                return status
            if pid == 0:
                break


def _kill_processes(agent: int) -> None:
    """Kill all processes of `agent`. A stopped process starts no others, so all are stopped first."""
    for _ in range(_ROUNDS):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(agent, signal.SIGKILL)
        stopped: set[int] = set()
        while found := descendants(os.getpid()) - stopped:
            send(found, signal.SIGSTOP)
            stopped |= found
        send(stopped, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def descendants(process: int) -> set[int]:
    """Return all descendants of `process`; an empty set without /proc."""
    if not _LINUX:
        return set()
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = Path("/proc", name, "stat").read_bytes()
                children.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(int(name))
    found: set[int] = set()
    waiting = [process]
    while waiting:
        new = children.get(waiting.pop(), [])
        found.update(new)
        waiting += new
    return found


def send(pids: set[int], what: int) -> None:
    """Send each of the processes the signal `what`."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, what)


def _leave(status: int) -> None:
    """End with the same signal or exit status as the agent."""
    if os.WIFSIGNALED(status):
        how = os.WTERMSIG(status)
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler
            signal.signal(how, signal.SIG_DFL)
        os.kill(os.getpid(), how)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def _prctl(option: int, value: int) -> None:
    if _LINUX:
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _runner() -> Any:
    """Return runner.py, which is next to this file, as a module."""
    spec = importlib.util.spec_from_file_location("sobremesa_runner", Path(__file__).with_name("runner.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(sys.argv[1:])
