"""The statistics of the benchmark's report beside rliable's own, on the same scores."""

import sys

import numpy as np
from rliable import library, metrics

from sobremesa.training.benchmark import statistics

REPETITIONS = 5_000
CLOSE = 0.01  # intervals come from other resamples


def main():
    """Compare; return the exit code."""
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(mean, 0.3, (5, 13)).round(1) for name, mean in (("one", 0.4), ("other", 0.5))}
    runs = {name: list(table.T) for name, table in scores.items()}  # rliable has seeds by tasks
    at = np.linspace(-1, 2, 31)
    theirs, ends = library.get_interval_estimates(scores, metrics_of_one, reps=REPETITIONS)
    pairs = {"one,other": (scores["one"], scores["other"])}
    chances, chance_ends = library.get_interval_estimates(pairs, metrics_of_two, reps=REPETITIONS)
    profiles = library.create_performance_profile(scores, at, reps=10)[0]
    found = {
        "improvement": close(
            statistics.figure(statistics.improvement, runs["one"], runs["other"]),
            chances["one,other"][0],
            chance_ends["one,other"][:, 0],
        )
    }
    for name in scores:
        mine = statistics.figure(statistics.interquartile_mean, runs[name])
        found[f"interquartile mean of {name}"] = close(mine, theirs[name][0], ends[name][:, 0])
        found[f"profile of {name}"] = np.allclose(statistics.profile(runs[name], at), profiles[name])
    for name, same in found.items():
        print(f"{name}: {'the same' if same else 'NOT the same'}")
    return 0 if all(found.values()) else 1


def metrics_of_one(scores):
    """Return rliable's interquartile mean, as it asks for statistics."""
    return np.array([metrics.aggregate_iqm(scores)])


def metrics_of_two(one, other):
    """Return rliable's probability of improvement, as it asks for statistics."""
    return np.array([metrics.probability_of_improvement(one, other)])


def close(mine, value, ends):
    """Say whether a figure of ours is `value`, with about the interval `ends`."""
    print(mine, value, ends)
    return np.isclose(mine.value, value) and np.allclose(mine[1:], ends, atol=CLOSE)


if __name__ == "__main__":
    sys.exit(main())
