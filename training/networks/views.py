"""Inputs of networks: rows of a matrix of observations, gathered lazily, with sparse lists of nonzero numbers.

Most numbers of an observation are 0. `Lines` lists the others, once for all networks and epochs of a batch. Letters:
`R` rows of the matrix, `n` views, `D` numbers in an observation, `W` bytes in one, `A` actions.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numba.core import config

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import Layout
from sobremesa.training.networks.byte_rows import Bytes, Numbers, Rows

ENOUGH, SAMPLE = 1024, 64  # views that are enough to find common columns, and the sample size
COMMON = 0.4  # part of nonzero views above which a column is faster as a dense matrix, measured


class Lines:
    """Sparse matrix: line i has `values[k]` at `places[k]` for k from `starts[i]` to `starts[i + 1]`."""

    def __init__(self, starts: np.ndarray, width: int) -> None:
        self.starts = starts  # (lines + 1,) int64
        self.width = width  # number of places
        self.places = np.empty(starts[-1], np.int32)
        self.values = np.empty(starts[-1], np.float32)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, lines: np.ndarray) -> "Lines":
        """Return the lines `lines` `(n,)`."""
        taken = Lines(starts_of(self.starts[lines + 1] - self.starts[lines]), self.width)
        _take(lines, self.starts, self.places, self.values, taken.starts, taken.places, taken.values)
        return taken

    @cached_property
    def turned(self) -> "Lines":
        """The transposed matrix."""
        turned = Lines(starts_of(np.bincount(self.places, minlength=self.width)), len(self))
        _turn(self.starts, self.places, self.values, turned.starts[:-1].copy(), turned.places, turned.values)
        return turned


class Inputs:
    """Inputs of a layer: common columns as a dense matrix, the others as lines."""

    def __init__(self, rare: Lines, common: np.ndarray, block: torch.Tensor) -> None:
        self.rare = rare
        self.common = common  # (c,) int64, places of the columns of `block`
        self.block = block  # (views, c) float32

    def take(self, lines: np.ndarray) -> "Inputs":
        """Return the inputs of the views `lines` `(n,)`."""
        return Inputs(self.rare.take(lines), self.common, self.block.index_select(0, torch.from_numpy(lines)))


class Columns:
    """Columns of an observation that a layer takes, `kept` by index."""

    def __init__(self, size: int, kept: list[int]) -> None:
        self.count = len(kept)
        self.places = np.full(size, -1, np.int32)  # (D,) new index of each, or -1
        self.places[kept] = np.arange(len(kept))
        self.key = self.places.tobytes()

    def lines(self, rows: Rows, places: np.ndarray | None = None) -> Lines:
        """List the nonzero numbers of these columns, or of those in `places`, for all `rows`."""
        places, counts = self.places if places is None else places, np.zeros(len(rows.matrix), np.int64)
        rows.count(places, counts)
        found = Lines(starts_of(counts), self.count)
        rows.fill(places, found.starts, found.places, found.values)
        return found

    def inputs(self, rows: Rows) -> Inputs:
        """Split these columns of all `rows` into common and rare ones."""
        many = len(rows.matrix)
        if many < ENOUGH:
            return Inputs(self.lines(rows), np.zeros(0, np.int64), torch.empty(many, 0))
        sample = rows.part(torch.arange(0, many, many // SAMPLE), 0, len(self.places)).numpy()
        common = np.flatnonzero(((sample != 0).mean(0) > COMMON) & (self.places >= 0))
        places = self.places.copy()
        places[common] = -1
        block = torch.from_numpy(rows.columns(common))
        return Inputs(self.lines(rows, places), self.places[common].astype(np.int64), block)


class Views:
    """Rows of `matrix` `(R, D)`; `take` returns some of them without a copy.

    masks: (R, A) bool or int8; if given, illegal actions need no score.
    layout: of the observation, if `matrix` is its uint8 form `(R, W)`.
    """

    def __init__(self, matrix: torch.Tensor, masks: torch.Tensor | None = None, layout: Layout | None = None) -> None:
        self.matrix, self.masks, self.layout = matrix, masks, layout
        self.all: Rows = Numbers(matrix) if layout is None else Bytes(matrix, layout)
        self.rows: torch.Tensor | None = None  # (n,) int64, None for all
        self._of: tuple[Views, torch.Tensor] | None = None  # parent views, and rows of them
        self._listed: dict[Hashable, Any] = {}
        self._legal_lines: Lines | None = None
        self._columns: dict[tuple[int, int], torch.Tensor] = {}

    def __len__(self) -> int:
        return int(self.matrix.shape[0] if self.rows is None else self.rows.shape[0])

    def take(self, which: torch.Tensor) -> "Views":
        """Return the views `which` `(k,)` int64 of these."""
        taken = Views(self.matrix, self.masks, self.layout)
        taken.rows = which if self.rows is None else self.rows[which]
        taken._of = self, which
        return taken

    @property
    def by_kernels(self) -> bool:
        """Whether kernels may process them: not on a GPU, in plain Python, in an export, or with their gradients."""
        compiled = not config.DISABLE_JIT and not torch.compiler.is_exporting()
        return compiled and not self.matrix.is_cuda and not self.matrix.requires_grad

    @cached_property
    def whole(self) -> torch.Tensor:
        """The observations themselves, `(n, D)`."""
        if self.layout is not None:
            return self.all.part(self.rows, 0, self.layout.size)
        return self.matrix if self.rows is None else self.matrix.index_select(0, self.rows)

    @cached_property
    def legal(self) -> torch.Tensor | None:
        """The masks of these views, `(n, A)`, if given."""
        return self.masks if self.masks is None or self.rows is None else self.masks.index_select(0, self.rows)

    @property
    def legal_lines(self) -> Lines:
        """The legal actions of each view as lines; needs masks."""
        if self._legal_lines is None:
            if self._of is None:
                assert self.masks is not None
                masks = self.masks.view(torch.uint8)
                self._legal_lines = Columns(masks.shape[1], list(range(masks.shape[1]))).lines(Numbers(masks))
            else:
                views, which = self._of
                self._legal_lines = views.legal_lines.take(which.numpy())
        return self._legal_lines

    def columns(self, first: int, count: int) -> torch.Tensor:
        """Return `count` numbers of each view from `first` on, `(n, count)`, cached."""
        if (first, count) not in self._columns:
            self._columns[first, count] = self.all.part(self.rows, first, count)
        return self._columns[first, count]

    def listed(self, key: Hashable, lister: Callable[[Rows], Any]) -> Any:
        """Return the lists of `lister` for these views; it runs once for all rows and each `key`."""
        if key not in self._listed:
            if self._of is None:
                self._listed[key] = lister(self.all)
            else:
                views, which = self._of
                self._listed[key] = views.listed(key, lister).take(which.numpy())
        return self._listed[key]


def starts_of(counts: np.ndarray) -> np.ndarray:
    """Return the start of each line with `counts` `(lines,)` numbers, and the end of the last."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


@kernel
def _take(lines, starts, places, values, new_starts, new_places, new_values):
    for i in range(lines.shape[0]):
        first, new = starts[lines[i]], new_starts[i]
        for k in range(new_starts[i + 1] - new):
            new_places[new + k] = places[first + k]
            new_values[new + k] = values[first + k]


@kernel
def _turn(starts, places, values, following, lines, turned):
    for i in range(starts.shape[0] - 1):
        for k in range(starts[i], starts[i + 1]):
            at = following[places[k]]
            lines[at] = i
            turned[at] = values[k]
            following[places[k]] = at + 1
