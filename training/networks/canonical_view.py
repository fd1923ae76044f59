"""Views turned to where all seats look from the same side, and answers turned back.

Where a game can be turned (`Game.symmetries`) what is right on one side of the board is right on each. A network that
is shown each view from the first side learns that once; which side a seat looks from is told by the first numbers of a
block, one-hot, as its own mountain is. Where none is 1, as before there is a mountain, a view stays as it is. Letters:
`n` views, `T` ways to turn (the first leaves all as it is), `D` numbers in an observation, `A` actions.
"""

import numpy as np
import torch
from torch import nn

from sobremesa.agents.advice import BLOCK as ADVICE
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.training.networks.views import Views


def ways_of(game: Game, block: str) -> list[Symmetry]:
    """Return the symmetries of `game` that bring the second, third, ... number of a row of `block` to its first place.

    Empty unless there is one for each, and no other.
    """
    first, row = game.layout.start(block), next(one.shape[-1] for one in game.layout if one.name == block)
    found = {int(one.seen[first]) - first: one for one in game.symmetries}
    return [found[number] for number in sorted(found)] if sorted(found) == [*range(1, row)] else []


class Facing(nn.Module):
    """How views of `game` are turned by what its `block` tells. Raises ValueError for a block that does not."""

    def __init__(self, game: Game, block: str) -> None:
        super().__init__()
        ways = ways_of(game, block)
        if not ways:
            raise ValueError(f"block {block!r} does not tell how {game.name} is turned")
        self.told = game.layout.start(block), 1 + len(ways)
        unturned = np.arange(len(ways[0].actions))
        actions = np.array([unturned, *(one.actions for one in ways)])
        seen = np.array([np.arange(len(ways[0].seen)), *(one.seen for one in ways)])
        advised = [block.name for block in game.layout].count(ADVICE)
        views = (game.layout.size - advised * actions.shape[1]) // seen.shape[1]  # several where all seats' are seen
        parts = [seen + seen.shape[1] * number for number in range(views)]
        parts += [seen.shape[1] * views + actions.argsort(1)] * advised
        self.register_buffer("seen", torch.from_numpy(np.concatenate(parts, 1)), persistent=False)
        self.register_buffer("actions", torch.from_numpy(actions), persistent=False)
        self.seen: torch.Tensor  # (T, D)
        self.actions: torch.Tensor  # (T, A)

    def turned(self, views: Views) -> tuple[Views, torch.Tensor]:
        """Return `views` as they are looked at, and how each was turned, `(n,)` int64."""
        ways = views.columns(*self.told).argmax(1)
        return Views(views.whole.gather(1, self.seen.index_select(0, ways))), ways

    def back(self, answers: torch.Tensor, ways: torch.Tensor) -> torch.Tensor:
        """Return `answers` `(n, A)` about the actions as they were before; one number a view is of no action."""
        return answers if answers.shape[1] == 1 else answers.gather(1, self.actions.index_select(0, ways))
