"""The shared part of the reference samplers `worlds_<game>.py`.

A reference sampler draws worlds that a seat cannot tell apart. It is slow, simple, and independent of the game's
`redeal`, so tests can compare the two.
"""

import numpy as np

from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel


@kernel
def _start(states, seed):
    start(states[0], seed)


def restart(world, rng):
    """Give `world` a new stream of chance, and return it."""
    _start(world, int(rng.integers(2**62)))
    return world


def differ(one, other):
    """Return whether two samples of equal size, each of some counts, come from two distributions."""
    return any(counts_differ(here, there) for here, there in zip(one, other, strict=True))


def counts_differ(one, other):
    """Return whether two counts of equal size differ: chi-square six deviations above its mean."""
    keys = set(one) | set(other)
    score = sum((one[key] - other[key]) ** 2 / (one[key] + other[key]) for key in keys)
    degrees = len(keys) - 1
    return score > degrees + 6 * np.sqrt(2 * degrees) + 1e-9
