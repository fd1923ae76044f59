"""What an observation says is read back from it: how the `decode` of every room is tried."""

from itertools import islice

import numpy as np

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import table_kernels


def check_decode(
    game, setup, seeds, decode, record, expected, *, plies=None, every=1, given=np.ones, equal=np.array_equal
):
    """Try that `decode` fills `record`, as `given`, with what each seat may know in random deals of `setup`.

    `expected(state, seat)` returns that by field, each value `equal` to what is read. Deals are played for so many
    `plies`, or to the end; of these each is taken, or only `every` so many.
    """
    observe = table_kernels(game).observe
    for seed in seeds:
        for ply in islice(random_deal(game, seed, setup, plies), 0, None, every):
            state = ply.states[0]
            for seat in range(int(state["seats"])):
                observation, seen = np.zeros(game.layout.size, np.float32), given(1, record)
                observe(ply.states, seat, observation)
                decode(observation, seen[0])
                wanted = expected(state, seat)
                assert set(wanted) == set(record.names)
                for name, value in wanted.items():
                    assert equal(seen[name][0], value), (name, seed, int(state["ply"]), seat)
