"""Value of cards for the fox of *Estafado*, and the fox's prospects from each cell.

Both seats use them: the fox by its own knowledge, the crow by its own and its knowledge of the fox's.
"""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.estafado.board import BETWEEN, DISTANCE, NOWHERE, NUM_CELLS
from sobremesa.envs.estafado.bots import view as v
from sobremesa.envs.estafado.bots.view import can_eat, can_hunt, dive_hits, is_known_rabbit, on_next_line
from sobremesa.envs.estafado.cards import HAND_SIZE, NUM_RABBITS

_NEVER = -1e9


@kernel
def best_of_hand(view, weights):
    """Return the gain of the best card of the hand over keeping it; 0 without one."""
    best = _NEVER
    for slot in range(HAND_SIZE):
        if view.held[slot] != v.UNKNOWN:
            best = max(best, weights.effect[view.held[slot]] - weights.keep[view.held[slot]])
    return best


@kernel
def look_at_cards(view, weights):
    """Estimate the value of turning up each card for the fox, by the fox's knowledge."""
    _spread_chances(view, weights)
    hand = best_of_hand(view, weights)
    total, view.common, view.ouch, view.yikes = 0.0, 0.0, 0.0, 0.0
    for sort in range(v.YIKES, v.NUM_SORTS):
        count = view.hidden[sort] if sort != v.HURRICANE else 0.0  # its back is known
        total += count
        view.common += count * max(weights.effect[sort], hand)
    if total > 0:
        view.common /= total
        if hand == _NEVER:  # harmful cards can be replaced while the hand has cards
            view.ouch, view.yikes = view.hidden[v.OUCH] / total, view.hidden[v.YIKES] / total
    meeting = _meeting(view, weights)
    for cell in range(NUM_CELLS):
        sort = view.cards[cell]
        if sort == v.UNKNOWN:
            chance = view.chance[cell]
            view.worth[cell] = chance * meeting + (1 - chance) * view.common
        elif sort < NUM_RABBITS:
            view.worth[cell] = view.catching[sort] * (1 - weights.found + weights.again)
            if not view.up[cell] and cell != view.vixen and on_next_line(view, cell):  # the crow may take it away
                view.worth[cell] += weights.hurry
        elif not view.up[cell]:
            bound = view.bars[cell] or cell == view.vixen
            view.worth[cell] = weights.effect[sort] if bound else max(weights.effect[sort], hand)
            if sort == v.DIVE and dive_hits(view):
                view.worth[cell] = weights.life


@kernel
def _meeting(view, weights):
    """Return the mean value of turning up an unseen rabbit."""
    count, worth = 0.0, 0.0
    for rabbit in range(NUM_RABBITS):
        count += view.hidden[rabbit]
        worth += view.hidden[rabbit] * (weights.found + (1 - weights.found) * view.catching[rabbit])
    return worth / count if count > 0 else 0.0


@kernel
def _spread_chances(view, weights):
    """Spread the unseen rabbits over the possible cards, more where the crow made swaps."""
    total, rabbits = 0.0, view.hidden[0] + view.hidden[1] + view.hidden[2]
    for cell in range(NUM_CELLS):
        view.chance[cell] = 0
        if view.cards[cell] == v.UNKNOWN and not view.no_rabbit[cell]:
            view.chance[cell] = weights.suspicion[view.rounds_to[cell] - 1] if view.others[cell] else 1.0
            total += view.chance[cell]
    for cell in range(NUM_CELLS):
        if total > 0:
            view.chance[cell] = min(1.0, rabbits * view.chance[cell] / total)


@kernel
def may_go(view, bear, start, cell):
    """Return whether the fox may move from one card to another with the bear on `bear` (C4.1 to C4.3)."""
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
    """Return the value of a move: only two steps turn a card up, but any meets a face-up rabbit."""
    if DISTANCE[start, cell] == 2 or (view.up[cell] and is_known_rabbit(view, cell)):
        return view.worth[cell]
    return 0.0


@kernel
def look_ahead(view, weights, bear):
    """Estimate the fox's prospects from each cell in one step and in two, over different cards."""
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
    """Return the fox's prospects from a cell without the card turned up at `start`."""
    best = _NEVER
    for other in range(NUM_CELLS):
        if other not in (cell, start) and DISTANCE[cell, other] <= 2:
            best = max(best, gain(view, cell, other) - weights.near * (DISTANCE[bear, other] <= 1))
    return best


@kernel
def rest(view, weights, cell, loses_turn):
    """Return the cost of ending the fox's step on a cell within the bear's reach."""
    loses_turn = loses_turn or view.lost
    eaten = can_eat(view, cell)
    if not eaten and loses_turn and not view.bear_skip:
        eaten = can_hunt(view.bear, view.bear_before, view.vixen, cell)
    if not eaten:
        return 0.0
    return weights.shelter if view.vixen == NOWHERE else weights.life


@kernel
def arrive(view, weights, cell):
    """Return the value for the fox of turning up a card now, with its consequences and the bear's move."""
    stays = view.worth[cell] + weights.later * view.future[cell] - rest(view, weights, cell, False)
    if view.up[cell]:
        if is_known_rabbit(view, cell):  # a catch gives another step
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
    """Return the chances that a card costs the fox a turn, and that it sends the fox back."""
    sort = view.cards[cell]
    if sort == v.UNKNOWN:
        common = 1 - view.chance[cell]
        return common * view.ouch, common * view.yikes
    unguarded = 1.0 if view.hand_size == 0 or view.bars[cell] else 0.0
    return unguarded * (sort == v.OUCH), unguarded * (sort == v.YIKES)
