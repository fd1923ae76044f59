"""Deep Monte Carlo: regress each action's value on the return of its episode, in self-play.

As in DouZero (Zha et al. 2021), the value of an action is fitted to its player's return at the end of the episode,
without bootstrapping or discounting, and the behaviour is epsilon-greedy. DouZero feeds the network one action at a
time, because it has 27,472 of them; these games have a few hundred numbered actions, so one forward pass returns all
values.
"""

import numpy as np
import torch

from sobremesa.training.algorithms.action_values import ValueLoop


class Training(ValueLoop):
    """A run of deep Monte Carlo."""

    def _known(self) -> np.ndarray:
        """Return the rows of the decisions of finished episodes."""
        return np.flatnonzero(self.tables.replay.paid)

    def _losses(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the mean squared error between the values of the chosen actions and the returns."""
        replay = self.tables.replay
        actions = torch.from_numpy(replay.actions[rows])
        chosen = self.net.value(replay.observations(rows)).gather(1, actions[:, None])[:, 0]
        return {"value": (chosen - torch.from_numpy(replay.payoffs[rows])).square().mean()}
