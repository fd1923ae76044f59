"""Asking memory early for what is wanted next.

Tables lie one behind another, more of them than the near caches hold, and rules look here and there in a state: without
this, each line of it is waited for anew. In *Bandido Alcatraz* and *Érase una vez* that was a quarter of a step.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.typing import signature
from numba.extending import intrinsic

from sobremesa.envs.core.kernel import kernel

LINE = 64  # bytes that caches hold together
MANY = 16 * LINE  # bytes of a state from which on this helps; the lines of smaller ones come by themselves


def _generate(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    """Ask for all lines of a row, whose number is the second argument, of the array that is the first."""
    array = context.make_array(kind.args[0])(context, builder, given[0])
    stride = cgutils.unpack_tuple(builder, array.strides)[0]
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    ask = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag]), "llvm.prefetch.p0"
    )
    row = builder.gep(builder.bitcast(array.data, byte), [builder.mul(stride, given[1])])
    begin, step = ir.Constant(stride.type, 0), ir.Constant(stride.type, LINE)
    with cgutils.for_range_slice(builder, begin, stride, step) as (at, _):
        builder.call(ask, [builder.gep(row, [at]), flag(0), flag(3), flag(1)])  # to read, to be kept, no code
    return context.get_dummy_value()


@intrinsic
def _ask(typing_context, rows, number):  # type: ignore[no-untyped-def]
    return signature(types.none, rows, types.intp), _generate


@kernel
def _ask_for(rows, number):
    if number < rows.shape[0]:
        _ask(rows, number)


@kernel
def _ask_for_nothing(rows, number):
    pass


def asker(size: int) -> Any:
    """Return the kernel (rows, number) that asks memory for `rows[number]`, if there is such a row.

    `rows` is a C-contiguous array, and `size` is how many bytes a state has: of small ones nothing is asked.
    """
    return _ask_for if size >= MANY and not config.DISABLE_JIT else _ask_for_nothing
