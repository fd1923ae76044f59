"""How much a policy is to doubt that it knows better than who advises it, found on lessons that it was never taught.

A network's best action is the largest of many estimates, and so mostly worth less than it thinks. On lessons that were
kept from it one sees by how much: of all doubts, differences that it has to see before it leaves what is advised, that
is taken with which it gains most, less some standard errors of that; or one that it never overcomes, where
nothing is left with any. Each kind of decisions has its own.

Letters: `k` lessons, `C` candidates, `K` kinds.
"""

import numpy as np

NEVER = 10.0  # no payoff makes up for so much doubt
DOUBTS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)  # payoff
ENOUGH = 100  # lessons of a kind in which the policy leaves what is advised; fewer show nothing


def doubts_of(thought: np.ndarray, gains: np.ndarray, kinds: np.ndarray, count: int, surely: float) -> np.ndarray:
    """Return a doubt for each of `count` kinds, `(K,)` float32.

    Args:
        thought: (k, C) how much more than the first candidate, which is advised, each is thought to bring, without
            any doubt; below any payoff where there is no candidate.
        gains: (k, C) how much more each brought.
        kinds: (k,) of the lessons, below `count`.
        count: K.
        surely: how many standard errors of what is gained are taken off.
    """
    best = thought[:, 1:].argmax(1) + 1
    rows = np.arange(len(best))
    hoped, brought = thought[rows, best], gains[rows, best]
    found = np.full(count, NEVER, np.float32)
    for kind in range(count):
        own = kinds == kind
        left = [_left(np.where(hoped[own] > doubt, brought[own], 0), surely) for doubt in DOUBTS]
        if max(left) > 0:
            found[kind] = DOUBTS[int(np.argmax(left))]
    return found


def _left(gained: np.ndarray, surely: float) -> float:
    """Return the mean of `gained` less `surely` standard errors; 0 where it is hardly anywhere anything."""
    if np.count_nonzero(gained) < ENOUGH:
        return 0.0
    return float(gained.mean() - surely * gained.std() / np.sqrt(len(gained)))
