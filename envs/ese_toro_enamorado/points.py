"""Pointing in the picture of *Ese Toro enamorado* at tiles in hand, places and the bull."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.wording import Point
from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.drawing.panels import hand_kinds
from sobremesa.envs.ese_toro_enamorado.drawing.scene import Places
from sobremesa.envs.ese_toro_enamorado.state import A_CHOOSE, A_GO, A_LAY, A_LILY, A_STAY
from sobremesa.envs.ese_toro_enamorado.text.words import MOVES

_PLACE, _PEAK, _BULL, _TILE = 25.0, 42.0, 21.0, 15.0  # half widths of the targets


def points(
    places_of: Callable[[Any, int], Places], states: np.ndarray, legal: Sequence[int], language: str
) -> list[Point]:
    """Return the tiles in hand, the places where they or the bull may go, and the bull itself for staying."""
    state, places = states[0], places_of(states[0], int(states[0].seat))
    found = [
        _around(b.TILE_NAMES[language][kind], _laying(kind), spot, _TILE * places.tile_scale, 5)
        for kind, spot in zip(hand_kinds(state, int(state.seat)), places.hand, strict=True)
    ]
    here = set(legal)
    for place, spot in places.spots.items():
        half = (_PEAK if place < b.OUTER else _PLACE) * places.scale
        about, name = _about(place), b.PLACE_NAMES[place]
        words = MOVES[language]["lay"].format(name) if len(about & here) > 1 else name
        found.append(_around(words, sorted(about), spot, half, half))
    if A_STAY in legal:
        half = _BULL * places.scale
        found.append(_around(MOVES[language]["stay"], [A_STAY], places.bull, half, half))
    return found


def _around(words: str, actions: Sequence[int], spot: tuple[float, float], half: float, corner: float) -> Point:
    return Point(words, actions, (spot[0] - half, spot[1] - half, 2 * half, 2 * half), corner)


def _laying(kind: int) -> Sequence[int]:
    """Return the actions that lay a tile of this kind."""
    if kind == b.LILY:
        return range(A_LILY, A_LILY + b.NUM_SHORES)
    return range(A_LAY + kind * b.NUM_CROSSINGS, A_LAY + (kind + 1) * b.NUM_CROSSINGS)


def _about(place: int) -> set[int]:
    """Return the actions about a place: to choose it, to lay a tile there, to go there."""
    if place >= b.WATER:
        return {A_LILY + place - b.WATER}
    about = {A_CHOOSE + place - b.MOUNTAIN} if place - b.MOUNTAIN < b.NUM_MOUNTAINS else set()
    if b.OUTER <= place < b.NUM_NODES:
        about |= {A_LAY + kind * b.NUM_CROSSINGS + place - b.OUTER for kind in b.LAND_KINDS}
    return {*about, A_GO + place}
