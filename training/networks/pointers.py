"""Pointers: scores of actions about a row of a block (a card in hand, an end of a tunnel) from that row.

All rows of a block share weights, as in pointer networks (Vinyals et al. 2015) and deep sets (Zaheer et al. 2017). The
pooled rows are also an input of the rest of the network. Cells of a grid are scored in the same way, from convolutions
(as in AlphaZero's policy, Silver et al. 2017). Letters: `n` views, `r` rows, `f` numbers in a row, `D` in an
observation.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Block
from sobremesa.training.networks import rows
from sobremesa.training.networks.views import Views

WIDTH = 32  # size of the embedding of a row or cell
ROWS = 2  # axes of a block of rows; grids have more


def pointing(game: Game) -> list[Block]:
    """Return the blocks of `game` whose rows are about actions."""
    return [block for block in game.layout if block.about and len(block.shape) == ROWS]


def pointing_grids(game: Game, grids: Sequence[str]) -> list[Block]:
    """Return the blocks among `grids` of `game` whose cells are about actions."""
    return [block for block in game.layout if block.about and len(block.shape) > ROWS and block.name in grids]


class Pointers(nn.Module):
    """The rows of a block with a shared embedding; a row of zeros is absent."""

    def __init__(self, game: Game, block: Block, context: int, scores: bool) -> None:
        super().__init__()
        about = np.array(block.about, np.int64)
        self.place = rows.Place(game.layout.start(block.name), block.shape[0], block.shape[1], about)
        self.embed = nn.Linear(block.shape[1], WIDTH)
        count = sum(actions for _, actions in block.about)
        self.look = nn.Linear(context, WIDTH) if scores else None
        self.score = nn.Linear(WIDTH, count) if scores else None

    def rows(self, views: Views) -> torch.Tensor:
        """Return the rows of `views`, `(n, r, f)`."""
        return self.place.block(views).reshape(-1, self.place.rows, self.place.width)

    def pooled(self, views: Views) -> torch.Tensor:
        """Return an eighth of the sum, and the maximum, of the embedded rows, `(n, 2 * WIDTH)`."""
        if views.by_kernels:
            return torch.as_tensor(rows.pooled(views, self.place, self.embed.weight, self.embed.bias))
        found = self.rows(views)
        there = (found != 0).any(2, keepdim=True).to(found.dtype)
        embedded = torch.relu(self.embed(found)) * there
        return torch.cat([embedded.sum(1) * rows.POOL_SHARE, embedded.amax(1)], 1)

    def point(self, views: Views, context: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        """Return `logits` `(n, A)` plus the scores of the rows, given the features of the whole view.

        Kernels skip illegal actions (`views.masks`).
        """
        assert self.look is not None
        assert self.score is not None
        if views.by_kernels:
            looked = self.look(context) + self.embed.bias
            weights = self.embed.weight, looked, self.score.weight, self.score.bias
            return torch.as_tensor(rows.scored(views, self.place, *weights, logits))
        embedded = self.embed(self.rows(views))
        scores = self.score(torch.relu(embedded + self.look(context)[:, None]))
        column = 0
        for first, actions in self.place.about.tolist():
            part = scores[:, :, column : column + actions].flatten(1)
            behind = logits.shape[1] - first - part.shape[1]
            logits = logits + nn.functional.pad(part, (first, behind))
            column += actions
        return logits


class Cells(nn.Module):
    """The cells of a grid, with shared scores from the `channels` of convolutions."""

    def __init__(self, blocks: Sequence[Block], channels: int, context: int) -> None:
        super().__init__()
        self.about = [run for block in blocks for run in block.about]
        self.embed = nn.Conv2d(channels, WIDTH, 1)
        self.look = nn.Linear(context, WIDTH)
        self.score = nn.Conv2d(WIDTH, sum(actions for _, actions in self.about), 1)

    def point(self, cells: torch.Tensor, context: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        """Return `logits` `(n, A)` plus the scores of `cells` `(n, channels, H, W)` given the features `context`."""
        scores = self.score(torch.relu(self.embed(cells) + self.look(context)[:, :, None, None]))
        column = 0
        for first, actions in self.about:
            part = scores[:, column : column + actions].flatten(2).transpose(1, 2).flatten(1)
            behind = logits.shape[1] - first - part.shape[1]
            logits = logits + nn.functional.pad(part, (first, behind))
            column += actions
        return logits
