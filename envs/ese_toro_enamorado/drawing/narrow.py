"""The picture of *Ese Toro enamorado* for narrow screens: the meadow, and the seats below it, the viewer's first."""

from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, picture, place, text
from sobremesa.envs.core.picture.narrow_screen import SPARE, WIDTH, below
from sobremesa.envs.ese_toro_enamorado.drawing import panels, pieces
from sobremesa.envs.ese_toro_enamorado.drawing.pieces import LIGHTS
from sobremesa.envs.ese_toro_enamorado.drawing.scene import (
    MEADOW,
    Places,
    bull_spot,
    eyes,
    headline,
    meadow,
    mood_of,
    moon_or_sun,
    spots_of,
)

_SCALE = WIDTH / MEADOW[2]  # of the meadow
_LETTERS = 1.75  # names of places, so many times as large as in the scene
_ORIGIN = (-MEADOW[0] * _SCALE, 50 - MEADOW[1] * _SCALE)  # of the meadow
_PANELS, _STEP, _EDGE = 50 + MEADOW[3] * _SCALE + 12, panels.NARROW[1] + 12, 8.0
_KEY_SCALE = 1.15


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C9.1)."""
    state, mood = table[0], mood_of(table[0])
    light, seats = LIGHTS[mood], _order(table[0], seat)
    key = _PANELS + _STEP * len(seats) - 2
    down = round(key + panels.KEY_SIZE[1] * _KEY_SCALE + 8)
    told = headline(state, language) + ([eyes(seat, language)] if eyes(seat, language) else [])
    halves = (told[:2], told[2:]) if len(told) > 2 else (told[:1], told[1:])
    ink = light["accent" if state.over else "ink"]
    others = [
        place(_EDGE, _PANELS + _STEP * number, panels.narrow_panel(state, one, seat, language, mood))
        for number, one in enumerate(seats[1:], 1)
    ]
    left = (WIDTH - panels.KEY_SIZE[0] * _KEY_SCALE) / 2
    others.append(place(left, key, panels.key(state, language, mood), _KEY_SCALE))
    drawn = (
        pieces.gradients(mood),
        pieces.narrow_sky(mood, WIDTH, down + SPARE),
        *(text(12, 20 + 20 * row, "  ·  ".join(half), 14.5, ink, LEFT_BOLD, 320) for row, half in enumerate(halves)),
        place(WIDTH - 32, 26, moon_or_sun(state, 15, mood, language)),
        place(*_ORIGIN, meadow(state, seat, language, mood, _LETTERS), _SCALE),
        place(_EDGE, _PANELS, panels.narrow_panel(state, seats[0], seat, language, mood)),
        below(_PANELS + _STEP - 8, "".join(others)),
    )
    return picture(WIDTH, down, drawn)


def places(state: Any, seat: int) -> Places:
    """Return where things are that `seat` can point at."""
    hand = []
    for slot in range(len(panels.hand_kinds(state, seat))):
        x, y = panels.narrow_hand_spot(slot)
        hand.append((_EDGE + x, _PANELS + y))
    spots = {node: _moved(spot) for node, spot in spots_of(int(state.board)).items()}
    return Places(hand, panels.TILE_SCALE, spots, _moved(bull_spot(state, seat)), _SCALE)


def _moved(spot: tuple[float, float]) -> tuple[float, float]:
    return _ORIGIN[0] + spot[0] * _SCALE, _ORIGIN[1] + spot[1] * _SCALE


def _order(state: Any, viewer: int | None) -> list[int]:
    """Return the seats in the order of their panels, the viewer first."""
    seats = int(state.seats)
    return [(max(viewer or 0, 0) + step) % seats for step in range(seats)]
