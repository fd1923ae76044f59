"""Layout: the named, shaped blocks of an observation vector."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Block:
    """A stretch of the observation vector with a name, a shape, bounds and one sentence on what it holds.

    Its rows may be `about` actions: with (first, count) row i is about the `count` actions from first + i * count on.
    """

    name: str
    shape: tuple[int, ...]
    doc: str
    low: float = 0.0
    high: float = 1.0
    about: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Layout:
    """The blocks of a game's observation, in order; `size` is `D`, the length of the flat float32 vector."""

    def __init__(self, *blocks: Block) -> None:
        names = [block.name for block in blocks]
        if len(set(names)) != len(names):
            raise ValueError(f"block names must differ, got {names}")
        self.blocks = blocks
        ends = np.cumsum([block.size for block in blocks])
        self._starts = {block.name: int(end) - block.size for block, end in zip(blocks, ends, strict=True)}
        self.size = int(ends[-1])

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def start(self, name: str) -> int:
        """Return where block `name` begins in the vector; raise KeyError naming the blocks there are."""
        if name not in self._starts:
            raise KeyError(f"no block {name!r}; this layout has {', '.join(self._starts)}")
        return self._starts[name]

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
