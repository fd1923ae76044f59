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
from sobremesa.envs.bandido_alcatraz.state import (
    BIG_HAND,
    NO_CELL,
    NUM_WHERES,
    find,
    is_flooded,
    tunnels_of,
)
from sobremesa.envs.core.kernel import kernel

# What is known of a cell, by number: whether a half may lie there, which sides are settled, and how.
BLOCKED, FREE, WET = 0, 1, 2
NO_WAY = -1


def _agree(tunnels: int, sides: tuple[int, int, int], code: int) -> bool:
    """Say whether a half may lie where three of its sides meet what `code` says."""
    beyond = (code % 3, code // 3 % 3, code // 9)  # 0 open, 1 earth, 2 a tunnel
    return all(not met or (tunnels >> side & 1) == met - 1 for side, met in zip(sides, beyond, strict=True))


def _halves() -> np.ndarray:
    """Return which halves of a card fit on a cell whose neighbour to the east takes the other half, one bit each.

    `(kind, code of the cell's other sides, code of the neighbour's)`; the codes are those of `code`.
    """
    here, there = (SOUTH, WEST, NORTH), (EAST, SOUTH, NORTH)
    found = np.zeros((NUM_KINDS, 27, 27), np.uint8)
    for kind, half in product(range(NUM_KINDS), range(2)):
        one, other = (int(TUNNELS[kind, 2 * half, half ^ side]) for side in range(2))
        fits_here = np.array([_agree(one, here, code) for code in range(27)])
        fits_there = np.array([_agree(other, there, code) for code in range(27)])
        found[kind] |= (fits_here[:, None] & fits_there).astype(np.uint8) << half
    return found


HALVES = _halves()
# (side of the neighbour, halves that fit): the ways to do so, as bits.
_TURNS = [[(side - 1 + 2 * half) % 4 for half in range(2)] for side in range(4)]  # that lay the other half there
WAYS = np.array(
    [
        [sum((bits >> half & 1) << (half * ROTATIONS + turns[half]) for half in range(2)) for bits in range(4)]
        for turns in _TURNS
    ],
    np.uint8,
)
DISTINCT_BITS = (DISTINCT << np.arange(NUM_WAYS)).sum(axis=1).astype(np.uint8)


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
def survey(state, x, y):
    """Return what may lie at a place: BLOCKED, FREE or WET, its settled sides and the tunnels there, as bits."""
    cell = find(state, x, y)
    if cell != NO_CELL:
        return (WET if is_flooded(state, cell) else BLOCKED), 15, tunnels_of(state, cell)
    settled, tunnels = 0, 0
    for side in range(4):
        other = find(state, x + STEP_X[side], y + STEP_Y[side])
        if other != NO_CELL:
            settled |= 1 << side
            tunnels |= (tunnels_of(state, other) >> ((side + 2) % 4) & 1) << side
    return FREE, settled, tunnels


@kernel
def write_fits(state, seat):
    """Write into `state.fits` how `seat` may lay its cards; of equal ones the first alone (C4.1 to C4.4, C6)."""
    state.fits[:] = 0
    kinds = np.empty(BIG_HAND, np.int64)
    for slot in range(BIG_HAND):
        kinds[slot] = state.hand[seat, slot] if is_first(state, seat, slot) else NO_CARD
    here, there, wet = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4, np.bool_)
    for where in range(NUM_WHERES):
        if not is_there(state, where):
            continue
        _look_around(state, where, here, there, wet)
        for slot in range(BIG_HAND):
            if kinds[slot] != NO_CARD:
                state.fits[where, slot] = _ways(kinds[slot], here, there, wet)


@kernel
def _look_around(state, where, here, there, wet):
    """Write for each side what surrounds the cell next to an end, or of a flood, and its neighbour, as codes `(4,)`.

    `here` is NO_WAY where no card can lie on both; `wet` says whether one of them is under water.
    """
    x, y = place_of(state, where)
    free, settled, tunnels = survey(state, x, y)
    for side in range(4):
        one, two, three = (side + 1) % 4, (side + 2) % 4, (side + 3) % 4
        here[side] = NO_WAY
        if free == WET and not tunnels >> side & 1:
            continue
        near, near_settled, near_tunnels = survey(state, x + STEP_X[side], y + STEP_Y[side])
        if near == BLOCKED or (near == WET and not near_tunnels >> two & 1):
            continue
        here[side] = code(settled, tunnels, one, two, three)
        there[side] = code(near_settled, near_tunnels, side, one, three)
        wet[side] = free == WET or near == WET


@kernel
def code(settled, tunnels, one, two, three):
    """Return the code of three sides of a cell: each is open, earth or tunnel, in base 3."""
    found = (settled >> one & 1) + (tunnels >> one & 1)
    found += 3 * ((settled >> two & 1) + (tunnels >> two & 1))
    return found + 9 * ((settled >> three & 1) + (tunnels >> three & 1))


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
def _ways(kind, here, there, wet):
    """Return the ways to lay a card between what `_look_around` found, as bits."""
    ways = 0
    for side in range(4):
        if here[side] != NO_WAY and not (wet[side] and kind == EXIT_KIND):
            ways |= WAYS[side, HALVES[kind, here[side], there[side]]]
    return ways & DISTINCT_BITS[kind]


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
