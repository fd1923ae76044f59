"""The agent that plays any legal action, each alike: the lowest anchor of every game."""

from typing import Any

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel


@kernel
def uniform(observation: Any, mask: Any, stream: Any) -> Any:
    """Return a random legal action."""
    return pick(stream, mask)


RANDOM = KernelAgent("random", uniform)
