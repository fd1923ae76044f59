"""Prefetching of the next state.

Tables are one behind another, and many tables do not fit into the near caches. Rules read scattered fields, so a step
would wait for each cache line: a quarter of the time in *Bandido Alcatraz* and *Érase una vez*. A long field, such as a
log, is not fetched: a step reads few of its lines. Observations are only written, so they are not fetched either.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.typing import signature
from numba.extending import intrinsic

from sobremesa.envs.core.compile.kernel import kernel

LINE = 64  # bytes in a cache line
MANY = 16 * LINE  # bytes of the smallest state that this helps
LONG = 16 * LINE  # bytes of the shortest field that is skipped


def _generate(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    """Prefetch lines of a row of the first argument: (rows, number, first byte, byte to stop at)."""
    array = context.make_array(kind.args[0])(context, builder, given[0])
    stride = cgutils.unpack_tuple(builder, array.strides)[0]
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    ask = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag]), "llvm.prefetch.p0"
    )
    row = builder.gep(builder.bitcast(array.data, byte), [builder.mul(stride, given[1])])
    with cgutils.for_range_slice(builder, given[2], given[3], ir.Constant(stride.type, LINE)) as (at, _):
        builder.call(ask, [builder.gep(row, [at]), flag(0), flag(3), flag(1)])  # for reading, high locality, data
    return context.get_dummy_value()


@intrinsic
def _ask(typing_context, rows, number, first, stop):  # type: ignore[no-untyped-def]
    return signature(types.none, rows, types.intp, types.intp, types.intp), _generate


@kernel
def _no_prefetch(states, number):
    pass


def prefetcher(state: np.dtype[Any]) -> Any:
    """Return the kernel (states, number) that prefetches `states[number]`, if there is such a state.

    `states` is a C-contiguous array of `state`. Small states are not fetched; of others everything but one long field
    is.
    """
    size = state.itemsize
    if size < MANY or config.DISABLE_JIT:
        return _no_prefetch
    fields = [(kind.itemsize, start) for kind, start, *_ in (state.fields or {}).values()]
    length, start = max(fields, default=(0, 0))
    low, high = (start, start + length) if length >= LONG else (size, size)

    @kernel
    def ask_for(states, number):
        if number < states.shape[0]:
            _ask(states, number, 0, low)
            _ask(states, number, high, size)

    return ask_for
