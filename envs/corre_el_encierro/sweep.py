"""Sweeps by the Cabestros, which close a location when the pile is used up (C9)."""

import numpy as np

from sobremesa.envs.core.chance import shuffle
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note
from sobremesa.envs.corre_el_encierro import state as s
from sobremesa.envs.corre_el_encierro.cards import LAST_STRETCH, MAX_SEATS, NO_CARD, NUM_CARDS
from sobremesa.envs.corre_el_encierro.hits import eliminate, end_if_one_left
from sobremesa.envs.corre_el_encierro.moves import move
from sobremesa.envs.corre_el_encierro.state import in_reach, line_up, pop_queue, runners_left, seat_after, win


@kernel
def begin_sweep(state):
    """Turn the next location down and line up the runners on it, the drawer last (C9.1, C9.2)."""
    state.closing = 1
    state.closed += 1
    note(state, s.E_CLOSES, s.NOBODY, NO_CARD, state.closed)
    for steps in range(1, state.seats + 1):
        seat = seat_after(state, state.turn, steps)
        if state.place[seat] == state.closed and in_reach(state, seat):
            line_up(state, seat)


@kernel
def threaten_next(state):
    """Ask the next threatened runner to flee; return whether there was one (C9.2)."""
    seat = pop_queue(state)
    if seat == s.NOBODY:
        return False
    state.seat = seat
    state.stage = s.SAVE
    return True


@kernel
def save(state, action):
    """Advance out of the sweep, or stay; a runner swapped in is threatened in turn (C9.3, C9.4)."""
    state.stage = s.GO_ON
    if action != s.A_NOTHING:
        other = move(state, state.seat, action)
        if other != s.NOBODY:
            line_up(state, other)


@kernel
def end_sweep(state):
    """Eliminate all runners on the location together, then shuffle the discards into a new pile (C9.5, C9.6)."""
    state.closing = 0
    wealth, most = scratch(MAX_SEATS, np.int64), -1
    for seat in range(state.seats):
        swept = state.status[seat] != s.OUT and state.place[seat] == state.closed
        wealth[seat] = _wealth(state, seat) if swept else -1
        most = max(most, wealth[seat])
    for seat in range(state.seats):
        if wealth[seat] >= 0:
            eliminate(state, seat, s.E_SWEPT)
    if runners_left(state) > 0:
        end_if_one_left(state)
    else:  # the most objects win, then the most cards; equals share (C10.3)
        for seat in range(state.seats):
            if wealth[seat] == most:
                win(state, seat, s.SWEPT)
    if state.deck != LAST_STRETCH:  # there the deal is over
        _shuffle_discards(state)


@kernel
def _wealth(state, seat):
    hearts = int(state.objects[seat]) + (state.special[seat] != NO_CARD)
    return 10 * hearts + int(state.hand_size[seat])


@kernel
def _shuffle_discards(state):
    size = 0
    for card in range(NUM_CARDS):
        for _ in range(state.discards[card]):
            state.pile[size] = card
            size += 1
        state.discards[card] = 0
    state.pile_size = size
    shuffle(state, state.pile, size)
