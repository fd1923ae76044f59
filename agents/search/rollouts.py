"""Rollouts: what comes of an action, in worlds that a seat holds possible, when an agent plays on for all seats.

Letters: `W` worlds, `C` candidates (actions), `T` tables that play at once.
"""

import hashlib

import numpy as np

from sobremesa.envs.core.agent import Agent, View
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.match import OUTSIDE, Match
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import table_kernels

TABLES = 512  # at once, whatever the budget: this bounds the memory
WORLD, CHANCE = "world", "chance"  # what a search's seeds are of
_ASKED, _PLAYING = 0, 1  # places in the match: who names the first action, and who plays on


def seed_of(view: View) -> int:
    """Return a seed that follows from what the seat of `view` sees and from its stream; nothing is drawn from it."""
    seen = hashlib.blake2b(view.stream.tobytes(), digest_size=8, person=b"search")
    seen.update(view.observation.tobytes() + view.mask.tobytes())
    return int.from_bytes(seen.digest(), "little") >> 1


def sample_worlds(view: View, seed: int, low: int, high: int) -> np.ndarray:
    """Return `(high - low,)` states, worlds number `low` to `high` - 1 of `seed` that the seat of `view` may be in."""
    redeal = table_kernels(view.game).redeal
    worlds = np.repeat(view.state, high - low)
    for number, world_seed in enumerate(seeds_of(WORLD, seed, range(low, high))):
        redeal(worlds[number : number + 1], view.seat, int(world_seed))
    return worlds


class Rollouts:
    """Tables at which `agent` plays on for all seats; made once for a search agent, used at each of its decisions."""

    def __init__(self, game: Game, agent: Agent) -> None:
        # One thread: whoever plays many deals runs many searches beside each other.
        self._match = Match(game, [OUTSIDE, agent], np.zeros(TABLES, game.state), threads=1)

    def payoffs(self, worlds: np.ndarray, candidates: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """Return what each seat is paid, `(W, C, S)` float32, if each of `candidates` `(C,)` is played in each world.

        `worlds` `(W,)` are left as they are. What is left to chance, the game's and the agents', follows in each world
        from its own of the seeds `chances` `(W,)`, the same for all candidates.
        """
        paid = np.zeros((len(worlds) * len(candidates), self._match.payoffs.shape[1]), np.float32)
        world, candidate = np.divmod(np.arange(len(paid)), len(candidates))
        for low in range(0, len(paid), TABLES):
            part = slice(low, min(low + TABLES, len(paid)))
            self._play(worlds[world[part]], candidates[candidate[part]], chances[world[part]], paid[part])
        return paid.reshape(len(worlds), len(candidates), -1)

    def _play(self, states: np.ndarray, actions: np.ndarray, chances: np.ndarray, paid: np.ndarray) -> None:
        match, rows = self._match, np.arange(len(states))
        match.states["over"] = 1
        match.seating[:] = _ASKED
        match.put(rows, states, chances)
        match.step(rows, actions)
        match.seating[:] = _PLAYING
        match.settle()
        paid[:] = match.payoffs[rows]
