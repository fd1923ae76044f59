"""Random legal actions, empty records and tables of powers, for the kernels of scripted bots."""

from fractions import Fraction

import numpy as np

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel

NO_ACTION = -1


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
