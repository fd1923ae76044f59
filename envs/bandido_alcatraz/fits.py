"""Places where the cards of the seat to act fit (C4, C6).

One half of a card goes next to an open end or onto a flooded half, *here*; the other goes onto a free or flooded cell
next to it, *there*. Each of the two must match its neighbours on its three other sides, tunnel with tunnel and earth
with earth (C4.2). In the drawing *there* is east; the four sides of a cell are counted clockwise from the side to the
other half.

                three        three
              +--------+   +--------+
          two |  here  =side=  there | side        = the tunnel that joins the halves of every card
              +--------+   +--------+
                 one          one

Three rules are true by construction and are not checked:

- A tunnel of the card joins the network (C4.3). The end that leads here is a tunnel beyond one of the sides compared,
  or leaves a flooded half that is covered too; and a flooded half has a tunnel to its own dry half, beyond another.
- A half that covers water has its very same tunnels (C6.2). All four sides of a flooded half are resolved: three are
  compared, and nothing goes to the fourth unless a tunnel led there.
- Both halves of one card are never covered (C6.2): only one of them is flooded, and a dry one blocks.
"""

from itertools import product

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, grid as g, state as s
from sobremesa.envs.bandido_alcatraz.grid import grid_around, most_places, neighbours, step_to
from sobremesa.envs.bandido_alcatraz.state import find, floods_there, is_flooded, open_ends_at, tunnels_of
from sobremesa.envs.core.compile.bits import lowest_bit, words_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch


def _fitting_kinds(sides: tuple[int, int, int], other: int) -> np.ndarray:
    """Return the kinds with a half that fits the three sides of a code, as bits, `(2, 64)`.

    The half is a or b itself, or with `other` the half to its east. A code has three sides of `met`, see grid.py.
    """
    found = np.zeros((2, 64), np.int64)
    for half, code, kind in product(range(2), range(64), range(c.NUM_KINDS)):
        tunnels = int(c.TUNNELS[kind, 2 * half, half ^ other])
        beyond = (code & 3, code >> 2 & 3, code >> 4)
        if all(not met or (tunnels >> side & 1) == (met == g.TUNNEL) for side, met in zip(sides, beyond, strict=True)):
            found[half, code] |= 1 << kind
    return found


# (side of the neighbour, half): the way that lays the other half there.
_WAY = np.array([[half * c.ROTATIONS + (side - 1 + 2 * half) % 4 for half in range(2)] for side in range(4)], np.int8)
_DISTINCT_BITS = (c.DISTINCT << np.arange(c.NUM_WAYS)).sum(axis=1).astype(np.uint8)
_EXIT_BIT = 1 << c.EXIT_KIND
_TWICE = 0x101  # sides go on clockwise from the north again


def _may_lie(side: int, look: int) -> int:
    """Return the kinds that may be on a cell, by its content, if their other half is on that side, as bits (C6).

    An empty cell takes all kinds, dry ground none, and water with a tunnel to that side all kinds but EXIT.
    """
    if not look:
        return -1
    return ~_EXIT_BIT if look & g.WET_BIT and look >> side & 1 else 0


# In one table, which is close together in memory: what may lie here and there, half a and half b, by code; and on a
# cell by what lies there, if the other half lies in the north, east, south, west.
_HERE, _THERE, _ON = 0, 2, 4
_KINDS = np.concatenate(
    [
        _fitting_kinds((c.SOUTH, c.WEST, c.NORTH), 0),
        _fitting_kinds((c.NORTH, c.EAST, c.SOUTH), 1),
        np.array([[_may_lie(side, look) for look in range(64)] for side in range(4)], np.int64),
    ]
)
_BITS = 63  # of a code, and of what lies on a cell

having_kind = words_of(c.NUM_WAYS)
_ROW = c.NUM_WAYS + 1
KINDS = s.NUM_WHERES * _ROW  # length of the list of kinds that fit
_PLACES = most_places(0)


@kernel
def place_of(state, where):
    """Return the place `(x, y)` of an open end's next cell, or of a flooded half."""
    if where < c.MOST_ENDS:
        cell, side = state.end_cell[where], state.end_side[where]
        return int(state.cell_x[cell] + c.STEP_X[side]), int(state.cell_y[cell] + c.STEP_Y[side])
    cell = state.flood[where - c.MOST_ENDS]
    return int(state.cell_x[cell]), int(state.cell_y[cell])


@kernel
def exists(state, where):
    """Return whether an end or a flood of that number exists."""
    if where < c.MOST_ENDS:
        return state.end_cell[where] != s.NO_CELL
    return state.flood[where - c.MOST_ENDS] != s.NO_CELL


@kernel
def is_blocked(state, x, y):
    """Return whether a place is blocked: a dry half is there already."""
    cell = find(state, x, y)
    return cell != s.NO_CELL and not is_flooded(state, cell)


@kernel
def write_fits(state, seat):
    """Write the ways in which `seat` may lay its cards into `state.fits`, the first of equal cards only (C4, C6)."""
    kinds = scratch(KINDS, np.int64)
    write_hand(state, seat, kinds, kinds_that_fit(state, kinds))


@kernel
def kinds_that_fit(state, kinds):
    """Write the kinds that fit each end and flood into `kinds` `(KINDS,)` int64; return the number of ends and floods.

    Each has a row of `kinds`: one bit a kind by way, then its number.
    """
    looks, left, top, across = grid_around(state, 0, 0, 0, scratch(_PLACES, np.uint8))
    met = neighbours(state, looks, left, top, across, scratch(_PLACES, np.uint8))
    count, ends, floods = 0, open_ends_at(state), floods_there(state)
    while ends | floods:
        if ends:
            where = lowest_bit(ends)
            ends &= ends - 1
        else:
            where = c.MOST_ENDS + lowest_bit(floods)
            floods &= floods - 1
        x, y = place_of(state, where)
        kinds[_ROW * count] = (y - top) * across + x - left  # until its kinds are written
        kinds[_ROW * count + c.NUM_WAYS] = where
        count += 1
    for number in range(count):
        row = kinds[_ROW * number : _ROW * (number + 1)]
        _write_fits(looks, met, across, row[0], row)
    return count


@kernel
def write_hand(state, seat, kinds, count):
    """Write the ways to lay the cards of `seat` into `state.fits`, given the kinds that fit `count` ends and floods."""
    state.fits[:] = 0
    for slot in range(s.BIG_HAND):
        kind = int(state.hand[seat, slot])
        if kind == c.NO_CARD or not is_first(state, seat, slot):
            continue
        for number in range(count):
            where = kinds[_ROW * number + c.NUM_WAYS] & g.FORWARD
            state.fits[where, slot] = having_kind(kinds, _ROW * number, kind) & _DISTINCT_BITS[kind]


@kernel
def _write_fits(looks, met, across, at, kinds):
    """Write the kinds that fit on a cell next to an end, or on a flooded one, by way."""
    own, around = int(looks[at & g.FORWARD]), int(met[at & g.FORWARD]) * _TWICE
    for side in range(4):
        other = at + step_to(side, across) & g.FORWARD
        beside, beyond = int(looks[other]), int(met[other]) * _TWICE
        here, there = around >> 2 * (side + 1) & _BITS, beyond >> 2 * (side + 3 & 3) & _BITS
        may = _KINDS[_ON + side, own & _BITS] & _KINDS[_ON + (side ^ 2), beside & _BITS]
        kinds[_WAY[side, 0]] = _KINDS[_HERE, here] & _KINDS[_THERE, there] & may
        kinds[_WAY[side, 1]] = _KINDS[_HERE + 1, here] & _KINDS[_THERE + 1, there] & may


@kernel
def fits_any(state, where):
    """Return whether the seat to act can lay a card at an end or on a flood."""
    bits = 0
    for slot in range(s.BIG_HAND):
        bits |= state.fits[where, slot]
    return bits > 0


@kernel
def is_first(state, seat, slot):
    """Return whether a slot is the first of its hand with this kind of card."""
    count = 0
    for other in range(slot):
        count += state.hand[seat, other] == state.hand[seat, slot]
    return count == 0


@kernel
def is_needed(state, kind):
    """Return whether a card shows a raincoat or a rope that is still needed (C7.1, C7.2)."""
    if kind == c.NO_CARD:
        return False
    if c.PICTURE[kind] == c.RAINCOAT:
        return state.raincoats < c.RAINCOATS
    return c.PICTURE[kind] == c.ROPE and state.ropes < c.ROPES


@kernel
def may_gather(state, slot):
    """Return whether the seat to act may give a card: one that is needed, of equal ones the first."""
    return is_needed(state, state.hand[state.seat, slot]) and is_first(state, state.seat, slot)


@kernel
def can_play(state):
    """Return whether the seat to act can dig or gather (C5.1)."""
    for slot in range(s.BIG_HAND):
        if may_gather(state, slot):
            return True
    return state.fits.any()


@kernel
def has_room(state, where):
    """Return whether the other half of a card may be next to an end's next cell, or a flood by one of its tunnels."""
    x, y = place_of(state, where)
    reach = tunnels_of(state, state.flood[where - c.MOST_ENDS]) if where >= c.MOST_ENDS else 15
    room = False
    for side in range(4):
        room = room or (reach >> side & 1 > 0 and not is_blocked(state, x + c.STEP_X[side], y + c.STEP_Y[side]))
    return room


@kernel
def is_lost(state):
    """Return whether an open end or a flood can never be closed or covered (O3)."""
    lost = False
    for where in range(s.NUM_WHERES):
        lost = lost or (exists(state, where) and not has_room(state, where))
    return lost
