"""The disk cache of compiled kernels, which is never stale.

A compiled kernel is stored under a digest of *everything that it is made of*, by value (digest.py), with the signature,
the compiler's versions, options and flags. What has no digest is not cached.

`SOBREMESA_CACHE_DIR` says where the cache lies (default: `sobremesa/kernels` in the user's cache folder). It holds
pickles and machine code, so it belongs to one user, as Numba's own cache does: a folder or file that another user owns
or may write is not read, and kernels are compiled without it.
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

OPTIONS = {"nogil": True, "error_model": "numpy"}  # of the compiler
_FORMAT = 4  # of the cache
MOST_ENTRIES = 4_000  # kernels in the cache


def cache_folder() -> Path | None:
    """Return the folder of compiled kernels; warn once and return None for a user without a home folder."""
    chosen = os.environ.get("SOBREMESA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # neither HOME nor an entry in the list of users, as in some containers
        tell("sobremesa: no home folder, so kernels are compiled each time; set SOBREMESA_CACHE_DIR to keep them\n")
        return None
    return Path(home) / "sobremesa" / "kernels"


_AT_HAND: dict[Path, Any] = {}  # what this process has compiled or loaded, by file
_UNNAMED = itertools.count()


class KernelCache(Cache):  # type: ignore[misc]
    """Numba's cache protocol over one file per kernel, signature and compiler state. Trouble means compiling."""

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
        """Give the function a name that it shares with nothing else; if it has no digest, warn of that once.

        Numba names machine code by the function's name and a count that begins anew in each process. Two kernels of one
        factory, stored by two processes, would have one name, and who loads both would run the first twice.
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
        """Return where the compiled result for `signature` lies or will lie; None where it cannot be kept."""
        self.name()
        folder = cache_folder()
        if self._digest is None or folder is None:
            return None
        target_context.refresh()
        flags = {name: getattr(config, name) for name in ("BOUNDSCHECK", "OPT", "DEBUG_JIT", "LOOP_VECTORIZE")}
        key = repr(
            (
                _FORMAT,
                self._digest,
                str(signature),
                repr(target_context.codegen().magic_tuple()),
                sorted(OPTIONS.items()),
                sorted(flags.items(), key=str),
                (numba.__version__, llvmlite.__version__, np.__version__, sys.version, platform.machine()),
            )
        )
        name = self._function.__code__.co_qualname.replace("<locals>.", "")
        return folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:40]}"

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
        """Store a compiled result, unless it cannot be stored."""
        path = self.path(sig, data.target_context)
        if path is None or data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        _AT_HAND[path] = data
        try:
            files = {one.library: at.name for at, one in _AT_HAND.items()}
            needs = [(files[library], library.name) for library in data.library.needs]  # none without a digest
            payload = serialize.dumps((needs, data._reduce()))
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            if _is_ours(path.parent):
                with whole(path) as partial:
                    partial.touch(0o600)
                    partial.write_bytes(hashlib.sha256(payload).digest() + payload)
                _make_room(path.parent)
        except Exception:
            return


def _load(path: Path, target_context: Any) -> Any:
    """Return the compiled result in the file `path`, or None, with all that it calls by name."""
    if path in _AT_HAND:
        return _AT_HAND[path]
    blob = _read_ours(path)
    seal, payload = blob[:32], blob[32:]
    if hashlib.sha256(payload).digest() != seal:  # cut short
        return None
    with contextlib.suppress(OSError):  # a folder that may only be read
        os.utime(path)  # the ones not used for longest go first
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
    """Return what is in a file of the cache; raise OSError if there is none, or others could have written it."""
    with open_inside(path.parent, path.name) as file:
        if not _is_ours(path.parent) or _strangers(os.fstat(file.fileno())):
            raise PermissionError(f"{path}: others could have written it")
        return file.read()


@cache
def _is_ours(folder: Path) -> bool:
    """Say whether nobody but this user, and the system's own, may write in the cache; warn once if others may."""
    why = _strangers(folder.stat())
    if why:
        warnings.warn(
            f"kernels are compiled without the disk cache: its folder {folder} {why}; set SOBREMESA_CACHE_DIR to a "
            "folder of your own, or remove this one",
            RuntimeWarning,
            stacklevel=2,
        )
    return not why


def _strangers(found: os.stat_result) -> str:
    """Return why what has been `found` is not read: who else could have written it; "" if nobody."""
    if not hasattr(os, "geteuid"):  # Windows
        return ""
    if found.st_uid not in (os.geteuid(), 0):
        return f"belongs to another user, number {found.st_uid}"
    return "may be written by others" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def _unpacked(payload: bytes) -> Any:
    """Unpack a stored result, and give back what its entry from Python needs to an environment that lost it.

    Numba keeps one environment a name. That of a kernel which others have called so far, and Python has not, holds no
    constants: where such a one is known already, stored constants would be dropped, and arrays could not be returned.
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
    """Delete the older half of the cache once it holds more than MOST_ENTRIES."""
    entries = list(folder.iterdir())
    if len(entries) > MOST_ENTRIES:
        for path in sorted(entries, key=lambda path: path.stat().st_mtime)[: MOST_ENTRIES // 2]:
            path.unlink(missing_ok=True)
