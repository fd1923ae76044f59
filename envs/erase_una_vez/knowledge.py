"""What a seat of *Érase una vez* knows of hidden cards and endings, and fair guesses at what it does not (C11.3)."""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.erase_una_vez.state import (
    A_NOTHING,
    BURIED,
    DECK,
    MAX_SEATS,
    MOST_ENDINGS,
    MOST_HOOKS,
    NOBODY,
    NOT_CHOSEN,
    OPEN,
    PUBLIC,
    REACT,
    TABLE,
    VOTE,
)
from sobremesa.envs.erase_una_vez.tables import (
    NO_ENDING,
    NUM_ELEMENTS,
    NUM_ENDINGS,
)
from sobremesa.envs.erase_una_vez.tale import (
    is_new_hook,
)


@kernel
def sees(state, seat, card):
    """Say whether `seat` sees where a card is: in its hand, on the table, face up, or face down by its own doing."""
    where = state.where[card]
    shown = (where < MAX_SEATS) & (state.shown[card] == 1)
    buried = (where == BURIED) & (state.buried_by[card] == seat)
    return (where == seat) | (where == TABLE) | (where == OPEN) | shown | buried


@kernel
def redeal(state, seat, seed):
    """Give out anew, each way alike, what `seat` cannot see, and begin another stream (C11.3, C5.5).

    Cards: other hands but for what is known of them, what others discarded face down, and the deck. Endings: those of
    others and the pile, but for those that it knows. What tells of questions put to others is wiped out: reactions and
    votes of others that are not open yet (they will be asked again), the count of plies and the news.
    """
    start(state, seed)
    state.ply = 0
    state.news_count = 0
    state.news[:] = 0
    _redeal_cards(state, seat)
    _redeal_endings(state, seat)
    if state.seat != seat and state.chosen != NOT_CHOSEN:
        _redeal_hook(state)
    for other in range(state.seats):
        if other != seat:
            if not state.resolving and state.stage == REACT:
                state.choice[other] = A_NOTHING
                state.answered[other] = 0
            if state.stage == VOTE:
                state.vote[other] = 0
                state.answered[other] = 0
    _redeal_order(state)


@kernel
def _redeal_cards(state, seat):
    pool = np.empty(NUM_ELEMENTS, np.int8)
    count = 0
    room = np.zeros(MAX_SEATS, np.int64)
    buried = np.zeros(MAX_SEATS, np.int64)
    for card in range(NUM_ELEMENTS):
        if sees(state, seat, card):
            continue
        pool[count] = card
        count += 1
        where = state.where[card]
        if where < MAX_SEATS:
            room[where] += 1
        elif where == BURIED:
            buried[state.buried_by[card]] += 1
    shuffle(state, pool, count)
    for other in range(state.seats):
        for _ in range(room[other]):
            count -= 1
            state.where[pool[count]] = other
            state.buried_by[pool[count]] = NOBODY
        for _ in range(buried[other]):
            count -= 1
            state.where[pool[count]] = BURIED
            state.buried_by[pool[count]] = other
    for slot in range(count):
        state.where[pool[slot]] = DECK
        state.buried_by[pool[slot]] = NOBODY
        state.deck[slot] = pool[slot]


@kernel
def _redeal_endings(state, seat):
    pool = np.empty(NUM_ENDINGS, np.int8)
    count = 0
    for ending in range(NUM_ENDINGS):
        if not (state.ending_known[ending] >> seat) & 1:
            pool[count] = ending
            count += 1
    shuffle(state, pool, count)
    for other in range(state.seats):
        for slot in range(MOST_ENDINGS):
            ending = state.ending[other, slot]
            if ending != NO_ENDING and not (state.ending_known[ending] >> seat) & 1:
                count -= 1
                state.ending[other, slot] = pool[count]
    for place in range(state.endings_size):
        if not (state.ending_known[state.endings[place]] >> seat) & 1:
            count -= 1
            state.endings[place] = pool[count]
    _forget_others(state, seat)


@kernel
def _forget_others(state, seat):
    """Wipe out what others know of endings, but for what all know and their own."""
    for ending in range(NUM_ENDINGS):
        if not int(state.ending_known[ending]) & PUBLIC:
            state.ending_known[ending] &= 1 << int(seat)
    for other in range(state.seats):
        for slot in range(MOST_ENDINGS):
            if state.ending[other, slot] != NO_ENDING:
                state.ending_known[state.ending[other, slot]] |= 1 << int(other)


@kernel
def _redeal_hook(state):
    """Choose anew what the narrator's next sentence will hang on."""
    chosen = below(state, MOST_HOOKS)
    while not is_new_hook(state, chosen):
        chosen = below(state, MOST_HOOKS)
    state.chosen = chosen


@kernel
def _redeal_order(state):
    """Bring those who wait with an open reaction into another order, which must not follow from the true one."""
    waiting = np.zeros(MAX_SEATS, np.uint8)
    for place in range(MAX_SEATS):
        if state.order[place] != NOBODY:
            waiting[state.order[place]] = 1
    count = 0
    for seat in range(MAX_SEATS):
        if waiting[seat]:
            state.order[count] = seat
            count += 1
    shuffle(state, state.order, count)
