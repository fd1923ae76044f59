"""The shared part of the reference samplers `worlds_<game>.py`.

A reference sampler draws worlds that a seat cannot tell apart. It is slow, simple, and independent of the game's
`redeal`, so tests can compare the two.
"""

from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel


@kernel
def _start(states, seed):
    start(states[0], seed)


def restart(world, rng):
    """Give `world` a new stream of chance, and return it."""
    _start(world, int(rng.integers(2**62)))
    return world
