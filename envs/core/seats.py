"""What all games say alike of seats: how they are turned for an observer, and what winners get."""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game


@kernel
def turned(state, seat, other):
    """Return the number of seat `other` when `seat` is number 0."""
    number = int(other) - int(seat)
    return number + int(state.seats) if number < 0 else number


@kernel
def share_win(state, out):
    """Pay those whom `state.winner` names: the `payoff` of competitive games.

    A sole winner of n seats is paid 1 and each other -1 / (n - 1); k winners get (n - k) / (k (n - 1)) each. The sum is
    zero.
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
    """Return what a deal pays that the seat `loser` forfeits, `(seats,)` float32: all others share the win.

    A cooperative game pays nobody.
    """
    if game.cooperative:
        return np.zeros(seats, np.float32)
    others = seats - 1
    paid = np.full(seats, 1 / others**2, np.float32)  # share_win with `others` winners
    paid[loser] = -1 / others
    return paid
