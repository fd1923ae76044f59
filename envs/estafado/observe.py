"""Observations of *Estafado*: a vector of named blocks (C12).

A seat remembers each card that it has seen, through swaps in open view, until the Hurricane or the
Raccoon mixes it with others. Which cards the other seat has seen is public. Both seats may also
know that an unseen card is no rabbit, since it came from the deck, or does not bar swaps, since it was swapped.
"""

import numpy as np

from sobremesa.envs.core.codes import clear, put
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.estafado.board import LINE, NO_SPACE, NOWHERE, NUM_CELLS, NUM_NEIGHBOURS, RING, SIDE, SUN_START
from sobremesa.envs.estafado.cards import (
    COPIES,
    DECK_SIZE,
    FEATURES,
    FEATURES_OF,
    HAND_SIZE,
    HURRICANE,
    NO_CARD,
    NUM_FEATURES,
    NUM_KINDS,
    NUM_RABBITS,
)
from sobremesa.envs.estafado.knowledge import count_unseen, knows_pile
from sobremesa.envs.estafado.state import (
    A_BEAR,
    A_GO,
    A_LOOK,
    A_SWAP,
    A_TUNNEL,
    A_VIXEN,
    BALANCED,
    DECK_SWAPS,
    DUSK,
    FOX,
    NUM_QUESTIONS,
    PILE_SIZE,
)

PLANES = (
    "face-up", "shown in this step", "known", "known to the other", "no rabbit", "does not bar swaps", "fox",
    "start of the step", "bear", "the bear's last card", "vixen", "chosen to be swapped", "the crow's line",
)  # fmt: skip
# Features of a card as bytes by kind: peeks in quarters, all others 1 or 0.
_PARTS = np.array([NUM_NEIGHBOURS if name == "peeks" else 1 for name in FEATURES])
# NO_CARD, the last row, has no features.
_BYTES_OF = np.append(FEATURES_OF * _PARTS, np.zeros((1, NUM_FEATURES)), axis=0).astype(np.uint8)
# Those that are not 0, as many of each kind, some twice: where each stands on the first cell, and the byte itself.
_TOLD = np.array([np.resize(np.flatnonzero(row), 3) for row in _BYTES_OF[:NUM_KINDS]])
_PLACES_OF, _MARKS_OF = (NUM_CELLS * _TOLD).astype(np.uint16), np.take_along_axis(_BYTES_OF[:NUM_KINDS], _TOLD, 1)
SETUP_FIELDS = ("reading", "evading_faces", "rolls", "bear_blocks")

LAYOUT = Layout(
    Block("role", (2,), "the observer: fox, crow"),
    Block("question", (NUM_QUESTIONS,), "the present question, to either seat"),
    Block("mine", (1,), "1 if the observer is asked"),
    Block("floor", (NUM_FEATURES, SIDE, SIDE), f"known cards: {', '.join(FEATURES)}",
          per=_PARTS[:, None, None]),
    Block("cells", (len(PLANES), SIDE, SIDE), ", ".join(PLANES),
          about=tuple((first, 1) for first in (A_GO, A_TUNNEL, A_VIXEN, A_LOOK, A_SWAP, A_BEAR))),
    Block("ring", (3, RING), "spaces of the eagle, the crow and the sun"),
    Block("pursuit", (RING,), "spaces from the crow clockwise to the eagle; zeros before its start"),
    Block("hand", (HAND_SIZE, NUM_FEATURES), "the fox's cards by slot; zeros for the crow", per=_PARTS),
    Block("backs", (HAND_SIZE + 2,), "slots of the hand that hold a card; the Hurricane among them, or on the deck"),
    Block("card", (NUM_FEATURES,), "the card whose effects happen", per=_PARTS),
    Block("left", (1,), "looks that are left, in quarters", per=NUM_NEIGHBOURS),
    Block("rabbits", (NUM_RABBITS,), "rabbits caught"),
    Block("last", (NUM_RABBITS,), "the rabbit caught last"),
    Block("rights", (3,), "left: the vixen, the eagle's two spaces, the crow's swaps with the deck in thirds",
          per=(1, 1, DECK_SWAPS)),
    Block("due", (2,), "the fox loses the next turn; the bear does not move"),
    Block("sun", (1,), "share of the sun's steps done", per=RING),
    Block("pile", (PILE_SIZE, NUM_FEATURES), "known cards among those swapped with the deck", per=_PARTS),
    Block("pile_marks", (PILE_SIZE, 3), "of these cards: known to the other; public: no rabbit, does not bar swaps"),
    Block("deck", (1,), f"cards left in the deck, in {DECK_SIZE}ths", per=DECK_SIZE),
    Block("unseen", (NUM_KINDS,), "cards that the observer has not located, as a share of each kind", per=COPIES),
    Block("setup", (len(SETUP_FIELDS),), f"{', '.join(SETUP_FIELDS)}, by number", high=5.0),
)  # fmt: skip

_ROLE, _QUESTION, _MINE, _FLOOR = (LAYOUT.start(name) for name in ("role", "question", "mine", "floor"))
_CELLS, _RING, _PURSUIT, _HAND = (LAYOUT.start(name) for name in ("cells", "ring", "pursuit", "hand"))
_BACKS, _CARD, _LEFT, _RABBITS = (LAYOUT.start(name) for name in ("backs", "card", "left", "rabbits"))
_LAST, _RIGHTS, _DUE, _SUN = (LAYOUT.start(name) for name in ("last", "rights", "due", "sun"))
_PILE, _MARKS, _DECK = (LAYOUT.start(name) for name in ("pile", "pile_marks", "deck"))
_UNSEEN, _SETUP = LAYOUT.start("unseen"), LAYOUT.start("setup")


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` `(W,)` uint8 (C12.1)."""
    clear(out, 0, out.shape[0])
    out[_ROLE + seat] = 1
    if not state.over:
        out[_QUESTION + int(state.stage)] = 1
        out[_MINE] = state.seat == seat
    _observe_floor(state, seat, out)
    _observe_ring(state, out)
    _observe_cards(state, seat, out)
    out[_RIGHTS] = state.vixen == NOWHERE
    out[_RIGHTS + 1] = state.double
    out[_RIGHTS + 2] = state.deck_swaps
    out[_DUE] = state.lost
    out[_DUE + 1] = state.bear_skip
    out[_SETUP] = BALANCED if state.reading == DUSK else state.reading
    out[_SETUP + 1] = state.evading_faces
    out[_SETUP + 2] = state.rolls
    out[_SETUP + 3] = state.bear_blocks


@kernel
def _observe_floor(state, seat, out):
    """Write the floor into zeros, without unpredictable branches for each card or token."""
    for cell in range(NUM_CELLS):
        kind, known = int(state.cards[cell]), state.known[seat, cell]
        for mark in range(_MARKS_OF.shape[1]):
            out[_FLOOR + int(_PLACES_OF[kind, mark]) + cell] = _MARKS_OF[kind, mark] * known
    put(out, _CELLS, state.up)
    put(out, _CELLS + NUM_CELLS, state.shown)
    put(out, _CELLS + 2 * NUM_CELLS, state.known[seat])
    put(out, _CELLS + 3 * NUM_CELLS, state.known[1 - seat])
    put(out, _CELLS + 4 * NUM_CELLS, state.no_rabbit)
    put(out, _CELLS + 5 * NUM_CELLS, state.swappable)
    tokens = (state.fox, state.fox_start, state.bear, state.bear_before, state.vixen, state.chosen)
    for number in range(len(tokens)):
        there = tokens[number] != NOWHERE
        out[_CELLS + (6 + number) * NUM_CELLS + int(tokens[number]) * there] = there
    for place in range(SIDE):
        out[_CELLS + 12 * NUM_CELLS + int(LINE[state.crow, place])] = 1


@kernel
def _observe_ring(state, out):
    out[_RING + RING + int(state.crow)] = 1
    out[_RING + 2 * RING + (SUN_START + int(state.sun)) % RING] = 1
    out[_SUN] = state.sun
    if state.eagle != NO_SPACE:
        out[_RING + int(state.eagle)] = 1
        out[_PURSUIT + (int(state.eagle) - int(state.crow)) % RING] = 1


@kernel
def _observe_cards(state, seat, out):
    hurricane = False
    for slot in range(HAND_SIZE):
        card = int(state.hand[slot])
        out[_BACKS + slot] = card != NO_CARD
        hurricane |= card == HURRICANE
        put(out, _HAND + slot * NUM_FEATURES, _BYTES_OF[card if seat == FOX else NO_CARD])
    out[_BACKS + HAND_SIZE] = hurricane
    out[_BACKS + HAND_SIZE + 1] = state.deck[state.deck_size - 1] == HURRICANE
    put(out, _CARD, _BYTES_OF[int(state.card)])
    out[_LEFT] = state.left * (state.card != NO_CARD)
    for slot in range(state.catches):
        out[_RABBITS + int(state.prey[slot])] = 1
    if state.catches > 0:
        out[_LAST + int(state.prey[state.catches - 1])] = 1
    for slot in range(PILE_SIZE):
        known = knows_pile(state, seat, slot)
        put(out, _PILE + slot * NUM_FEATURES, _BYTES_OF[int(state.pile[slot]) if known else NO_CARD])
        out[_MARKS + 3 * slot] = knows_pile(state, 1 - seat, slot)
        out[_MARKS + 3 * slot + 1] = state.pile_no_rabbit[slot]
        out[_MARKS + 3 * slot + 2] = state.pile_swappable[slot]
    out[_DECK] = state.deck_size
    count_unseen(state, seat, out[_UNSEEN : _UNSEEN + NUM_KINDS])
