"""What a critic is given that sees everything while it trains: what each seat sees, from the seat that is asked on.

A value network helps to learn and never plays, so it may know what the seat cannot (as in Suphx, Li et al. 2020, and
PerfectDou, Yang et al. 2022): what is left of the luck of the deal, it need not guess. What a policy is given stays the
view of its seat. Letters: `n` tables, `S` seats of the largest table that is played, `D` numbers in an observation, `W`
bytes in one, `E` bytes of what all seats see.
"""

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.layout import Layout


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
def see_everything(game: Game, seats: int) -> Any:
    """Compile what all seats see: (states, codes (n, W) of the seats to act, out (n, E)) for n tables, all uint8.

    It is laid out as `everything(game, seats)` says. The views of seats that a table does not have are zeros.
    """
    observe, width, size = shared(game.observe), game.layout.width, game.layout.size
    tail, behind = game.layout.tail, everything(game, seats).layout.tail
    wide = width - tail  # bytes of the numbers that follow as float32

    @kernel
    def see(states, codes, out):
        scratch = np.zeros(width, np.uint8)
        for i in range(out.shape[0]):
            state, there = states[i], int(states[i].seats)
            out[i] = 0
            scratch[:] = codes[i]
            for turn in range(there):
                if turn > 0:
                    observe(state, (int(state.seat) + turn) % there, scratch)
                out[i, turn * size : (turn + 1) * size] = scratch[:size]
                out[i, behind + turn * wide : behind + (turn + 1) * wide] = scratch[tail:]

    return see
