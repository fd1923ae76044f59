"""Reading the blocks of an observation, for the kernels of scripted bots."""

from sobremesa.envs.core.kernel import kernel


@kernel
def which(observation, start, count):
    """Return the number of the first entry set in a block, `count` if none is."""
    for number in range(count):
        if observation[start + number] > 0:
            return number
    return count
