"""The fox's player of the strong bot of *Estafado*: the step, the use of cards, and the eagle."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import DISTANCE, NOWHERE, NUM_CELLS, RING, STRAIGHT, TOUCHES
from sobremesa.envs.estafado.bots import view as v
from sobremesa.envs.estafado.bots.prospects import arrive, gain, look_ahead, look_at_cards, may_go, rest
from sobremesa.envs.estafado.bots.view import can_eat, distance_on_ring, dive_hits, is_known_rabbit, on_next_line
from sobremesa.envs.estafado.cards import HAND_SIZE, NUM_RABBITS

_NEVER = -1e9
_WON = 100.0  # beyond all that cards are worth
_LOOKS = 3  # at neighbours: cards allow two or four


@kernel
def play_fox(view, mask, weights):
    """Return the action of the fox's player."""
    if view.stage == s.START:
        return start_eagle(view, mask, weights)
    if view.stage in (s.EAGLE, s.DIVING):
        vixen = place_vixen(view, mask, weights) if view.stage == s.EAGLE else s.A_PASS
        return vixen if vixen != s.A_PASS else fly(view, mask)
    look_at_cards(view, weights)
    look_ahead(view, weights, view.bear)
    if view.stage == s.REPLACE:
        return _replace(view, mask, weights)
    if view.stage == s.PEEKING:
        return _peek(view, mask, weights)
    if view.stage in (s.SWAP_FIRST, s.SWAP_SECOND):
        return _swap(view, mask, weights)
    return _go(view, mask, weights)


@kernel
def start_eagle(view, mask, weights):
    """Start as near to the crow as possible, on the side that drives the crow the worse way."""
    best, least = s.A_START, RING * 2.0
    for space in range(RING):
        if mask[s.A_START + space]:
            gap = (space - view.crow) % RING
            far = distance_on_ring(gap) + (weights.side if gap < RING // 2 else 0.0)
            if far < least:
                best, least = s.A_START + space, far
    return best


@kernel
def fly(view, mask):
    """Catch the crow, or come a space nearer and keep the double move as a threat; a dive goes as near as possible."""
    best, most = s.A_PASS, _NEVER
    for way in range(4):
        if not mask[s.A_EAGLE + way]:
            continue
        left = distance_on_ring((view.gap + s.EAGLE_STEPS[way]) % RING)
        value = -float(left)
        if left == 0:
            value = _WON
        elif view.stage == s.EAGLE and abs(s.EAGLE_STEPS[way]) == 2:
            value -= RING
        if value > most:
            best, most = s.A_EAGLE + way, value
    if mask[s.A_PASS] and most < -distance_on_ring(view.gap):
        return s.A_PASS
    return best


@kernel
def place_vixen(view, mask, weights):
    """Protect the fox from a bear that can eat, or a rabbit that the crow could take away."""
    if not mask[s.A_VIXEN + view.fox]:
        return s.A_PASS
    if can_eat(view, view.fox):
        return s.A_VIXEN + view.fox
    best, most = s.A_PASS, weights.shelter
    for cell in range(NUM_CELLS):
        if is_known_rabbit(view, cell) and not view.up[cell] and on_next_line(view, cell):
            value = weights.guard * view.catching[view.cards[cell]] / view.rounds_to[cell]
            if value > most:
                best, most = s.A_VIXEN + cell, value
    return best


@kernel
def _go(view, mask, weights):
    """Make the move, leap or tunnel of the highest value, or stay if allowed."""
    best, most = s.A_PASS, _NEVER
    if mask[s.A_PASS]:
        most = weights.later * view.future[view.fox] - rest(view, weights, view.fox, False)
    for cell in range(NUM_CELLS):
        if cell == view.bear:  # some tables let him walk into it (O4)
            continue
        if mask[s.A_TUNNEL + cell]:
            value = arrive(view, weights, cell)
            if value > most:
                best, most = s.A_TUNNEL + cell, value
        if mask[s.A_GO + cell]:
            if view.stage == s.LEAPING or gain(view, view.fox, cell) != 0 or DISTANCE[view.fox, cell] == 2:
                value = arrive(view, weights, cell)
            else:
                value = weights.later * view.future[cell] - rest(view, weights, cell, False)
            if value > most:
                best, most = s.A_GO + cell, value
    return best


@kernel
def _stay(view, weights, loses_turn):
    return weights.later * view.future[view.fox] - rest(view, weights, view.fox, loses_turn)


@kernel
def _best_landing(view, weights, far, burrows):
    """Return the value of the best leap or tunnel from here, or of staying."""
    best = _stay(view, weights, False)
    for cell in range(NUM_CELLS):
        if cell == view.bear or cell == view.fox:
            continue
        if (burrows and TOUCHES[view.fox, cell]) or (
            not burrows and STRAIGHT[view.fox, cell] and DISTANCE[view.fox, cell] == far
        ):
            best = max(best, arrive(view, weights, cell))
    return best


@kernel
def interest(view, cell):
    """Return the fox's interest in seeing a card: its chance to be a rabbit, and its nearness."""
    if view.cards[cell] != v.UNKNOWN:
        return 0.0
    return view.chance[cell] * (1 + 1 / view.rounds_to[cell])


@kernel
def _view_worth(view, weights, nearby):
    """Return the value of a peek from here."""
    seen, best, count = 0.0, 0.0, 0
    for cell in range(NUM_CELLS):
        if nearby and DISTANCE[view.fox, cell] == 1 and count < _LOOKS:
            seen += interest(view, cell)
            count += view.cards[cell] == v.UNKNOWN
        best = max(best, interest(view, cell))
    return weights.look * (seen if nearby else best)


@kernel
def outcome(view, weights, sort):
    """Return the value of the effects of a card of a sort under the fox."""
    if sort == v.YIKES:
        back = weights.later * view.future[view.fox_start] - rest(view, weights, view.fox_start, False)
        return weights.effect[v.YIKES] + back
    if sort == v.OUCH:
        return weights.effect[v.OUCH] * (view.rounds > 1) + _stay(view, weights, True)
    if sort == v.STEAL:
        return weights.effect[v.STEAL] * (view.caught > 0) + _stay(view, weights, False)
    if sort in (v.LEAP_1, v.LEAP_2, v.TUNNEL):
        return _best_landing(view, weights, 1 if sort == v.LEAP_1 else 2, sort == v.TUNNEL)
    if sort in (v.PEEK_NEAR, v.PEEK_ANY):
        return _view_worth(view, weights, sort == v.PEEK_NEAR) + _stay(view, weights, False)
    if sort == v.SWAP:
        return _swap_worth(view, weights) + _stay(view, weights, False)
    if sort == v.DIVE:
        return _WON if dive_hits(view) else weights.effect[v.DIVE] + _stay(view, weights, False)
    if sort == v.SKIP:
        return weights.effect[v.SKIP] + weights.later * view.future[view.fox]
    if sort == v.HURRICANE:
        return weights.effect[v.HURRICANE] - _known_rabbits(view) * weights.found + _stay(view, weights, False)
    return _stay(view, weights, False)


@kernel
def _known_rabbits(view):
    count = 0
    for cell in range(NUM_CELLS):
        count += is_known_rabbit(view, cell) and not view.up[cell]
    return count


@kernel
def _replace(view, mask, weights):
    """Keep the revealed card, or play the card of the hand with the largest gain over keeping it."""
    if view.cards[view.fox] < NUM_RABBITS:
        return s.A_PASS
    best, most = s.A_PASS, outcome(view, weights, view.cards[view.fox])
    fading = min(1.0, view.rounds / weights.patience)  # towards the end there is less to keep cards for
    for slot in range(HAND_SIZE):
        if mask[s.A_HAND + slot]:
            sort = view.held[slot]
            value = outcome(view, weights, sort) - weights.keep[sort] * fading
            if value > most:
                best, most = s.A_HAND + slot, value
    return best


@kernel
def _peek(view, mask, weights):
    """Look where a rabbit is most likely, and near."""
    best, most = s.A_PASS, 0.0
    for cell in range(NUM_CELLS):
        if mask[s.A_LOOK + cell] and interest(view, cell) > most:
            best, most = s.A_LOOK + cell, interest(view, cell)
    return best


@kernel
def _distant_rabbit(view):
    """Return the known rabbit that could be fetched, or NOWHERE."""
    for cell in range(NUM_CELLS):
        if is_known_rabbit(view, cell) and not view.up[cell] and cell != view.vixen and view.rounds_to[cell] > 1:
            return cell
    return NOWHERE


@kernel
def _landing_place(view, chosen):
    """Return the best card to swap a rabbit with, or NOWHERE."""
    best, most = NOWHERE, _NEVER
    for cell in range(NUM_CELLS):
        open_rabbit = view.up[cell] and is_known_rabbit(view, cell)
        if cell in (chosen, view.fox, view.vixen) or view.bars[cell] or open_rabbit or view.rounds_to[cell] > 1:
            continue
        if not may_go(view, view.bear, view.fox, cell):
            continue
        value = DISTANCE[view.bear, cell] - view.worth[cell]
        if value > most:
            best, most = cell, value
    return best


@kernel
def _swap_worth(view, weights):
    rabbit = _distant_rabbit(view)
    if rabbit == NOWHERE or _landing_place(view, rabbit) == NOWHERE:
        return weights.effect[v.SWAP]
    return weights.fetch


@kernel
def _swap(view, mask, weights):
    """Fetch a distant rabbit; otherwise leave the cards as they are."""
    if view.stage == s.SWAP_SECOND:
        place = _landing_place(view, view.chosen)
        if place != NOWHERE and mask[s.A_SWAP + place]:
            return s.A_SWAP + place
        for cell in range(NUM_CELLS - 1, -1, -1):
            if mask[s.A_SWAP + cell]:
                return s.A_SWAP + cell
    rabbit = _distant_rabbit(view)
    if rabbit != NOWHERE and mask[s.A_SWAP + rabbit] and _landing_place(view, rabbit) != NOWHERE:
        return s.A_SWAP + rabbit
    return s.A_PASS
