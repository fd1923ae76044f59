"""Results of the search of the pursuit around the ring (estafado_ring.py), and the start that follows (H3)."""

import pytest
from estafado_ring import CAUGHT, MASK, RING, VIEW, away, eagles_ways, forced
from estafado_tables import GAME, choices, space

from sobremesa.envs.core.table import table_kernels

pytestmark = pytest.mark.kernels


def distances(stage, double, dive):
    """Return the distances, either way round, from which a capture can be forced."""
    found = {away(ahead) for ahead in range(1, RING) if (stage, ahead, double, dive) in forced()}
    both = {away(ahead) for ahead in range(1, RING) if (stage, ahead, double, dive) not in forced()}
    assert not found & both  # one way round is as good as the other
    return found


@pytest.mark.parametrize("stage", ["move", "eagle"])
def test_h3_two_spaces_force_a_capture_from_1_and_2(stage):
    assert distances(stage, 1, 0) == {1, 2}


def test_h3_with_a_dive_in_hand_from_1_to_4():
    assert distances("move", 1, 1) == {1, 2, 3, 4}


def test_h3_from_5_on_never():
    assert not {"move", "eagle"} & {place[0] for place in forced() - {CAUGHT} if away(place[1]) >= 5}


def test_h3_one_space_forces_from_1_and_a_dive_from_1_to_3():
    assert distances("move", 0, 0) == {1}
    assert distances("move", 0, 1) == {1, 2, 3}


def test_h3_a_crow_that_flees_keeps_her_distance():
    for ahead in range(5, 16):
        for ends in eagles_ways(ahead, 0, 0):
            assert CAUGHT not in ends


def test_h3_the_default_allows_the_safe_distances_and_no_others():
    starts = GAME.new_tables(1, {})
    table_kernels(GAME).reset(starts, 0, VIEW, MASK)
    allowed = {name.removeprefix("eagle at ") for name in choices(starts)}
    gaps = {min((space(name) - 12) % RING, (12 - space(name)) % RING) for name in allowed}
    assert gaps == {5, 6, 7, 8, 9, 10}
