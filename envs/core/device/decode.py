"""Observations as bytes, converted to floats on their device."""

import torch

from sobremesa.envs.core.layout import Layout


class Decoder(torch.nn.Module):
    """Converts bytes `(..., W)` uint8 to observations `(..., D)` of a float dtype.

    float32 gives the numbers of `Layout.decode` to the bit; other dtypes are these numbers, rounded.
    """

    def __init__(self, layout: Layout, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        per, above, _, wide, tail = layout.expansion
        self._size, self._tail, self._dtype = layout.size, tail, dtype
        for name, array in (("_per", per), ("_above", above), ("_wide", wide)):
            self.register_buffer(name, torch.from_numpy(array.copy()), persistent=False)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        numbers = codes[..., : self._size].float()
        numbers = torch.where(numbers >= self._above, numbers - 256, numbers) / self._per
        if len(self._wide):
            behind = codes[..., self._tail : self._tail + 4 * len(self._wide)].contiguous()
            numbers[..., self._wide] = behind.view(torch.float32)
        return numbers.to(self._dtype)
