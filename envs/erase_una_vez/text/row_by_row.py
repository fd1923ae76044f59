"""Values of a log, computed row by row and kept for the next row."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Said = tuple[tuple[int, str], ...]  # rows told in own words, with their texts


class RowByRow(Generic[T]):
    """The values of the latest `most` logs.

    A log is the key of its value, with the texts of its sentences in own words, so a log that is changed, copied or
    restored never has the value of another one. `advance(before, rows, said, *more)` returns the value of the log
    `rows` from that of the rows before its last one; `first` is the value without rows.
    """

    def __init__(self, first: T, advance: Callable[..., T], most: int) -> None:
        self._first, self._advance, self._most = first, advance, most
        self._kept: OrderedDict[tuple[Any, ...], T] = OrderedDict()
        self._lock = Lock()

    def of(self, rows: bytes, width: int, said: Said, *more: Any) -> T:
        """Return the value of a log with rows of `width` bytes; do not change it."""
        missing: list[tuple[Any, ...]] = []
        value = self._first
        while rows:
            key = (rows, said, *more)
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    value = self._kept[key]
                    break
            missing.append(key)
            rows = rows[:-width]
            said = said[:-1] if said and said[-1][0] >= len(rows) // width else said
        for left, key in zip(reversed(range(len(missing))), reversed(missing), strict=True):
            value = self._advance(value, *key)
            if left > 1:  # a walk keeps its end alone, so that it does not displace other tales
                continue
            with self._lock:
                self._kept[key] = value
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return value

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._kept.clear()
