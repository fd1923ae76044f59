"""rl_games: its PPO with action masks on a TensorEnv, through its vector interface (IVecEnv)."""

import gymnasium
import torch
from rl_games.common import env_configurations, vecenv
from rl_games.common.algo_observer import AlgoObserver
from rl_games.common.ivecenv import IVecEnv
from rl_games.torch_runner import Runner

import sobremesa

GAME = "bandido_alcatraz"  # cooperative: all seats are paid alike, so a table is one agent


class Tables(IVecEnv):
    """Tables of a cooperative game, whose seats all play by one policy; observations stay on the device."""

    def __init__(self, name, num_envs, device="cuda", **setup):
        self.env = sobremesa.make_vec(name, num_envs=num_envs, device=device, **setup)

    def reset(self):
        return self.env.reset().observations

    def step(self, actions):
        step = self.env.step(actions.long())
        return step.observations, step.payoffs[:, 0], step.dones.to(torch.uint8), {}

    def has_action_masks(self):
        return True

    def get_action_masks(self):
        return self.env.observe().masks.bool().cpu()  # rl_games makes a tensor of the processor of them

    def get_env_info(self):
        width, actions = self.env.game.layout.size, self.env.game.num_actions
        numbers = gymnasium.spaces.Box(0.0, 1.0, (width,))
        return {"observation_space": numbers, "action_space": gymnasium.spaces.Discrete(actions), "agents": 1}


class Watch(AlgoObserver):
    """Keeps the algorithm and its first weights."""

    def after_init(self, algo):
        self.algo = algo
        self.first = [weight.clone() for weight in algo.model.parameters()]


def config_of(num_envs, horizon, epochs):
    """Return a configuration of rl_games: PPO on the processor."""
    config = {
        "name": GAME, "env_name": GAME, "full_experiment_name": "tables", "train_dir": "rl_games", "device": "cpu",
        "ppo": True, "use_action_masks": True, "num_actors": num_envs, "horizon_length": horizon, "mini_epochs": 2,
        "minibatch_size": num_envs * horizon, "max_epochs": epochs, "gamma": 1.0, "tau": 0.95, "e_clip": 0.2,
        "clip_value": False, "learning_rate": 5e-4, "lr_schedule": None, "critic_coef": 0.5, "entropy_coef": 0.01,
        "grad_norm": 0.5, "truncate_grads": True, "normalize_advantage": True, "normalize_input": False,
        "normalize_value": False, "reward_shaper": {"scale_value": 1.0}, "score_to_win": 10.0,
    }  # fmt: skip
    layers = {"units": [32], "activation": "relu", "initializer": {"name": "default"}}
    network = {"name": "actor_critic", "separate": True, "space": {"discrete": None}, "mlp": layers}
    chosen = {"algo": {"name": "a2c_discrete"}, "model": {"name": "discrete_a2c"}, "network": network}
    return {"params": {"seed": 1, "config": config, **chosen}}


def main():
    """Train, and check that weights change and that no action was illegal."""
    env_configurations.register(GAME, {"vecenv_type": "TABLES"})
    vecenv.register("TABLES", lambda name, num_envs, **_: Tables(name, num_envs, device="cpu:0", seats=2))
    watch = Watch()
    runner = Runner(watch)
    runner.load(config_of(num_envs=16, horizon=64, epochs=3))
    runner.run({"train": True, "play": False})
    algo = watch.algo
    assert algo.frame == 3 * 16 * 64
    assert algo.game_lengths.current_size > 0  # deals that ended
    assert any(not torch.equal(*pair) for pair in zip(watch.first, algo.model.parameters(), strict=True))
    algo.vec_env.env.check()  # raises for an illegal action


if __name__ == "__main__":
    main()
