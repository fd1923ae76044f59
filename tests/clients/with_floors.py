"""The oldest versions that pyproject.toml allows: everything of Gymnasium and PettingZoo that the library is for."""

import gymnasium
import numpy as np
import pettingzoo.test
from deals import id_of, module_of, try_all
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import sobremesa


def gymnasium_check_env(game):
    check_env(gymnasium.make(id_of(game), opponents="random").unwrapped, skip_render_check=True)


def gymnasium_make_vec(game):
    env = gymnasium.make_vec(id_of(game), 3, opponents="random")
    _, infos = env.reset(seed=1)
    for _ in range(50):
        *_, infos = env.step(infos["action_mask"].argmax(1))


def gymnasium_statistics(game):
    """Check `vector.RecordEpisodeStatistics` around tables that start again in the same step."""
    env = RecordEpisodeStatistics(gymnasium.make_vec(id_of(game), 3, opponents="random"))
    _, infos = env.reset(seed=1)
    lengths, deals = np.zeros(3, int), 0
    for _ in range(200):
        *_, over, _, infos = env.step(infos["action_mask"].argmax(1))
        lengths += 1
        assert not over.any() or infos["episode"]["l"][over].tolist() == lengths[over].tolist()
        lengths[over] = 0
        deals += int(over.sum())
    assert deals


def pettingzoo_api_test(game):
    pettingzoo.test.api_test(module_of(game).env(), num_cycles=50)
    pettingzoo.test.seed_test(module_of(game).env, num_cycles=50)


def sobremesa_make_vec(game):
    tables = sobremesa.make_vec(game, 16, seed=1)
    for _ in range(50):
        assert np.isfinite(tables.step(tables.sample()).payoffs).all()


if __name__ == "__main__":
    try_all(gymnasium_check_env, gymnasium_make_vec, gymnasium_statistics, pettingzoo_api_test, sobremesa_make_vec)
