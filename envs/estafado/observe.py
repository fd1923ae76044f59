"""Observations of *Estafado*: a vector of named blocks (C12).

A seat remembers each card that it has seen, through swaps in open view, until the Hurricane or the
Raccoon mixes it with others. Which cards the other seat has seen is public. Both seats may also
know that an unseen card is no rabbit, since it came from the deck, or does not bar swaps, since it was swapped.
"""

import numpy as np

from sobremesa.envs.core.blocks import Coding, each, numbers, one_of, reader
from sobremesa.envs.core.codes import clear, put
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.estafado import cards as c, state as s
from sobremesa.envs.estafado.board import LINE, NO_SPACE, NOWHERE, NUM_CELLS, NUM_NEIGHBOURS, RING, SIDE, SUN_START
from sobremesa.envs.estafado.knowledge import count_unseen, knows_pile

PLANES = (
    "face-up", "shown in this step", "known", "known to the other", "no rabbit", "does not bar swaps", "fox",
    "start of the step", "bear", "the bear's last card", "vixen", "chosen to be swapped", "the crow's line",
)  # fmt: skip
# Features of a card as bytes by kind: peeks in quarters, all others 1 or 0.
_PARTS = np.array([NUM_NEIGHBOURS if name == "peeks" else 1 for name in c.FEATURES])
# NO_CARD, the last row, has no features.
_BYTES_OF = np.append(c.FEATURES_OF * _PARTS, np.zeros((1, c.NUM_FEATURES)), axis=0).astype(np.uint8)
# Those that are not 0, as many of each kind, some twice: where each stands on the first cell, and the byte itself.
_TOLD = np.array([np.resize(np.flatnonzero(row), 3) for row in _BYTES_OF[: c.NUM_KINDS]])
_PLACES_OF, _MARKS_OF = (NUM_CELLS * _TOLD).astype(np.uint16), np.take_along_axis(_BYTES_OF[: c.NUM_KINDS], _TOLD, 1)
SETUP_FIELDS = ("reading", "evading_faces", "rolls", "bear_blocks")

# All rows of features with their first kinds, ordered by the first feature that is set, and where each such begins.
_ROWS, _KINDS = (array[::-1].copy() for array in np.unique(c.FEATURES_OF, axis=0, return_index=True))
_BEGINS = np.searchsorted((_ROWS > 0).argmax(axis=1), np.arange(c.NUM_FEATURES + 1))


@kernel
def _kind_at(observation, start, stride):
    """Return the first kind with the features `stride` apart from `start` on; NO_CARD if all are zero."""
    first = 0
    while first < c.NUM_FEATURES and observation[start + first * stride] == 0:
        first += 1
    if first == c.NUM_FEATURES:
        return c.NO_CARD
    for row in range(_BEGINS[first], _BEGINS[first + 1] - 1):
        same = True
        for feature in range(first, c.NUM_FEATURES):
            same = same and observation[start + feature * stride] == _ROWS[row, feature]
        if same:
            return _KINDS[row]
    return _KINDS[_BEGINS[first + 1] - 1]  # there is no other


@kernel
def _kind_of(observation, start, _):
    return _kind_at(observation, start, 1)


LAYOUT = Layout(
    Block("role", (2,), "the observer: fox, crow", seen=one_of("role")),
    Block("question", (s.NUM_QUESTIONS,), "the present question, to either seat", seen=one_of("stage")),
    Block("mine", (1,), "1 if the observer is asked", seen=each("mine")),
    Block("floor", (c.NUM_FEATURES, SIDE, SIDE), f"known cards: {', '.join(c.FEATURES)}",
          per=_PARTS[:, None, None]),
    Block("cells", (len(PLANES), SIDE, SIDE), ", ".join(PLANES),
          about=tuple((first, 1) for first in (s.A_GO, s.A_TUNNEL, s.A_VIXEN, s.A_LOOK, s.A_SWAP, s.A_BEAR)),
          seen=(numbers("up"), numbers("shown"), None, numbers("others"), numbers("no_rabbit"), numbers("swappable"),
                *map(one_of, ("fox", "fox_start", "bear", "bear_before", "vixen", "chosen")), None)),
    Block("ring", (3, RING), "spaces of the eagle, the crow and the sun", seen=(one_of("eagle"), one_of("crow"), None)),
    Block("pursuit", (RING,), "spaces from the crow clockwise to the eagle; zeros before its start"),
    Block("hand", (c.HAND_SIZE, c.NUM_FEATURES), "the fox's cards by slot; zeros for the crow", per=_PARTS,
          seen=Coding("hand", _kind_of)),
    Block("backs", (c.HAND_SIZE + 2,), "slots of the hand that hold a card; the Hurricane among them, or on the deck"),
    Block("card", (c.NUM_FEATURES,), "the card whose effects happen", per=_PARTS, seen=Coding("card", _kind_of)),
    Block("left", (1,), "looks that are left, in quarters", per=NUM_NEIGHBOURS, seen=each("left")),
    Block("rabbits", (c.NUM_RABBITS,), "rabbits caught", seen=numbers("prey")),
    Block("last", (c.NUM_RABBITS,), "the rabbit caught last", seen=one_of("last")),
    Block("rights", (3,), "left: the vixen, the eagle's two spaces, the crow's swaps with the deck in thirds",
          per=(1, 1, s.DECK_SWAPS), seen=(None, *each("double", "deck_swaps"))),
    Block("due", (2,), "the fox loses the next turn; the bear does not move", seen=each("lost", "bear_skip")),
    Block("sun", (1,), "share of the sun's steps done", per=RING, seen=each("sun")),
    Block("pile", (s.PILE_SIZE, c.NUM_FEATURES), "known cards among those swapped with the deck", per=_PARTS,
          seen=Coding("pile", _kind_of)),
    Block("pile_marks", (s.PILE_SIZE, 3), "of these cards: known to the other; public: no rabbit, does not bar swaps",
          seen=numbers("pile_marks")),
    Block("deck", (1,), f"cards left in the deck, in {c.DECK_SIZE}ths", per=c.DECK_SIZE, seen=each("deck_size")),
    Block("unseen", (c.NUM_KINDS,), "cards that the observer has not located, as a share of each kind", per=c.COPIES,
          seen=numbers("unseen")),
    Block("setup", (len(SETUP_FIELDS),), f"{', '.join(SETUP_FIELDS)}, by number", high=5.0, seen=each(*SETUP_FIELDS)),
)  # fmt: skip

# Cells, spaces and questions are the number after the last where there is none. Cards with the same features are alike
# in play: a kind is the first of those that are alike, or NO_CARD where there is none or I do not know it.
SEEN, _decode_blocks = reader(
    LAYOUT,
    ("floor", np.int64, NUM_CELLS),  # kinds
    ("slots", np.int64, c.HAND_SIZE),  # 1 for slots that hold a card
    ("hurricane", np.int64, 2),  # 1 if it is in the hand, on top of the deck
)

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
    out[_SETUP] = s.BALANCED if state.reading == s.DUSK else state.reading
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
    for slot in range(c.HAND_SIZE):
        card = int(state.hand[slot])
        out[_BACKS + slot] = card != c.NO_CARD
        hurricane |= card == c.HURRICANE
        put(out, _HAND + slot * c.NUM_FEATURES, _BYTES_OF[card if seat == s.FOX else c.NO_CARD])
    out[_BACKS + c.HAND_SIZE] = hurricane
    out[_BACKS + c.HAND_SIZE + 1] = state.deck[state.deck_size - 1] == c.HURRICANE
    put(out, _CARD, _BYTES_OF[int(state.card)])
    out[_LEFT] = state.left * (state.card != c.NO_CARD)
    for slot in range(state.catches):
        out[_RABBITS + int(state.prey[slot])] = 1
    if state.catches > 0:
        out[_LAST + int(state.prey[state.catches - 1])] = 1
    for slot in range(s.PILE_SIZE):
        known = knows_pile(state, seat, slot)
        put(out, _PILE + slot * c.NUM_FEATURES, _BYTES_OF[int(state.pile[slot]) if known else c.NO_CARD])
        out[_MARKS + 3 * slot] = knows_pile(state, 1 - seat, slot)
        out[_MARKS + 3 * slot + 1] = state.pile_no_rabbit[slot]
        out[_MARKS + 3 * slot + 2] = state.pile_swappable[slot]
    out[_DECK] = state.deck_size
    count_unseen(state, seat, out[_UNSEEN : _UNSEEN + c.NUM_KINDS])


@kernel
def decode(observation, seen):
    """Fill the fields of SEEN in the record `seen` from an observation."""
    _decode_blocks(observation, seen)
    for cell in range(NUM_CELLS):
        seen.floor[cell] = c.NO_CARD
        if observation[_CELLS + 2 * NUM_CELLS + cell] > 0:
            seen.floor[cell] = _kind_at(observation, _FLOOR + cell, NUM_CELLS)
    for slot in range(c.HAND_SIZE):
        seen.slots[slot] = int(observation[_BACKS + slot])
    for place in range(2):
        seen.hurricane[place] = int(observation[_BACKS + c.HAND_SIZE + place])
