"""Knowledge of a seat of *Bandido Alcatraz* about hidden cards, and determinizations (C11.2)."""

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import COPIES, NO_CARD, NUM_CARDS, NUM_KINDS
from sobremesa.envs.bandido_alcatraz.fits import can_play, write_fits
from sobremesa.envs.bandido_alcatraz.rules import is_in_packet, legal
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, BIG_HAND, HOW, NOBODY, NOT_CHOSEN, NUM_ACTIONS, WHERE
from sobremesa.envs.core.chance import shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.steps import sole_action


@kernel
def count_unseen(state, seat, counts, under):
    """Count the cards of each kind that `seat` has not located or has put under the pile, `(NUM_KINDS,)` each."""
    under[:] = 0
    for slot in range(state.pile_size):
        if state.put_under[slot] == seat:
            under[state.pile[slot]] += 1
    for kind in range(counts.shape[0]):
        counts[kind] = COPIES[kind] - state.played[kind] - under[kind]
    for slot in range(BIG_HAND):
        if state.hand[seat, slot] != NO_CARD:
            counts[state.hand[seat, slot]] -= 1
        if state.aside_by == seat and state.aside[slot] != NO_CARD:
            counts[state.aside[slot]] -= 1


@kernel
def redeal(state, seat, seed):
    """Resample the cards that `seat` has not located, and begin a new random stream (C11.2)."""
    start(state, seed)
    counts, under = scratch(NUM_KINDS, np.int64), scratch(NUM_KINDS, np.int64)
    count_unseen(state, seat, counts, under)
    pool = scratch(NUM_CARDS, np.int8)
    size = _fill(pool, counts)
    shuffle(state, pool, size)
    if state.seat != seat and not state.over:
        _begin_hidden_turn(state, pool, size)
    _shuffle_packets(state, seat)
    for turn in range(state.seats):
        other = (state.seat + turn) % state.seats
        for slot in range(BIG_HAND):
            if other != seat and state.hand[other, slot] != NO_CARD:
                size -= 1
                state.hand[other, slot] = pool[size]
    for slot in range(BIG_HAND):
        if state.aside_by != seat and state.aside[slot] != NO_CARD:
            size -= 1
            state.aside[slot] = pool[size]
    for slot in range(state.pile_size):
        if state.put_under[slot] != seat:
            size -= 1
            state.pile[slot] = pool[size]


@kernel
def reshuffle(state, seed):
    """Shuffle the cards of the pile that no seat has located, and each packet, and begin another stream (C11.2, H5).

    A packet that a seat put under the pile stays where it is: that seat knows its cards, and no seat their order.
    """
    start(state, seed)
    pool, size = scratch(NUM_CARDS, np.int8), 0
    for slot in range(state.pile_size):
        if state.put_under[slot] == NOBODY:
            pool[size] = state.pile[slot]
            size += 1
    shuffle(state, pool, size)
    for slot in range(state.pile_size):
        if state.put_under[slot] == NOBODY:
            size -= 1
            state.pile[slot] = pool[size]
    for seat in range(state.seats):
        _shuffle_packets(state, seat)


@kernel
def _begin_hidden_turn(state, pool, size):
    """Begin the turn of the seat to act with cards of `pool`; its chosen place is secret.

    All players see that it is asked and did not exchange, so the pool is shuffled until it has a choice.
    """
    seat = int(state.seat)
    begun = WHERE if state.stage == HOW else int(state.stage)
    fits = False
    while not fits:  # the true hand fits, so one comes that does
        state.stage = begun
        state.where = NOT_CHOSEN
        count = size
        for slot in range(BIG_HAND):
            if state.hand[seat, slot] != NO_CARD:
                count -= 1
                state.hand[seat, slot] = pool[count]
        write_fits(state, seat)
        fits = can_play(state) and (begun != WHERE or _has_choice(state))
        if not fits:
            shuffle(state, pool, size)


@kernel
def _has_choice(state):
    """Return whether the seat to act can choose a place, or with a single place how to lay a card."""
    mask = scratch(NUM_ACTIONS, np.int8)
    mask[:] = 0
    legal(state, mask)
    where = sole_action(mask)
    if where < 0:
        return True
    if where >= A_GATHER:
        return False
    state.where = where
    state.stage = HOW
    mask[:] = 0
    legal(state, mask)
    return sole_action(mask) < 0


@kernel
def _shuffle_packets(state, seat):
    """Shuffle each packet that `seat` put under the pile: it knows the cards, but not their order (H5)."""
    slot = 0
    while slot < state.pile_size:
        first = slot
        slot += 1
        if state.put_under[first] == seat:
            while slot < state.pile_size and is_in_packet(state, slot, seat, state.packet[first]):
                slot += 1
            packet = state.pile[first:slot]
            _sort(packet)
            shuffle(state, packet, slot - first)


@kernel
def _sort(cards):
    """Sort a few cards by kind; `cards.sort()` needs an allocator."""
    for last in range(1, cards.shape[0]):
        slot, card = last, cards[last]
        while slot > 0 and cards[slot - 1] > card:
            cards[slot] = cards[slot - 1]
            slot -= 1
        cards[slot] = card


@kernel
def _fill(cards, counts):
    """Write `counts` cards of each kind into `cards`; return their number."""
    size = 0
    for kind in range(NUM_KINDS):
        for _ in range(counts[kind]):
            cards[size] = kind
            size += 1
    return size
