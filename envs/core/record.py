"""The state of a game: one NumPy record, with a header that all games share and the fields of the game.

You copy, compare, save, hash or send a state by one assignment or by `tobytes()`.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.chance import WORDS
from sobremesa.envs.core.fields import PADDING, padded, with_attributes

HEADER = (
    ("stream", np.uint32, (WORDS,)),  # the random stream of this deal, see chance.py
    ("ply", np.int32),  # decisions so far; 0 in a resampled state, since hidden actions may be forced
    ("seat", np.int8),  # to act; at the end the last seat that acted
    ("seats", np.int8),  # seats at this table
    ("over", np.uint8),  # 1 once the deal has ended
)

_TAKEN = frozenset(dir(np.record))  # `state.size` would read NumPy's attribute in plain Python


def record(*fields: tuple[Any, ...]) -> np.dtype:
    """Return the dtype of a state: the header, then `fields`, tuples `(name, type[, shape])`.

    The dtype is aligned, its fields are attributes in plain Python and in kernels, and its padding bytes are always 0.
    Raises ValueError for a name that is used twice or is an attribute of NumPy's records.
    """
    names = [field[0] for field in (*HEADER, *fields)]
    for name in names:
        if name in _TAKEN:
            raise ValueError(f"field name {name!r} is taken by NumPy's records; choose another")
        if names.count(name) > 1:
            raise ValueError(f"field name {name!r} is used twice")
    return with_attributes(np.dtype(padded([*HEADER, *fields]), align=True))


@cache
def _older(dtype: np.dtype, later: tuple[str, ...]) -> np.dtype:
    """Return the record without its `later` fields."""
    header = {field[0] for field in HEADER}
    fields = [(name, dtype[name]) for name in _names(dtype) if name not in header and name not in later]
    return record(*((name, kind.base, kind.shape) if kind.shape else (name, kind) for name, kind in fields))


@cache
def _places(dtype: np.dtype, later: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bytes of the `later` fields, of the other fields, and of these without the `later` ones."""
    older = _older(dtype, later)
    return _bytes_of(dtype, later), _bytes_of(dtype, _names(older)), _bytes_of(older, _names(older))


def _bytes_of(dtype: np.dtype, names: Iterable[str]) -> np.ndarray:
    """Return the places of the bytes of the fields `names` in a record."""
    fields = [(dtype[name], dtype.fields[name][1]) for name in names]  # type: ignore[index]
    return np.concatenate([np.arange(offset, offset + kind.itemsize) for kind, offset in fields])


def to_bytes(states: np.ndarray, later: tuple[str, ...]) -> bytes:
    """Return the bytes of `states`, without the `later` fields of the record if these are all zero.

    So digests of older states stay valid when a record gains fields.
    """
    found = states.tobytes()
    if not later:
        return found
    rows = np.frombuffer(found, np.uint8).reshape(-1, states.dtype.itemsize)
    new, here, there = _places(states.dtype, later)
    if rows[:, new].any():
        return found
    older = np.zeros((len(rows), _older(states.dtype, later).itemsize), np.uint8)
    older[:, there] = rows[:, here]
    return older.tobytes()


def copied(states: np.ndarray) -> np.ndarray:
    """Return a copy of `states`, at once: NumPy copies a record field by field."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype).reshape(states.shape)


def _names(dtype: np.dtype) -> list[str]:
    return [name for name in dtype.names or () if not name.startswith(PADDING)]


def to_dict(state: np.ndarray) -> dict[str, Any]:
    """Return the fields of a `(1,)` state as numbers and nested lists for JSON."""
    return {name: state[name][0].tolist() for name in _names(state.dtype)}


def from_dict(dtype: np.dtype, fields: dict[str, Any]) -> np.ndarray:
    """Return the `(1,)` state of `dtype` with the fields of `to_dict`; raise ValueError if they do not fit."""
    names = _names(dtype)
    if set(fields) != set(names):
        odd = sorted(set(fields) ^ set(names))
        raise ValueError(f"these fields are missing or unknown: {', '.join(odd)}")
    state = np.zeros(1, dtype)
    for name in names:
        try:
            state[name][0] = np.asarray(fields[name])
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"field {name!r} does not take {fields[name]!r}: {error}") from None
    return state


def beyond(states: np.ndarray, largest: Mapping[str, int]) -> list[str]:
    """Return a reason for each field of the `(1,)` state that is below 0 or above its `largest` value."""
    fields = ((name, most, states[name][0]) for name, most in largest.items())
    return [f"{name} leaves 0 to {most}: {held}" for name, most, held in fields if np.any((held < 0) | (held > most))]
