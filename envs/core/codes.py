"""Observations as bytes: the kernels that make float32 of them, and what rooms write them with (see layout.py).

Letters: `D` numbers in an observation, `W` bytes in one, `T` numbers that follow behind the bytes as float32.
"""

import numpy as np

from sobremesa.envs.core.kernel import kernel

SIGNED = 0xFF  # `number & SIGNED` is the byte that stands for a number from -128 to 127


@kernel
def clear(out, start, stop):
    """Write zeros into `out[start:stop]`."""
    part = out[start:stop]
    for place in range(part.shape[0]):
        part[place] = 0


@kernel
def expand(codes, per, above, runs, wide, tail, out):
    """Write the numbers that `codes` `(W,)` uint8 stand for into `out` `(D,)` float32; `Layout.expansion` is the rest.

    A whole number divided in float32 is the same number, to the bit, as one divided in float64 and then rounded.
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
    """Do so for rows `low..high`."""
    for row in range(low, high):
        expand(codes[row], per, above, runs, wide, tail, out[row])
