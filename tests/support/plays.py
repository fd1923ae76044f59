"""Deals played in tests of what is generic over games."""

from functools import cache

import numpy as np
import pytest

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.testing.check import setups

GAMES = [name for name in envs.games() if name != "kuhn"]
KINDS = ["env", "raw_env"]
# What generic code makes of its arguments is tried with one game: the one whose record is smallest.
one_game = pytest.mark.parametrize("name", [min(GAMES, key=lambda name: envs.load(name).state.itemsize)], indirect=True)
_LONG = 120  # plies: as far as deals are tried


@cache
def short_deal(name):
    """Return a setup of the game, and a seed, that give one of its shortest random deals."""
    game = envs.load(name)
    found, shortest = None, _LONG
    for setup in setups(game)[-6:]:  # those that shorten deals come last
        for seed in range(2):
            plies = sum(1 for _ in random_deal(game, seed, setup, shortest))
            if found is None or plies < shortest:
                found, shortest = (setup, seed), plies
    return found


def allowed(env):
    """Return the actions allowed to the seat to act."""
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"])


def random_action(env, rng):
    """Return a random legal action of an AEC environment, None for a seat that has terminated."""
    return None if env.terminations[env.agent_selection] else int(rng.choice(allowed(env)))


def play_on(env, seed, plies=None):
    """Play random legal actions drawn from `seed`, to the end, dead steps included, or so many; yield each action."""
    rng = np.random.default_rng(seed)
    while env.agents and plies != 0:
        action = random_action(env, rng)
        env.step(action)
        plies = plies if plies is None else plies - 1
        yield action


def looks(env):
    """Return all that an AEC environment says, comparable with `==`."""
    seen = [(agent, env.observe(agent)) for agent in env.possible_agents] if env.agents else []
    seen = [(agent, see["observation"].tobytes(), see["action_mask"].tobytes()) for agent, see in seen]
    masks = {agent: env.infos[agent]["action_mask"].tobytes() for agent in env.agents}
    selected = env.agent_selection if env.agents else None
    return (
        env.get_state(),
        seen,
        masks,
        selected,
        env.rewards,
        env._cumulative_rewards,
        env.terminations,
        env.truncations,
    )
