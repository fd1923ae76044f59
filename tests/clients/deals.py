"""The shared part of the clients: the games with a small table of each, and a count of failed checks."""

import sys
import traceback
import warnings

import numpy as np

from sobremesa import envs

GAMES = envs.games()


def id_of(game):
    """Return the id of a game in the registries of Gymnasium and PettingZoo."""
    return f"sobremesa/{envs.load(game).id}"


def module_of(game):
    """Return the module of a game, with `env` and `raw_env` as PettingZoo's own have them."""
    return __import__(f"sobremesa.envs.{game}", fromlist=["env"])


def play_aec(env, seed, plies=60):
    """Play random legal actions, to the end or so many plies; return how many were played."""
    env.reset(seed=seed)
    rng, played = np.random.default_rng(seed), 0
    for _ in env.agent_iter(plies):
        observation, _, termination, truncation, info = env.last()
        action = None
        if not (termination or truncation):
            mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
            action = int(rng.choice(np.flatnonzero(mask)))
        env.step(action)
        played += 1
    assert env.observe(env.agent_selection) is not None
    return played


def try_all(*checks):
    """Run each of `checks` on every game; tell each that fails, and leave with how many did."""
    failed = 0
    for check in checks:
        for game in GAMES:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(game)
            except Exception:
                failed += 1
                print(f"{check.__name__} of {game} failed:\n{traceback.format_exc(limit=-4)}")
        print(f"{check.__name__}: tried on {len(GAMES)} games", flush=True)
    sys.exit(int(failed))
