"""Machine code once: what a kernel calls is compiled into parts, and a whole is linked, optimised and finished once.

Numba optimises and finishes every function by itself, together with all that it calls, so that what lies ten calls deep
is made into machine code ten times. Here a function that another kernel calls stays a *part*: LLVM's code of itself
alone. Only what Python calls, and what kernels share, becomes a *whole*: all the parts that it needs, private to it,
optimised together. A whole calls other wholes by name.
"""

import contextlib
import copy
from collections.abc import Iterable, Iterator
from typing import Any

from numba import types
from numba.extending import overload

from sobremesa.envs.core.compile.private import CodeLibrary, arrayobj, binding, environment, ir

_ENVIRONMENT = "_ZN08NumbaEnv"  # begins the names of what holds a function's Python constants
_NO_ARRAYS = (types.Number, types.Boolean, types.NoneType)  # type: ignore[attr-defined]
_UNRESOLVED = ".numba.unresolved$"  # begins the names of addresses that a function which calls itself waits for


class _NotYet:
    """What a part has instead of the code generator: its Python constants have no place before it is in a whole."""

    def set_env(self, name: str, value: Any) -> None:
        """Do nothing."""


class Part(CodeLibrary):  # type: ignore[misc]
    """What one function was compiled into, for being linked."""

    codegen = _NotYet()
    _alone: "Whole | None" = None

    def finalize(self) -> None:
        """Take no more; nothing is linked yet."""
        self._raise_if_finalized()
        self._finalized = True

    def own(self) -> Any:
        """Return the module of this function alone."""
        return self._shared_module or self._final_module

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of `name`; 0 if it is not here, as what Python calls is not in a kernel's part."""
        self._ensure_finalized()
        if not any(function.name == name and not function.is_declaration for function in self.own().functions):
            return 0
        if self._alone is None:
            self._alone = Whole(self._codegen, self.name)
            self._alone.keep = (name,)
            self._alone.add_linking_library(self)
        return int(self._alone.get_pointer_to_function(name))

    def _get_module_for_linking(self) -> Any:
        """Return all of it, for code that knows of no parts."""
        module = self.own().clone()
        _link(module, [library for library in reachable(self._linking_libraries) if library is not self])
        for function in module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        return module


class Whole(CodeLibrary):  # type: ignore[misc]
    """Parts linked into machine code. Of its functions only those in `keep` are found by name."""

    keep: tuple[str, ...] = ()

    @property
    def needs(self) -> list["Whole"]:
        """The wholes that are called from this one."""
        return [library for library in reachable(self._linking_libraries) if isinstance(library, Whole)]

    def finalize(self) -> None:
        """Link, optimise and finish."""
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
        """Make all functions private but those to keep: they are in nobody's way, and optimised for where they are."""
        names = [variable.name for variable in self._final_module.global_variables]
        waited_for = [name for name in names if name.startswith(_UNRESOLVED)]
        self._dynamic_globals += waited_for  # they are filled in by this process: it cannot be stored
        known = {*self.keep, *(name.removeprefix(_UNRESOLVED) for name in waited_for)}
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in known:
                function.linkage = "internal"

    def serialize_using_object_code(self) -> tuple[Any, ...]:
        """Return the machine code and the names in it, without what linking it again would take."""
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
    """Return `libraries` and what their parts need, each once."""
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
    """Have all code that is made inside be of one `kind`; whoever enters holds Numba's compiler lock."""
    before = codegen._library_class, arrayobj.raise_with_shape_context
    codegen._library_class, arrayobj.raise_with_shape_context = kind, _differ_in_shape
    try:
        yield
    finally:
        codegen._library_class, arrayobj.raise_with_shape_context = before


def _differ_in_shape(source: Any, target: Any) -> None:
    """Stand in for what tells of shapes that differ: Numba's own takes two seconds to compile, for strings."""


@overload(_differ_in_shape)
def _say_that_they_differ(source, target):  # type: ignore[no-untyped-def]
    def say(source, target):  # type: ignore[no-untyped-def]
        raise ValueError("cannot assign slice from input of different size")

    return say


def make_whole(part: Any, name: str) -> Any:
    """Return Numba's compiled result for a kernel that Python and other wholes can call, from that for its `part`.

    Other wholes find it under `name`, Python through the wrapper that Numba makes.
    """
    target, described = part.target_context, copy.copy(part.fndesc)
    described.mangled_name = name
    library = Whole(target.codegen(), name)
    library.enable_object_caching()
    library.keep = (described.llvm_func_name, described.llvm_cpython_wrapper_name)
    library.add_linking_library(part.library)
    library.add_ir_module(_door(target, part.fndesc, described))
    with target.push_code_library(library):
        target.create_cpython_wrapper(library, described, part.environment, part.call_helper, release_gil=True)
    entry = target.get_executable(library, described, part.environment)
    return part._replace(library=library, entry_point=entry, fndesc=described)


def _door(target: Any, inner: Any, outer: Any) -> Any:
    """Return a module with a function that is called as `outer` is and goes on to `inner`.

    Whoever calls keeps the arrays that it gives, and what gives back no array keeps none: behind the door nobody counts
    who holds them, which would cost as much as small kernels do.
    """
    module = target.create_module("door")
    kind = target.call_conv.get_function_type(inner.restype, inner.argtypes)
    inside = ir.Function(module, kind, inner.llvm_func_name)
    outside = ir.Function(module, kind, outer.llvm_func_name)
    for argument in outside.args[:2]:  # where the result goes, and an exception
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
    """Return `value` of type `kind`, if it is an array one that belongs to nobody."""
    if not isinstance(kind, types.Array):
        return value
    array = target.make_array(kind)(target, builder, value)
    array.meminfo = array.parent = ir.Constant(array.meminfo.type, None)
    return array._getvalue()
