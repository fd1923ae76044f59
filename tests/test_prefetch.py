"""Asking memory for the next table: it changes nothing, reads nothing that is not there, and is kept on the disk."""

import numpy as np
import pytest
from scale import PLAIN

from sobremesa.envs import load
from sobremesa.envs.core import digest as digests
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.core.prefetch import MANY, asker
from sobremesa.envs.core.table import batch_kernels

pytestmark = pytest.mark.kernels


def asking(size):
    ask_for = asker(size)

    @kernel
    def ask(rows):
        for number in range(-1, rows.shape[0] + 2):
            ask_for(rows, number)

    return ask


@pytest.mark.parametrize("size", [MANY - 1, MANY])
def test_rows_stay_as_they_are_and_rows_beyond_the_last_may_be_asked_for(size):
    states = np.zeros(5, load("bandido_alcatraz").state)
    rows = np.arange(5 * 70, dtype=np.uint8).reshape(5, 70)
    ask = asking(size)
    for given in (states, rows, rows[:0]):
        before = given.copy()
        ask(given)
        assert (given == before).all()


@pytest.mark.skipif(PLAIN, reason="NUMBA_DISABLE_JIT=1: nothing is compiled, so nothing is kept")
def test_kernels_that_ask_have_a_digest_and_it_is_another_one():
    small, large = (digests.digest(asking(size).py_func, lasting=True) for size in (MANY - 1, MANY))
    assert small != large
    assert digests.digest(batch_kernels(load("bandido_alcatraz"), True).step.py_func, lasting=True)
