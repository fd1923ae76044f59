"""Arena rows as files: NumPy archives without pickles, there whole or not at all, checked when they are read."""

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.arena.play import NOBODY, ROUNDING, Rows
from sobremesa.envs.core.files import write_whole

_KINDS = {"agents": "U", "seeds": "i", "seating": "i", "payoffs": "f", "plies": "i", "seconds": "f", "forfeits": "i"}
# What NumPy and zipfile raise on files that are none; RuntimeError is for those that seem encrypted.
_UNREADABLE = (
    OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, RuntimeError, zipfile.BadZipFile, zlib.error
)  # fmt: skip
_TEXTS = ("reasons", "key")  # JSON and text, as bytes


class RowsError(ValueError):
    """Rows on disk that are damaged or belong elsewhere; the message says why."""


def write_rows(path: Path, rows: Rows, key: str) -> None:
    """Write `rows` with all their fields; `key` says what they belong to, and is asked for by `read_rows`."""
    assert rows.reasons is not None
    reasons = {row: reason for row, reason in enumerate(rows.reasons) if reason}
    texts = {"reasons": json.dumps(reasons), "key": key}
    arrays: dict[str, Any] = {name: np.asarray(getattr(rows, name)) for name in _KINDS}
    arrays |= {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    write_whole(path, file.getvalue())


def read_rows(path: Path, key: str) -> Rows:
    """Return the rows in `path`; raise RowsError if they are damaged, or were not written under `key`."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in (*_KINDS, *_TEXTS)}
        texts = {name: arrays.pop(name).tobytes().decode() for name in _TEXTS}
        reasons = {int(row): str(reason) for row, reason in json.loads(texts["reasons"]).items()}
    except _UNREADABLE as error:
        raise RowsError(f"{path}: these are no rows of an arena, or they are damaged: {error}") from None
    if texts["key"] != key:
        raise RowsError(f"{path}: these rows belong to another arena ({texts['key']}, not {key})")
    count = len(arrays["seeds"]) if arrays["seeds"].ndim else 0
    rows = Rows(
        agents=tuple(arrays.pop("agents").tolist()),
        **arrays,
        reasons=tuple(reasons.get(row, "") for row in range(count)),
    )
    for problem in problems(rows):
        raise RowsError(f"{path}: {problem}")
    return rows


def problems(rows: Rows) -> list[str]:
    """Return every reason why `rows`, with all their fields, cannot be; none if they can."""
    shape = rows.seating.shape
    if len(shape) != 2 or not shape[0] or shape[1] < 1:
        return [f"seating has shape {shape}, not (R, S)"]
    shapes = {"seeds": shape[:1], "payoffs": shape, "plies": shape[:1], "seconds": shape, "forfeits": shape[:1]}
    arrays = {name: np.asarray(getattr(rows, name)) for name in _KINDS}
    found = [f"{name} has shape {arrays[name].shape}, not {want}" for name, want in shapes.items()
             if arrays[name].shape != want]  # fmt: skip
    found += [f"{name} is of {arrays[name].dtype}" for name, kind in _KINDS.items() if arrays[name].dtype.kind != kind]
    if found:
        return found
    assert rows.forfeits is not None
    assert rows.seconds is not None
    assert rows.reasons is not None
    shared = np.ptp(rows.payoffs, axis=1) == 0  # a cooperative game, or a win that all share
    sums = np.abs(rows.payoffs.sum(1)) <= shape[1] * ROUNDING
    sound = {
        "seating names nobody": (rows.seating >= 0) & (rows.seating < len(rows.agents)),
        "payoffs are not of a game": (np.abs(rows.payoffs) <= 1) & (shared | sums)[:, None],
        "plies are negative": rows.plies >= 0,
        "seconds are negative": ~(rows.seconds < 0),
        "forfeits name no seat": (rows.forfeits >= NOBODY) & (rows.forfeits < shape[1]),
        "forfeits and reasons do not fit": (rows.forfeits != NOBODY) == np.array([bool(why) for why in rows.reasons]),
    }
    return [f"{problem}, as in row {np.argwhere(~fits)[0, 0]}" for problem, fits in sound.items() if not fits.all()]
