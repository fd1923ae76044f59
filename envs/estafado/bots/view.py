"""The view of the bots of *Estafado*: the decoded observation, cards by sort, and estimates.

A sort is a class of cards that are alike in play, numbered by the first of its FEATURES.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.estafado import cards as c
from sobremesa.envs.estafado.board import DISTANCE, LINE, NO_SPACE, NUM_CELLS, RING, SIDE
from sobremesa.envs.estafado.effects import FACES
from sobremesa.envs.estafado.observe import SEEN, decode
from sobremesa.envs.estafado.state import ANY_HIT

YIKES, OUCH, LEAP_1, LEAP_2, TUNNEL, PEEK_NEAR, PEEK_ANY, SWAP, DIVE, SKIP, STEAL, HURRICANE = range(
    c.FEATURES.index("yikes"), c.FEATURES.index("hurricane") + 1
)
HARMLESS = HURRICANE + 1
UNKNOWN = HARMLESS + 1  # a card that I do not know, and a slot of the hand without a card
NUM_SORTS = UNKNOWN
DIVE_SIZE = 2  # spaces
AT_EASE = 6  # spaces between eagle and crow from which she need not fear even a dive

VIEW = with_attributes(
    [
        *SEEN.descr,
        ("gap", np.int64),  # spaces from the crow clockwise to the eagle, 0 before he has one
        ("caught", np.int64),  # rabbits
        ("rounds", np.int64),  # that are left, this one with them
        ("cards", np.int64, NUM_CELLS),  # sorts on the floor; UNKNOWN
        ("bars", np.int64, NUM_CELLS),  # 1 where I know that the card bars swaps
        ("hand_size", np.int64),
        ("held", np.int64, c.HAND_SIZE),  # sorts in the hand
        ("hidden", np.float64, NUM_SORTS),  # cards that I have not located, by sort
        ("catching", np.float64, c.NUM_RABBITS),  # chance to catch each rabbit once met
        # estimates
        ("chance", np.float64, NUM_CELLS),  # of a rabbit on each card that I do not know
        ("common", np.float64),  # mean value for the fox of a card that is no rabbit
        ("ouch", np.float64),  # chance that such a card costs the fox a turn, or sends him back
        ("yikes", np.float64),
        ("worth", np.float64, NUM_CELLS),  # value for the fox of turning up each card
        ("future", np.float64, NUM_CELLS),  # the fox's later prospects from each cell
        ("soon", np.float64, NUM_CELLS),  # the same, one step of his ahead
        ("rounds_to", np.int64, NUM_CELLS),  # rounds until the fox can turn up each card
    ]
)

# Rounds until the fox reveals a card so far away: two cards a step, and one step more to change between odd and even.
ROUNDS_TO_REVEAL = np.array([2, 2, 1, 2, 2, 3, 3, 4, 4])


def _sorts_of_kinds() -> np.ndarray:
    sorts = []
    for row in c.FEATURES_OF:
        first = [feature for feature in range(HURRICANE + 1) if row[feature] > 0]
        sorts.append(first[-1] if PEEK_NEAR in first else (first or [HARMLESS])[0])
    return np.array(sorts)


_SORT_OF = _sorts_of_kinds()  # (kind,)


@kernel
def read(observation, view):
    """Fill `view`, given as zeros, from an observation of the seat to act."""
    decode(observation, view)
    view.rounds = RING - view.sun
    if view.eagle != NO_SPACE:
        view.gap = (view.eagle - view.crow) % RING
    for cell in range(NUM_CELLS):
        kind, view.cards[cell] = view.floor[cell], UNKNOWN
        if kind != c.NO_CARD:
            view.cards[cell] = _SORT_OF[kind]
            view.bars[cell] = c.NO_SWAP[kind]
        view.rounds_to[cell] = ROUNDS_TO_REVEAL[DISTANCE[view.fox, cell]]
        if view.up[cell] and view.cards[cell] < c.NUM_RABBITS and DISTANCE[view.fox, cell] == 1:
            view.rounds_to[cell] = 1  # a rabbit that lies face-up is met by one step too
    for slot in range(c.HAND_SIZE):
        view.held[slot] = UNKNOWN
        if view.slots[slot]:
            view.hand_size += 1
            view.held[slot] = HARMLESS if view.hand[slot] == c.NO_CARD else _SORT_OF[view.hand[slot]]
    for kind in range(c.NUM_KINDS):
        view.hidden[_SORT_OF[kind]] += view.unseen[kind]
    _judge_chances(view)


@kernel
def _judge_chances(view):
    """Compute the chance to catch each rabbit (C6.4)."""
    evades = view.evading_faces / FACES
    for rabbit in range(c.NUM_RABBITS):
        view.caught += view.prey[rabbit]
        view.catching[rabbit] = (1 - evades) ** rabbit
        if view.rolls == ANY_HIT and rabbit > 0:  # one roll is enough
            view.catching[rabbit] = 1 - evades**rabbit


@kernel
def can_eat(view, cell):
    """Return whether the bear may step on a cell in its next move (C10.2)."""
    return DISTANCE[view.bear, cell] == 1 and cell != view.bear_before and cell != view.vixen and not view.bear_skip


@kernel
def can_hunt(bear, before, vixen, cell):
    """Return whether the bear can reach a cell within two moves, if no other piece moves."""
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
    """Return the distance from eagle to crow, either way round."""
    return min(gap, RING - gap)


@kernel
def reach(view):
    """Return the eagle's reach in one step."""
    return 1 + view.double


@kernel
def may_slide(view, way):
    """Return whether the crow is likely to slide this way: not towards an eagle who is near."""
    left, right = distance_on_ring((view.gap - way) % RING), distance_on_ring((view.gap + way) % RING)
    return left >= right or left > AT_EASE


@kernel
def on_next_line(view, cell):
    """Return whether the crow is likely to come to the end of a card's row or column next."""
    for way in (-1, 1):
        if may_slide(view, way):
            for place in range(SIDE):
                if LINE[(view.crow + way) % RING, place] == cell:
                    return True
    return False


@kernel
def dive_hits(view):
    """Return whether a dive now, and the eagle's step after it, surely catch the crow."""
    return distance_on_ring(view.gap) <= DIVE_SIZE + reach(view)


@kernel
def is_known_rabbit(view, cell):
    """Return whether a cell has a known rabbit."""
    return view.cards[cell] < c.NUM_RABBITS


@kernel
def is_harmful(sort):
    """Return whether a card is bad for the fox."""
    return sort in (YIKES, OUCH, STEAL)
