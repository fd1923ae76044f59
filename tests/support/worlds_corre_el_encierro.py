"""Reference sampler of worlds of *Corre el encierro* (see worlds.py).

Deal all unseen cards, and repeat until each remembered card is where it may be.
"""

from worlds import restart

NO_CARD = 36  # and the number of kinds
FIRST_SHOWN = 27  # from here on cards must be shown, and are in no hand
KILIKIS, BARRERA = 13, 18
STANDARD = [1] * 4 + [2] + [1] * 12 + [2, 2, 3, 7, 2, 2, 3, 2, 2, 2] + [1] * 9
RUNNING, WARNED, BEHIND = 0, 1, 2
CONFLICT = 1


def deck_of(state):
    """Return the 54 cards that are in the game."""
    copies = list(STANDARD)
    if state.deck == CONFLICT:
        copies[KILIKIS], copies[BARRERA] = 2, 1
    return [card for card, count in enumerate(copies) for _ in range(count)]


def unseen_cards(table, seat):
    """Return the cards that `seat` does not see: all but its hand, the discards and what lies on the table."""
    state = table[0]
    cards = deck_of(state)
    for card in range(FIRST_SHOWN):
        for _ in range(state.hand[seat, card]):
            cards.remove(card)
    for card in range(NO_CARD):
        for _ in range(state.discards[card]):
            cards.remove(card)
    for runner in range(state.seats):
        if state.special[runner] != NO_CARD:
            cards.remove(state.special[runner])
        if state.status[runner] in (WARNED, BEHIND):
            cards.remove(BARRERA)
    if state.card != NO_CARD:
        cards.remove(state.card)
    return cards


def remembered(table, seat):
    """Return the cards that `seat` was robbed of, with the seats that may hold them: `[(card, {seats}), ...]`."""
    state = table[0]
    return [
        (int(card), {other for other in range(state.seats) if int(hands) >> other & 1})
        for card, knower, hands in zip(state.theft_kind, state.theft_from, state.theft_hands, strict=True)
        if knower == seat
    ]


def sample_world(table, seat, rng, heed_memory=True):
    """Return a copy of `table` with all that `seat` cannot know dealt anew, each way alike.

    Shuffle the unseen cards that a hand may hold and deal the other hands from them, until each remembered card is in
    a hand where it may be; then shuffle what must be shown into the rest.
    """
    world = table.copy()
    state = world[0]
    unseen = unseen_cards(table, seat)
    marked = remembered(table, seat)  # each of them is one card, told from its like
    held = [card for card in unseen if card < FIRST_SHOWN]
    for card, _ in marked:
        held.remove(card)
    held = [card for card, _ in marked] + held
    others = [other for other in range(state.seats) if other != seat]
    slots = [other for other in others for _ in range(state.hand_size[other])]
    while True:
        order = rng.permutation(len(held)).tolist()
        owner = dict(zip(order, slots, strict=False))  # the rest have none
        if not heed_memory or all(owner.get(number) in hands for number, (_, hands) in enumerate(marked)):
            break
    for other in others:
        state.hand[other] = 0
    for number, other in owner.items():
        state.hand[other, held[number]] += 1
    pile = [held[number] for number in order[len(slots) :]] + [card for card in unseen if card >= FIRST_SHOWN]
    rng.shuffle(pile)
    state.pile[: len(pile)] = pile
    state.pile[len(pile) :] = 0
    _clear(state, seat)
    return restart(world, rng)


def _clear(state, seat):
    """Wipe out what tells of other seats' questions and memories."""
    state.ply, state.news_count, state.news[:] = 0, 0, 0
    thefts = zip(state.theft_kind, state.theft_from, state.theft_by, state.theft_hands, strict=True)
    kept = [[int(number) for number in theft] for theft in thefts if theft[1] == seat]
    state.theft_kind[:], state.theft_from[:], state.theft_by[:], state.theft_hands[:] = NO_CARD, 5, 5, 0
    for place, theft in enumerate(kept):
        state.theft_kind[place], state.theft_from[place] = theft[:2]
        state.theft_by[place], state.theft_hands[place] = theft[2:]
