"""Ring buffer of training samples, and the part of the decisions to sample."""

import numpy as np

from sobremesa.training.config.keys import require


class SampleBuffer:
    """The latest `size` samples, in arrays of fixed size.

    Args:
        size: capacity.
        columns: the arrays by name, given empty; they define dtypes and row shapes.
    """

    def __init__(self, size: int, **columns: np.ndarray) -> None:
        self._columns = {name: np.zeros((size, *one.shape[1:]), one.dtype) for name, one in columns.items()}
        self._size = size
        self.added = 0  # samples so far

    @property
    def count(self) -> int:
        """The number of samples in the buffer."""
        return min(self.added, self._size)

    def add(self, **samples: np.ndarray) -> None:
        """Add `samples`, one row each of every array, in place of the oldest ones."""
        new = len(next(iter(samples.values())))
        places = (self.added + np.arange(new))[-self._size :] % self._size
        for name, column in self._columns.items():
            column[places] = samples[name][-self._size :]
        self.added += new

    def take(self, which: np.ndarray) -> list[np.ndarray]:
        """Return the rows `which` of all arrays, in the order of the constructor."""
        return [column[which] for column in self._columns.values()]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays by name."""
        return self._columns


def shares_of(given: dict[str, float], share: float, kinds: int) -> np.ndarray:
    """Return the part of the decisions of each kind to sample, `(K,)`: as `given`, or `share` of all kinds.

    Raises ConfigError for an unknown kind.
    """
    all_kinds = [str(kind) for kind in range(kinds)]
    fine = given.keys() <= set(all_kinds)
    require(fine, "shares", given, f"kinds from 0 to {kinds - 1}, each with a part above 0 up to 1")
    return np.array([given.get(kind, 0.0 if given else share) for kind in all_kinds])
