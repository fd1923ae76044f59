"""Futures of a deal: the same state played on many times, over all that no player knows yet.

Each rollout begins with another order of the cards that no player has seen (`Game.reshuffle`), and draws all further
chance, the game's and the agents', anew. What a player holds or has seen stays as it is. So a chance that comes of
rollouts is one for somebody who knows what all players know together. Where all rollouts end alike nothing was varied,
and a 0 or 1 is an outcome, not a chance: the state has one future.
"""

import hashlib

import numpy as np

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seed_of
from sobremesa.envs.core.table import reshuffled

ORDER = "order"  # what a seed is of


def drawn_anew(game: Game, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Return copies of `states` `(N,)`, where rollouts begin: what no player knows yet follows from `seeds` `(N,)`."""
    return reshuffled(game, states, np.array([seed_of(ORDER, seed) for seed in seeds], np.int64))


def marks_of(ends: np.ndarray) -> np.ndarray:
    """Return `(N,)` uint64, equal for those of `ends` `(N,)` that are equal in all but their random streams."""
    ends = ends.copy()
    ends["stream"] = 0
    digests = [hashlib.blake2b(one.tobytes(), digest_size=8).digest() for one in ends]
    return np.frombuffer(b"".join(digests), np.uint64)


def single(marks: np.ndarray) -> np.ndarray:
    """Return `(..., )` bool, where all rollouts `(..., R)` with these marks ended alike."""
    alike: np.ndarray = (marks == marks[..., :1]).all(-1)
    return alike
