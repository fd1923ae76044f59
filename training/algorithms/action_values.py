"""Action values: the network, the greedy agent, and self-play with a replay buffer (dmc.py, dqn.py)."""

import numpy as np
import torch

from sobremesa.agents.exported import pick_actions
from sobremesa.envs.core.agent import Agent, View
from sobremesa.envs.core.api.vector import VectorStep
from sobremesa.training.config.classes import ReplayConfig
from sobremesa.training.data.replay_buffer import Tables
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.networks.views import Views
from sobremesa.training.runs.loop import Loop, weights_of

LARGEST_GRADIENT = 10.0  # norm over all weights
LAST_RATE = 0.1  # the learning rate falls to this part of itself


class ActionValues(PolicyNet):
    """Values of all actions in one forward pass; in an exported graph they are logits, for greedy choices."""

    def value(self, observations: np.ndarray) -> torch.Tensor:
        """Return the values of all actions `(n, A)`, illegal ones too, for `observations` `(n, D)` with any advice."""
        views = Views(torch.from_numpy(observations))
        return self.run(views, views.matrix[:, :0])[0]

    def agent(self, name: str) -> Agent:
        return GreedyAgent(name, self)


class GreedyAgent:
    """Agent that plays the action of highest value."""

    def __init__(self, name: str, net: ActionValues) -> None:
        self.name = name
        self.net = net

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Return the best legal action of each row."""
        actions = np.zeros(len(observations), np.int64)
        if self.net.advisor is not None:
            observations = self.net.advisor.advise(observations, masks)
        with torch.inference_mode():
            pick_actions(self.net.value(observations).numpy(), masks, streams, True, actions)
        return actions

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def best_legal(worths: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the legal action of highest value in each view, the first among ties, `(n,)`."""
    best: np.ndarray = np.where(masks, worths, -np.inf).argmax(1)
    return best


def mostly_best(worths: np.ndarray, masks: np.ndarray, random: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the best legal action of each view, `(n,)`; a random legal one where `random` `(n,)` is true."""
    actions = best_legal(worths, masks)
    lots = 1 - rng.random((int(random.sum()), masks.shape[1]))  # above 0
    actions[random] = (lots * masks[random]).argmax(1)
    return actions


def descend(optimizer: torch.optim.Optimizer, loss: torch.Tensor, rate: float, done: float) -> float:
    """Take a gradient step and return the loss; the learning rate falls from `rate` with the part `done` of the run.

    Raises FloatingPointError, before any weight changes, if the loss is not finite.
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


class ValueLoop(Loop):
    """Epsilon-greedy self-play of all seats, and gradient steps on decisions of the replay buffer."""

    config: ReplayConfig

    def begin(self, new: bool) -> None:
        config = self.config
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.net = ActionValues(self.game, config.hidden)
        self.learned = self.net
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.learning_rate, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.tables = Tables(config, self.game)

    def update(self) -> dict[str, float]:
        """Play about `batch_size` decisions, and take `epochs` gradient steps of that size."""
        config, plies = self.config, self.config.plies(self.steps)
        metrics = self.tables.play(self._choose, plies)
        self.steps += plies * config.tables
        known = self._known()
        if len(known) >= config.batch_size:
            passes = []
            for _ in range(config.epochs):
                losses = self._losses(self.rng.choice(known, config.batch_size))
                descend(self.optimizer, torch.stack([*losses.values()]).sum(), config.learning_rate, self.done)
                passes.append({name: loss.item() for name, loss in losses.items()})
            metrics |= {f"loss/{name}": float(np.mean([one[name] for one in passes])) for name in passes[0]}
        return metrics

    def _choose(self, observations: np.ndarray, seen: VectorStep) -> np.ndarray:
        """Return the epsilon-greedy action of each table, `(N,)`."""
        with torch.inference_mode():
            values = self.net.value(observations).numpy()
        random = self.rng.random(len(values)) < self.config.exploring(self.done)
        return mostly_best(values, seen.masks, random, self.rng)

    def _known(self) -> np.ndarray:
        """Return the rows of the replay buffer that have a target, `(n,)`."""
        raise NotImplementedError

    def _losses(self, rows: np.ndarray) -> dict[str, torch.Tensor]:
        """Return the losses by name at `rows` `(n,)` of the replay buffer."""
        raise NotImplementedError

    @property
    def over(self) -> bool:
        """Whether one more decision at each table would exceed the budget, or the run is over."""
        return self.config.plies(self.steps) == 0 or super().over

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return weights, tables and replay buffer."""
        return {"value": weights_of(self.net), **self.tables.arrays()}
