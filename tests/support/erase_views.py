"""Views of *Érase una vez*, and deals in which players often pass and react."""

import numpy as np
from erase_tables import ACTIONS, GAME

from sobremesa.envs.core.deal import deal_by
from sobremesa.envs.core.testing.secrets import views

SHOWN = views(GAME)


def seen(states, seat, shown):
    return {name: view(GAME, states, seat) for name, view in shown.items()}


def plies(seed, **setup):
    """Give the plies of a deal in which any word is as likely as another, so that seats pass and react often."""
    rng = np.random.default_rng(seed)

    def act(states, _, mask):
        allowed = np.flatnonzero(mask).tolist()
        word = rng.choice(sorted({ACTIONS[action].split()[0] for action in allowed}))
        return int(rng.choice([action for action in allowed if ACTIONS[action].split()[0] == word]))

    return deal_by(GAME, seed, setup, act)
