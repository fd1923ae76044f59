"""An outside algorithm of the benchmark: Tianshou's double DQN, unchanged, on one seat of each table.

    sobremesa benchmark run --algorithms tests/clients/learn_by_tianshou.py:learn --tasks corre_el_encierro-2

runs where Tianshou is installed beside the library; `make clients CLIENTS=tianshou` tries it.
"""

import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode

TABLES, AT_ONCE, GRADIENT_STEPS = 8, 256, 2  # decisions between rounds of learning, and steps in a round


class Values(torch.nn.Module):
    """What each action is worth, from the part of an observation that is no mask."""

    def __init__(self, size, actions):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(size, 128), torch.nn.ReLU(), torch.nn.Linear(128, actions))

    def forward(self, obs, state=None, info=None):
        return self.layers(torch.as_tensor(getattr(obs, "obs", obs), dtype=torch.float32)), state


class Greedy:
    """A network of Tianshou's at the table."""

    name = "tianshou"

    def __init__(self, values):
        self.values = values

    def act_batch(self, observations, masks, streams=None):
        with torch.no_grad():
            worths = self.values(observations)[0].numpy()
        return np.where(masks > 0, worths, -np.inf).argmax(1)

    def act(self, view):
        return int(self.act_batch(view.observation[None], view.mask[None])[0])


def learn(task, budget, seed):
    """Learn against `simple` and `random`; give an agent after each round, with the decisions used so far."""
    np.random.seed(seed)  # Tianshou explores by NumPy's global stream
    torch.manual_seed(seed)

    def make():
        return task.seat_env(["simple", "random"], dict_keys=("obs", "mask"), illegal="raise")

    tables = DummyVectorEnv([make for _ in range(TABLES)])
    tables.seed(seed)
    space, actions = tables.observation_space[0]["obs"], tables.action_space[0]
    values = Values(space.shape[0], actions.n)
    policy = DiscreteQLearningPolicy(model=values, action_space=actions, observation_space=space, eps_training=0.1)
    algorithm = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.99, n_step_return_horizon=5, target_update_freq=20
    )
    collector = Collector(algorithm, tables, VectorReplayBuffer(20_000, TABLES), exploration_noise=True)
    collector.reset()
    while task.left >= AT_ONCE:
        with policy_within_training_step(policy):
            collector.collect(n_step=AT_ONCE)
            with torch_train_mode(policy):
                for _ in range(GRADIENT_STEPS):
                    algorithm.update(collector.buffer, AT_ONCE)
        yield task.spent, Greedy(values)
