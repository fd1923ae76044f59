"""Atomic writes, and reads of regular files of bounded size.

A folder may come from a stranger: `read_inside` and `open_inside` follow no link in it and never leave it. Pipes and
devices, which never end, are refused. A refusal is an OSError with the reason in `strerror`.
"""

import errno
import hashlib
import os
import stat
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path, PurePosixPath
from tokenize import TokenError
from typing import Any

import numpy as np

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]


MOST_DOTS = 100  # in a line of TOML
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # not on Windows
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)


def read_file(path: Path, most: int) -> bytes:
    """Return the content of the regular file `path`, or of its target; raise OSError beyond `most` bytes."""
    with open_file(path) as file:
        return _bounded(file, path, most)


def open_file(path: Path) -> BufferedReader:
    """Open the regular file `path`, or the target of a link; raise OSError for anything else."""
    return _opened(path, _READ)


def read_inside(folder: Path, name: str, most: int) -> bytes:
    """Return the content of the file `name` of `folder`; raise OSError as `open_inside`, or beyond `most` bytes."""
    with open_inside(folder, name) as file:
        return _bounded(file, folder / name, most)


def digest_inside(folder: Path, name: str, most: int) -> str:
    """Return the SHA-256 digest of the file `name` of `folder`; raise OSError as `read_inside`."""
    with open_inside(folder, name) as file:
        _check_size(os.fstat(file.fileno()).st_size, folder / name, most)
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_of(content: bytes) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark; raise ValueError for another encoding."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("save it as UTF-8") from None


def toml_of(content: bytes) -> dict[str, Any]:
    """Return the values of a TOML file; raise ValueError if it is malformed.

    The parser takes quadratic time over the parts of a dotted key, so a line may have MOST_DOTS dots.
    """
    text = text_of(content)
    if any(line.count(".") > MOST_DOTS for line in text.split("\n") if not line.lstrip().startswith("#")):
        raise ValueError(f"a line has more than {MOST_DOTS} dots; break a long list into several lines")
    return tomllib.loads(text)


def open_inside(folder: Path, name: str) -> BufferedReader:
    """Open the regular file `name` of `folder`, with `/` between folders, as in `a/b`.

    Raises OSError for a name outside the folder, a link on the way, and anything but a regular file.
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
    """Open or create the regular file `path` for locking; raise OSError for a link or anything else."""
    return _opened(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW)


def _opened(path: Path, flags: int) -> BufferedReader:
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)  # opening a pipe would block
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(number, "rb")


def _bounded(file: BufferedReader, path: Path, most: int) -> bytes:
    size = os.fstat(file.fileno()).st_size
    _check_size(size, path, most)
    content = file.read(size + 1)  # `most` bytes would be allocated, which a limit on memory may forbid
    if len(content) > size:  # it grew, or it reports no size
        content += file.read(most + 1 - len(content))
    _check_size(len(content), path, most)
    return content


def _check_size(size: int, path: Path, most: int) -> None:
    if size > most:
        raise OSError(errno.EFBIG, f"it is larger than the {most:,} bytes allowed", str(path))


@contextmanager
def locked(path: Path, taken: Exception) -> Iterator[None]:
    """Hold a lock on the file `path`, creating it and its folder; raise `taken` if another process holds it.

    The system releases the lock when the process ends. Windows and some network file systems have no such locks; the
    function does not lock there.
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
    """Add the file name `path` to an OSError without one, as of a full disk, or with that of `instead`."""
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
    """Yield a temporary file name; on success it is renamed to `path`, otherwise deleted."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with naming(path, instead=partial):  # an error should name `path`
            partial.unlink(missing_ok=True)  # do not write through a link
            yield partial
            os.replace(partial, path)
    finally:
        with suppress(OSError):  # the name is too long, or the disk is gone
            partial.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content`, text as UTF-8, to `path`; a reader finds the old file or the whole new one."""
    with whole(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def declared(archive: zipfile.ZipFile, name: str) -> tuple[np.dtype, tuple[int, ...]]:
    """Return dtype and shape of the array `name`; raise ValueError unless they match the size of its entry."""
    entry = archive.getinfo(f"{name}.npy")
    with archive.open(entry) as file:
        np.lib.format.read_magic(file)
        try:
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        except (TokenError, SyntaxError, OverflowError, TypeError) as error:
            raise ValueError(f"{name} has no readable header: {error}") from None
        if int(np.prod(shape, dtype=object)) * dtype.itemsize != entry.file_size - file.tell():
            raise ValueError(f"{name} has not the bytes of shape {shape}")
    return dtype, shape
