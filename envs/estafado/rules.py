"""Rules of *Estafado*. Clause numbers refer to RULES.md.

A fox hunts three rabbits among cards that are face-down. A crow looks at the cards and swaps them, its bear hunts the
fox, and the fox's eagle hunts the crow. `play` has the order of a round; its parts are in fox.py and
crow.py, by player, and effects of cards in effects.py.
"""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado import board as b, cards as c, state as s
from sobremesa.envs.estafado.crow import begin_bear, begin_look, legal_crow, look, move_bear, slide, swap
from sobremesa.envs.estafado.effects import begin_effect, leave_card
from sobremesa.envs.estafado.fox import begin_turn, end_step, fly, legal_fox, place_vixen, play_step, start_eagle
from sobremesa.envs.estafado.state import is_in_step, lay, show_all, win


@kernel
def reset(state, seed):
    """Deal floor, hand and deck, and place the tokens (C2)."""
    start(state, seed)
    state.stage = s.START
    state.fox = b.FOX_START
    state.fox_start = b.FOX_START
    state.bear = b.BEAR_START
    state.bear_before = b.NOWHERE
    state.vixen = b.NOWHERE
    state.eagle = b.NO_SPACE
    state.crow = b.CROW_START
    state.double = 1
    state.deck_swaps = s.DECK_SWAPS
    state.prey[:] = c.NO_CARD
    state.pile[:] = c.NO_CARD
    state.card = c.NO_CARD
    state.chosen = b.NOWHERE
    state.seat = s.FOX
    if state.reading == s.DUSK:
        _deal_dusk(state)
        _begin_round(state)
    else:
        _deal(state)


@kernel
def _deal(state):
    """Mix the three rabbits into 22 of the other cards for the floor; five make the hand, the rest the deck (C2.1)."""
    others, count = scratch(c.NUM_CARDS, np.int8), 0
    for kind in range(c.NUM_RABBITS, c.NUM_KINDS):
        for _ in range(c.COPIES[kind]):
            others[count] = kind
            count += 1
    shuffle(state, others, count)
    floor = scratch(b.NUM_CELLS, np.int8)
    for cell in range(b.NUM_CELLS):
        if cell < c.NUM_RABBITS:
            floor[cell] = cell
        else:
            count -= 1
            floor[cell] = others[count]
    shuffle(state, floor, b.NUM_CELLS)
    for cell in range(b.NUM_CELLS):
        lay(state, cell, floor[cell])
    for slot in range(c.HAND_SIZE):
        count -= 1
        state.hand[slot] = others[count]
    for slot in range(count):
        state.deck[slot] = others[slot]
    state.deck_size = count


@kernel
def _deal_dusk(state):
    """Deal the last two rounds: three cards are face-down, the third rabbit among them (O1)."""
    state.fox, state.bear, state.bear_before, state.vixen = b.DUSK_FOX, b.DUSK_BEAR, b.DUSK_BEAR_BEFORE, b.DUSK_VIXEN
    state.eagle, state.crow, state.sun = b.DUSK_EAGLE, b.DUSK_CROW, b.DUSK_SUN
    state.double, state.deck_swaps = 0, 0
    state.hand[:] = c.NO_CARD
    state.deck[:] = c.NO_CARD
    for kind in range(c.NUM_RABBITS, c.NUM_KINDS):
        state.discards[kind] = c.COPIES[kind]
    for rabbit in c.DUSK_PREY:
        state.prey[state.catches] = rabbit
        state.catches += 1
    pool, left = scratch(c.NUM_DUSK_CARDS, np.int8), c.NUM_DUSK_CARDS
    for card in range(left):
        pool[card] = c.DUSK_CARDS[card]
    hiding = below(state, b.DUSK_HIDDEN.shape[0])
    for place in range(b.DUSK_HIDDEN.shape[0]):
        if place == hiding:
            lay(state, b.DUSK_HIDDEN[place], c.DUSK_RABBIT)
        else:
            lay(state, b.DUSK_HIDDEN[place], _any_of(state, pool, left))
            left -= 1
    state.deck[0], state.deck[1] = min(pool[0], pool[1]), max(pool[0], pool[1])  # a draw from the deck ends the deal
    for slot in range(c.DUSK_DECK_SIZE):
        state.discards[state.deck[slot]] -= 1
    state.deck_size = c.DUSK_DECK_SIZE
    shown = 0
    for cell in range(b.NUM_CELLS):
        if not b.DUSK_HIDES[cell]:
            lay(state, cell, c.DUSK_FLOOR[shown])
            state.up[cell] = 1
            show_all(state, cell)
            state.discards[c.DUSK_FLOOR[shown]] -= 1
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
    if state.seat == s.FOX:
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
    if s.A_VIXEN <= action < s.A_LOOK:  # before a step or a flight, which is asked for again
        place_vixen(state, action - s.A_VIXEN)
    elif asked == s.START:
        start_eagle(state, action - s.A_START)
        _begin_round(state)
    elif is_in_step(asked):
        play_step(state, action)
    elif asked == s.EAGLE:
        fly(state, s.EAGLE_STEPS[action - s.A_EAGLE])
        state.stage = s.SLIDE
        if state.reading == s.DUSK and state.sun == b.RING - 1 and not state.over:
            _move_sun(state)
    elif asked == s.SLIDE:
        slide(state, s.SLIDE_STEPS[action - s.A_SLIDE])
        if not state.over and not begin_look(state):
            _begin_bear(state)
    elif asked == s.LOOK:
        look(state, action - s.A_LOOK)
        state.stage = s.EXCHANGE
    elif asked == s.EXCHANGE:
        swap(state, action)
        _begin_bear(state)
    else:
        move_bear(state, action - s.A_BEAR)
        if not state.over:
            _move_sun(state)


@kernel
def _begin_round(state):
    if not begin_turn(state):
        state.stage = s.EAGLE


@kernel
def _begin_bear(state):
    if not begin_bear(state):
        _move_sun(state)


@kernel
def _move_sun(state):
    """Move the sun; after a whole turn of the ring it sets, else a new round begins (C3.2, C11.4)."""
    state.sun += 1
    note(state, s.E_SUN, state.sun, 0, 0)
    if state.sun == b.RING:
        win(state, s.CROW, s.SUNSET)
    else:
        _begin_round(state)


@kernel
def go_on(state, mask):
    """Make one automatic move: the rest of a card, or the end of the fox's step (C5.2, C5.5, H2)."""
    if state.stage != s.GO_ON:
        state.seat = s.ASKED[state.stage]
        return False
    if state.card == c.NO_CARD:
        if not end_step(state):
            state.stage = s.EAGLE
    elif c.EFFECTS[state.card, state.effect, 0] == c.NO_EFFECT:
        leave_card(state)
    else:
        begin_effect(state)
    return True
