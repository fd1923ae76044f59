"""Observations of *Corre el encierro* as records: the inverse of observe.py, for scripted bots."""

import numpy as np

from sobremesa.envs.core.blocks import how_many, which
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
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

_HAND, _ASKED, _PHASE, _TURN = (LAYOUT.start(name) for name in ("hand", "asked", "phase", "turn"))
_CARD, _SENDER, _STRUCK, _WAITING = (LAYOUT.start(name) for name in ("card", "sender", "struck", "waiting"))
_PLACES, _OBJECTS, _SPECIALS, _STATUS = (LAYOUT.start(name) for name in ("places", "objects", "specials", "status"))
_HAND_SIZES, _KNOWN, _CLOSED, _DISCARDS = (LAYOUT.start(name) for name in ("hand_sizes", "known", "closed", "discards"))
_UNSEEN, _PILE, _DANGER, _PRESENT = (LAYOUT.start(name) for name in ("unseen", "pile", "danger", "present"))
_SETUP = LAYOUT.start("setup")

# Seats are rotated as in the observation.
SEEN = with_attributes(
    [
        ("deck", np.int64),
        ("seats", np.int64),
        ("asked", np.int64),  # the observer's question, PLAY..SAVE; GO_ON if another is asked
        ("moved", np.int64),  # 1 once this turn's runner has advanced
        ("played", np.int64),  # 1 once he is past playing
        ("drawn", np.int64),  # 1 once he has drawn
        ("lost", np.int64),  # 1 once he has lost an object while drawing
        ("turn", np.int64),  # whose turn it is
        ("card", np.int64),  # the attack or the card shown; NO_CARD
        ("sender", np.int64),  # its sender; NOBODY if it was drawn
        ("struck", np.int64),  # its target; NOBODY
        ("waiting", np.int64, MAX_SEATS),  # 1 for the next targets, or the runners still to flee
        ("place", np.int64, MAX_SEATS),  # location, 1..7; 0 once out
        ("objects", np.int64, MAX_SEATS),
        ("special", np.int64, MAX_SEATS),  # kind of the special object lying down; NO_CARD
        ("status", np.int64, MAX_SEATS),  # RUNNING..OUT; OUT for missing seats
        ("hand", np.int64, NUM_HAND_CARDS),  # my cards by kind
        ("hand_size", np.int64, MAX_SEATS),
        ("known", np.float64, (MAX_SEATS, NUM_HAND_CARDS)),  # cards I know of in other hands, or parts of one
        ("closed", np.int64),  # locations turned down
        ("discards", np.int64, NUM_CARDS),
        ("unseen", np.int64, NUM_CARDS),  # cards in the pile and in other hands
        ("pile_size", np.int64),
        ("danger", np.float64, 2),  # chance that the next card is a bull, a fall
    ]
)


@kernel
def decode(observation, seen):
    """Fill the record `seen`, with the fields of SEEN, from an observation."""
    seen.deck = int(observation[_SETUP])
    seen.seats = how_many(observation, _PRESENT, MAX_SEATS)
    seen.asked = which(observation, _ASKED, GO_ON)
    seen.moved, seen.played = int(observation[_PHASE]), int(observation[_PHASE + 1])
    seen.drawn, seen.lost = int(observation[_PHASE + 2]), int(observation[_PHASE + 3])
    seen.turn = which(observation, _TURN, MAX_SEATS)
    seen.card = which(observation, _CARD, NUM_CARDS)
    seen.sender = which(observation, _SENDER, MAX_SEATS)
    seen.struck = which(observation, _STRUCK, MAX_SEATS)
    seen.closed = how_many(observation, _CLOSED, NUM_LOCATIONS)
    seen.pile_size = round(observation[_PILE] * DECK_SIZE)
    seen.danger[0], seen.danger[1] = observation[_DANGER], observation[_DANGER + 1]
    for seat in range(MAX_SEATS):
        seen.waiting[seat] = int(observation[_WAITING + seat])
        seen.status[seat] = min(which(observation, _STATUS + seat * (OUT + 1), OUT + 1), OUT)
        seen.place[seat] = (which(observation, _PLACES + seat * NUM_LOCATIONS, NUM_LOCATIONS) + 1) % (NUM_LOCATIONS + 1)
        seen.objects[seat] = how_many(observation, _OBJECTS + seat * NUM_OBJECTS, NUM_OBJECTS)
        special = which(observation, _SPECIALS + seat * NUM_SPECIALS, NUM_SPECIALS)
        seen.special[seat] = FIRST_SPECIAL + special if special < NUM_SPECIALS else NO_CARD
        seen.hand_size[seat] = round(observation[_HAND_SIZES + seat] * HAND_LIMIT)
    _decode_cards(observation, seen)


@kernel
def _decode_cards(observation, seen):
    for card in range(NUM_CARDS):
        copies = int(COPIES[seen.deck, card])
        seen.discards[card] = round(observation[_DISCARDS + card] * copies)
        seen.unseen[card] = round(observation[_UNSEEN + card] * copies)
        if card < NUM_HAND_CARDS:
            seen.hand[card] = round(observation[_HAND + card] * copies)
            seen.known[0, card] = 0
            for seat in range(1, MAX_SEATS):
                seen.known[seat, card] = observation[_KNOWN + (seat - 1) * NUM_HAND_CARDS + card]
