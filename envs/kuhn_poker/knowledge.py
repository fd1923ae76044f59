"""Determinizations of Kuhn poker."""

import numpy as np

from sobremesa.envs.core.chance import below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.kuhn_poker.rules import NUM_CARDS, shown


@kernel
def redeal(state, seat, seed):
    """Resample the other's card from the two unseen cards, and start a new stream (K4)."""
    start(state, seed)
    if shown(state):
        return
    unseen = scratch(2, np.int8)
    count = 0
    for card in range(NUM_CARDS):
        if card != state.deck[seat]:
            unseen[count] = card
            count += 1
    first = below(state, 2)
    state.deck[1 - seat] = unseen[first]
    state.deck[2] = unseen[1 - first]
