"""PPO loss of logits and values, and its gradients.

Kernels compute both together where they can (`Views.by_kernels`), with the same results as PyTorch to the bit, and
without the overhead of its graph. Letters: `n` decisions, `A` actions.
"""

from typing import NamedTuple

import numpy as np
import torch

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.training.networks.logits import pulled, weigh, weighed_by_kernels
from sobremesa.training.networks.views import Views


class Weights(NamedTuple):
    """Weights of the parts of the loss; those that change in a run may be tensors."""

    clip: float  # clip range of the probability ratio
    entropy: float | torch.Tensor
    magnet: float
    teacher: float
    policy: float | torch.Tensor  # 0 if only the value network learns
    value: float


class Known(NamedTuple):
    """Data of `n` decisions."""

    actions: torch.Tensor  # (n,) int64
    log_probs: torch.Tensor  # (n,) of the actions, when they were taken
    advantages: torch.Tensor  # (n,)
    returns: torch.Tensor  # (n,)
    magnet: torch.Tensor | None  # (n, A), log probabilities of the reference policy
    lessons: torch.Tensor | None  # (n,) int64, actions of the teacher


def descend(logits: torch.Tensor, values: torch.Tensor, views: Views, known: Known, weights: Weights) -> torch.Tensor:
    """Add the gradients of the loss to the weights that `logits` `(n, A)` and `values` `(n,)` come from.

    Returns `(7,)`: policy loss, value loss, entropy, divergence from the reference policy, teacher loss, estimated
    divergence from the policy that played, and the part of the decisions with a clipped ratio.
    """
    if views.by_kernels:
        pull, push, metrics = _gradients(logits.detach(), values.detach(), views, known, weights)
        torch.autograd.backward([logits, values], [pull, push])
        return metrics
    value, metrics = loss(logits, values, views, known, weights)
    value.backward()  # type: ignore[no-untyped-call]
    return metrics


def loss(
    logits: torch.Tensor, values: torch.Tensor, views: Views, known: Known, weights: Weights
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the loss, and the result of `descend`."""
    weighed = weigh(logits, views, known.actions, known.magnet, known.lessons)
    change = weighed.chosen - known.log_probs
    ratio, clip, advantages = change.exp(), weights.clip, known.advantages
    policy_loss = -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
    value_loss = (values - known.returns).square().mean()
    entropy, distance, lesson = weighed.entropy.mean(), weighed.distance.mean(), -weighed.lesson.mean()
    whole = policy_loss - weights.entropy * entropy
    if known.magnet is not None:
        whole = whole + weights.magnet * distance
    if known.lessons is not None:
        whole = whole + weights.teacher * lesson
    whole = weights.value * value_loss + weights.policy * whole
    with torch.no_grad():
        moved = (ratio - 1 - change).mean()
        clipped = ((ratio - 1).abs() > clip).float().mean()
    return whole, torch.stack([policy_loss, value_loss, entropy, distance, lesson, moved, clipped]).detach()


def _gradients(
    logits: torch.Tensor, values: torch.Tensor, views: Views, known: Known, weights: Weights
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the gradients of logits `(n, A)` and values `(n,)`, and the result of `descend`."""
    found = weighed_by_kernels(logits, views.legal_lines, known.actions, known.magnet, known.lessons)
    change = torch.from_numpy(found.out[0]) - known.log_probs
    ratio = change.exp()  # PyTorch's: a kernel's would differ in the last bit
    count, policy = np.float32(len(logits)), np.float32(weights.policy)
    pulls, push, metrics = np.zeros((4, len(logits)), np.float32), np.empty(len(logits), np.float32), np.zeros(7)
    pulls[1] = -policy * np.float32(weights.entropy) / count
    if known.magnet is not None:
        pulls[2] = policy * np.float32(weights.magnet) / count
    if known.lessons is not None:
        pulls[3] = -policy * np.float32(weights.teacher) / count
    numbers = ratio, change, known.advantages, values, known.returns
    least, most = np.float32(1 - weights.clip), np.float32(1 + weights.clip)
    shares = -policy / count, np.float32(weights.value) / count
    pull_and_push(*(one.numpy() for one in numbers), found.out, least, most, *shares, pulls, push, metrics)
    return pulled(found, pulls), torch.from_numpy(push), torch.from_numpy(metrics)


@kernel
def pull_and_push(
    ratio, change, advantages, values, returns, weighed, low, high, share, value_share, pulls, push, told
):
    """Write the gradients of the chosen log probabilities `pulls[0] (n,)` and values `push (n,)`, and `told (7,)`.

    `weighed (4, n)` as in logits.py; `low`, `high`: the range of ratios; `share`, `value_share`: gradients of the terms
    of a mean.
    """
    one, two, half, count = np.float32(1), np.float32(2), np.float32(0.5), ratio.shape[0]
    for i in range(count):
        within, advantage = low <= ratio[i] and ratio[i] <= high, advantages[i]
        free, bound = ratio[i] * advantage, min(max(ratio[i], low), high) * advantage
        pull = np.float32(0)
        if free < bound or (free == bound and within):
            pull = share * advantage
        elif free == bound:
            pull = half * share * advantage
        pulls[0, i] = pull * ratio[i]
        wrong = values[i] - returns[i]
        push[i] = value_share * (two * wrong)
        told[0] -= min(free, bound)
        told[1] += wrong * wrong
        told[2] += weighed[1, i]
        told[3] += weighed[2, i]
        told[4] -= weighed[3, i]
        told[5] += ratio[i] - one - change[i]
        told[6] += not within
    for part in range(told.shape[0]):
        told[part] /= count
