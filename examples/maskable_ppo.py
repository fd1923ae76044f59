"""Train sb3-contrib's MaskablePPO against `simple`, and print its learning curve.

    pip install '.[train]'    # in a clone of the library
    python examples/maskable_ppo.py ese_toro_enamorado --decisions 400_000 --seed 0

A point of the curve has the decisions, the CPU seconds of training, and the share of deals against `simple` that the
policy wins; its actions are drawn.
"""

import argparse
import time

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env

import sobremesa


def main() -> None:
    """Train and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", default="ese_toro_enamorado", help="name of the game (default: %(default)s)")
    parser.add_argument("--decisions", type=int, default=400_000, help="of the learner (default: %(default)s)")
    parser.add_argument("--every", type=int, default=51_200, help="decisions between two points (default: %(default)s)")
    parser.add_argument("--deals", type=int, default=400, help="of a point (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the learner (default: %(default)s)")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    name, against = f"sobremesa/{sobremesa.load(asked.game).id}", {"opponents": "simple", "seats": 2}
    seats = make_vec_env(name, n_envs=64, seed=asked.seed, env_kwargs=against)
    tested = make_vec_env(name, n_envs=16, seed=10_000, env_kwargs=against)
    learner = MaskablePPO(
        "MlpPolicy", seats, n_steps=32, batch_size=1024, n_epochs=3, learning_rate=3e-3, gamma=1.0, gae_lambda=0.8,
        ent_coef=0.01, policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU}, seed=asked.seed,
    )  # fmt: skip
    used = 0.0
    while learner.num_timesteps < asked.decisions:
        began = time.process_time()
        learner.learn(asked.every, reset_num_timesteps=learner.num_timesteps == 0)
        used += time.process_time() - began
        paid, _ = evaluate_policy(learner, tested, asked.deals, deterministic=False, return_episode_rewards=True)
        wins = sum(reward > 0 for reward in paid) / len(paid)
        print(f"{learner.num_timesteps:,} decisions, {used:.0f} s: {wins:.3f}", flush=True)


if __name__ == "__main__":
    main()
