"""The picture of *Estafado* for narrow screens: the question, the floor, and the panels, the viewer's first."""

from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import picture, place, text
from sobremesa.envs.core.picture.narrow_screen import SPARE, WIDTH, below
from sobremesa.envs.estafado.drawing import board, panels
from sobremesa.envs.estafado.drawing.panels import DECK, SIGN
from sobremesa.envs.estafado.drawing.pieces import FAINT, LEFT, land
from sobremesa.envs.estafado.drawing.scene import Places, eyes_of, floor, places_at
from sobremesa.envs.estafado.state import CROW, FOX

_EDGE, _GAP = 6.0, 8.0
_SCALE = (WIDTH - 2 * _EDGE) / panels.WIDTH  # of the panels
_FLOOR = WIDTH / board.MARGINS[2]  # scale of the floor


def scene(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C12.1)."""
    state = states[0]
    tops, x, y, down = _tops(seat)
    told = f"{panels.rounds(state, language)}  ·  {panels.looks(state, language) or eyes_of(seat, language)}"
    sign, *others = (
        place(_EDGE, top, panels.panel(which, state, seat, language, large=True), _SCALE) for which, top in tops.items()
    )
    drawn = (
        land(WIDTH, down + SPARE, int(state.sun)),
        place(x, y, floor(state, seat, language, large=True), _FLOOR),
        sign,
        place(_EDGE, tops[SIGN], text(88, 78, told, 11, FAINT, LEFT, 160), _SCALE),
        below([*tops.values()][1] - 3, "".join(others)),
    )
    return picture(WIDTH, down, drawn)


def places(state: Any) -> Places:
    """Return the boxes of things in the picture that the seat to act can point at."""
    tops, x, y, _ = _tops(int(state.seat))
    return places_at((_EDGE, 0), tops, _SCALE, (x, y, _FLOOR))


def _tops(viewer: int | None) -> tuple[dict[int, float], float, float, int]:
    """Return the top of each panel, the origin of the floor, and the height of the picture."""
    left, top, _, down = board.MARGINS
    y = _EDGE + panels.HEIGHTS[SIGN] * _SCALE
    tops, x, floor_y = {SIGN: _EDGE}, -left * _FLOOR, y - top * _FLOOR + 2
    y += down * _FLOOR + 6
    for which in (CROW, DECK, FOX) if viewer == CROW else (FOX, CROW, DECK):
        tops[which] = y
        y += panels.HEIGHTS[which] * _SCALE + _GAP
    return tops, x, floor_y, round(y)
