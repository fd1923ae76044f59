"""Fair votes: how a player without his own interest would vote, as a linear function of the observation.

Where players judge a case of another player, a vote against him is always in one's own interest: a policy that
maximises its payoff learns to refuse everything. Bots therefore vote by this function; people, programs and language
models vote as they like. Letters: `D` numbers in an observation, `A` actions.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class FairVotes(NamedTuple):
    """The fair vote is the action with the largest logit: `block` of the observation times `logits`."""

    block: str  #: name in the layout
    actions: tuple[int, ...]  #: the actions of a vote; every decision with one of them is a vote
    logits: tuple[tuple[float, ...], ...]  #: a row for each number of the block, a column for each of the actions

    def check(self, name: str, sizes: Mapping[str, int], num_actions: int) -> None:
        """Raise ValueError, with the `name` of the game, unless the votes fit its blocks of `sizes` and its actions."""
        size = sizes.get(self.block, 0)
        if not size or np.shape(self.logits) != (size, len(self.actions)):
            need = f"{size} rows of {len(self.actions)} numbers" if size else f"one of {list(sizes)}"
            raise ValueError(
                f"{name}: fair_votes by block {self.block!r} with {np.shape(self.logits)} logits; need {need}"
            )
        if not all(0 <= action < num_actions for action in self.actions):
            raise ValueError(f"{name}: fair_votes by actions {self.actions}; there are {num_actions} actions")

    def matrix(self, num_actions: int) -> np.ndarray:
        """Return the logits of all actions, `(block size, A)` float32, zeros for actions that are no votes."""
        found = np.zeros((len(self.logits), num_actions), np.float32)
        found[:, list(self.actions)] = self.logits
        return found

    def vote(self, block: np.ndarray, mask: np.ndarray) -> int | None:
        """Return the fair vote for the values of the `block` `(block size,)` and the `mask` `(A,)`; None: no vote."""
        legal = [action for action in self.actions if mask[action]]
        if not legal:
            return None
        logits = block @ self.matrix(len(mask))
        return legal[int(np.argmax(logits[legal]))]
