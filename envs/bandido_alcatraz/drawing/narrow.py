"""The picture of *Bandido Alcatraz* for narrow screens: the network, the viewer's hand below it, others and piles."""

from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz.drawing import bay, pieces
from sobremesa.envs.bandido_alcatraz.drawing.hands import NARROW_TOP, STOCK, hand, narrow_panels, stock
from sobremesa.envs.bandido_alcatraz.drawing.pieces import PAPER
from sobremesa.envs.bandido_alcatraz.drawing.scene import Field, eyes_of, mood_of, network, told, wrapped
from sobremesa.envs.bandido_alcatraz.text.words import MOVES
from sobremesa.envs.core.picture.drawing import LEFT_BOLD, picture, place, text
from sobremesa.envs.core.picture.narrow_screen import SPARE, WIDTH, below

FIELD = Field(
    (8, bay.SHORE + 10, WIDTH - 16, NARROW_TOP - bay.SHORE - 20),
    62.0,
    9.5,
    (0.0, bay.SHORE, WIDTH, NARROW_TOP - 2),
    narrow_panels,
)
_STOCK_SCALE = 1.2


def scene(table: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C11.1)."""
    state = table[0]
    panels = FIELD.panels(state, seat)
    own, *others = (hand(state, panel, seat, language) for panel in panels)
    shelf, foot = (panel.box[1] + panel.box[3] + 8 for panel in (panels[0], panels[-1]))
    down = round(foot + STOCK[1] * _STOCK_SCALE + 8)
    left = (WIDTH - STOCK[0] * _STOCK_SCALE) / 2
    others.append(place(left, foot, stock(state, seat, language), _STOCK_SCALE))
    drawn = (
        bay.narrow_surroundings(mood_of(state), down + SPARE),
        network(state, FIELD, seat, language),
        _header(state, seat, language),
        own,
        below(shelf - 4, "".join(others)),
    )
    return picture(WIDTH, down, drawn)


def _header(state: Any, viewer: int | None, language: str) -> str:
    """Write the turn and the decision, or the ending."""
    head, more, fill = told(state, viewer, language)
    eyes = eyes_of(viewer, language)
    lines = wrapped(more if state.over or not eyes else [*more, eyes], 12, 345)
    return (
        text(12, 24, head, 18, fill, LEFT_BOLD, 300)
        + "".join(
            text(12, 43 + 15 * row, line, 13 if len(lines) == 1 else 12, PAPER, LEFT_BOLD, 315)
            for row, line in enumerate(lines)
        )
        + place(WIDTH - 34, 33, pieces.compass(MOVES[language]["side_letters"]), 0.85)
    )
