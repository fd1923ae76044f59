"""Counterfactual rollouts on a GPU: counterfactual.py with deals, rollouts and gradients on the device.

Between two updates everything lies on the processor, as in a run there, so checkpoints have the same form. Choices and
chance are the same from the same seeds; sums are rounded otherwise (matrix products are in bfloat16 on a GPU), so the
weights come to differ.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.game import Game
from sobremesa.training.algorithms.counterfactual import Training
from sobremesa.training.algorithms.device.player import DevicePlayer
from sobremesa.training.config.classes import CounterfactualConfig
from sobremesa.training.networks.policy import Net
from sobremesa.training.runs.evaluation import Progress


class DeviceTraining(Training):
    """A run on a device. Raises ConfigError for a device that is not there."""

    player: DevicePlayer

    def __init__(
        self, config: CounterfactualConfig, folder: Path, progress: Progress | None, record: Any = None
    ) -> None:
        self.device = config.torch_device()
        super().__init__(config, folder, progress, record)

    def _new_player(self, game: Game, parts: dict[str, Any]) -> DevicePlayer:
        return DevicePlayer(game, self.config.until, self.device, self.config.choice == "greedy")

    def _learn(self, samples: int, begun: int) -> dict[str, float]:
        with self._on_device():
            return super()._learn(samples, begun)

    @contextmanager
    def _on_device(self) -> Iterator[None]:
        """Within this context the networks and the optimizer are copies on the device; then copy them back."""
        own = self.policy, self.value, self.magnet, self.optimizer
        nets = self.policy, self.value, self.magnet
        self.policy, self.value, self.magnet = (net and deepcopy(net).to(self.device) for net in nets)  # type: ignore[assignment]
        weights = [*self.policy.parameters(), *self.value.parameters()]
        settings = own[3].param_groups[0]
        self.optimizer = torch.optim.Adam(weights, settings["lr"], eps=settings["eps"], fused=True)
        self.optimizer.load_state_dict(own[3].state_dict())
        self._place = self.device
        try:
            yield
            with torch.no_grad():
                for here, there in zip((self.policy, self.value), own, strict=False):
                    there.load_state_dict(here.state_dict())  # type: ignore[union-attr]
            own[3].load_state_dict(self.optimizer.state_dict())
        finally:
            self.policy, self.value, self.magnet, self.optimizer = own
            self._place = torch.device("cpu")

    def _forward(self, net: Net, codes: np.ndarray, advice: np.ndarray | None = None) -> torch.Tensor:
        there = None if advice is None else self._tensor(advice).long()
        return self.player.forward(net, self._tensor(codes), there)
