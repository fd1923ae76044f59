"""Effects of a card once it is activated (C7), in the order of its row in cards.py.

Effects with a choice set the question and wait; fox.py handles the answers.
"""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado import cards as c, state as s
from sobremesa.envs.estafado.board import NUM_CELLS
from sobremesa.envs.estafado.state import draw_to, hides, is_rabbit, win

FACES = 6  # of the evasion die


@kernel
def activate(state, card):
    """Start the effects of a face-up card under the fox (C5.2)."""
    state.card = card
    state.effect = 0
    state.stage = s.GO_ON


@kernel
def leave_card(state):
    """Finish the card under the fox; a card that serves once is replaced from the deck, unseen (C7.12)."""
    card = state.card
    state.card = c.NO_CARD
    state.effect = 0
    state.stage = s.GO_ON
    if c.ONE_SHOT[card]:
        note(state, s.E_LEAVES, state.fox, card, 0)
        state.discards[card] += 1
        draw_to(state, state.fox)


@kernel
def begin_effect(state):
    """Apply the next effect of the card, or ask the question of an effect with a choice (C7)."""
    effect, amount = c.EFFECTS[state.card, state.effect, 0], c.EFFECTS[state.card, state.effect, 1]
    if effect == c.LEAP:
        state.stage = s.LEAPING
    elif effect == c.TUNNEL:
        state.stage = s.TUNNELLING
    elif effect in (c.PEEK_ADJACENT, c.PEEK_ANYWHERE):
        state.stage = s.PEEKING
        state.left = amount
    elif effect == c.SWAP_TWO:
        state.stage = s.SWAP_FIRST
    elif effect == c.YIKES:
        leave_card(state)
        state.fox = state.fox_start
        note(state, s.E_YIKES, state.fox, 0, 0)
    elif effect in (c.RABBIT, c.OUCH, c.LOSE_TURN, c.BEAR_SKIP, c.STEAL, c.HURRICANE_BLOWS):
        _apply(state, effect, amount)
        state.effect += 1
    else:
        state.stage = s.DIVING


@kernel
def _apply(state, effect, amount):
    if effect == c.RABBIT:
        _encounter(state, amount)
    elif effect == c.BEAR_SKIP:
        state.bear_skip = 1
        note(state, s.E_BEAR_SKIPS, 0, 0, 0)
    elif effect == c.STEAL:
        _steal(state)
    elif effect == c.HURRICANE_BLOWS:
        _blow(state)
    else:
        state.lost = 1
        note(state, s.E_OUCH, effect, 0, 0)


@kernel
def _encounter(state, rolls):
    """Roll the evasion die; catch the rabbit unless it gets away (C6)."""
    rabbit, cell = state.card, state.fox
    evaded = 0
    for _ in range(rolls):
        evaded += below(state, FACES) < state.evading_faces
    if rolls > 0:
        note(state, s.E_ROLLS, rabbit, rolls, evaded)
    if evaded > 0 and (state.rolls != s.ANY_HIT or evaded == rolls):
        note(state, s.E_EVADES, rabbit, cell, 0)
        return
    note(state, s.E_CATCHES, rabbit, cell, 0)
    state.prey[state.catches] = rabbit
    state.catches += 1
    state.caught = 1
    draw_to(state, cell)
    if state.catches == c.NUM_RABBITS:
        win(state, s.FOX, s.RABBITS)


@kernel
def _steal(state):
    """Put the last rabbit caught back in the hidden place of a random card (C7.10)."""
    places, count = scratch(NUM_CELLS, np.int8), 0
    for cell in range(NUM_CELLS):
        card = state.cards[cell]
        if hides(state, cell) and card != c.HURRICANE and not is_rabbit(card):
            places[count] = cell
            count += 1
    if state.catches == 0 or count == 0:
        return
    cell = places[below(state, count)]
    for slot in range(state.deck_size, 0, -1):  # under the deck
        state.deck[slot] = state.deck[slot - 1]
    state.deck[0] = state.cards[cell]
    state.deck_size += 1
    state.catches -= 1
    state.cards[cell] = state.prey[state.catches]
    note(state, s.E_STEAL, state.prey[state.catches], 0, 0)
    state.prey[state.catches] = c.NO_CARD
    for other in range(NUM_CELLS):
        if hides(state, other) and state.cards[other] != c.HURRICANE:
            _forget(state, other)


@kernel
def _blow(state):
    """Shuffle the cards that are face-down and unprotected (C7.11)."""
    places, cards, count = scratch(NUM_CELLS, np.int8), scratch(NUM_CELLS, np.int8), 0
    for cell in range(NUM_CELLS):
        if hides(state, cell):
            places[count] = cell
            cards[count] = state.cards[cell]
            count += 1
    shuffle(state, cards, count)
    for place in range(count):
        state.cards[places[place]] = cards[place]
        _forget(state, places[place])
    note(state, s.E_HURRICANE, count, 0, 0)


@kernel
def _forget(state, cell):
    state.known[:, cell] = 0
    state.no_rabbit[cell] = 0
    state.swappable[cell] = 0


@kernel
def stays(state, cell):
    """Return whether a card visibly cannot be swapped: protected, or a face-up rabbit or marked card."""
    card = state.cards[cell]
    return cell == state.vixen or (state.up[cell] and (is_rabbit(card) or c.NO_SWAP[card]))
