"""The fixed term of a policy that votes fairly (envs/core/fair_votes.py)."""

import torch
from torch import nn

from sobremesa.envs.core.game import Game
from sobremesa.training.networks.views import Views


class FairVotesTerm(nn.Module):
    """Logits of fair votes, to add to those of a policy; it has no weights that learn.

    Raises ValueError for a game without fair votes.
    """

    logits: torch.Tensor

    def __init__(self, game: Game) -> None:
        super().__init__()
        if game.fair_votes is None:
            raise ValueError(f"fair_votes=True is not allowed; {game.name} has no votes")
        self.start, self.count = game.layout.start(game.fair_votes.block), len(game.fair_votes.logits)
        matrix = torch.from_numpy(game.fair_votes.matrix(game.num_actions))
        self.register_buffer("logits", matrix, persistent=False)

    def forward(self, views: Views) -> torch.Tensor:
        """Return the logits `(n, A)` of fair votes."""
        return torch.as_tensor(views.columns(self.start, self.count) @ self.logits)
