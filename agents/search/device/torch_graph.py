"""The ONNX graph of a bot in PyTorch, for large batches on a GPU.

It takes the operations that bots of this library have. Those on constants and shapes run once, in NumPy.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from sobremesa.agents.graph_file import GraphFile, Node


class TorchGraph:
    """A graph on a device; call it with its inputs by name, tensors of `n` rows, for its output `gives`.

    Raises ValueError for an operation that is not known, at once or at the first call.
    """

    def __init__(self, file: GraphFile, gives: str, device: torch.device) -> None:
        wanted, used = {gives}, []
        for node in reversed(file.nodes):
            if wanted & set(node.gives):
                wanted |= set(node.takes)
                used.append(node)
        self._nodes, self._gives, self._device = used[::-1], gives, device
        for node in self._nodes:
            if node.kind not in _OPERATIONS and node.kind not in ("Constant", "Shape"):
                raise ValueError(f"the operation {node.kind} of the graph is not known")
        self._known = dict(file.weights)
        self._tensors = {name: torch.from_numpy(np.array(one)).to(device) for name, one in self._known.items()}

    def __call__(self, **inputs: torch.Tensor) -> torch.Tensor:
        values: dict[str, torch.Tensor] = self._tensors | inputs
        known = dict(self._known)  # constants in NumPy, for settings that are inputs
        for node in self._nodes:
            name = node.gives[0]
            if node.kind == "Constant":
                known[name] = np.asarray(node.settings["value"])
            elif node.kind == "Shape":
                known[name] = np.array(values[node.takes[0]].shape)
            else:
                values[name] = _OPERATIONS[node.kind](_Given(node, values, known))
                continue
            values[name] = torch.from_numpy(np.array(known[name])).to(self._device)
        return values[self._gives]


class _Given:
    """The inputs and settings of one node."""

    def __init__(self, node: Node, values: Mapping[str, torch.Tensor], known: Mapping[str, np.ndarray]) -> None:
        self.node, self._values, self._known = node, values, known

    def __getitem__(self, place: int) -> torch.Tensor:
        return self._values[self.node.takes[place]]

    def __len__(self) -> int:
        return len(self.node.takes)

    def all(self) -> list[torch.Tensor]:
        return [self._values[name] for name in self.node.takes]

    def has(self, place: int) -> bool:
        return place < len(self.node.takes) and bool(self.node.takes[place])

    def constant(self, place: int) -> Any:
        """Return the numbers of a constant input as lists."""
        name = self.node.takes[place]
        if name not in self._known:
            raise ValueError(f"{self.node.kind} with a computed {name} is not known")
        return self._known[name].tolist()

    def setting(self, name: str, usual: Any) -> Any:
        return self.node.settings.get(name, usual)


def _gemm(given: _Given) -> torch.Tensor:
    left = given[0].T if given.setting("transA", 0) else given[0]
    right = given[1].T if given.setting("transB", 0) else given[1]
    made = torch.mul(left @ right, given.setting("alpha", 1))
    return made + given.setting("beta", 1) * given[2] if given.has(2) else made


def _conv(given: _Given) -> torch.Tensor:
    top, left, bottom, right = given.setting("pads", [0] * 4)
    edged = functional.pad(given[0], (left, right, top, bottom))
    bias = given[2] if given.has(2) else None
    strides, dilations = given.setting("strides", [1, 1]), given.setting("dilations", [1, 1])
    return functional.conv2d(edged, given[1], bias, strides, 0, dilations, given.setting("group", 1))


def _reduced(reduce: Callable[..., torch.Tensor]) -> Callable[[_Given], torch.Tensor]:
    def run(given: _Given) -> torch.Tensor:
        axes = given.constant(1) if given.has(1) else given.setting("axes", None)
        return reduce(given[0], axes, keepdim=bool(given.setting("keepdims", 1)))

    return run


def _slice(given: _Given) -> torch.Tensor:
    value, starts, ends = given[0], given.constant(1), given.constant(2)
    axes = given.constant(3) if given.has(3) else range(len(starts))
    steps = given.constant(4) if given.has(4) else [1] * len(starts)
    found = [slice(None)] * value.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        found[axis] = slice(start, end, step)
    return value[tuple(found)]


def _reshape(given: _Given) -> torch.Tensor:
    value = given[0]
    sizes = given.constant(1)
    if not given.setting("allowzero", 0):
        sizes = [value.shape[place] if size == 0 else size for place, size in enumerate(sizes)]
    return value.reshape(sizes)


def _pad(given: _Given) -> torch.Tensor:
    if given.setting("mode", b"constant") != b"constant":
        raise ValueError(f"Pad of mode {given.setting('mode', b'')!r} is not known")
    widths = np.array(given.constant(1)).reshape(2, -1)
    return functional.pad(given[0], widths[:, ::-1].T.reshape(-1).tolist(), value=_filling(given))


def _filling(given: _Given) -> float:
    return float(np.ravel(given.constant(2))[0]) if given.has(2) else 0.0


def _gather(given: _Given) -> torch.Tensor:
    value, places, axis = given[0], given[1].long(), given.setting("axis", 0) % given[0].ndim
    places = torch.where(places < 0, places + value.shape[axis], places)
    made = value.index_select(axis, places.reshape(-1))
    return made.reshape(*value.shape[:axis], *places.shape, *value.shape[axis + 1 :])


def _squeeze(given: _Given) -> torch.Tensor:
    return given[0].squeeze(tuple(given.constant(1)))


def _unsqueeze(given: _Given) -> torch.Tensor:
    value, axes = given[0], given.constant(1)
    for axis in sorted(axis % (value.ndim + len(axes)) for axis in axes):
        value = value.unsqueeze(axis)
    return value


def _argmax(given: _Given) -> torch.Tensor:
    return given[0].argmax(given.setting("axis", 0), keepdim=bool(given.setting("keepdims", 1)))


_DTYPES = {1: torch.float32, 6: torch.int32, 7: torch.int64, 9: torch.bool, 11: torch.float64}


def _elementwise(work: Callable[..., torch.Tensor]) -> Callable[[_Given], torch.Tensor]:
    return lambda given: work(*given.all())


_OPERATIONS: dict[str, Callable[[_Given], torch.Tensor]] = {
    "Gemm": _gemm,
    "MatMul": _elementwise(torch.matmul),
    "Conv": _conv,
    "ReduceSum": _reduced(torch.sum),
    "ReduceMax": _reduced(torch.amax),
    "ReduceMean": _reduced(torch.mean),
    "ArgMax": _argmax,
    "Gather": _gather,
    "GatherElements": lambda given: given[0].gather(given.setting("axis", 0), given[1].long()),
    "Where": _elementwise(torch.where),
    "Add": _elementwise(torch.add),
    "Sub": _elementwise(torch.sub),
    "Mul": _elementwise(torch.mul),
    "Div": _elementwise(torch.div),
    "Max": _elementwise(torch.maximum),
    "Min": _elementwise(torch.minimum),
    "Greater": _elementwise(torch.gt),
    "Less": _elementwise(torch.lt),
    "Equal": _elementwise(torch.eq),
    "Relu": _elementwise(torch.relu),
    "Tanh": _elementwise(torch.tanh),
    "Sigmoid": _elementwise(torch.sigmoid),
    "Neg": _elementwise(torch.neg),
    "Exp": _elementwise(torch.exp),
    "Sqrt": _elementwise(torch.sqrt),
    "Abs": _elementwise(torch.abs),
    "Erf": _elementwise(torch.erf),
    "Not": _elementwise(torch.logical_not),
    "Cast": lambda given: given[0].to(_DTYPES[given.node.settings["to"]]),
    "Identity": lambda given: given[0],
    "Concat": lambda given: torch.cat(given.all(), given.node.settings["axis"]),
    "Flatten": lambda given: given[0].flatten(given.setting("axis", 1)),
    "Pad": _pad,
    "Reshape": _reshape,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Transpose": lambda given: given[0].permute(given.node.settings["perm"]),
    "Unsqueeze": _unsqueeze,
}
