"""Endings of *Érase una vez*: few random tales meet one, and some tale meets each."""

import numpy as np
import pytest

from sobremesa.envs.core.chance import below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.erase_una_vez import tables as t
from sobremesa.envs.erase_una_vez.state import LENIENT, STATE, STRICT
from sobremesa.envs.erase_una_vez.tale import UNTIED, accepts, add_thing, has, tie_of

TALES = 4000
LENGTH = 16  # about as many new things as deals between people have


@kernel
def tell_at_random(states, seed, met):
    """Tell a tale of things that tie to it, those on cards twice as often, and count the endings it would take."""
    state = states[0]
    start(state, seed)
    for _ in range(LENGTH):
        chosen, count = t.NO_THING, 0
        for thing in range(t.NUM_THINGS):
            if not state.told[thing] and has(state, t.NEEDS[thing]) and tie_of(state, thing) > UNTIED:
                for _ in range(2 if thing < t.NUM_ELEMENTS else 1):
                    count += 1
                    if below(state, count) == 0:
                        chosen = thing
        state.sentences += 1
        add_thing(state, chosen, chosen < t.NUM_ELEMENTS)
    for ending in range(t.NUM_ENDINGS):
        met[ending] += accepts(state, ending)


def shares(strictness):
    """Return the share of random tales that each ending would be taken for."""
    met = np.zeros(t.NUM_ENDINGS)
    for seed in range(TALES):
        states = np.zeros(1, STATE)
        states["context"], states["strictness"] = t.NO_THING, strictness
        tell_at_random(states, seed, met)
    return {ending.id: share for ending, share in zip(t.ENDINGS, met / TALES, strict=True)}


@pytest.fixture(scope="module")
def found():
    return {strictness: shares(strictness) for strictness in (LENIENT, STRICT)}


def test_no_ending_fits_most_tales(found):
    often = {ending: share for ending, share in found[LENIENT].items() if share > 0.40}
    assert not often


def test_each_ending_fits_some_tale(found):
    assert min(found[LENIENT].values()) > 0.02


def test_stricter_judges_take_fewer(found):
    for ending in t.ENDINGS:
        assert found[LENIENT][ending.id] >= found[STRICT][ending.id]
    assert sum(found[LENIENT].values()) > sum(found[STRICT].values())
