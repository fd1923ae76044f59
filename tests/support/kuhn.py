"""Kuhn poker under another name, and changed versions of it for tests."""

import dataclasses

from sobremesa import envs
from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.kuhn_poker.knowledge import redeal
from sobremesa.envs.kuhn_poker.observe import CARD, LAYOUT, observe
from sobremesa.envs.kuhn_poker.rules import (
    BET,
    CHIPS_PER_UNIT,
    NONE,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_SEATS,
    PASS,
    legal,
    payoff,
    play,
    reset,
)

__all__ = [
    "ALWAYS", "BET", "CHIPS_PER_UNIT", "GAME", "HIGH", "LAYOUT", "NONE", "NUM_ACTIONS", "NUM_CARDS", "NUM_SEATS",
    "PASS", "ROLES", "WITH_ROLES", "legal", "observe", "payoff", "play", "redeal", "reset",
]  # fmt: skip

GAME = dataclasses.replace(envs.load("kuhn_poker"), name="kuhn")
ROLES = {"en": ("Opener", "Answerer"), "es": ("Mano", "Postre")}
WITH_ROLES = dataclasses.replace(GAME, roles=ROLES)


@kernel
def bet_always(observation, mask, stream):
    return BET


@kernel
def bet_high(observation, mask, stream):
    return BET if observation[CARD + NUM_CARDS - 1] else PASS


ALWAYS, HIGH = KernelAgent("always", bet_always), KernelAgent("high", bet_high)
