"""Reading the blocks of an observation, for the kernels that take one apart again."""

from sobremesa.envs.core.compile.kernel import kernel


@kernel
def which(observation, start, count):
    """Return the number of the first entry set in a block, `count` if none is."""
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
    """Return how many entries of a block are set."""
    found = 0
    for number in range(count):
        found += observation[start + number] > 0
    return found
