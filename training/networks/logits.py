"""Log probabilities, entropy and divergence of masked logits, for losses.

Kernels process only legal actions, forward and backward. Letters: `n` views, `A`
actions.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.threads import run
from sobremesa.training.networks.policy import forbid
from sobremesa.training.networks.views import Lines, Views

NOTHING = -1  # instead of an action


class LogitResults(NamedTuple):
    """Results for each view, `(n,)` float32 each."""

    chosen: torch.Tensor  # log probability of the action
    entropy: torch.Tensor
    distance: torch.Tensor  # divergence from the reference policy, 0 without one
    lesson: torch.Tensor  # log probability of the teacher's action, 0 without one


def weigh(
    logits: torch.Tensor,
    views: Views,
    actions: torch.Tensor,
    magnet: torch.Tensor | None,
    taught: torch.Tensor | None,
) -> LogitResults:
    """Compute the results for `logits` `(n, A)`; logits of illegal actions may be any number.

    actions, taught: (n,) int64; magnet: (n, A), log probabilities of the reference policy.
    """
    if views.by_kernels:
        weighed = _Weighed.apply(logits, views.legal_lines, actions, magnet, taught)  # type: ignore[no-untyped-call]
        return LogitResults(*weighed)
    assert views.legal is not None
    log_chances = forbid(logits, views.legal).log_softmax(1)
    chances, none = log_chances.exp(), torch.zeros_like(log_chances[:, 0])
    return LogitResults(
        chosen=_of(log_chances, actions),
        entropy=-(chances * log_chances).sum(1),
        distance=none if magnet is None else (chances * (log_chances - magnet)).sum(1),
        lesson=none if taught is None else _of(log_chances, taught),
    )


def _of(numbers: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    """Return the number of each row of `numbers` `(n, A)` at its action; on a GPU gradients of `gather` are slow."""
    places = torch.arange(numbers.shape[1], device=numbers.device)
    return torch.where(places == actions[:, None], numbers, 0.0).sum(1)


class Found(NamedTuple):
    """State of the kernels: legal actions, actions of player and teacher, and results of `weigh`."""

    starts: np.ndarray  # (n + 1,) of the legal actions, as in Lines
    places: np.ndarray  # these actions
    actions: np.ndarray  # (n,)
    magnet: np.ndarray  # (n, A), or no lines
    taught: np.ndarray  # (n,); NOTHING
    log_chances: np.ndarray  # of the legal actions
    out: np.ndarray  # (4, n) float32, as in LogitResults
    width: int  # A


def weighed_by_kernels(
    logits: torch.Tensor, legal: Lines, actions: torch.Tensor, magnet: torch.Tensor | None, taught: torch.Tensor | None
) -> Found:
    """Compute the results for `logits` `(n, A)` over the actions in `legal`, without a gradient."""
    nobody = np.full(len(actions), NOTHING) if taught is None else taught.numpy()
    nowhere = np.zeros((0, logits.shape[1]), np.float32) if magnet is None else magnet.numpy()
    beside = legal.starts, legal.places, actions.numpy(), nowhere, nobody
    log_chances, out = np.empty_like(legal.values), np.zeros((4, len(logits)), np.float32)
    run(weigh_legal, len(logits), torch.get_num_threads(), *beside, logits.contiguous().numpy(), log_chances, out)
    return Found(*beside, log_chances, out, logits.shape[1])


def pulled(found: Found, gradients: np.ndarray) -> torch.Tensor:
    """Return the gradient of the logits `(n, A)`, given those of the results, `(4, n)` float32."""
    back = torch.zeros(len(found.actions), found.width)
    run(unweigh_legal, len(back), torch.get_num_threads(), *found[:-1], gradients, back.numpy())
    return back


class _Weighed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Any, legal: Lines, actions: Any, magnet: Any, taught: Any) -> Any:
        ctx.found = weighed_by_kernels(logits.detach(), legal, actions, magnet, taught)
        return torch.from_numpy(ctx.found.out.copy()).unbind()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return pulled(ctx.found, torch.stack(gradients).numpy()), None, None, None, None


@kernel
def weigh_legal(starts, places, actions, magnet, taught, logits, log_chances, out, low, high):
    """Write the results of views `low` to `high` into `out (4, n)`, as in LogitResults, and `log_chances` of legal
    actions.

    `starts`, `places`: the legal actions of each view, as in Lines; `magnet` may have no rows, `taught` be NOTHING.
    """
    for i in range(low, high):
        most, total, entropy, distance = -np.inf, 0.0, 0.0, 0.0
        for k in range(starts[i], starts[i + 1]):
            most = max(most, np.float64(logits[i, places[k]]))
        for k in range(starts[i], starts[i + 1]):
            total += np.exp(logits[i, places[k]] - most)
        whole = most + np.log(total)
        for k in range(starts[i], starts[i + 1]):
            action = places[k]
            log_chance = logits[i, action] - whole
            chance = np.exp(log_chance)
            log_chances[k] = log_chance
            entropy -= chance * log_chance
            if magnet.shape[0]:
                distance += chance * (log_chance - magnet[i, action])
            if action == actions[i]:
                out[0, i] = log_chance
            if action == taught[i]:
                out[3, i] = log_chance
        out[1, i] = entropy
        out[2, i] = distance


@kernel
def unweigh_legal(starts, places, actions, magnet, taught, log_chances, out, gradients, back, low, high):
    """Write the gradient of the logits into `back (n, A)`, given those of `out`, `gradients (4, n)`."""
    for i in range(low, high):
        chosen, entropy, distance = gradients[0, i], gradients[1, i], gradients[2, i]
        lesson = gradients[3, i] if taught[i] != NOTHING else np.float32(0)
        for k in range(starts[i], starts[i + 1]):
            action, log_chance = places[k], np.float64(log_chances[k])
            pull = -(chosen + lesson) - entropy * (log_chance + out[1, i])
            if magnet.shape[0]:
                pull += distance * (log_chance - magnet[i, action] - out[2, i])
            pull *= np.exp(log_chance)
            if action == actions[i]:
                pull += chosen
            if action == taught[i]:
                pull += lesson
            back[i, action] = pull
