"""Observations as bytes, converted to floats on their device."""

import numpy as np
import torch

from sobremesa.envs.core.layout import Layout


class Decoder(torch.nn.Module):
    """Converts bytes `(..., W)` uint8 to observations `(..., D)` of a float dtype.

    float32 gives the numbers of `Layout.decode` to the bit; other dtypes are these numbers, rounded.
    """

    _per: torch.Tensor
    _above: torch.Tensor
    _apart: torch.Tensor
    _source: torch.Tensor

    def __init__(self, layout: Layout, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        per, above, _, wide, tail = layout.expansion
        self._size, self._tail, self._dtype = layout.size, tail, dtype
        self._count = len(wide)
        edges = np.flatnonzero(np.diff(layout.signed.astype(np.int8), prepend=0, append=0))
        self._signed = edges.reshape(-1, 2).tolist()  # first and last + 1 of each range of signed numbers
        apart = np.zeros(layout.size, np.bool_)
        source = np.zeros(layout.size, np.int64)  # of a number among those behind the bytes
        apart[wide], source[wide] = True, np.arange(len(wide))
        for name, array in (("_per", per), ("_above", above), ("_apart", apart), ("_source", source)):
            self.register_buffer(name, torch.from_numpy(array.copy()), persistent=False)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        numbers = codes[..., : self._size].float()  # a copy, so it is changed in place: fewer passes over memory
        for first, stop in self._signed:
            part = numbers[..., first:stop]
            part.sub_(256 * (part >= self._above[first:stop]))
        numbers.div_(self._per)
        if self._count:
            behind = codes[..., self._tail : self._tail + 4 * self._count].contiguous().view(torch.float32)
            numbers = torch.where(self._apart, behind.index_select(-1, self._source), numbers)
        return numbers.to(self._dtype)
