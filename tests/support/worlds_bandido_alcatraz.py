"""Reference sampler of worlds of *Bandido Alcatraz* (see worlds.py).

Deal all unseen cards anywhere, and repeat until the player to act has a choice.
"""

from collections import Counter

from bandido_referee import CARDS, COMPASS, COPIES, KINDS, NEEDED, grid_of, placements, places_of
from worlds import restart

NO_CARD, NOT_CHOSEN, SLOTS = len(CARDS), 67, 6
SIGNAL, WHERE, HOW = range(3)


def unseen_cards(state, seat):
    """Return all cards but those that were played, and those that `seat` holds, set aside or put under the pile."""
    cards = Counter({kind: COPIES[card] for kind, card in enumerate(CARDS)})
    cards.subtract({kind: int(count) for kind, count in enumerate(state.played)})
    known = [*state.hand[seat], *(state.aside if state.aside_by == seat else ())]
    known += [state.pile[number] for number in own_places(state, seat)]
    cards.subtract(int(card) for card in known if card != NO_CARD)
    return list(cards.elements())


def own_places(state, seat):
    """Return the places of the pile that hold cards which `seat` put there and knows to be there (C11.3)."""
    return [number for number in range(state.pile_size) if state.put_under[number] == seat]


def own_packets(state, seat):
    """Return these places by the packets in which they were put there: it knows what is in each (C11.3)."""
    packets = []
    for number in own_places(state, seat):
        alike = number > 0 and state.put_under[number - 1] == seat and state.packet[number - 1] == state.packet[number]
        if alike:
            packets[-1].append(number)
        else:
            packets.append([number])
    return packets


def unseen_places(state, seat):
    """Return where cards lie that `seat` cannot know: `[(field, number), ...]`."""
    places = [
        (("hand", other), slot)
        for other in range(state.seats)
        for slot in range(SLOTS)
        if other != seat and state.hand[other, slot] != NO_CARD
    ]
    if state.aside_by != seat:
        places += [(("aside",), slot) for slot in range(SLOTS) if state.aside[slot] != NO_CARD]
    return places + [(("pile",), number) for number in range(state.pile_size) if state.put_under[number] != seat]


def put(state, place, card):
    (field, *rest), number = place
    cards = state[field][rest[0]] if rest else state[field]
    cards[number] = card


def can_play(state):
    """Say whether the seat to act can, and write down how its cards fit."""
    grid, rows, known, gives = grid_of(state), places_of(state), {}, False
    hand = [KINDS[card] for card in state.hand[state.seat]]
    state.fits[:] = 0
    for slot, card in enumerate(hand):
        if card is None or card in hand[:slot]:
            continue
        for cell, way in placements(grid, card, known):
            turn = (COMPASS.index(way.side) - COMPASS.index("E" if way.half == "a" else "W")) % 4
            for row in (row for row, at in rows.items() if at == cell):
                state.fits[row, slot] |= 1 << ("ab".index(way.half) * 4 + turn)
        gives = gives or any(
            thing in card and gathered < NEEDED[thing]
            for thing, gathered in (("raincoat", state.raincoats), ("rope", state.ropes))
        )
    return gives or bool(state.fits.any())


def begins_with_a_choice(state, stage):
    """Say whether the seat to act, its turn begun at `stage`, is asked something, and let it be asked that (C11.2)."""
    state.where, state.stage = NOT_CHOSEN, stage
    if not can_play(state):
        return False
    if stage == SIGNAL:
        return True
    hand = {KINDS[card] for card in state.hand[state.seat]} - {None}
    gathered = {"raincoat": state.raincoats, "rope": state.ropes}
    gifts = [card for card in hand if any(thing in card and gathered[thing] < NEEDED[thing] for thing in gathered)]
    rows = [row for row, ways in enumerate(state.fits) if ways.any()]
    if len(rows) + len(gifts) > 1:
        return True
    if gifts:
        return False
    state.where, state.stage = rows[0], HOW
    return sum(int(ways).bit_count() for ways in state.fits[rows[0]]) > 1


def sample_world(table, seat, rng, heed=True):
    """Return a copy of `table` with all that `seat` cannot know dealt anew, each way alike.

    Without `heed` it is not heeded that the seat to act has a choice: a wrong sampler.
    """
    world = table.copy()
    state = world[0]
    cards, places = unseen_cards(state, seat), unseen_places(state, seat)
    assert len(cards) == len(places)
    for packet in own_packets(state, seat):
        for number, card in zip(packet, rng.permutation(state.pile[packet]), strict=True):
            state.pile[number] = card
    waits, stage = seat != state.seat and not state.over, min(int(state.stage), WHERE)
    while True:
        for place, card in zip(places, rng.permutation(cards).tolist(), strict=True):
            put(state, place, card)
        if not waits or begins_with_a_choice(state, stage) or not heed:
            break
    return restart(world, rng)
