"""The first layer over inputs that are nearly all 0: the weights of those that are not, summed.

What is multiplied by 0 adds nothing, so a layer over thousands of inputs costs what the few hundred cost that are not
(the idea of NNUE, Nasu 2018; here there is no order of views to keep sums along). Weights are stored input by input, so
that what is summed lies together. Letters: `n` views, `C` inputs that are listed, `P` others, `H` outputs.
"""

from typing import Any

import torch
from torch import nn

from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.core.threads import run
from sobremesa.training.views import Lines


def store_by_input(layer: nn.Linear) -> None:
    """Store the weights `(H, inputs)` of `layer` input by input; their numbers, names and shapes stay as they are."""
    layer.weight = nn.Parameter(layer.weight.detach().t().contiguous().t())


def first_layer(weight: torch.Tensor, bias: torch.Tensor, inputs: Lines, others: torch.Tensor | None) -> Any:
    """Return `(n, H)`: the layer over inputs that `inputs` lists, then `others` `(n, P)`.

    weight: (H, C + P), bias: (H,); no gradient flows to what is listed.
    """
    return _FirstLayer.apply(weight, bias, others, inputs)  # type: ignore[no-untyped-call]


class _FirstLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Any, bias: Any, others: Any, inputs: Lines) -> Any:
        table, count = weight.t().contiguous(), len(inputs)
        if others is None:
            out = bias.repeat(count, 1)
        else:
            out = torch.addmm(bias, others, table[inputs.width :])
        _sum(inputs, table[: inputs.width], out)
        ctx.save_for_backward(weight, others)
        ctx.inputs = inputs
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (weight, others), listed = ctx.saved_tensors, ctx.inputs.width
        gradient = gradient.contiguous()
        table = gradient.new_zeros(weight.shape[1], weight.shape[0])
        _sum(ctx.inputs.turned, gradient, table[:listed])
        back = None
        if others is not None:
            torch.mm(others.t(), gradient, out=table[listed:])
            back = gradient @ weight[:, listed:]
        return table.t(), gradient.sum(0), back, None


def _sum(inputs: Lines, table: torch.Tensor, out: torch.Tensor) -> None:
    numbers = inputs.starts, inputs.places, inputs.values, table.detach().numpy(), out.detach().numpy()
    run(sum_lines, len(out), torch.get_num_threads(), *numbers)


@kernel
def sum_lines(starts, places, values, table, out, low, high):
    """Add to lines `low` to `high` of `out` `(lines, H)` what they hold: a number times the row of its place.

    `starts`, `places`, `values` as in Lines; `table (C, H)`. Four rows are added at a time: `out` is read and
    written that much less often.
    """
    for i in range(low, high):
        line, k, end = out[i], starts[i], starts[i + 1]
        while k + 4 <= end:
            first, second = table[places[k]], table[places[k + 1]]
            third, fourth = table[places[k + 2]], table[places[k + 3]]
            a, b, c, d = values[k], values[k + 1], values[k + 2], values[k + 3]
            for h in range(line.shape[0]):
                line[h] += a * first[h] + b * second[h] + c * third[h] + d * fourth[h]
            k += 4
        while k < end:
            first, a = table[places[k]], values[k]
            for h in range(line.shape[0]):
                line[h] += a * first[h]
            k += 1
