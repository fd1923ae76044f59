"""Win chances along a finished deal.

At sampled plies, rollouts of the strong scripted agent for all seats estimate each side's chance. The rollouts
reshuffle the cards that no player had seen; hands and seen cards stay as they were (agents/arena/futures.py).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.analysis import marks_of, resampled_states, single
from sobremesa.agents.arena.score import nature
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.deal import Ply, payoffs
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seeds_of

LOOKS, ROLLOUTS = 40, 48  # standard error of a chance: at most 0.07
TURNS = 3  # largest changes that are reported
SURE = 0.2  # least change that is reported: two standard errors of a difference of two chances


def course(game: Game, plies: Sequence[Ply], seed: int, looks: int = LOOKS, rollouts: int = ROLLOUTS) -> dict[str, Any]:
    """Return {"plies": sampled, "chances": (ply, seat), "turns": [from ply, to ply, seat], "single": n}.

    `plies` is a whole deal including its end; the same `seed` gives the same figures. A cooperative game has one chance
    for all seats. At `n` sampled plies all rollouts were the same; if so at all of them, "chances" and "turns"
    are empty.
    """
    at = np.unique(np.linspace(0, len(plies) - 2, min(looks, len(plies) - 1)).round().astype(int)).tolist()
    seats = int(plies[-1].states["seats"][0])
    states = np.concatenate([np.repeat(plies[ply].states, rollouts) for ply in at])
    match = Match(game, [agents.load(agents.scripted_names(game)[-1], game)], states)
    rows = np.arange(len(states))
    seeds = seeds_of(DEAL, seed, range(len(states)))
    match.put(rows, resampled_states(game, states, seeds), seeds)
    match.advance()
    alike = single(marks_of(match.states).reshape(len(at), rollouts))
    if alike.all():
        return {"plies": [*at, len(plies) - 1], "chances": [], "turns": [], "single": len(at)}
    worth = nature(game).worth(match.payoffs[:, :seats]).reshape(len(at), rollouts, seats).mean(1)
    end = nature(game).worth(payoffs(game, plies[-1].states)[None])
    chances = np.concatenate([worth, end])[:, : 1 if game.cooperative else seats]
    return {
        "plies": [*at, len(plies) - 1],
        "chances": chances.round(3).tolist(),
        "turns": _turns(chances, [*at, len(plies) - 1]),
        "single": int(alike.sum()),
    }


def _turns(chances: np.ndarray, at: Sequence[int]) -> list[list[Any]]:
    """Return where one side gained most between neighbouring samples, the largest gain first, if it is sure."""
    change = np.diff(chances, axis=0)
    best = [(float(row.max()), number, int(row.argmax())) for number, row in enumerate(change)]
    found = sorted(best, reverse=True)[:TURNS]
    return [[at[number], at[number + 1], seat] for gain, number, seat in found if gain > SURE]
