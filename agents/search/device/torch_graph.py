"""The ONNX graph of a bot in PyTorch, for large batches on a GPU."""

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from sobremesa.agents.networks.onnx_file import GraphFile, leading_to
from sobremesa.agents.networks.operations import FORMULAS, OPERATIONS, evaluate


class TorchGraph:
    """A graph on a device; call it with its inputs by name, tensors of `n` rows, for its output `gives`.

    Raises ValueError for an operation that is not known, immediately or at the first call.
    """

    def __init__(self, file: GraphFile, gives: str, device: torch.device) -> None:
        self._nodes, self._gives, self._device = leading_to(file.nodes, gives), gives, device
        for node in self._nodes:
            if node.kind not in OPERATIONS:
                raise ValueError(f"the operation {node.kind} of the graph is not known")
        self._known = dict(file.weights)
        self._tensors = {name: torch.from_numpy(np.array(one)).to(device) for name, one in self._known.items()}

    def __call__(self, **inputs: torch.Tensor) -> torch.Tensor:
        run = _Tensors(dict(self._known), self._tensors | inputs, self._device)
        for node in self._nodes:
            try:
                evaluate(run, node)
            except TypeError as error:
                raise ValueError(f"{node.kind} of this form is not known: {error}") from None
        return run[self._gives]


class _Tensors:
    """An evaluation of the operations of a graph with tensors; constants are also known as arrays of NumPy."""

    numbers = None  # also moves of constants are done with tensors

    def __init__(self, known: dict[str, np.ndarray], values: dict[str, torch.Tensor], device: torch.device) -> None:
        self.known, self.values, self._device = known, values, device

    def __getitem__(self, name: str) -> torch.Tensor:
        if name not in self.values:
            self.values[name] = torch.from_numpy(np.array(self.known[name])).to(self._device)
        return self.values[name]

    def constant(self, name: str) -> np.ndarray:
        if name not in self.known:
            raise ValueError(f"an operation with a computed {name} is not known")
        return self.known[name]

    def moved(self, made: torch.Tensor) -> None:
        """Do nothing: the runtime of the graph limits its tensors."""

    def each(self, kind: str, *names: str) -> torch.Tensor:
        made: torch.Tensor = getattr(torch, FORMULAS[kind].tensor)(*(self[name] for name in names))
        return made

    def cast(self, data: str, kind: np.dtype[Any]) -> torch.Tensor:
        return self[data].to(getattr(torch, kind.name))

    def gemm(
        self, left: str, right: str, bias: str, alpha: float, beta: float, left_turned: int, right_turned: int
    ) -> torch.Tensor:
        one, other = self[left].T if left_turned else self[left], self[right].T if right_turned else self[right]
        made = torch.mul(one @ other, alpha)
        return made + beta * self[bias] if bias else made

    def matmul(self, left: str, right: str) -> torch.Tensor:
        return self[left] @ self[right]

    def conv(
        self, data: str, weights: str, bias: str, pads: list[int], strides: Any, dilations: Any, group: int
    ) -> torch.Tensor:
        top, left, bottom, right = pads
        edged = functional.pad(self[data], (left, right, top, bottom))
        return functional.conv2d(edged, self[weights], self[bias] if bias else None, strides, 0, dilations, group)

    def reduce(self, kind: str, value: torch.Tensor, axes: list[int], keepdims: bool) -> torch.Tensor:
        reduce: Any = {"ReduceSum": torch.sum, "ReduceMax": torch.amax, "ReduceMean": torch.mean}[kind]
        made: torch.Tensor = reduce(value, axes, keepdim=keepdims)
        return made

    def argmax(self, value: torch.Tensor, axis: int, keepdims: bool) -> torch.Tensor:
        return value.argmax(axis, keepdim=keepdims)

    def gather(self, data: str, places: str, axis: int) -> torch.Tensor:
        value, at = self[data], self._counted(places, self[data].shape[axis])
        axis %= value.ndim
        made = value.index_select(axis, at.reshape(-1))
        return made.reshape(*value.shape[:axis], *at.shape, *value.shape[axis + 1 :])

    def gather_elements(self, data: str, places: str, axis: int) -> torch.Tensor:
        return self[data].gather(axis, self._counted(places, self[data].shape[axis]))

    def _counted(self, places: str, size: int) -> torch.Tensor:
        """Return indices `places` of `size` numbers, counted from the front."""
        return self[places].long() % size

    def transpose(self, value: torch.Tensor, perm: list[int]) -> torch.Tensor:
        return value.permute(perm)

    def concat(self, values: list[torch.Tensor], axis: int) -> torch.Tensor:
        return torch.cat(values, axis)

    def pad(self, value: torch.Tensor, widths: np.ndarray, number: float) -> torch.Tensor:
        return functional.pad(value, widths[::-1].reshape(-1).tolist(), value=number)
