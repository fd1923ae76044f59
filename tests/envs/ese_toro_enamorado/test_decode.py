"""Decoding observations of *Ese Toro enamorado* (C9.1)."""

import numpy as np
import pytest
from readings import check_decode

import sobremesa
from sobremesa.envs.ese_toro_enamorado.board import LAND_KINDS, NO_SHORE, NUM_NODES, TILE_COUNTS, WATER
from sobremesa.envs.ese_toro_enamorado.observe import SEEN, decode

GAME = sobremesa.load("ese_toro_enamorado")
SETUPS = (
    {"seats": 2, "board": "small", "mountains": "fixed", "rosemary": "anywhere", "max_rounds": 3},
    {"seats": 3, "round_end": "full_lap", "fence_bounce": "try_again", "max_vueltas": 7, "max_rounds": 5},
    {"seats": 4, "round_end": "moon_waits", "shore_tiles": False, "rosemary_chain": False, "duplicates": "unlimited"},
)


def sets_of(nodes):
    """Return a set of nodes as bits."""
    return sum(1 << int(node) for node in nodes)


def expected(state, seat):
    """Return the knowledge of `seat` by field, straight from the rules."""
    seats = int(state["seats"])
    turned = [(seat + other) % seats for other in range(seats)]
    tile, owner = state["tile"], state["owner"]
    on_land = [node for node in range(NUM_NODES) if tile[node] < 4]
    known = [node for node in on_land if state["face_up"][node] or owner[node] == seat]
    lilies = [shore for shore in range(8) if tile[WATER + shore] == 3]
    located = state["gone"] + state["hand"][seat] + np.bincount(tile[known], minlength=4)
    located[3] += len(lilies)
    markers = np.concatenate([state["markers"][turned], np.zeros((4 - seats, 4), np.int8)])
    return {
        **{option.name: int(state[option.name]) for option in GAME.options if option.name != "seats"},
        **{name: int(state[name]) for name in ("seats", "stage", "round_number", "phase", "vuelta", "moon")},
        "turn": turned.index(int(state["seat"])),
        "first": turned.index(int(state["first"])),
        "lily": lilies[0] if lilies else NO_SHORE,
        "home": [*state["home"][turned], *[4] * (4 - seats)],
        "bull": [*state["bull"][turned], *[NUM_NODES] * (4 - seats)],
        "known": [sets_of(node for node in known if tile[node] == kind) for kind in LAND_KINDS],
        "hidden": sets_of(node for node in on_land if not state["face_up"][node]),
        "laid": [sets_of(node for node in on_land if owner[node] == other) for other in turned] + [0] * (4 - seats),
        "hand": state["hand"][seat],
        "hand_sizes": [*state["hand"].sum(axis=1)[turned], *[0] * (4 - seats)],
        "unseen": TILE_COUNTS - located,
        "scored": [*state["scored"][turned], *[0] * (4 - seats)],
        "markers": np.minimum(markers, 1),
        "spares": np.maximum(markers - 1, 0),
    }


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: str(setup["seats"]))
def test_c9_1_an_observation_says_all_that_a_seat_may_know(setup):
    check_decode(GAME, setup, range(2), decode, SEEN, expected, plies=400)
