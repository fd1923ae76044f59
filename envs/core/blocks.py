"""Blocks of an observation, random legal actions, empty records and tables of powers, for kernels of bots."""

from fractions import Fraction

import numpy as np

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel

NO_ACTION = -1


@kernel
def which(observation, start, count):
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
def how_many(observation, start, count):
    """Return the number of entries set in a block."""
    found = 0
    for number in range(count):
        found += observation[start + number] > 0
    return found


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
