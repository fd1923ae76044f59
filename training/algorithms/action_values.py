"""What dmc.py, dqn.py and others learn: how much each action is worth; and who plays by it."""

import numpy as np
import torch

from sobremesa.agents.exported import pick_actions
from sobremesa.envs.core.agent import Agent, View
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.networks.views import Views

LARGEST_GRADIENT = 10.0  # norm over all weights
LAST_RATE = 0.1  # the learning rate falls to this part of itself


class ActionValues(PolicyNet):
    """The worth of all actions at once, in one look at the observation; as a graph they are logits, taken greedily."""

    def value(self, observations: np.ndarray) -> torch.Tensor:
        """Return what each action is worth, `(n, A)`, forbidden ones too, for `observations` `(n, D)` float32.

        With advice, if the network is advised.
        """
        views = Views(torch.from_numpy(observations))
        return self.run(views, views.matrix[:, :0])[0]

    def agent(self, name: str) -> Agent:
        return GreedyAgent(name, self)


class GreedyAgent:
    """A network at the table that takes what is worth most."""

    def __init__(self, name: str, net: ActionValues) -> None:
        self.name = name
        self.net = net

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Return the best action of each row."""
        actions = np.zeros(len(observations), np.int64)
        if self.net.advisor is not None:
            observations = self.net.advisor.advise(observations, masks)
        with torch.inference_mode():
            pick_actions(self.net.value(observations).numpy(), masks, streams, True, actions)
        return actions

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def best_legal(worths: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the legal action of most worth in each view, the first of those that tie, `(n,)`."""
    best: np.ndarray = np.where(masks, worths, -np.inf).argmax(1)
    return best


def mostly_best(worths: np.ndarray, masks: np.ndarray, random: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the best legal action of each view, `(n,)`; where `random` `(n,)` bool, any legal one."""
    actions = best_legal(worths, masks)
    lots = 1 - rng.random((int(random.sum()), masks.shape[1]))  # above 0
    actions[random] = (lots * masks[random]).argmax(1)
    return actions


def descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor, rate: float, done: float) -> float:
    """Take a gradient step once the part `done` of a run is over; `rate` is the learning rate at first.

    Returns the loss; raises FloatingPointError, with the weights as they were, if it is not finite.
    """
    found = loss.item()
    if not np.isfinite(found):
        raise FloatingPointError(f"the loss is {found}; lower learning_rate={rate}")
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    for group in optimizer.param_groups:
        group["lr"] = rate * (1 - (1 - LAST_RATE) * done)
        torch.nn.utils.clip_grad_norm_(group["params"], LARGEST_GRADIENT)
    optimizer.step()
    return found
