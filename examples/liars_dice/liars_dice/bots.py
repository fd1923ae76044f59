"""Two scripted bots for liar's dice, from weak to strong."""

import numpy as np

from liars_dice.observe import DIE, MINE, THEIRS
from liars_dice.rules import BIDS, FACES, LIAR
from sobremesa.envs import KernelAgent, below, kernel


@kernel
def last_bid(observation):
    """Return the highest bid so far, or -1."""
    last = -1
    for bid in range(BIDS):
        if observation[MINE + bid] or observation[THEIRS + bid]:
            last = bid
    return last


@kernel
def simple(observation, mask, stream):
    """Bid one die of my face while that is allowed; then call "liar"."""
    mine = np.argmax(observation[DIE : DIE + FACES])
    return mine if mask[mine] else LIAR


@kernel
def strong(observation, mask, stream):
    """Bid the truth, bluff one time in four, and believe a pair only if I have its face."""
    mine, last = np.argmax(observation[DIE : DIE + FACES]), last_bid(observation)
    if last < 0:
        return mine if below(stream, 4) else FACES - 1
    if last < FACES:
        if last == mine:
            return FACES + mine  # the other player seems to hold this face, too
        return mine if mask[mine] else LIAR if below(stream, 4) == 0 else FACES + last
    return LIAR


BOTS = (KernelAgent("simple", simple), KernelAgent("strong", strong))
