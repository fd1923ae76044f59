"""Kernels that read blocks of an observation."""

from sobremesa.envs.core.compile.kernel import kernel


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
