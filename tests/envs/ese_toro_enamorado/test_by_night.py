"""Option O2 of *Ese Toro enamorado*, by night: first tiles, knowledge, and a small table's whole tree."""

from collections import Counter

import numpy as np
import pytest
from rooms import TORO
from scale import PLAIN, scaled

from sobremesa import agents
from sobremesa.agents.exact.chances import policy_of
from sobremesa.agents.exact.solve import respond, solve
from sobremesa.agents.exact.tree import enumerate_tree
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.testing.check import _hashed_setups
from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT
from sobremesa.envs.ese_toro_enamorado.state import DAY, NIGHT

pytestmark = pytest.mark.kernels

BY_NIGHT = {"mountains": "by_night"}
HOMES = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}


def dealt(seed, **setup):
    """Return the state of a deal by night at its first decision, and the observation of the seat to act."""
    ply = next(random_deal(TORO, seed, BY_NIGHT | setup))
    return ply.states[0], LAYOUT.split(ply.observation)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("shore_tiles", [True, False])
@pytest.mark.parametrize("board", ["small", "standard"])
def test_o2_by_night_tiles_lie_in_the_way_of_the_next_seat(seats, shore_tiles, board):
    for seed in range(scaled(10)):
        state, _ = dealt(seed, seats=seats, shore_tiles=shore_tiles, board=board)
        assert (state.stage, state.phase, state.round_number) == (NIGHT, b.NEW, 1)
        assert tuple(state.home[:seats]) == HOMES[seats]
        assert not state.hand.any()
        assert not state.face_up.any()
        for seat in range(seats):
            mountain = HOMES[seats][(seat + 1) % seats]
            usual = {b.OUTER + 2 * mountain, b.SHORE + 2 * mountain if shore_tiles else b.INNER + mountain}
            places = set(np.flatnonzero(state.owner == seat).tolist())
            assert len(places) == 2
            assert places <= usual | {b.WATER + 2 * mountain}
            assert all((state.tile[place] == b.LILY) == (place >= b.WATER) for place in places)


def test_o2_by_night_all_tiles_are_as_likely():
    deals, kinds = scaled(2000), Counter()
    for seed in range(deals):
        state, _ = dealt(seed)
        kinds.update(state.tile[state.tile != b.NO_TILE].tolist())
    for kind, count in enumerate(b.TILE_COUNTS.tolist()):
        expected = 4 * deals * count / b.TILE_COUNTS.sum()
        assert abs(kinds[kind] - expected) < 5 * expected**0.5


def test_o2_by_night_a_seat_knows_its_own_tiles_alone():
    for seed in range(scaled(20)):
        state, seen = dealt(seed)
        own = (state.owner == state.seat) & (state.tile != b.LILY)
        assert seen["known_tiles"].sum() == own.sum()
        assert seen["hidden_tiles"].sum() == ((state.tile != b.NO_TILE) & (state.tile != b.LILY)).sum()


def test_o2_by_night_later_rounds_are_as_usual():
    setup = BY_NIGHT | {"max_vueltas": 1, "max_rounds": 2}
    plies = [ply.states[0] for ply in random_deal(TORO, 4, setup)]
    second = next(state for state in plies if state.round_number == 2)
    assert (second.stage, second.phase) == (DAY, b.CRESCENT)
    assert (second.hand.sum(axis=1)[:2] == 2).all()


def test_the_rules_hash_does_not_include_by_night():
    tried = _hashed_setups(TORO)
    assert {"seats": 3, "mountains": "fixed"} in tried
    assert not [setup for setup in tried if setup.get("mountains") == "by_night"]


@pytest.mark.skipif(PLAIN, reason="a tree of many thousand nodes")
def test_a_small_table_by_night_is_solved():
    tree = enumerate_tree(TORO, BY_NIGHT | {"board": "small", "max_vueltas": 1, "max_rounds": 1})
    assert len(tree.arrays.seat) > 10_000
    found = solve(tree, 60).response
    assert found.exploitability < 0.001
    assert abs(found.value) <= found.exploitability  # the seats are alike, as chance says who is first
    strong, simple = (respond(tree, policy_of(agents.load(name, TORO), tree)) for name in ("strong", "random"))
    assert 0 <= strong.exploitability < simple.exploitability
