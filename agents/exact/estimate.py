"""Estimated size of a tree, without building it: Knuth, "Estimating the efficiency of backtrack programs" (1975).

A random walk from the deal to an end weighs each node by the number of branches before it. The mean over walks is
unbiased, except that a tree merges outcomes of chance with the same state.
"""

from collections.abc import Callable

import numpy as np

from sobremesa.agents.exact.script import add_draws, ranges_of
from sobremesa.envs.core.chance import WORDS
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import DEAL

WALKS, LONGEST = 200, 400  # walks; decisions and draws in one


def estimate_nodes(game: Game, table: np.ndarray, play: Callable[..., None], seed: int = 0) -> float:
    """Return the estimated number of nodes of the tree of `game` from the `(1,)` setup `table`; long walks are cut off.

    `play` is the kernel of tree.py that plays by script.
    """
    rng = np.random.default_rng(seed)
    states, actions = np.repeat(table, WALKS), np.full(WALKS, DEAL)
    scripts, stands_for, nodes = np.zeros((WALKS, WORDS), np.uint32), np.ones(WALKS), 0.0
    for _ in range(LONGEST):
        count = len(states)
        if not count:
            break
        tried = states.copy()
        tried["stream"] = scripts
        masks, codes = np.zeros((count, game.num_actions), np.int8), np.zeros((count, game.layout.width), np.uint8)
        play(tried, actions, masks, codes, np.zeros((count, game.max_seats), np.float32))
        ranges = ranges_of(tried["stream"])
        drawing = ranges > 0
        choices = np.where(drawing, ranges, masks.sum(1, dtype=np.int64))
        nodes += stands_for[~drawing].sum()
        with np.errstate(over="ignore"):
            stands_for = stands_for * choices
        drawn = (rng.random(count) * choices).astype(np.int64)
        scripts[drawing] = add_draws(scripts[drawing], drawn[drawing])
        scripts[~drawing] = 0
        states[~drawing] = tried[~drawing]
        actions[~drawing] = np.argmax(np.cumsum(masks[~drawing], 1, dtype=np.int64) > drawn[~drawing, None], axis=1)
        on = drawing | (choices > 0)
        states, actions, scripts, stands_for = states[on], actions[on], scripts[on], stands_for[on]
    return float(nodes / WALKS)
