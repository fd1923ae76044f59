"""The rules of liar's dice for two players with one die each. Clause numbers refer to README.md."""

import numpy as np

from sobremesa.envs import below, kernel, record, start

SEATS, FACES = 2, 6
BIDS = SEATS * FACES  # bid b: there are 1 + b // FACES dice of face 1 + b % FACES
LIAR = BIDS  # the action that ends the deal
ACTIONS, NO_BID, MAX_PLIES = BIDS + 1, -1, BIDS + 1

STATE = record(
    ("die", np.int8, SEATS),  # 0..5, the face minus 1
    ("bidder", np.int8, BIDS),  # 0: not made; s + 1: made by seat s
    ("bid", np.int8),  # the last bid, NO_BID before the first
)


@kernel
def reset(state, seed):
    """Roll both dice (L1)."""
    start(state, seed)
    for seat in range(SEATS):
        state.die[seat] = below(state, FACES)
    state.bid = NO_BID


@kernel
def legal(state, mask):
    """Allow every higher bid, and "liar" after a bid (L2)."""
    if not state.over:
        mask[state.bid + 1 : BIDS] = 1
        mask[LIAR] = state.bid != NO_BID


@kernel
def play(state, action):
    """Bid, or call the last bidder a liar, which ends the deal (L2)."""
    if action == LIAR:
        state.over = 1
    else:
        state.bid = action
        state.bidder[action] = state.seat + 1
        state.seat = 1 - state.seat


@kernel
def holds(state):
    """Return whether there are as many dice of the face as the last bid claims (L3)."""
    count = 0
    for seat in range(SEATS):
        count += state.die[seat] == state.bid % FACES
    return count > state.bid // FACES


@kernel
def payoff(state, out):
    """Pay 1 to the winner and -1 to the loser (L3)."""
    out[:] = 0
    if state.over:
        winner = 1 - state.seat if holds(state) else state.seat
        out[winner] = 1
        out[1 - winner] = -1


def problems(table):
    """Return every reason why the `(1,)` state `table` is invalid; an empty list for a valid state."""
    state, found = table[0], []
    if not all(0 <= die < FACES for die in state.die):
        found.append(f"dice {state.die}")
    made = np.flatnonzero(state.bidder)
    if state.bid != (made[-1] if len(made) else NO_BID):
        found.append(f"last bid {state.bid} with bids {made}")
    if any(state.bidder[bid] != 1 + turn % SEATS for turn, bid in enumerate(made)):
        found.append(f"bidders {state.bidder[made]} do not alternate")
    if state.over and not len(made):
        found.append("the deal ended before the first bid")
    if state.seat != len(made) % SEATS:
        found.append(f"seat {state.seat} to act after {len(made)} bids")
    return found
