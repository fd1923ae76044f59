"""Observations read back into facts, to test the `decode` of every game."""

from itertools import islice

import numpy as np

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import table_kernels


def check_decode(
    game, setup, seeds, decode, record, expected, *, plies=None, every=1, given=np.ones, equal=np.array_equal
):
    """Try that observations lie within bounds, and `decode` reads what each seat may know in deals of `setup`.

    It fills `record`, as `given`; `expected(state, seat)` returns that by field, each value `equal` to what is read.
    Deals are random and played for so many `plies`, or to the end; of these each is taken, or only `every` so many.
    """
    observe, (low, high) = table_kernels(game).observe, game.layout.bounds()
    for seed in seeds:
        for ply in islice(random_deal(game, seed, setup, plies), 0, None, every):
            state = ply.states[0]
            for seat in range(int(state["seats"])):
                observation, seen = np.zeros(game.layout.size, np.float32), given(1, record)
                observe(ply.states, seat, observation)
                assert ((low <= observation) & (observation <= high)).all(), (seed, int(state["ply"]), seat)
                decode(observation, seen[0])
                wanted = expected(state, seat)
                assert set(wanted) == set(record.names)
                for name, value in wanted.items():
                    assert equal(seen[name][0], value), (name, seed, int(state["ply"]), seat)
