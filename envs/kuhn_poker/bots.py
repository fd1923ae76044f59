"""Two scripted bots for Kuhn poker: `simple` never bluffs, `strong` plays Kuhn's equilibrium with alpha = 1/3."""

import numpy as np

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.kuhn_poker.observe import CARD, FIRST, LAST
from sobremesa.envs.kuhn_poker.rules import BET, NUM_CARDS, PASS

# How often, in thirds, `strong` bets with J, Q and K: seat 0 first, then when it faces a bet; and so seat 1.
_THIRDS = np.array([[[1, 0, 3], [0, 2, 3]], [[1, 0, 3], [0, 1, 3]]])


@kernel
def _card(observation):
    for card in range(NUM_CARDS):
        if observation[CARD + card]:
            return card
    return 0


@kernel
def simple(observation, mask, stream):
    """Bet with the highest card; call with all but the lowest."""
    facing_bet = observation[LAST + BET] > 0
    return BET if _card(observation) + facing_bet >= NUM_CARDS - 1 else PASS


@kernel
def strong(observation, mask, stream):
    """Bet as often as the equilibrium does."""
    seat = 0 if observation[FIRST] else 1
    facing_bet = 1 if observation[LAST + BET] else 0
    return BET if below(stream, 3) < _THIRDS[seat, facing_bet, _card(observation)] else PASS


BOTS = (KernelAgent("simple", simple), KernelAgent("strong", strong))
