"""An agent that always plays the first legal action."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.compile.kernel import kernel


@kernel
def lowest(observation, mask, stream):
    """Return the first legal action."""
    for action in range(mask.shape[0]):
        if mask[action]:
            return action
    return 0


LOWEST = KernelAgent("lowest", lowest)
