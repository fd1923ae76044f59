"""Canonical views: observations turned to a common orientation, and outputs turned back.

In a game with symmetries (`Game.symmetries`) the network learns each situation once for all orientations. The first
numbers of a one-hot block give the orientation of a view, such as the seat's own mountain; a view without one is not
turned. Letters: `n` views, `T` orientations (the first is the canonical one), `D` numbers in an observation, `A`
actions.
"""

import numpy as np
import torch
from torch import nn

from sobremesa.agents.advice import BLOCK as ADVICE
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.training.networks.views import Views


def ways_of(game: Game, block: str) -> list[Symmetry]:
    """Return the symmetries of `game` that move the second, third, ... number of a row of `block` to the first place.

    Empty unless there is exactly one for each.
    """
    first, row = game.layout.start(block), next(one.shape[-1] for one in game.layout if one.name == block)
    found = {int(one.seen[first]) - first: one for one in game.symmetries}
    return [found[number] for number in sorted(found)] if sorted(found) == [*range(1, row)] else []


class CanonicalView(nn.Module):
    """Turns views of `game` by the orientation in `block`. Raises ValueError for a block without orientations."""

    def __init__(self, game: Game, block: str) -> None:
        super().__init__()
        ways = ways_of(game, block)
        if not ways:
            raise ValueError(f"block {block!r} of {game.name} gives no orientation")
        self.told = game.layout.start(block), 1 + len(ways)
        unturned = np.arange(len(ways[0].actions))
        actions = np.array([unturned, *(one.actions for one in ways)])
        seen = np.array([np.arange(len(ways[0].seen)), *(one.seen for one in ways)])
        advised = [block.name for block in game.layout].count(ADVICE)
        views = (game.layout.size - advised * actions.shape[1]) // seen.shape[1]  # 1, without views of several seats
        parts = [seen + seen.shape[1] * number for number in range(views)]
        parts += [seen.shape[1] * views + actions.argsort(1)] * advised
        self.register_buffer("seen", torch.from_numpy(np.concatenate(parts, 1)), persistent=False)
        self.register_buffer("actions", torch.from_numpy(actions), persistent=False)
        self.seen: torch.Tensor  # (T, D)
        self.actions: torch.Tensor  # (T, A)

    def turned(self, views: Views) -> tuple[Views, torch.Tensor]:
        """Return canonical views, and the orientation of each, `(n,)` int64."""
        ways = views.columns(*self.told).argmax(1)
        return Views(views.whole.gather(1, self.seen.index_select(0, ways))), ways

    def back(self, answers: torch.Tensor, ways: torch.Tensor) -> torch.Tensor:
        """Return the logits `answers` `(n, A)` for the actions of the original views; values `(n, 1)` do not change."""
        return answers if answers.shape[1] == 1 else answers.gather(1, self.actions.index_select(0, ways))
