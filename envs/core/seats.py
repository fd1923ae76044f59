"""Seats: numbering them from the view of an observer, and sharing the win."""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game


@kernel
def turned(state, seat, other):
    """Return the number of seat `other` counted from `seat` as 0."""
    number = int(other) - int(seat)
    return number + int(state.seats) if number < 0 else number


@kernel
def share_win(state, out):
    """Pay the winners in `state.winner`: the `payoff` of competitive games.

    One winner of n seats is paid 1 and each other seat -1 / (n - 1); k winners get (n - k) / (k (n - 1)) each. The sum
    is zero.
    """
    out[:] = 0.0
    if not state.over:
        return
    winners = int(state.winner.sum())
    others = state.seats - 1
    for seat in range(state.seats):
        if state.winner[seat]:
            out[seat] = (state.seats - winners) / (winners * others)
        else:
            out[seat] = -1.0 / others


def forfeit(game: Game, seats: int, loser: int) -> np.ndarray:
    """Return the payoffs `(seats,)` float32 of a deal that the seat `loser` forfeits: all others share the win.

    In a cooperative game all payoffs are 0.
    """
    if game.cooperative:
        return np.zeros(seats, np.float32)
    others = seats - 1
    paid = np.full(seats, 1 / others**2, np.float32)  # share_win with `others` winners
    paid[loser] = -1 / others
    return paid
