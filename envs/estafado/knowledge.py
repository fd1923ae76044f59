"""Knowledge of hidden cards in *Estafado*, and determinizations of the rest (C12.2)."""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.estafado.board import NUM_CELLS
from sobremesa.envs.estafado.cards import COPIES, DECK_SIZE, HAND_SIZE, HURRICANE, NO_CARD, NO_SWAP, NUM_KINDS
from sobremesa.envs.estafado.state import CROW, FOX, PILE_SIZE, is_rabbit

# Places of cards that a seat may not know, by number: cells, then the deck from below, the hand, the pile.
_IN_DECK, _IN_HAND = NUM_CELLS, NUM_CELLS + DECK_SIZE
_IN_PILE = _IN_HAND + HAND_SIZE
_PLACES = _IN_PILE + PILE_SIZE


@kernel
def knows_pile(state, seat, slot):
    """Return whether `seat` knows card `slot` of those that the crow swapped with the deck (C8.5)."""
    return state.pile[slot] != NO_CARD and (seat == CROW or state.pile_known[slot])


@kernel
def count_unseen(state, seat, counts):
    """Write the number of cards of each kind that `seat` has not located into `counts` `(NUM_KINDS,)`."""
    for kind in range(counts.shape[0]):
        counts[kind] = COPIES[kind] - state.discards[kind]
    for slot in range(state.catches):
        counts[state.prey[slot]] -= 1
    for cell in range(NUM_CELLS):
        counts[state.cards[cell]] -= state.known[seat, cell]
    for slot in range(HAND_SIZE):
        card = state.hand[slot]
        if card != NO_CARD and (seat == FOX or card == HURRICANE):
            counts[card] -= 1
    for slot in range(PILE_SIZE):
        if knows_pile(state, seat, slot):
            counts[state.pile[slot]] -= 1
    counts[HURRICANE] -= state.deck[state.deck_size - 1] == HURRICANE


@kernel
def redeal(state, seat, seed):
    """Resample the cards that `seat` has not located, and start a new stream (C12.2).

    All arrangements that agree with the seat's knowledge are equally likely.
    """
    start(state, seed)
    places, pool = scratch(_PLACES, np.int64), scratch(_PLACES, np.int8)
    count = _hidden_places(state, seat, places)
    counts = scratch(NUM_KINDS, np.int64)
    count_unseen(state, seat, counts)
    lost = counts[HURRICANE]  # without a visible back it lies in the deck, under the top card
    counts[HURRICANE] = 0
    size = 0
    for kind in range(NUM_KINDS):
        for _ in range(counts[kind]):
            pool[size] = kind
            size += 1
    _lay_random_cards(state, places, count, pool, size, lost)


@kernel
def reshuffle(state, seed):
    """Resample the cards that neither seat has located, and start a new stream (C12.2).

    They are on the floor and in the deck: the fox knows the whole hand, and the crow all cards swapped with the
    deck. All arrangements that agree with the knowledge of both seats are equally likely.
    """
    start(state, seed)
    places, pool = scratch(_PLACES, np.int64), scratch(_PLACES, np.int8)
    hidden = _hidden_places(state, FOX, places)
    count, size, lost = 0, 0, 0
    for number in range(hidden):
        place = places[number]
        if place >= _IN_PILE or (place < _IN_DECK and state.known[CROW, place]):
            continue
        card = state.cards[place] if place < _IN_DECK else state.deck[place - _IN_DECK]
        if card == HURRICANE:
            lost = 1
        else:
            pool[size] = card
            size += 1
        places[count] = place
        count += 1
    _lay_random_cards(state, places, count, pool, size, lost)


@kernel
def _lay_random_cards(state, places, count, pool, size, lost):
    """Lay `size` cards of `pool` on `count` places, with the Hurricane, if it is `lost`, in the deck under the top."""
    while True:
        under = below(state, state.deck_size - 1)
        shuffle(state, pool, size)
        fits, card = True, 0
        for number in range(count):
            place = places[number]
            if lost and place == _IN_DECK + under:
                _put(state, place, HURRICANE)
                continue
            fits = fits and _fits(state, place, pool[card])
            _put(state, place, pool[card])
            card += 1
        if fits:
            return


@kernel
def _hidden_places(state, seat, places):
    """Write the places of all cards that `seat` has not located into `places`; return their number."""
    count = 0
    for cell in range(NUM_CELLS):
        if not state.known[seat, cell]:
            places[count] = cell
            count += 1
    for slot in range(state.deck_size):
        if slot < state.deck_size - 1 or state.deck[slot] != HURRICANE:
            places[count] = _IN_DECK + slot
            count += 1
    for slot in range(HAND_SIZE):
        if seat == CROW and state.hand[slot] < NO_CARD and state.hand[slot] != HURRICANE:
            places[count] = _IN_HAND + slot
            count += 1
    for slot in range(PILE_SIZE):
        if state.pile[slot] != NO_CARD and not knows_pile(state, seat, slot):
            places[count] = _IN_PILE + slot
            count += 1
    return count


@kernel
def _fits(state, place, card):
    """Return whether public knowledge allows a card at a place (C12.2)."""
    rabbit, barring = is_rabbit(card), NO_SWAP[card]
    if place < _IN_DECK:
        return not (rabbit and state.no_rabbit[place]) and not (barring and state.swappable[place])
    if place < _IN_PILE:
        return not rabbit
    slot = place - _IN_PILE
    return not (rabbit and state.pile_no_rabbit[slot]) and not (barring and state.pile_swappable[slot])


@kernel
def _put(state, place, card):
    if place < _IN_DECK:
        state.cards[place] = card
    elif place < _IN_HAND:
        state.deck[place - _IN_DECK] = card
    elif place < _IN_PILE:
        state.hand[place - _IN_HAND] = card
    else:
        state.pile[place - _IN_PILE] = card
