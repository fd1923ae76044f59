"""Symmetries of *Ese Toro enamorado*: deals on a turned board against the same deals unturned."""

import numpy as np
import pytest
from rooms import TORO
from turning import differing, same_to_seats

from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.ese_toro_enamorado.board import NO_MOUNTAIN, NO_NODE, NO_SHORE, PATHS
from sobremesa.envs.ese_toro_enamorado.symmetry import SYMMETRIES, turns

TABLE = table_kernels(TORO)
PLACES = ("tile", "owner", "face_up")


def turned(states, mountains, nodes, shores):
    """Return the `(n,)` states of the same tables with the board turned."""
    found = states.copy()
    for name, goes, none in (("home", mountains, NO_MOUNTAIN), ("bull", nodes, NO_NODE), ("moon", shores, NO_SHORE)):
        found[name] = np.append(goes, none)[states[name]]
    for name in PLACES:
        found[name][..., np.append(nodes, len(nodes) + shores)] = states[name]
    return found


@pytest.mark.parametrize("number", range(len(SYMMETRIES)))
@pytest.mark.parametrize(
    "setup",
    [
        {"seats": [2, 3, 4]},
        {"seats": [2, 4], "round_end": "full_lap", "rosemary": "anywhere", "duplicates": "unlimited"},
        {"seats": 3, "mountains": "fixed", "fence_bounce": "try_again", "shore_tiles": False, "max_rounds": 3},
    ],
)
def test_a_turned_deal_is_played_alike(number, setup):
    turn, symmetry = turns()[number], SYMMETRIES[number]
    setup = {name: (value * 12)[:12] if isinstance(value, list) else value for name, value in setup.items()}
    tables, drawn = VectorEnv(TORO, 12, seed=number, **setup), 0
    observation, mask = np.zeros(TORO.layout.size, np.float32), np.zeros(TORO.num_actions, np.int8)
    for _ in range(150):
        actions, before = tables.sample(), tables.states.copy()
        for row, action in enumerate(actions):
            state, other = before[row : row + 1], turned(before[row : row + 1], *turn)
            begun = state["moon"][0] != NO_SHORE
            same_to_seats(TORO, state, other, symmetry, int(state["seats"][0]))
            TABLE.step(state, int(action), observation, mask)
            TABLE.step(other, int(symmetry.actions[action]), observation, mask)
            wrong = differing(TORO, turned(state, *turn), other)
            if not begun and state["moon"][0] != NO_SHORE:
                drawn += 1
                wrong -= {"moon"}  # where it begins was drawn just now, any shore as likely as another
            assert not wrong
        tables.step(actions)
    assert drawn < 60


@pytest.mark.parametrize("number", range(len(SYMMETRIES)))
def test_each_brings_another_mountain_to_where_the_first_one_is(number):
    first, symmetry = TORO.layout.start("homes"), SYMMETRIES[number]
    assert symmetry.seen[first] == first + number + 1


@pytest.mark.parametrize("number", range(len(SYMMETRIES)))
def test_turns_keep_paths_of_the_standard_board_only(number):
    nodes, alike = turns()[number][1], []
    for paths in PATHS:
        paths = {frozenset(path) for path in paths}
        alike.append({frozenset(nodes[list(path)].tolist()) for path in paths} == paths)
    assert alike == [True, False]
    assert SYMMETRIES[number].setup == {"board": "standard"}
