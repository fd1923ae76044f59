"""Records with fields as attributes: `state.ply` in kernels, and quickly in plain Python.

NumPy looks up each attribute of a record in Python, which took a third of the time of texts, pictures and plain mode.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

PADDING = "padding_"  # prefix of the names of alignment bytes


class Record(np.void):  # type: ignore[misc]
    """One record of a dtype made by `with_attributes`."""

    __setattr__ = np.void.__setitem__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Return a field unknown to this class; raise AttributeError if there is no such field."""
        if name in (self.dtype.names or ()):
            return self[name]
        known = [one for one in self.dtype.names or () if not one.startswith(PADDING)]
        raise AttributeError(f"this record has no field {name!r}; it has {', '.join(known)}")


def with_attributes(dtype: Any) -> np.dtype:
    """Return `dtype`, or the dtype of a list of fields, with fields as attributes of its records.

    A list is padded (see `padded`).
    """
    fields = dtype if isinstance(dtype, np.dtype) else np.dtype(padded(dtype))
    for name in fields.names or ():
        if not hasattr(Record, name):
            setattr(Record, name, property(_reader(name)))
    return np.dtype((Record, fields))


def padded(fields: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return `fields` with padding, so that each number is at a multiple of its size, as a GPU requires.

    Padding bytes are fields too: NumPy copies only fields, so unnamed bytes of a copy would be random.
    """
    aligned = np.dtype(fields, align=True)
    found: list[tuple[Any, ...]] = []
    end = 0
    for field in fields:
        kind, offset = aligned.fields[field[0]][:2]  # type: ignore[index]
        if offset > end:
            found.append((f"{PADDING}{end}", np.uint8, (offset - end,)))
        found.append(field)
        end = offset + kind.itemsize
    if aligned.itemsize > end:
        found.append((f"{PADDING}{end}", np.uint8, (aligned.itemsize - end,)))
    return found


def _reader(name: str) -> Callable[[Record], Any]:
    def read(record: Record) -> Any:
        try:
            return record[name]
        except ValueError:  # a field of other records; hasattr and getattr expect an AttributeError
            raise AttributeError from None  # Record.__getattr__ names the fields

    return read
