"""The operations of graphs, one entry each, for the executors that read graphs: the compiler and PyTorch.

An operation is a function of an executor, the names of its inputs, and its attributes by their ONNX names. Those that
only move numbers are written once, for arrays of numbers, of addresses (compiler.py) and tensors (torch_graph.py in
search/device). Those that compute each number alone have a formula for kernels and a function of PyTorch. The rest are
methods of executors.
"""

from collections.abc import Callable
from functools import partial
from math import erf, prod
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.networks.onnx_file import NUMBERS, Node
from sobremesa.envs.core.compile.kernel import kernel

_ZERO, _ONE = np.float32(0), np.float32(1)
_LOWEST = np.float32(-80)  # smallest argument of a sigmoid; below, it is 0 in float32


class Formula(NamedTuple):
    """An operation that computes each number alone, from the numbers at the same place of up to three inputs."""

    of: Any  # kernel (x, y, z) -> number, of float32; it ignores what the operation does not take
    tensor: str = ""  # the function of PyTorch; "" for one that is no operation of ONNX


TRUNCATED, TRUTH = "to a whole number", "to 0 or 1"  # casts
FORMULAS = {
    "Relu": Formula(kernel(lambda x, y, z: max(x, _ZERO)), "relu"),
    "Tanh": Formula(kernel(lambda x, y, z: np.tanh(x)), "tanh"),
    "Sigmoid": Formula(kernel(lambda x, y, z: _ONE / (_ONE + np.exp(-max(x, _LOWEST)))), "sigmoid"),
    "Neg": Formula(kernel(lambda x, y, z: -x), "neg"),
    "Exp": Formula(kernel(lambda x, y, z: np.exp(x)), "exp"),
    "Sqrt": Formula(kernel(lambda x, y, z: np.sqrt(x)), "sqrt"),
    "Abs": Formula(kernel(lambda x, y, z: abs(x)), "abs"),
    "Erf": Formula(kernel(lambda x, y, z: erf(x)), "erf"),
    "Not": Formula(kernel(lambda x, y, z: x == 0), "logical_not"),
    "Add": Formula(kernel(lambda x, y, z: x + y), "add"),
    "Sub": Formula(kernel(lambda x, y, z: x - y), "sub"),
    "Mul": Formula(kernel(lambda x, y, z: x * y), "mul"),
    "Div": Formula(kernel(lambda x, y, z: x / y), "div"),
    "Max": Formula(kernel(lambda x, y, z: max(x, y)), "maximum"),
    "Min": Formula(kernel(lambda x, y, z: min(x, y)), "minimum"),
    "Greater": Formula(kernel(lambda x, y, z: x > y), "gt"),
    "Less": Formula(kernel(lambda x, y, z: x < y), "lt"),
    "Equal": Formula(kernel(lambda x, y, z: x == y), "eq"),
    "Where": Formula(kernel(lambda x, y, z: y if x != 0 else z), "where"),
    TRUNCATED: Formula(kernel(lambda x, y, z: np.trunc(x))),
    TRUTH: Formula(kernel(lambda x, y, z: x != 0)),
}


class Operation(NamedTuple):
    """An operation; `run(executor, *inputs, **attributes)` returns its output."""

    run: Callable[..., Any]
    moves: bool = False  # whether it only moves numbers: its output is constant if its inputs are
    fixed: bool = False  # whether its output is constant in any case


def evaluate(executor: Any, node: Node) -> None:
    """Add the output of `node` to `executor.known`, constants by name, or `executor.values`, other values by name.

    Raises ValueError for an operation that is not known; it may raise other errors for one that is used in another way.
    """
    operation = OPERATIONS.get(node.kind)
    if operation is None:
        raise ValueError(f"the operation {node.kind} of the graph is not known")
    if len(node.gives) != 1:
        raise ValueError(f"{node.kind} gives more than one value")
    folded = operation.moves and executor.numbers and all(not name or name in executor.known for name in node.takes)
    made = operation.run(executor.numbers if folded else executor, *node.takes, **node.settings)
    if operation.moves:
        executor.moved(made)
    (executor.known if folded or operation.fixed else executor.values)[node.gives[0]] = made


# Operations that only move numbers.


def _flatten(run: Any, data: str, *, axis: int = 1) -> Any:
    return run[data].reshape(prod(run[data].shape[:axis]), -1)


def _pad(run: Any, data: str, pads: str, number: str = "", axes: str = "", *, mode: bytes = b"constant") -> Any:
    if mode != b"constant" or axes:
        raise ValueError(f"Pad of mode {mode!r} or of chosen axes is not known")
    return run.pad(run[data], run.constant(pads).reshape(2, -1).T, run.constant(number).item() if number else 0)


def _reshape(run: Any, data: str, sizes: str, *, allowzero: int = 0) -> Any:
    shape, wanted = run[data].shape, run.constant(sizes).tolist()
    return run[data].reshape([shape[k] if n == 0 and not allowzero else n for k, n in enumerate(wanted)])


def _slice(run: Any, data: str, starts: str, ends: str, axes: str = "", steps: str = "") -> Any:
    begins, stops = run.constant(starts).tolist(), run.constant(ends).tolist()
    along = run.constant(axes).tolist() if axes else range(len(begins))
    by = run.constant(steps).tolist() if steps else [1] * len(begins)
    cut = [slice(None)] * run[data].ndim
    for axis, start, stop, step in zip(along, begins, stops, by, strict=True):
        if step < 1:
            raise ValueError("Slice that runs backwards is not known")
        cut[axis] = slice(start, stop, step)
    return run[data][tuple(cut)]


def _squeeze(run: Any, data: str, axes: str) -> Any:
    return run[data].squeeze(tuple(run.constant(axes).tolist()))


def _unsqueeze(run: Any, data: str, axes: str) -> Any:
    given = run.constant(axes).tolist()
    count = run[data].ndim + len(given)
    new = {axis % count for axis in given}
    return run[data][tuple(None if axis in new else slice(None) for axis in range(count))]


# Others.


def _each(run: Any, *names: str, kind: str) -> Any:
    return run.each(kind, *names)


def _reduce(kind: str) -> Operation:
    def reduce(
        run: Any, data: str, over: str = "", *, axes: Any = (), keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Any:
        along = [axis % run[data].ndim for axis in (run.constant(over).tolist() if over else axes)]
        if not along or 0 in along:
            raise ValueError(f"{kind} over rows is not known")
        return run.reduce(kind, run[data], along, bool(keepdims))

    return Operation(reduce)


def _gemm(
    run: Any, left: str, right: str, bias: str = "", *, alpha: float = 1, beta: float = 1, transA: int = 0,
    transB: int = 0,
) -> Any:  # fmt: skip
    return run.gemm(left, right, bias, alpha, beta, transA, transB)


def _conv(
    run: Any, data: str, weights: str, bias: str = "", *, pads: Any = (0, 0, 0, 0), strides: Any = (1, 1),
    dilations: Any = (1, 1), group: int = 1, auto_pad: bytes = b"NOTSET", kernel_shape: Any = (),
) -> Any:  # fmt: skip
    if auto_pad != b"NOTSET":
        raise ValueError(f"Conv with auto_pad {auto_pad!r} is not known")
    return run.conv(data, weights, bias, pads, strides, dilations, group)


def _argmax(run: Any, data: str, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    if select_last_index:
        raise ValueError("ArgMax with select_last_index is not known")
    return run.argmax(run[data], axis, bool(keepdims))


OPERATIONS = {
    **{kind: Operation(partial(_each, kind=kind)) for kind, formula in FORMULAS.items() if formula.tensor},
    **{kind: _reduce(kind) for kind in ("ReduceSum", "ReduceMax", "ReduceMean")},
    "Gemm": Operation(_gemm),
    "MatMul": Operation(lambda run, left, right: run.matmul(left, right)),
    "Conv": Operation(_conv),
    "Cast": Operation(lambda run, data, *, to, saturate=1: run.cast(data, np.dtype(NUMBERS[to]))),
    "ArgMax": Operation(_argmax),
    "Gather": Operation(lambda run, data, places, *, axis=0: run.gather(data, places, axis), moves=True),
    "GatherElements": Operation(lambda run, data, places, *, axis=0: run.gather_elements(data, places, axis)),
    "Transpose": Operation(lambda run, data, *, perm: run.transpose(run[data], perm), moves=True),
    "Concat": Operation(lambda run, *names, axis: run.concat([run[name] for name in names], axis), moves=True),
    "Flatten": Operation(_flatten, moves=True),
    "Identity": Operation(lambda run, data: run[data], moves=True),
    "Pad": Operation(_pad, moves=True),
    "Reshape": Operation(_reshape, moves=True),
    "Slice": Operation(_slice, moves=True),
    "Squeeze": Operation(_squeeze, moves=True),
    "Unsqueeze": Operation(_unsqueeze, moves=True),
    "Constant": Operation(lambda run, *, value: np.asarray(value), fixed=True),
    "Shape": Operation(lambda run, data, *, start=0, end=None: np.array(run[data].shape[start:end]), fixed=True),
}
