"""The rules run without an allocator, which a GPU lacks: arrays of kernels lie in frames (compile/scratch.py)."""

import numpy as np
import pytest
from numba import config, from_dtype, int64, types

from sobremesa import envs
from sobremesa.envs.core.compile import cache
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.private import PROBLEM
from sobremesa.envs.core.steps import step_kernels

UNSTORED = bool(config.DISABLE_JIT or PROBLEM) or cache.cache_folder() is None
pytestmark = pytest.mark.skipif(UNSTORED, reason="reads machine code in the kernel cache")

ALLOCATORS = (b"NRT_MemInfo_alloc", b"NRT_MemInfo_new", b"NRT_MemInfo_varsize", b"NRT_Allocate", b"NRT_Reallocate")


def allocators(function, *kinds):
    """Return the allocators that the stored machine code of a kernel or of its callees names."""
    library = function.whole(kinds).library
    files = {one.library: path for path, one in cache._AT_HAND.items()}
    code = b"".join(files[one].read_bytes() for one in (library, *library.needs))
    return [name.decode() for name in ALLOCATORS if name in code]


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
