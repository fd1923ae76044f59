"""Small networks inside kernels: the ONNX graph of a bot as a program for one row, which program.py runs.

Each value of the graph is an array of *addresses* into one array of numbers, which also has the weights. Operations
that only move numbers (Gather, Slice, Reshape, Concat, Pad, the windows of a convolution) are done once, by NumPy, on
addresses. The rest is layers, sums over adjacent numbers, and lookups. Layers skip inputs of 0, which are frequent
in observations: weights are input by input. A part that is multiplied by one number is skipped where that is 0, for
example where each role has its own network. A network needs no compilation, and allocates no memory while it
runs.
"""

from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.networks import program as p
from sobremesa.agents.networks.onnx_file import GraphFile, Node, leading_to
from sobremesa.agents.networks.operations import TRUNCATED, TRUTH, evaluate

MOST_NUMBERS = 2**22  # weights and intermediate values of a row; larger networks are faster in batches
MOST_WORDS = 2**24  # most addresses, in a program and during its construction: an unknown graph may require any memory
MOST_NODES = 1_000
_NARROW = 8  # outputs of a layer, below which its rows are computed side by side


class UnsupportedGraph(ValueError):
    """A graph that cannot become a program; the message has the reason."""


class Network(NamedTuple):
    """A program and its numbers; they belong to one caller, which writes the inputs there."""

    program: np.ndarray  # (P,) int64
    numbers: np.ndarray  # (M,) float32


def make_network(file: GraphFile, takes: dict[str, int], gives: tuple[str, int]) -> Network:
    """Return the network that gives `gives` of one row of `takes`, one or two values; names and sizes of both.

    Raises UnsupportedGraph where the graph is too large or does what is not done here.
    """
    try:
        return _Compilation(file, takes).network(*gives)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError) as error:
        raise UnsupportedGraph(f"{type(error).__name__}: {error}") from None


class _Numbers:
    """Constant numbers: moves of them are done once."""

    def __init__(self, known: dict[str, np.ndarray]) -> None:
        self.known = known

    def __getitem__(self, name: str) -> np.ndarray:
        return self.known[name]

    def constant(self, name: str) -> np.ndarray:
        return self.known[name]

    def gather(self, data: str, places: str, axis: int) -> np.ndarray:
        value, at = self[data], self.known[places]
        _fits(value.size // value.shape[axis], at.size)
        return np.asarray(np.take(value, at, axis))

    def transpose(self, value: np.ndarray, perm: list[int]) -> np.ndarray:
        return value.transpose(perm)

    def concat(self, values: list[np.ndarray], axis: int) -> np.ndarray:
        _fits(sum(value.size for value in values))
        return np.concatenate(values, axis)

    def pad(self, value: np.ndarray, widths: np.ndarray, number: float) -> np.ndarray:
        if widths.min() < 0 or widths.max() > MOST_NUMBERS:
            raise UnsupportedGraph("Pad of this form")
        _fits(*(float(n + part.sum()) for n, part in zip(value.shape, widths, strict=True)))
        return np.pad(value, widths, constant_values=number)


class _Compilation(_Numbers):
    """A program under construction. Values by name are constant numbers, or addresses `(1, ...)`."""

    def __init__(self, file: GraphFile, takes: dict[str, int]) -> None:
        if len(file.nodes) > MOST_NODES:
            raise UnsupportedGraph(f"more than {MOST_NODES} operations")
        super().__init__(dict(file.weights))
        self.numbers = _Numbers(self.known)
        self._nodes = file.nodes
        self._parts: list[np.ndarray] = []  # of the numbers
        self._size = self._words = 0
        self._gated: dict[int, int] = {}  # how many numbers are skipped if the number at this address is 0
        self._program: list[np.ndarray] = []
        self.values = {name: self._room(size).reshape(1, size) for name, size in takes.items()}
        self._starts = [int(value[0, 0]) for value in self.values.values()]

    def network(self, name: str, size: int) -> Network:
        self._add_nodes(*in_order(leading_to(self._nodes, name)))
        output = self[name]
        if output.size != size:
            raise UnsupportedGraph(f"{name} has {output.size} numbers a row, not {size}")
        starts = [*self._starts, 0][: p.OUTPUT]
        lies = self._in_line(output)
        taken = self._size - sum(self._gated.values()) + max(self._gated.values(), default=0)
        header = np.array([*starts, lies, taken], np.int64)
        return Network(np.concatenate([header, *self._program]), np.concatenate(self._parts))

    def _add_nodes(self, nodes: list[Node], parts: dict[str, tuple[str, int]]) -> None:
        """Add `nodes`; a part that only feeds a product with one number is skipped where that is 0 (`in_order`)."""
        begins: list[list[int]] = [[] for _ in nodes]  # places of the products whose parts begin here
        for place, node in enumerate(nodes):
            if node.gives[0] in parts:
                begins[place - parts[node.gives[0]][1]].append(place)
        begun: list[tuple[int, int, int]] = []  # open parts: place of the product, its p.UNLESS, and numbers so far
        for place, node in enumerate(nodes):
            for product in reversed(begins[place]):  # the outer one first
                number = self.values.get(parts[nodes[product].gives[0]][0])
                if number is not None and number.size == 1:
                    begun.append((product, len(self._program), self._size))
                    self._program.append(np.array([p.UNLESS, 0, 0, number.flat[0], 0, 0, 0], np.int64))
            evaluate(self, node)
            while begun and begun[-1][0] == place:
                _, begin, size = begun.pop()
                made, words = self.values[node.gives[0]], sum(map(len, self._program[begin + 1 :]))
                self._program[begin][[1, 2, 4]] = made.flat[0], made.size, words
                if not begun:  # an inner part counts in the outer one
                    factor = int(self._program[begin][3])
                    self._gated[factor] = self._gated.get(factor, 0) + self._size - size

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the addresses of a value; a constant is stored first."""
        if name not in self.values:
            self.values[name] = self._constant(self.known[name])
        return self.values[name]

    def each(self, kind: str, *names: str) -> np.ndarray:
        shape = np.broadcast_shapes(*(self._shape(name) for name in names))
        operands = [self._spread(name, shape) for name in names]
        return self._emit(p.CODES[kind], int(np.prod(shape)), *operands).reshape(shape)

    def cast(self, data: str, kind: np.dtype[Any]) -> np.ndarray:
        return self[data] if kind.kind == "f" else self.each(TRUTH if kind.kind == "b" else TRUNCATED, data)

    def pad(self, value: np.ndarray, widths: np.ndarray, number: float) -> np.ndarray:
        return super().pad(value, widths, int(self._constant(np.asarray(number))[()]))

    def argmax(self, value: np.ndarray, axis: int, keepdims: bool) -> np.ndarray:
        _require_row(value, axis)
        made = self._emit(p.LARGEST, 1, self._in_line(value), value.size)
        return made.reshape((1, 1) if keepdims else (1,))

    def gather(self, data: str, places: str, axis: int) -> np.ndarray:
        """Return the addresses of the numbers at constant indices, or of a row of constants at a computed one."""
        if places in self.known:
            return super().gather(data, places, axis)
        table, at = self.known[data], self[places]
        if table.ndim != 2 or axis != 0 or at.shape != (1,):
            raise UnsupportedGraph("Gather of this form")
        lies = int(self._constant(table).flat[0])
        return self._emit(p.ROW, table.shape[1], lies, int(at[0]), len(table)).reshape(1, -1)

    def gather_elements(self, data: str, places: str, axis: int) -> np.ndarray:
        at, value = self[places], self[data]
        _require_row(value, axis)
        _require_row(at, axis)
        made = self._emit(p.PICK, at.size, self._in_line(value), self._in_line(at), value.size)
        return made.reshape(at.shape)

    def matmul(self, left: str, right: str) -> np.ndarray:
        return self.gemm(left, right, "", 1, 1, 0, 0)

    def gemm(
        self, left: str, right: str, bias: str, alpha: float, beta: float, left_turned: int, right_turned: int
    ) -> np.ndarray:
        value, weights = self[left], self.known[right].astype(np.float32)
        if left_turned or weights.ndim != 2:
            raise UnsupportedGraph("a layer of this form")
        weights = weights * np.float32(alpha)
        weights = weights.T if right_turned else weights
        begin = np.zeros(weights.shape[1], np.float32)
        if bias:
            begin += (self.known[bias] * np.float32(beta)).reshape(-1)
        made = self._linear(value.reshape(-1, value.shape[-1]), weights, begin)
        return made.reshape(*value.shape[:-1], -1)

    def conv(
        self, data: str, weights: str, bias: str, pads: list[int], strides: Any, dilations: Any, group: int
    ) -> np.ndarray:
        """Write a convolution over a grid as a layer with a row for each window."""
        value, factors = self[data], self.known[weights].astype(np.float32)
        if group != 1 or factors.ndim != 4 or set(dilations) != {1}:
            raise UnsupportedGraph("Conv of this form")
        (top, left, bottom, right), outputs = pads, len(factors)
        _fits(value.shape[2] + top + bottom, value.shape[3] + left + right, max(value.shape[1], factors[0].size))
        zero = int(self._constant(np.zeros(()))[()])
        edged = np.pad(value, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=zero)
        windows = np.lib.stride_tricks.sliding_window_view(edged, factors.shape[2:], (2, 3))  # type: ignore[call-overload]
        down, across = strides
        windows = windows[0, :, ::down, ::across].transpose(1, 2, 0, 3, 4)  # rows, columns, planes, window
        # From right to left, so that the weights of an input for adjacent windows are adjacent, too.
        windows, factors = windows[..., ::-1], factors[..., ::-1]
        begin = self.known[bias] if bias else np.zeros(outputs)
        table = windows.reshape(windows.shape[0] * windows.shape[1], -1)
        made = self._linear(table, factors.reshape(outputs, -1).T, begin)
        return made.reshape(1, *windows.shape[:2], outputs).transpose(0, 3, 1, 2)

    def _linear(self, inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Return addresses `(r, o)` of `inputs` `(r, i)` times `weights` `(i, o)` plus `bias` `(o,)`."""
        (rows, wide), (taken, width) = inputs.shape, weights.shape
        if wide != taken or bias.shape != (width,):
            raise UnsupportedGraph(f"a layer of {taken} inputs is given {wide}")
        if width < _NARROW < rows:
            return self._columns(inputs, weights, bias)
        operands = [int(self._constant(part).flat[0]) for part in (weights, bias)]
        places, counts = np.unique(inputs, return_counts=True)
        if 2 * len(places) > inputs.size:
            return self._emit(p.LINEAR, rows * width, *operands, width, table=inputs).reshape(rows, width)
        # Rows share inputs: each is read once and added to all its rows, adjacent ones in one pass.
        row, place = np.divmod(np.argsort(inputs.reshape(-1), kind="stable"), wide)
        whose = np.repeat(np.arange(len(places)), counts)
        begins = np.flatnonzero((np.diff(whose, prepend=-1) != 0) | (np.diff(row, prepend=-2) != 1)
                                | (np.diff(place, prepend=-2) != 1))  # fmt: skip
        lengths = np.diff(begins, append=len(row))
        uses = width * np.stack([row[begins], place[begins], lengths], 1).reshape(-1)
        ends = np.cumsum(np.bincount(whose[begins], minlength=len(places)))
        table = np.concatenate([[len(places)], places, [0], ends, uses])
        return self._emit(p.SCATTER, rows * width, *operands, width, table=table).reshape(rows, width)

    def _columns(self, inputs: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Do as `_linear`, one output after another for all rows, with the roles of inputs and weights swapped."""
        rows, given, factors = len(inputs), self._in_line(inputs.T), self._constant(weights)
        made = []
        for output, number in enumerate(bias):
            begin = int(self._constant(np.full(rows, number))[0])
            made.append(self._emit(p.LINEAR, rows, given, begin, rows, table=factors[:, output]))
        return np.stack(made, 1)

    def reduce(self, kind: str, value: np.ndarray, axes: list[int], keepdims: bool) -> np.ndarray:
        kept = [axis for axis in range(value.ndim) if axis not in axes]
        table = value.transpose([*axes, *kept]).reshape(-1, int(np.prod([value.shape[axis] for axis in kept])))
        made = self._emit(p.MAX if kind == "ReduceMax" else p.SUM, table.shape[1], self._in_line(table), len(table))
        if kind == "ReduceMean":
            share = self._constant(np.full(len(made), 1 / len(table)))
            made = self._emit(p.CODES["Mul"], len(made), int(made[0]), int(share[0]))
        sizes = enumerate(value.shape)
        return made.reshape([1 if axis in axes else n for axis, n in sizes if keepdims or axis in kept])

    def _shape(self, name: str) -> tuple[int, ...]:
        return (self.known[name] if name in self.known else self.values[name]).shape

    def _spread(self, name: str, shape: tuple[int, ...]) -> int:
        """Return where the value of `name` begins, broadcast to `shape`."""
        _fits(*shape)
        if name in self.known:
            return int(self._constant(np.broadcast_to(self.known[name], shape)).flat[0])
        return self._in_line(np.broadcast_to(self.values[name], shape))

    def _in_line(self, addresses: np.ndarray) -> int:
        """Return the begin of the numbers at `addresses` in one run, moved if necessary."""
        flat = addresses.reshape(-1)
        breaks = np.flatnonzero(np.diff(flat) != 1) + 1
        if not len(breaks):
            return int(flat[0])
        run = int(np.gcd.reduce(np.append(breaks, len(flat))))  # length of the runs
        return int(self._emit(p.MOVE, len(flat), run, table=flat[::run])[0])

    def _constant(self, numbers: np.ndarray) -> np.ndarray:
        """Return addresses that contain `numbers`, of the same shape."""
        return self._room(numbers.size, np.asarray(numbers, np.float32)).reshape(numbers.shape)

    def _room(self, size: int, numbers: np.ndarray | None = None) -> np.ndarray:
        if not 0 < size <= MOST_NUMBERS - self._size:
            raise UnsupportedGraph(f"more than {MOST_NUMBERS} numbers")
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

    def moved(self, made: np.ndarray) -> None:
        """Count the addresses of a result that only moves numbers."""
        self._count(made.size)

    def _count(self, words: int) -> None:
        self._words += words
        if self._words > MOST_WORDS:
            raise UnsupportedGraph(f"more than {MOST_WORDS} addresses")


def _fits(*sizes: float) -> None:
    """Raise UnsupportedGraph if an array of these sizes is too large."""
    if np.prod(sizes, dtype=float) > MOST_NUMBERS:
        raise UnsupportedGraph(f"more than {MOST_NUMBERS} numbers")


def _require_row(value: np.ndarray, axis: int) -> None:
    """Raise UnsupportedGraph unless `value` is `(1, n)` and `axis` its last one."""
    if value.ndim != 2 or len(value) != 1 or axis % 2 != 1:
        raise UnsupportedGraph("a lookup of this form")


def in_order(nodes: list[Node]) -> tuple[list[Node], dict[str, tuple[str, int]]]:
    """Return `nodes` in another order: nodes that only feed one factor of a product are right before the product.

    The second result names these products, each with the name of its other factor and the number of its nodes. These
    groups are nested or disjoint, and all their inputs are before them.
    """
    askers: dict[str, set[str]] = {}  # consumers of each value, by their outputs
    for node in nodes:
        for name in node.takes:
            askers.setdefault(name, set()).add(node.gives[0])
    order: list[Node] = list(nodes)
    parts: dict[str, tuple[str, int]] = {}
    for product in (node for node in reversed(nodes) if node.kind == "Mul"):
        own, factor = _asked_for_by(product, nodes, askers)
        if own:
            parts[product.gives[0]] = (factor, len(own))
            part = [node for node in order if node.gives[0] in own]
            rest = [node for node in order if node.gives[0] not in own]
            at = [node.gives[0] for node in rest].index(product.gives[0])
            order = [*rest[:at], *part, *rest[at:]]
    return order, parts


def _asked_for_by(product: Node, nodes: list[Node], askers: dict[str, set[str]]) -> tuple[set[str], str]:
    """Return the `nodes` that only feed one factor of `product`, the factor with more of them, and the other factor."""
    found: list[tuple[set[str], str]] = [(set(), "")]
    for name, other in (product.takes, product.takes[::-1]):
        own: set[str] = set()
        for node in reversed(nodes):
            asked_by = askers.get(node.gives[0], set())
            if asked_by and (asked_by <= own or (node.gives[0] == name and asked_by == {product.gives[0]})):
                own.add(node.gives[0])
        found.append((own, other))
    return max(found, key=lambda pair: len(pair[0]))
