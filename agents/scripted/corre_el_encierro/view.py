"""What the strong bot of *Corre el encierro* reads from an observation: runners, my hand, and what can still come."""

import numpy as np

from sobremesa.envs.core.blocks import which
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.corre_el_encierro.cards import (
    COPIES,
    DECK_SIZE,
    FIRST_SPECIAL,
    HAND_LIMIT,
    MAX_SEATS,
    NO_CARD,
    NUM_CARDS,
    NUM_HAND_CARDS,
    NUM_LOCATIONS,
    NUM_OBJECTS,
    NUM_SPECIALS,
)
from sobremesa.envs.corre_el_encierro.observe import LAYOUT
from sobremesa.envs.corre_el_encierro.state import GO_ON, OUT

(
    _HAND, _ASKED, _PHASE, _TURN, _CARD, _SENDER, _PLACES, _OBJECTS, _SPECIALS, _STATUS, _SIZES, _KNOWN, _CLOSED,
    _UNSEEN, _PILE, _DANGER, _PRESENT, _SETUP,
) = (
    LAYOUT.start(name)
    for name in (
        "hand", "asked", "phase", "turn", "card", "sender", "places", "objects", "specials", "status", "hand_sizes",
        "known", "closed", "unseen", "pile", "danger", "present", "setup",
    )
)  # fmt: skip

VIEW = np.dtype(
    (
        np.record,
        [
            ("seats", np.int64),
            ("asked", np.int64),  # PLAY..SAVE
            ("moved", np.int64),  # 1 once this turn's runner has advanced
            ("mine", np.int64),  # 1 in my turn
            ("drawing", np.int64),  # 1 while this turn's runner draws, or has done with playing
            ("card", np.int64),  # the attack or the card shown; NO_CARD
            ("hand", np.int64, NUM_HAND_CARDS),  # my cards by kind
            ("cards", np.int64, MAX_SEATS),  # cards in each hand; I am seat 0
            ("place", np.int64, MAX_SEATS),  # location; 0 once out
            ("objects", np.int64, MAX_SEATS),
            ("special", np.int64, MAX_SEATS),  # kind; NO_CARD
            ("status", np.int64, MAX_SEATS),  # RUNNING..OUT
            ("closed", np.int64),  # locations turned down
            ("pile", np.int64),  # cards left to draw
            ("danger", np.float64, 2),  # chance that the next card is a bull, a fall
            (
                "share",
                np.float64,
                NUM_HAND_CARDS,
            ),  # of each kind among the cards that may be in a hand
            ("known", np.float64, (MAX_SEATS, NUM_HAND_CARDS)),  # cards I know of in other hands, or parts of one
            ("unknown", np.float64, MAX_SEATS),  # how many cards in each other hand I do not know
            # what follows is judged from the rest
            ("threat", np.float64, MAX_SEATS),  # how much of what stands between me and the win each other seat is
            ("others", np.int64),  # runners in the run besides me
            ("ready", np.float64, MAX_SEATS),  # chance that another seat holds what wins in its next turn
            ("near", np.float64),  # how near the Cabestros are: 0 far, 1 here
            ("payment", np.float64),  # what paying for a hit costs me
            ("gain", np.float64),  # what a card drawn brings
            ("harm", np.float64, 2),  # what a bull, a fall that I draw does to others on my stretch
            ("sweep", np.float64),  # what it is worth that the pile is used up
        ],
    )
)


@kernel
def how_many(observation, start, count):
    """Return how many entries are set in a block."""
    found = 0
    for number in range(count):
        found += observation[start + number] > 0
    return found


@kernel
def read(observation, view):
    """Fill `view`, given as zeros, from an observation made when I am asked."""
    view.seats = how_many(observation, _PRESENT, MAX_SEATS)
    view.asked = which(observation, _ASKED, GO_ON)
    view.moved = observation[_PHASE] > 0
    view.drawing = observation[_PHASE + 1] > 0
    view.mine = observation[_TURN] > 0
    view.card = which(observation, _CARD, NUM_CARDS)
    view.closed = how_many(observation, _CLOSED, NUM_LOCATIONS)
    view.pile = int(observation[_PILE] * DECK_SIZE + 0.5)
    view.danger[0], view.danger[1] = observation[_DANGER], observation[_DANGER + 1]
    for seat in range(view.seats):
        view.cards[seat] = int(observation[_SIZES + seat] * HAND_LIMIT + 0.5)
        view.status[seat] = which(observation, _STATUS + seat * (OUT + 1), OUT + 1)
        view.objects[seat] = how_many(observation, _OBJECTS + seat * NUM_OBJECTS, NUM_OBJECTS)
        special = which(observation, _SPECIALS + seat * NUM_SPECIALS, NUM_SPECIALS)
        view.special[seat] = FIRST_SPECIAL + special if special < NUM_SPECIALS else NO_CARD
        if view.status[seat] != OUT:
            view.place[seat] = which(observation, _PLACES + seat * NUM_LOCATIONS, NUM_LOCATIONS) + 1
    _read_cards(observation, view)


@kernel
def _read_cards(observation, view):
    deck, total = int(observation[_SETUP]), 0.0
    for seat in range(1, view.seats):
        view.unknown[seat] = view.cards[seat]
    for kind in range(NUM_HAND_CARDS):
        view.hand[kind] = int(observation[_HAND + kind] * COPIES[deck, kind] + 0.5)
        left = observation[_UNSEEN + kind] * COPIES[deck, kind]
        for seat in range(1, view.seats):
            part = observation[_KNOWN + (seat - 1) * NUM_HAND_CARDS + kind]
            view.known[seat, kind] = part
            view.unknown[seat] -= part
            left -= part
        view.share[kind] = max(left, 0.0)
        total += view.share[kind]
    if total > 0:
        view.share[:] /= total
