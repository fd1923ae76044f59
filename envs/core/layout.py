"""Layout: the named, shaped blocks of an observation, as float32 numbers and as the bytes that stand for them.

Nearly all numbers that a seat sees are whole and small, or so many parts of a whole. So games write observations as
bytes, and float32 is made of them where it is asked for: number i is byte i divided by `per[i]`. The few numbers that
no byte can stand for follow behind all bytes as float32, in the order of the vector.

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

FLOAT = 0  # in the place of parts: numbers that no byte can stand for
SHORTEST_GAP = 64  # plain whole numbers between others


@dataclass(frozen=True)
class Block:
    """A stretch of the observation vector with a name, a shape, bounds and one sentence on what it holds.

    Its rows may be `about` actions: with (first, count) row i is about the `count` actions from first + i * count on.
    Of a block with three axes it is not the rows but the cells of its grid, counted row by row.
    Its numbers are whole ones from 0 to 255 (where `low` is below 0 from -128 to 127) divided by `per`: one for all, or
    an array that broadcasts to the shape; FLOAT where there are others.
    """

    name: str
    shape: tuple[int, ...]
    doc: str
    low: float = 0.0
    high: float = 1.0
    about: tuple[tuple[int, int], ...] = ()
    per: Any = field(default=1, compare=False)  # how it is written, which does not change what it says

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Layout:
    """The blocks of a game's observation, in order.

    `size` is `D`, the length of the flat float32 vector, and `width` is `W`, the length of the same as bytes.
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
        self.wide = np.flatnonzero(per == FLOAT)  # (T,) places of the numbers that follow as float32
        self.tail = -(-self.size // 4) * 4 if len(self.wide) else self.size  # where they do
        self.width = self.tail + 4 * len(self.wide)
        self.per = np.where(per == FLOAT, 1, per).astype(np.float32)  # (D,)
        self.signed = np.repeat([block.low < 0 for block in blocks], [block.size for block in blocks])  # (D,) bool
        self._above = np.where(self.signed, 128, 256).astype(np.float32)  # from here on a byte stands for 256 less
        self._runs = _runs(self.per, self.signed)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def start(self, name: str) -> int:
        """Return where block `name` begins in the vector; raise KeyError naming the blocks there are."""
        if name not in self._starts:
            raise KeyError(f"no block {name!r}; this layout has {', '.join(self._starts)}")
        return self._starts[name]

    def start_wide(self, name: str) -> int:
        """Return where the numbers of block `name` that no byte can stand for begin among those of the vector."""
        return int(np.searchsorted(self.wide, self.start(name)))

    def decode(self, codes: np.ndarray, out: np.ndarray | None = None, threads: int | None = None) -> np.ndarray:
        """Return the observations `(..., D)` float32 that the bytes `codes` `(..., W)` uint8 stand for.

        Args:
            codes: as games write them.
            out: an array to write into and return, C-contiguous; None makes one.
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
        """Return the bytes `(..., W)` uint8 that stand for `observations` `(..., D)` float32.

        Raises ValueError for numbers that no observation of this layout holds.
        """
        if observations.dtype != np.float32 or observations.shape[-1:] != (self.size,):
            given = f"{observations.dtype} of shape {observations.shape}"
            raise ValueError(f"this layout encodes vectors of {self.size} float32, got {given}")
        codes = np.zeros((*observations.shape[:-1], self.width), np.uint8)
        wide = observations[..., self.wide]
        codes[..., self.tail :] = np.ascontiguousarray(wide).view(np.uint8)
        with np.errstate(invalid="ignore"):  # what is no number is found out below
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
        """What the kernel `codes.expand` takes between the bytes and the numbers to be written."""
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
        """Return a digest of names, shapes and bounds: two layouts with one digest are interchangeable."""
        text = repr([(block.name, block.shape, block.low, block.high) for block in self.blocks])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _runs(per: np.ndarray, signed: np.ndarray) -> np.ndarray:
    """Return the stretches `(n, 2)`, start and stop, outside which all numbers are plain whole ones.

    Those with a short gap between them are one: each costs as much as some dozens of numbers.
    """
    places = np.flatnonzero((per != 1) | signed)
    parts = np.split(places, np.flatnonzero(np.diff(places) > SHORTEST_GAP) + 1) if len(places) else []
    return np.array([(part[0], part[-1] + 1) for part in parts], np.int64).reshape(-1, 2)
