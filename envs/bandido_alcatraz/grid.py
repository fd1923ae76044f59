"""The network as a grid of bytes, for kernels that look around many places.

In a record a cell is found by a hash table. Here its neighbours are a step away: number (y - top) * across + x - left
is the place (x, y), and all places up to MARGIN away from the network are there.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import FLOODED, NUM_FLOODS, ROTATIONS, STEP_X, STEP_Y, TUNNELS
from sobremesa.envs.bandido_alcatraz.state import NO_CELL
from sobremesa.envs.core.kernel import kernel

MARGIN = 3
# What lies on a cell, a byte: its tunnels as bits and these; 0 for nothing.
WET_BIT, COVERED_BIT = 16, 32
# By kind, turn and half, in one row.
_LOOKS = (COVERED_BIT | TUNNELS | np.where(FLOODED[:, None, None] == np.arange(2), WET_BIT, 0)).astype(np.uint8).ravel()

# What a cell meets on its sides, a byte, two bits for each: nothing is settled there, or earth, or a tunnel.
EARTH, TUNNEL = 1, 3
# What a flooded half meets, by its looks: it has to be covered by the very same.
_FOR_ITSELF = np.array(
    [sum((TUNNEL if look >> side & 1 else EARTH) << 2 * side for side in range(4)) for look in range(64)], np.uint8
)


@kernel
def grid_around(state, x, y, reach):
    """Return `(looks, met, left, top, across)`: the network and all that is up to `reach` away from (x, y).

    `looks` and `met` `(places,)` uint8 say what lies on a place, and what a half meets that is laid there.
    """
    left, right, top, bottom = x - reach, x + reach, y - reach, y + reach
    for cell in range(state.cells):
        left, right = min(left, int(state.cell_x[cell])), max(right, int(state.cell_x[cell]))
        top, bottom = min(top, int(state.cell_y[cell])), max(bottom, int(state.cell_y[cell]))
    left, top = left - MARGIN, top - MARGIN
    across = right + MARGIN + 1 - left
    places = (bottom + MARGIN + 1 - top) * across
    looks, met = np.zeros(places, np.uint8), np.zeros(places, np.uint8)
    for cell in range(state.cells):
        laid = state.cell_laid[cell]
        at = (int(state.cell_y[cell]) - top) * across + int(state.cell_x[cell]) - left
        half = int(state.laid_turn[laid]) * 2 + int(state.cell_half[cell])
        looks[at] = _LOOKS[int(state.laid_kind[laid]) * (2 * ROTATIONS) + half]
    _write_met(looks, across, met[across : places - across])
    for slot in range(NUM_FLOODS):
        cell = state.flood[slot]
        if cell != NO_CELL:
            at = (int(state.cell_y[cell]) - top) * across + int(state.cell_x[cell]) - left
            met[at] = _FOR_ITSELF[looks[at]]
    return looks, met, left, top, across


@kernel
def _write_met(looks, across, met):
    """Write what cells meet from the second row on: all the same way, and so many at once."""
    count = met.shape[0]
    north, south = looks[:count], looks[2 * across : 2 * across + count]
    west, east = looks[across - 1 : across - 1 + count], looks[across + 1 : across + 1 + count]
    for at in range(count):
        found = (north[at] >> 5 & 1) | (north[at] >> 1 & 2) | (east[at] >> 3 & 4) | (east[at] & 8)
        met[at] = found | (south[at] >> 1 & 16) | (south[at] << 5 & 32) | (west[at] << 1 & 64) | (west[at] << 6 & 128)


@kernel
def step_to(side, across):
    """Return how far the number of a cell's neighbour on a side is from its own."""
    return int(STEP_Y[side]) * across + int(STEP_X[side])
