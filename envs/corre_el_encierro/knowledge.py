"""Hidden information of *Corre el encierro*, and determinizations of it."""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.corre_el_encierro import cards as c
from sobremesa.envs.corre_el_encierro.state import BEHIND, GO_ON, MAX_THEFTS, NOBODY, WARNED, forget


@kernel
def count_unseen(state, seat, left):
    """Write the number of unseen cards of each kind, in the pile or other hands, into `left` `(NUM_CARDS,)`."""
    copies = c.COPIES[c.CARDS_OF[state.deck]]
    for card in range(c.NUM_CARDS):
        left[card] = int(copies[card]) - state.discards[card]
    for card in range(c.NUM_HAND_CARDS):
        left[card] -= state.hand[seat, card]
    if state.card != c.NO_CARD:
        left[state.card] -= 1
    for other in range(state.seats):
        if state.special[other] != c.NO_CARD:
            left[state.special[other]] -= 1
        left[c.BARRERA] -= state.status[other] in (WARNED, BEHIND)


@kernel
def redeal(state, seat, seed):
    """Resample the cards that `seat` cannot see, all deals equally likely, and start a new stream (C11.1, C11.2).

    Stolen cards of `seat` go to hands where they may be, bulls and falls to the pile, and the rest to
    the other hands and the pile. Memories of others are erased. If another seat is asked, the new state asks no seat.
    """
    start(state, seed)
    if state.seat != seat and not state.over:
        state.seat = NOBODY
        state.stage = GO_ON
    pool, left = scratch(c.DECK_SIZE, np.int8), scratch(c.NUM_CARDS, np.int64)
    count_unseen(state, seat, left)
    count = 0
    for card in range(c.NUM_HAND_CARDS):
        for theft in range(MAX_THEFTS):
            left[card] -= state.theft_from[theft] == seat and state.theft_kind[theft] == card
        pool[count : count + left[card]] = card
        count += left[card]
    shuffle(state, pool, count)
    places = scratch(MAX_THEFTS, np.int64)
    _place_known(state, seat, places)
    _hand_out(state, seat, places, pool, count, left)
    theft = 0
    while theft < MAX_THEFTS and state.theft_kind[theft] != c.NO_CARD:
        if state.theft_from[theft] == seat:
            theft += 1
        else:
            forget(state, theft)


@kernel
def reshuffle(state, seed):
    """Shuffle the pile, whose order no seat knows (C11.1), and start a new stream."""
    start(state, seed)
    shuffle(state, state.pile, state.pile_size)


@kernel
def _place_known(state, seat, places):
    """Draw a hand for each stolen card of `seat`; all arrangements that fit are equally likely.

    Writes the hands into `places` `(MAX_THEFTS,)`, NOBODY for thefts that others remember.
    """
    places[:] = NOBODY
    fits = False
    while not fits:  # the true world fits, so a draw comes that does
        fits = True
        taken = 0  # cards in hands, as bits
        for theft in range(MAX_THEFTS):
            if state.theft_from[theft] == seat:
                hand, slot = _any_slot(state, int(state.theft_hands[theft]))
                card = 1 << (c.HAND_LIMIT * hand + slot)
                fits = fits and not taken & card
                taken |= card
                places[theft] = hand


@kernel
def _any_slot(state, hands):
    """Draw one of the cards in `hands`, a bit for each seat; return its hand and its number there."""
    size = 0
    for other in range(state.seats):
        if (hands >> other) & 1:
            size += int(state.hand_size[other])
    slot = below(state, size)
    other = 0
    while not (hands >> other) & 1 or slot >= state.hand_size[other]:
        if (hands >> other) & 1:
            slot -= int(state.hand_size[other])
        other += 1
    return other, slot


@kernel
def _hand_out(state, seat, places, pool, count, left):
    """Fill the other hands with known cards and from `pool`; the rest, and all cards to be shown, make the pile."""
    for other in range(state.seats):
        if other == seat:
            continue
        state.hand[other, :] = 0
        room = int(state.hand_size[other])
        for theft in range(MAX_THEFTS):
            if places[theft] == other:
                state.hand[other, state.theft_kind[theft]] += 1
                room -= 1
        for _ in range(room):
            count -= 1
            state.hand[other, pool[count]] += 1
    for slot in range(count):
        state.pile[slot] = pool[slot]
    for card in range(c.NUM_HAND_CARDS, c.NUM_CARDS):
        for _ in range(left[card]):
            state.pile[count] = card
            count += 1
    state.pile[count:] = 0
    shuffle(state, state.pile, count)
