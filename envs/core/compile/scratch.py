"""Scratch arrays: memory of a kernel's own frame, which needs no allocator.

Numba takes the memory of `np.empty` from the heap and counts references to it. That costs two calls at each use, and a
GPU has no such heap. The memory of a scratch array is part of the frame of the function that makes it.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

_ALIGNMENT = 16  # bytes


def scratch(count: int, dtype: Any) -> np.ndarray:
    """Return an array `(count,)` of `dtype` with any content; in kernels it is in the frame of the calling function.

    In a kernel `count` is a constant: a number, or a global that is one. Pass the array to callees, but do not
    return it or a part of it: its memory ends with the function that made it. A call inside a loop returns the same
    memory each time.
    """
    return np.empty(count, dtype)


@type_callable(scratch)
def _type_scratch(context):  # type: ignore[no-untyped-def]
    def typer(count, dtype):  # type: ignore[no-untyped-def]
        if isinstance(count, types.IntegerLiteral):
            return types.Array(dtype.dtype, 1, "C")
        if isinstance(count, types.Integer):
            raise TypingError("the length of a scratch array must be a constant: a number, or a global that is one")
        return None

    return typer


@lower_builtin(scratch, types.IntegerLiteral, types.DTypeSpec)  # type: ignore[untyped-decorator]
def _generate_scratch(context: Any, builder: Any, kinds: Any, given: Any) -> Any:
    kind, count = kinds.return_type, kinds.args[0].literal_value
    size = as_dtype(kind.dtype).itemsize
    with builder.goto_entry_block():  # one piece of memory, also inside a loop
        memory = builder.alloca(ir.ArrayType(ir.IntType(8), max(1, count * size)))
        memory.align = _ALIGNMENT
    array = context.make_array(kind)(context, builder)
    length, step = context.get_constant(types.intp, count), context.get_constant(types.intp, size)
    data = builder.bitcast(memory, array.data.type)
    populate_array(array, data=data, shape=[length], strides=[step], itemsize=step, meminfo=None)
    return array._getvalue()
