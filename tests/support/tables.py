"""What the hand-made states of every game share: actions by name, observations, and random deals.

`<game>_tables.py` has the `table` of a game, and what its cards, places and questions are called.
"""

import numpy as np

from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import payoffs, random_deal
from sobremesa.envs.core.table import OVER, table_kernels


def listed(names):
    """Return the names in a text, `"EXIT, W+E"`, or in a list."""
    return [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)


@kernel
def _start(states, seed):
    start(states[0], seed)


class Tables:
    """Tables of a game, and actions on them by name, through the public interface.

    Args:
        game: the game.
        name_of: (action) -> the name that tests use; the English one by default.
        action_of: (name) -> the action.
        problems: (states) -> what is impossible; `Game.problems` by default.
    """

    def __init__(self, game, name_of=None, action_of=None, problems=None):
        self.game, self.kernels = game, table_kernels(game)
        self.name_of = name_of or (lambda action: game.words.action_name(action, "en"))
        self.action_of = action_of or (lambda name: game.words.parse_action(name, "en"))
        self.problems = problems or game.problems

    def dealt(self, seed=0, **setup):
        """Return a table just dealt."""
        return next(iter(random_deal(self.game, seed, setup))).states.copy()

    def reseeded(self, states, seed):
        """Return a copy of `states` in which chance begins at `seed`."""
        other = states.copy()
        _start(other, seed)
        return other

    def redealt(self, states, seat, seed):
        """Return a copy of `states` in which what `seat` does not know has been dealt anew."""
        other = states.copy()
        self.kernels.redeal(other, seat, seed)
        return other

    def checked(self, states):
        """Return `states`, which must be possible."""
        assert self.problems(states) == []
        return states

    def choices(self, states):
        """Return the names of the legal actions."""
        mask = np.zeros(self.game.num_actions, np.int8)
        self.kernels.legal(states, mask)
        assert set(mask.tolist()) <= {0, 1}
        return {self.name_of(int(action)) for action in np.flatnonzero(mask)}

    def step(self, states, name):
        """Play a named action, which must be legal; return the seat to act then and how many actions are legal."""
        number, here = self.action_of(name), self.choices(states)
        assert self.name_of(number) in here, f"{name} is not among {sorted(here)} for seat {states[0].seat}"
        observation = np.zeros(self.game.layout.size, np.float32)
        mask = np.zeros(self.game.num_actions, np.int8)
        return self.kernels.step(states, number, observation, mask), int(mask.sum())

    def play(self, states, *names):
        """Play the named actions one after the other, each of which must be legal; return `states`."""
        for name in names:
            seat, legal = self.step(states, name)
            self.checked(states)
            assert (seat == OVER) == bool(states[0].over)
            assert states[0].over or legal > 1, "a seat is asked that has no choice"
        return states

    def after(self, states, *names):
        """Return a copy of `states` in which the named actions have been played."""
        return self.play(states.copy(), *names)

    def paid(self, states):
        return payoffs(self.game, states).tolist()

    def view(self, states, seat):
        """Return the observation of `seat` by block."""
        out = np.zeros(self.game.layout.size, np.float32)
        self.kernels.observe(states, seat, out)
        return self.game.layout.split(out)

    def same_views(self, one, other, seat):
        """Return whether `seat` observes the same at two tables."""
        here, there = self.view(one, seat), self.view(other, seat)
        return all((here[name] == there[name]).all() for name in here)

    def states_of(self, seeds, setup=(), plies=None):
        """Yield the state before each ply of random deals, and at their ends."""
        for seed in seeds:
            for ply in random_deal(self.game, seed, dict(setup), plies):
                yield ply.states
