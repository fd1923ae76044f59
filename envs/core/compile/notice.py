"""Messages about compilation, and the locks that let one of several processes compile.

Messages go to standard error; `SOBREMESA_QUIET=1` silences them.
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

PATIENCE = 600  # seconds to wait for another process that compiles the same kernel
_PAUSE = 0.05  # seconds between two attempts
_SOON = 2  # seconds of waiting without a message

_lock_files: dict[tuple[int, Path], BufferedReader] = {}  # by process: a forked child takes its own locks
_announced: set[str] = set()  # messages of this process


@contextlib.contextmanager
def turn(path: Path | None, kernel: Any) -> Iterator[None]:
    """Hold the lock on `kernel`, which the cache will have at `path`; wait while another process compiles it.

    The lock is one byte of a file next to the cache. The system releases it when a process ends, also by a signal. A
    process that compiles a kernel may wait for a kernel that it calls, never for a caller, so there is no deadlock.
    """
    file = _lock_file(path)
    if path is None or file is None:
        yield
        return
    place = int(path.name[-15:], 16)
    began = time.monotonic()
    held = _try_lock(file, place)
    while not held and time.monotonic() < began + PATIENCE:
        if time.monotonic() > began + _SOON and (what := _game_of(kernel)):
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
            folder.mkdir(0o700, parents=True, exist_ok=True)  # cache.py does not read a folder that others may write
            _lock_files[process, folder] = open_lock(folder.with_name(f"{folder.name}.lock"))
        except OSError:  # nothing can be stored there, so there is nothing to wait for
            return None
    return _lock_files[process, folder]


def _try_lock(file: BufferedReader, place: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def telling(kernel: Any, path: Path | None) -> Iterator[None]:
    """Announce the compilation of a game's kernels, once per game and machine; name each kernel on a terminal.

    `path` is the place of `kernel` in the cache. A cache that cannot be written gives one message per process.
    """
    what = None if _quiet() else _game_of(kernel)
    if what is None:
        yield
        return
    text = f"sobremesa: compiling the kernels of {what}, once on this machine, about 10 s in all ...\n"
    if text not in _announced and _is_first(what, path):
        tell(text)
    _announced.add(text)
    live = sys.stderr is not None and sys.stderr.isatty()
    if live:
        _put(f"\r\x1b[K  {kernel.py_func.__code__.co_name}")
    try:
        yield
    finally:
        if live:
            _put("\r\x1b[K")


def _is_first(game: str, path: Path | None) -> bool:
    """Leave a mark for `game` next to the cache; return whether there was none."""
    if path is None:
        return True
    marks = path.parent.with_name(f"{path.parent.name}.announced")
    try:
        marks.mkdir(0o700, parents=True, exist_ok=True)
        os.close(os.open(marks / game, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def tell(text: str) -> None:
    """Print `text` to standard error, once in this process."""
    if text not in _announced:
        _announced.add(text)
        _put(text)


def _quiet() -> bool:
    return sys.stderr is None or os.environ.get("SOBREMESA_QUIET", "") not in ("", "0")


def _put(text: str) -> None:
    if not _quiet():
        with contextlib.suppress(OSError, ValueError):  # standard error is closed
            sys.stderr.write(text)
            sys.stderr.flush()


def _game_of(kernel: Any, deep: int = 3) -> str | None:
    """Return the game of `kernel`, by its module or by a kernel in its closure; None for generic code."""
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
                found = _game_of(cell.cell_contents, deep - 1)
                if found:
                    return found
    return None
