"""Nearly valid states: one field of a reachable state is changed; accepted ones are played on."""

import numpy as np

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import OVER, state_problems, table_kernels

PLIES = 40  # played on from a state that was accepted


def mutated(game, setups, count, seed=0):
    """Yield so many `(1,)` states of random deals in `setups`, each with one number of one field changed."""
    rng = np.random.default_rng(seed)
    reachable = [
        ply.states
        for number, setup in enumerate(setups)
        for ply in random_deal(game, seed + number, setup, plies=400)
        if ply.action != OVER
    ]
    options = {option.name for option in game.options}
    names = [name for name in game.state.names if name not in options and not name.startswith(("stream", "padding"))]
    for _ in range(count):
        states = reachable[rng.integers(len(reachable))].copy()
        field = states[str(rng.choice(names))].reshape(-1)
        spot = rng.integers(field.size)
        field[spot] = rng.integers(0, max(4, int(field.max()) + 2))
        yield states


def played_on(game, states, seed):
    """Play `states` on at random for some plies; return the problems of the first state that has some."""
    kernels, rng = table_kernels(game), np.random.default_rng(seed)
    observation, mask = np.zeros(game.layout.size, np.float32), np.zeros(game.num_actions, np.int8)
    kernels.legal(states, mask)
    for _ in range(PLIES):
        if states["over"][0]:
            return []
        kernels.step(states, int(rng.choice(np.flatnonzero(mask))), observation, mask)
        if found := state_problems(game, states):
            return found
    return []
