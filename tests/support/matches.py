"""Hand-made arena rows, and comparisons of rows."""

import numpy as np

from sobremesa.agents.arena.results import Results

WIN, LOSE, DRAW = (1, -1), (-1, 1), (0, 0)  # payoffs at a table of two


def match(names, payoffs, seating=None, seeds=None):
    """Return rows of `payoffs` by seat; each row is a deal of its own unless `seeds` says otherwise."""
    payoffs = np.array(payoffs, np.float32)
    seating = np.tile(np.arange(payoffs.shape[1]), (len(payoffs), 1)) if seating is None else np.array(seating)
    seeds = np.arange(len(payoffs)) if seeds is None else np.array(seeds)
    return Results(tuple(names), seeds, seating, payoffs, np.ones(len(payoffs), np.int32))


def assert_same_rows(rows, others):
    """Assert that two matches have the same rows, the time used apart."""
    for name in set(Results._fields) - {"seconds"}:
        np.testing.assert_array_equal(getattr(rows, name), getattr(others, name))
