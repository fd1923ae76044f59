"""Rules of Kuhn poker. Clause numbers refer to README.md."""

import numpy as np

from sobremesa.envs.core.chance import shuffle, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.record import record

PASS, BET, NONE = 0, 1, 2
NUM_SEATS, NUM_ACTIONS, NUM_CARDS, MAX_PLIES = 2, 2, 3, 3
CHIPS_PER_UNIT = 2

STATE = record(
    ("deck", np.int8, NUM_CARDS),  # deck[s] is the card of seat s, 0 low; deck[2] lies unseen
    ("pot", np.int8, NUM_SEATS),  # chips put in by each seat, 1 or 2
    ("last", np.int8),  # last action; NONE before the first
)


@kernel
def reset(state, seed):
    """Shuffle the cards and take the antes (K1)."""
    start(state, seed)
    for card in range(NUM_CARDS):
        state.deck[card] = card
    shuffle(state, state.deck, NUM_CARDS)
    state.pot[:] = 1
    state.last = NONE


@kernel
def legal(state, mask):
    """Allow passing and betting until the end (K2)."""
    mask[:] = not state.over


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat` (K2)."""
    facing_bet = state.last == BET
    if action == BET:
        state.pot[state.seat] += 1
    state.over = facing_bet or (action == PASS and state.last == PASS)
    state.last = action
    if not state.over:
        state.seat = 1 - state.seat


@kernel
def payoff(state, out):
    """Pay half a unit for each chip won (K3)."""
    out[:] = 0
    if not state.over:
        return
    if state.pot[0] == state.pot[1]:
        winner = 0 if state.deck[0] > state.deck[1] else 1
    else:
        winner = 0 if state.pot[0] > state.pot[1] else 1
    won = min(state.pot[0], state.pot[1]) / CHIPS_PER_UNIT
    out[winner] = won
    out[1 - winner] = -won


@kernel
def shown(state):
    """Return whether the cards are shown (K3)."""
    return state.over == 1 and state.pot[0] == state.pot[1]
