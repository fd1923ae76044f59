"""The decorator of every kernel.

A function is compiled once for narrow and wide integers alike, once as a part for all kernels that call it
(linking.py), and once per machine (cache.py).
"""

import contextlib
import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numba import config, njit, types

from sobremesa.envs.core.compile.cache import OPTIONS, KernelCache
from sobremesa.envs.core.compile.constants import Pipeline
from sobremesa.envs.core.compile.linking import Part, make_whole, making
from sobremesa.envs.core.compile.notice import telling, turn
from sobremesa.envs.core.compile.private import (
    PROBLEM,
    Dispatcher,
    FunctionCompiler,
    global_compiler_lock,
    itanium_mangler,
    sigutils,
    typing,
)

_TARGET_OPTIONS = OPTIONS | {"nopython": True, "boundscheck": None}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile `function` with Numba at its first call; under `NUMBA_DISABLE_JIT=1` return it unchanged.

    Kernels release the GIL, never raise, and write into buffers of the caller.
    """
    if config.DISABLE_JIT:
        return function
    return _plain(function) if PROBLEM else Kernel(function)


def _plain(function: Callable[..., Any]) -> Any:
    """Return `function` compiled by Numba's public decorator, for a Numba whose private parts are not known.

    Numba's own cache looks at the file of a function alone: after an edit of a callee, delete `__pycache__`. It cannot
    find a function again that has a closure over kernels, so such a function is compiled in each process.
    """
    if function.__closure__ is None:
        with contextlib.suppress(RuntimeError):  # no file to keep it next to, as for code in a string
            return njit(cache=True, pipeline_class=Pipeline, **OPTIONS)(function)
    return njit(pipeline_class=Pipeline, **OPTIONS)(function)


def shared(kernel: Any) -> Any:
    """Return `kernel` as a function that callers do not inline: compiled once for all of them, a call slower."""
    return SharedKernel(kernel) if isinstance(kernel, Kernel) else kernel


def as_python(kernel: Any) -> Any:
    """Return the Python function of `kernel`, for one-time computations without compilation."""
    return getattr(kernel, "py_func", kernel)


class _PartCompiler(FunctionCompiler):
    """Numba's compiler without the wrappers for calls from Python and C."""

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags


class Kernel(Dispatcher):
    """A compiled function: a part for kernels that call it, and a whole for Python (linking.py).

    Both are stored by the types of the arguments; `overloads` has the parts.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=_TARGET_OPTIONS)
        self._compiler = _PartCompiler(function, self.targetdescr, _TARGET_OPTIONS, {}, Pipeline)
        self._cache = KernelCache(function)
        self._wholes: dict[tuple[Any, ...], Any] = {}

    def __reduce__(self) -> Any:
        """Pickle by name, or by the function if its module does not hold it under its name."""
        name = self.py_func.__code__.co_qualname  # __qualname__ carries the digest of the cache
        found: Any = sys.modules.get(self.py_func.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (kernel, (self.py_func,))

    def __copy__(self) -> "Kernel":
        """Return this kernel: kernels are immutable."""
        return self

    def __deepcopy__(self, memo: object) -> "Kernel":
        """Return this kernel."""
        return self

    def compile(self, sig: Any) -> Any:
        """Return the entry point for arguments of `sig`, from the cache if possible."""
        given = sigutils.normalize_signature(sig)[0]
        found = self.whole(_widened(given))
        with global_compiler_lock:
            if given not in self._wholes:  # narrow integers, or each call with them would come here
                self._wholes[given] = found
                self._insert([kind._code for kind in given], found.entry_point, False)
        return found.entry_point

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """Return the function's signature, and the types that it takes for such arguments."""
        signature, kinds = super().fold_argument_types(args, kws)
        return signature, _widened(kinds)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the type of the result, for a kernel that calls this one."""
        signature, kinds = self.fold_argument_types(args, kws)
        with global_compiler_lock:
            if kinds not in self.overloads:
                self.overloads[kinds] = self._for_kernels(kinds)
        name = self.py_func.__name__
        known = [self.overloads[kinds].signature]
        return typing.make_concrete_template(name, key=name, signatures=known), signature, kinds, {}

    def _for_kernels(self, kinds: tuple[Any, ...]) -> Any:
        return self.part(kinds)

    def part(self, kinds: tuple[Any, ...]) -> Any:
        """Return Numba's compiled result for the part."""
        with global_compiler_lock:
            if kinds not in self.overloads:
                self._cache.name()
                self.targetctx.refresh()  # Numba's runtime, if this is the first function of the process
                with self._compiling_counter, making(Part, self.targetctx.codegen()):
                    self.overloads[kinds] = self._compiler.compile(kinds, None)
            return self.overloads[kinds]

    def state(self) -> tuple[Any, ...] | None:
        """Return the dependencies of compiled code other than types of arguments; None if it cannot be stored."""
        self.targetctx.refresh()
        return self._cache.state(self.targetctx)

    def whole(self, kinds: tuple[Any, ...]) -> Any:
        """Return Numba's compiled result for the whole."""
        with global_compiler_lock:
            if kinds not in self._wholes:
                found = self._wholes[kinds] = self._stored(kinds) or self._made(kinds)
                self._insert([kind._code for kind in kinds], found.entry_point, False)
            return self._wholes[kinds]

    def _stored(self, kinds: tuple[Any, ...]) -> Any:
        found = self._cache.load_overload(kinds, self.targetctx)
        if found is not None:
            self._cache_hits[kinds] += 1
        return found

    def _made(self, kinds: tuple[Any, ...]) -> Any:
        """Compile the whole for `kinds`, unless another process has done so meanwhile."""
        path = self._cache.path(kinds, self.targetctx)
        with turn(path, self):
            found = self._stored(kinds)
            if found is None:
                self._cache_misses[kinds] += 1
                with telling(self, path), uncollected():
                    name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
                    found = make_whole(self.part(kinds), itanium_mangler.mangle(name, kinds, abi_tags=["whole"]))
                self._cache.save_overload(kinds, found)
        return found


class SharedKernel(Kernel):
    """A kernel that is a whole for kernels too."""

    def __init__(self, original: Kernel) -> None:
        super().__init__(original.py_func)
        self._original = original

    def _for_kernels(self, kinds: tuple[Any, ...]) -> Any:
        found = self.whole(kinds)
        found.library.described, found.library.source = found.fndesc, lambda: self._original.part(kinds)
        if found.entry_point not in self.targetctx._defns:
            self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
        return found

    def _stored(self, kinds: tuple[Any, ...]) -> Any:
        return self._original.whole(kinds)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Pause garbage collection: the compiler makes millions of objects and almost no garbage."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _widened(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """Return `kinds` with all narrow whole numbers as int64: one compiled form for all of them."""
    plain: list[Any] = [types.unliteral(kind) for kind in kinds]  # type: ignore[attr-defined]
    narrow = [isinstance(kind, types.Integer) and kind.bitwidth < 64 for kind in plain]  # type: ignore[attr-defined]
    return tuple(types.int64 if one else kind for one, kind in zip(narrow, plain, strict=True))
