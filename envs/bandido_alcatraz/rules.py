"""*Bandido Alcatraz*, the rules. Clause numbers in brackets refer to RULES.md.

The players dig tunnels from the start tile, close all of them except EXIT's, cover the water, and gather three
raincoats and two ropes. A turn plays one card in two decisions: the place, then the card and its position.
"""

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c, state as s
from sobremesa.envs.bandido_alcatraz.fits import (
    KINDS,
    can_play,
    fits_any,
    is_lost,
    kinds_that_fit,
    may_gather,
    place_of,
    write_hand,
)
from sobremesa.envs.bandido_alcatraz.state import find, hand_limit, lay, lay_tile
from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note


@kernel
def reset(state, seed):
    """Lay the tile, shuffle and deal the cards, and draw the first seat (C2)."""
    start(state, seed)
    lay_tile(state)
    state.hand[:] = c.NO_CARD
    state.aside[:] = c.NO_CARD
    state.aside_by = s.NOBODY
    state.pile[:] = c.NO_CARD
    state.put_under[:] = s.NOBODY
    state.where = s.NOT_CHOSEN
    for kind in range(c.NUM_KINDS):
        for _ in range(c.COPIES[kind]):
            state.pile[state.pile_size] = kind
            state.pile_size += 1
    shuffle(state, state.pile, c.NUM_CARDS)
    for seat in range(state.seats):
        for slot in range(hand_limit(state)):
            _draw(state, seat, slot)
    state.first = below(state, state.seats)
    state.seat = state.first
    _begin_turn(state)


@kernel
def legal(state, mask):
    """Write the legal actions of `state.seat` into the mask; none after the end of the deal."""
    if state.over:
        return
    if state.stage == s.SIGNAL:
        mask[s.A_SIGNAL : s.A_SIGNAL + s.NUM_SIGNALS] = 1
    elif state.stage == s.WHERE:
        for where in range(s.NUM_WHERES):
            mask[s.A_WHERE + where] = fits_any(state, where)
        for slot in range(s.BIG_HAND):
            mask[s.A_GATHER + slot] = may_gather(state, slot)
    else:
        for slot in range(s.BIG_HAND):
            ways = int(state.fits[state.where, slot])
            for way in range(c.NUM_WAYS):
                mask[s.A_LAY + slot * c.NUM_WAYS + way] = ways >> way & 1


@kernel
def go_on(state, mask):
    """Begin the next turn (H2)."""
    if state.stage != s.GO_ON:
        return False
    _next_turn(state)
    return True


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`."""
    if action >= s.A_SIGNAL:
        state.said[state.seat] = action - s.A_SIGNAL
        note(state, s.E_SIGNALS, state.seat, action - s.A_SIGNAL, 0)
        state.stage = s.WHERE
    elif action >= s.A_LAY:
        slot, way = (action - s.A_LAY) // c.NUM_WAYS, (action - s.A_LAY) % c.NUM_WAYS
        dig(state, slot, way)
        _end_turn(state, slot)
    elif action >= s.A_GATHER:
        slot = action - s.A_GATHER
        _gather(state, slot)
        _end_turn(state, slot)
    else:
        state.where = action - s.A_WHERE
        state.stage = s.HOW


@kernel
def dig(state, slot, way):
    """Lay a card of the hand at the chosen place (C4, C6)."""
    half, turn = way // c.ROTATIONS, way % c.ROTATIONS
    kind = state.hand[state.seat, slot]
    x, y = place_of(state, state.where)
    side = c.OTHER_SIDE[turn, half]
    beyond = find(state, x + c.STEP_X[side], y + c.STEP_Y[side])
    covers = state.where >= c.MOST_ENDS or beyond != s.NO_CELL
    note(state, s.E_COVERS if covers else s.E_LAYS, state.seat, kind, state.laid)
    if half == 1:  # the place is that of half b
        x, y = x + c.STEP_X[side], y + c.STEP_Y[side]
    lay(state, kind, x, y, turn)
    state.played[kind] += 1
    if c.PICTURE[kind] == c.EXIT:
        state.exit_laid = 1


@kernel
def _gather(state, slot):
    """Put a raincoat or a rope next to the pile, for good (C7.1, C7.3)."""
    kind = state.hand[state.seat, slot]
    if c.PICTURE[kind] == c.RAINCOAT:
        state.raincoats += 1
    else:
        state.ropes += 1
    state.played[kind] += 1
    note(state, s.E_GATHERS, state.seat, kind, 0)


# Turns.


@kernel
def _end_turn(state, slot):
    """Draw a card, and end the deal if no tunnel is open (C3.3, C8.1)."""
    state.hand[state.seat, slot] = c.NO_CARD
    if state.pile_size > 0:
        _draw(state, state.seat, slot)
        note(state, s.E_DRAWS, state.seat, 0, 0)
    state.where = s.NOT_CHOSEN
    state.passes = 0
    state.fits[:] = 0
    state.stage = s.GO_ON
    if state.ends == 0:
        _end(state, s.CLOSED)
    elif state.early_stop and _hopeless(state):
        _end(state, s.IMPOSSIBLE)


@kernel
def _next_turn(state):
    """Pass the turn clockwise (C3.1)."""
    state.seat = (state.seat + 1) % state.seats
    _begin_turn(state)


@kernel
def _begin_turn(state):
    """Begin the turn of `state.seat`; it exchanges its hand if no card can be played (C3.2, C5)."""
    state.turns += 1
    seat = state.seat
    note(state, s.E_TURN, seat, 0, 0)
    kinds = scratch(KINDS, np.int64)
    count = kinds_that_fit(state, kinds)
    write_hand(state, seat, kinds, count)
    tries = (state.pile_size - 1) // hand_limit(state) + 2  # as many hands as the pile holds, and one more (H6)
    while not can_play(state) and state.pile_size > 0 and tries > 0:
        _exchange(state, seat)
        write_hand(state, seat, kinds, count)
        tries -= 1
    state.stage = s.SIGNAL if state.signals and state.seats > 1 else s.WHERE
    if can_play(state):
        return
    note(state, s.E_PASSES, seat, 0, 0)
    state.stage = s.GO_ON
    state.passes += 1
    if state.passes == state.seats:
        _end(state, s.NO_CARDS)
    elif state.early_stop and _hopeless(state):
        _end(state, s.IMPOSSIBLE)


@kernel
def _exchange(state, seat):
    """Put a hand under the pile and draw another; or take the whole pile and set the old hand aside (C5.2, C5.3)."""
    old, count = scratch(s.BIG_HAND, np.int8), 0
    for slot in range(s.BIG_HAND):
        if state.hand[seat, slot] != c.NO_CARD:
            old[count] = state.hand[seat, slot]
            count += 1
            state.hand[seat, slot] = c.NO_CARD
    if state.pile_size > count:
        _note_exchange(state, seat, count)
        _put_under(state, seat, old, count)
    else:
        note(state, s.E_TAKES_ALL, seat, state.pile_size, count)
        state.aside_by = seat
        for place in range(count):
            state.aside[place] = old[place]
        count = int(state.pile_size)
    for slot in range(count):
        _draw(state, seat, slot)


@kernel
def _note_exchange(state, seat, count):
    """Note how many cards went under the pile, and how many times in this turn."""
    last = state.news[state.news_count - 1]
    if last[0] == s.E_EXCHANGES and last[1] == seat:
        last[3] += 1
    else:
        note(state, s.E_EXCHANGES, seat, count, 1)


@kernel
def _put_under(state, seat, cards, count):
    """Put the hand under the pile in a random order; its seat remembers these cards (C5.2, H5, C11.3)."""
    shuffle(state, cards, count)
    packet = 1 - state.packet[0] if state.put_under[0] == seat else 0
    for slot in range(state.pile_size - 1, -1, -1):
        state.pile[slot + count] = state.pile[slot]
        state.put_under[slot + count] = state.put_under[slot]
        state.packet[slot + count] = state.packet[slot]
    for slot in range(count):
        state.pile[slot] = cards[slot]
        state.put_under[slot] = seat
        state.packet[slot] = packet
    state.pile_size += count


@kernel
def _draw(state, seat, slot):
    """Draw the top card. If another seat put it under the pile, that seat no longer knows the rest of its packet."""
    state.pile_size -= 1
    top = int(state.pile_size)
    state.hand[seat, slot] = state.pile[top]
    owner, packet = state.put_under[top], state.packet[top]
    state.pile[top] = c.NO_CARD
    state.put_under[top] = s.NOBODY
    state.packet[top] = 0
    other = top - 1
    while owner != seat and owner != s.NOBODY and is_in_packet(state, other, owner, packet):
        state.put_under[other] = s.NOBODY
        state.packet[other] = 0
        other -= 1


@kernel
def is_in_packet(state, slot, owner, packet):
    """Return whether the card at a place of the pile, if it is one, belongs to a packet."""
    return slot >= 0 and state.put_under[slot] == owner and state.packet[slot] == packet


# The end.


@kernel
def _end(state, ending):
    """End the deal: Bandido has escaped, or not (C8)."""
    dry = True
    for slot in range(state.flood.shape[0]):
        dry = dry and state.flood[slot] == s.NO_CELL
    state.over = 1
    state.ending = ending
    gathered = state.raincoats == c.RAINCOATS and state.ropes == c.ROPES
    state.won = state.ends == 0 and state.exit_laid and dry and gathered
    note(state, s.E_ENDS, state.won, ending, 0)


@kernel
def _hopeless(state):
    """Return whether one of the conditions of early_stop makes victory impossible (O3)."""
    raincoats, ropes = int(state.raincoats), int(state.ropes)
    for kind in range(c.NUM_KINDS):
        left = int(c.COPIES[kind]) - int(state.played[kind])
        for slot in range(s.BIG_HAND):
            left -= state.aside[slot] == kind
        raincoats += left * (c.PICTURE[kind] == c.RAINCOAT)
        ropes += left * (c.PICTURE[kind] == c.ROPE)
        if kind == c.EXIT_KIND and left == 0 and not state.exit_laid:
            return True
    return raincoats < c.RAINCOATS or ropes < c.ROPES or is_lost(state)


@kernel
def payoff(state, out):
    """Pay every seat alike: 1 if Bandido has escaped, 0 if not (C8.3)."""
    out[:] = 0.0
    if state.over:
        out[: state.seats] = state.won


def band_of(ends: np.ndarray, exit_laid: np.ndarray) -> np.ndarray:
    """Return the bands of solitaires, 0 to 3, by the tunnels left open (C9.2)."""
    bands = np.where(ends >= 7, 0, np.where(ends >= 5, 1, 2))
    return np.where((ends == 0) & (exit_laid == 1), 3, bands)
