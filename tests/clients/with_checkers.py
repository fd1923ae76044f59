"""The checkers of Gymnasium, Stable-Baselines3 and PettingZoo, as a user would call them."""

import os

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import gymnasium
import pettingzoo.test
from deals import id_of, module_of, try_all
from gymnasium.utils.env_checker import check_env
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from sobremesa.envs.core.picture import render

render.FRAMES_PER_SECOND = 10_000


def gymnasium_check_env(game):
    check_env(gymnasium.make(id_of(game), render_mode="rgb_array").unwrapped)


def stable_baselines3_check_env(game):
    from stable_baselines3.common.env_checker import check_env

    check_env(gymnasium.make(id_of(game)), skip_render_check=False)


def pettingzoo_api_test(game):
    for make in (module_of(game).env, module_of(game).raw_env):
        for encoder in ("flat", "blocks", "text"):
            pettingzoo.test.api_test(make(encoder=encoder), num_cycles=50)


def pettingzoo_seed_test(game):
    pettingzoo.test.seed_test(module_of(game).env, num_cycles=50)


def pettingzoo_parallel_api_test(game):
    pettingzoo.test.parallel_api_test(turn_based_aec_to_parallel(module_of(game).env()), num_cycles=50)


def pettingzoo_render_test(game):
    pettingzoo.test.render_test(module_of(game).env, custom_tests={"svg": lambda drawn: drawn.startswith("<svg")})


if __name__ == "__main__":
    try_all(
        gymnasium_check_env,
        stable_baselines3_check_env,
        pettingzoo_api_test,
        pettingzoo_seed_test,
        pettingzoo_parallel_api_test,
        pettingzoo_render_test,
    )
