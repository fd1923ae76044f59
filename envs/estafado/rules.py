"""Rules of *Estafado*. Clause numbers refer to RULES.md.

A fox hunts three rabbits among cards that lie face-down. A crow looks at the cards and swaps them, its bear hunts the
fox, and the fox's eagle hunts the crow. `play` has the order of a round; its parts are in fox.py and
crow.py, by player, and effects of cards in effects.py.
"""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado.board import (
    BEAR_START,
    CROW_START,
    DUSK_BEAR,
    DUSK_BEAR_BEFORE,
    DUSK_CROW,
    DUSK_EAGLE,
    DUSK_FOX,
    DUSK_HIDDEN,
    DUSK_HIDES,
    DUSK_SUN,
    DUSK_VIXEN,
    FOX_START,
    NO_SPACE,
    NOWHERE,
    NUM_CELLS,
    RING,
)
from sobremesa.envs.estafado.cards import (
    COPIES,
    DUSK_CARDS,
    DUSK_DECK_SIZE,
    DUSK_FLOOR,
    DUSK_PREY,
    DUSK_RABBIT,
    EFFECTS,
    HAND_SIZE,
    NO_CARD,
    NO_EFFECT,
    NUM_CARDS,
    NUM_DUSK_CARDS,
    NUM_KINDS,
    NUM_RABBITS,
)
from sobremesa.envs.estafado.crow import begin_bear, begin_look, legal_crow, look, move_bear, slide, swap
from sobremesa.envs.estafado.effects import begin_effect, leave_card
from sobremesa.envs.estafado.fox import begin_turn, end_step, fly, legal_fox, place_vixen, play_step, start_eagle
from sobremesa.envs.estafado.state import (
    A_BEAR,
    A_EAGLE,
    A_LOOK,
    A_SLIDE,
    A_START,
    A_VIXEN,
    ASKED,
    CROW,
    DECK_SWAPS,
    DUSK,
    E_SUN,
    EAGLE,
    EAGLE_STEPS,
    EXCHANGE,
    FOX,
    GO_ON,
    LOOK,
    SLIDE,
    SLIDE_STEPS,
    START,
    SUNSET,
    is_in_step,
    lay,
    show_all,
    win,
)


@kernel
def reset(state, seed):
    """Deal floor, hand and deck, and place the tokens (C2)."""
    start(state, seed)
    state.stage = START
    state.fox = FOX_START
    state.fox_start = FOX_START
    state.bear = BEAR_START
    state.bear_before = NOWHERE
    state.vixen = NOWHERE
    state.eagle = NO_SPACE
    state.crow = CROW_START
    state.double = 1
    state.deck_swaps = DECK_SWAPS
    state.prey[:] = NO_CARD
    state.pile[:] = NO_CARD
    state.card = NO_CARD
    state.chosen = NOWHERE
    state.seat = FOX
    if state.reading == DUSK:
        _deal_dusk(state)
        _begin_round(state)
    else:
        _deal(state)


@kernel
def _deal(state):
    """Mix the three rabbits into 22 of the other cards for the floor; five make the hand, the rest the deck (C2.1)."""
    others, count = scratch(NUM_CARDS, np.int8), 0
    for kind in range(NUM_RABBITS, NUM_KINDS):
        for _ in range(COPIES[kind]):
            others[count] = kind
            count += 1
    shuffle(state, others, count)
    floor = scratch(NUM_CELLS, np.int8)
    for cell in range(NUM_CELLS):
        if cell < NUM_RABBITS:
            floor[cell] = cell
        else:
            count -= 1
            floor[cell] = others[count]
    shuffle(state, floor, NUM_CELLS)
    for cell in range(NUM_CELLS):
        lay(state, cell, floor[cell])
    for slot in range(HAND_SIZE):
        count -= 1
        state.hand[slot] = others[count]
    for slot in range(count):
        state.deck[slot] = others[slot]
    state.deck_size = count


@kernel
def _deal_dusk(state):
    """Deal the last two rounds: three cards lie face-down, the third rabbit among them (O1)."""
    state.fox, state.bear, state.bear_before, state.vixen = DUSK_FOX, DUSK_BEAR, DUSK_BEAR_BEFORE, DUSK_VIXEN
    state.eagle, state.crow, state.sun = DUSK_EAGLE, DUSK_CROW, DUSK_SUN
    state.double, state.deck_swaps = 0, 0
    state.hand[:] = NO_CARD
    state.deck[:] = NO_CARD
    for kind in range(NUM_RABBITS, NUM_KINDS):
        state.discards[kind] = COPIES[kind]
    for rabbit in DUSK_PREY:
        state.prey[state.catches] = rabbit
        state.catches += 1
    pool, left = scratch(NUM_DUSK_CARDS, np.int8), NUM_DUSK_CARDS
    for card in range(left):
        pool[card] = DUSK_CARDS[card]
    hiding = below(state, DUSK_HIDDEN.shape[0])
    for place in range(DUSK_HIDDEN.shape[0]):
        if place == hiding:
            lay(state, DUSK_HIDDEN[place], DUSK_RABBIT)
        else:
            lay(state, DUSK_HIDDEN[place], _any_of(state, pool, left))
            left -= 1
    state.deck[0], state.deck[1] = min(pool[0], pool[1]), max(pool[0], pool[1])  # a draw from the deck ends the deal
    for slot in range(DUSK_DECK_SIZE):
        state.discards[state.deck[slot]] -= 1
    state.deck_size = DUSK_DECK_SIZE
    shown = 0
    for cell in range(NUM_CELLS):
        if not DUSK_HIDES[cell]:
            lay(state, cell, DUSK_FLOOR[shown])
            state.up[cell] = 1
            show_all(state, cell)
            state.discards[DUSK_FLOOR[shown]] -= 1
            shown += 1


@kernel
def _any_of(state, pool, left):
    """Take a random one of the first `left` cards of `pool` out of the discards."""
    drawn = below(state, left)
    card = pool[drawn]
    pool[drawn] = pool[left - 1]
    state.discards[card] -= 1
    return card


@kernel
def legal(state, mask):
    """Write the legal actions of `state.seat`; none once the deal is over."""
    if state.over:
        return
    if state.seat == FOX:
        legal_fox(state, mask)
    else:
        legal_crow(state, mask)


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`, and set the next question of the round (C3.1).

    A round is the fox's step, the eagle's flight, the crow's slide with a look and a swap, the bear's move and the
    sun's. Automatic moves within the step are left to `go_on`.
    """
    asked = state.stage
    if A_VIXEN <= action < A_LOOK:  # before a step or a flight, which is asked for again
        place_vixen(state, action - A_VIXEN)
    elif asked == START:
        start_eagle(state, action - A_START)
        _begin_round(state)
    elif is_in_step(asked):
        play_step(state, action)
    elif asked == EAGLE:
        fly(state, EAGLE_STEPS[action - A_EAGLE])
        state.stage = SLIDE
        if state.reading == DUSK and state.sun == RING - 1 and not state.over:
            _move_sun(state)
    elif asked == SLIDE:
        slide(state, SLIDE_STEPS[action - A_SLIDE])
        if not state.over and not begin_look(state):
            _begin_bear(state)
    elif asked == LOOK:
        look(state, action - A_LOOK)
        state.stage = EXCHANGE
    elif asked == EXCHANGE:
        swap(state, action)
        _begin_bear(state)
    else:
        move_bear(state, action - A_BEAR)
        if not state.over:
            _move_sun(state)


@kernel
def _begin_round(state):
    if not begin_turn(state):
        state.stage = EAGLE


@kernel
def _begin_bear(state):
    if not begin_bear(state):
        _move_sun(state)


@kernel
def _move_sun(state):
    """Move the sun; after a whole turn of the ring it sets, else a new round begins (C3.2, C11.4)."""
    state.sun += 1
    note(state, E_SUN, state.sun, 0, 0)
    if state.sun == RING:
        win(state, CROW, SUNSET)
    else:
        _begin_round(state)


@kernel
def go_on(state, mask):
    """Make one automatic move: the rest of a card, or the end of the fox's step (C5.2, C5.5, H2)."""
    if state.stage != GO_ON:
        state.seat = ASKED[state.stage]
        return False
    if state.card == NO_CARD:
        if not end_step(state):
            state.stage = EAGLE
    elif EFFECTS[state.card, state.effect, 0] == NO_EFFECT:
        leave_card(state)
    else:
        begin_effect(state)
    return True
