"""The one decorator over Numba, and its disk cache that is never stale.

A compiled kernel is stored under a digest of *everything that it is made of*, by value: its bytecode, its constants,
and, through every kernel, global and closure cell that it refers to, theirs; with the signature, the compiler's
versions, options and flags. Editing a called function in another file changes the digest; two kernels from one factory
have two digests; a comment changes nothing. What cannot be put into the digest is not cached.

`SOBREMESA_CACHE_DIR` says where the cache lies (default: `sobremesa/kernels` in the user's cache folder). It holds
machine code, so it belongs to one user, as Numba's own cache does.
"""

import builtins
import contextlib
import dis
import enum
import hashlib
import os
import pickle
import platform
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching, config, serialize

_OPTIONS = {"nogil": True, "error_model": "numpy"}
_FORMAT = 2  # of the cache
MOST_ENTRIES = 4_000  # kernels in the cache, some 90 kB each
_KNOWN_MODULES = ("builtins", "math", "numpy")  # their versions are in every key


class Unnameable(TypeError):
    """Something that a kernel refers to has no digest by value."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with Numba when it is first called; under `NUMBA_DISABLE_JIT=1` return it as it is.

    Kernels release the GIL, never raise and write into buffers that the caller owns.
    """
    if config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(**_OPTIONS)(function)
    with contextlib.suppress(Exception):  # where Numba's internals have moved, compile without a cache
        dispatcher._cache = _KernelCache(function)
    return dispatcher


def cache_folder() -> Path:
    """Return the folder that compiled kernels are kept in."""
    chosen = os.environ.get("SOBREMESA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "sobremesa" / "kernels"


def digest(function: Callable[..., Any]) -> str:
    """Return a digest of `function` and all it refers to, by value; raise Unnameable where there is none."""
    parts = hashlib.sha256()
    _fold(function, parts.update, {})
    return parts.hexdigest()


def _fold(value: Any, put: Callable[[bytes], None], seen: dict[int, int]) -> None:
    put(type(value).__name__.encode() + b":")
    if isinstance(value, (bool, int, float, complex, str, bytes, types.NoneType, np.dtype)):
        put(repr(value).encode())
    elif isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            raise Unnameable(f"it refers to an array of {value.dtype}")
        put(f"{value.dtype.descr!r}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, (tuple, list, frozenset)):
        members = sorted(value, key=repr) if isinstance(value, frozenset) else value
        put(str(len(members)).encode())
        for member in members:
            _fold(member, put, seen)
    elif hasattr(value, "py_func") and hasattr(value, "targetoptions"):  # another kernel
        put(repr(sorted(value.targetoptions.items())).encode())
        _fold(value.py_func, put, seen)
    elif isinstance(value, types.FunctionType):
        _fold_function(value, put, seen)
    elif isinstance(value, types.ModuleType) and value.__name__ in _KNOWN_MODULES:
        put(value.__name__.encode())
    elif (getattr(value, "__module__", None) or "").partition(".")[0] in _KNOWN_MODULES:
        put(f"{value.__module__}.{value.__qualname__}".encode())
    elif isinstance(value, np.ufunc):
        put(value.__name__.encode())
    elif isinstance(value, type) and issubclass(value, enum.IntEnum):
        put(repr([(name, int(member)) for name, member in value.__members__.items()]).encode())
    elif isinstance(value, types.ModuleType):
        raise Unnameable(f"it refers to all of {value.__name__}; a kernel may use names of a module alone")
    else:
        raise Unnameable(f"it refers to {value!r}, a {type(value).__name__}, which has no digest by value")


def _fold_function(function: types.FunctionType, put: Callable[[bytes], None], seen: dict[int, int]) -> None:
    if id(function) in seen:  # a function that calls itself, or one met before
        put(str(seen[id(function)]).encode())
        return
    seen[id(function)] = len(seen)
    code = function.__code__
    put(repr((code.co_qualname, code.co_names, code.co_varnames, code.co_freevars)).encode() + code.co_code)
    _fold(function.__defaults__, put, seen)
    for constant in code.co_consts:
        if constant == function.__doc__ and constant is not None:
            continue
        if isinstance(constant, types.CodeType):
            raise Unnameable(f"it holds a function, inside {function.__qualname__}")
        _fold(constant, put, seen)
    for name in code.co_names:  # globals, builtins and attributes alike; attributes are named by what they hang on
        if name in function.__globals__:
            for value in _used(function, name):
                _fold(value, put, seen)
        elif hasattr(builtins, name):
            put(name.encode())
    for cell in function.__closure__ or ():
        _fold(cell.cell_contents, put, seen)


def _used(function: types.FunctionType, name: str) -> list[Any]:
    """Return what `function` uses of its global `name`: the value itself, or of a module of ours the names it takes."""
    value = function.__globals__[name]
    if not isinstance(value, types.ModuleType) or value.__name__ in _KNOWN_MODULES:
        return [value]
    used: list[Any] = []
    steps = list(dis.get_instructions(function.__code__))
    for place, step in enumerate(steps):
        if step.opname == "LOAD_GLOBAL" and step.argval == name:
            found: Any = value
            for after in steps[place + 1 :]:  # along `module.NAME`, and `package.module.NAME`
                if not isinstance(found, types.ModuleType) or after.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    break
                found = getattr(found, after.argval)
            used.append(found)
    return used


class _KernelCache(caching._Cache):
    """Numba's cache protocol over one file per kernel, signature and compiler state. Trouble means compiling."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._digest: str | None = None

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: entries never become stale."""

    def _path(self, signature: Any, codegen: Any) -> Path:
        if self._digest is None:
            try:
                self._digest = digest(self._function)
            except Unnameable as error:
                name = self._function.__code__.co_qualname
                warnings.warn(f"{name} is compiled anew in each process: {error}", RuntimeWarning, stacklevel=2)
                raise
            # Numba names machine code by this name and a count that begins anew in each process. Two kernels of one
            # factory, stored by two processes, would have one name, and who loads both would run the first twice.
            self._function.__qualname__ += f"_{self._digest}"
        flags = {name: getattr(config, name) for name in ("BOUNDSCHECK", "OPT", "DEBUG_JIT", "LOOP_VECTORIZE")}
        key = repr(
            (
                _FORMAT,
                self._digest,
                str(signature),
                repr(codegen.magic_tuple()),
                sorted(_OPTIONS.items()),
                sorted(flags.items(), key=str),
                (numba.__version__, llvmlite.__version__, np.__version__, sys.version, platform.machine()),
            )
        )
        name = self._function.__code__.co_qualname.replace("<locals>.", "")
        return cache_folder() / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:40]}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled result for `sig`, or None."""
        try:
            target_context.refresh()
            path = self._path(sig, target_context.codegen())
            blob = path.read_bytes()
            seal, payload = blob[:32], blob[32:]
            if hashlib.sha256(payload).digest() != seal:  # cut short
                return None
            with contextlib.suppress(OSError):  # a folder that may only be read
                os.utime(path)  # the ones not used for longest go first
            return numba.core.compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled result, unless it cannot be stored."""
        try:
            if self._digest is None:  # it has no digest, as load_overload has said
                return
            if any(not lifted.can_cache for lifted in data.lifted) or data.library.has_dynamic_globals:
                return
            path = self._path(sig, data.codegen)
            payload = serialize.dumps(data._reduce())
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                try:
                    file.write(hashlib.sha256(payload).digest() + payload)
                    file.flush()
                    os.replace(file.name, path)
                except OSError:  # the disk is full: what there is of it goes
                    os.unlink(file.name)
                    raise
            _make_room(path.parent)
        except Exception:
            return


def _make_room(folder: Path) -> None:
    """Delete the older half of the cache once it holds more than MOST_ENTRIES."""
    entries = list(folder.iterdir())
    if len(entries) > MOST_ENTRIES:
        for path in sorted(entries, key=lambda path: path.stat().st_mtime)[: MOST_ENTRIES // 2]:
            path.unlink(missing_ok=True)
