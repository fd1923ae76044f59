"""Asking memory early for what is wanted next.

Tables lie one behind another, more of them than the near caches hold, and rules look here and there in a state: without
this, each line of it is waited for anew. In *Bandido Alcatraz* and *Érase una vez* that was a quarter of a step. Of a
field that is longer than what a step looks at, as a log is, nothing is asked: most of its lines would come for nothing
and keep others waiting. Nor is anything of what is written alone, as observations are.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.typing import signature
from numba.extending import intrinsic

from sobremesa.envs.core.compile.kernel import kernel

LINE = 64  # bytes that caches hold together
MANY = 16 * LINE  # bytes of a state from which on this helps; the lines of smaller ones come by themselves
LONG = 16 * LINE  # bytes of a field from which on it is looked at here and there


def _generate(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    """Ask for lines of a row of the array that is the first argument: (rows, number, first byte, byte to stop at)."""
    array = context.make_array(kind.args[0])(context, builder, given[0])
    stride = cgutils.unpack_tuple(builder, array.strides)[0]
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    ask = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag]), "llvm.prefetch.p0"
    )
    row = builder.gep(builder.bitcast(array.data, byte), [builder.mul(stride, given[1])])
    with cgutils.for_range_slice(builder, given[2], given[3], ir.Constant(stride.type, LINE)) as (at, _):
        builder.call(ask, [builder.gep(row, [at]), flag(0), flag(3), flag(1)])  # to read, to be kept, no code
    return context.get_dummy_value()


@intrinsic
def _ask(typing_context, rows, number, first, stop):  # type: ignore[no-untyped-def]
    return signature(types.none, rows, types.intp, types.intp, types.intp), _generate


@kernel
def _ask_for_nothing(states, number):
    pass


def asker(state: np.dtype[Any]) -> Any:
    """Return the kernel (states, number) that asks memory for `states[number]`, if there is such a one.

    `states` is a C-contiguous array of `state`. Of small ones nothing is asked, of others all but the longest field,
    where that is a long one.
    """
    size = state.itemsize
    if size < MANY or config.DISABLE_JIT:
        return _ask_for_nothing
    fields = [(kind.itemsize, start) for kind, start, *_ in (state.fields or {}).values()]
    length, start = max(fields, default=(0, 0))
    low, high = (start, start + length) if length >= LONG else (size, size)

    @kernel
    def ask_for(states, number):
        if number < states.shape[0]:
            _ask(states, number, 0, low)
            _ask(states, number, high, size)

    return ask_for
