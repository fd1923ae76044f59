"""Observations as bytes: kernels that convert them to float32, and kernels for the games that write them (layout.py).

Letters: `D` numbers in an observation, `W` bytes in one, `T` numbers that follow behind the bytes as float32.
"""

from typing import Any

import numpy as np
from numba.core import cgutils, config, types
from numba.core.typing import signature
from numba.extending import intrinsic

from sobremesa.envs.core.compile.kernel import kernel

SIGNED = 0xFF  # `number & SIGNED` is the byte that stands for a number from -128 to 127


@kernel
def clear(out, start, stop):
    """Write zeros into `out[start:stop]`."""
    part = out[start:stop]
    for place in range(part.shape[0]):
        part[place] = 0


def _generate(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    """Copy all bytes of the second array to the start of the first."""
    into = context.make_array(kind.args[0])(context, builder, given[0])
    row = context.make_array(kind.args[1])(context, builder, given[1])
    cgutils.raw_memcpy(builder, into.data, row.data, row.nitems, 1)
    return context.get_dummy_value()


@intrinsic
def _copy(typing_context, into, row):  # type: ignore[no-untyped-def]
    return signature(types.none, into, row), _generate


@kernel
def _put(out, start, row):
    _copy(out[start : start + row.shape[0]], row)


@kernel
def _put_one_by_one(out, start, row):
    for place in range(row.shape[0]):
        out[start + place] = row[place]


# (out, start, row): copy the bytes `row` into `out` from `start` on, in one piece. The two may overlap for all that
# the compiler knows, so it would compile a loop byte by byte.
put = _put_one_by_one if config.DISABLE_JIT or config.BOUNDSCHECK else _put


@kernel
def expand(codes, per, above, runs, wide, tail, out):
    """Write the numbers of `codes` `(W,)` uint8 into `out` `(D,)` float32; `Layout.expansion` is the other arguments.

    A whole number divided in float32 equals, to the bit, one divided in float64 and then rounded.
    """
    for place in range(out.shape[0]):
        out[place] = codes[place]
    for run in range(runs.shape[0]):
        start, stop = runs[run, 0], runs[run, 1]
        parts, most, into = per[start:stop], above[start:stop], out[start:stop]
        for place in range(into.shape[0]):
            number = into[place]
            if number >= most[place]:
                number -= np.float32(256)
            into[place] = number / parts[place]
    others = codes[tail:].view(np.float32)
    for number in range(wide.shape[0]):
        out[wide[number]] = others[number]


@kernel
def expand_rows(codes, per, above, runs, wide, tail, out, low, high):
    """Call `expand` for rows `low..high`."""
    for row in range(low, high):
        expand(codes[row], per, above, runs, wide, tail, out[row])
