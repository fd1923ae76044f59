"""What a critic is given that sees everything while it trains: what each seat sees, from the seat that is asked on.

A value network helps to learn and never plays, so it may know what the seat cannot (as in Suphx, Li et al. 2020, and
PerfectDou, Yang et al. 2022): what is left of the luck of the deal, it need not guess. What a policy is given stays the
view of its seat. Letters: `N` tables, `S` seats of the largest table that is played, `D` numbers in an observation.
"""

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.kernel import kernel, shared
from sobremesa.envs.core.layout import Layout
from sobremesa.envs.core.table import observer


def everything(game: Game, seats: int) -> Game:
    """Return `game` with a layout of what all of `seats` see, `S * D` numbers: one seat's blocks after another's.

    The first are those of the seat that is asked, by their own names; the others' are named as `names_of` says.
    """
    blocks = [
        dataclasses.replace(block, name=_named(block.name, turn)) for turn in range(seats) for block in game.layout
    ]
    return dataclasses.replace(game, layout=Layout(*blocks))


def names_of(blocks: Sequence[str], seats: int) -> list[str]:
    """Return the names that `blocks` have for all seats in the layout of `everything`."""
    return [_named(name, turn) for turn in range(seats) for name in blocks]


def _named(block: str, turn: int) -> str:
    return f"{block} of the seat {turn} after" if turn else block


@cache
def see_everything(game: Game) -> Any:
    """Compile what all seats see: (states, observations (n, D) of the seats to act, out (n, S * D)) for n tables.

    The views of seats that a table does not have are zeros.
    """
    observe, width, size = shared(observer(game)), game.layout.width, game.layout.size

    @kernel
    def see(states, observations, out):
        codes = np.empty(width, np.uint8)
        for i in range(out.shape[0]):
            state, seats = states[i], int(states[i].seats)
            out[i, :size] = observations[i]
            for turn in range(1, seats):
                observe(state, (int(state.seat) + turn) % seats, codes, out[i, turn * size : (turn + 1) * size])
            out[i, seats * size :] = 0

    return see
