"""Sets as the bits of a whole number, and rows of bytes made of them and read as them, many bytes at a time.

Rules and views that go byte by byte branch at each; of a set all is known at once. A set has 64 members at most. Under
`NUMBA_DISABLE_JIT=1` and `NUMBA_BOUNDSCHECK=1` rows are gone through entry by entry.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import config, types
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic

from sobremesa.envs.core.kernel import kernel

WORD = 64  # bits
_BYTE, _LONG = ir.IntType(8), ir.IntType(WORD)


def _generate_count(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    return builder.ctpop(given[0])


def _generate_lowest(context: Any, builder: Any, kind: Any, given: Any) -> Any:
    return builder.cttz(given[0], ir.Constant(ir.IntType(1), 0))


@intrinsic
def _count(typing_context, bits):
    return signature(types.int64, types.int64), _generate_count


@intrinsic
def _lowest(typing_context, bits):
    return signature(types.int64, types.int64), _generate_lowest


def _count_in_python(bits):
    return (int(bits) & (1 << WORD) - 1).bit_count()  # as a word: what is below 0 has its upper bits set


def _lowest_in_python(bits):
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else WORD


# (bits) -> how many are set; the number of the lowest one, 64 if none is.
count_bits = _count_in_python if config.DISABLE_JIT else _count
lowest_bit = _lowest_in_python if config.DISABLE_JIT else _lowest


@kernel
def nth_bit(bits, number):
    """Return which bit is the one with so many set ones below it; there must be such a one."""
    place, half = 0, WORD // 2
    while half:  # a bit at random: halves are counted, since to branch at each bit would be to guess
        below = count_bits(bits & ((1 << half) - 1))
        if number >= below:
            number -= below
            bits >>= half
            place += half
        half //= 2
    return place


class Rows(NamedTuple):
    """Functions over so many entries of a row, `(n,)` of whole numbers of a byte each, one piece of memory.

    They do not check that these are there, but under `NUMBA_BOUNDSCHECK=1`.
    """

    equal: Any  # (row, first, value) -> the entries of `row[first:]` that are `value`, as bits
    put: Any  # (row, first, bits): write into `row[first:]` 1 for each bit that is set, 0 for the others
    times: Any  # (row, first, other, start, factors): write `other[start:] * factors[:]` into `row[first:]`
    less: Any  # (row, first, other, start): take `other[start:]` off `row[first:]`


@cache
def rows_of(count: int) -> Rows:
    """Return the functions for `count` entries, 64 at most."""
    if not 1 <= count <= WORD:
        raise ValueError(f"count={count!r} is not allowed; it takes a whole number from 1 to {WORD}")
    if config.DISABLE_JIT or config.BOUNDSCHECK:
        return _rows_one_by_one(count)
    compare, fill, multiply, subtract = _generators(count)

    @intrinsic
    def equal(typing_context, row, first, value):
        _check_bytes(row)
        return signature(types.int64, row, types.intp, types.int64), compare

    @intrinsic
    def put(typing_context, row, first, bits):
        _check_bytes(row)
        return signature(types.none, row, types.intp, types.int64), fill

    @intrinsic
    def times(typing_context, row, first, other, start, factors):
        _check_bytes(row, other, factors)
        return signature(types.none, row, types.intp, other, types.intp, factors), multiply

    @intrinsic
    def less(typing_context, row, first, other, start):
        _check_bytes(row, other)
        return signature(types.none, row, types.intp, other, types.intp), subtract

    return Rows(equal, put, times, less)


def _generators(count: int) -> tuple[Any, ...]:
    """Return what writes the code of these functions; entries are lanes of a vector."""
    lanes = 1 << max(count - 1, 7).bit_length()  # whole vectors are compared: others would be, lane by lane
    wide, (read, write) = ir.VectorType(_BYTE, lanes), _access(count)
    widened, narrowed, spread = _order(range(lanes), count), _order(range(count), count), _order([0] * lanes, count)

    def compare(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        row = read(context, builder, kind, given)
        value = builder.insert_element(ir.Constant(wide, None), builder.trunc(given[2], _BYTE), ir.IntType(32)(0))
        same = builder.icmp_unsigned("==", _ordered(builder, row, widened), _ordered(builder, value, spread))
        bits = builder.bitcast(same, ir.IntType(lanes))
        bits = bits if lanes == WORD else builder.zext(bits, _LONG)
        return builder.and_(bits, _LONG((1 << count) - 1))

    def fill(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        bits = given[2] if lanes == WORD else builder.trunc(given[2], ir.IntType(lanes))
        row = builder.zext(builder.bitcast(bits, ir.VectorType(ir.IntType(1), lanes)), wide)
        return write(context, builder, kind, given, _ordered(builder, row, narrowed))

    def multiply(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        factors = read(context, builder, kind, (*given, ir.Constant(_LONG, 0)), 4)
        return write(context, builder, kind, given, builder.mul(read(context, builder, kind, given, 2), factors))

    def subtract(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        row = builder.sub(read(context, builder, kind, given), read(context, builder, kind, given, 2))
        return write(context, builder, kind, given, row)

    return compare, fill, multiply, subtract


def _access(count: int) -> tuple[Any, Any]:
    """Return what writes the code that reads `count` entries of an argument, and the code that writes the first."""
    narrow = ir.VectorType(_BYTE, count)

    def at(context: Any, builder: Any, kind: Any, given: Any, which: int) -> Any:
        """Return where the entries of argument `which` lie, from the one on that the next argument says."""
        array = context.make_array(kind.args[which])(context, builder, given[which])
        return builder.bitcast(builder.gep(array.data, [given[which + 1]]), narrow.as_pointer())

    def read(context: Any, builder: Any, kind: Any, given: Any, which: int = 0) -> Any:
        row = builder.load(at(context, builder, kind, given, which))
        row.align = 1
        return row

    def write(context: Any, builder: Any, kind: Any, given: Any, row: Any) -> Any:
        builder.store(row, at(context, builder, kind, given, 0), align=1)
        return context.get_dummy_value()

    return read, write


def _ordered(builder: Any, vector: Any, order: Any) -> Any:
    return builder.shuffle_vector(vector, ir.Constant(vector.type, None), order)


def _check_bytes(*rows: Any) -> None:
    """Refuse to compile what is no row of bytes in one piece of memory."""
    for row in rows:
        if not isinstance(row, types.Array) or (row.ndim, row.layout, row.dtype.bitwidth) != (1, "C", 8):
            raise TypingError(f"{row} is no row of bytes in one piece")


def _order(places: Iterable[int], most: int) -> Any:
    """Return which lanes of a vector to take: those of `places`, but `most`, one of zeros, for any behind it."""
    chosen = [ir.IntType(32)(min(place, most)) for place in places]
    return ir.Constant(ir.VectorType(ir.IntType(32), len(chosen)), chosen)


def _rows_one_by_one(count: int) -> Rows:
    @kernel
    def equal(row, first, value):
        bits = 0
        for place in range(count):
            bits |= int(row[first + place] == value) << place
        return bits

    @kernel
    def put(row, first, bits):
        for place in range(count):
            row[first + place] = int(bits) >> place & 1

    @kernel
    def times(row, first, other, start, factors):
        for place in range(count):
            row[first + place] = int(other[start + place]) * int(factors[place]) & 0xFF

    @kernel
    def less(row, first, other, start):
        for place in range(count):
            row[first + place] = int(row[first + place]) - int(other[start + place]) & 0xFF

    return Rows(equal, put, times, less)
