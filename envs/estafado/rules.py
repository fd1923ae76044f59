"""*Estafado*, the rules. Clause numbers in brackets refer to README.md.

A fox hunts three rabbits among cards that lie face-down, while a crow looks at them and swaps them, her bear hunts the
fox, and his eagle hunts the crow. The fox's player acts in fox.py, the crow's in crow.py; what cards do is effects.py.
"""

import numpy as np

from sobremesa.envs.core.chance import shuffle, start
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.estafado.board import BEAR_START, CROW_START, FOX_START, NO_SPACE, NOWHERE, NUM_CELLS
from sobremesa.envs.estafado.cards import (
    COPIES,
    DECK_SIZE,
    EFFECTS,
    FLOOR_SIZE,
    HAND_SIZE,
    NO_CARD,
    NO_EFFECT,
    NUM_KINDS,
    NUM_RABBITS,
)
from sobremesa.envs.estafado.crow import legal_crow, play_crow
from sobremesa.envs.estafado.effects import begin_effect, leave_card
from sobremesa.envs.estafado.fox import end_step, legal_fox, play_fox
from sobremesa.envs.estafado.state import ASKED, DECK_SWAPS, FOX, GO_ON, START, lay


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
    _deal(state)
    state.seat = FOX


@kernel
def _deal(state):
    """Mix the three rabbits into 22 of the other cards for the floor; five make the hand, the rest the deck (C2.1)."""
    others, count = np.empty(FLOOR_SIZE + HAND_SIZE + DECK_SIZE, np.int8), 0
    for kind in range(NUM_RABBITS, NUM_KINDS):
        for _ in range(COPIES[kind]):
            others[count] = kind
            count += 1
    shuffle(state, others, count)
    floor = np.empty(NUM_CELLS, np.int8)
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
def legal(state, mask):
    """Allow what `state.seat` may do; nothing once the deal is over."""
    if state.over:
        return
    if state.seat == FOX:
        legal_fox(state, mask)
    else:
        legal_crow(state, mask)


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat`."""
    if state.seat == FOX:
        play_fox(state, action)
    else:
        play_crow(state, action)


@kernel
def go_on(state, mask):
    """Do what comes next in the fox's step: the rest of a card, or the end of the step (C5.2, C5.5, H2)."""
    if state.stage != GO_ON:
        state.seat = ASKED[state.stage]
        return False
    if state.card == NO_CARD:
        end_step(state)
    elif EFFECTS[state.card, state.effect, 0] == NO_EFFECT:
        leave_card(state)
    else:
        begin_effect(state)
    return True
