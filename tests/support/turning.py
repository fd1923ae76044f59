"""Turned and unturned tables, compared by the tests of symmetries."""

import numpy as np

from sobremesa.envs.core.table import table_kernels

NEWS = ("news", "news_count")


def seen_by(game, state, seat):
    """Return what `seat` sees of the `(1,)` state."""
    out = np.zeros(game.layout.size, np.float32)
    table_kernels(game).observe(state, seat, out)
    return out


def allowed_in(game, state):
    """Return the mask of the `(1,)` state."""
    mask = np.zeros(game.num_actions, np.int8)
    table_kernels(game).legal(state, mask)
    return mask


def differing(game, one, other):
    """Return the fields in which two states differ, but for what is told of a ply."""
    return {name for name in game.state.names if name not in NEWS and not np.array_equal(one[name], other[name])}


def same_to_seats(game, state, other, symmetry, seats):
    """Assert that each seat sees and may do in the turned state `other` what it does in `state`, turned."""
    np.testing.assert_array_equal(allowed_in(game, other)[symmetry.actions], allowed_in(game, state))
    for seat in range(seats):
        np.testing.assert_array_equal(seen_by(game, other, seat), seen_by(game, state, seat)[symmetry.seen])
