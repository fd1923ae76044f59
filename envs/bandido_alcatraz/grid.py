"""The network as a grid of bytes, for kernels that look around many places.

A state finds a cell by a hash table; in the grid the neighbours of a cell are a step away. Place (x, y) has the number
(y - top) * across + x - left. The grid reaches MARGIN places beyond the network.

The largest grid: the halves a and their neighbours are at most 1 outside the network, which is `width` x `height`. With
MARGIN the grid is at most width + 8 across. A patch of `reach` around a place at most 1 outside the network adds no
more than `reach` to that. As width + height <= MOST_SPAN, the product is largest for a square. (A network narrower than
the patch has a smaller product, because its other side is at most MOST_SPAN.)
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import FLOODED, MOST_SPAN, NUM_FLOODS, ROTATIONS, STEP_X, STEP_Y, TUNNELS
from sobremesa.envs.bandido_alcatraz.state import MOST_LAID, NO_CELL
from sobremesa.envs.core.compile.kernel import kernel

MARGIN = 3
FORWARD = 0xFFFF  # largest number of a place; masking with it proves to the compiler that an index is not negative
_RIGHT, _DOWN = np.array([1, 0, -1, 0]), np.array([0, 1, 0, -1])  # by turn: where half b lies, seen from half a
# The content of a cell, a byte: its tunnels as bits and these; 0 for an empty cell.
WET_BIT, COVERED_BIT = 16, 32
# By kind, turn and half, in one row.
_LOOKS = (COVERED_BIT | TUNNELS | np.where(FLOODED[:, None, None] == np.arange(2), WET_BIT, 0)).astype(np.uint8).ravel()

# The neighbours of a cell, a byte with two bits for each side: unsettled, earth, or a tunnel.
EARTH, TUNNEL = 1, 3
# The tunnels that a covering half needs, by the content of the flooded half.
_FOR_ITSELF = np.array(
    [sum((TUNNEL if look >> side & 1 else EARTH) << 2 * side for side in range(4)) for look in range(64)], np.uint8
)


def most_places(reach: int) -> int:
    """Return the number of places of the largest grid with `reach` around a place at most 1 outside the network."""
    both = MOST_SPAN + 2 * (2 + 2 * MARGIN + reach)  # across and down
    return both // 2 * (both - both // 2)


@kernel
def grid_around(state, x, y, reach, room):
    """Return `(looks, left, top, across)`: the network and all that is up to `reach` away from (x, y).

    `looks` `(places,)` uint8 has the content of each place; it is the start of `room` `(most_places(reach),)`.
    """
    left, right = _bounds(state.laid_x)
    top, bottom = _bounds(state.laid_y)
    left, top = min(left - 1, x - reach) - MARGIN, min(top - 1, y - reach) - MARGIN  # half b lies next to
    across = max(right + 1, x + reach) + MARGIN + 1 - left
    looks = room[: (max(bottom + 1, y + reach) + MARGIN + 1 - top) * across]
    looks[:] = 0
    for one in range(1, state.laid):  # what was laid later lies on top
        _write_card(state, one, looks, left, top, across)
    _write_card(state, 0, looks, left, top, across)  # the tile is never covered
    return looks, left, top, across


@kernel
def _write_card(state, one, looks, left, top, across):
    """Write the two halves of a card on the table."""
    turn = int(state.laid_turn[one]) & 3
    at = (int(state.laid_y[one]) - top) * across + int(state.laid_x[one]) - left & FORWARD
    card = (int(state.laid_kind[one]) * ROTATIONS + turn) * 2 & FORWARD
    looks[at] = _LOOKS[card]
    looks[at + _DOWN[turn] * across + _RIGHT[turn] & FORWARD] = _LOOKS[card + 1]


@kernel
def _bounds(laid):
    """Return the smallest and largest coordinate of halves a; unused entries are zeros, the place of the tile."""
    least = most = np.int16(0)  # as narrow as they are, for many at once
    for one in range(MOST_LAID):
        place = laid[one]
        least = place if place < least else least
        most = place if place > most else most
    return int(least), int(most)


@kernel
def neighbours(state, looks, left, top, across, room):
    """Return the neighbours of a half laid at each place, `(places,)` uint8; the result is the start of `room`.

    They are missing at the edge of the grid and where a dry half is.
    """
    places = looks.shape[0]
    met = room[:places]
    met[:across] = 0
    met[places - across :] = 0
    _write_met(looks, across, met[across : places - across])
    for slot in range(NUM_FLOODS):
        cell = state.flood[slot]
        if cell != NO_CELL:
            at = (int(state.cell_y[cell]) - top) * across + int(state.cell_x[cell]) - left
            met[at] = _FOR_ITSELF[looks[at]]
    return met


@kernel
def _write_met(looks, across, met):
    """Write the neighbours from the second row on, in one loop that the compiler can vectorise."""
    count = met.shape[0]
    north, south = looks[:count], looks[2 * across : 2 * across + count]
    west, east = looks[across - 1 : across - 1 + count], looks[across + 1 : across + 1 + count]
    for at in range(count):
        found = (north[at] >> 5 & 1) | (north[at] >> 1 & 2) | (east[at] >> 3 & 4) | (east[at] & 8)
        found |= (south[at] >> 1 & 16) | (south[at] << 5 & 32) | (west[at] << 1 & 64) | (west[at] << 6 & 128)
        met[at] = found


@kernel
def step_to(side, across):
    """Return the difference between the numbers of a cell's neighbour on a side and of the cell."""
    return int(STEP_Y[side]) * across + int(STEP_X[side])
