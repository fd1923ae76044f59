"""The simple bot of *Estafado*, in both roles."""

from sobremesa.envs.core.chance import below, pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import DISTANCE, NUM_CELLS, RING
from sobremesa.envs.estafado.bots import view as v
from sobremesa.envs.estafado.bots.view import can_eat, distance_on_ring, is_harmful, is_known_rabbit
from sobremesa.envs.estafado.cards import HAND_SIZE, NUM_RABBITS

_NEVER = -1e9
# What a beginner thinks of a move: a rabbit first, then away from the bear, then something new.
_RABBIT, _BEAR, _NEW, _STEP_NEARER = 20.0, 50.0, 5.0, 1.0


@kernel
def play_beginner(view, mask, stream):
    """Return the action of a beginner in either role."""
    stage = view.stage
    if stage in (s.MOVE, s.LEAPING, s.TUNNELLING):
        return _go(view, mask, stream)
    if stage == s.REPLACE:
        return _replace(view, mask)
    if stage in (s.PEEKING, s.LOOK):
        return _look(view, mask, stream)
    if stage in (s.EAGLE, s.DIVING):
        return _fly(view, mask)
    if stage == s.SLIDE:
        return _flee(view, stream)
    if stage == s.EXCHANGE:
        return _exchange(view, mask, stream)
    if stage == s.SWAP_FIRST:
        return s.A_PASS
    if view.stage > s.EXCHANGE:
        return _hunt(view, mask, stream)
    return pick(stream, mask)


@kernel
def _go(view, mask, stream):
    """Go for rabbits, otherwise for unknown cards, out of the bear's reach."""
    target = NUM_CELLS
    for cell in range(NUM_CELLS):
        nearer = target == NUM_CELLS or view.rounds_to[cell] < view.rounds_to[target]
        if is_known_rabbit(view, cell) and nearer:
            target = cell
    best, most, equals = s.A_PASS, 0.0 if mask[s.A_PASS] else _NEVER, 1
    for cell in range(NUM_CELLS):
        for action in (s.A_GO + cell, s.A_TUNNEL + cell):
            if not mask[action]:
                continue
            worth = -_BEAR * (cell == view.bear or can_eat(view, cell))
            reveals = DISTANCE[view.fox, cell] != 1 or view.stage != s.MOVE or action >= s.A_TUNNEL
            if is_known_rabbit(view, cell) and (reveals or view.up[cell]):
                worth += _RABBIT
            elif view.cards[cell] == v.UNKNOWN and reveals:
                worth += _NEW
            elif is_harmful(view.cards[cell]) and reveals:
                worth -= _NEW
            if target != NUM_CELLS:
                worth -= _STEP_NEARER * DISTANCE[cell, target]
            equals = equals + 1 if worth == most else 1
            if worth > most or (worth == most and below(stream, equals) == 0):
                best, most = action, worth
    return best


@kernel
def _replace(view, mask):
    """Replace a harmful card by a helpful one."""
    if is_harmful(view.cards[view.fox]):
        for useful in (True, False):
            for slot in range(HAND_SIZE):
                sort = view.held[slot]
                good = sort not in (v.HARMLESS, v.SWAP) if useful else True
                if mask[s.A_HAND + slot] and not is_harmful(sort) and good:
                    return s.A_HAND + slot
    return s.A_PASS


@kernel
def _look(view, mask, stream):
    """Look at any unknown card."""
    chosen, count = s.A_PASS, 0
    for cell in range(NUM_CELLS):
        if mask[s.A_LOOK + cell] and view.cards[cell] == v.UNKNOWN:
            count += 1
            if below(stream, count) == 0:
                chosen = s.A_LOOK + cell
    return chosen if count > 0 or mask[s.A_PASS] else pick(stream, mask)


@kernel
def _fly(view, mask):
    """Place the vixen if the bear is near; fly towards the crow by one space, or by two to catch it."""
    if mask[s.A_VIXEN + view.fox] and can_eat(view, view.fox):
        return s.A_VIXEN + view.fox
    best, least = s.A_PASS, RING + 0
    for way in range(4):
        left = distance_on_ring((view.gap + s.EAGLE_STEPS[way]) % RING)
        saved = view.stage == s.EAGLE and abs(s.EAGLE_STEPS[way]) == 2 and left > 0
        if mask[s.A_EAGLE + way] and not saved and left < least:
            best, least = s.A_EAGLE + way, left
    return best


@kernel
def _flee(view, stream):
    """Slide away from the eagle."""
    left = distance_on_ring((view.gap - s.SLIDE_STEPS[0]) % RING)
    right = distance_on_ring((view.gap - s.SLIDE_STEPS[1]) % RING)
    if left == right:
        return s.A_SLIDE + below(stream, 2)
    return s.A_SLIDE + (right > left)


@kernel
def _exchange(view, mask, stream):
    """Hide a rabbit from the fox, bring it harmful cards, and swap other cards at random."""
    sort = view.cards[view.chosen]
    if sort >= NUM_RABBITS and not is_harmful(sort):
        return pick(stream, mask)
    best, most = pick(stream, mask), _NEVER
    for cell in range(NUM_CELLS):
        if mask[s.A_SWAP + cell] and not is_known_rabbit(view, cell):
            far = float(DISTANCE[view.fox, cell])
            if is_harmful(sort):
                far = -abs(far - 2)
            if far > most:
                best, most = s.A_SWAP + cell, far
    return best


@kernel
def _hunt(view, mask, stream):
    """Move the bear towards the fox."""
    best, least, equals = s.A_PASS, RING, 1
    for cell in range(NUM_CELLS):
        if mask[s.A_BEAR + cell]:
            far = DISTANCE[cell, view.fox]
            equals = equals + 1 if far == least else 1
            if far < least or (far == least and below(stream, equals) == 0):
                best, least = s.A_BEAR + cell, far
    return best
