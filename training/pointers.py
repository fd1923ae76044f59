"""Pointers: actions that are about a row of a block (a card in hand, an end of a tunnel) are scored from that row.

A layer of weights is the same for all rows of a block, as in pointer networks (Vinyals et al. 2015) and deep sets
(Zaheer et al. 2017): what is learnt of one row holds for all, wherever it stands. The rows, pooled, are also part of
what the rest of the network sees. Letters: `n` views, `r` rows, `f` numbers in a row, `D` in an observation.
"""

import torch
from torch import nn

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Block

WIDTH = 32  # numbers that a row becomes


def pointing(game: Game) -> list[Block]:
    """Return the blocks of `game` whose rows are about actions."""
    return [block for block in game.layout if block.about]


class Pointers(nn.Module):
    """The rows of a block, embedded alike; a row of zeros is not there."""

    def __init__(self, game: Game, block: Block, context: int, scores: bool) -> None:
        super().__init__()
        self.start, self.shape = game.layout.start(block.name), block.shape
        self.about = block.about
        self.embed = nn.Linear(block.shape[1], WIDTH)
        count = sum(actions for _, actions in block.about)
        self.look = nn.Linear(context, WIDTH) if scores else None
        self.score = nn.Linear(WIDTH, count) if scores else None

    def rows(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the rows of `observation` `(n, D)`, `(n, r, f)`."""
        rows, width = self.shape
        return observation[:, self.start : self.start + rows * width].reshape(-1, rows, width)

    def pooled(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the sum of the embedded rows, an eighth of it, and their largest numbers, `(n, 2 * WIDTH)`."""
        rows = self.rows(observation)
        there = (rows != 0).any(2, keepdim=True).to(rows.dtype)
        embedded = torch.relu(self.embed(rows)) * there
        return torch.cat([embedded.sum(1) / 8, embedded.amax(1)], 1)

    def point(self, observation: torch.Tensor, context: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        """Return `logits` `(n, A)` with the scores of the rows added, given what the network made of the whole view."""
        assert self.look is not None
        assert self.score is not None
        scores = self.score(torch.relu(self.embed(self.rows(observation)) + self.look(context)[:, None]))
        column = 0
        for first, actions in self.about:
            part = scores[:, :, column : column + actions].flatten(1)
            behind = logits.shape[1] - first - part.shape[1]
            logits = logits + nn.functional.pad(part, (first, behind))
            column += actions
        return logits
