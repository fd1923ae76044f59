"""Files that are written whole or not at all, and read only if they are regular files of bounded size.

A folder may come from a stranger: `read_inside` and `open_inside` follow no link in it and never leave it. A pipe or a
device would never end, so none is opened anywhere. What is refused is an OSError whose `strerror` says why.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path, PurePosixPath

try:
    import fcntl
except ImportError:  # Windows: nobody is kept out
    fcntl = None  # type: ignore[assignment]


_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # not on Windows
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)


def read_file(path: Path, most: int) -> bytes:
    """Return what is in the regular file `path`, which a user named and may be a link; OSError beyond `most` bytes."""
    with open_file(path) as file:
        return _bounded(file, path, most)


def open_file(path: Path) -> BufferedReader:
    """Open the regular file `path`, which a user named and may be a link; raise OSError for anything else."""
    return _opened(path, _READ)


def read_inside(folder: Path, name: str, most: int) -> bytes:
    """Return what is in the file `name` of `folder`; raise OSError as `open_inside` does, or beyond `most` bytes."""
    with open_inside(folder, name) as file:
        return _bounded(file, folder / name, most)


def digest_inside(folder: Path, name: str, most: int) -> str:
    """Return the SHA-256 digest of the file `name` of `folder`; raise OSError as `read_inside` does."""
    with open_inside(folder, name) as file:
        _check_size(os.fstat(file.fileno()).st_size, folder / name, most)
        return hashlib.file_digest(file, "sha256").hexdigest()


def open_inside(folder: Path, name: str) -> BufferedReader:
    """Open the regular file `name`, `a/b` with `/` between folders, of `folder`.

    Raises OSError for a name that leads out of the folder, a link on the way, and anything that is no regular file.
    """
    inside, place = PurePosixPath(name), folder
    if inside.is_absolute() or ".." in inside.parts or not inside.parts or "\\" in name or "\0" in name:
        raise OSError(errno.EINVAL, "the name leads out of the folder", f"{folder}/{name!r:.200}")
    for part in inside.parts:
        place = place / part
        if place.is_symlink():
            raise OSError(errno.ELOOP, "it is a link, which is not followed inside a folder", str(place))
    return _opened(place, _READ | _NO_FOLLOW)


def open_lock(path: Path) -> BufferedReader:
    """Open the regular file `path`, which is made, to be locked; raise OSError for a link or anything else there."""
    return _opened(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW)


def _opened(path: Path, flags: int) -> BufferedReader:
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)  # a pipe would be waited for
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(number, "rb")


def _bounded(file: BufferedReader, path: Path, most: int) -> bytes:
    _check_size(os.fstat(file.fileno()).st_size, path, most)
    content = file.read(most + 1)  # it may grow, and some files do not say how large they are
    _check_size(len(content), path, most)
    return content


def _check_size(size: int, path: Path, most: int) -> None:
    if size > most:
        raise OSError(errno.EFBIG, f"it is larger than the {most:,} bytes allowed", str(path))


@contextmanager
def locked(path: Path, taken: Exception) -> Iterator[None]:
    """Hold the file `path`, which is made, and its folder; raise `taken` if another process holds it.

    The system gives it back when a process ends, however it ends. Where it has no such locks (Windows, some file
    systems of networks) nobody is kept out.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_lock(path) as file:
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
        with naming(path, instead=partial):  # the reader of an error knows `path` alone
            partial.unlink(missing_ok=True)  # a link there would be written through
            yield partial
            os.replace(partial, path)
    finally:
        with suppress(OSError):  # a name that is too long, or a disk that has gone
            partial.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content`, text as UTF-8, to `path`: whoever reads it meanwhile, or after a crash, finds all or nothing."""
    with whole(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
