"""Rollout policy iteration on a GPU: rollout_iteration.py with all rollouts of an update side by side on the device.

The network plays and learns on the processor. From the same seeds the gains are those of the processor, to the bit,
unless the scripted agent takes logarithms, exponentials or powers (envs/core/compile/elementary.py).
"""

from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.search.device.rollouts import DeviceRollouts
from sobremesa.agents.search.rollouts import CHANCE, WORLD
from sobremesa.envs.core.device.rollouts import AS_IT_IS
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.training.algorithms.rollout_iteration import NOBODY, Training
from sobremesa.training.config.classes import REDEAL, RolloutIterationConfig
from sobremesa.training.runs.evaluation import Progress, load_agent


class DeviceTraining(Training):
    """A run with rollouts on a device. Raises ConfigError for a device that is not there."""

    def __init__(
        self, config: RolloutIterationConfig, folder: Path, progress: Progress | None, record: Any = None
    ) -> None:
        device = config.torch_device()
        super().__init__(config, folder, progress, record)
        agent = load_agent("advised_by", config.advised_by, self.game)
        self._device_rollouts = DeviceRollouts(self.game, agent, device)

    def gains(self, states: np.ndarray, seats: np.ndarray, candidates: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return the mean gains `(n, C)` float32; see `Training.gains`."""
        number, there = self.config.worlds, candidates != NOBODY
        worlds, chances = (
            np.array([seeds_of(label, int(seed), range(number)) for seed in seeds], np.int64).reshape(-1, number)
            for label in (WORLD, CHANCE)
        )
        if self.config.belief != REDEAL:
            worlds[:] = AS_IT_IS
        one, place = np.nonzero(there)
        actions = np.repeat(candidates[one, place].astype(np.int64), number)
        position = np.repeat(one, number)
        paid = self._device_rollouts.payoffs(states, position, worlds[one].ravel(), chances[one].ravel(), actions)
        mine = paid[np.arange(len(paid)), seats[position]].reshape(len(one), number)
        sums = np.zeros((number, *candidates.shape), np.float32)
        sums[:, one, place] = mine.T
        worth = sums.mean(0)
        return np.where(there, worth - worth[:, :1], np.float32(0))
