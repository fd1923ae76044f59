"""What the bots of *Estafado* read from an observation: tokens, rights, and the cards that they know, by sort.

A sort is a class of cards that are alike in play, and goes by the number of the first of its FEATURES.
"""

import numpy as np

from sobremesa.envs.core.blocks import which
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.estafado.board import DISTANCE, LINE, NUM_CELLS, RING, SIDE
from sobremesa.envs.estafado.cards import COPIES, FEATURES, FEATURES_OF, HAND_SIZE, NUM_FEATURES, NUM_KINDS, NUM_RABBITS
from sobremesa.envs.estafado.effects import FACES
from sobremesa.envs.estafado.observe import LAYOUT, PLANES
from sobremesa.envs.estafado.state import DECK_SWAPS, NUM_QUESTIONS

YIKES, OUCH, LEAP_1, LEAP_2, TUNNEL, PEEK_NEAR, PEEK_ANY, SWAP, DIVE, SKIP, STEAL, HURRICANE = range(
    FEATURES.index("yikes"), FEATURES.index("hurricane") + 1
)
HARMLESS = HURRICANE + 1
UNKNOWN = HARMLESS + 1  # a card that I do not know, and a slot of the hand without a card
NUM_SORTS = UNKNOWN
DIVE_SIZE = 2  # spaces
AT_EASE = 6  # spaces between eagle and crow from which she need not fear even a dive
_BARS = FEATURES.index("do not swap")

_QUESTION, _FLOOR, _CELLS, _RING = (LAYOUT.start(name) for name in ("question", "floor", "cells", "ring"))
_PURSUIT, _HAND, _BACKS, _CARD = (LAYOUT.start(name) for name in ("pursuit", "hand", "backs", "card"))
_RABBITS, _RIGHTS, _DUE, _SUN = (LAYOUT.start(name) for name in ("rabbits", "rights", "due", "sun"))
_UNSEEN, _SETUP, _LEFT = (LAYOUT.start(name) for name in ("unseen", "setup", "left"))
_UP, _MINE, _OTHERS, _NO_RABBIT, _FOX, _START, _BEAR, _BEFORE, _VIXEN, _CHOSEN = (
    _CELLS + PLANES.index(plane) * NUM_CELLS
    for plane in (
        "face-up", "I know it", "the other knows it", "no rabbit", "fox", "where his step began", "bear",
        "where the bear was", "vixen", "chosen to be swapped",
    )
)  # fmt: skip

VIEW = np.dtype(
    (
        np.record,
        [
            ("stage", np.int64),
            ("fox", np.int64),  # cells; NOWHERE where there is none
            ("start", np.int64),
            ("bear", np.int64),
            ("before", np.int64),
            ("vixen", np.int64),
            ("chosen", np.int64),
            ("crow", np.int64),  # a space
            ("gap", np.int64),  # spaces from the crow clockwise to the eagle, 0 before he has one
            ("vixen_left", np.int64),  # 1 while she has not been placed
            ("double", np.int64),  # 1 while the eagle may move two spaces
            ("deck_swaps", np.int64),
            ("lost", np.int64),  # 1 if the fox loses his next turn
            ("skip", np.int64),  # 1 if the bear does not move next time
            ("caught", np.int64),  # rabbits
            ("rounds", np.int64),  # that are left, this one with them
            ("blocks", np.int64),  # 1 if the fox cannot enter the bear's card
            ("looks", np.int64),  # that are left
            ("hand_size", np.int64),
            ("card", np.int64),  # the sort that is being resolved
            ("cards", np.int64, NUM_CELLS),  # sorts; UNKNOWN
            ("up", np.int64, NUM_CELLS),
            ("others", np.int64, NUM_CELLS),  # 1 where the other seat knows the card
            ("no_rabbit", np.int64, NUM_CELLS),
            ("bars", np.int64, NUM_CELLS),  # 1 where I know that the card bars swaps
            ("hand", np.int64, HAND_SIZE),  # sorts
            ("unseen", np.float64, NUM_SORTS),  # cards that I have not located
            ("catching", np.float64, NUM_RABBITS),  # chance to catch each rabbit once met
            # what follows is judged from the rest
            ("chance", np.float64, NUM_CELLS),  # of a rabbit on each card that I do not know
            ("common", np.float64),  # what a card that is no rabbit is worth to the fox, on the average
            ("ouch", np.float64),  # chance that such a card costs the fox a turn, or sends him back
            ("yikes", np.float64),
            ("worth", np.float64, NUM_CELLS),  # what turning up each card is worth to the fox
            ("future", np.float64, NUM_CELLS),  # what the fox can hope for from each cell, later on
            ("soon", np.float64, NUM_CELLS),  # the same, one step of his ahead
            ("rounds_to", np.int64, NUM_CELLS),  # rounds until the fox can turn up each card
        ],
    )
)

# Rounds until the fox reveals a card so far away: two cards a step, and one step more to change between odd and even.
ROUNDS_TO_REVEAL = np.array([2, 2, 1, 2, 2, 3, 3, 4, 4])


def _sorts_of_kinds() -> np.ndarray:
    sorts = []
    for row in FEATURES_OF:
        first = [feature for feature in range(HURRICANE + 1) if row[feature] > 0]
        sorts.append(first[-1] if PEEK_NEAR in first else (first or [HARMLESS])[0])
    return np.array(sorts)


_SORT_OF = _sorts_of_kinds()  # (kind,)


@kernel
def sort_at(observation, start, stride):
    """Return the sort of the card whose features lie `stride` apart from `start` on."""
    for feature in range(HURRICANE + 1):
        if observation[start + feature * stride] > 0:
            anywhere = feature == PEEK_NEAR and observation[start + PEEK_ANY * stride] > 0
            return PEEK_ANY if anywhere else feature
    return HARMLESS


@kernel
def read(observation, view):
    """Fill `view`, given as zeros, from an observation made when I am asked."""
    view.stage = which(observation, _QUESTION, NUM_QUESTIONS)
    view.fox, view.start = which(observation, _FOX, NUM_CELLS), which(observation, _START, NUM_CELLS)
    view.bear, view.before = which(observation, _BEAR, NUM_CELLS), which(observation, _BEFORE, NUM_CELLS)
    view.vixen, view.chosen = which(observation, _VIXEN, NUM_CELLS), which(observation, _CHOSEN, NUM_CELLS)
    view.crow, view.gap = which(observation, _RING + RING, RING), which(observation, _PURSUIT, RING) % RING
    view.vixen_left, view.double = observation[_RIGHTS] > 0, observation[_RIGHTS + 1] > 0
    view.deck_swaps = int(observation[_RIGHTS + 2] * DECK_SWAPS + 0.5)
    view.lost, view.skip = observation[_DUE] > 0, observation[_DUE + 1] > 0
    view.rounds = RING - int(observation[_SUN] * RING + 0.5)
    view.blocks = observation[_SETUP + 3] > 0
    view.looks = int(observation[_LEFT] * 4 + 0.5)
    view.card = sort_at(observation, _CARD, 1)
    _read_cards(observation, view)
    _read_chances(observation, view)


@kernel
def _read_cards(observation, view):
    for cell in range(NUM_CELLS):
        view.cards[cell] = UNKNOWN
        if observation[_MINE + cell] > 0:
            view.cards[cell] = sort_at(observation, _FLOOR + cell, NUM_CELLS)
        view.up[cell] = observation[_UP + cell] > 0
        view.others[cell] = observation[_OTHERS + cell] > 0
        view.no_rabbit[cell] = observation[_NO_RABBIT + cell] > 0
        view.bars[cell] = observation[_FLOOR + _BARS * NUM_CELLS + cell] > 0
        view.rounds_to[cell] = ROUNDS_TO_REVEAL[DISTANCE[view.fox, cell]]
        if view.up[cell] and view.cards[cell] < NUM_RABBITS and DISTANCE[view.fox, cell] == 1:
            view.rounds_to[cell] = 1  # a rabbit that lies face-up is met by one step too
    for slot in range(HAND_SIZE):
        view.hand[slot] = UNKNOWN
        if observation[_BACKS + slot] > 0:
            view.hand_size += 1
            view.hand[slot] = sort_at(observation, _HAND + slot * NUM_FEATURES, 1)
    for kind in range(NUM_KINDS):
        view.unseen[_SORT_OF[kind]] += int(observation[_UNSEEN + kind] * COPIES[kind] + 0.5)


@kernel
def _read_chances(observation, view):
    """Work out the chances to catch each rabbit (C6.4)."""
    evades = float(observation[_SETUP + 1]) / FACES
    for rabbit in range(NUM_RABBITS):
        view.caught += observation[_RABBITS + rabbit] > 0
        view.catching[rabbit] = (1 - evades) ** rabbit
        if observation[_SETUP + 2] > 0 and rabbit > 0:  # one roll is enough
            view.catching[rabbit] = 1 - evades**rabbit


@kernel
def can_eat(view, cell):
    """Say whether the bear may step on a cell in its next move (C10.2)."""
    return DISTANCE[view.bear, cell] == 1 and cell != view.before and cell != view.vixen and not view.skip


@kernel
def can_hunt(bear, before, vixen, cell):
    """Say whether the bear can be on a cell within two moves, should nobody else move."""
    if cell == vixen:
        return False
    if DISTANCE[bear, cell] == 1:
        return cell != before
    if DISTANCE[bear, cell] != 2:
        return False
    for middle in range(NUM_CELLS):
        on_the_way = DISTANCE[bear, middle] == 1 and DISTANCE[middle, cell] == 1
        if on_the_way and middle != before and middle != vixen:
            return True
    return False


@kernel
def distance_on_ring(gap):
    """Return how far the eagle is from the crow, either way round."""
    return min(gap, RING - gap)


@kernel
def reach(view):
    """Return how far the eagle can fly in one step."""
    return 1 + view.double


@kernel
def may_slide(view, way):
    """Say whether the crow is likely to slide this way: not towards an eagle who is near."""
    left, right = distance_on_ring((view.gap - way) % RING), distance_on_ring((view.gap + way) % RING)
    return left >= right or left > AT_EASE


@kernel
def on_next_line(view, cell):
    """Say whether the crow is likely to come to the end of a card's row or column next."""
    for way in (-1, 1):
        if may_slide(view, way):
            for place in range(SIDE):
                if LINE[(view.crow + way) % RING, place] == cell:
                    return True
    return False


@kernel
def dive_hits(view):
    """Say whether a dive now, and the eagle's step after it, catch the crow wherever she is."""
    return distance_on_ring(view.gap) <= DIVE_SIZE + reach(view)


@kernel
def is_known_rabbit(view, cell):
    """Say whether I know of a rabbit on a cell."""
    return view.cards[cell] < NUM_RABBITS


@kernel
def is_harmful(sort):
    """Say whether the fox would rather not turn up a card."""
    return sort in (YIKES, OUCH, STEAL)
