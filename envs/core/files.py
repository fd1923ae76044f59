"""Files that are there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: nobody is kept out
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path, taken: Exception) -> Iterator[None]:
    """Hold the file `path`, which is made, and its folder; raise `taken` if another process holds it.

    The system gives it back when a process ends, however it ends. Where it has no such locks (Windows, some file
    systems of networks) nobody is kept out.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise taken from None
            except OSError:  # a file system without locks
                pass
        yield


@contextmanager
def naming(path: Path, instead: Path | None = None) -> Iterator[None]:
    """Have an OSError without a file name, as of a full disk, or with that of `instead`, name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and error.filename != str(instead):
            raise
        if error.errno is None:
            raise OSError(f"{path}: {error}") from None
        raise type(error)(error.errno, error.strerror, str(path)) from None


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give the name of a file to write to, which becomes `path` if all goes well and vanishes if not."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with naming(path, instead=partial):  # whoever reads it knows `path` alone
            yield partial
            os.replace(partial, path)
    finally:
        with suppress(OSError):  # a name that is too long, or a disk that has gone
            partial.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content`, text as UTF-8, to `path`: whoever reads it meanwhile, or after a crash, finds all or nothing."""
    with whole(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
