"""The crow's player of the strong bot of *Estafado*: flight, looks, swaps, and the bear."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import DISTANCE, LINE, NOWHERE, NUM_CELLS, RING, SIDE
from sobremesa.envs.estafado.bots import view as v
from sobremesa.envs.estafado.bots.prospects import gain, look_ahead, may_go
from sobremesa.envs.estafado.bots.view import can_hunt, distance_on_ring, dive_hits, is_known_rabbit, reach
from sobremesa.envs.estafado.cards import NUM_RABBITS

_NEVER = -1e9
_WON = 100.0  # beyond all that cards are worth


@kernel
def play_crow(view, mask, weights):
    """Return the action of the crow's player."""
    look_for_fox(view, weights)
    if view.stage == s.SLIDE:
        return _slide(view, mask, weights)
    if view.stage == s.LOOK:
        return _look(view, mask, weights)
    if view.stage == s.EXCHANGE:
        return _exchange(view, mask, weights)
    return _move_bear(view, mask, weights)


@kernel
def look_for_fox(view, weights):
    """Estimate the value of cards for the fox by the crow's knowledge: chances and effects of hidden cards."""
    total, hidden = 0.0, 0
    view.common, view.ouch, view.yikes = 0.0, 0.0, 0.0
    for sort in range(v.YIKES, v.NUM_SORTS):
        count = view.hidden[sort] if sort != v.HURRICANE else 0.0
        total += count
        view.common += count * weights.effect[sort]
        view.ouch += count * (sort == v.OUCH)
    if total > 0:
        view.common /= total
        view.ouch /= total
    for cell in range(NUM_CELLS):
        hidden += view.cards[cell] == v.UNKNOWN and not view.no_rabbit[cell]
    rabbits = view.hidden[0] + view.hidden[1] + view.hidden[2]
    for cell in range(NUM_CELLS):
        if view.cards[cell] == v.UNKNOWN and not view.no_rabbit[cell]:
            view.chance[cell] = min(1.0, rabbits / hidden)


@kernel
def rabbit_cost(view, weights, sort, known, cell):
    """Return the cost of a rabbit on a cell to the crow: the chance that the fox soon meets and catches it."""
    caught = weights.found + (1 - weights.found) * view.catching[sort]
    return _reach(view, weights, cell) * caught * (weights.aimed if known else weights.blind)


@kernel
def _reach(view, weights, cell):
    """Return the nearness of a cell to the fox, from 0 to 1: less for each round, and less close to the bear."""
    near = weights.delay ** (view.rounds_to[cell] - 1)
    return near * weights.shadow if DISTANCE[view.bear, cell] <= 1 else near


@kernel
def cost(view, weights, sort, known, may_be_rabbit, cell):
    """Return the cost to the crow of a face-down card on a cell; `known`: the fox knows it."""
    if sort < NUM_RABBITS:
        return rabbit_cost(view, weights, sort, known, cell)
    if sort == v.UNKNOWN:
        value = weights.blind * _reach(view, weights, cell) * view.common
        if may_be_rabbit > 0:
            rabbit = _any_rabbit(view, weights, known, cell)
            value += may_be_rabbit * (rabbit - value)
        return value
    toll = toll_of(view, weights, sort)
    if not known:
        return weights.blind * _reach(view, weights, cell) * toll
    if sort == v.DIVE:
        return weights.aimed * _reach(view, weights, cell) * toll
    return weights.bait * _reach(view, weights, cell) * max(0.0, toll)


@kernel
def toll_of(view, weights, sort):
    """Return the value for the fox of turning up a card that is no rabbit: a dive that hits wins the deal."""
    return weights.life if sort == v.DIVE and dive_hits(view) else weights.effect[sort]


@kernel
def _any_rabbit(view, weights, known, cell):
    """Return the mean cost of an unseen rabbit."""
    total, count = 0.0, 0.0
    for rabbit in range(NUM_RABBITS):
        if view.hidden[rabbit] > 0:
            total += rabbit_cost(view, weights, rabbit, known, cell)
            count += 1
    return total / count if count > 0 else 0.0


@kernel
def _swap_gain(view, weights, sort, one, other):
    """Return the crow's gain from swapping a card of a sort on `one` with the card on `other`."""
    mine, theirs = view.others[one], view.others[other]
    chance = view.chance[other]
    known = view.cards[other]
    before = cost(view, weights, sort, mine, 0.0, one) + cost(view, weights, known, theirs, chance, other)
    return before - cost(view, weights, sort, mine, 0.0, other) - cost(view, weights, known, theirs, chance, one)


@kernel
def _fixed(view, cell):
    """Return whether a card visibly cannot be swapped (C8.4)."""
    return cell == view.vixen or (view.up[cell] and (is_known_rabbit(view, cell) or view.bars[cell]))


@kernel
def _best_swap(view, weights, sort, one):
    """Return the crow's best gain from swapping a card of a sort on `one` away."""
    best = _NEVER
    for other in range(NUM_CELLS):
        if other != one and not _fixed(view, other):
            best = max(best, _swap_gain(view, weights, sort, one, other))
    return best


@kernel
def look_worth(view, weights, cell):
    """Return the value of looking at a card and swapping it."""
    if view.cards[cell] != v.UNKNOWN:
        return _best_swap(view, weights, view.cards[cell], cell)
    chance, rabbits, worth = view.chance[cell], 0.0, 0.0
    for rabbit in range(NUM_RABBITS):
        if view.hidden[rabbit] > 0 and chance > 0:
            worth += _best_swap(view, weights, rabbit, cell)
            rabbits += 1
    worth = worth * chance / rabbits if rabbits > 0 else 0.0
    harmful = (1 - chance) * view.ouch
    if harmful > 0:
        worth += harmful * _best_swap(view, weights, v.OUCH, cell)
    return worth + weights.insight * chance


@kernel
def _slide(view, mask, weights):
    """Keep out of the eagle's reach, and slide to the line with the best look."""
    best, most = s.A_SLIDE, _NEVER
    for way in range(2):
        if not mask[s.A_SLIDE + way]:
            continue
        left = distance_on_ring((view.gap - s.SLIDE_STEPS[way]) % RING)
        value = weights.room * left
        if left <= reach(view):
            value -= _WON - left
        elif left <= reach(view) + v.DIVE_SIZE and _dive_threatens(view):
            value -= weights.dive
        line = 0.0
        for place in range(SIDE):
            cell = LINE[(view.crow + s.SLIDE_STEPS[way]) % RING, place]
            if not view.up[cell] and cell != view.vixen:
                line = max(line, look_worth(view, weights, cell))
        if value + line > most:
            best, most = s.A_SLIDE + way, value + line
    return best


@kernel
def _dive_threatens(view):
    """Return whether the fox may have a dive in hand or within reach."""
    threat = view.hidden[v.DIVE] > 0
    for cell in range(NUM_CELLS):
        threat = threat or (view.cards[cell] == v.DIVE and not view.up[cell] and view.rounds_to[cell] == 1)
    return threat


@kernel
def _look(view, mask, weights):
    best, most = s.A_LOOK, _NEVER
    for cell in range(NUM_CELLS):
        if mask[s.A_LOOK + cell]:
            value = look_worth(view, weights, cell)
            if value > most:
                best, most = s.A_LOOK + cell, value
    return best


@kernel
def _exchange(view, mask, weights):
    """Make the swap that helps the fox least, or bury the card."""
    best, most = s.A_PASS, _NEVER
    one = view.chosen
    sort = view.cards[one]
    for cell in range(NUM_CELLS):
        if mask[s.A_SWAP + cell]:
            value = _swap_gain(view, weights, sort, one, cell)
            if value > most:
                best, most = s.A_SWAP + cell, value
    if mask[s.A_DECK]:
        fresh = cost(view, weights, v.UNKNOWN, 0, 0.0, one)
        value = cost(view, weights, sort, view.others[one], 0.0, one) - fresh - weights.bury
        if value > most:
            best, most = s.A_DECK, value
    return best


@kernel
def _move_bear(view, mask, weights):
    """Eat the fox, or minimize the fox's prospects."""
    _judge_for_bear(view, weights)
    look_ahead(view, weights, view.bear)
    best, most = s.A_PASS, _NEVER
    for cell in range(NUM_CELLS):
        if mask[s.A_BEAR + cell]:
            value = _WON if cell == view.fox else _bear_worth(view, weights, cell)
            if value > most:
                best, most = s.A_BEAR + cell, value
    return best


@kernel
def _judge_for_bear(view, weights):
    """Estimate the value of each card for the fox: by the fox's knowledge, and by the true card."""
    rabbits, hidden = float(NUM_RABBITS - view.caught), 0
    for cell in range(NUM_CELLS):
        rabbits -= is_known_rabbit(view, cell) and view.others[cell]
        hidden += not view.others[cell] and not view.no_rabbit[cell]
    chance = rabbits / hidden if hidden > 0 else 0.0
    for cell in range(NUM_CELLS):
        sort, guess = view.cards[cell], 0.0
        if not view.others[cell] and not view.no_rabbit[cell]:
            guess = chance
        if sort == v.UNKNOWN:
            view.worth[cell] = guess + view.common
        elif sort < NUM_RABBITS:
            caught = view.catching[sort]
            view.worth[cell] = caught if view.others[cell] else guess + weights.truth * (caught - guess)
        elif view.others[cell]:
            view.worth[cell] = 0.0 if view.up[cell] else max(0.0, toll_of(view, weights, sort))
        else:
            view.worth[cell] = guess + weights.truth * (weights.effect[sort] - guess)


@kernel
def _bear_worth(view, weights, bear):
    """Return the value of the bear on a cell: the fox's remaining prospects and distance."""
    near = -weights.chase * DISTANCE[bear, view.fox]
    if view.lost:  # the fox stays where he is
        hunted = DISTANCE[bear, view.fox] == 1 and view.fox != view.bear and view.fox != view.vixen
        saved = weights.shelter if view.vixen == NOWHERE else weights.life
        return near + saved * hunted
    best, total, count = _NEVER, 0.0, 0
    for cell in range(NUM_CELLS):
        if not may_go(view, bear, view.fox, cell):
            continue
        value = _fox_worth(view, weights, bear, cell)
        total += value
        count += 1
        best = max(best, value)
    if count == 0:
        return _WON
    return near - best - weights.spread * total / count


@kernel
def _fox_worth(view, weights, bear, cell):
    """Return the value for the fox of going to a cell, with the bear on `bear` ready to eat."""
    value = gain(view, view.fox, cell) + weights.later * view.soon[cell]
    risk = 0.0
    if cell != view.vixen and DISTANCE[bear, cell] == 1 and cell != view.bear:
        risk = 1.0
    elif DISTANCE[view.fox, cell] == 2 and not view.up[cell] and not view.others[cell]:
        risk = weights.sting * can_hunt(bear, view.bear, view.vixen, cell)
    return value - risk * (weights.shelter if view.vixen == NOWHERE else weights.life)
