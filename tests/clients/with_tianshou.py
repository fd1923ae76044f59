"""Tianshou: its collector and a masked Q network on one seat, its trainer of a DQN as its tutorial calls it, its
PettingZoo interface on all seats, and its double DQN as an outside algorithm of the benchmark.
"""

import gymnasium
import numpy as np
import torch
from deals import id_of, module_of, try_all
from learn_by_tianshou import AT_ONCE, learn
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams

from sobremesa.training.benchmark import Practice
from sobremesa.training.benchmark.tasks import suite


class Values(torch.nn.Module):
    """The worth of each action, from the part of the observation that is no mask."""

    def __init__(self, size, actions):
        super().__init__()
        self.layer = torch.nn.Linear(size, actions)

    def forward(self, obs, state=None, info=None):
        return self.layer(torch.as_tensor(obs.obs if hasattr(obs, "obs") else obs)), state


def one_seat(game):
    def make():
        return gymnasium.make(id_of(game), opponents="random", dict_keys=("obs", "mask"), illegal="raise")

    tables = DummyVectorEnv([make for _ in range(2)])
    space, action_space = make().observation_space["obs"], make().action_space
    policy = DiscreteQLearningPolicy(
        model=Values(space.shape[0], action_space.n), action_space=action_space, observation_space=space,
        eps_training=0.2,
    )  # fmt: skip
    buffer = VectorReplayBuffer(600, 2)
    collector = Collector(policy, tables, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=200)
    batch, _ = buffer.sample(0)
    rows = np.arange(len(batch))
    assert len(batch) == 200
    assert np.asarray(batch.obs.mask)[rows, batch.act].all()


def trainer(game):
    def make():
        return gymnasium.make(id_of(game), opponents="random", dict_keys=("obs", "mask"))

    training, testing = (DummyVectorEnv([make for _ in range(count)]) for count in (4, 2))
    space, actions = training.observation_space[0]["obs"], training.action_space[0]
    policy = DiscreteQLearningPolicy(
        model=Values(space.shape[0], actions.n), action_space=actions, observation_space=space, eps_training=0.1
    )
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3))
    collector = Collector(algorithm, training, VectorReplayBuffer(4000, 4), exploration_noise=True)
    params = OffPolicyTrainerParams(
        training_collector=collector, test_collector=Collector(algorithm, testing), max_epochs=2, epoch_num_steps=1500,
        collection_step_num_env_steps=100, update_step_num_gradient_steps_per_sample=0.02, test_step_num_episodes=4,
        show_progress=False, verbose=False,
    )  # fmt: skip
    result = algorithm.run_training(params)
    assert result.train_episode > 4
    assert -1 <= result.best_score <= 1


def all_seats(game):
    env = PettingZooEnv(module_of(game).env())
    observation, _ = env.reset(seed=1)
    policy = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space).policy
    for _ in range(60):
        batch = Batch(obs=Batch(obs=observation["obs"][None], mask=np.array([observation["mask"]])), info={})
        action = int(policy(batch).act[0])
        assert observation["mask"][action]
        observation, _, over, _, _ = env.step(action)
        if over:
            observation, _ = env.reset()


def benchmark(game):
    for task in [task for task in suite() if task.game == game][:1]:
        practice = Practice(task, 2 * AT_ONCE + 7)
        used, agents = zip(*learn(practice, practice.budget, seed=1), strict=True)
        assert used == (AT_ONCE, 2 * AT_ONCE)
        tables = practice.tables(3, seed=2)
        seen = tables.reset()
        actions = agents[-1].act_batch(seen.observations, seen.masks)
        assert seen.masks[range(3), actions].all()


if __name__ == "__main__":
    try_all(one_seat, trainer, all_seats, benchmark)
