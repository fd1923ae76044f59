"""The statistics of the benchmark's report beside rliable's own, on the same scores."""

import sys

import numpy as np
from rliable import library, metrics

from sobremesa.training.benchmark import statistics


def main():
    """Compare; return the exit code."""
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(mean, 0.3, (5, 13)).round(1) for name, mean in (("one", 0.4), ("other", 0.5))}
    runs = {name: list(table.T) for name, table in scores.items()}  # rliable has seeds by tasks
    at = np.linspace(-1, 2, 31)
    profiles = library.create_performance_profile(scores, at, reps=10)[0]
    found = {
        "improvement": close(
            statistics.figure(statistics.improvement, runs["one"], runs["other"]),
            metrics.probability_of_improvement(scores["one"], scores["other"]),
        )
    }
    for name in scores:
        mine = statistics.figure(statistics.interquartile_mean, runs[name])
        found[f"interquartile mean of {name}"] = close(mine, metrics.aggregate_iqm(scores[name]))
        found[f"profile of {name}"] = np.allclose(statistics.profile(runs[name], at), profiles[name])
    for name, same in found.items():
        print(f"{name}: {'the same' if same else 'NOT the same'}")
    return 0 if all(found.values()) else 1


def close(mine, value):
    """Say whether a figure of ours is `value`, inside its interval."""
    print(mine, value)
    return np.isclose(mine.value, value) and mine.low < value < mine.high


if __name__ == "__main__":
    sys.exit(main())
