"""Whole deals at all tables of a vector environment, for algorithms that learn after the last deal has ended."""

from collections.abc import Callable

import numpy as np

from sobremesa.envs.core.api.vector import VectorEnv, VectorStep

Choose = Callable[[np.ndarray, VectorStep], np.ndarray]  # (tables (n,), last step) -> actions of these tables (n,)


def play_deals(tables: VectorEnv, seed: int, choose: Choose) -> tuple[np.ndarray, np.ndarray]:
    """Play one deal at each table; return payoffs `(N, S)` float32 and lengths in decisions `(N,)`."""
    seen, count = tables.reset(seed), tables.num_envs
    payoffs, lengths = np.zeros((count, tables.game.max_seats), np.float32), np.zeros(count, np.int64)
    playing = np.ones(count, bool)
    while playing.any():
        rows = np.flatnonzero(playing)
        actions = seen.masks.argmax(1)  # tables whose deal has ended play any action until the others end
        actions[rows] = choose(rows, seen)
        lengths[rows] += 1
        seen = tables.step(actions)
        ended = playing & seen.dones
        payoffs[ended] = seen.payoffs[ended]
        playing &= ~seen.dones
    return payoffs, lengths
