"""Digests of kernels by value: of bytecode, constants, and everything that they refer to.

An edit of a called function in another file changes the digest; two kernels of one factory have different digests;
comments and docstrings have no effect.
"""

import builtins
import dis
import enum
import hashlib
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_LARGEST = 10**6  # bytes of the largest table that Numba copies
_KNOWN_MODULES = ("builtins", "math", "numpy")  # their versions are in every key of the cache
_COMPILER = ("numba", "llvmlite")  # likewise; code generators refer to them


class Unnameable(TypeError):
    """A kernel refers to an object that has no digest by value."""


class _Into(NamedTuple):
    put: Callable[[bytes], None]
    seen: dict[int, int]  # functions met so far, by id
    lasting: bool


def digest(function: Callable[..., Any], *, lasting: bool = False) -> str:
    """Return a digest of `function` and all that it refers to, by value; raise Unnameable if there is none.

    With `lasting`, it is also raised for a kernel whose machine code serves one process only: Numba copies tables into
    the code, but uses the address of a table that is large or not contiguous.
    """
    parts = hashlib.sha256()
    _fold(function, _Into(parts.update, {}, lasting))
    return parts.hexdigest()


def _fold(value: Any, into: _Into) -> None:
    is_kernel = hasattr(value, "py_func") and hasattr(value, "targetoptions")
    # One name for all kernels, that of the type in Numba: digests of stored agents depend on it.
    into.put(b"CPUDispatcher:" if is_kernel else type(value).__name__.encode() + b":")
    if isinstance(value, (bool, int, float, complex, str, bytes, types.NoneType, np.dtype)):
        into.put(repr(value).encode())
    elif isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            raise Unnameable(f"it refers to an array of {value.dtype}")
        in_pieces = not (np.asarray(value).flags.c_contiguous or np.asarray(value).flags.f_contiguous)
        if into.lasting and (in_pieces or value.nbytes > _LARGEST):
            raise Unnameable(
                f"its table of {value.dtype} {value.shape} must be in one piece (np.ascontiguousarray) and small"
            )
        into.put(f"{value.dtype.descr!r}{value.shape}".encode() + value.tobytes())
    elif isinstance(value, (tuple, list, frozenset)):
        members = sorted(value, key=repr) if isinstance(value, frozenset) else value
        into.put(str(len(members)).encode())
        for member in members:
            _fold(member, into)
    elif hasattr(value, "_defn"):  # an intrinsic of Numba
        _fold(value._defn, into)
    elif (getattr(value, "__module__", None) or "").partition(".")[0] in _COMPILER and not is_kernel:
        into.put(f"{value.__module__}.{getattr(value, '__qualname__', value)}".encode())
    elif is_kernel:
        into.put(repr(sorted(value.targetoptions.items())).encode())
        _fold(value.py_func, into)
    elif isinstance(value, types.FunctionType):
        _fold_function(value, into)
    elif isinstance(value, types.ModuleType) and value.__name__ in _KNOWN_MODULES:
        into.put(value.__name__.encode())
    elif (getattr(value, "__module__", None) or "").partition(".")[0] in _KNOWN_MODULES:
        into.put(f"{value.__module__}.{value.__qualname__}".encode())
    elif isinstance(value, np.ufunc):
        into.put(value.__name__.encode())
    elif isinstance(value, type) and issubclass(value, enum.IntEnum):
        into.put(repr([(name, int(member)) for name, member in value.__members__.items()]).encode())
    elif isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):  # a NamedTuple
        into.put(repr((value.__module__, value.__qualname__, value._fields)).encode())
        _fold(tuple(getattr(value, "_field_defaults").values()), into)  # noqa: B009
    elif isinstance(value, types.ModuleType):
        raise Unnameable(f"it refers to all of {value.__name__}; a kernel may use names of a module alone")
    else:
        raise Unnameable(f"it refers to {value!r}, a {type(value).__name__}, which has no digest by value")


def _fold_function(function: types.FunctionType, into: _Into) -> None:
    if id(function) in into.seen:  # a recursive call, or a function met before
        into.put(str(into.seen[id(function)]).encode())
        return
    into.seen[id(function)] = len(into.seen)
    code = function.__code__
    into.put(repr((code.co_qualname, code.co_names, code.co_varnames, code.co_freevars)).encode() + code.co_code)
    _fold(function.__defaults__, into)
    for constant in code.co_consts:
        if constant == function.__doc__ and constant is not None:
            continue
        if isinstance(constant, types.CodeType):
            raise Unnameable(f"it holds a function, inside {function.__qualname__}")
        _fold(constant, into)
    for name in code.co_names:  # globals, builtins and attributes
        if name in function.__globals__:
            for value in _used(function, name):
                _fold(value, into)
        elif hasattr(builtins, name):
            into.put(name.encode())
    for cell in function.__closure__ or ():
        _fold(cell.cell_contents, into)


def _used(function: types.FunctionType, name: str) -> list[Any]:
    """Return what `function` uses of its global `name`: the value, or of a module of ours the attributes."""
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
