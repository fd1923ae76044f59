"""Rules of *Ese Toro enamorado*. Clause numbers refer to RULES.md.

A deal is a sequence of rounds, each a day and a night. By day every seat lays its two tiles face down; by night the
bulls walk towards the lake, and after every turn of the table (a *vuelta*) the moon moves one shore clockwise.
"""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.bits import rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note
from sobremesa.envs.ese_toro_enamorado import board, state as s
from sobremesa.envs.ese_toro_enamorado.board import NUM_TILES
from sobremesa.envs.ese_toro_enamorado.markers import crown, meet_moon, phases_held

# Of a row of places the first 32, nodes and a few waters: as many bytes as a processor looks at and writes at once.
first_equal, put_first = rows_of(32)[:2]

_A_LAST_32 = s.NUM_ACTIONS - 32


@kernel
def reset(state, seed):
    """Draw the first seat, then assign mountains or let the seats choose them (C3.1, C3.2, O2)."""
    start(state, seed)
    state.moon = board.NO_SHORE
    state.home[:] = board.NO_MOUNTAIN
    state.bull[:] = board.NO_NODE
    state.tile[:] = board.NO_TILE
    state.owner[:] = s.NOBODY
    state.first = below(state, state.seats)
    state.seat = state.first
    if state.mountains != s.CHOSEN:
        for seat in range(state.seats):
            _place_on(state, seat, 2 * seat if state.seats == 2 else seat)
        _begin_game(state)


@kernel
def _place_on(state, seat, mountain):
    state.home[seat] = mountain
    state.bull[seat] = board.MOUNTAIN + mountain


@kernel
def _begin_game(state):
    """Put the moon next to a random shore and begin the first round, waxing, or new by night (C3.3, C3.4, O2)."""
    state.moon = below(state, board.NUM_SHORES)
    if state.mountains == s.BY_NIGHT:
        state.phase = board.NEW
    _begin_round(state)


@kernel
def _begin_round(state):
    """Return bulls and tiles home, and deal the tiles or lay them at random (C8.1, O2)."""
    state.round_number += 1
    note(state, s.E_ROUND, state.first, state.round_number, state.phase)
    state.stage = s.DAY
    state.seat = state.first
    state.turns = 0
    state.vuelta = 0
    state.met = 0
    state.scored[:] = 0
    state.hand[:] = 0
    state.gone[:] = 0
    state.tile[:] = board.NO_TILE
    state.owner[:] = s.NOBODY
    state.face_up[:] = 0
    for seat in range(state.seats):
        state.bull[seat] = board.MOUNTAIN + state.home[seat]
    bag = scratch(NUM_TILES, np.int8)
    top = 0
    for kind in range(board.NUM_KINDS):
        for _ in range(board.TILE_COUNTS[kind]):
            bag[top] = kind
            top += 1
    if state.mountains == s.BY_NIGHT and state.round_number == 1:
        _lay_random_tiles(state, bag)
        return
    shuffle(state, bag, NUM_TILES)  # two tiles for each seat (C4.1)
    for seat in range(state.seats):
        for slot in range(board.TILES_EACH):
            state.hand[seat, bag[board.TILES_EACH * seat + slot]] += 1


@kernel
def _lay_random_tiles(state, bag):
    """Lay two random tiles of the `bag` for each seat in the way of the next seat; night falls (O2)."""
    left = NUM_TILES
    for seat in range(state.seats):
        mountain = state.home[(seat + 1) % state.seats]
        for slot in range(board.TILES_EACH):
            drawn = below(state, left)
            kind = bag[drawn]
            left -= 1
            bag[drawn] = bag[left]
            place = board.OUTER + 2 * mountain
            if kind == board.LILY:
                place = board.WATER + 2 * mountain
            elif slot > 0:
                place = board.SHORE + 2 * mountain if state.shore_tiles else board.INNER + mountain
            state.tile[place] = kind
            state.owner[place] = seat
    state.stage = s.NIGHT


@kernel
def legal(state, mask):
    """Write the legal actions of `state.seat`; none once the deal is over."""
    if state.over:
        return
    if state.stage == s.CHOOSE:
        mask[s.A_CHOOSE : s.A_CHOOSE + board.NUM_MOUNTAINS] = 1
        for seat in range(state.seats):  # free mountains only (C3.1)
            if state.home[seat] != board.NO_MOUNTAIN:
                mask[s.A_CHOOSE + state.home[seat]] = 0
    elif state.stage == s.DAY:
        _legal_tiles(state, mask)
    else:
        _legal_moves(state, mask)


@kernel
def _open_crossings(state):
    """Return the nodes on which a tile may be laid, as bits: free nodes with free twins (C4.2, C4.3, O7)."""
    free = first_equal(state.tile, 0, board.NO_TILE)
    open_ones = free & board.CROSSING_SET[state.board]
    if not state.shore_tiles:
        open_ones &= ~board.SHORE_SET
    for seat in range(state.seats):
        pair = board.NEAR_SET[state.home[seat]]
        if pair & ~free:
            open_ones &= ~pair
    return open_ones


@kernel
def _legal_tiles(state, mask):
    """Allow each kind in the hand on its places: the lily on water, the others on crossings (C4.2)."""
    hand = state.hand[state.seat]
    crossings = _open_crossings(state) >> board.OUTER
    for kind in range(board.NUM_LAND_KINDS):  # in order: each write spills into the next kind's crossings
        put_first(mask, s.A_LAY + kind * board.NUM_CROSSINGS, crossings if hand[kind] > 0 else 0)
    mask[s.A_LILY : s.A_LILY + board.NUM_SHORES] = hand[board.LILY] > 0


@kernel
def calling_poppies(state):
    """Return the poppies that attract the bull of `state.seat`, as bits; none in new moon (C6.2)."""
    if state.phase == board.NEW:
        return 0
    near = board.NEIGHBOUR_SET[state.board, state.bull[state.seat]]
    return near & first_equal(state.face_up, 0, 1) & first_equal(state.tile, 0, board.POPPY)


@kernel
def _barring_fences(state):
    """Return the fences that bar the way in open view, as bits; none in full moon (C6.1)."""
    if state.phase == board.FULL:
        return 0
    return first_equal(state.face_up, 0, 1) & first_equal(state.tile, 0, board.FENCE)


@kernel
def _legal_moves(state, mask):
    """Allow staying and the open paths, or the poppies alone if any is one path away (C5.1, C6.1, C6.2, C6.4)."""
    node, calling = int(state.bull[state.seat]), calling_poppies(state)
    stays = int(calling == 0 or state.stage == s.EXTRA)
    reached = board.NEIGHBOUR_SET[state.board, node]
    if state.stage == s.EXTRA and state.rosemary == s.ANYWHERE:  # O4
        reached = board.CROSSING_SET[state.board] & ~(1 << node)
    goes = calling if calling else reached & ~_barring_fences(state)
    put_first(mask, _A_LAST_32, stays << 31 | goes << (s.A_GO - _A_LAST_32))  # no lily is laid by night


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`."""
    if state.stage == s.CHOOSE:
        note(state, s.E_CHOOSES, state.seat, action - s.A_CHOOSE, 0)
        _place_on(state, state.seat, action - s.A_CHOOSE)
        if _pass_turn(state):
            _begin_game(state)
    elif state.stage == s.DAY:
        _lay(state, action)
    elif action == s.A_STAY:
        note(state, s.E_STAYS, state.seat, 0, 0)
        _end_move(state)
    else:
        _go(state, action - s.A_GO)


@kernel
def _seat_after(state, seat, steps):
    """Return the seat `steps` clockwise from `seat`; `steps` is less than the number of seats."""
    following = int(seat) + int(steps)
    return following if following < state.seats else following - int(state.seats)


@kernel
def _pass_turn(state):
    """Pass the turn clockwise; return whether all seats have had theirs (C4.2, C5.1)."""
    state.turns += 1
    state.seat = _seat_after(state, state.seat, 1)
    if state.turns == state.seats:
        state.turns = 0
        return True
    return False


@kernel
def _lay(state, action):
    """Lay a tile face down (C4.2); the last one brings night, which turns all up except in new moon (C4.4)."""
    if action >= s.A_LILY:
        kind, place = board.LILY, board.WATER + action - s.A_LILY
    else:
        kind, place = (action - s.A_LAY) // board.NUM_CROSSINGS, board.OUTER + (action - s.A_LAY) % board.NUM_CROSSINGS
    state.hand[state.seat, kind] -= 1
    state.tile[place] = kind
    state.owner[place] = state.seat
    if _pass_turn(state):
        left = 0
        for kind in range(board.NUM_KINDS):
            left += state.hand[state.seat, kind]
        if left == 0:
            state.stage = s.NIGHT
            if state.phase != board.NEW:
                for place in range(board.NUM_PLACES):
                    state.face_up[place] = state.tile[place] != board.NO_TILE


@kernel
def _go(state, node):
    """Walk onto `node` and apply its tile (C5.1, C6.1 to C6.4, C7.1, O5, O6)."""
    tile = state.tile[node]
    note(state, s.E_GOES, state.seat, node, 0)
    if tile == board.FENCE and state.phase == board.NEW:  # unknown until now, or it would not have been legal (C6.1)
        state.face_up[node] = 1
        note(state, s.E_BOUNCES, state.seat, node, 0)
        if state.fence_bounce == s.TURN_ENDS:
            _end_move(state)
        return
    state.bull[state.seat] = node
    if tile in (
        board.POPPY,
        board.ROSEMARY,
    ):  # discarded, also where a poppy is met by night without effect (C6.3, C6.4)
        if not state.face_up[node]:
            note(state, s.E_FINDS, state.seat, node, tile)
        state.tile[node] = board.NO_TILE
        state.owner[node] = s.NOBODY
        state.face_up[node] = 0
        state.gone[tile] += 1
    if tile == board.ROSEMARY and (state.rosemary_chain or state.stage == s.NIGHT):
        meet_moon(state, state.seat)
        state.stage = s.EXTRA
        return
    _end_move(state)


@kernel
def _end_move(state):
    """Test the bull that has moved, pass the turn, and after the last bull move the moon (C5.2, C7.1, C7.3, C7.5)."""
    meet_moon(state, state.seat)
    state.stage = s.NIGHT
    if not _pass_turn(state):
        return
    state.vuelta += 1
    if state.met and state.round_end == s.MOON_WAITS:  # O3
        _end_round(state)
        return
    state.moon = (state.moon + 1) % board.NUM_SHORES
    for turn in range(state.seats):
        meet_moon(state, _seat_after(state, state.first, turn))
    lap_done = state.round_end != s.FULL_LAP or state.vuelta % board.NUM_SHORES == 0
    if (state.met and lap_done) or state.vuelta >= state.max_vueltas:
        _end_round(state)


@kernel
def _end_round(state):
    """End the deal if a seat has all phases or the cap is reached (C8.2, C8.3); otherwise start the next round.

    The next seat opens it, in the next phase, with the moon one shore on (C3.2, C3.3, C3.5, C8.1).
    """
    best = 0
    for seat in range(state.seats):
        best = max(best, phases_held(state, seat))
    if best == board.NUM_PHASES or state.round_number >= state.max_rounds:
        crown(state, best)
        state.over = 1
        return
    state.moon = (state.moon + 1) % board.NUM_SHORES
    state.phase = (state.phase + 1) % board.NUM_PHASES
    state.first = (state.first + 1) % state.seats
    _begin_round(state)
