"""Where the cards of the seat to act fit: the heart of the game (C4, C6).

One half of a card goes next to an open end or onto a flooded half, *here*; the other goes on a free or flooded cell
beside it, *there*. Each of the two meets what lies beyond its three other sides, tunnel with tunnel and earth with
earth (C4.2). Here there lies east; the four sides of a cell are counted clockwise from the one to the other half.

                three        three
              +--------+   +--------+
          two |  here  =side=  there | side        = the tunnel that joins the halves of every card
              +--------+   +--------+
                 one          one

Three rules hold by construction, and are checked nowhere:

- A tunnel of the card joins the network (C4.3). The end that leads here is a tunnel beyond one of the sides compared,
  or leaves a flooded half that is covered too; and a flooded half has a tunnel to its own dry half, beyond another.
- A half that covers water has its very same tunnels (C6.2). All four sides of a flooded half are settled: three are
  compared, and nothing goes to the fourth unless a tunnel led there.
- Both halves of one card are never covered (C6.2): only one of them is flooded, and a dry one blocks.
"""

from itertools import product

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import (
    DISTINCT,
    EAST,
    EXIT_KIND,
    MOST_ENDS,
    NO_CARD,
    NORTH,
    NUM_KINDS,
    NUM_WAYS,
    PICTURE,
    RAINCOAT,
    RAINCOATS,
    ROPE,
    ROPES,
    ROTATIONS,
    SOUTH,
    STEP_X,
    STEP_Y,
    TUNNELS,
    WEST,
)
from sobremesa.envs.bandido_alcatraz.grid import TUNNEL, WET_BIT, grid_around, step_to
from sobremesa.envs.bandido_alcatraz.state import (
    BIG_HAND,
    NO_CELL,
    NUM_WHERES,
    find,
    is_flooded,
    tunnels_of,
)
from sobremesa.envs.core.kernel import kernel


def _agreeing(sides: tuple[int, int, int], other: int) -> np.ndarray:
    """Return the kinds with a half that may lie where three of its sides meet what a code says, as bits, `(2, 64)`.

    Of the two halves a and b it is the one itself, or if `other` is 1 the one to its east; codes are three sides of
    `met`, see grid.py.
    """
    found = np.zeros((2, 64), np.int64)
    for half, code, kind in product(range(2), range(64), range(NUM_KINDS)):
        tunnels = int(TUNNELS[kind, 2 * half, half ^ other])
        beyond = (code & 3, code >> 2 & 3, code >> 4)
        if all(not met or (tunnels >> side & 1) == (met == TUNNEL) for side, met in zip(sides, beyond, strict=True)):
            found[half, code] |= 1 << kind
    return found


_HERE, _THERE = _agreeing((SOUTH, WEST, NORTH), 0), _agreeing((NORTH, EAST, SOUTH), 1)
# (side of the neighbour, half): the way that lays the other half there.
_WAY = np.array([[half * ROTATIONS + (side - 1 + 2 * half) % 4 for half in range(2)] for side in range(4)], np.int8)
_DISTINCT_BITS = (DISTINCT << np.arange(NUM_WAYS)).sum(axis=1).astype(np.uint8)
_EXIT_BIT = 1 << EXIT_KIND
_TWICE = 0x101  # sides go on clockwise from the north again


@kernel
def place_of(state, where):
    """Return the place `(x, y)` of an open end's next cell, or of a flooded half."""
    if where < MOST_ENDS:
        cell, side = state.end_cell[where], state.end_side[where]
        return int(state.cell_x[cell] + STEP_X[side]), int(state.cell_y[cell] + STEP_Y[side])
    cell = state.flood[where - MOST_ENDS]
    return int(state.cell_x[cell]), int(state.cell_y[cell])


@kernel
def is_there(state, where):
    """Say whether there is an end or a flood of that number."""
    if where < MOST_ENDS:
        return state.end_cell[where] != NO_CELL
    return state.flood[where - MOST_ENDS] != NO_CELL


@kernel
def is_blocked(state, x, y):
    """Say whether no half may lie at a place: one lies there already, and not under water."""
    cell = find(state, x, y)
    return cell != NO_CELL and not is_flooded(state, cell)


@kernel
def write_fits(state, seat):
    """Write into `state.fits` how `seat` may lay its cards; of equal ones the first alone (C4.1 to C4.4, C6)."""
    wheres, kinds = np.empty(NUM_WHERES, np.int64), np.empty((NUM_WHERES, NUM_WAYS), np.int64)
    count = write_kinds(state, wheres, kinds)
    write_hand(state, seat, wheres[:count], kinds)


@kernel
def write_kinds(state, wheres, kinds):
    """Write the ends and floods there are, and for each the kinds that fit, one bit each, by way; return how many."""
    looks, met, left, top, across = grid_around(state, 0, 0, 0)
    count = 0
    for where in range(NUM_WHERES):
        if is_there(state, where):
            x, y = place_of(state, where)
            _look_around(looks, met, across, (y - top) * across + x - left, kinds[count])
            wheres[count] = where
            count += 1
    return count


@kernel
def write_hand(state, seat, wheres, kinds):
    """Write into `state.fits` how the cards of `seat` may be laid, given what `write_kinds` wrote."""
    state.fits[:] = 0
    for slot in range(BIG_HAND):
        kind = int(state.hand[seat, slot])
        if kind == NO_CARD or not is_first(state, seat, slot):
            continue
        for number in range(wheres.shape[0]):
            ways = 0
            for way in range(NUM_WAYS):
                ways |= (kinds[number, way] >> kind & 1) << way
            state.fits[wheres[number], slot] = ways & _DISTINCT_BITS[kind]


@kernel
def _look_around(looks, met, across, at, kinds):
    """Write the kinds that fit on a cell next to an end, or on a flooded one, by way `(ways,)`."""
    own, around = np.int64(looks[at]), np.int64(met[at]) * _TWICE
    for side in range(4):
        beside = at + step_to(side, across)
        look = np.int64(looks[beside])
        a, b = np.int64(0), np.int64(0)
        if (own == 0 or own >> side & 1) and (look == 0 or (look & WET_BIT and look >> (side ^ 2) & 1)):
            here, there = around >> 2 * (side + 1) & 63, np.int64(met[beside]) * _TWICE >> 2 * (side + 3 & 3) & 63
            barred = _EXIT_BIT if own | look else 0  # there is water
            a, b = _HERE[0, here] & _THERE[0, there] & ~barred, _HERE[1, here] & _THERE[1, there] & ~barred
        kinds[_WAY[side, 0]], kinds[_WAY[side, 1]] = a, b


@kernel
def fits_any(state, where):
    """Say whether the seat to act can lay a card at an end or on a flood."""
    bits = 0
    for slot in range(BIG_HAND):
        bits |= state.fits[where, slot]
    return bits > 0


@kernel
def is_first(state, seat, slot):
    """Say whether no earlier slot of a hand holds an equal card."""
    count = 0
    for other in range(slot):
        count += state.hand[seat, other] == state.hand[seat, slot]
    return count == 0


@kernel
def is_needed(state, kind):
    """Say whether a card shows a raincoat or a rope that is still needed (C7.1, C7.2)."""
    if kind == NO_CARD:
        return False
    if PICTURE[kind] == RAINCOAT:
        return state.raincoats < RAINCOATS
    return PICTURE[kind] == ROPE and state.ropes < ROPES


@kernel
def may_gather(state, slot):
    """Say whether the seat to act may give a card: one that is needed, of equal ones the first."""
    return is_needed(state, state.hand[state.seat, slot]) and is_first(state, state.seat, slot)


@kernel
def can_play(state):
    """Say whether the seat to act can dig or gather (C5.1)."""
    for slot in range(BIG_HAND):
        if may_gather(state, slot):
            return True
    return state.fits.any()


@kernel
def has_room(state, where):
    """Say whether the other half of a card may lie beside an end's next cell, or a flood by one of its tunnels."""
    x, y = place_of(state, where)
    reach = tunnels_of(state, state.flood[where - MOST_ENDS]) if where >= MOST_ENDS else 15
    room = False
    for side in range(4):
        room = room or (reach >> side & 1 > 0 and not is_blocked(state, x + STEP_X[side], y + STEP_Y[side]))
    return room


@kernel
def is_lost(state):
    """Say whether an open end or a flood can never be closed or covered (O3)."""
    lost = False
    for where in range(NUM_WHERES):
        lost = lost or (is_there(state, where) and not has_room(state, where))
    return lost
