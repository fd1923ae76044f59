"""The picture of *Estafado* for narrow screens: the question, the floor, and the panels, the viewer's first."""

from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import picture, place, text
from sobremesa.envs.core.picture.narrow_screen import SPARE, WIDTH, below, moved
from sobremesa.envs.core.wording import Box
from sobremesa.envs.estafado.board import NUM_CELLS, RING
from sobremesa.envs.estafado.cards import HAND_SIZE
from sobremesa.envs.estafado.drawing import board, cards, panels
from sobremesa.envs.estafado.drawing.panels import DECK, SIGN
from sobremesa.envs.estafado.drawing.pieces import FAINT, LEFT, land
from sobremesa.envs.estafado.drawing.scene import VIEW, Places, floor
from sobremesa.envs.estafado.state import CROW, FOX

_EDGE, _GAP = 6.0, 8.0
_SCALE = (WIDTH - 2 * _EDGE) / panels.WIDTH  # of the panels
_FLOOR = WIDTH / board.MARGINS[2]  # scale of the floor


def scene(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C12.1)."""
    state = states[0]
    tops, x, y, down = _tops(seat)
    told = f"{panels.rounds(state, language)}  ·  {panels.looks(state, language) or VIEW[language][seat]}"
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

    def on_panel(box: Box, which: int) -> Box:
        return moved(box, _EDGE, tops[which], _SCALE)

    cells = ((*board.corner(cell), float(cards.WIDTH), float(cards.HEIGHT)) for cell in range(NUM_CELLS))
    return Places(
        vixen=on_panel(panels.VIXEN, FOX),
        deck=on_panel(panels.TOP_CARD, DECK),
        hand=[on_panel(panels.hand_box(slot), FOX) for slot in range(HAND_SIZE)],
        cells=[moved(box, x, y, _FLOOR) for box in cells],
        spaces=[moved(board.space_box(space), x, y, _FLOOR) for space in range(RING)],
    )


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
