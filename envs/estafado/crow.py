"""The crow's player: slide, look and swap, and the bear (C8, C10)."""

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import DISTANCE, LINE, NOWHERE, NUM_CELLS, RING, SIDE
from sobremesa.envs.estafado.effects import stays
from sobremesa.envs.estafado.state import draw_to, exchange, hides, is_rabbit, win


@kernel
def legal_crow(state, mask):
    """Write the legal actions of the crow's player."""
    if state.stage == s.SLIDE:
        mask[s.A_SLIDE : s.A_SLIDE + 2] = 1
    elif state.stage == s.LOOK:
        for place in range(SIDE):
            cell = LINE[state.crow, place]
            mask[s.A_LOOK + cell] = hides(state, cell)
    elif state.stage == s.EXCHANGE:
        _legal_exchanges(state, mask)
    else:
        for cell in range(NUM_CELLS):
            mask[s.A_BEAR + cell] = _bear_may_enter(state, cell)


@kernel
def _legal_exchanges(state, mask):
    """Allow the cards that may be swapped, and the deck (C8.3 to C8.5, H5)."""
    for cell in range(NUM_CELLS):
        mask[s.A_SWAP + cell] = cell != state.chosen and not stays(state, cell)
    buries = state.reading == s.RULEBOOK or not is_rabbit(state.cards[state.chosen])
    mask[s.A_DECK] = state.deck_swaps > 0 and buries


@kernel
def _bear_may_enter(state, cell):
    """Return whether the bear may step on a card: next to it, not where it was last turn, not protected (C10.2)."""
    return DISTANCE[state.bear, cell] == 1 and cell != state.bear_before and cell != state.vixen


@kernel
def slide(state, way):
    """Slide the crow to the next line (C8.1)."""
    state.crow = (state.crow + way) % RING
    note(state, s.E_SLIDES, state.crow, way, 0)
    if state.crow == state.eagle:
        win(state, s.FOX, s.CAUGHT)


@kernel
def begin_look(state):
    """Ask for the card of the line to look at; return whether there is one (C8.2)."""
    for place in range(SIDE):
        if hides(state, LINE[state.crow, place]):
            state.stage = s.LOOK
            return True
    note(state, s.E_NOTHING, 0, 0, 0)
    return False


@kernel
def look(state, cell):
    """Look at a card, which must then be swapped (C8.2)."""
    state.chosen = cell
    state.known[s.CROW, cell] = 1
    note(state, s.E_LOOKS, cell, 0, 0)


@kernel
def swap(state, action):
    """Swap the card looked at, with another one or with the deck (C8.3, C8.5)."""
    if action == s.A_DECK:
        _bury(state, state.chosen)
    else:
        exchange(state, state.chosen, action - s.A_SWAP)
        note(state, s.E_EXCHANGES, state.chosen, action - s.A_SWAP, 0)
    state.chosen = NOWHERE


@kernel
def _bury(state, cell):
    """Swap the card looked at with the top of the deck; it stays before the crow for good (C8.5)."""
    slot = s.DECK_SWAPS - state.deck_swaps
    state.deck_swaps -= 1
    note(state, s.E_BURIES, cell, slot, 0)
    state.pile[slot] = state.cards[cell]
    state.pile_known[slot] = state.known[s.FOX, cell]
    state.pile_no_rabbit[slot] = state.no_rabbit[cell] or state.reading != s.RULEBOOK
    state.pile_swappable[slot] = state.swappable[cell]
    draw_to(state, cell)


@kernel
def begin_bear(state):
    """Ask for the bear's move; return whether it moves (C7.7, C10.2, C10.3)."""
    if state.bear_skip:
        state.bear_skip = 0
        note(state, s.E_BEAR_STAYS, 0, 0, 0)
        return False
    state.stage = s.BEAR
    for cell in range(NUM_CELLS):
        if _bear_may_enter(state, cell):
            return True
    state.bear_before = NOWHERE
    note(state, s.E_BEAR_STUCK, 0, 0, 0)
    return False


@kernel
def move_bear(state, cell):
    """Move the bear; on the fox's card it eats the fox (C10.2, C11.3)."""
    state.bear_before = state.bear
    state.bear = cell
    note(state, s.E_BEAR, cell, 0, 0)
    if cell == state.fox:
        win(state, s.CROW, s.EATEN)
