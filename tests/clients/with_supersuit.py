"""SuperSuit's wrappers that fit a vector of numbers; the mask stays in the infos.

`frame_skip` is left out: it repeats actions whatever the mask says, and hands on no infos.
"""

import supersuit
from deals import module_of, play_aec, try_all

WRAPPERS = {
    "frame_stack": lambda env: supersuit.frame_stack_v1(env, 3),
    "sticky_actions": lambda env: supersuit.sticky_actions_v0(env, 0.0),
    "delay_observations": lambda env: supersuit.delay_observations_v0(env, 2),
    "max_observation": lambda env: supersuit.max_observation_v0(env, 2),
    "nan_random": supersuit.nan_random_v0,
    "nan_zeros": supersuit.nan_zeros_v0,
    "nan_noop": lambda env: supersuit.nan_noop_v0(env, 0),
    "dtype": lambda env: supersuit.dtype_v0(env, "float16"),
    "flatten": supersuit.flatten_v0,
    "normalize_obs": supersuit.normalize_obs_v0,
    "clip_reward": lambda env: supersuit.clip_reward_v0(env, -0.5, 0.5),
    "agent_indicator": supersuit.agent_indicator_v0,
    "pad_observations": supersuit.pad_observations_v0,
    "pad_action_space": supersuit.pad_action_space_v0,
    "reward_lambda": lambda env: supersuit.reward_lambda_v0(env, lambda reward: 2 * reward),
}


def bare(game):
    """Return an environment that hands out the vector alone."""
    env = module_of(game).env()
    return supersuit.observation_lambda_v0(env, lambda seen, _: seen["observation"], lambda space: space["observation"])


def check_of(name, wrap):
    """Return a check that plays a deal under the wrapper `name`, to the end and on after it."""

    def check(game):
        assert play_aec(wrap(bare(game)), seed=3, plies=3_000) > 5

    check.__name__ = f"supersuit.{name}"
    return check


if __name__ == "__main__":
    try_all(*(check_of(name, wrap) for name, wrap in WRAPPERS.items()))
