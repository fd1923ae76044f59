"""The scripted bots run without an allocator, which a GPU lacks."""

import pytest
from allocators import NEEDS_STORE, allocators
from numba import from_dtype, types

from sobremesa import agents, envs
from sobremesa.envs.core.agent import value_estimate_of
from sobremesa.envs.core.chance import STREAM

pytestmark = NEEDS_STORE

VIEW = (types.Array(types.float32, 1, "C"), types.Array(types.int8, 1, "C"))  # observation and mask
BOTS = [(game, name) for game in envs.all_games() for name in agents.scripted_names(envs.load(game))]


@pytest.mark.parametrize(("game", "name"), BOTS)
def test_a_bot_needs_no_allocator(game, name):
    bot = agents.load(name, game)
    estimate = value_estimate_of(bot)
    assert allocators(bot.kernel, *VIEW, from_dtype(STREAM)) == []
    assert estimate is None or allocators(estimate, *VIEW) == []
