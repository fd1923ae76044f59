"""Memory of recurrent agents that are called view by view; batched tables keep it themselves."""

from collections import OrderedDict

import numpy as np

from sobremesa.envs.core.agent import is_new

REMEMBERED = 4096  # seats in deals


class Recall:
    """Memories of `size` numbers, one per seat and deal, by the random stream of the view.

    An unused stream begins a new deal, so the agent must draw from it at each decision.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._memories: OrderedDict[int, np.ndarray] = OrderedDict()  # by the seed of the stream, latest last

    def of(self, stream: np.ndarray) -> np.ndarray:
        """Return the memory `(1, size)` of the seat and deal of `stream`, to be changed in place."""
        seed = int(stream["seed"][0])
        memory = None if is_new(stream) else self._memories.pop(seed, None)
        if memory is None:
            memory = np.zeros((1, self._size), np.float32)
        self._memories[seed] = memory
        while len(self._memories) > REMEMBERED:
            self._memories.popitem(last=False)
        return memory
