"""Knowledge of a seat of *Érase una vez* about hidden cards and endings, and determinizations (C11.3)."""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.react import can_interrupt, legal_reactions
from sobremesa.envs.erase_una_vez.state import left_of
from sobremesa.envs.erase_una_vez.tale import must_hook, weight_of

_TRIES = 50  # redeals until a seat can react, before a card is changed for it


@kernel
def sees(state, seat, card):
    """Return whether `seat` sees where a card is: in its hand, on the table, face up, or face down by its own doing."""
    where = state.where[card]
    shown = (where < s.MAX_SEATS) & (state.shown[card] == 1)
    buried = (where == s.BURIED) & (state.buried_by[card] == seat)
    return (where == seat) | (where == s.TABLE) | (where == s.OPEN) | shown | buried


@kernel
def redeal(state, seat, seed):
    """Resample the information hidden from `seat`, uniformly, and begin another stream (C11.3, C5.5).

    Cards: other hands but for what is known of them, what others discarded face down, and the deck. Endings: those of
    others and the pile, but for those that it knows. Traces of the
    decisions of others are erased: hidden reactions and votes (they will be asked again), the seat to act (H10), the
    count of plies and the news.
    """
    start(state, seed)
    state.ply = 0
    state.news_count = 0
    state.news[:] = 0
    _redeal_cards(state, seat)
    _redeal_endings(state, seat)
    for other in range(state.seats):
        if other != seat:
            if state.stage == s.REACT:
                state.choice[other] = s.A_NOTHING
                state.answered[other] = 0
            if state.stage == s.VOTE:
                state.vote[other] = 0
                state.answered[other] = 0
    _redeal_order(state)
    if state.seat != seat and not state.over:
        _redeal_question(state, seat)


@kernel
def reshuffle(state, seed):
    """Shuffle the information hidden from all seats, and begin another stream (C11.3).

    That is the deck, the endings of the pile that no seat knows, and the order of the waiting open reactions.
    """
    start(state, seed)
    shuffle(state, state.deck, state.deck_size)
    pool, count = scratch(t.NUM_ENDINGS, np.int8), 0
    for place in range(state.endings_size):
        if not state.ending_known[state.endings[place]]:
            pool[count] = state.endings[place]
            count += 1
    shuffle(state, pool, count)
    for place in range(state.endings_size):
        if not state.ending_known[state.endings[place]]:
            count -= 1
            state.endings[place] = pool[count]
    _redeal_order(state)


@kernel
def _redeal_cards(state, seat):
    pool = scratch(t.NUM_ELEMENTS, np.int8)
    count = 0
    room, buried = scratch(s.MAX_SEATS, np.int64), scratch(s.MAX_SEATS, np.int64)
    room[:] = 0
    buried[:] = 0
    for card in range(t.NUM_ELEMENTS):
        if sees(state, seat, card):
            continue
        pool[count] = card
        count += 1
        where = state.where[card]
        if where < s.MAX_SEATS:
            room[where] += 1
        elif where == s.BURIED:
            buried[state.buried_by[card]] += 1
    shuffle(state, pool, count)
    for other in range(state.seats):
        for _ in range(room[other]):
            count -= 1
            state.where[pool[count]] = other
            state.buried_by[pool[count]] = s.NOBODY
        for _ in range(buried[other]):
            count -= 1
            state.where[pool[count]] = s.BURIED
            state.buried_by[pool[count]] = other
    for slot in range(count):
        state.where[pool[slot]] = s.DECK
        state.buried_by[pool[slot]] = s.NOBODY
        state.deck[slot] = pool[slot]


@kernel
def _redeal_endings(state, seat):
    pool = scratch(t.NUM_ENDINGS, np.int8)
    count = 0
    for ending in range(t.NUM_ENDINGS):
        if not (state.ending_known[ending] >> seat) & 1:
            pool[count] = ending
            count += 1
    shuffle(state, pool, count)
    for other in range(state.seats):
        for slot in range(s.MOST_ENDINGS):
            ending = state.ending[other, slot]
            if ending != t.NO_ENDING and not (state.ending_known[ending] >> seat) & 1:
                count -= 1
                state.ending[other, slot] = pool[count]
    for place in range(state.endings_size):
        if not (state.ending_known[state.endings[place]] >> seat) & 1:
            count -= 1
            state.endings[place] = pool[count]
    _forget_others(state, seat)


@kernel
def _forget_others(state, seat):
    """Erase the knowledge of others about endings, except their own and those that all know."""
    for ending in range(t.NUM_ENDINGS):
        if not int(state.ending_known[ending]) & s.PUBLIC:
            state.ending_known[ending] &= 1 << int(seat)
    for other in range(state.seats):
        for slot in range(s.MOST_ENDINGS):
            if state.ending[other, slot] != t.NO_ENDING:
                state.ending_known[state.ending[other, slot]] |= 1 << int(other)


@kernel
def _redeal_order(state):
    """Shuffle the waiting open reactions, independently of the true order."""
    waiting = scratch(s.MAX_SEATS, np.uint8)
    waiting[:] = 0
    for place in range(s.MAX_SEATS):
        if state.order[place] != s.NOBODY:
            waiting[state.order[place]] = 1
    count = 0
    for seat in range(s.MAX_SEATS):
        if waiting[seat]:
            state.order[count] = seat
            count += 1
    shuffle(state, state.order, count)


@kernel
def _redeal_question(state, seat):
    """Set the seat to act of this world, if `seat` is not asked and cannot see the true one (C5.5, H10)."""
    if state.stage == s.VOTE:
        voter = 0
        while voter == seat or not state.voters[voter]:
            voter += 1
        state.seat = voter
    elif state.stage == s.REACT and _knows_of_window(state, seat):
        _ask_to_react(state, seat)
    elif state.stage != s.PASSING:
        _continue_narrator(state)


@kernel
def _knows_of_window(state, seat):
    """Return whether `seat`, which is not asked, knows that another is asked for a reaction (H10)."""
    waits = state.choice[seat] != s.A_NOTHING or (not state.answered[seat] and _can_react(state, seat))
    return seat == state.narrator or waits or not _continues(state)


@kernel
def _can_react(state, seat):
    state.seat = seat
    return legal_reactions(state, scratch(s.NUM_ACTIONS, np.int8)) > 0


@kernel
def _continues(state):
    """Return whether the narrator would act next without reactions: the tale may be too long, or end by itself."""
    if state.sentences >= state.max_sentences:
        return False
    ways = int(not state.must_end)
    for slot in range(s.MOST_ENDINGS):
        ways += state.ending[state.narrator, slot] != t.NO_ENDING
    return state.hand_size[state.narrator] > 0 or state.links < s.MOST_LINKS or ways > 1


@kernel
def _continue_narrator(state):
    """Continue with the narrator, as without reactions."""
    state.choice[:] = s.A_NOTHING
    state.answered[:] = 0
    state.chosen = s.NOT_CHOSEN
    state.seat = state.narrator
    state.stage = s.HOOK if must_hook(state) else s.TELL


@kernel
def _ask_to_react(state, seat):
    """Ask the first seat from the narrator's left that can react, before or after `seat` as H10 allows."""
    narrator = int(state.narrator)
    waits = seat != narrator and not state.answered[seat] and _can_react(state, seat)
    low = left_of(state, seat if state.answered[seat] else narrator)
    high = seat if waits else narrator
    asked = _first_to_react(state, seat, low, high)
    for _ in range(_TRIES):
        if asked != s.NOBODY:
            break
        _redeal_cards(state, seat)
        asked = _first_to_react(state, seat, low, high)
    if asked == s.NOBODY:
        _plant(state, seat, low, high)
        asked = _first_to_react(state, seat, low, high)
    state.seat = asked


@kernel
def _first_to_react(state, seat, low, high):
    """Return the first seat other than `seat` in `low` to `high` (exclusive) that can react; NOBODY without one."""
    other = low
    while other != high:
        if other != seat and _can_react(state, other):
            return other
        other = left_of(state, other)
    return s.NOBODY


@kernel
def _interrupts(state, card):
    return can_interrupt(state) and t.INTERRUPTION[card] < t.NUM_INTERRUPTIONS and t.GROUP[card] == t.GROUP[state.focus]


@kernel
def _plant(state, seat, low, high):
    """Swap a hidden card of a seat in `low` to `high` for a card that allows a reaction."""
    may_ask = scratch(s.MAX_SEATS, np.uint8)
    may_ask[:] = 0
    other = low
    while other != high:
        may_ask[other] = other != seat
        other = left_of(state, other)
    held, given, hands, ways = 0, 0, 0, 0
    for card in range(t.NUM_ELEMENTS):
        if sees(state, seat, card):
            continue
        if state.where[card] < s.MAX_SEATS and may_ask[state.where[card]]:
            hands += 1
            held = card if below(state, hands) == 0 else held
        elif weight_of(state, card) > 0 or _interrupts(state, card):
            ways += 1
            given = card if below(state, ways) == 0 else given
    for slot in range(state.deck_size):
        if state.deck[slot] == given:
            state.deck[slot] = held
    state.where[held], state.where[given] = state.where[given], state.where[held]
    state.buried_by[held], state.buried_by[given] = state.buried_by[given], state.buried_by[held]
