"""Records whose fields are attributes: `state.ply` in kernels, and as quickly as `state["ply"]` in plain Python.

NumPy's own records look each attribute up in Python; plain mode, texts and pictures spend a third of their time there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class Record(np.void):  # type: ignore[misc]
    """One record of a dtype made by `with_attributes`."""

    __setattr__ = np.void.__setitem__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Give a field that no dtype of this process has named; raise AttributeError if there is no such field."""
        if name in (self.dtype.names or ()):
            return self[name]
        raise AttributeError(f"this record has no field {name!r}; it has {', '.join(self.dtype.names or ())}")


def with_attributes(dtype: Any) -> np.dtype:
    """Return `dtype`, or that of a list of fields, with records that have its fields as attributes."""
    fields = np.dtype(dtype)
    for name in fields.names or ():
        if not hasattr(Record, name):
            setattr(Record, name, property(_reader(name)))
    return np.dtype((Record, fields))


def _reader(name: str) -> Callable[[Record], Any]:
    def read(record: Record) -> Any:
        try:
            return record[name]
        except ValueError:  # a field of other records; as an AttributeError it is what hasattr and getattr ask for
            raise AttributeError from None  # Record.__getattr__ says which fields there are

    return read
