"""PPO updates on a device: minibatches of a rollout in fixed tensors, so that gradient steps are CUDA graphs."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.game import Game
from sobremesa.training.algorithms.device.graphs import Recorded
from sobremesa.training.algorithms.device.rollout import DeviceBuffer
from sobremesa.training.algorithms.ppo_learner import ADAM_FLOOR, Learner, Losses
from sobremesa.training.config.classes import SelfPlayConfig
from sobremesa.training.networks.policy import Net
from sobremesa.training.networks.ppo_loss import Known, Weights, descend
from sobremesa.training.networks.reader import Reader
from sobremesa.training.runs import processes


class DeviceBatch:
    """A closed batch on a device, one row for each decision."""

    def __init__(self, buffer: DeviceBuffer, batch_size: int) -> None:
        self.ready = buffer.ready.flatten().nonzero()[:, 0]
        self.least = min(processes.gather(len(self.ready)))  # ready decisions, over all processes
        self.size = min(-(-batch_size // processes.count()), self.least)
        advantages = buffer.advantages.flatten()
        known = advantages[self.ready]
        mean, deviation = processes.moments(known.mean(), known.std(correction=0), len(known))
        self.columns = {
            "codes": _rows(buffer.slots.observations[: buffer.horizon]),
            "masks": _rows(buffer.slots.masks[: buffer.horizon]),
            "actions": buffer.actions.flatten(),
            "log_probs": buffer.log_probs.flatten(),
            "returns": advantages + buffer.values.flatten(),
            "advantages": (advantages - mean) / (deviation + 1e-8),
        }

    def minibatches(self, _: np.random.Generator) -> Iterator[torch.Tensor]:
        """Yield the ready decisions in an order drawn on the device; a rest smaller than a minibatch is left out."""
        order = self.ready[torch.randperm(len(self.ready), device=self.ready.device)]
        for start in range(0, self.least - self.size + 1, self.size):
            yield order[start : start + self.size]


class DeviceLearner(Learner):
    """The learner with copies of its networks on a device, and one minibatch in fixed tensors."""

    def __init__(self, config: SelfPlayConfig, game: Game, device: torch.device, begins: bool = True) -> None:
        super().__init__(config, game, begins)
        self.reader = Reader(game.layout, device)
        self._here: dict[str, Net] = {name: deepcopy(net).to(device) for name, net in self._nets.items()}
        self.policy, self.value, self.magnet = (self._here.get(name) for name in ("policy", "value", "reference"))  # type: ignore[assignment]
        self.weights = [*self.policy.parameters(), *self.value.parameters()]
        self._on_gpu = device.type == "cuda"
        self._rate = torch.tensor(config.learning_rate, device=device)
        self.optimizer = torch.optim.Adam(
            self.weights, self._rate if self._on_gpu else config.learning_rate, eps=ADAM_FLOOR, fused=True,
            capturable=self._on_gpu,
        )  # fmt: skip
        self._entropy, self._policy_weight = torch.zeros((), device=device), torch.ones((), device=device)
        self._losses = torch.zeros(len(Losses._fields), device=device)
        self._minibatch: dict[str, torch.Tensor] = {}

    def fetched(self) -> dict[str, Net]:
        for name, net in self._nets.items():
            net.load_state_dict(self._here[name].state_dict())
        return self._nets

    def send(self) -> None:
        for name, net in self._here.items():
            net.load_state_dict(self._nets[name].state_dict())

    def look(self, codes: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:  # type: ignore[override]
        """Return log probabilities `(N, A)` and values `(N,)` for observations `(N, W)` uint8 and masks `(N, A)`."""
        views = self.reader.views(codes, masks)
        return self.reader.log_chances(self.policy, views), self.reader.run(self.value, views)[:, 0]

    def _batch(self, buffer: DeviceBuffer) -> DeviceBatch:
        batch = DeviceBatch(buffer, self.config.batch_size)
        if not self._minibatch or len(self._minibatch["actions"]) != batch.size:
            self._minibatch = {name: one.new_zeros(batch.size, *one.shape[1:]) for name, one in batch.columns.items()}
            self._find = Recorded(self._find_gradients, self.reader.device)
            self._apply = Recorded(self._apply_gradients, self.reader.device)
        return batch

    def _schedule(self, rate: float, weights: Weights) -> None:
        """Write the learning rate and the weights of the loss into tensors, which CUDA graphs read."""
        self._rate.fill_(rate)
        if not self._on_gpu:
            self.optimizer.param_groups[0]["lr"] = float(self._rate)
        self._entropy.fill_(weights.entropy)
        self._policy_weight.fill_(weights.policy)
        self._weights = weights._replace(entropy=self._entropy, policy=self._policy_weight)

    def _step(self, batch: DeviceBatch, part: torch.Tensor) -> torch.Tensor:
        for name, column in batch.columns.items():
            torch.index_select(column, 0, part, out=self._minibatch[name])
        self._find()
        losses = processes.average_gradients(self.weights, self._losses, len(part))
        self._apply()
        return losses.clone()

    def _find_gradients(self) -> None:
        for weight in self.weights:
            if weight.grad is not None:
                weight.grad.zero_()
        self._losses.copy_(self._descend(None, None))

    def _apply_gradients(self) -> None:
        self._clip_gradients()
        self.optimizer.step()

    def _descend(self, *_: Any) -> torch.Tensor:
        """Compute the gradients of all weights for the minibatch; return the losses in the order of `Losses`."""
        batch = self._minibatch
        views, magnet = self.reader.views(batch["codes"], batch["masks"][:, : self.policy.outputs]), None
        if self.magnet is not None:
            with torch.no_grad():
                magnet = self.reader.log_chances(self.magnet, views)
        logits, values = self.reader.run(self.policy, views), self.reader.run(self.value, views)[:, 0]
        known = Known(batch["actions"], batch["log_probs"], batch["advantages"], batch["returns"], magnet, None)
        return descend(logits, values, views, known, self._weights)


def _rows(tensor: torch.Tensor) -> torch.Tensor:
    """Return `(T, N, ...)` rows as `(T * N, pitch)`, padding included, without a copy."""
    pitch = tensor.stride(1)
    return tensor.as_strided((tensor.shape[0] * tensor.shape[1], pitch), (pitch, 1))
