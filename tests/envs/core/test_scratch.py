"""Scratch arrays of kernels."""

import numpy as np
import pytest
from numba import config, types
from numba.core.errors import TypingError

from sobremesa.envs.core import chance
from sobremesa.envs.core.chance import STREAM, below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch

LENGTH = 12


@kernel
def total(times, seed):
    """Sum numbers in a scratch array, and add a number drawn from a scratch stream."""
    sums = 0
    for time in range(times):
        numbers = scratch(LENGTH, np.int8)
        numbers[:] = time
        for place in range(LENGTH):
            numbers[place] += place
        sums += numbers.sum()
    streams = scratch(1, STREAM)
    start(streams[0], seed)
    return 1000 * sums + below(streams[0], 1000)


@kernel
def first_of(count):
    return scratch(count, np.int8)[0]


@kernel
def length_by_module():
    return scratch(chance.WORDS, np.int8).shape[0]


def test_a_length_may_be_a_constant_of_a_module():
    assert length_by_module() == chance.WORDS


def test_arrays_of_numbers_and_records():
    stream = np.zeros(1, STREAM)[0]
    start(stream, 7)
    drawn = below(stream, 1000)
    assert total(3, 7) == 1000 * (3 * 66 + 3 * LENGTH) + drawn


@pytest.mark.skipif(config.DISABLE_JIT, reason="plain Python allocates with NumPy")
def test_they_need_no_allocator():
    part = total.part((types.int64, types.int64))
    assert "NRT_MemInfo_alloc" not in str(part.library.own())


@pytest.mark.skipif(config.DISABLE_JIT, reason="plain Python allocates with NumPy")
def test_a_length_that_is_not_constant_is_refused():
    with pytest.raises(TypingError, match="scratch"):
        first_of(3)
