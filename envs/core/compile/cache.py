"""The disk cache of compiled kernels, which is never stale.

A kernel is stored under a digest of everything that it depends on, by value (digest.py), with its signature and the
versions, options and flags of the compiler. A kernel without a digest is not stored.

`SOBREMESA_CACHE_DIR` is the folder (default: `sobremesa/kernels` in the user's cache folder). It holds pickles and
machine code, so it must belong to one user: files that another user owns or can write are not read, and kernels are
compiled without them.
"""

import contextlib
import hashlib
import itertools
import os
import pickle
import platform
import stat
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import config

from sobremesa.envs.core.compile.digest import Unnameable, digest
from sobremesa.envs.core.compile.linking import Whole, making
from sobremesa.envs.core.compile.notice import tell
from sobremesa.envs.core.compile.private import Cache, Environment, compiler, serialize
from sobremesa.envs.core.files import open_inside, whole

OPTIONS = {"nogil": True, "error_model": "numpy"}  # compiler options
_FORMAT = 4  # of cache files
MOST_ENTRIES = 4_000  # before the older half is deleted


def cache_folder() -> Path | None:
    """Return the folder of compiled kernels; print a message and return None for a user without a home folder."""
    chosen = os.environ.get("SOBREMESA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # no HOME and no user entry, as in some containers
        tell("sobremesa: no home folder, so kernels are compiled each time; set SOBREMESA_CACHE_DIR to keep them\n")
        return None
    return Path(home) / "sobremesa" / "kernels"


_AT_HAND: dict[Path, Any] = {}  # results of this process, by file
_UNNAMED = itertools.count()


class KernelCache(Cache):  # type: ignore[misc]
    """Numba's cache interface over one file per kernel, signature and compiler state; errors mean compilation."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._digest: str | None = None
        self._named = False

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: entries never become stale."""

    def name(self) -> None:
        """Give the function a unique name; warn once if it has no digest.

        Numba names machine code by the function's name and a counter that restarts in each process. Two kernels of one
        factory, stored by two processes, would have the same name, and a third process would load one of them twice.
        """
        if self._named:
            return
        self._named = True
        try:
            self._digest = digest(self._function, lasting=True)
        except Unnameable as error:
            name = self._function.__code__.co_qualname
            warnings.warn(f"{name} is compiled anew in each process: {error}", RuntimeWarning, stacklevel=2)
        self._function.__qualname__ += f"_{self._digest or next(_UNNAMED)}"

    def path(self, signature: Any, target_context: Any) -> Path | None:
        """Return the file of the compiled result for `signature`; None if it cannot be stored."""
        self.name()
        folder = cache_folder()
        if self._digest is None or folder is None:
            return None
        target_context.refresh()
        digest, *others = self.state(target_context) or ()
        key = repr((_FORMAT, digest, str(signature), *others))
        name = self._function.__code__.co_qualname.replace("<locals>.", "")
        return folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:40]}"

    def state(self, target_context: Any) -> tuple[Any, ...] | None:
        """Return the dependencies of compiled code other than the signature; None without a digest."""
        self.name()
        if self._digest is None:
            return None
        flags = {name: getattr(config, name) for name in ("BOUNDSCHECK", "OPT", "DEBUG_JIT", "LOOP_VECTORIZE")}
        return (
            self._digest,
            repr(target_context.codegen().magic_tuple()),
            sorted(OPTIONS.items()),
            sorted(flags.items(), key=str),
            (numba.__version__, llvmlite.__version__, np.__version__, sys.version, platform.machine()),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled result for `sig`, or None."""
        path = self.path(sig, target_context)
        if path is None:
            return None
        try:
            return _load(path, target_context)
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled result if possible."""
        path = self.path(sig, data.target_context)
        if path is None or data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        _AT_HAND[path] = data
        try:
            files = {one.library: at.name for at, one in _AT_HAND.items()}
            needs = [(files[library], library.name) for library in data.library.needs]  # KeyError without a digest
            payload = serialize.dumps((needs, data._reduce()))
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            if _is_ours(path.parent):
                _store(path, payload)
                _make_room(path.parent)
        except Exception:
            return


def _load(path: Path, target_context: Any) -> Any:
    """Return the compiled result in the file `path`, with the wholes that it calls, or None."""
    if path in _AT_HAND:
        return _AT_HAND[path]
    blob = _read_ours(path)
    seal, payload = blob[:32], blob[32:]
    if hashlib.sha256(payload).digest() != seal:  # truncated
        return None
    with contextlib.suppress(OSError):  # a read-only folder
        os.utime(path)  # for _make_room, which deletes the least recently used
    needs, reduced = _unpacked(payload)
    for need, name in needs:
        called = _load(path.with_name(need), target_context)
        if called is None or called.library.name != name:
            return None
    with making(Whole, target_context.codegen()):
        found = compiler.CompileResult._rebuild(target_context, *reduced)
    _AT_HAND[path] = found
    return found


def _read_ours(path: Path) -> bytes:
    """Return the content of a file of the cache; raise OSError if there is none, or others can write it."""
    with open_inside(path.parent, path.name) as file:
        if not _is_ours(path.parent) or _distrust_reason(os.fstat(file.fileno())):
            raise PermissionError(f"{path}: others could have written it")
        return file.read()


@cache
def _is_ours(folder: Path) -> bool:
    """Return whether only this user and the system's own can write the cache; warn once if not."""
    why = _distrust_reason(folder.stat())
    if why:
        warnings.warn(
            f"kernels are compiled without the disk cache: its folder {folder} {why}; set SOBREMESA_CACHE_DIR to a "
            "folder of your own, or remove this one",
            RuntimeWarning,
            stacklevel=2,
        )
    return not why


def _distrust_reason(found: os.stat_result) -> str:
    """Return why the file or folder is not trusted; "" if it is."""
    if not hasattr(os, "geteuid"):  # Windows
        return ""
    if found.st_uid not in (os.geteuid(), 0):
        return f"belongs to another user, number {found.st_uid}"
    return "may be written by others" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def _unpacked(payload: bytes) -> Any:
    """Unpack a stored result, and restore the constants of environments that have lost them.

    Numba keeps one environment per name. A kernel that was only called by other kernels has an environment without
    constants. If it is loaded later, Numba would drop the stored constants, and arrays could not be returned.
    """
    memo = Environment._memo
    known = dict(memo)
    memo.clear()
    alone = pickle.loads(payload)
    for name, stored in dict(memo).items():
        if name in known and not known[name].consts:
            known[name].consts[:] = stored.consts
    memo.clear()
    memo.update(known)
    del alone
    return pickle.loads(payload)


def _make_room(folder: Path) -> None:
    """Delete the older half of the cache once it has more than MOST_ENTRIES."""
    entries = list(folder.iterdir())
    if len(entries) > MOST_ENTRIES:
        for path in sorted(entries, key=lambda path: path.stat().st_mtime)[: MOST_ENTRIES // 2]:
            path.unlink(missing_ok=True)


def load_text(name: str) -> str | None:
    """Return the text that `save_text` stored under `name`; None if there is none, or others could have written it."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        blob = _read_ours(folder / name)
    except OSError:
        return None
    seal, payload = blob[:32], blob[32:]
    return payload.decode() if hashlib.sha256(payload).digest() == seal else None


def save_text(name: str, text: str) -> None:
    """Store `text` in the kernel cache if possible."""
    folder = cache_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(0o700, parents=True, exist_ok=True)
        if _is_ours(folder):
            _store(folder / name, text.encode())
            _make_room(folder)


def _store(path: Path, payload: bytes) -> None:
    with whole(path) as partial:
        partial.touch(0o600)
        partial.write_bytes(hashlib.sha256(payload).digest() + payload)
