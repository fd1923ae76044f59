"""Kernels for other targets: the LLVM code of a kernel's parts as one module, and that module as PTX for NVIDIA GPUs.

A kernel over one table (rows.py) becomes an *entry*: a function that runs it for each of many tables, one in a thread.
The rules are not written again. This is the only module of the compiler that knows other targets than this processor.

The link step defines the functions that Numba leaves to its runtime and to the C library. Counting references does
nothing, because arrays have no owner. A call that stays open, such as an allocation, is an error here.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

from sobremesa.envs.core.compile import elementary
from sobremesa.envs.core.compile.kernel import uncollected
from sobremesa.envs.core.compile.linking import Part, Whole, door, reachable
from sobremesa.envs.core.compile.private import global_compiler_lock

_FORMAT = 2  # of PTX in the cache
TRIPLE = "nvptx64-nvidia-cuda"
ALIGNMENT = 16  # bytes; rows on a GPU start at multiples of it
READ, WRITTEN = 1, 2  # whether a staged row is copied to the thread's memory before, and back afterwards
_IN_FLIGHT = 8  # copies of 16 bytes that are under way at once
_LONG, _BYTE = ir.IntType(64), ir.IntType(8)
_QUAD = ir.VectorType(ir.IntType(32), 4)  # 16 bytes
_THREAD = ("tid.x", "ctaid.x", "ntid.x")  # special registers: thread, block, threads in a block
_REGISTER = "llvm.nvvm.read.ptx.sreg."  # before its name
_RUNTIME = """
define void @NRT_incref(ptr %0) alwaysinline { ret void }
define void @NRT_decref(ptr %0) alwaysinline { ret void }
declare double @llvm.sqrt.f64(double)
declare float @llvm.sqrt.f32(float)
define double @sqrt(double %0) alwaysinline { %2 = call double @llvm.sqrt.f64(double %0) ret double %2 }
define float @sqrtf(float %0) alwaysinline { %2 = call float @llvm.sqrt.f32(float %0) ret float %2 }
"""
_MATHEMATICS = {  # functions without an instruction on a GPU: kernel, and number of arguments
    "llvm.log.f64": (elementary.log, 1), "llvm.exp.f64": (elementary.exp, 1), "llvm.pow.f64": (elementary.power, 2),
}  # fmt: skip
# Functions for which LLVM has no code on a GPU; it would end the process.
_UNSELECTABLE = re.compile(r"@(llvm\.(?:a?(?:sin|cos|tan)h?|atan2|exp(?:2|10)?|log(?:2|10)?|powi?)\.[\w.]+)\(")
_ALLOCATION = re.compile(r"@(NRT_(?!incref|decref)\w+|malloc|calloc)\b")
_BYTES_ANYWHERE = re.compile(r"(?m)^(@[^\n]* constant \[\d+ x i8\] [^\n]*, align )1$")
_UNSIZED = re.compile(r"= alloca [^\n]*, i(?:32|64) %")


class Column(NamedTuple):
    """An array argument with a row for each table: `(N,)`, or `(N, width)`.

    A staged row is copied to the memory of the thread, 16 bytes at a time, because kernels read and write single bytes.
    """

    kind: Any  # Numba's type of an entry
    width: int | None = None
    staged: int = 0  # READ, WRITTEN, or both

    @property
    def row(self) -> int:
        """The bytes of a row."""
        return int(as_dtype(self.kind).itemsize) * (self.width or 1)

    @property
    def array(self) -> Any:
        """Numba's type of the argument."""
        return types.Array(self.kind, 1 if self.width is None else 2, "C")


class Entry(NamedTuple):
    """A function over N tables, made of a row kernel (i, number, ...).

    It takes the address and the pitch in bytes of each column, int64 for each number (`None` among the arguments), then
    N, and the number of the first table, both int64.
    """

    name: str
    kernel: Any
    arguments: dict[str, Column | None]

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types of the kernel's arguments."""
        given = (types.int64 if one is None else one.array for one in self.arguments.values())
        return (types.int64, types.int64, *given)


class NotPortable(ValueError):
    """A kernel that needs something that a GPU lacks, such as a heap."""


def link(entries: Sequence[Entry]) -> str:
    """Return the LLVM code of `entries` and everything that they call, not optimized: each thread runs one table."""
    with global_compiler_lock, uncollected():
        parts = [entry.kernel.part(entry.kinds) for entry in entries]
        module = binding.parse_assembly(_RUNTIME)
        linked = _needed([part.library for part in parts])
        for code in linked.values():
            module.link_in(code, preserve=True)
        for entry, part in zip(entries, parts, strict=True):
            module.link_in(binding.parse_assembly(str(_entry(entry, part))), preserve=True)
        module = _with_mathematics(module, linked)
        for function in module.functions:
            if not function.is_declaration and function.name not in {entry.name for entry in entries}:
                function.linkage = "internal"
        for variable in module.global_variables:
            if variable.linkage == binding.Linkage.common:
                variable.linkage = "internal"
        # Numba gives constant records the alignment of bytes, but their fields are read as numbers.
        return _BYTES_ANYWHERE.sub(rf"\g<1>{ALIGNMENT}", str(module))


def _with_mathematics(module: Any, linked: dict[Any, Any]) -> Any:
    """Return `module`, of the libraries `linked`, with the functions of elementary.py for those of a processor."""
    text = str(module)
    used = mathematics(text)
    for name in used:
        text = re.sub(rf"(?m)^declare [^\n]*@{re.escape(name)}\([^\n]*\n", "", text)
        text = text.replace(f"@{name}(", f"@{_own_name(name)}(")
        text += f"\ndeclare double @{_own_name(name)}({', '.join(['double'] * _MATHEMATICS[name][1])})\n"
    module = binding.parse_assembly(text)
    parts = [kernel.part((types.float64,) * count) for kernel, count in map(_MATHEMATICS.__getitem__, used)]
    for library, code in _needed([part.library for part in parts]).items():
        if library not in linked:
            module.link_in(code, preserve=True)
    for name, part in zip(used, parts, strict=True):
        module.link_in(binding.parse_assembly(str(_function(_own_name(name), part))), preserve=True)
    return module


def mathematics(text: str) -> list[str]:
    """Return the functions in the LLVM code `text` whose results on a GPU may differ in the last place."""
    return [name for name in _MATHEMATICS if f"@{name}(" in text or f"@{_own_name(name)}(" in text]


def _own_name(name: str) -> str:
    return f"sobremesa_{name.split('.')[1]}"


def _function(name: str, part: Any) -> Any:
    """Return a module with the function `name` from numbers to a number, which calls the kernel of `part`."""
    target, inner = part.target_context, part.fndesc
    module, double = target.create_module(name), ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(double, [double] * len(inner.argtypes)), name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    called = ir.Function(
        module, target.call_conv.get_function_type(inner.restype, inner.argtypes), inner.llvm_func_name
    )
    outputs = [cgutils.alloca_once(builder, argument.type.pointee) for argument in called.args[:2]]
    builder.call(called, [*outputs, *function.args], attrs=("alwaysinline",))
    builder.ret(builder.load(outputs[0]))
    return module


def key(entries: Sequence[Entry], chip: str) -> str | None:
    """Return the name of the PTX of `entries` in the kernel cache; None if a kernel has no digest."""
    depends_on: list[Any] = [_FORMAT, chip, [kernel.state() for kernel, _ in _MATHEMATICS.values()]]
    for entry in entries:
        state = entry.kernel.state()
        if state is None:
            return None
        depends_on += [entry.name, str(entry.kinds), [repr(column) for column in entry.arguments.values()], state]
    return (
        f"{'.'.join(entry.name for entry in entries)}-{hashlib.sha256(repr(depends_on).encode()).hexdigest()[:40]}.ptx"
    )


def _needed(libraries: Sequence[Any]) -> dict[Any, Any]:
    """Return the modules of `libraries` and of all parts that they need, by library; wholes (machine code) as parts."""
    found: dict[Any, Any] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        for one in reachable([library]):
            if one in found:
                continue
            if isinstance(one, Part):
                found[one] = one.own()
            elif isinstance(one, Whole):
                part = one.source()
                found[one] = binding.parse_assembly(str(door(part.target_context, part.fndesc, one.described)))
                waiting.append(part.library)
    return found


def _entry(entry: Entry, part: Any) -> Any:
    """Return the module of `entry`."""
    module = part.target_context.create_module(entry.name)
    function = ir.Function(module, _form(entry), entry.name)
    function.calling_convention = "ptx_kernel"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    *arguments, count, first = function.args
    thread, block, width = (_register(builder, name) for name in _THREAD)
    index = builder.add(builder.mul(block, width), thread)
    with builder.if_then(builder.icmp_signed("<", index, count)):
        _row(builder, entry, part, arguments, index, first)
    builder.ret_void()
    return module


def _form(entry: Entry) -> Any:
    """Return the type of the function of `entry`."""
    given = [kind for one in entry.arguments.values() for kind in _lowered(one)]
    return ir.FunctionType(ir.VoidType(), [*given, _LONG, _LONG])


def _lowered(argument: Column | None) -> list[Any]:
    return [_LONG] if argument is None else [_BYTE.as_pointer(), _LONG]


def _register(builder: Any, name: str) -> Any:
    """Return a special register of the GPU as 64 bits."""
    kind = ir.FunctionType(ir.IntType(32), [])
    read = cgutils.get_or_insert_function(builder.module, kind, f"{_REGISTER}{name}")
    return builder.zext(builder.call(read, []), _LONG)


def _row(builder: Any, entry: Entry, part: Any, arguments: list[Any], index: Any, first: Any) -> None:
    """Generate one call of the row kernel, with its rows staged."""
    target, waiting = part.target_context, list(arguments)
    values, written = [_LONG(0), builder.add(first, index)], []
    for column in entry.arguments.values():
        if column is None:
            values.append(waiting.pop(0))
            continue
        base, pitch = waiting.pop(0), waiting.pop(0)
        place = builder.gep(base, [builder.mul(index, pitch)], source_etype=_BYTE)
        if column.staged:
            own = _staged(builder, column)
            if column.staged & READ:
                _copy(builder, own, place, column.row)
            if column.staged & WRITTEN:
                written.append((place, own, column.row))
            place = own
        values.append(_array(target, builder, column, place))
    inner = part.fndesc
    kind = target.call_conv.get_function_type(inner.restype, inner.argtypes)
    called = ir.Function(builder.module, kind, inner.llvm_func_name)
    packed = target.call_conv._get_arg_packer(inner.argtypes).as_arguments(builder, values)
    outputs = [cgutils.alloca_once(builder, argument.type.pointee) for argument in called.args[:2]]
    builder.call(called, [*outputs, *packed], attrs=("alwaysinline",))
    for place, own, size in written:
        _copy(builder, place, own, size)


def _staged(builder: Any, column: Column) -> Any:
    with builder.goto_entry_block():
        own = builder.alloca(ir.ArrayType(_QUAD, _quads(column.row)))
        own.align = ALIGNMENT
    return builder.bitcast(own, _BYTE.as_pointer())


def _quads(size: int) -> int:
    return -(-size // ALIGNMENT)


def _copy(builder: Any, into: Any, of: Any, size: int) -> None:
    """Generate a copy of `size` bytes, rounded up to 16, several reads before the writes that wait for them."""
    groups, rest = divmod(_quads(size), _IN_FLIGHT)
    into, of = (builder.bitcast(place, _QUAD.as_pointer()) for place in (into, of))

    def copy_some(start: Any, count: int) -> None:
        places = [builder.add(start, _LONG(k)) for k in range(count)]
        loads = [builder.load(builder.gep(of, [place], source_etype=_QUAD), typ=_QUAD) for place in places]
        for load in loads:
            load.align = ALIGNMENT
        for place, load in zip(places, loads, strict=True):
            builder.store(load, builder.gep(into, [place], source_etype=_QUAD), align=ALIGNMENT)

    if groups:
        with cgutils.for_range(builder, _LONG(groups)) as loop:
            copy_some(builder.mul(loop.index, _LONG(_IN_FLIGHT)), _IN_FLIGHT)
    copy_some(_LONG(groups * _IN_FLIGHT), rest)


def _array(target: Any, builder: Any, column: Column, place: Any) -> Any:
    """Return an array of one row at `place`."""
    array = target.make_array(column.array)(target, builder)
    size = as_dtype(column.kind).itemsize
    shape = [1] if column.width is None else [1, column.width]
    strides = [size] if column.width is None else [column.row, size]
    populate_array(
        array,
        data=builder.bitcast(place, array.data.type),
        shape=[_LONG(one) for one in shape],
        strides=[_LONG(one) for one in strides],
        itemsize=_LONG(size),
        meminfo=None,
    )
    return array._getvalue()


@cache
def _machine(chip: str) -> Any:
    """Return LLVM's target machine of a `chip` such as "sm_90"; "" is this processor."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    if chip:
        return binding.Target.from_triple(TRIPLE).create_target_machine(cpu=chip, opt=3)
    cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return binding.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=3)


def optimized(text: str, chip: str = "") -> str:
    """Return the LLVM code `text` for `chip`, optimized; raise NotPortable if a GPU cannot run it."""
    machine = _machine(chip)
    with global_compiler_lock:
        module = _for_target(text, chip)
        options = binding.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = options.slp_vectorization = not chip  # a thread of a GPU has no vectors
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        module.verify()
        made = str(module)
    needs = problems(made)
    if needs:
        raise NotPortable(f"these kernels cannot run on a GPU: {'; '.join(needs)}")
    return made


def problems(text: str) -> list[str]:
    """Return why optimized LLVM code cannot run on a GPU; an empty list if it can."""
    found = []
    opened = set(re.findall(r'(?m)^declare [^\n]*@"?(?!llvm\.)([\w.$]+)"?\(', text))
    opened |= {name.split(".")[1] for name in _UNSELECTABLE.findall(text) if name not in _MATHEMATICS}
    allocating = set(_ALLOCATION.findall(text))
    if opened - allocating:
        found.append(f"they call {', '.join(sorted(opened - allocating))}, which only this processor has")
    if allocating:
        found.append("they allocate memory; use sobremesa.envs.scratch instead of np.empty, np.zeros and the like")
    if _UNSIZED.search(text):
        found.append("an array on the stack has a size that is not known when compiling")
    return found


def _for_target(text: str, chip: str) -> Any:
    module = binding.parse_assembly(text)
    module.triple = TRIPLE if chip else binding.get_process_triple()
    module.data_layout = str(_machine(chip).target_data)
    return module


def ptx(text: str, chip: str) -> str:
    """Return the PTX for `chip` of LLVM code that `optimized` returned."""
    with global_compiler_lock:
        return str(_machine(chip).emit_assembly(_for_target(text, chip)))


def on_this_processor(text: str, entries: Sequence[Entry], width: int) -> Any:
    """Return an engine that runs LLVM code for a GPU here, one thread after another, in blocks of `width` threads.

    `engine.get_function_address(name)` is the address of an entry.
    """
    for name in _THREAD:
        text = re.sub(rf"(?m)^declare [^\n]*@{re.escape(_REGISTER + name)}\([^\n]*\n", "", text)
        text = text.replace(f"@{_REGISTER}{name}(", f"@read.{name}(")
        text += f"\n@{name} = global i32 0\ndefine i32 @read.{name}() {{ %1 = load i32, ptr @{name} ret i32 %1 }}\n"
    for entry in entries:
        text = text.replace(f"define ptx_kernel void @{entry.name}(", f"define void @thread.{entry.name}(")
    with global_compiler_lock:
        module = _for_target(text, "")
        for entry in entries:
            module.link_in(binding.parse_assembly(str(_launch(entry, width))))
        engine = binding.create_mcjit_compiler(module, _host_machine())
        engine.finalize_object()
        return engine


def _launch(entry: Entry, width: int) -> Any:
    """Return the module of a function that calls all threads of `entry`, each with its special registers."""
    module, number = ir.Module(), ir.IntType(32)
    function, thread = (ir.Function(module, _form(entry), name) for name in (entry.name, f"thread.{entry.name}"))
    registers = [ir.GlobalVariable(module, number, name) for name in _THREAD]
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    blocks = builder.udiv(builder.add(function.args[-2], _LONG(width - 1)), _LONG(width))
    with cgutils.for_range(builder, blocks) as block, cgutils.for_range(builder, _LONG(width)) as place:
        for register, value in zip(registers, (place.index, block.index, _LONG(width)), strict=True):
            builder.store(builder.trunc(value, number), register)
        builder.call(thread, function.args)
    builder.ret_void()
    return module


def _host_machine() -> Any:
    """Return a new machine: an engine owns its own."""
    cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return binding.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=3)
