"""The one decorator over Numba.

Whatever a kernel is made of and however often it is used, it is compiled once: for narrow and wide integers alike, as a
part that all kernels which call it share (linking.py), and once on a machine (cache.py).
"""

import contextlib
import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numba import config, njit, types

from sobremesa.envs.core.compile.cache import OPTIONS, KernelCache
from sobremesa.envs.core.compile.linking import Part, make_whole, making
from sobremesa.envs.core.compile.notice import telling, turn
from sobremesa.envs.core.compile.private import (
    PROBLEM,
    Dispatcher,
    FunctionCompiler,
    compiler,
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
        with contextlib.suppress(RuntimeError):  # no file to keep it beside, as for code in a string
            return njit(cache=True, **OPTIONS)(function)
    return njit(**OPTIONS)(function)


def shared(kernel: Any) -> Any:
    """Return `kernel` as one that others call without taking it in: compiled once for all, and a call slower."""
    return SharedKernel(kernel) if isinstance(kernel, Kernel) else kernel


def as_python(kernel: Any) -> Any:
    """Return the Python function of `kernel`, for what is worked out once: nothing is compiled for it."""
    return getattr(kernel, "py_func", kernel)


class _PartCompiler(FunctionCompiler):
    """Numba's compiler without what lets Python and C call a function."""

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags


class Kernel(Dispatcher):
    """A compiled function: a part for kernels that call it, a whole for Python (see linking.py).

    Both are kept by the types of the arguments: `overloads` is what kernels call.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions=_TARGET_OPTIONS)
        self._compiler = _PartCompiler(function, self.targetdescr, _TARGET_OPTIONS, {}, compiler.Compiler)
        self._cache = KernelCache(function)
        self._wholes: dict[tuple[Any, ...], Any] = {}

    def __reduce__(self) -> Any:
        """Be pickled by name; one that its module does not hold by this name is made anew of its function."""
        name = self.py_func.__code__.co_qualname  # the cache names functions by their content
        found: Any = sys.modules.get(self.py_func.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (kernel, (self.py_func,))

    def __copy__(self) -> "Kernel":
        """Return this one: a kernel does not change."""
        return self

    def __deepcopy__(self, memo: object) -> "Kernel":
        """Return this one, too."""
        return self

    def compile(self, sig: Any) -> Any:
        """Return what Python calls for arguments of `sig`, from the cache if it is there."""
        given = sigutils.normalize_signature(sig)[0]
        found = self.whole(_widened(given))
        with global_compiler_lock:
            if given not in self._wholes:  # narrow ones: else every call with such numbers would come here
                self._wholes[given] = found
                self._insert([kind._code for kind in given], found.entry_point, False)
        return found.entry_point

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """Return the function's own signature, and the types that it takes for arguments of such types."""
        signature, kinds = super().fold_argument_types(args, kws)
        return signature, _widened(kinds)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Tell a kernel that calls this one what it gives back."""
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
                with self._compiling_counter, making(Part, self.targetctx.codegen()):
                    self.overloads[kinds] = self._compiler.compile(kinds, None)
            return self.overloads[kinds]

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
                with telling(self, path), _uncollected():
                    name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
                    found = make_whole(self.part(kinds), itanium_mangler.mangle(name, kinds, abi_tags=["whole"]))
                self._cache.save_overload(kinds, found)
        return found


class SharedKernel(Kernel):
    """A kernel that is a whole for kernels that call it too."""

    def __init__(self, original: Kernel) -> None:
        super().__init__(original.py_func)
        self._original = original

    def _for_kernels(self, kinds: tuple[Any, ...]) -> Any:
        found = self.whole(kinds)
        if found.entry_point not in self.targetctx._defns:
            self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
        return found

    def _stored(self, kinds: tuple[Any, ...]) -> Any:
        return self._original.whole(kinds)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: the compiler makes millions of things and next to no garbage."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _widened(kinds: Iterable[Any]) -> tuple[Any, ...]:
    """Return `kinds` of arguments with all narrow whole numbers as int64: one compiled form for all of them."""
    plain: list[Any] = [types.unliteral(kind) for kind in kinds]  # type: ignore[attr-defined]
    narrow = [isinstance(kind, types.Integer) and kind.bitwidth < 64 for kind in plain]  # type: ignore[attr-defined]
    return tuple(types.int64 if one else kind for one, kind in zip(narrow, plain, strict=True))
