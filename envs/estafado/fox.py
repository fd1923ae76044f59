"""The fox's player: the step on the floor, revealed cards, and the eagle (C4, C5, C9)."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import BETWEEN, DISTANCE, NOWHERE, NUM_CELLS, RING, STRAIGHT, TOUCHES
from sobremesa.envs.estafado.cards import EFFECTS, HAND_SIZE, KEEPS_UP, NO_CARD, NO_SWAP, PEEK_ADJACENT, TUNNELS
from sobremesa.envs.estafado.effects import activate, leave_card, stays
from sobremesa.envs.estafado.state import exchange, is_rabbit, show_all, win

# The step.


@kernel
def begin_turn(state):
    """Ask for the fox's move; return False if the turn is lost (C4.1, C7.3)."""
    if state.lost:
        state.lost = 0
        note(state, s.E_LOST_TURN, 0, 0, 0)
        return False
    _begin_step(state)
    return True


@kernel
def _begin_step(state):
    state.fox_start = state.fox
    state.caught = 0
    state.stage = s.MOVE


@kernel
def end_step(state):
    """Turn the revealed cards down; return whether a caught rabbit gives another step (C5.5, C5.6)."""
    count = 0
    for cell in range(NUM_CELLS):
        if state.shown[cell]:
            state.shown[cell] = 0
            if not KEEPS_UP[state.cards[cell]]:
                state.up[cell] = 0
                count += 1
    if count:
        note(state, s.E_DOWN, count, 0, 0)
    if not state.caught:
        return False
    note(state, s.E_EXTRA, 0, 0, 0)
    _begin_step(state)
    return True


@kernel
def land(state, cell, reveals):
    """Put the fox on a card, and turn it up if the move `reveals` (C5.1, C5.4)."""
    state.fox = cell
    state.stage = s.GO_ON
    if cell == state.bear:
        win(state, s.CROW, s.EATEN)
    elif state.up[cell]:
        if is_rabbit(state.cards[cell]):
            activate(state, state.cards[cell])
    elif reveals:
        state.up[cell] = 1
        state.shown[cell] = 1
        show_all(state, cell)
        note(state, s.E_REVEALS, cell, state.cards[cell], 0)
        state.stage = s.REPLACE


# What is allowed.


@kernel
def legal_fox(state, mask):
    """Write the legal actions of the fox's player."""
    stage = state.stage
    if stage == s.MOVE:
        _legal_moves(state, mask)
        _legal_vixen(state, mask)
    elif stage == s.EAGLE:
        for way in range(4):
            mask[s.A_EAGLE + way] = state.double or abs(s.EAGLE_STEPS[way]) == 1
        _legal_vixen(state, mask)
    elif stage in (s.SWAP_FIRST, s.SWAP_SECOND):
        _legal_swaps(state, mask)
    elif stage == s.START:
        _legal_starts(state, mask)
    else:  # the other questions may be declined
        mask[s.A_PASS] = 1
        _legal_uses(state, mask)


@kernel
def _legal_starts(state, mask):
    """Allow the eagle to begin anywhere, or out of reach of the crow (C2.5, H3)."""
    for space in range(RING):
        ahead = (space - state.crow) % RING
        distance = min(ahead, RING - ahead)
        mask[s.A_START + space] = distance >= (s.MIN_DISTANCE if state.reading == s.BALANCED else 1)


@kernel
def _legal_vixen(state, mask):
    """Allow the vixen, once, on any card (C10.1, H4)."""
    if state.vixen == NOWHERE:
        mask[s.A_VIXEN : s.A_VIXEN + NUM_CELLS] = 1


@kernel
def _shut(state, cell):
    """Return whether the bear blocks a card for the fox (C4.3)."""
    return state.bear_blocks and cell == state.bear


@kernel
def _legal_moves(state, mask):
    """Allow two cards in any directions, or one; by a tunnel that is open, any neighbour (C4.1 to C4.4)."""
    fox = state.fox
    burrow = state.up[fox] and TUNNELS[state.cards[fox]]
    for cell in range(NUM_CELLS):
        if cell == fox or _shut(state, cell):
            continue
        if DISTANCE[fox, cell] == 1:
            mask[s.A_GO + cell] = 1
        elif DISTANCE[fox, cell] == 2:
            one, other = BETWEEN[fox, cell, 0], BETWEEN[fox, cell, 1]
            mask[s.A_GO + cell] = not _shut(state, one) or (other != NOWHERE and not _shut(state, other))
        if burrow:
            mask[s.A_TUNNEL + cell] = TOUCHES[fox, cell] and cell != state.bear


@kernel
def _legal_uses(state, mask):
    """Allow the uses of a card: replace it, leap, tunnel, peek, dive (C5.3, C7.4 to C7.8)."""
    fox, card = state.fox, state.cards[state.fox]
    if state.stage == s.REPLACE:
        free = not NO_SWAP[card] and fox != state.vixen and not is_rabbit(card)
        for slot in range(HAND_SIZE):
            mask[s.A_HAND + slot] = free and state.hand[slot] != NO_CARD
        return
    effect, amount = EFFECTS[state.card, state.effect, 0], EFFECTS[state.card, state.effect, 1]
    if state.stage == s.DIVING:
        for way in range(4):
            mask[s.A_EAGLE + way] = abs(s.EAGLE_STEPS[way]) <= amount
        return
    for cell in range(NUM_CELLS):
        if state.stage == s.LEAPING:
            mask[s.A_GO + cell] = STRAIGHT[fox, cell] and DISTANCE[fox, cell] == amount and cell != state.bear
        elif state.stage == s.TUNNELLING:
            mask[s.A_TUNNEL + cell] = TOUCHES[fox, cell] and cell != state.bear
        elif not state.up[cell]:
            mask[s.A_LOOK + cell] = effect != PEEK_ADJACENT or DISTANCE[fox, cell] == 1


@kernel
def _legal_swaps(state, mask):
    """Allow any two cards that may be swapped (C7.9); the first choice may be declined."""
    for cell in range(NUM_CELLS):
        mask[s.A_SWAP + cell] = cell != state.chosen and not stays(state, cell)
    mask[s.A_PASS] = state.stage == s.SWAP_FIRST


# What is done.


@kernel
def start_eagle(state, space):
    """Choose the eagle's first space (C2.5)."""
    state.eagle = space
    note(state, s.E_STARTS, space, 0, 0)


@kernel
def place_vixen(state, cell):
    """Place the vixen on a card (C10.1)."""
    state.vixen = cell
    note(state, s.E_VIXEN, cell, 0, 0)


@kernel
def fly(state, way):
    """Move the eagle one space, or two once in a deal (C9.1)."""
    if abs(way) == 2:
        state.double = 0
    _fly(state, way, s.E_EAGLE)


@kernel
def play_step(state, action):
    """Play an action of the fox's step; `stage` stays at GO_ON without a next question (C4, C5, C7)."""
    stage = state.stage
    if stage == s.MOVE:
        _move(state, action)
    elif stage == s.REPLACE:
        _replace(state, action)
    elif action != s.A_PASS:
        _use(state, action)
    elif stage in (s.LEAPING, s.TUNNELLING):
        leave_card(state)
    else:
        _next_effect(state)


@kernel
def _move(state, action):
    """Move one card, which reveals nothing, or two; or tunnel (C4)."""
    if action >= s.A_TUNNEL:
        note(state, s.E_TUNNELS, action - s.A_TUNNEL, 0, 0)
        land(state, action - s.A_TUNNEL, True)
        return
    cell = action - s.A_GO
    far = DISTANCE[state.fox, cell]
    note(state, s.E_MOVES, cell, far, 0)
    land(state, cell, far == 2)


@kernel
def _replace(state, action):
    """Activate the card revealed, or one from the hand in its place (C5.2, C5.3)."""
    cell = state.fox
    if action != s.A_PASS:
        slot, old = action - s.A_HAND, state.cards[cell]
        state.discards[old] += 1
        state.cards[cell] = state.hand[slot]
        state.hand[slot] = NO_CARD
        show_all(state, cell)
        note(state, s.E_REPLACES, cell, state.cards[cell], old)
    activate(state, state.cards[cell])


@kernel
def _next_effect(state):
    state.effect += 1
    state.left = 0
    state.stage = s.GO_ON


@kernel
def _use(state, action):
    """Leap, tunnel, look at a card, swap or dive (C7.4 to C7.9)."""
    if state.stage == s.LEAPING:
        leave_card(state)
        note(state, s.E_LEAPS, action - s.A_GO, 0, 0)
        land(state, action - s.A_GO, True)
    elif state.stage == s.TUNNELLING:
        leave_card(state)
        note(state, s.E_TUNNELS, action - s.A_TUNNEL, 0, 0)
        land(state, action - s.A_TUNNEL, True)
    elif state.stage == s.PEEKING:
        cell = action - s.A_LOOK
        state.known[s.FOX, cell] = 1
        state.left -= 1
        note(state, s.E_PEEKS, cell, 0, 0)
        if state.left == 0:
            _next_effect(state)
    elif state.stage == s.SWAP_FIRST:
        state.chosen = action - s.A_SWAP
        state.stage = s.SWAP_SECOND
    elif state.stage == s.SWAP_SECOND:
        _swap(state, state.chosen, action - s.A_SWAP)
        state.chosen = NOWHERE
        _next_effect(state)
    else:
        _fly(state, s.EAGLE_STEPS[action - s.A_EAGLE], s.E_DIVES)
        _next_effect(state)


@kernel
def _swap(state, one, other):
    """Swap two cards unseen; a card that bars it is shown to both seats instead (C7.9, H8)."""
    if not NO_SWAP[state.cards[one]] and not NO_SWAP[state.cards[other]]:
        exchange(state, one, other)
        note(state, s.E_SWAPS, one, other, 0)
    else:
        note(state, s.E_SWAP_FAILS, one, other, 0)
    _learn_symbol(state, one)
    _learn_symbol(state, other)


@kernel
def _learn_symbol(state, cell):
    """Reveal to both seats whether a card bars swaps, and the card if it does (H8)."""
    state.swappable[cell] = 1
    if NO_SWAP[state.cards[cell]]:
        show_all(state, cell)
        note(state, s.E_SHOWS, cell, state.cards[cell], 0)


@kernel
def _fly(state, way, event):
    """Move the eagle; on the crow's space it catches the crow (C9.1, C11.2)."""
    state.eagle = (state.eagle + way) % RING
    note(state, event, state.eagle, way, 0)
    if state.eagle == state.crow:
        win(state, s.FOX, s.CAUGHT)
