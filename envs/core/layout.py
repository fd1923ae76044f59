"""Observation specs: the named, shaped blocks of an observation, as float32 numbers and as bytes.

Nearly all numbers of an observation are small whole numbers or fractions. So games write observations as bytes, and
float32 is computed on demand: number i is byte i divided by `per[i]`. The few other numbers follow behind the bytes as
float32, in the order of the vector.

Letters: `D` numbers in an observation, `W` bytes in one, `T` numbers that follow as float32.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sobremesa.envs.core.codes import expand_rows
from sobremesa.envs.core.compile.threads import run

FLOAT = 0  # as `per`: numbers that are stored as float32
SHORTEST_GAP = 64  # plain whole numbers between two ranges


@dataclass(frozen=True)
class Block:
    """A part of the observation vector with a name, a shape, bounds and a description.

    Its rows may be `about` actions: with (first, count), row i is about the `count` actions from first + i * count on.
    In a block with three axes these are the cells of its grid, row by row. The numbers are whole numbers from 0 to 255
    (from -128 to 127 if `low` is negative) divided by `per`: one number, or an array that broadcasts to the shape.
    FLOAT marks other numbers.
    """

    name: str
    shape: tuple[int, ...]
    doc: str
    low: float = 0.0
    high: float = 1.0
    about: tuple[tuple[int, int], ...] = ()
    per: Any = field(default=1, compare=False)  #: divisor of the bytes; 0 (FLOAT) for numbers that are float32
    seen: Any = field(default=None, compare=False)  #: for kernels of bots: where decoded numbers go; None: nowhere

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Layout:
    """The observation spec of a game: its blocks in order.

    `size` is `D`, the length of the flat float32 vector, and `width` is `W`, its length as bytes.
    """

    def __init__(self, *blocks: Block) -> None:
        names = [block.name for block in blocks]
        if len(set(names)) != len(names):
            raise ValueError(f"block names must differ, got {names}")
        self.blocks = blocks
        ends = np.cumsum([block.size for block in blocks])
        self._starts = {block.name: int(end) - block.size for block, end in zip(blocks, ends, strict=True)}
        self.size = int(ends[-1])
        per = np.concatenate([np.broadcast_to(block.per, block.shape).ravel() for block in blocks])
        self.wide = np.flatnonzero(per == FLOAT)  # (T,) places of the float32 numbers
        self.tail = -(-self.size // 4) * 4 if len(self.wide) else self.size  # their start
        self.width = self.tail + 4 * len(self.wide)
        self.per = np.where(per == FLOAT, 1, per).astype(np.float32)  # (D,)
        self.signed = np.repeat([block.low < 0 for block in blocks], [block.size for block in blocks])  # (D,) bool
        self._above = np.where(self.signed, 128, 256).astype(np.float32)  # from here on a byte means 256 less
        self._runs = _runs(self.per, self.signed)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def start(self, name: str) -> int:
        """Return the start of block `name` in the vector; raise KeyError with the known blocks."""
        if name not in self._starts:
            raise KeyError(f"no block {name!r}; this layout has {', '.join(self._starts)}")
        return self._starts[name]

    def start_wide(self, name: str) -> int:
        """Return the index of the first float32 number of block `name` among those behind the bytes."""
        return int(np.searchsorted(self.wide, self.start(name)))

    def decode(self, codes: np.ndarray, out: np.ndarray | None = None, threads: int | None = None) -> np.ndarray:
        """Return the observations `(..., D)` float32 of the bytes `codes` `(..., W)` uint8.

        Args:
            codes: bytes as games write them.
            out: a C-contiguous array to write into and return; None makes one.
            threads: the most threads to use; None chooses.
        """
        if codes.dtype != np.uint8 or codes.shape[-1:] != (self.width,):
            raise ValueError(
                f"this layout decodes rows of {self.width} uint8, got {codes.dtype} of shape {codes.shape}"
            )
        shape = (*codes.shape[:-1], self.size)
        if out is None:
            out = np.empty(shape, np.float32)
        elif out.dtype != np.float32 or out.shape != shape or not out.flags.c_contiguous:
            raise ValueError(f"out takes a C-contiguous array of {shape} float32, got {out.dtype} of {out.shape}")
        rows = np.ascontiguousarray(codes).reshape(-1, self.width)
        run(expand_rows, len(rows), threads, rows, *self.expansion, out.reshape(-1, self.size))
        return out

    def encode(self, observations: np.ndarray) -> np.ndarray:
        """Return the bytes `(..., W)` uint8 of `observations` `(..., D)` float32.

        Raises ValueError for numbers that no observation of this layout has.
        """
        if observations.dtype != np.float32 or observations.shape[-1:] != (self.size,):
            given = f"{observations.dtype} of shape {observations.shape}"
            raise ValueError(f"this layout encodes vectors of {self.size} float32, got {given}")
        codes = np.zeros((*observations.shape[:-1], self.width), np.uint8)
        wide = observations[..., self.wide]
        codes[..., self.tail :] = np.ascontiguousarray(wide).view(np.uint8)
        with np.errstate(invalid="ignore"):  # NaN is found below
            whole = np.rint(observations * self.per).astype(np.int64)
        whole[..., self.wide] = 0
        codes[..., : self.size] = whole & 0xFF
        wrong = np.flatnonzero((self.decode(codes) != observations).reshape(-1, self.size).any(axis=0))
        if len(wrong):
            name = next(name for name, start in reversed(self._starts.items()) if start <= wrong[0])
            raise ValueError(f"block {name!r} of this layout holds no such number as at place {wrong[0]} of the vector")
        return codes

    @property
    def expansion(self) -> tuple[Any, ...]:
        """The arguments of the kernel `codes.expand` between the bytes and the output."""
        return self.per, self._above, self._runs, self.wide, self.tail

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Return views of `observation` `(..., D)` by block name, each shaped `(..., *block.shape)`."""
        if observation.shape[-1] != self.size:
            raise ValueError(f"this layout splits vectors of {self.size} numbers, got shape {observation.shape}")
        front = observation.shape[:-1]
        return {
            block.name: observation[..., start : start + block.size].reshape(*front, *block.shape)
            for block, start in zip(self.blocks, self._starts.values(), strict=True)
        }

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and highest value of each of the `D` numbers, float32."""
        sizes = [block.size for block in self.blocks]
        low = np.repeat(np.array([block.low for block in self.blocks], np.float32), sizes)
        high = np.repeat(np.array([block.high for block in self.blocks], np.float32), sizes)
        return low, high

    def digest(self) -> str:
        """Return a digest of names, shapes and bounds; layouts with the same digest are interchangeable."""
        text = repr([(block.name, block.shape, block.low, block.high) for block in self.blocks])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _runs(per: np.ndarray, signed: np.ndarray) -> np.ndarray:
    """Return the ranges `(n, 2)`, start and stop, outside which all numbers are plain whole numbers.

    Ranges with a short gap between them are merged: each costs as much as some dozens of numbers.
    """
    places = np.flatnonzero((per != 1) | signed)
    parts = np.split(places, np.flatnonzero(np.diff(places) > SHORTEST_GAP) + 1) if len(places) else []
    return np.array([(part[0], part[-1] + 1) for part in parts], np.int64).reshape(-1, 2)
