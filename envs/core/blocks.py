"""For kernels of bots: blocks of an observation, records of it, random legal actions and tables of powers.

`reader` makes the record SEEN and the kernel `decode` of a game from its layout: a block with `seen` names a
field of SEEN and its coding.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes

NO_ACTION = -1


@kernel
def index_of(observation, start, count):
    """Return the index of the first entry set in a block, `count` if there is none."""
    for number in range(count):
        if observation[start + number] > 0:
            return number
    return count


@kernel
def set_of(observation, start, count):
    """Return the entries set in a block as bits."""
    bits = 0
    for number in range(count):
        if observation[start + number] > 0:
            bits |= 1 << number
    return bits


@kernel
def count_set(observation, start, count):
    """Return the number of entries set in a block."""
    found = 0
    for number in range(count):
        found += observation[start + number] > 0
    return found


@kernel
def choice(observation, start, count, first, none):
    """Return `first` plus the index of the first entry set in a block, `none` if there is none."""
    found = index_of(observation, start, count)
    return first + found if found < count else none


class Coding(NamedTuple):
    """The coding of the values of a field in a block.

    `read` is a kernel (observation, start, count, *extra) -> a value; without one a value is a number of the block.
    """

    field: str
    read: Any = None
    extra: tuple[int, ...] = ()
    parts: int = 0  # of a number; 0: `per` of its block
    kind: type = np.int64


def one_of(field: str, first: int = 0, none: int | None = None) -> Coding:
    """A one for one of n choices, from `first` on; `none` without a one, by default the number after the last."""
    return Coding(field, index_of) if none is None else Coding(field, choice, (first, none))


def members(field: str) -> Coding:
    """A one for each member of a set, which the field stores as bits."""
    return Coding(field, set_of)


def up_to(field: str) -> Coding:
    """As many ones as the number."""
    return Coding(field, count_set)


def numbers(field: str, parts: int = 0) -> Coding:
    """Whole numbers, in parts of the block's `per`; `parts` takes its place where that is FLOAT."""
    return Coding(field, parts=parts)


def share(field: str) -> Coding:
    """A number as it is."""
    return Coding(field, kind=np.float64)


def each(*fields: str) -> tuple[Coding, ...]:
    """A whole number for each field."""
    return tuple(map(numbers, fields))


def reader(layout: Any, *more: tuple[Any, ...]) -> tuple[np.dtype, Any]:
    """Return the record SEEN of all that the blocks of `layout` tell, and the kernel `decode(observation, seen)`.

    `decode` fills the fields of SEEN in `seen`, a record that may have others, from an observation `(D,)` float32.
    `more` are fields of SEEN that the game reads in its own way.
    """
    fields: list[tuple[Any, ...]] = []
    names: dict[str, Any] = {"__name__": __name__}
    lines = ["def decode(observation, seen):"]
    for coding, start, shape in _codings(layout):
        lines += _lines(coding, start, shape, layout.per[start : start + math.prod(shape)], names)
        places = shape[:-1] if coding.read else shape
        fields.append((coding.field, coding.kind, places) if places else (coding.field, coding.kind))
    # One function with a line for each field compiles four times as fast as a kernel for each of them.
    exec(compile("\n".join(lines), "<decode>", "exec"), names)
    return with_attributes([*fields, *more]), kernel(names["decode"])


def _codings(layout: Any) -> Iterator[tuple[Coding, int, tuple[int, ...]]]:
    """Yield each coding of `layout` with its start and its shape; one for a row of a block has one axis or none."""
    for block in layout:
        start = layout.start(block.name)
        if isinstance(block.seen, Coding):
            yield block.seen, start, block.shape
        elif block.seen:
            size = block.size // block.shape[0]
            for row, coding in enumerate(block.seen):
                if coding:
                    yield coding, start + row * size, (size,) if len(block.shape) > 1 else ()


def _lines(coding: Coding, start: int, shape: tuple[int, ...], per: np.ndarray, names: dict[str, Any]) -> list[str]:
    """Return the lines of `decode` that read a field from the numbers from `start` on; add to the `names` they use."""
    places, size = (shape[:-1], shape[-1]) if coding.read else (shape, 1)
    indent, at, index = "    ", str(start), ""
    lines, step = [], math.prod(shape)
    for axis, count in enumerate(places):
        step //= count
        lines.append(f"{indent}for i{axis} in range({count}):")
        indent += "    "
        at += f" + i{axis} * {step}"
    if places:
        index = f"[{', '.join(f'i{axis}' for axis in range(len(places)))}]"
    if coding.read:
        names[coding.read.__name__] = coding.read
        value = f"{coding.read.__name__}({', '.join(map(str, ('observation', at, size, *coding.extra)))})"
    elif coding.kind is np.float64:
        value = f"observation[{at}]"
    else:
        parts = np.full_like(per, coding.parts) if coding.parts else per
        value = f"int(observation[{at}])"
        if (parts != parts[0]).any():
            names[f"parts_of_{coding.field}"] = parts
            value = f"round(observation[{at}] * parts_of_{coding.field}[{at} - {start}])"
        elif parts[0] != 1:
            value = f"round(observation[{at}] * {int(parts[0])})"
    return [*lines, f"{indent}seen.{coding.field}{index} = {value}"]


def powers(base: float, count: int) -> np.ndarray:
    """Return `base` to the power of 0 to `count` - 1, `(count,)` float64, each rounded to the nearest number.

    Powers of NumPy differ in the last bit between processors, and with them the identity of a bot.
    """
    return np.array([float(Fraction(base) ** exponent) for exponent in range(count)])


@kernel
def empty(records):
    """Write zeros into all fields of `records`, a contiguous array."""
    numbers = records.view(np.uint8)
    for place in range(numbers.shape[0]):
        numbers[place] = 0


@kernel
def any_of(mask, first, last, stream):
    """Return a legal action from `first` to `last` - 1, each alike, or NO_ACTION."""
    chosen, count = NO_ACTION, 0
    for action in range(first, last):
        if mask[action]:
            count += 1
            if below(stream, count) == 0:
                chosen = action
    return chosen
