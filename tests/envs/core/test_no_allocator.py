"""The rules run without an allocator, which a GPU lacks: arrays of kernels lie in frames (compile/scratch.py)."""

import numpy as np
import pytest
from allocators import NEEDS_STORE, allocators
from numba import from_dtype, int64, types

from sobremesa import envs
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.steps import step_kernels

pytestmark = NEEDS_STORE


def row(kind):
    return types.Array(kind, 1, "C")


@kernel
def total(count):
    return np.ones(count).sum()


def test_an_allocation_is_found():
    assert allocators(total, int64) == ["NRT_MemInfo_alloc"]


@pytest.mark.parametrize("name", envs.all_games())
def test_the_rules_need_no_allocator(name):
    game = envs.load(name)
    state, mask = from_dtype(game.state), row(types.int8)
    needs = {
        "step": allocators(step_kernels(game).step, state, int64, mask),  # with reset, legal, play and go_on
        "payoff": allocators(shared(game.payoff), state, row(types.float32)),
        "observe": allocators(shared(game.observe), state, int64, row(types.uint8)),
        "redeal": allocators(shared(game.redeal), state, int64, int64),
        "reshuffle": allocators(shared(game.reshuffle), state, int64) if game.reshuffle else [],
    }
    assert not any(needs.values()), needs
