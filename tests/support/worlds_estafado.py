"""Reference sampler of worlds of *Estafado* (see worlds.py).

Lay all unseen cards anywhere, and repeat until they fit what the seat knows.
"""

from worlds import restart

NO_CARD = 38  # and the number of kinds
RABBITS = (0, 1, 2)
HURRICANE, BEAVER, PORCUPINE = 3, 9, 26
TWO_COPIES = (5, 7, 8, 12, 13, 15, 30, 31, 32, 33)
FOX, CROW = 0, 1
CELLS, SLOTS, PILE = 25, 5, 3


def places_of(state):
    """Return all places that hold a card which some seat may not see: `[(field, number), ...]`."""
    held = [("cards", cell) for cell in range(CELLS)]
    held += [("deck", number) for number in range(state.deck_size)]
    held += [("hand", slot) for slot in range(SLOTS) if state.hand[slot] != NO_CARD]
    return held + [("pile", slot) for slot in range(PILE) if state.pile[slot] != NO_CARD]


def back_is_seen(state, field, number):
    """Say whether the back of a card there lies open to all: anywhere but in the deck, under its top card (C2.6)."""
    return field != "deck" or number == state.deck_size - 1


def is_known(state, seat, field, number):
    """Say whether `seat` knows the card at a place (C12.1)."""
    if state[field][number] == HURRICANE and back_is_seen(state, field, number):
        return True
    if field == "cards":
        return bool(state.known[seat, number])
    if field == "hand":
        return seat == FOX
    return field == "pile" and bool(seat == CROW or state.pile_known[number])


def may_lie(state, card, field, number):
    """Say whether a card that a seat does not know may be at a place, by what all know (C2.4, C2.6, C12.1)."""
    if card == HURRICANE:
        return not back_is_seen(state, field, number)
    if card in RABBITS:
        if field == "cards":
            return not state.no_rabbit[number]
        return field == "pile" and not state.pile_no_rabbit[number]
    if card in (BEAVER, PORCUPINE):
        if field == "cards":
            return not state.swappable[number]
        return field != "pile" or not state.pile_swappable[number]
    return True


def unseen_cards(state, seat):
    """Return all cards but those that lie open, on the discard pile, before the fox, or are known to `seat`."""
    cards = [card for card in range(NO_CARD) for _ in range(2 if card in TWO_COPIES else 1)]
    for card in range(NO_CARD):
        for _ in range(state.discards[card]):
            cards.remove(card)
    for slot in range(state.catches):
        cards.remove(state.prey[slot])
    for field, number in places_of(state):
        if is_known(state, seat, field, number):
            cards.remove(state[field][number])
    return cards


def sample_world(table, seat, rng, heed=True):
    """Return a copy of `table` with all that `seat` cannot know dealt anew, each way alike.

    Without `heed` what is known of unknown cards (no rabbit, no symbol) is not heeded: a wrong sampler.
    """
    world = table.copy()
    state = table[0]
    cards = unseen_cards(state, seat)
    places = [place for place in places_of(state) if not is_known(state, seat, *place)]
    assert len(cards) == len(places)
    odd = [number for number, card in enumerate(cards) if card in (*RABBITS, HURRICANE, BEAVER, PORCUPINE)]
    while True:
        order = rng.permutation(len(places)).tolist()  # card number k lies at place order[k]
        wary = odd if heed else [number for number in odd if cards[number] == HURRICANE]
        if all(may_lie(state, cards[number], *places[order[number]]) for number in wary):
            break
    for number, card in enumerate(cards):
        field, where = places[order[number]]
        world[0][field][where] = card
    return restart(world, rng)
