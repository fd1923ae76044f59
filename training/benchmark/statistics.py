"""Statistics over few runs of many tasks, by rliable's definitions (Agarwal et al. 2021).

`Runs` are the scores of one candidate: an array `(n,)` for each task, one number a seed. Intervals are those of the
jackknife over seeds: a bootstrap of three or five seeds is too narrow.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

Runs = Sequence[np.ndarray]

CONFIDENCE = 0.95
# Student's t for it, by degrees of freedom: the number of seeds less one.
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
NORMAL = 1.960  # of more degrees
# By tests/tools/interval_coverage.py, from the means and spreads of measured results.
COVERS = "the intervals of means hold the true value in 94 to 96 % of cases, those of improvements in 95 to 100 %"
TRIMMED = 0.25  # at each end


class Figure(NamedTuple):
    """A statistic and its interval; nan for one run, or equal runs."""

    value: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return self.low == self.low

    def interval(self, digits: int) -> str:
        """Return the interval as text."""
        return f"{self.low:z.{digits}f} to {self.high:z.{digits}f}" if self.known else "no interval"


def interquartile_mean(runs: Runs) -> np.ndarray:
    """Return the mean of the middle half of all scores, of runs `(..., n)` a task in an array `(...)`."""
    scores = np.sort(np.concatenate(runs, axis=-1), axis=-1)
    cut = int(TRIMMED * scores.shape[-1])
    return np.asarray(scores[..., cut : scores.shape[-1] - cut].mean(-1))


def improvement(mine: Runs, theirs: Runs) -> np.ndarray:
    """Return the probability of improvement of `mine` over `theirs`, ties half, averaged over tasks."""
    chances = [
        (0.5 + 0.5 * np.sign(one[..., :, None] - other[..., None, :])).mean((-2, -1))
        for one, other in zip(mine, theirs, strict=True)
    ]
    return np.asarray(np.mean(chances, axis=0))


def profile(runs: Runs, at: np.ndarray) -> np.ndarray:
    """Return the part of all runs that score above each of `at` `(k,)`, `(k,)` from 0 to 1."""
    scores = np.concatenate(runs)
    return np.asarray((scores[:, None] > at).mean(0))


def figure(statistic: Callable[..., np.ndarray], *of: Runs) -> Figure:
    """Return `statistic` of one candidate's runs, or of several, and its jackknife interval.

    Each seed is left out in turn (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 11), a task's runs by
    their place. Candidates with one run a task have no spread. The interval takes Student's t for the fewest seeds.
    """
    value = float(statistic(*of))
    seeds = [min(len(scores) for scores in runs) for runs in of]
    variance = sum(_variance(statistic, of, number) for number, count in enumerate(seeds) if count > 1)
    if variance <= 0:
        return Figure(value, np.nan, np.nan)
    degrees = min(count for count in seeds if count > 1) - 1
    reach = (STUDENT[degrees - 1] if degrees <= len(STUDENT) else NORMAL) * np.sqrt(variance)
    return Figure(value, value - reach, value + reach)


def _variance(statistic: Callable[..., np.ndarray], of: Sequence[Runs], number: int) -> float:
    """Return the jackknife variance of `statistic` over the seeds of the runs `number` of `of`."""
    count = min(len(scores) for scores in of[number])
    found = []
    for left_out in range(count):
        less = [np.delete(scores, left_out, axis=0) for scores in of[number]]
        found.append(float(statistic(*of[:number], less, *of[number + 1 :])))
    return (count - 1) * float(np.var(found))
