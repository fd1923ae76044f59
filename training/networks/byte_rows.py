"""Rows of observations, as float32 numbers or in uint8 form, for networks.

Letters: `R` rows, `n` of them, `D` numbers in an observation, `W` bytes in one, `T` numbers stored as float32.
"""

from typing import Protocol

import numpy as np
import torch
from numba.core import config

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.threads import run
from sobremesa.envs.core.device.decode import Decoder
from sobremesa.envs.core.layout import Layout

STRETCH = 16  # bytes that are skipped at once if all are 0


class Rows(Protocol):
    """Rows of observations as a network reads them."""

    matrix: torch.Tensor  # (R, D) float32, or (R, W) uint8

    def part(self, rows: torch.Tensor | None, first: int, count: int) -> torch.Tensor:
        """Return `count` numbers from the `first` on of `rows` `(n,)`, None for all, `(n, count)` float32."""

    def columns(self, places: np.ndarray) -> np.ndarray:
        """Return the numbers at `places` `(c,)` of all rows, `(R, c)` float32."""

    def count(self, places: np.ndarray, counts: np.ndarray) -> None:
        """Write the number of nonzero numbers of each row at `places` `(D,)` from 0 on into `counts` `(R,)`."""

    def fill(self, places: np.ndarray, starts: np.ndarray, found: np.ndarray, values: np.ndarray) -> None:
        """Write the places and values of these numbers into `found` and `values`, row i from `starts[i]` on."""


class Numbers:
    """Rows of numbers, or of masks: `(R, D)` of any type."""

    def __init__(self, matrix: torch.Tensor) -> None:
        self.matrix = matrix

    def part(self, rows: torch.Tensor | None, first: int, count: int) -> torch.Tensor:
        part = self.matrix[:, first : first + count]
        return part.contiguous() if rows is None else part.index_select(0, rows)

    def columns(self, places: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self.matrix.numpy()[:, places], np.float32)

    def count(self, places: np.ndarray, counts: np.ndarray) -> None:
        _count(self.matrix.numpy(), places, counts)

    def fill(self, places: np.ndarray, starts: np.ndarray, found: np.ndarray, values: np.ndarray) -> None:
        _fill(self.matrix.numpy(), places, starts, found, values)


class Bytes:
    """Rows in the uint8 form of `layout`, `(R, W)`."""

    def __init__(self, matrix: torch.Tensor, layout: Layout) -> None:
        self.matrix, self.layout = matrix, layout
        self._per, self._above, _, self._wide, self._tail = layout.expansion

    def part(self, rows: torch.Tensor | None, first: int, count: int) -> torch.Tensor:
        some = slice(first, first + count)
        low, high = np.searchsorted(self._wide, [first, first + count])
        per, above, wide = self._per[some], self._above[some], self._wide[low:high] - first
        tail = self._tail + 4 * int(low)
        if config.DISABLE_JIT:  # the same in PyTorch, to the bit
            codes = self.matrix if rows is None else self.matrix.index_select(0, rows)
            return torch.as_tensor(Decoder(self.layout)(codes)[:, some].contiguous())
        which = np.arange(len(self.matrix)) if rows is None else rows.numpy()
        out = np.empty((len(which), count), np.float32)
        arguments = self.matrix.numpy(), which, first, per, above, wide, tail
        run(_expand_part, len(which), torch.get_num_threads(), *arguments, out)
        return torch.from_numpy(out)

    def columns(self, places: np.ndarray) -> np.ndarray:
        out = np.empty((len(self.matrix), len(places)), np.float32)
        known = np.minimum(np.searchsorted(self._wide, places), max(0, len(self._wide) - 1))
        apart = np.isin(places, self._wide)
        behind = np.where(apart, known, -1)
        _expand_columns(self.matrix.numpy(), places, behind, self._per, self._above, self._tail, out)
        return out

    def count(self, places: np.ndarray, counts: np.ndarray) -> None:
        _count_coded(self.matrix.numpy(), self._wide, self._tail, places, counts)

    def fill(self, places: np.ndarray, starts: np.ndarray, found: np.ndarray, values: np.ndarray) -> None:
        known = self._per, self._above, self._wide, self._tail
        _fill_coded(self.matrix.numpy(), *known, places, starts, found, values)


@kernel
def _count(matrix, places, counts):
    for i in range(matrix.shape[0]):
        count = 0
        for j in range(matrix.shape[1]):
            count += (matrix[i, j] != 0) & (places[j] >= 0)
        counts[i] = count


@kernel
def _fill(matrix, places, starts, found, values):
    at = np.empty(places.shape[0] + 1, np.int32)
    for i in range(matrix.shape[0]):
        row, first = matrix[i], starts[i]
        for k in range(_find(row, places, 0, row.shape[0], at, 0)):
            found[first + k] = places[at[k]]
            values[first + k] = row[at[k]]


@kernel
def _find(row, places, start, stop, at, k):
    """Write the indices of `row[start:stop]` that are nonzero, with `places` from 0, into `at` from `k` on; return the
    end.

    Each index is written, and overwritten if it does not count, which avoids branch mispredictions.
    """
    j = start
    while j < stop:
        end = min(stop, j + STRETCH)
        if j + STRETCH <= stop:
            seen = False
            for t in range(STRETCH):
                seen |= row[j + t] != 0
            if not seen:
                j = end
                continue
        for t in range(j, end):
            at[k] = t
            k += int((row[t] != 0) & (places[t] >= 0))
        j = end
    return k


@kernel
def _expand_part(codes, rows, first, per, above, wide, tail, out, low, high):
    """Write the numbers from `first` on of `rows` `low` to `high` into `out`, decoded by `per`, `above`, `wide`."""
    for i in range(low, high):
        row, into = codes[rows[i]], out[i]
        part = row[first : first + per.shape[0]]
        for j in range(into.shape[0]):
            into[j] = _number(part[j], per[j], above[j])
        if wide.shape[0]:
            others = row[tail : tail + 4 * wide.shape[0]].view(np.float32)
            for number in range(wide.shape[0]):
                into[wide[number]] = others[number]


@kernel
def _expand_columns(codes, places, behind, per, above, tail, out):
    """Write the numbers at `places` into `out`; `behind` are the indices of those stored as float32, or -1."""
    for i in range(codes.shape[0]):
        row, into = codes[i], out[i]
        others = row[tail:].view(np.float32)
        for c in range(places.shape[0]):
            if behind[c] >= 0:
                into[c] = others[behind[c]]
            else:
                into[c] = _number(row[places[c]], per[places[c]], above[places[c]])


@kernel
def _number(code, per, above):
    number = np.float32(code)
    if number >= above:
        number -= np.float32(256)
    return number / per


@kernel
def _count_coded(codes, wide, tail, places, counts):
    for i in range(codes.shape[0]):
        row, count = codes[i], 0
        for j in range(places.shape[0]):
            count += (row[j] != 0) & (places[j] >= 0)
        others = row[tail:].view(np.float32)
        for number in range(wide.shape[0]):
            place = wide[number]
            if places[place] >= 0:
                count += int(others[number] != 0) - int(row[place] != 0)
        counts[i] = count


@kernel
def _fill_coded(codes, per, above, wide, tail, places, starts, found, values):
    """Do as `Rows.fill`; the numbers stored as float32 come between the others, in order."""
    at = np.empty(places.shape[0] + 1, np.int32)
    for i in range(codes.shape[0]):
        row, k, start = codes[i], starts[i], 0
        others = row[tail:].view(np.float32)
        for number in range(wide.shape[0] + 1):
            stop = wide[number] if number < wide.shape[0] else places.shape[0]
            count = _find(row, places, start, stop, at, 0)
            for t in range(count):
                place = at[t]
                found[k + t] = places[place]
                values[k + t] = _number(row[place], per[place], above[place])
            k += count
            if number < wide.shape[0]:
                if others[number] != 0 and places[stop] >= 0:
                    found[k] = places[stop]
                    values[k] = others[number]
                    k += 1
                start = stop + 1
