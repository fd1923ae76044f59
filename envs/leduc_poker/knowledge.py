"""Determinizations of Leduc poker."""

import numpy as np

from sobremesa.envs.core.chance import below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.leduc_poker.rules import (
    NUM_CARDS,
    shown,
)


@kernel
def redeal(state, seat, seed):
    """Draw the other's card from those that `seat` has not seen, and begin another stream (L5)."""
    start(state, seed)
    if shown(state):
        return
    unseen = scratch(NUM_CARDS, np.int8)
    count = 0
    for card in range(NUM_CARDS):
        if card != state.card[seat] and card != state.public:
            unseen[count] = card
            count += 1
    state.card[1 - seat] = unseen[below(state, count)]
