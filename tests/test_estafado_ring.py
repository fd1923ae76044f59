"""The pursuit around the ring (H3 of *Estafado*), searched to its end with the rules that are played.

Rounds are driven through real states: the fox's step is one card, or the one that brings a water dive from his hand;
the bear is kept where it is, and the crow's looks and swaps are any. What matters then is how far the eagle is ahead of
the crow, whether it may still move two spaces, and whether the dive is in hand.
"""

from functools import cache

import numpy as np
import pytest
from estafado_tables import CROW, FOX, GAME, asked, choices, held, space, table, won

from sobremesa.envs.core.table import table_kernels

pytestmark = pytest.mark.kernels

RING = 20
CAUGHT = "caught"
_PLAY = table_kernels(GAME).step


def gap(states):
    """Return how many spaces clockwise the eagle is ahead of the crow."""
    return int(states[0].eagle - states[0].crow) % RING


def place(stage, ahead, double, dive):
    """Return a table with the eagle so far `ahead`, where the fox (`move`) or the eagle (`eagle`) is asked."""
    states = _table(stage, bool(dive)).copy()
    states[0].eagle = (space("Sc") + ahead) % RING
    states[0].double = double
    return states


@cache
def _table(stage, dive):
    hand = "Yellow Bullhead Catfish" if dive else ""
    return table({"c1": "Vegetation"}, stage=stage, hand=hand, vixen="e1", bear_skip=1, crow="Sc", eagle="Nc")


def outcome(states, *names):
    """Return a copy of `states` after the named actions, each of which must be legal."""
    states = states.copy()
    for name in names:
        assert name in choices(states)
        _PLAY(states, GAME.words.parse_action(name, "en"), _VIEW, _MASK)
    return states


_VIEW, _MASK = np.zeros(GAME.layout.size, np.float32), np.zeros(GAME.num_actions, np.int8)


def key(states, stage):
    dives = len(held(states, "hand"))
    return CAUGHT if won(states) == (CAUGHT, FOX) else (stage, gap(states), int(states[0].double), dives)


@cache
def foxs_ways(ahead, double, dive):
    """Return where the fox's step can lead: the eagle's turn, with or without the dive, or a capture."""
    states = place("move", ahead, double, dive)
    walked = outcome(states, "go b1")
    assert asked(walked) == "eagle"
    ways = {key(walked, "eagle")}
    if dive:
        diving = outcome(states, "go c1", "hand 1")
        assert asked(diving) == "dive"
        ways |= {key(outcome(diving, name), "eagle") for name in choices(diving)}
    return ways


@cache
def eagles_ways(ahead, double, dive):
    """Return where the eagle's move can lead: for each of its ways a capture, or where each of the crow's leads."""
    states = place("eagle", ahead, double, dive)
    ways = []
    for name in choices(states):
        flown = outcome(states, name)
        if won(flown):
            ways.append({key(flown, "move")})
            continue
        assert choices(flown) == {"crow -1", "crow +1"}
        ways.append({key(end_of_round(outcome(flown, slide)), "move") for slide in ("crow -1", "crow +1")})
    return ways


def end_of_round(states):
    """Let the crow look and swap in any way."""
    while not states[0].over and states[0].seat == CROW:
        states = outcome(states, min(choices(states)))
    return states


@cache
def forced():
    """Return all places from which the fox's player can force a capture, whatever the crow does."""
    won_from, grown = {CAUGHT}, True
    places = [
        (stage, ahead, double, dive)
        for stage in ("move", "eagle")
        for ahead in range(1, RING)
        for double in (0, 1)
        for dive in (0, 1)
    ]
    while grown:
        grown = False
        for stage, *where in places:
            if stage == "move":
                wins = bool(foxs_ways(*where) & won_from)
            else:
                wins = any(ends <= won_from for ends in eagles_ways(*where))
            if wins and (stage, *where) not in won_from:
                won_from.add((stage, *where))
                grown = True
    return won_from


def distances(stage, double, dive):
    """Return from how far, either way round, a capture can be forced."""
    found = {min(ahead, RING - ahead) for ahead in range(1, RING) if (stage, ahead, double, dive) in forced()}
    both = {min(ahead, RING - ahead) for ahead in range(1, RING) if (stage, ahead, double, dive) not in forced()}
    assert not found & both  # one way round is as good as the other
    return found


@pytest.mark.parametrize("stage", ["move", "eagle"])
def test_h3_with_the_two_spaces_alone_a_capture_is_forced_from_1_and_2(stage):
    assert distances(stage, 1, 0) == {1, 2}


def test_h3_with_a_dive_in_hand_from_1_to_4():
    assert distances("move", 1, 1) == {1, 2, 3, 4}


def test_h3_from_5_on_never():
    assert not {"move", "eagle"} & {place[0] for place in forced() - {CAUGHT} if min(place[1], RING - place[1]) >= 5}


def test_h3_without_the_two_spaces_from_1_alone_and_with_the_dive_from_1_to_3():
    assert distances("move", 0, 0) == {1}
    assert distances("move", 0, 1) == {1, 2, 3}


def test_h3_a_crow_that_flees_keeps_her_distance():
    for ahead in range(5, 16):
        for ends in eagles_ways(ahead, 0, 0):
            assert CAUGHT not in ends


def test_h3_the_default_allows_the_safe_distances_and_no_others():
    starts = GAME.new_tables(1, {})
    table_kernels(GAME).reset(starts, 0, _VIEW, _MASK)
    allowed = {name.removeprefix("eagle at ") for name in choices(starts)}
    gaps = {min((space(name) - 12) % RING, (12 - space(name)) % RING) for name in allowed}
    assert gaps == {5, 6, 7, 8, 9, 10}
