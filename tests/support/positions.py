"""Positions of random deals."""

import itertools

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.testing.check import setups


def positions(game, deals, plies, every=1):
    """Yield positions of random deals, one deal in each of several setups."""
    for seed, setup in zip(range(deals), itertools.cycle(setups(game)), strict=False):
        for number, (states, seat, *_) in enumerate(random_deal(game, seed, setup, plies)):
            if number % every == seed % every and not states["over"][0]:
                yield states.copy(), int(seat)
