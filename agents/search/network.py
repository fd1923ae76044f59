"""Small networks inside kernels: the ONNX graph of a bot as a program for one row, which program.py runs.

Each value of the graph is an array of *addresses* into one array of numbers, which also holds the weights. Operations
that only move numbers (Gather, Slice, Reshape, Concat, Pad, the windows of a convolution) are done once, by NumPy, on
addresses. The rest is layers, sums over adjacent numbers, and lookups. Layers skip inputs of 0, which are frequent
in observations: weights lie input by input. A part that is multiplied by one number is skipped where that is 0, for
example where each role has a network of its own. A network needs no compilation, and allocates no memory while it
runs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.graph_file import GraphFile, Node, in_order
from sobremesa.agents.search.program import (
    ADD,
    BINARY,
    LARGEST,
    LINEAR,
    MAX,
    MOVE,
    MUL,
    OUTPUT,
    PICK,
    RELU,
    ROW,
    SCATTER,
    SUM,
    UNARY,
    UNLESS,
    WHERE,
)

MOST_NUMBERS = 2**22  # weights and intermediate values of a row; larger networks are faster in batches
MOST_WORDS = 2**24  # most addresses, in a program and during its construction: an unknown graph may require any memory
MOST_NODES = 1_000
_NARROW = 8  # outputs of a layer, below which its rows are computed side by side
_TYPES = {1: "", 11: "", 6: "Trunc", 7: "Trunc", 9: "NonZero"}  # the operation of a cast to each type


class Untakeable(ValueError):
    """A graph that cannot become a program; the message has the reason."""


class Network(NamedTuple):
    """A program and its numbers; they belong to one caller, which writes the inputs there."""

    program: np.ndarray  # (P,) int64
    numbers: np.ndarray  # (M,) float32


def make_network(file: GraphFile, takes: dict[str, int], gives: tuple[str, int]) -> Network:
    """Return the network that gives `gives` of one row of `takes`, one or two values; names and sizes of both.

    Raises Untakeable where the graph is too large or does what is not done here.
    """
    try:
        return _Making(file, takes).network(*gives)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError) as error:
        raise Untakeable(f"{type(error).__name__}: {error}") from None


class _Making:
    """A program under construction. Values by name are constant numbers, or addresses `(1, ...)`."""

    def __init__(self, file: GraphFile, takes: dict[str, int]) -> None:
        if len(file.nodes) > MOST_NODES:
            raise Untakeable(f"more than {MOST_NODES} operations")
        self._nodes = file.nodes
        self._known = dict(file.weights)
        self._parts: list[np.ndarray] = []  # of the numbers
        self._size = self._words = 0
        self._gated: dict[int, int] = {}  # how many numbers are skipped if the number at this address is 0
        self._program: list[np.ndarray] = []
        self._values = {name: self._room(size).reshape(1, size) for name, size in takes.items()}
        self._starts = [int(value[0, 0]) for value in self._values.values()]

    def network(self, name: str, size: int) -> Network:
        wanted, used = {name}, []
        for node in reversed(self._nodes):
            if wanted & set(node.gives):
                wanted |= set(node.takes)
                used.append(node)
        self._do_all(*in_order(used[::-1]))
        output = self._addresses(name)
        if output.size != size:
            raise Untakeable(f"{name} has {output.size} numbers a row, not {size}")
        starts = [*self._starts, 0][:OUTPUT]
        lies = self._in_line(output)
        taken = self._size - sum(self._gated.values()) + max(self._gated.values(), default=0)
        header = np.array([*starts, lies, taken], np.int64)
        return Network(np.concatenate([header, *self._program]), np.concatenate(self._parts))

    def _do_all(self, nodes: list[Node], parts: dict[str, tuple[str, int]]) -> None:
        """Add `nodes`; a part that only feeds a product with one number is skipped where that is 0 (`in_order`)."""
        begins: list[list[int]] = [[] for _ in nodes]  # places of the products whose parts begin here
        for place, node in enumerate(nodes):
            if node.gives[0] in parts:
                begins[place - parts[node.gives[0]][1]].append(place)
        begun: list[tuple[int, int, int]] = []  # open parts: place of the product, its UNLESS, and numbers so far
        for place, node in enumerate(nodes):
            for product in reversed(begins[place]):  # the outer one first
                number = self._values.get(parts[nodes[product].gives[0]][0])
                if number is not None and number.size == 1:
                    begun.append((product, len(self._program), self._size))
                    self._program.append(np.array([UNLESS, 0, 0, number.flat[0], 0, 0, 0], np.int64))
            self._do(node)
            while begun and begun[-1][0] == place:
                _, begin, size = begun.pop()
                made, words = self._values[node.gives[0]], sum(map(len, self._program[begin + 1 :]))
                self._program[begin][[1, 2, 4]] = made.flat[0], made.size, words
                if not begun:  # an inner part counts in the outer one
                    factor = int(self._program[begin][3])
                    self._gated[factor] = self._gated.get(factor, 0) + self._size - size

    def _do(self, node: Node) -> None:
        if len(node.gives) != 1:
            raise Untakeable(f"{node.kind} gives more than one value")
        if node.kind == "Constant":
            self._known[node.gives[0]] = np.asarray(node.settings["value"])
        elif node.kind == "Shape":
            self._known[node.gives[0]] = np.array(self._addresses(node.takes[0]).shape)
        elif node.kind in _MOVES and not self._chosen(node):
            self._move(node)
        else:
            self._values[node.gives[0]] = self._compute(node)

    def _move(self, node: Node) -> None:
        """Apply a `node` that moves numbers to addresses, or to constant numbers."""
        known = all(not name or name in self._known for name in node.takes)
        several = node.kind == "Concat"
        read = self._known.__getitem__ if known else self._addresses
        moved = [read(name) for name in (node.takes if several else node.takes[:1])]
        settings: list[Any] = [self._known[name] if name else None for name in ([] if several else node.takes[1:])]
        if node.kind == "Pad" and not known:
            settings = [settings[0], self._constant(settings[1] if len(settings) > 1 else np.zeros(()))]
        made = _MOVES[node.kind](moved, settings, node.settings)
        self._count(made.size)
        (self._known if known else self._values)[node.gives[0]] = made

    def _compute(self, node: Node) -> np.ndarray:
        """Return the addresses of the output of `node`."""
        if node.kind in ("Gemm", "MatMul"):
            return self._layer(node)
        if node.kind == "Conv":
            return self._convolve(node)
        if node.kind in ("ReduceSum", "ReduceMax", "ReduceMean"):
            return self._reduce(node)
        if node.kind in ("ArgMax", "Gather", "GatherElements"):
            return self._look_up(node)
        if node.kind == "Where" or node.kind in BINARY:
            shape = np.broadcast_shapes(*(self._shape(name) for name in node.takes))
            operands = [self._spread(name, shape) for name in node.takes]
            what = WHERE if node.kind == "Where" else ADD + BINARY.index(node.kind)
            return self._emit(what, int(np.prod(shape)), *operands).reshape(shape)
        kind = _TYPES[node.settings["to"]] if node.kind == "Cast" else node.kind
        value = self._addresses(node.takes[0])
        return value if not kind else self._one_by_one(RELU + UNARY.index(kind), value)

    def _chosen(self, node: Node) -> bool:
        """Return whether `node` looks up a row of constant numbers by a computed index."""
        return node.kind == "Gather" and node.takes[0] in self._known and node.takes[1] not in self._known

    def _look_up(self, node: Node) -> np.ndarray:
        """Return the addresses of a lookup by computed indices, or by an argmax."""
        axis = node.settings.get("axis", 0)
        if node.kind == "ArgMax":
            value = self._addresses(node.takes[0])
            if len(value) != 1 or value.ndim != 2 or axis % 2 != 1 or node.settings.get("select_last_index", 0):
                raise Untakeable("ArgMax of this form")
            made = self._emit(LARGEST, 1, self._in_line(value), value.size)
            return made.reshape((1, 1) if node.settings.get("keepdims", 1) else (1,))
        places = self._addresses(node.takes[1])
        if node.kind == "Gather":
            table = self._known[node.takes[0]]
            if table.ndim != 2 or axis != 0 or places.shape != (1,):
                raise Untakeable("Gather of this form")
            lies = int(self._constant(table).flat[0])
            return self._emit(ROW, table.shape[1], lies, int(places[0]), len(table)).reshape(1, -1)
        value = self._addresses(node.takes[0])
        if {len(value), len(places)} != {1} or value.ndim != 2 or places.ndim != 2 or axis % 2 != 1:
            raise Untakeable("GatherElements of this form")
        made = self._emit(PICK, places.size, self._in_line(value), self._in_line(places), value.size)
        return made.reshape(places.shape)

    def _one_by_one(self, what: int, value: np.ndarray) -> np.ndarray:
        return self._emit(what, value.size, self._in_line(value)).reshape(value.shape)

    def _layer(self, node: Node) -> np.ndarray:
        value, weights = self._addresses(node.takes[0]), self._known[node.takes[1]].astype(np.float32)
        if node.settings.get("transA", 0) or weights.ndim != 2:
            raise Untakeable(f"{node.kind} of this form")
        weights = weights * np.float32(node.settings.get("alpha", 1))
        weights = weights.T if node.settings.get("transB", 0) else weights
        bias = np.zeros(weights.shape[1], np.float32)
        if len(node.takes) > 2:
            bias += (self._known[node.takes[2]] * np.float32(node.settings.get("beta", 1))).reshape(-1)
        made = self._linear(value.reshape(-1, value.shape[-1]), weights, bias)
        return made.reshape(*value.shape[:-1], -1)

    def _convolve(self, node: Node) -> np.ndarray:
        """Write a convolution over a grid as a layer with a row for each window."""
        value, weights = self._addresses(node.takes[0]), self._known[node.takes[1]].astype(np.float32)
        settings, outputs = node.settings, len(weights)
        plain = settings.get("group", 1) == 1 and settings.get("auto_pad", b"NOTSET") == b"NOTSET"
        if not plain or weights.ndim != 4 or set(settings.get("dilations", [1])) != {1}:
            raise Untakeable("Conv of this form")
        top, left, bottom, right = settings.get("pads", [0] * 4)
        _fits(value.shape[2] + top + bottom, value.shape[3] + left + right, max(value.shape[1], weights[0].size))
        zero = int(self._constant(np.zeros(()))[()])
        edged = np.pad(value, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=zero)
        windows = np.lib.stride_tricks.sliding_window_view(edged, weights.shape[2:], (2, 3))  # type: ignore[call-overload]
        down, across = settings.get("strides", [1, 1])
        windows = windows[0, :, ::down, ::across].transpose(1, 2, 0, 3, 4)  # rows, columns, planes, window
        # From right to left, so that the weights of an input for adjacent windows are adjacent, too.
        windows, weights = windows[..., ::-1], weights[..., ::-1]
        bias = self._known[node.takes[2]] if len(node.takes) > 2 else np.zeros(outputs)
        table = windows.reshape(windows.shape[0] * windows.shape[1], -1)
        made = self._linear(table, weights.reshape(outputs, -1).T, bias)
        return made.reshape(1, *windows.shape[:2], outputs).transpose(0, 3, 1, 2)

    def _linear(self, inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Return addresses `(r, o)` of `inputs` `(r, i)` times `weights` `(i, o)` plus `bias` `(o,)`."""
        (rows, wide), (taken, width) = inputs.shape, weights.shape
        if wide != taken or bias.shape != (width,):
            raise Untakeable(f"a layer of {taken} inputs is given {wide}")
        if width < _NARROW < rows:
            return self._columns(inputs, weights, bias)
        operands = [int(self._constant(part).flat[0]) for part in (weights, bias)]
        places, counts = np.unique(inputs, return_counts=True)
        if 2 * len(places) > inputs.size:
            return self._emit(LINEAR, rows * width, *operands, width, table=inputs).reshape(rows, width)
        # Rows share inputs: each is read once and added to all its rows, adjacent ones in one pass.
        row, place = np.divmod(np.argsort(inputs.reshape(-1), kind="stable"), wide)
        whose = np.repeat(np.arange(len(places)), counts)
        begins = np.flatnonzero((np.diff(whose, prepend=-1) != 0) | (np.diff(row, prepend=-2) != 1)
                                | (np.diff(place, prepend=-2) != 1))  # fmt: skip
        lengths = np.diff(begins, append=len(row))
        uses = width * np.stack([row[begins], place[begins], lengths], 1).reshape(-1)
        ends = np.cumsum(np.bincount(whose[begins], minlength=len(places)))
        table = np.concatenate([[len(places)], places, [0], ends, uses])
        return self._emit(SCATTER, rows * width, *operands, width, table=table).reshape(rows, width)

    def _columns(self, inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Do as `_linear`, one output after another for all rows, with the roles of inputs and weights swapped."""
        rows, given, factors = len(inputs), self._in_line(inputs.T), self._constant(weights)
        made = []
        for output, number in enumerate(bias):
            begin = int(self._constant(np.full(rows, number))[0])
            made.append(self._emit(LINEAR, rows, given, begin, rows, table=factors[:, output]))
        return np.stack(made, 1)

    def _reduce(self, node: Node) -> np.ndarray:
        value, settings = self._addresses(node.takes[0]), node.settings
        axes = self._known[node.takes[1]].tolist() if len(node.takes) > 1 else settings["axes"]
        axes = [axis % value.ndim for axis in axes]
        if not axes or 0 in axes:
            raise Untakeable(f"{node.kind} over rows")
        kept = [axis for axis in range(value.ndim) if axis not in axes]
        table = value.transpose([*axes, *kept]).reshape(-1, int(np.prod([value.shape[axis] for axis in kept])))
        what = MAX if node.kind == "ReduceMax" else SUM
        made = self._emit(what, table.shape[1], self._in_line(table), len(table))
        if node.kind == "ReduceMean":
            share = self._constant(np.full(len(made), 1 / len(table)))
            made = self._emit(MUL, len(made), int(made[0]), int(share[0]))
        keeps = settings.get("keepdims", 1)
        return made.reshape([1 if axis in axes else n for axis, n in enumerate(value.shape) if keeps or axis in kept])

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self._known[name] if name in self._known else self._values[name]).shape

    def _spread(self, name: str, shape: tuple[int, ...]) -> int:
        """Return where the value of `name` begins, broadcast to `shape`."""
        _fits(*shape)
        if name in self._known:
            return int(self._constant(np.broadcast_to(self._known[name], shape)).flat[0])
        return self._in_line(np.broadcast_to(self._values[name], shape))

    def _addresses(self, name: str) -> np.ndarray:
        """Return the addresses of a value; a constant is stored first."""
        if name not in self._values:
            self._values[name] = self._constant(self._known[name])
        return self._values[name]

    def _in_line(self, addresses: np.ndarray) -> int:
        """Return the begin of the numbers at `addresses` in one run, moved if necessary."""
        flat = addresses.reshape(-1)
        breaks = np.flatnonzero(np.diff(flat) != 1) + 1
        if not len(breaks):
            return int(flat[0])
        run = int(np.gcd.reduce(np.append(breaks, len(flat))))  # length of the runs
        return int(self._emit(MOVE, len(flat), run, table=flat[::run])[0])

    def _constant(self, numbers: np.ndarray) -> np.ndarray:
        """Return addresses that hold `numbers`, of the same shape."""
        return self._room(numbers.size, np.asarray(numbers, np.float32)).reshape(numbers.shape)

    def _room(self, size: int, numbers: np.ndarray | None = None) -> np.ndarray:
        if not 0 < size <= MOST_NUMBERS - self._size:
            raise Untakeable(f"more than {MOST_NUMBERS} numbers")
        self._parts.append(np.zeros(size, np.float32) if numbers is None else numbers.reshape(-1))
        self._size += size
        return np.arange(self._size - size, self._size)

    def _emit(self, what: int, count: int, *operands: int, table: np.ndarray | None = None) -> np.ndarray:
        """Add an instruction; return the addresses `(count,)` of its result."""
        made = self._room(count)
        words = np.zeros(0, np.int64) if table is None else table.reshape(-1)
        self._count(len(words))
        three = [*operands, 0, 0, 0][:3]
        self._program.append(np.array([what, made[0], count, *three, len(words)], np.int64))
        self._program.append(words.astype(np.int64))
        return made

    def _count(self, words: int) -> None:
        self._words += words
        if self._words > MOST_WORDS:
            raise Untakeable(f"more than {MOST_WORDS} addresses")


def _fits(*sizes: float) -> None:
    """Raise Untakeable if an array of these sizes is too large."""
    if np.prod(sizes, dtype=float) > MOST_NUMBERS:
        raise Untakeable(f"more than {MOST_NUMBERS} numbers")


# Operations that only move numbers: (arrays, further inputs, settings) -> array.


def _gather(arrays: Any, inputs: Any, settings: Any) -> Any:
    axis = settings.get("axis", 0) % arrays[0].ndim
    _fits(arrays[0].size // arrays[0].shape[axis], inputs[0].size)
    return np.take(arrays[0], inputs[0], axis)


def _join(arrays: Any, inputs: Any, settings: Any) -> Any:
    _fits(sum(array.size for array in arrays))
    return np.concatenate(arrays, settings["axis"])


def _cut(arrays: Any, inputs: Any, settings: Any) -> Any:
    starts, ends, axes, steps = [*inputs, None, None][:4]
    axes = range(len(starts)) if axes is None else axes
    found = [slice(None)] * arrays[0].ndim
    for place, axis in enumerate(axes):
        found[axis] = slice(int(starts[place]), int(ends[place]), 1 if steps is None else int(steps[place]))
        if found[axis].step < 1:
            raise Untakeable("Slice that runs backwards")
    return arrays[0][tuple(found)]


def _reshape(arrays: Any, inputs: Any, settings: Any) -> Any:
    copied = not settings.get("allowzero", 0)
    return arrays[0].reshape([arrays[0].shape[k] if n == 0 and copied else n for k, n in enumerate(inputs[0].tolist())])


def _flatten(arrays: Any, inputs: Any, settings: Any) -> Any:
    return arrays[0].reshape(int(np.prod(arrays[0].shape[: settings.get("axis", 1)])), -1)


def _pad(arrays: Any, inputs: Any, settings: Any) -> Any:
    if settings.get("mode", b"constant") != b"constant" or inputs[0].min() < 0 or inputs[0].max() > MOST_NUMBERS:
        raise Untakeable("Pad of this form")
    by_axis = inputs[0].reshape(2, -1).T
    _fits(*(float(n + part.sum()) for n, part in zip(arrays[0].shape, by_axis, strict=True)))
    return np.pad(arrays[0], by_axis, constant_values=inputs[1].item() if len(inputs) > 1 else 0)


_MOVES: dict[str, Callable[[Any, Any, Any], np.ndarray]] = {
    "Identity": lambda arrays, inputs, settings: arrays[0],
    "Concat": _join,
    "Flatten": _flatten,
    "Gather": _gather,
    "Pad": _pad,
    "Reshape": _reshape,
    "Slice": _cut,
    "Squeeze": lambda arrays, inputs, settings: arrays[0].squeeze(tuple(inputs[0])),
    "Transpose": lambda arrays, inputs, settings: arrays[0].transpose(settings["perm"]),
    "Unsqueeze": lambda arrays, inputs, settings: np.expand_dims(arrays[0], tuple(inputs[0])),
}
