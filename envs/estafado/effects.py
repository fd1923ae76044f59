"""Effects of a card once it is activated (C7), in the order of its row in cards.py.

Effects with a choice set the question and wait; fox.py handles the answers.
"""

import numpy as np

from sobremesa.envs.core.chance import below, shuffle
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import note
from sobremesa.envs.estafado.board import NUM_CELLS
from sobremesa.envs.estafado.cards import (
    BEAR_SKIP,
    EFFECTS,
    HURRICANE,
    HURRICANE_BLOWS,
    LEAP,
    LOSE_TURN,
    NO_CARD,
    NO_SWAP,
    NUM_RABBITS,
    ONE_SHOT,
    OUCH,
    PEEK_ADJACENT,
    PEEK_ANYWHERE,
    RABBIT,
    STEAL,
    SWAP_TWO,
    TUNNEL,
    YIKES,
)
from sobremesa.envs.estafado.state import (
    ANY_HIT,
    DIVING,
    E_BEAR_SKIPS,
    E_CATCHES,
    E_EVADES,
    E_HURRICANE,
    E_LEAVES,
    E_OUCH,
    E_ROLLS,
    E_STEAL,
    E_YIKES,
    FOX,
    GO_ON,
    LEAPING,
    PEEKING,
    RABBITS,
    SWAP_FIRST,
    TUNNELLING,
    draw_to,
    hides,
    is_rabbit,
    win,
)

FACES = 6  # of the evasion die


@kernel
def activate(state, card):
    """Start the effects of a face-up card under the fox (C5.2)."""
    state.card = card
    state.effect = 0
    state.stage = GO_ON


@kernel
def leave_card(state):
    """Finish the card under the fox; a card that serves once is replaced from the deck, unseen (C7.12)."""
    card = state.card
    state.card = NO_CARD
    state.effect = 0
    state.stage = GO_ON
    if ONE_SHOT[card]:
        note(state, E_LEAVES, state.fox, card, 0)
        state.discards[card] += 1
        draw_to(state, state.fox)


@kernel
def begin_effect(state):
    """Apply the next effect of the card, or ask the question of an effect with a choice (C7)."""
    effect, amount = EFFECTS[state.card, state.effect, 0], EFFECTS[state.card, state.effect, 1]
    if effect == LEAP:
        state.stage = LEAPING
    elif effect == TUNNEL:
        state.stage = TUNNELLING
    elif effect in (PEEK_ADJACENT, PEEK_ANYWHERE):
        state.stage = PEEKING
        state.left = amount
    elif effect == SWAP_TWO:
        state.stage = SWAP_FIRST
    elif effect == YIKES:
        leave_card(state)
        state.fox = state.fox_start
        note(state, E_YIKES, state.fox, 0, 0)
    elif effect in (RABBIT, OUCH, LOSE_TURN, BEAR_SKIP, STEAL, HURRICANE_BLOWS):
        _happen(state, effect, amount)
        state.effect += 1
    else:
        state.stage = DIVING


@kernel
def _happen(state, effect, amount):
    if effect == RABBIT:
        _encounter(state, amount)
    elif effect == BEAR_SKIP:
        state.bear_skip = 1
        note(state, E_BEAR_SKIPS, 0, 0, 0)
    elif effect == STEAL:
        _steal(state)
    elif effect == HURRICANE_BLOWS:
        _blow(state)
    else:
        state.lost = 1
        note(state, E_OUCH, effect, 0, 0)


@kernel
def _encounter(state, rolls):
    """Roll the evasion die; catch the rabbit unless it gets away (C6)."""
    rabbit, cell = state.card, state.fox
    evaded = 0
    for _ in range(rolls):
        evaded += below(state, FACES) < state.evading_faces
    if rolls > 0:
        note(state, E_ROLLS, rabbit, rolls, evaded)
    if evaded > 0 and (state.rolls != ANY_HIT or evaded == rolls):
        note(state, E_EVADES, rabbit, cell, 0)
        return
    note(state, E_CATCHES, rabbit, cell, 0)
    state.prey[state.catches] = rabbit
    state.catches += 1
    state.caught = 1
    draw_to(state, cell)
    if state.catches == NUM_RABBITS:
        win(state, FOX, RABBITS)


@kernel
def _steal(state):
    """Put the last rabbit caught back in the hidden place of a random card (C7.10)."""
    places, count = scratch(NUM_CELLS, np.int8), 0
    for cell in range(NUM_CELLS):
        card = state.cards[cell]
        if hides(state, cell) and card != HURRICANE and not is_rabbit(card):
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
    note(state, E_STEAL, state.prey[state.catches], 0, 0)
    state.prey[state.catches] = NO_CARD
    for other in range(NUM_CELLS):
        if hides(state, other) and state.cards[other] != HURRICANE:
            _forget(state, other)


@kernel
def _blow(state):
    """Shuffle the cards that lie face-down and unprotected (C7.11)."""
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
    note(state, E_HURRICANE, count, 0, 0)


@kernel
def _forget(state, cell):
    state.known[:, cell] = 0
    state.no_rabbit[cell] = 0
    state.swappable[cell] = 0


@kernel
def stays(state, cell):
    """Return whether a card visibly cannot be swapped: protected, or a face-up rabbit or marked card."""
    card = state.cards[cell]
    return cell == state.vixen or (state.up[cell] and (is_rabbit(card) or NO_SWAP[card]))
