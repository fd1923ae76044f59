"""Random legal actions and empty records, for the kernels of scripted bots."""

import numpy as np

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel

NO_ACTION = -1


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
