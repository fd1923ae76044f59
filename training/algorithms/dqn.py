"""Masked double DQN with n-step returns, in self-play.

A transition runs from one decision of a player to that player's next decision (Mnih et al. 2015). Its target is the
reward if the player never decides again in the episode, else the value of the best legal next action: the online
network chooses the action and the target network, a periodic copy, evaluates it (van Hasselt et al. 2016). `n_steps`
counts that player's decisions.
"""

import copy

import numpy as np
import torch

from sobremesa.training.algorithms.action_values import ValueLoop, best_legal
from sobremesa.training.config.classes import BootstrapConfig
from sobremesa.training.data.replay_buffer import OPEN
from sobremesa.training.networks.policy import Learned
from sobremesa.training.runs.loop import weights_of


class Training(ValueLoop):
    """A run of DQN: the network and its target network."""

    config: BootstrapConfig
    learned: Learned

    def begin(self, new: bool) -> None:
        super().begin(new)
        self.target = copy.deepcopy(self.net)
        self.next["target"] = self.config.target_every

    def update(self) -> dict[str, float]:
        """Do as every value loop, and copy the network to the target network when it is due."""
        metrics = super().update()
        if self.steps >= self.next["target"]:
            self.target.load_state_dict(self.net.state_dict())
            self.next["target"] = self.steps + self.config.target_every
        return metrics

    def _known(self) -> np.ndarray:
        """Return the rows of the decisions whose successor is known."""
        return np.flatnonzero(self.tables.replay.after != OPEN)

    def _losses(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the mean squared error between the values of the chosen actions and their targets."""
        replay, gamma = self.tables.replay, self.config.gamma
        ahead = replay.ahead(rows, self.config.n_steps)
        worth = replay.payoffs[ahead.rows].copy()
        worth[~ahead.last] = self._bootstrap(ahead.rows[~ahead.last])
        targets = torch.from_numpy((gamma**ahead.later * worth).astype(np.float32))
        actions = torch.from_numpy(replay.actions[rows])
        chosen = self.net.value(replay.observations(rows)).gather(1, actions[:, None])[:, 0]
        return {"value": (chosen - targets).square().mean()}

    def _bootstrap(self, rows: np.ndarray) -> np.ndarray:
        """Return the target network's value of the network's best legal action at `rows` `(n,)`, `(n,)`."""
        observations = self.tables.replay.observations(rows)
        with torch.inference_mode():
            best = best_legal(self.net.value(observations).numpy(), self.tables.replay.masks[rows])
            values = self.target.value(observations).numpy()
        return np.asarray(values[np.arange(len(rows)), best])

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return weights, target network, tables and replay buffer."""
        return super().arrays() | {"target": weights_of(self.target)}
