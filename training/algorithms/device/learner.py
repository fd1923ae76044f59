"""PPO updates on a device: the losses of ppo_loss.py over minibatches of a rollout, each step one CUDA graph."""

from copy import deepcopy

import torch

from sobremesa.training.algorithms.device.graphs import Recorded
from sobremesa.training.algorithms.device.networks import Reader
from sobremesa.training.algorithms.device.rollout import Rollout
from sobremesa.training.algorithms.ppo_learner import ADAM_FLOOR, LARGEST_GRADIENT, LAST_RATE, VALUE_WEIGHT, Losses
from sobremesa.training.config.classes import SelfPlayConfig
from sobremesa.training.networks.policy import Net, PolicyNet, approach
from sobremesa.training.networks.ppo_loss import Known, Weights, loss


class DeviceLearner:
    """Policy, value network, reference policy and optimizer on a device, with one minibatch in fixed tensors."""

    def __init__(
        self, config: SelfPlayConfig, policy: PolicyNet, value: Net, magnet: PolicyNet | None, reader: Reader
    ) -> None:
        self.config, self.reader, device = config, reader, reader.device
        self.policy, self.value = deepcopy(policy).to(device), deepcopy(value).to(device)
        self.magnet = None if magnet is None else deepcopy(magnet).to(device)
        self.weights = [*self.policy.parameters(), *self.value.parameters()]
        on_gpu = device.type == "cuda"
        self.rate = torch.tensor(config.learning_rate, device=device)
        self.optimizer = torch.optim.Adam(
            self.weights, self.rate if on_gpu else config.learning_rate, eps=ADAM_FLOOR, fused=True, capturable=on_gpu
        )
        self.entropy, self.policy_weight = torch.zeros((), device=device), torch.ones((), device=device)
        self.losses = torch.zeros(len(Losses._fields), device=device)
        self._descend = Recorded(self._step, device)
        self._batch: dict[str, torch.Tensor] = {}

    def learn(self, rollout: Rollout, done: float, value_alone: bool = False) -> Losses:
        """Run `config.epochs` epochs over the ready decisions of `rollout`, after the part `done` of the run.

        A rest smaller than a minibatch is left out of an epoch. Raises FloatingPointError if a loss is not finite.
        """
        config = self.config
        ready = rollout.ready.flatten().nonzero()[:, 0]
        size = min(config.batch_size, len(ready))
        if size < 2:  # all decisions of a very short batch may wait for their successors
            return Losses(*[0.0] * len(Losses._fields))
        flat = self._flat(rollout, ready)
        self._resize(flat, size)
        self.rate.fill_(config.learning_rate * (1 + (LAST_RATE - 1) * done))
        if self.reader.device.type != "cuda":
            self.optimizer.param_groups[0]["lr"] = float(self.rate)
        self.entropy.fill_(config.entropy + (config.entropy_last - config.entropy) * done)
        self.policy_weight.fill_(float(not value_alone))
        self.losses.zero_()
        steps = 0
        for _ in range(config.epochs):
            order = ready[torch.randperm(len(ready), device=ready.device)]
            for start in range(0, len(ready) - size + 1, size):
                for name, column in flat.items():
                    torch.index_select(column, 0, order[start : start + size], out=self._batch[name])
                self._descend()
                steps += 1
        if self.magnet is not None:
            approach(self.magnet, self.policy, config.magnet_rate)
        means = (self.losses / steps).tolist()
        if not all(abs(mean) < float("inf") for mean in means):
            raise FloatingPointError(f"the losses are {means}; lower learning_rate={config.learning_rate}")
        return Losses(*means)

    def _flat(self, rollout: Rollout, ready: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the columns of a minibatch, one row for each decision of `rollout`."""
        advantages = rollout.advantages.flatten()
        known = advantages[ready]
        horizon = rollout.horizon
        return {
            "codes": _rows(rollout.slots.observations[:horizon]),
            "masks": _rows(rollout.slots.masks[:horizon]),
            "actions": rollout.actions.flatten(),
            "log_probs": rollout.log_probs.flatten(),
            "returns": advantages + rollout.values.flatten(),
            "advantages": (advantages - known.mean()) / (known.std(correction=0) + 1e-8),
        }

    def _resize(self, flat: dict[str, torch.Tensor], size: int) -> None:
        """Make the tensors of a minibatch of `size` decisions, unless they exist."""
        if self._batch and len(self._batch["actions"]) == size:
            return
        self._batch = {name: column.new_zeros(size, *column.shape[1:]) for name, column in flat.items()}
        self._descend = Recorded(self._step, self.reader.device)

    def _step(self) -> None:
        """Take one gradient step on the minibatch."""
        batch, config = self._batch, self.config
        for weight in self.weights:
            if weight.grad is not None:
                weight.grad.zero_()
        game = self.policy
        views = self.reader.views(batch["codes"], batch["masks"][:, : game.outputs])
        magnet = None
        if self.magnet is not None:
            with torch.no_grad():
                magnet = self.reader.log_chances(self.magnet, views)
        logits, values = self.reader.run(self.policy, views), self.reader.run(self.value, views)[:, 0]
        known = Known(batch["actions"], batch["log_probs"], batch["advantages"], batch["returns"], magnet, None)
        weights = Weights(config.clip, self.entropy, config.magnet, 0.0, self.policy_weight, VALUE_WEIGHT)  # type: ignore[arg-type]
        total, metrics = loss(logits, values, views, known, weights)
        total.backward()  # type: ignore[no-untyped-call]
        gradients = [weight.grad for weight in self.weights if weight.grad is not None]
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        torch._foreach_mul_(gradients, (LARGEST_GRADIENT / (norm + 1e-6)).clamp(max=1.0))
        self.optimizer.step()
        self.losses += metrics


def _rows(tensor: torch.Tensor) -> torch.Tensor:
    """Return `(T, N, ...)` rows as `(T * N, pitch)`, padding included, without a copy."""
    pitch = tensor.stride(1)
    return tensor.as_strided((tensor.shape[0] * tensor.shape[1], pitch), (pitch, 1))
