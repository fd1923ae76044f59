"""Random deals for the tests that run on every game."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.testing import setups

GAMES = [name for name in envs.games() if name not in envs._REGISTERED]  # those of the library
SHORT = "liars_dice"  # the example of a game of one's own, whose deals have few plies
KINDS = ["env", "raw_env"]
_SMALLEST = min(GAMES, key=lambda name: envs.load(name).state.itemsize)
one_game = pytest.mark.parametrize("name", [_SMALLEST], indirect=True)  # for tests of arguments
small_games = pytest.mark.parametrize("name", [_SMALLEST, SHORT], indirect=True)
_LONG = 120  # plies


def installed(name, monkeypatch):
    """Return `name`; register the game first if it is `SHORT`."""
    if name == SHORT:
        monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "examples" / SHORT)
        import liars_dice

        monkeypatch.setitem(envs._REGISTERED, name, liars_dice.GAME)  # until the test ends
        envs.register(liars_dice.GAME)
    return name


@cache
def short_deal(name):
    """Return a setup and a seed that give one of the game's shortest random deals."""
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


def midgame(make, plies=12, seed=3):
    """Return an environment in the middle of a deal: after so many plies, or before its last one."""
    env, rng = make(), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(plies):
        before = env.clone()
        env.step(random_action(env, rng))
        if any(env.terminations.values()):
            return before
    return env


def looks(env):
    """Return everything that an AEC environment shows, comparable with `==`."""
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
