"""Observations of *Estafado* as records: the inverse of observe.py, for scripted bots."""

import numpy as np

from sobremesa.envs.core.blocks import which
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.estafado.board import NUM_CELLS, NUM_NEIGHBOURS, RING
from sobremesa.envs.estafado.cards import (
    COPIES,
    DECK_SIZE,
    FEATURES_OF,
    HAND_SIZE,
    NO_CARD,
    NUM_FEATURES,
    NUM_KINDS,
    NUM_RABBITS,
)
from sobremesa.envs.estafado.observe import LAYOUT, SETUP_FIELDS
from sobremesa.envs.estafado.state import (
    DECK_SWAPS,
    FOX,
    NUM_QUESTIONS,
    PILE_SIZE,
)

_ROLE, _QUESTION, _MINE, _FLOOR = (LAYOUT.start(name) for name in ("role", "question", "mine", "floor"))
_CELLS, _RING, _HAND, _BACKS = (LAYOUT.start(name) for name in ("cells", "ring", "hand", "backs"))
_CARD, _LEFT, _RABBITS, _LAST = (LAYOUT.start(name) for name in ("card", "left", "rabbits", "last"))
_RIGHTS, _DUE, _SUN, _PILE = (LAYOUT.start(name) for name in ("rights", "due", "sun", "pile"))
_MARKS, _DECK, _UNSEEN, _SETUP = (LAYOUT.start(name) for name in ("pile_marks", "deck", "unseen", "setup"))

# All rows of features with their first kinds, ordered by the first feature that is set, and where each such begins.
_ROWS, _KINDS = (array[::-1].copy() for array in np.unique(FEATURES_OF, axis=0, return_index=True))
_BEGINS = np.searchsorted((_ROWS > 0).argmax(axis=1), np.arange(NUM_FEATURES + 1))

# Cards with the same features are alike in play: a
# kind is the first of those that are alike, or NO_CARD where there is none or I do not know it.
SEEN = with_attributes(
    [
        *((name, np.int64) for name in SETUP_FIELDS),
        ("role", np.int64),  # the observer, FOX or CROW
        ("stage", np.int64),  # the question; NUM_QUESTIONS once the deal is over
        ("mine", np.int64),  # 1 if I am asked
        ("fox", np.int64),  # cells; NOWHERE where there is none
        ("fox_start", np.int64),
        ("bear", np.int64),
        ("bear_before", np.int64),
        ("vixen", np.int64),
        ("chosen", np.int64),
        ("eagle", np.int64),  # a space; NO_SPACE
        ("crow", np.int64),
        ("sun", np.int64),  # steps that it has gone
        ("double", np.int64),  # 1 while the eagle may move two spaces
        ("deck_swaps", np.int64),
        ("lost", np.int64),  # 1 if the fox loses his next turn
        ("bear_skip", np.int64),  # 1 if the bear does not move next time
        ("floor", np.int64, NUM_CELLS),  # kinds
        ("up", np.int64, NUM_CELLS),
        ("shown", np.int64, NUM_CELLS),
        ("others", np.int64, NUM_CELLS),  # 1 where the other seat knows the card
        ("no_rabbit", np.int64, NUM_CELLS),
        ("swappable", np.int64, NUM_CELLS),
        ("hand", np.int64, HAND_SIZE),  # kinds
        ("slots", np.int64, HAND_SIZE),  # 1 for slots that hold a card
        ("hurricane", np.int64, 2),  # 1 if it is in the hand, on top of the deck
        ("prey", np.int64, NUM_RABBITS),  # 1 for each rabbit that is caught
        ("last", np.int64),  # the rabbit caught last; NUM_RABBITS
        ("pile", np.int64, PILE_SIZE),  # kinds
        ("pile_marks", np.int64, (PILE_SIZE, 3)),  # the other knows it; all know: no rabbit, does not bar swaps
        ("deck_size", np.int64),
        ("unseen", np.int64, NUM_KINDS),  # cards that I have not located
        ("card", np.int64),  # the kind whose effects happen
        ("left", np.int64),  # looks that are left
    ]
)


@kernel
def decode(observation, seen):
    """Fill the record `seen`, with the fields of SEEN, from an observation."""
    seen.reading, seen.evading_faces = int(observation[_SETUP]), int(observation[_SETUP + 1])
    seen.rolls, seen.bear_blocks = int(observation[_SETUP + 2]), int(observation[_SETUP + 3])
    seen.role = which(observation, _ROLE, 2)
    seen.stage = which(observation, _QUESTION, NUM_QUESTIONS)
    seen.mine = int(observation[_MINE])
    seen.fox, seen.fox_start = _token(observation, 0), _token(observation, 1)
    seen.bear, seen.bear_before = _token(observation, 2), _token(observation, 3)
    seen.vixen, seen.chosen = _token(observation, 4), _token(observation, 5)
    seen.eagle, seen.crow = which(observation, _RING, RING), which(observation, _RING + RING, RING)
    seen.sun = round(observation[_SUN] * RING)
    seen.double = int(observation[_RIGHTS + 1])
    seen.deck_swaps = round(observation[_RIGHTS + 2] * DECK_SWAPS)
    seen.lost, seen.bear_skip = int(observation[_DUE]), int(observation[_DUE + 1])
    for cell in range(NUM_CELLS):
        at = _CELLS + cell
        seen.floor[cell] = NO_CARD
        if observation[at + 2 * NUM_CELLS] > 0:
            seen.floor[cell] = _kind_at(observation, _FLOOR + cell, NUM_CELLS)
        seen.up[cell], seen.shown[cell] = int(observation[at]), int(observation[at + NUM_CELLS])
        seen.others[cell] = int(observation[at + 3 * NUM_CELLS])
        seen.no_rabbit[cell] = int(observation[at + 4 * NUM_CELLS])
        seen.swappable[cell] = int(observation[at + 5 * NUM_CELLS])
    _decode_cards(observation, seen)


@kernel
def _decode_cards(observation, seen):
    for slot in range(HAND_SIZE):
        seen.slots[slot], seen.hand[slot] = int(observation[_BACKS + slot]), NO_CARD
        if seen.slots[slot] and seen.role == FOX:
            seen.hand[slot] = _kind_at(observation, _HAND + slot * NUM_FEATURES, 1)
    for place in range(2):
        seen.hurricane[place] = int(observation[_BACKS + HAND_SIZE + place])
    for rabbit in range(NUM_RABBITS):
        seen.prey[rabbit] = int(observation[_RABBITS + rabbit])
    seen.last = which(observation, _LAST, NUM_RABBITS)
    for slot in range(PILE_SIZE):
        seen.pile[slot] = NO_CARD
        if slot < DECK_SWAPS - seen.deck_swaps:
            seen.pile[slot] = _kind_at(observation, _PILE + slot * NUM_FEATURES, 1)
        for mark in range(3):
            seen.pile_marks[slot, mark] = int(observation[_MARKS + 3 * slot + mark])
    seen.deck_size = round(observation[_DECK] * DECK_SIZE)
    for kind in range(NUM_KINDS):
        seen.unseen[kind] = round(observation[_UNSEEN + kind] * COPIES[kind])
    seen.card = _kind_at(observation, _CARD, 1)
    seen.left = round(observation[_LEFT] * NUM_NEIGHBOURS)


@kernel
def _token(observation, number):
    """Return the cell of a token, by its number among the planes."""
    return which(observation, _CELLS + (6 + number) * NUM_CELLS, NUM_CELLS)


@kernel
def _kind_at(observation, start, stride):
    """Return the first kind with the features `stride` apart from `start` on; NO_CARD if all are zero."""
    first = 0
    while first < NUM_FEATURES and observation[start + first * stride] == 0:
        first += 1
    if first == NUM_FEATURES:
        return NO_CARD
    for row in range(_BEGINS[first], _BEGINS[first + 1] - 1):
        same = True
        for feature in range(first, NUM_FEATURES):
            same = same and observation[start + feature * stride] == _ROWS[row, feature]
        if same:
            return _KINDS[row]
    return _KINDS[_BEGINS[first + 1] - 1]  # there is no other
