"""Advantage thresholds for overriding the scripted agent, fitted on held-out samples.

The network's best action is the largest of many estimates, and so is mostly overestimated. For each kind of decisions
the fit takes the threshold with the largest gain on held-out samples, less some standard errors, or NEVER if no
threshold gains.

Letters: `k` samples, `C` candidates, `K` kinds.
"""

import numpy as np

NEVER = 10.0  # above every difference of payoffs
THRESHOLDS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)  # payoff
ENOUGH = 100  # overridden samples of a kind; fewer show no gain


def override_thresholds(
    estimates: np.ndarray, gains: np.ndarray, kinds: np.ndarray, count: int, surely: float
) -> np.ndarray:
    """Return a threshold for each of `count` kinds, `(K,)` float32.

    Args:
        estimates: (k, C) estimated gains over the first candidate, which the scripted agent chooses; below every payoff
            where there is no candidate.
        gains: (k, C) measured gains.
        kinds: (k,) kinds of the samples, below `count`.
        count: K.
        surely: standard errors to subtract from the mean gain.
    """
    best = estimates[:, 1:].argmax(1) + 1
    rows = np.arange(len(best))
    expected, measured = estimates[rows, best], gains[rows, best]
    found = np.full(count, NEVER, np.float32)
    for kind in range(count):
        own = kinds == kind
        left = [_lower_bound(np.where(expected[own] > one, measured[own], 0), surely) for one in THRESHOLDS]
        if max(left) > 0:
            found[kind] = THRESHOLDS[int(np.argmax(left))]
    return found


def _lower_bound(gained: np.ndarray, surely: float) -> float:
    """Return the mean of `gained` less `surely` standard errors; 0 for fewer than ENOUGH gains."""
    if np.count_nonzero(gained) < ENOUGH:
        return 0.0
    return float(gained.mean() - surely * gained.std() / np.sqrt(len(gained)))
