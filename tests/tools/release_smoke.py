"""Play games with an installed library, by default all: `check_release.py` runs this file in empty environments."""

import sys

import gymnasium
import numpy as np
import pettingzoo.test
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import sobremesa
from sobremesa import envs


def play(game: str) -> int:
    """Play an episode with random legal actions; return its number of decisions."""
    env = sobremesa.make(game)
    env.reset(seed=7)
    decisions = 0
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
        decisions += not done
    return decisions


def check(game: str) -> None:
    """Run the checkers of PettingZoo and Gymnasium, and step vector environments."""
    pettingzoo.test.api_test(sobremesa.make(game), num_cycles=50)
    pettingzoo.test.seed_test(lambda: sobremesa.make(game), num_cycles=50)
    name = f"sobremesa/{envs.load(game).id}"
    check_env(gymnasium.make(name, opponents="random").unwrapped, skip_render_check=True)
    check_statistics(gymnasium.make_vec(name, 3, opponents="random"))
    tables = sobremesa.make_vec(game, 16, seed=1)
    for _ in range(50):
        assert np.isfinite(tables.step(tables.sample()).payoffs).all()


def check_statistics(tables: gymnasium.vector.VectorEnv) -> None:
    """Check Gymnasium's statistics of episodes around tables that start again in the same step."""
    env = RecordEpisodeStatistics(tables)
    _, infos = env.reset(seed=1)
    lengths, episodes = np.zeros(3, int), 0
    for _ in range(200):
        *_, over, _, infos = env.step(infos["action_mask"].argmax(1))
        lengths += 1
        assert not over.any() or infos["episode"]["l"][over].tolist() == lengths[over].tolist()
        lengths[over] = 0
        episodes += int(over.sum())
    assert episodes


if __name__ == "__main__":
    assert "site-packages" in envs.__file__, envs.__file__
    for name in sys.argv[1:] or envs.all_games():
        print(name, play(name), "decisions")
        check(name)
