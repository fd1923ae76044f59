"""What a compilation shows and asks of others: people are told of it, and of many processes one does it.

`SOBREMESA_QUIET=1` silences what is said, which goes to standard error.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from sobremesa.envs.core.files import open_lock

try:
    import fcntl
except ImportError:  # Windows: each process compiles for itself
    fcntl = None  # type: ignore[assignment]

PATIENCE = 600  # seconds to wait for a process that compiles what is wanted here
_PAUSE = 0.05  # seconds between two looks
_SOON = 2  # seconds of waiting that are not worth a word

_lock_files: dict[tuple[int, Path], BufferedReader] = {}  # by process: a forked child takes locks of its own
_told: set[str] = set()  # what has been said


@contextlib.contextmanager
def turn(path: Path | None, kernel: Any) -> Iterator[None]:
    """Keep others from compiling `kernel`, which the cache will hold at `path`, and wait while one of them does.

    The lock is a byte of a file beside the cache, which the system releases when a process ends, however it ends. Who
    compiles one kernel may wait for another that it calls, never the other way round, so nobody waits in a circle.
    """
    file = _lock_file(path)
    if path is None or file is None:
        yield
        return
    place = int(path.name[-15:], 16)
    began = time.monotonic()
    held = _try_lock(file, place)
    while not held and time.monotonic() < began + PATIENCE:
        if time.monotonic() > began + _SOON and (what := _whose(kernel)):
            tell(f"sobremesa: waiting for another process, which compiles the kernels of {what} ...\n")
        time.sleep(_PAUSE)
        held = _try_lock(file, place)
    try:
        yield
    finally:
        if held:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


def _lock_file(path: Path | None) -> BufferedReader | None:
    if path is None or fcntl is None:
        return None
    folder, process = path.parent, os.getpid()
    if (process, folder) not in _lock_files:
        try:
            folder.mkdir(0o700, parents=True, exist_ok=True)  # cache.py reads none that others may write
            _lock_files[process, folder] = open_lock(folder.with_name(f"{folder.name}.lock"))
        except OSError:  # nothing can be kept there, so nobody need wait
            return None
    return _lock_files[process, folder]


def _try_lock(file: BufferedReader, place: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def telling(kernel: Any) -> Iterator[None]:
    """Say on standard error that `kernel` is being compiled: once of each game, and on a terminal which one it is."""
    what = _whose(kernel)
    if what is None:
        yield
        return
    tell(f"sobremesa: compiling the kernels of {what}, once on this machine, about 10 s in all ...\n")
    live = sys.stderr is not None and sys.stderr.isatty()
    if live:
        _put(f"\r\x1b[K  {kernel.py_func.__code__.co_name}")
    try:
        yield
    finally:
        if live:
            _put("\r\x1b[K")


def tell(text: str) -> None:
    """Print `text` to standard error, once in this process."""
    if text not in _told:
        _told.add(text)
        _put(text)


def _put(text: str) -> None:
    if sys.stderr is None or os.environ.get("SOBREMESA_QUIET", "") not in ("", "0"):
        return
    with contextlib.suppress(OSError, ValueError):  # a closed one
        sys.stderr.write(text)
        sys.stderr.flush()


def _whose(kernel: Any, deep: int = 3) -> str | None:
    """Return the game that `kernel` is of, by where it, or what it was made for, was written; None if it is of none."""
    function = kernel.py_func
    place = [*function.__module__.split("."), "", "", ""]
    if place[0] != "sobremesa":
        return str(place[0])
    if place[1] == "envs" and place[2] != "core":
        return str(place[2])
    if place[1:3] == ["agents", "scripted"]:
        return str(place[3])
    if deep:
        for cell in function.__closure__ or ():
            if hasattr(cell.cell_contents, "py_func"):
                found = _whose(cell.cell_contents, deep - 1)
                if found:
                    return found
    return None
