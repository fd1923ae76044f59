"""Rules of Leduc poker. Clause numbers refer to README.md."""

import numpy as np

from sobremesa.envs.core.chance import below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.record import record

FOLD, CALL, RAISE, NONE = 0, 1, 2, 3
NUM_SEATS, NUM_ACTIONS, NUM_ROUNDS = 2, 3, 2
NUM_RANKS, NUM_SUITS = 3, 2
NUM_CARDS = NUM_RANKS * NUM_SUITS
NO_CARD = NUM_CARDS
MOST_RAISES = 2  # a round
MOST_ACTIONS = MOST_RAISES + 2  # a round: call, raise, raise, call
MAX_PLIES = NUM_ROUNDS * MOST_ACTIONS
ANTE, SMALL, BIG = 1, 2, 4
MOST_CHIPS = ANTE + MOST_RAISES * (SMALL + BIG)  # that a seat puts in

STATE = record(
    ("card", np.int8, NUM_SEATS),  # each seat's card, 0..5; its rank is card // 2, low first
    ("public", np.int8),  # the card that all see; NO_CARD in the first round
    ("pot", np.int8, NUM_SEATS),  # chips put in by each seat, 1..13
    ("betting_round", np.int8),  # 0 or 1
    ("history", np.int8, (NUM_ROUNDS, MOST_ACTIONS)),  # the actions of each round in order; NONE behind them
    ("acted", np.int8),  # actions in this round, 0..4
    ("raises", np.int8),  # raises in this round, 0..2
)


@kernel
def reset(state, seed):
    """Deal a card to each seat and take the antes (L1)."""
    start(state, seed)
    state.card[0] = below(state, NUM_CARDS)
    state.card[1] = below(state, NUM_CARDS - 1)
    if state.card[1] >= state.card[0]:
        state.card[1] += 1
    state.public = NO_CARD
    state.pot[:] = ANTE
    state.history[:] = NONE


@kernel
def legal(state, mask):
    """Allow a call, a fold of a seat that is behind, and a raise while there are some left (L2)."""
    if state.over:
        return
    mask[FOLD] = state.pot[state.seat] < state.pot[1 - state.seat]
    mask[CALL] = 1
    mask[RAISE] = state.raises < MOST_RAISES


@kernel
def play(state, action):
    """Play a legal `action` for `state.seat` (L2)."""
    opens = state.acted == 0
    state.history[state.betting_round, state.acted] = action
    state.acted += 1
    if action == FOLD:
        state.over = 1
        return
    state.pot[state.seat] = state.pot[1 - state.seat]
    if action == RAISE:
        state.pot[state.seat] += SMALL if state.betting_round == 0 else BIG
        state.raises += 1
    elif not opens:
        _end_round(state)
        return
    state.seat = 1 - state.seat


@kernel
def _end_round(state):
    """Turn up the public card and begin the second round, or end the deal (L3)."""
    if state.betting_round + 1 == NUM_ROUNDS:
        state.over = 1
        return
    left = below(state, NUM_CARDS - NUM_SEATS)
    low, high = min(state.card[0], state.card[1]), max(state.card[0], state.card[1])
    left += left >= low
    left += left >= high
    state.public = left
    state.betting_round += 1
    state.acted, state.raises, state.seat = 0, 0, 0


@kernel
def shown(state):
    """Return whether the cards are shown, because no seat has folded (L4)."""
    return state.over == 1 and state.pot[0] == state.pot[1]


@kernel
def strength(state, seat):
    """Return how good the hand of `seat` is: a pair beats any rank, a rank a lower one (L4)."""
    rank = state.card[seat] // NUM_SUITS
    return NUM_RANKS if rank == state.public // NUM_SUITS else rank


@kernel
def payoff(state, out):
    """Pay what was won, in units of the most that can be lost (L4)."""
    out[:] = 0
    if not state.over:
        return
    if shown(state):
        ahead = strength(state, 0) - strength(state, 1)
        if ahead == 0:
            return
        winner = 0 if ahead > 0 else 1
    else:
        winner = 1 - state.seat
    won = state.pot[1 - winner] / MOST_CHIPS
    out[winner] = won
    out[1 - winner] = -won
