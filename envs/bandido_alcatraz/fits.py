"""Where the cards of the seat to act fit: the heart of the game (C4, C6).

A half fits on an empty cell if each of its sides that touches a half on the table agrees with it: tunnel with tunnel,
earth with earth. It fits on a flooded half if it has the very same tunnels. A card fits if both of its halves do.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import (
    DISTINCT,
    EXIT_KIND,
    MOST_ENDS,
    NO_CARD,
    NUM_WAYS,
    OTHER_SIDE,
    PICTURE,
    RAINCOAT,
    RAINCOATS,
    ROPE,
    ROPES,
    ROTATIONS,
    STEP_X,
    STEP_Y,
    TUNNELS,
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
    return _survey_free(state, x, y)


@kernel
def _survey_free(state, x, y):
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
    free, settled, tunnels = np.empty(5, np.int64), np.empty(5, np.int64), np.empty(5, np.int64)
    for where in range(NUM_WHERES):
        if not is_there(state, where):
            continue
        look_around(state, where, free, settled, tunnels)
        for slot in range(BIG_HAND):
            if kinds[slot] != NO_CARD:
                state.fits[where, slot] = _ways(kinds[slot], free, settled, tunnels)


@kernel
def look_around(state, where, free, settled, tunnels):
    """Survey the cell next to an end, or a flood, as number 4 of arrays `(5,)`, and its neighbours by their side."""
    x, y = place_of(state, where)
    free[4], settled[4], tunnels[4] = survey(state, x, y)
    for side in range(4):
        beside_x, beside_y = x + STEP_X[side], y + STEP_Y[side]
        free[side], settled[side], tunnels[side] = BLOCKED, 15, 0
        if free[4] == FREE and not settled[4] >> side & 1:  # nothing lies there
            free[side], settled[side], tunnels[side] = _survey_free(state, beside_x, beside_y)
        elif not is_blocked(state, beside_x, beside_y):
            free[side], settled[side], tunnels[side] = survey(state, beside_x, beside_y)


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
def _ways(kind, free, settled, tunnels):
    """Return the ways to lay a card on a cell, number 4 of the surveyed, and a neighbour, as bits."""
    ways = 0
    for way in range(NUM_WAYS):
        if not DISTINCT[kind, way]:
            continue
        half, turn = way // ROTATIONS, way % ROTATIONS
        side = OTHER_SIDE[turn, half]
        if free[side] == BLOCKED or (kind == EXIT_KIND and (free[side] == WET or free[4] == WET)):
            continue
        here, there = int(TUNNELS[kind, turn, half]), int(TUNNELS[kind, turn, 1 - half])
        if free[4] == FREE:
            fits = (here ^ tunnels[4]) & settled[4] & ~(1 << side) == 0
        else:
            fits = here == tunnels[4]
        if free[side] == FREE:
            fits = fits and (there ^ tunnels[side]) & settled[side] & ~(1 << (side + 2) % 4) == 0
        else:
            fits = fits and there == tunnels[side]
        if fits:
            ways |= 1 << way
    return ways


@kernel
def may_gather(state, slot):
    """Say whether the seat to act may give a card: a raincoat or a rope that is still needed (C7.1, C7.2)."""
    kind = state.hand[state.seat, slot]
    if kind == NO_CARD or not is_first(state, state.seat, slot):
        return False
    if PICTURE[kind] == RAINCOAT:
        return state.raincoats < RAINCOATS
    return PICTURE[kind] == ROPE and state.ropes < ROPES


@kernel
def can_play(state):
    """Say whether the seat to act can dig or gather (C5.1)."""
    for slot in range(BIG_HAND):
        if may_gather(state, slot):
            return True
    return state.fits.any()


@kernel
def is_lost(state):
    """Say whether an open end or a flood can never be closed or covered (O3)."""
    for where in range(NUM_WHERES):
        if not is_there(state, where):
            continue
        x, y = place_of(state, where)
        room = False
        reach = tunnels_of(state, state.flood[where - MOST_ENDS]) if where >= MOST_ENDS else 15
        for side in range(4):
            if reach >> side & 1 and not is_blocked(state, x + STEP_X[side], y + STEP_Y[side]):
                room = True
        if not room:
            return True
    return False
