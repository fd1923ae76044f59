"""Kernels for pointers.py: embeddings and scores of rows, without absent rows and illegal actions.

They compute the same as pointers.py in PyTorch, one row at a time, with gradients written by hand. Letters: `n` views,
`r` rows of a block, `f` numbers in a row, `W` size of the embedding, `s` scores of a row, `A` actions, `D` numbers in
an observation.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.threads import SMALLEST_SLICE, run
from sobremesa.training.networks.byte_rows import Rows
from sobremesa.training.networks.views import Lines, Views, starts_of

PIECE = 128  # views in a partial sum of gradients, so that sums do not depend on the number of threads
POOL_SHARE = 0.125  # factor of the sum of rows


class Place(NamedTuple):
    """A block: its place in the observation and the actions of its rows."""

    start: int  # of the block in the observation
    rows: int
    width: int  # f
    about: np.ndarray  # (runs, 2) int64: the first action, and the number of actions of a row

    def lines(self, views: Rows) -> Lines:
        """List the distinct rows of each of `views` with their counts, without absent rows."""
        block = views.part(None, self.start, self.rows * self.width).numpy()
        counts, room = np.zeros(len(block), np.int64), (len(block), self.rows)
        which, often = np.zeros(room, np.int32), np.zeros(room, np.float32)
        count_distinct(block, self.width, counts, which, often)
        found, there = Lines(starts_of(counts), self.rows), np.arange(self.rows) < counts[:, None]
        found.places[:], found.values[:] = which[there], often[there]
        return found

    def block(self, views: Views) -> torch.Tensor:
        """Return the block of `views`, `(n, r * f)`."""
        return views.columns(self.start, self.rows * self.width)


def pooled(views: Views, place: Place, weight: torch.Tensor, bias: torch.Tensor) -> Any:
    """Return POOL_SHARE of the sum, and the maximum, of the embedded rows, `(n, 2 W)`."""
    return _Pooled.apply(weight, bias, views, place)  # type: ignore[no-untyped-call]


def scored(
    views: Views,
    place: Place,
    weight: torch.Tensor,
    looked: torch.Tensor,
    score_weight: torch.Tensor,
    score_bias: torch.Tensor,
    logits: torch.Tensor,
) -> Any:
    """Return `logits` `(n, A)` plus the scores of rows: `score_weight` `(s, W)` of relu(`weight` row + `looked`).

    looked: (n, W), the context's part, with the bias of the embedding.
    """
    return _Scored.apply(weight, looked, score_weight, score_bias, logits, views, place)  # type: ignore[no-untyped-call]


class _Pooled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Any, bias: Any, views: Views, place: Place) -> Any:
        table, width = weight.t().contiguous(), len(bias)
        out = torch.zeros(len(views), 2 * width)
        largest = np.full((len(views), width), -1, np.int32)
        lines = views.listed(place[:3], place.lines)
        found = lines.starts, lines.places, lines.values
        seen = (_array(place.block(views)), *found, place.width, _array(table), _array(bias))
        run(pool_rows, len(views), torch.get_num_threads(), *seen, out.numpy(), largest)
        ctx.seen, ctx.largest, ctx.shape = seen, largest, (place.width + 1, width)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        sums = _sums(len(gradient), *ctx.shape)
        _in_pieces(unpool_rows, *ctx.seen, _array(gradient.contiguous()), ctx.largest, sums)
        total = torch.from_numpy(sums.sum(0))
        return total[:-1].t(), total[-1], None, None


class _Scored(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, weight: Any, looked: Any, score_weight: Any, score_bias: Any, logits: Any, views: Views, place: Place
    ) -> Any:
        out = logits.clone(memory_format=torch.contiguous_format)
        legal = np.ones(out.shape, np.uint8) if views.legal is None else views.legal.numpy().view(np.uint8)
        weights = _array(weight.t().contiguous()), _array(looked.contiguous()), _array(score_weight.contiguous())
        seen = (_array(place.block(views)), place.rows, place.width, place.about, *weights)
        arguments = (*seen, _array(score_bias), legal, _array(out))
        run(score_rows, len(views), torch.get_num_threads(), *arguments)
        ctx.seen = seen
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        gradient = gradient.contiguous()
        features, (scores, width) = ctx.seen[2], ctx.seen[6].shape
        looked = torch.zeros(len(gradient), width)
        sums, score_sums = _sums(len(gradient), features, width), _sums(len(gradient), scores, width + 1)
        _in_pieces(unscore_rows, *ctx.seen, _array(gradient), looked.numpy(), sums, score_sums)
        score_total = torch.from_numpy(score_sums.sum(0))
        weight = torch.from_numpy(sums.sum(0)).t()
        return weight, looked, score_total[:, :-1], score_total[:, -1], gradient, None, None


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def _sums(views: int, *shape: int) -> np.ndarray:
    return np.zeros((-(-views // PIECE), *shape), np.float32)


def _in_pieces(work: Any, *arguments: Any) -> None:
    """Run `work` on pieces of PIECE views; the last of `arguments` has a row for each piece."""
    run(work, len(arguments[-1]) * SMALLEST_SLICE, torch.get_num_threads(), *arguments)


@kernel
def _embed(numbers, table, base, out):
    """Write `base (W,)` and a row's embedding, its `numbers (f,)` times `table (f, W)`, into `out (W,)`."""
    for k in range(out.shape[0]):
        out[k] = base[k]
    for j in range(numbers.shape[0]):
        x = numbers[j]
        if x != 0:
            line = table[j]
            for k in range(out.shape[0]):
                out[k] += x * line[k]


@kernel
def _add(numbers, total):
    for k in range(numbers.shape[0]):
        total[k] += numbers[k]


@kernel
def count_distinct(block, width, counts, which, often):
    """Write the number of distinct nonzero rows of `width` numbers in each line of `block (n, r * width)`.

    `which (n, r)` gets the first row of each, `often (n, r)` its count.
    """
    for i in range(block.shape[0]):
        line, count = block[i], 0
        for row in range(which.shape[1]):
            at, there = row * width, False
            for j in range(width):
                there |= line[at + j] != 0
            if not there:
                continue
            same = count
            for known in range(count):
                first, equal = which[i, known] * width, True
                for j in range(width):
                    if line[at + j] != line[first + j]:
                        equal = False
                        break
                if equal:
                    same = known
                    break
            if same == count:
                which[i, count] = row
                count += 1
            often[i, same] += 1
        counts[i] = count


@kernel
def pool_rows(block, starts, rows, often, width, table, bias, out, largest, low, high):
    """Write the result of `pooled` for views `low` to `high`, and the row of each maximum, -1 for none."""
    embedded, size = np.empty_like(bias), bias.shape[0]
    for i in range(low, high):
        total, most, whose = out[i, :size], out[i, size:], largest[i]
        for line in range(starts[i], starts[i + 1]):
            at = rows[line] * width
            _embed(block[i, at : at + width], table, bias, embedded)
            for k in range(size):
                number = max(embedded[k], np.float32(0))
                total[k] += often[line] * number
                whose[k] = rows[line] if number > most[k] else whose[k]
                most[k] = max(number, most[k])
        for k in range(size):
            total[k] *= np.float32(POOL_SHARE)


@kernel
def unpool_rows(block, starts, rows, often, width, table, bias, gradient, largest, sums, low, high):
    """Add the gradients of `table`, and of `bias` in the last row, to `sums (pieces, f + 1, W)`."""
    embedded, back, size = np.empty_like(bias), np.empty_like(bias), bias.shape[0]
    for piece in range(-(-low // SMALLEST_SLICE), -(-high // SMALLEST_SLICE)):
        for i in range(piece * PIECE, min(block.shape[0], (piece + 1) * PIECE)):
            share, top, whose = gradient[i, :size], gradient[i, size:], largest[i]
            for line in range(starts[i], starts[i + 1]):
                at = rows[line] * width
                _embed(block[i, at : at + width], table, bias, embedded)
                weight = often[line] * np.float32(POOL_SHARE)
                for k in range(size):
                    pull = weight * share[k] + (top[k] if whose[k] == rows[line] else np.float32(0))
                    back[k] = pull if embedded[k] > 0 else np.float32(0)
                _spread(block[i, at : at + width], back, sums[piece])
                _add(back, sums[piece, width])


@kernel
def _spread(numbers, back, total):
    """Add the gradient of an embedding's weights, each number of a row times `back (W,)`, to `total (f.., W)`."""
    for j in range(numbers.shape[0]):
        x = numbers[j]
        if x != 0:
            line = total[j]
            for k in range(back.shape[0]):
                line[k] += x * back[k]


@kernel
def _product(hidden, weights):
    """Return `weights` times relu(`hidden`), summed in four independent parts."""
    a, b, c, d, zero = np.float32(0), np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for k in range(0, hidden.shape[0], 4):
        a += max(hidden[k], zero) * weights[k]
        b += max(hidden[k + 1], zero) * weights[k + 1]
        c += max(hidden[k + 2], zero) * weights[k + 2]
        d += max(hidden[k + 3], zero) * weights[k + 3]
    return (a + b) + (c + d)


@kernel
def score_rows(
    block, rows, width, about, table, looked, score_weight, score_bias, legal, out, low, high
):  # fmt: skip
    """Add the scores of rows to `out (n, A)` for the legal actions of views `low` to `high`."""
    hidden = np.empty_like(looked[0])
    for i in range(low, high):
        for row in range(rows):
            ready, column = False, 0
            for run_of in range(about.shape[0]):
                first, count = about[run_of, 0], about[run_of, 1]
                for action in range(first + row * count, first + (row + 1) * count):
                    if legal[i, action]:
                        if not ready:
                            at = row * width
                            _embed(block[i, at : at + width], table, looked[i], hidden)
                            ready = True
                        out[i, action] += score_bias[column] + _product(hidden, score_weight[column])
                    column += 1


@kernel
def unscore_rows(
    block, rows, width, about, table, looked, score_weight, gradient, back, sums, score_sums, low, high
):  # fmt: skip
    """Write the gradients of `looked` into `back (n, W)`; add those of `table` and of the scores' weights.

    sums: (pieces, f, W); score_sums: (pieces, s, W + 1), the bias in the last column.
    """
    hidden, pull = np.empty_like(looked[0]), np.empty_like(looked[0])
    size = hidden.shape[0]
    for piece in range(-(-low // SMALLEST_SLICE), -(-high // SMALLEST_SLICE)):
        for i in range(piece * PIECE, min(block.shape[0], (piece + 1) * PIECE)):
            for row in range(rows):
                ready, column, at = False, 0, row * width
                for run_of in range(about.shape[0]):
                    first, count = about[run_of, 0], about[run_of, 1]
                    for action in range(first + row * count, first + (row + 1) * count):
                        share = gradient[i, action]
                        if share != 0:
                            if not ready:
                                _embed(block[i, at : at + width], table, looked[i], hidden)
                                pull[:] = 0
                                ready = True
                            score_sums[piece, column, size] += share
                            for k in range(size):
                                score_sums[piece, column, k] += share * max(hidden[k], np.float32(0))
                                pull[k] += share * score_weight[column, k]
                        column += 1
                if ready:
                    for k in range(size):
                        pull[k] = pull[k] if hidden[k] > 0 else np.float32(0)
                        back[i, k] += pull[k]
                    _spread(block[i, at : at + width], pull, sums[piece])
