"""Pointing in the picture of *Ese Toro enamorado* at tiles in hand, places and the bull; rows for narrow screens."""

from collections.abc import Sequence

import numpy as np

from sobremesa.envs.core.game import Box, Point
from sobremesa.envs.ese_toro_enamorado.board import (
    LAND_KINDS,
    LILY,
    MOUNTAIN,
    NUM_CROSSINGS,
    NUM_MOUNTAINS,
    NUM_NODES,
    NUM_SHORES,
    OUTER,
    PLACE_NAMES,
    TILE_NAMES,
    WATER,
)
from sobremesa.envs.ese_toro_enamorado.drawing.panels import KEY_BOX, hand_kinds, hand_spot, panel_box
from sobremesa.envs.ese_toro_enamorado.drawing.scene import MEADOW_BOX, bull_spot, spots_of
from sobremesa.envs.ese_toro_enamorado.state import A_CHOOSE, A_GO, A_LAY, A_LILY, A_STAY
from sobremesa.envs.ese_toro_enamorado.text.words import MOVES

_PLACE, _PEAK, _BULL, _TILE = 25.0, 42.0, 21.0, 15.0  # half widths of the targets
_NOTHING = (-300.0, 0.0, 300.0, 148.0)  # beside the picture


def points(states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return the tiles in hand, the places where they or the bull may go, and the bull itself for staying."""
    state = states[0]
    seat = int(state.seat)
    found = [
        _around(TILE_NAMES[language][kind], _laying(kind), hand_spot(seat, slot), _TILE, 5)
        for slot, kind in enumerate(hand_kinds(state, seat))
    ]
    for place, spot in spots_of(int(state.board)).items():
        half = _PEAK if place < OUTER else _PLACE
        found.append(_around(PLACE_NAMES[place], _about(place), spot, half, half))
    if A_STAY in legal:
        found.append(_around(MOVES[language]["stay"], [A_STAY], bull_spot(state, seat), _BULL, _BULL))
    return found


def _around(words: str, actions: Sequence[int], spot: tuple[float, float], half: float, corner: float) -> Point:
    return Point(words, actions, (spot[0] - half, spot[1] - half, 2 * half, 2 * half), corner)


def _laying(kind: int) -> Sequence[int]:
    """Return the actions that lay a tile of this kind."""
    if kind == LILY:
        return range(A_LILY, A_LILY + NUM_SHORES)
    return range(A_LAY + kind * NUM_CROSSINGS, A_LAY + (kind + 1) * NUM_CROSSINGS)


def _about(place: int) -> list[int]:
    """Return the actions about a place: to choose it, to lay a tile there, to go there."""
    if place >= WATER:
        return [A_LILY + place - WATER]
    about = [A_CHOOSE + place - MOUNTAIN] if place - MOUNTAIN < NUM_MOUNTAINS else []
    if OUTER <= place < NUM_NODES:
        about += [A_LAY + kind * NUM_CROSSINGS + place - OUTER for kind in LAND_KINDS]
    return [*about, A_GO + place]


def rows(states: np.ndarray, seat: int | None) -> list[list[Box]]:
    """Return the meadow, then in pairs the seats, the viewer's first, and the tiles of the round."""
    seats = int(states["seats"][0])
    boxes = [panel_box((one + max(seat or 0, 0)) % seats) for one in range(seats)]
    boxes += [KEY_BOX] if seats % 2 else [KEY_BOX, _NOTHING]
    return [[MEADOW_BOX], *(boxes[one : one + 2] for one in range(0, len(boxes), 2))]
