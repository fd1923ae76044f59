"""Lessons that are kept: the latest decisions of which thinking has found what is better."""

import numpy as np


class Kept:
    """The latest lessons, `size` of them, in arrays that are as large from the beginning.

    Args:
        size: how many are kept.
        columns: the arrays by name, as empty ones of no lines, which tell their dtype and how wide a line is.
    """

    def __init__(self, size: int, **columns: np.ndarray) -> None:
        self._columns = {name: np.zeros((size, *one.shape[1:]), one.dtype) for name, one in columns.items()}
        self._size = size
        self.added = 0  # lessons in all so far

    @property
    def count(self) -> int:
        """How many there are."""
        return min(self.added, self._size)

    def add(self, **lessons: np.ndarray) -> None:
        """Keep `lessons`, a line each of every array, instead of the oldest ones."""
        new = len(next(iter(lessons.values())))
        places = (self.added + np.arange(new))[-self._size :] % self._size
        for name, column in self._columns.items():
            column[places] = lessons[name][-self._size :]
        self.added += new

    def take(self, which: np.ndarray) -> list[np.ndarray]:
        """Return the lines `which` of all arrays, in the order in which they were named."""
        return [column[which] for column in self._columns.values()]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays by name."""
        return self._columns
