"""First layer over sparse inputs: the sum of the weights of nonzero inputs (the idea of NNUE, Nasu 2018).

Inputs that are often nonzero are multiplied as a dense matrix. Weights are stored input by input, so that each sum
reads contiguous memory. Letters: `n` views, `C` inputs of the observation, `P` others, `H` outputs.
"""

from typing import Any

import torch
from torch import nn

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.threads import run
from sobremesa.training.networks.views import Inputs, Lines


def store_by_input(layer: nn.Linear) -> None:
    """Store the weights `(H, inputs)` of `layer` input by input; values, names and shapes do not change."""
    layer.weight = nn.Parameter(layer.weight.detach().t().contiguous().t())


def first_layer(weight: torch.Tensor, bias: torch.Tensor, inputs: Inputs, others: torch.Tensor | None) -> Any:
    """Return `(n, H)`: the layer over `inputs`, then `others` `(n, P)`.

    weight: (H, C + P), bias: (H,); no gradient flows to `inputs`.
    """
    return _FirstLayer.apply(weight, bias, others, inputs)  # type: ignore[no-untyped-call]


class _FirstLayer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Any, bias: Any, others: Any, inputs: Inputs) -> Any:
        table, listed = weight.t().contiguous(), inputs.rare.width
        dense = torch.cat([torch.from_numpy(inputs.common), torch.arange(listed, len(table))])
        block = inputs.block if others is None else torch.cat([inputs.block, others], 1)
        out = torch.addmm(bias, block, table[dense])
        _sum(inputs.rare, table[:listed], out)
        ctx.save_for_backward(weight, block, dense)
        ctx.inputs = inputs
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (weight, block, dense), inputs = ctx.saved_tensors, ctx.inputs
        gradient = gradient.contiguous()
        table = gradient.new_zeros(weight.shape[1], weight.shape[0])
        _sum(inputs.rare.turned, gradient, table[: inputs.rare.width])
        table.index_copy_(0, dense, block.t() @ gradient)
        others = gradient @ weight[:, inputs.rare.width :] if ctx.needs_input_grad[2] else None
        return table.t(), gradient.sum(0), others, None


def _sum(lines: Lines, table: torch.Tensor, out: torch.Tensor) -> None:
    numbers = lines.starts, lines.places, lines.values, table.detach().numpy(), out.detach().numpy()
    run(sum_lines, len(out), torch.get_num_threads(), *numbers)


@kernel
def sum_lines(starts, places, values, table, out, low, high):
    """Add the products of lines `low` to `high` with `table (C, H)` to `out` `(lines, H)`.

    `starts`, `places`, `values` as in Lines. Adds four rows at a time, which saves reads and writes of `out`.
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
