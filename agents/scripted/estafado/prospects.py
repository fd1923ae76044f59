"""What each card is worth to the fox of *Estafado*, and what he can hope for from where he stands.

Both seats judge so: the fox by what he knows, the crow by what she knows and by what she knows of his knowledge.
"""

from sobremesa.agents.scripted.estafado.view import (
    DIVE,
    HURRICANE,
    NUM_SORTS,
    OUCH,
    UNKNOWN,
    YIKES,
    can_eat,
    can_hunt,
    dive_hits,
    is_known_rabbit,
    on_next_line,
)
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.estafado.board import BETWEEN, DISTANCE, NOWHERE, NUM_CELLS
from sobremesa.envs.estafado.cards import HAND_SIZE, NUM_RABBITS

_NEVER = -1e9


@kernel
def best_of_hand(view, weights):
    """Return what the best card of the hand adds, beside keeping it; nothing if there is none."""
    best = _NEVER
    for slot in range(HAND_SIZE):
        if view.held[slot] != UNKNOWN:
            best = max(best, weights.effect[view.held[slot]] - weights.keep[view.held[slot]])
    return best


@kernel
def look_at_cards(view, weights):
    """Judge what turning up each card is worth to the fox, by what he knows."""
    _spread_chances(view, weights)
    hand = best_of_hand(view, weights)
    total, view.common, view.ouch, view.yikes = 0.0, 0.0, 0.0, 0.0
    for sort in range(YIKES, NUM_SORTS):
        count = view.hidden[sort] if sort != HURRICANE else 0.0  # its back is known
        total += count
        view.common += count * max(weights.effect[sort], hand)
    if total > 0:
        view.common /= total
        if hand == _NEVER:  # what hurts can be replaced while there is anything in the hand
            view.ouch, view.yikes = view.hidden[OUCH] / total, view.hidden[YIKES] / total
    meeting = _meeting(view, weights)
    for cell in range(NUM_CELLS):
        sort = view.cards[cell]
        if sort == UNKNOWN:
            chance = view.chance[cell]
            view.worth[cell] = chance * meeting + (1 - chance) * view.common
        elif sort < NUM_RABBITS:
            view.worth[cell] = view.catching[sort] * (1 - weights.found + weights.again)
            if not view.up[cell] and cell != view.vixen and on_next_line(view, cell):  # the crow may take it away
                view.worth[cell] += weights.hurry
        elif not view.up[cell]:
            bound = view.bars[cell] or cell == view.vixen
            view.worth[cell] = weights.effect[sort] if bound else max(weights.effect[sort], hand)
            if sort == DIVE and dive_hits(view):
                view.worth[cell] = weights.life


@kernel
def _meeting(view, weights):
    """Return what it is worth to turn up a rabbit that nobody knew of, on the average of those unseen."""
    count, worth = 0.0, 0.0
    for rabbit in range(NUM_RABBITS):
        count += view.hidden[rabbit]
        worth += view.hidden[rabbit] * (weights.found + (1 - weights.found) * view.catching[rabbit])
    return worth / count if count > 0 else 0.0


@kernel
def _spread_chances(view, weights):
    """Spread the rabbits that the fox has not seen over the cards that may be one, more where the crow had a hand."""
    total, rabbits = 0.0, view.hidden[0] + view.hidden[1] + view.hidden[2]
    for cell in range(NUM_CELLS):
        view.chance[cell] = 0
        if view.cards[cell] == UNKNOWN and not view.no_rabbit[cell]:
            view.chance[cell] = weights.suspicion[view.rounds_to[cell] - 1] if view.others[cell] else 1.0
            total += view.chance[cell]
    for cell in range(NUM_CELLS):
        if total > 0:
            view.chance[cell] = min(1.0, rabbits * view.chance[cell] / total)


@kernel
def may_go(view, bear, start, cell):
    """Say whether the fox may move from one card to another with the bear on `bear` (C4.1 to C4.3)."""
    if cell == start or DISTANCE[start, cell] > 2:
        return False
    if not view.bear_blocks:
        return True
    if cell == bear:
        return False
    if DISTANCE[start, cell] == 1:
        return True
    one, other = BETWEEN[start, cell, 0], BETWEEN[start, cell, 1]
    return one != bear or (other != NOWHERE and other != bear)


@kernel
def gain(view, start, cell):
    """Return what the fox gets for a move: only two steps turn a card up, but any meets a rabbit that lies face-up."""
    if DISTANCE[start, cell] == 2 or (view.up[cell] and is_known_rabbit(view, cell)):
        return view.worth[cell]
    return 0.0


@kernel
def look_ahead(view, weights, bear):
    """Judge what the fox can hope for from each cell in one step of his and in two, by way of different cards."""
    for start in range(NUM_CELLS):
        best = _NEVER
        for cell in range(NUM_CELLS):
            if cell != start and DISTANCE[start, cell] <= 2:
                best = max(best, gain(view, start, cell) - weights.near * (DISTANCE[bear, cell] <= 1))
        view.soon[start] = best
    for start in range(NUM_CELLS):
        best = _NEVER
        for cell in range(NUM_CELLS):
            if cell != start and DISTANCE[start, cell] <= 2:
                onward = _onward(view, weights, bear, start, cell)
                value = gain(view, start, cell) + weights.later * onward
                best = max(best, value - weights.near * (DISTANCE[bear, cell] <= 1))
        view.future[start] = best


@kernel
def _onward(view, weights, bear, start, cell):
    """Return what the fox can hope for from a cell without going back for the card that he turned up at `start`."""
    best = _NEVER
    for other in range(NUM_CELLS):
        if other not in (cell, start) and DISTANCE[cell, other] <= 2:
            best = max(best, gain(view, cell, other) - weights.near * (DISTANCE[bear, other] <= 1))
    return best


@kernel
def rest(view, weights, cell, loses_turn):
    """Return what it costs the fox to end his step on a cell, where the bear may eat him."""
    loses_turn = loses_turn or view.lost
    eaten = can_eat(view, cell)
    if not eaten and loses_turn and not view.bear_skip:
        eaten = can_hunt(view.bear, view.bear_before, view.vixen, cell)
    if not eaten:
        return 0.0
    return weights.shelter if view.vixen == NOWHERE else weights.life


@kernel
def arrive(view, weights, cell):
    """Return what it is worth to the fox to turn up a card now, with what it leads to and what the bear then does."""
    stays = view.worth[cell] + weights.later * view.future[cell] - rest(view, weights, cell, False)
    if view.up[cell]:
        if is_known_rabbit(view, cell):  # who catches it moves on
            stays += view.catching[view.cards[cell]] * rest(view, weights, cell, False)
        return stays
    ouch, yikes = _risks(view, cell)
    if ouch > 0:
        stays -= ouch * (rest(view, weights, cell, True) - rest(view, weights, cell, False))
    if yikes > 0:
        back = weights.later * view.future[view.fox_start] - rest(view, weights, view.fox_start, False)
        stays += yikes * (back - weights.later * view.future[cell] + rest(view, weights, cell, False))
    if is_known_rabbit(view, cell):
        stays += view.catching[view.cards[cell]] * rest(view, weights, cell, False)
    return stays


@kernel
def _risks(view, cell):
    """Return the chances that a card costs the fox a turn, and that it sends him back."""
    sort = view.cards[cell]
    if sort == UNKNOWN:
        common = 1 - view.chance[cell]
        return common * view.ouch, common * view.yikes
    unguarded = 1.0 if view.hand_size == 0 or view.bars[cell] else 0.0
    return unguarded * (sort == OUCH), unguarded * (sort == YIKES)
