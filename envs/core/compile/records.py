"""Copies of whole records in kernels."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from sobremesa.envs.core.compile.kernel import kernel


def _generate(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    """Copy a record to its place in an array."""
    array = context.make_array(kind.args[0])(context, builder, given[0])
    itemsize = as_dtype(kind.args[2]).itemsize
    size = min(8, itemsize & -itemsize)  # bytes of a word; rows of an array start at multiples of it
    word, words = ir.IntType(8 * size), itemsize // size
    into = cgutils.get_item_pointer(context, builder, kind.args[0], array, [given[1]])
    into, of = builder.bitcast(into, word.as_pointer()), builder.bitcast(given[2], word.as_pointer())
    with cgutils.for_range(builder, context.get_constant(types.intp, words)) as loop:
        number = builder.load(builder.gep(of, [loop.index], source_etype=word), typ=word)
        builder.store(number, builder.gep(into, [loop.index], source_etype=word))
    return context.get_dummy_value()


@intrinsic
def _copy(typing_context, states, i, state):  # type: ignore[no-untyped-def]
    return signature(types.none, states, types.intp, state), _generate


@kernel
def _copy_at_once(states, i, state):
    states[i] = state


@kernel
def _copy_by_words(states, i, state):
    _copy(states, i, state)


# (states, i, state): copy a record to `states[i]`. For an assignment Numba loads all bytes before it stores the first
# one, and a thread of a GPU would need a register for each.
put_state = _copy_at_once if config.DISABLE_JIT or config.BOUNDSCHECK else _copy_by_words
