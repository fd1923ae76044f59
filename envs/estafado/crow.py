"""The crow's player: her slide, look and swap, her bear, and the sun (C8, C10, C11)."""

from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado.board import DISTANCE, LINE, NOWHERE, NUM_CELLS, RING, SIDE
from sobremesa.envs.estafado.effects import stays
from sobremesa.envs.estafado.fox import begin_round
from sobremesa.envs.estafado.state import (
    A_BEAR,
    A_DECK,
    A_LOOK,
    A_SLIDE,
    A_SWAP,
    BEAR,
    CAUGHT,
    CROW,
    DECK_SWAPS,
    E_BEAR,
    E_BEAR_STAYS,
    E_BEAR_STUCK,
    E_BURIES,
    E_EXCHANGES,
    E_LOOKS,
    E_NOTHING,
    E_SLIDES,
    E_SUN,
    EATEN,
    EXCHANGE,
    FOX,
    LOOK,
    RULEBOOK,
    SLIDE,
    SLIDE_STEPS,
    SUNSET,
    draw_to,
    exchange,
    hides,
    is_rabbit,
    win,
)


@kernel
def legal_crow(state, mask):
    """Allow what the crow's player may do."""
    if state.stage == SLIDE:
        mask[A_SLIDE : A_SLIDE + 2] = 1
    elif state.stage == LOOK:
        for place in range(SIDE):
            cell = LINE[state.crow, place]
            mask[A_LOOK + cell] = hides(state, cell)
    elif state.stage == EXCHANGE:
        _legal_exchanges(state, mask)
    else:
        for cell in range(NUM_CELLS):
            mask[A_BEAR + cell] = _bear_may_enter(state, cell)


@kernel
def _legal_exchanges(state, mask):
    """Allow any other card that is not seen to stay, of which there are many, and the deck (C8.3 to C8.5, H5)."""
    for cell in range(NUM_CELLS):
        mask[A_SWAP + cell] = cell != state.chosen and not stays(state, cell)
    buries = state.reading == RULEBOOK or not is_rabbit(state.cards[state.chosen])
    mask[A_DECK] = state.deck_swaps > 0 and buries


@kernel
def _bear_may_enter(state, cell):
    """Say whether the bear may step on a card: next to it, not where it was last turn, not protected (C10.2)."""
    return DISTANCE[state.bear, cell] == 1 and cell != state.bear_before and cell != state.vixen


@kernel
def play_crow(state, action):
    """Play an action of the crow's player."""
    if state.stage == SLIDE:
        _slide(state, SLIDE_STEPS[action - A_SLIDE])
    elif state.stage == LOOK:
        state.chosen = action - A_LOOK
        state.known[CROW, state.chosen] = 1
        note(state, E_LOOKS, state.chosen, 0, 0)
        state.stage = EXCHANGE
    elif state.stage == EXCHANGE:
        if action == A_DECK:
            _bury(state, state.chosen)
        else:
            exchange(state, state.chosen, action - A_SWAP)
            note(state, E_EXCHANGES, state.chosen, action - A_SWAP, 0)
        state.chosen = NOWHERE
        _begin_bear(state)
    else:
        state.bear_before = state.bear
        state.bear = action - A_BEAR
        note(state, E_BEAR, state.bear, 0, 0)
        if state.bear == state.fox:
            win(state, CROW, EATEN)
        else:
            _move_sun(state)


@kernel
def _slide(state, way):
    """Slide the crow to the next line, where she looks at a card if one lies hidden (C8.1, C8.2)."""
    state.crow = (state.crow + way) % RING
    note(state, E_SLIDES, state.crow, way, 0)
    if state.crow == state.eagle:
        win(state, FOX, CAUGHT)
        return
    for place in range(SIDE):
        if hides(state, LINE[state.crow, place]):
            state.stage = LOOK
            return
    note(state, E_NOTHING, 0, 0, 0)
    _begin_bear(state)


@kernel
def _bury(state, cell):
    """Swap the card looked at with the top of the deck; it lies before the crow for good (C8.5)."""
    slot = DECK_SWAPS - state.deck_swaps
    state.deck_swaps -= 1
    note(state, E_BURIES, cell, slot, 0)
    state.pile[slot] = state.cards[cell]
    state.pile_known[slot] = state.known[FOX, cell]
    state.pile_no_rabbit[slot] = state.no_rabbit[cell] or state.reading != RULEBOOK
    state.pile_swappable[slot] = state.swappable[cell]
    draw_to(state, cell)


@kernel
def _begin_bear(state):
    """Let the bear move, unless it is kept from it or has nowhere to go (C7.7, C10.2, C10.3)."""
    if state.bear_skip:
        state.bear_skip = 0
        note(state, E_BEAR_STAYS, 0, 0, 0)
        _move_sun(state)
        return
    state.stage = BEAR
    for cell in range(NUM_CELLS):
        if _bear_may_enter(state, cell):
            return
    state.bear_before = NOWHERE
    note(state, E_BEAR_STUCK, 0, 0, 0)
    _move_sun(state)


@kernel
def _move_sun(state):
    """Move the sun; after a whole round of the ring it sets (C3.2, C11.4)."""
    state.sun += 1
    note(state, E_SUN, state.sun, 0, 0)
    if state.sun == RING:
        win(state, CROW, SUNSET)
    else:
        begin_round(state)
