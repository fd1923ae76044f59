"""RLlib: PPO with its own module that masks actions, one small update on one seat of each game."""

import gymnasium
import ray
from deals import id_of, try_all
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env


def one_seat(game):
    def make(_):
        import sobremesa  # noqa: F401  # tells Gymnasium its ids, in whatever process this runs

        keys = ("observations", "action_mask")
        return gymnasium.make(id_of(game), opponents="random", dict_keys=keys, illegal="raise")

    register_env(game, make)
    config = (
        PPOConfig()
        .environment(game)
        .env_runners(num_env_runners=0)
        .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [32]}
            )
        )
    )
    algorithm = config.build_algo()
    assert algorithm.train()["env_runners"]["num_env_steps_sampled"] >= 200
    algorithm.stop()


if __name__ == "__main__":
    ray.init(num_cpus=1, include_dashboard=False)
    try_all(one_seat)
