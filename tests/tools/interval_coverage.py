"""Simulate how often intervals over few seeds hold the true value: `python tests/tools/interval_coverage.py`.

Scores are drawn task by task at the means and spreads of `ppo_selfplay`, `ppo_magnet` and `dqn` after a million
decisions at ten tasks of sobremesa-v1, over three seeds each.
"""

import numpy as np

from sobremesa.training.benchmark.statistics import figure, improvement, interquartile_mean

MEANS = {
    "ppo_selfplay": (0.66, 0.62, 0.98, 0.90, 0.92, 0.34, 0.38, 0.53, 0.42, 0.00),
    "ppo_magnet": (0.64, 0.58, 0.99, 0.92, 0.94, 0.44, 0.38, 0.53, 0.39, 0.18),
    "dqn": (0.60, 0.48, 0.88, 0.82, 0.86, 0.20, 0.18, -0.06, 0.35, 0.39),
}
SPREADS = {
    "ppo_selfplay": (0.06, 0.04, 0.02, 0.03, 0.04, 0.08, 0.04, 0.01, 0.02, 0.10),
    "ppo_magnet": (0.01, 0.02, 0.03, 0.03, 0.02, 0.15, 0.03, 0.01, 0.03, 0.04),
    "dqn": (0.04, 0.01, 0.03, 0.04, 0.05, 0.04, 0.15, 0.05, 0.02, 0.01),
}
SEED, FIRST = 0, "ppo_selfplay"


def normal(rng, mean, spread, seeds):
    """Draw scores without outliers."""
    return rng.normal(mean, spread, seeds)


def with_failures(rng, mean, spread, seeds):
    """Draw scores of which one in three is far below the others."""
    return rng.normal(mean, spread, seeds) - (rng.random(seeds) < 1 / 3) * (0.1 + 3 * spread)


DRAWS = {"normal": normal, "one in three fails": with_failures}


def coverage(drawn, seeds, trials):
    """Return by statistic the part of intervals over `seeds` seeds that hold the true value."""
    rng = np.random.default_rng(SEED)

    def runs(name, count):
        return [DRAWS[drawn](rng, *of, count) for of in zip(MEANS[name], SPREADS[name], strict=True)]

    found = {"mean": np.mean([interquartile_mean(runs(FIRST, seeds)) for _ in range(3000)])}
    others = [name for name in MEANS if name != FIRST]
    for name in others:
        found[name] = np.mean([improvement(runs(FIRST, 300), runs(name, 300)) for _ in range(10)])
    held = {name: [] for name in found}  # of the figures with an interval
    for _ in range(trials):
        mine = runs(FIRST, seeds)
        figures = {"mean": figure(interquartile_mean, mine)}
        figures |= {name: figure(improvement, mine, runs(name, seeds)) for name in others}
        for name, one in figures.items():
            if one.known:
                held[name].append(one.low <= found[name] <= one.high)
    return {name: float(np.mean(inside)) for name, inside in held.items()}


if __name__ == "__main__":
    for drawn in DRAWS:
        for seeds in (3, 5, 10):
            told = ", ".join(f"{name} {part:.3f}" for name, part in coverage(drawn, seeds, 1000).items())
            print(f"{drawn}, {seeds} seeds: {told}", flush=True)
