"""Prefetching changes no state, reads no memory beyond the array, and is kept in the kernel cache."""

import numpy as np
import pytest
from scale import PLAIN

from sobremesa.envs import load
from sobremesa.envs.core.compile import digest as digests
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.prefetch import LONG, MANY, prefetcher
from sobremesa.envs.core.table import batch_kernels

pytestmark = pytest.mark.kernels


SMALL, LARGE = np.dtype([("some", "V", MANY - 1)]), np.dtype([("some", "V", MANY // 2), ("others", "V", MANY // 2)])
LOGGED = np.dtype([("some", "V", 100), ("log", "V", LONG), ("others", "V", 70)])


def asking(state):
    ask_for = prefetcher(state)

    @kernel
    def ask(rows):
        for number in range(-1, rows.shape[0] + 2):
            ask_for(rows, number)

    return ask


@pytest.mark.parametrize("name", ["bandido_alcatraz", "erase_una_vez", "estafado"])
def test_prefetching_changes_no_state_even_beyond_the_last(name):
    state = load(name).state
    ask, states = asking(state), np.frombuffer(np.random.default_rng(0).bytes(5 * state.itemsize), state)
    for given in (states.copy(), states[:0].copy()):
        before = given.copy()
        ask(given)
        assert given.tobytes() == before.tobytes()


@pytest.mark.skipif(PLAIN, reason="NUMBA_DISABLE_JIT=1: nothing is asked for")
def test_long_fields_and_small_states_are_not_prefetched():
    def spans(state):
        found = prefetcher(state).py_func.__closure__
        names = prefetcher(state).py_func.__code__.co_freevars
        return {name: cell.cell_contents for name, cell in zip(names, found or (), strict=True)}

    assert not spans(SMALL)
    assert spans(LARGE) == {"low": MANY, "high": MANY, "size": MANY}
    assert spans(LOGGED) == {"low": 100, "high": 100 + LONG, "size": 170 + LONG}


@pytest.mark.skipif(PLAIN, reason="NUMBA_DISABLE_JIT=1: nothing is compiled, so nothing is kept")
def test_kernels_that_ask_have_digests_that_tell_them_apart():
    found = {digests.digest(asking(state).py_func, lasting=True) for state in (SMALL, LARGE, LOGGED)}
    assert len(found) == 3
    assert digests.digest(batch_kernels(load("bandido_alcatraz"), True).step.py_func, lasting=True)
