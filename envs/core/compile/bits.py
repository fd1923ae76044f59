"""Bit sets: whole numbers as sets of up to 64 members, and conversion from and to rows of bytes, many bytes at a time.

A loop over bytes branches at each; an operation on a set handles all members together. Under `NUMBA_DISABLE_JIT=1` and
`NUMBA_BOUNDSCHECK=1` rows are processed entry by entry.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic

from sobremesa.envs.core.compile.kernel import kernel

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


def _count_in_python(bits: int) -> int:
    return (int(bits) & (1 << WORD) - 1).bit_count()  # as a word: a negative number has its upper bits set


def _lowest_in_python(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else WORD


# (bits) -> the number of set bits; the index of the lowest, 64 if there is none.
count_bits = _count_in_python if config.DISABLE_JIT else _count
lowest_bit = _lowest_in_python if config.DISABLE_JIT else _lowest


@kernel
def nth_bit(bits, number):
    """Return the index of the set bit with `number` set bits below it; it must exist."""
    place, half = 0, WORD // 2
    while half:  # count halves: a branch at each bit would be unpredictable
        below = count_bits(bits & ((1 << half) - 1))
        if number >= below:
            number -= below
            bits >>= half
            place += half
        half //= 2
    return place


class Rows(NamedTuple):
    """Functions over a fixed number of entries of a contiguous row `(n,)` of one-byte whole numbers.

    They check bounds only under `NUMBA_BOUNDSCHECK=1`.
    """

    equal: Any  # (row, first, value) -> the entries of `row[first:]` that are `value`, as bits
    put: Any  # (row, first, bits): write into `row[first:]` 1 for each bit that is set, 0 for the others
    times: Any  # (row, first, other, start, factors): write `other[start:] * factors[:]` into `row[first:]`
    less: Any  # (row, first, other, start): take `other[start:]` off `row[first:]`
    having: Any  # (row, first, other, start, mask): write 1 into `row[first:]` where `other[start:]` has any of `mask`
    counts: Any  # (row, first, other, start): write how many bits are set in `other[start:]` into `row[first:]`


@cache
def rows_of(count: int) -> Rows:
    """Return the functions for `count` entries, at most 64."""
    if not 1 <= count <= WORD:
        raise ValueError(f"count={count!r} is not allowed; it takes a whole number from 1 to {WORD}")
    if config.DISABLE_JIT or config.BOUNDSCHECK:
        return _rows_one_by_one(count)
    compare, fill, multiply, subtract = _generators(count)
    find_bits, count_them = _generators_by_bit(count)

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

    @intrinsic
    def having(typing_context, row, first, other, start, mask):
        _check_bytes(row, other)
        return signature(types.none, row, types.intp, other, types.intp, types.int64), find_bits

    @intrinsic
    def counts(typing_context, row, first, other, start):
        _check_bytes(row, other)
        return signature(types.none, row, types.intp, other, types.intp), count_them

    return Rows(equal, put, times, less, having, counts)


@cache
def words_of(count: int) -> Any:
    """Return the function (words, first, bit) -> the entries of `words[first:]` with that bit, as bits, for `count`
    entries.

    Words are contiguous `(n,)` int64; bounds are checked only under `NUMBA_BOUNDSCHECK=1`. Raises ValueError for a
    `count` over 64.
    """
    if not 1 <= count <= WORD:
        raise ValueError(f"count={count!r} is not allowed; it takes a whole number from 1 to {WORD}")
    if config.DISABLE_JIT or config.BOUNDSCHECK:
        return _words_one_by_one(count)
    (size, starts), read = _pieces(count), _access(count, _LONG)[0]
    wide, spread = ir.VectorType(_LONG, size), _order([0] * size, size)

    def generate(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        shift = builder.insert_element(ir.Constant(wide, None), given[2], ir.IntType(32)(0))
        shifts, found = _ordered(builder, shift, spread), _LONG(0)
        for start, words in zip(starts, read(context, builder, kind, given), strict=True):
            flags = builder.trunc(builder.lshr(words, shifts), ir.VectorType(ir.IntType(1), size))
            found = builder.or_(found, builder.shl(_word_of(builder, flags), _LONG(start)))
        return found

    @intrinsic
    def having(typing_context, words, first, bit):
        if words != types.Array(types.int64, 1, "C", readonly=not words.mutable):
            raise TypingError(f"{words} is no row of int64 in one piece")
        return signature(types.int64, words, types.intp, types.int64), generate

    return having


def _generators(count: int) -> tuple[Any, ...]:
    """Return the code generator of these functions; entries are lanes of vectors."""
    (size, starts), (read, write) = _pieces(count), _access(count)
    lanes = max(size, 8)  # whole vectors: others would be compared lane by lane
    wide, flags = ir.VectorType(_BYTE, lanes), ir.VectorType(ir.IntType(1), lanes)
    widened, narrowed, spread = _order(range(lanes), size), _order(range(size), lanes), _order([0] * lanes, lanes)

    def compare(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        value = builder.insert_element(ir.Constant(wide, None), builder.trunc(given[2], _BYTE), ir.IntType(32)(0))
        values, found = _ordered(builder, value, spread), _LONG(0)
        for start, row in zip(starts, read(context, builder, kind, given), strict=True):
            same = builder.icmp_unsigned("==", _ordered(builder, row, widened), values)
            bits = builder.and_(_word_of(builder, same), _LONG((1 << size) - 1))
            found = builder.or_(found, builder.shl(bits, _LONG(start)))
        return found

    def fill(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        rows = []
        for start in starts:
            bits = builder.lshr(given[2], _LONG(start))
            bits = bits if lanes == WORD else builder.trunc(bits, ir.IntType(lanes))
            rows.append(_ordered(builder, builder.zext(builder.bitcast(bits, flags), wide), narrowed))
        return write(context, builder, kind, given, rows)

    def multiply(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        factors = read(context, builder, kind, (*given, ir.Constant(_LONG, 0)), 4)
        others = read(context, builder, kind, given, 2)
        rows = list(map(builder.mul, others, factors))
        return write(context, builder, kind, given, rows)

    def subtract(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        rows, others = read(context, builder, kind, given), read(context, builder, kind, given, 2)
        return write(context, builder, kind, given, list(map(builder.sub, rows, others)))

    return compare, fill, multiply, subtract


def _generators_by_bit(count: int) -> tuple[Any, ...]:
    """Return the code generator of the functions that look at the bits of each entry."""
    (size, _), (read, write) = _pieces(count), _access(count)
    narrow, spread = ir.VectorType(_BYTE, size), _order([0] * size, size)
    none, name = ir.Constant(narrow, None), f"llvm.ctpop.v{size}i8"

    def find_bits(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        mask = builder.insert_element(none, builder.trunc(given[4], _BYTE), ir.IntType(32)(0))
        masks, rows = _ordered(builder, mask, spread), []
        for row in read(context, builder, kind, given, 2):
            rows.append(builder.zext(builder.icmp_unsigned("!=", builder.and_(row, masks), none), narrow))
        return write(context, builder, kind, given, rows)

    def count_them(context: Any, builder: Any, kind: Any, given: Any) -> Any:
        count_each = cgutils.get_or_insert_function(builder.module, ir.FunctionType(narrow, [narrow]), name)
        rows = []
        for row in read(context, builder, kind, given, 2):
            rows.append(builder.call(count_each, [row]))
        return write(context, builder, kind, given, rows)

    return find_bits, count_them


def _pieces(count: int) -> tuple[int, tuple[int, ...]]:
    """Return the vector length, and the first entries of the one or two overlapping vectors that cover `count` entries.

    LLVM would build vectors whose length is not a power of two entry by entry.
    """
    size = 1 << count.bit_length() - 1
    return size, (0,) if size == count else (0, count - size)


def _access(count: int, entry: Any = _BYTE) -> tuple[Any, Any]:
    """Return the code generators that read `count` entries of an argument and write those of the first."""
    size, starts = _pieces(count)
    narrow = ir.VectorType(entry, size)

    def at(context: Any, builder: Any, kind: Any, given: Any, which: int) -> Any:
        """Return the addresses of the vectors of argument `which`, from the entry in the next argument on."""
        array = context.make_array(kind.args[which])(context, builder, given[which])
        first, found = builder.gep(array.data, [given[which + 1]]), []
        for start in starts:
            found.append(builder.bitcast(builder.gep(first, [_LONG(start)]), narrow.as_pointer()))
        return found

    def read(context: Any, builder: Any, kind: Any, given: Any, which: int = 0) -> Any:
        rows = []
        for place in at(context, builder, kind, given, which):
            rows.append(builder.load(place))
            rows[-1].align = 1
        return rows

    def write(context: Any, builder: Any, kind: Any, given: Any, rows: Any) -> Any:
        for place, row in zip(at(context, builder, kind, given, 0), rows, strict=True):
            builder.store(row, place, align=1)
        return context.get_dummy_value()

    return read, write


def _word_of(builder: Any, flags: Any) -> Any:
    """Return a vector of flags as bits."""
    bits = builder.bitcast(flags, ir.IntType(flags.type.count))
    return bits if flags.type.count == WORD else builder.zext(bits, _LONG)


def _ordered(builder: Any, vector: Any, order: Any) -> Any:
    return builder.shuffle_vector(vector, ir.Constant(vector.type, None), order)


def _check_bytes(*rows: Any) -> None:
    """Raise TypingError for an argument that is not a contiguous row of bytes."""
    for row in rows:
        if not isinstance(row, types.Array) or (row.ndim, row.layout, row.dtype.bitwidth) != (1, "C", 8):
            raise TypingError(f"{row} is no row of bytes in one piece")


def _order(places: Iterable[int], most: int) -> Any:
    """Return the lanes of a vector to take: `places`, and lane `most`, of zeros, for places behind the end."""
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

    @kernel
    def having(row, first, other, start, mask):
        for place in range(count):
            row[first + place] = int(other[start + place]) & mask & 0xFF != 0

    @kernel
    def counts(row, first, other, start):
        for place in range(count):
            row[first + place] = count_bits(int(other[start + place]) & 0xFF)

    return Rows(equal, put, times, less, having, counts)


def _words_one_by_one(count: int) -> Any:
    @kernel
    def having(words, first, bit):
        bits = 0
        for place in range(count):
            bits |= (int(words[first + place]) >> bit & 1) << place
        return bits

    return having
