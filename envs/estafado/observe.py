"""What a seat sees and remembers of *Estafado*, as named blocks and back (C12).

A seat remembers each card that it has seen, wherever swaps in everybody's sight carry it, until the Hurricane or the
Raccoon mixes it with others. Which cards the other seat has seen is no secret either. Of one that nobody has seen all
may know that it is no rabbit, since it came from the deck, or that it does not bar swaps, since it was swapped.
"""

import numpy as np

from sobremesa.envs.core.blocks import which
from sobremesa.envs.core.codes import clear, put
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
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
    "face-up", "shown in this step", "I know it", "the other knows it", "no rabbit", "does not bar swaps", "fox",
    "where his step began", "bear", "where the bear was", "vixen", "chosen to be swapped", "the crow's line",
)  # fmt: skip
# What a seat is told of a card, in bytes by kind: how many it peeks at in quarters, all else 1 or 0.
_PARTS = np.array([NUM_NEIGHBOURS if name == "peeks" else 1 for name in FEATURES])
_BYTES_OF = np.append(FEATURES_OF * _PARTS, np.zeros((1, NUM_FEATURES)), axis=0).astype(np.uint8)  # nothing of NO_CARD
# Those that are not 0, as many of each kind, some twice: where each stands on the first cell, and the byte itself.
_TOLD = np.array([np.resize(np.flatnonzero(row), 3) for row in _BYTES_OF[:NUM_KINDS]])
_PLACES_OF, _MARKS_OF = (NUM_CELLS * _TOLD).astype(np.uint16), np.take_along_axis(_BYTES_OF[:NUM_KINDS], _TOLD, 1)
_OPTIONS = ("reading", "evading_faces", "rolls", "bear_blocks")

LAYOUT = Layout(
    Block("role", (2,), "what I am: fox, crow"),
    Block("question", (NUM_QUESTIONS,), "what is asked, of me or of the other"),
    Block("mine", (1,), "whether I am asked"),
    Block("floor", (NUM_FEATURES, SIDE, SIDE), f"the cards that I know: {', '.join(FEATURES)}",
          per=_PARTS[:, None, None]),
    Block("cells", (len(PLANES), SIDE, SIDE), ", ".join(PLANES),
          about=tuple((first, 1) for first in (A_GO, A_TUNNEL, A_VIXEN, A_LOOK, A_SWAP, A_BEAR))),
    Block("ring", (3, RING), "spaces of the eagle, the crow and the sun"),
    Block("pursuit", (RING,), "spaces from the crow clockwise to the eagle; zeros before he has one"),
    Block("hand", (HAND_SIZE, NUM_FEATURES), "the fox's cards by slot; zeros for the crow", per=_PARTS),
    Block("backs", (HAND_SIZE + 2,), "slots of the hand that hold a card; the Hurricane among them, or on the deck"),
    Block("card", (NUM_FEATURES,), "the card whose effects happen", per=_PARTS),
    Block("left", (1,), "looks that are left, in quarters", per=NUM_NEIGHBOURS),
    Block("rabbits", (NUM_RABBITS,), "rabbits caught"),
    Block("last", (NUM_RABBITS,), "the rabbit caught last"),
    Block("rights", (3,), "left: the vixen, the eagle's two spaces, the crow's swaps with the deck in thirds",
          per=(1, 1, DECK_SWAPS)),
    Block("due", (2,), "the fox loses his next turn; the bear does not move"),
    Block("sun", (1,), "how far it has gone", per=RING),
    Block("pile", (PILE_SIZE, NUM_FEATURES), "cards swapped with the deck, as far as I know them", per=_PARTS),
    Block("pile_marks", (PILE_SIZE, 3), "of these cards: the other knows it; all know: no rabbit, does not bar swaps"),
    Block("deck", (1,), f"cards left in the deck, in {DECK_SIZE}ths", per=DECK_SIZE),
    Block("unseen", (NUM_KINDS,), "cards that I have not located, as a share of each kind", per=COPIES),
    Block("setup", (len(_OPTIONS),), f"{', '.join(_OPTIONS)}, by number", high=5.0),
)  # fmt: skip

_ROLE, _QUESTION, _MINE, _FLOOR = (LAYOUT.start(name) for name in ("role", "question", "mine", "floor"))
_CELLS, _RING, _PURSUIT, _HAND = (LAYOUT.start(name) for name in ("cells", "ring", "pursuit", "hand"))
_BACKS, _CARD, _LEFT, _RABBITS = (LAYOUT.start(name) for name in ("backs", "card", "left", "rabbits"))
_LAST, _RIGHTS, _DUE, _SUN = (LAYOUT.start(name) for name in ("last", "rights", "due", "sun"))
_PILE, _MARKS, _DECK = (LAYOUT.start(name) for name in ("pile", "pile_marks", "deck"))
_UNSEEN, _SETUP = LAYOUT.start("unseen"), LAYOUT.start("setup")

# What an observation says, as `decode` reads it. Cards with the same features are alike in play, and not told apart: a
# kind is the first of those that are alike, or NO_CARD where there is none or I do not know it.
SEEN = with_attributes(
    [
        *((name, np.int64) for name in _OPTIONS),
        ("role", np.int64),  # what I am, FOX or CROW
        ("stage", np.int64),  # what is asked; NUM_QUESTIONS once the deal is over
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
        ("slots", np.int64, HAND_SIZE),  # 1 for those that hold a card, whether I know it or not
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
# All rows of features with their first kinds, ordered by the first feature that is set, and where each such begins.
_ROWS, _KINDS = (array[::-1].copy() for array in np.unique(FEATURES_OF, axis=0, return_index=True))
_BEGINS = np.searchsorted((_ROWS > 0).argmax(axis=1), np.arange(NUM_FEATURES + 1))


@kernel
def observe(state, seat, out):
    """Write what `seat` sees and remembers into `out` `(W,)` uint8 (C12.1)."""
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
    """Write the floor into zeros; without a branch for each card or token: nobody could foretell which are there."""
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


@kernel
def decode(observation, seen):
    """Fill `seen`, a record with the fields of SEEN, from what `observe` wrote."""
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
    """Return the first kind with the features that lie `stride` apart from `start` on; NO_CARD if none is set."""
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
