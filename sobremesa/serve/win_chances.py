"""The course of a deal that is over: each side's chance to win at looks along its way.

At each look the strong scripted agent plays on for everybody, many times, over orders of the cards that no player had
seen then and its own chance; what a player held or had seen stays as it was (agents/arena/futures.py).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa import agents
from sobremesa.agents.arena.analysis import drawn_anew, marks_of, single
from sobremesa.agents.arena.score import nature
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.deal import Ply, payoffs
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seeds_of

LOOKS, ROLLOUTS = 40, 48  # a chance errs by 0.07 (one standard error) at most
TURNS = 3  # greatest changes that are told


def course(game: Game, plies: Sequence[Ply], seed: int, looks: int = LOOKS, rollouts: int = ROLLOUTS) -> dict[str, Any]:
    """Return {"plies": looked at, "chances": by look, by seat; "turns": [from ply, to ply, seat, change], "single": n}.

    `plies` is a whole deal, its end last; the same `seed` gives the same figures. In a cooperative game the seats have
    one chance. At `n` of the looks, the end left out, all rollouts ended alike; where that is so at all of them, there
    are no chances and no turns.
    """
    at = np.unique(np.linspace(0, len(plies) - 2, min(looks, len(plies) - 1)).round().astype(int)).tolist()
    seats = int(plies[-1].states["seats"][0])
    states = np.concatenate([np.repeat(plies[ply].states, rollouts) for ply in at])
    match = Match(game, [agents.load(agents.scripted_names(game)[-1], game)], states)
    rows = np.arange(len(states))
    seeds = seeds_of(DEAL, seed, range(len(states)))
    match.put(rows, drawn_anew(game, states, seeds), seeds)
    match.settle()
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
    """Return where the chance of one side grew most from one look to the next, the greatest change first."""
    change = np.diff(chances, axis=0)
    best = [(float(row.max()), number, int(row.argmax())) for number, row in enumerate(change)]
    found = sorted(best, reverse=True)[:TURNS]
    return [[at[number], at[number + 1], seat, round(gain, 3)] for gain, number, seat in found if gain > 0]
