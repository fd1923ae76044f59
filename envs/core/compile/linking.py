"""Linking: a function becomes a part once, and parts are linked, optimized and compiled to machine code once.

Numba optimizes and compiles each function together with all its callees, so a function ten calls deep becomes machine
code ten times. Here a function that another kernel calls stays a *part*: the LLVM code of that function. Only functions
that Python calls, and shared kernels, become a *whole*: all their parts, private and optimized together. A whole calls
other wholes by name.
"""

import contextlib
import copy
from collections.abc import Iterable, Iterator
from typing import Any

from numba import types
from numba.extending import overload

from sobremesa.envs.core.compile.private import CodeLibrary, arrayobj, binding, environment, ir

_ENVIRONMENT = "_ZN08NumbaEnv"  # prefix of environments, which hold a function's Python constants
_NO_ARRAYS = (types.Number, types.Boolean, types.NoneType)  # type: ignore[attr-defined]
_UNRESOLVED = ".numba.unresolved$"  # prefix of addresses that recursive functions wait for


class _NotYet:
    """A stand-in for the code generator: Python constants have no address before they are in a whole."""

    def set_env(self, name: str, value: Any) -> None:
        """Do nothing."""


class Part(CodeLibrary):  # type: ignore[misc]
    """The LLVM code of one function, for linking."""

    codegen = _NotYet()
    _alone: "Whole | None" = None

    def finalize(self) -> None:
        """Close the part; nothing is linked yet."""
        self._raise_if_finalized()
        self._finalized = True

    def own(self) -> Any:
        """Return the LLVM module of this function alone."""
        return self._shared_module or self._final_module

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of `name`; 0 if it is not in this part, as wrappers for Python are not."""
        self._ensure_finalized()
        if not any(function.name == name and not function.is_declaration for function in self.own().functions):
            return 0
        if self._alone is None:
            self._alone = Whole(self._codegen, self.name)
            self._alone.keep = (name,)
            self._alone.add_linking_library(self)
        return int(self._alone.get_pointer_to_function(name))

    def _get_module_for_linking(self) -> Any:
        """Return the part with all its callees, for code that knows no parts."""
        module = self.own().clone()
        _link(module, [library for library in reachable(self._linking_libraries) if library is not self])
        for function in module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        return module


class Whole(CodeLibrary):  # type: ignore[misc]
    """Parts linked into machine code; only the functions in `keep` are visible by name."""

    keep: tuple[str, ...] = ()
    described: Any = None  # Numba's description of the function, once a kernel calls it
    source: Any = None  # () -> Numba's compiled result for its part, for other targets (retarget.py)

    @property
    def needs(self) -> list["Whole"]:
        """The wholes that this whole calls."""
        return [library for library in reachable(self._linking_libraries) if isinstance(library, Whole)]

    def finalize(self) -> None:
        """Link, optimize and compile."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        libraries = reachable(self._linking_libraries)
        self._reload_init.update(*(library._reload_init for library in libraries))
        _link(self._final_module, [library for library in libraries if not isinstance(library, Whole)])
        self._hide()
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                found = environment.lookup_environment(variable.name)
                if found is not None:
                    self._codegen.set_env(variable.name, found)

    def _hide(self) -> None:
        """Make all functions private except those to keep, so that they can be inlined and removed."""
        names = [variable.name for variable in self._final_module.global_variables]
        waited_for = [name for name in names if name.startswith(_UNRESOLVED)]
        self._dynamic_globals += waited_for  # this process fills them in, so the code cannot be stored
        known = {*self.keep, *(name.removeprefix(_UNRESOLVED) for name in waited_for)}
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in known:
                function.linkage = "internal"

    def serialize_using_object_code(self) -> tuple[Any, ...]:
        """Return the machine code and its names, without the code for linking it again."""
        return self.name, self.keep, self._get_compiled_object()

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[Any, ...]) -> "Whole":
        name, names, code = state
        self = cls(codegen, name)
        self.keep = names
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._shared_module = binding.parse_assembly("")
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(names)
        return self


def reachable(libraries: Iterable[Any]) -> list[Any]:
    """Return `libraries` and everything that their parts need, each once."""
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, Part):
                waiting += library._linking_libraries
    return list(found)


def _link(module: Any, libraries: Iterable[Any]) -> None:
    for library in libraries:
        module.link_in(library.own() if isinstance(library, Part) else library._get_module_for_linking(), preserve=True)


@contextlib.contextmanager
def making(kind: type[CodeLibrary], codegen: Any) -> Iterator[None]:
    """Make all new libraries of one `kind`; the caller holds Numba's compiler lock."""
    before = codegen._library_class, arrayobj.raise_with_shape_context
    codegen._library_class, arrayobj.raise_with_shape_context = kind, _differ_in_shape
    try:
        yield
    finally:
        codegen._library_class, arrayobj.raise_with_shape_context = before


def _differ_in_shape(source: Any, target: Any) -> None:
    """Replace Numba's message about shapes, which needs strings and two seconds of compilation."""


@overload(_differ_in_shape)
def _raise_shape_error(source, target):  # type: ignore[no-untyped-def]
    def say(source, target):  # type: ignore[no-untyped-def]
        raise ValueError("cannot assign slice from input of different size")

    return say


def make_whole(part: Any, name: str) -> Any:
    """Return Numba's compiled result of a whole, made of the result for its `part`.

    Other wholes call it by `name`, Python by the wrapper that Numba makes.
    """
    target, described = part.target_context, copy.copy(part.fndesc)
    described.mangled_name = name
    library = Whole(target.codegen(), name)
    library.enable_object_caching()
    library.keep = (described.llvm_func_name, described.llvm_cpython_wrapper_name)
    library.add_linking_library(part.library)
    library.add_ir_module(door(target, part.fndesc, described))
    with target.push_code_library(library):
        target.create_cpython_wrapper(library, described, part.environment, part.call_helper, release_gil=True)
    entry = target.get_executable(library, described, part.environment)
    return part._replace(library=library, entry_point=entry, fndesc=described)


def door(target: Any, inner: Any, outer: Any) -> Any:
    """Return a module with a function that has the signature of `outer` and calls `inner`.

    The caller owns the arrays that it passes. So unless an array is returned, `inner` gets arrays without an owner, and
    nothing counts references, which would cost as much as a small kernel.
    """
    module = target.create_module("door")
    kind = target.call_conv.get_function_type(inner.restype, inner.argtypes)
    inside = ir.Function(module, kind, inner.llvm_func_name)
    outside = ir.Function(module, kind, outer.llvm_func_name)
    for argument in outside.args[:2]:  # the result and the exception
        argument.add_attribute("noalias")
    builder = ir.IRBuilder(outside.append_basic_block())
    given = list(outside.args[2:])
    if isinstance(inner.restype, _NO_ARRAYS):
        packer = target.call_conv._get_arg_packer(inner.argtypes)
        values = packer.from_arguments(builder, given)
        given = packer.as_arguments(
            builder, [_unowned(target, builder, *one) for one in zip(inner.argtypes, values, strict=True)]
        )
    builder.ret(builder.call(inside, [*outside.args[:2], *given], attrs=("alwaysinline",)))
    return module


def _unowned(target: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return `value` of type `kind`; an array loses its owner."""
    if not isinstance(kind, types.Array):
        return value
    array = target.make_array(kind)(target, builder, value)
    array.meminfo = array.parent = ir.Constant(array.meminfo.type, None)
    return array._getvalue()
