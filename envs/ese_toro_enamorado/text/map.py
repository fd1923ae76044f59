"""The board of *Ese Toro enamorado* as lines of text: places by name, paths as lines, pieces next to the names.

O2[F]  a fence, face up                               O2⓪②  the bulls of seats 0 and 2
O2[f]  a fence, face down, that the reader knows of   W5☾   the moon
O2[?]  a tile that the reader does not know
"""

from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.ese_toro_enamorado import board as b

MOON_SIGN = "☾"

_COLUMNS, _LINES = (11, 16), (4, 3)  # characters for one unit to the right, lines for one unit down; per board
_OFF_SHORE = 0.4  # how far the waters lie from their shores, as a share of the way to the middle of the lake
_LABEL = 12  # columns kept free right of the last node, for its label


def known_places(state: Any, seat: int | None) -> np.ndarray:
    """Return for each place whether `seat` knows the kind of a tile there, as `knowledge.knows`; None knows all."""
    if seat is None:
        return np.ones(b.NUM_PLACES, bool)
    known: np.ndarray = (state.face_up == 1) | (state.owner == seat) | (np.arange(b.NUM_PLACES) >= b.WATER)
    return known


def draw_board(state: Any, seat: int | None, language: str) -> list[str]:
    """Return the lines of the map as `seat` sees it, or as it is for None."""
    board = int(state.board)
    spots = _SPOTS[board]
    canvas = [[" "] * (max(column for column, _ in spots.values()) + _LABEL) for _ in range(_HEIGHTS[board])]
    for one, other in b.PATHS[board]:
        _draw_path(canvas, spots[one], spots[other])
    known = known_places(state, seat)
    for place, (column, line) in spots.items():
        label = b.PLACE_NAMES[place] + _pieces(state, place, bool(known[place]), language)
        canvas[line][column : column + len(label)] = label
    lines = ["".join(line).rstrip() for line in canvas]
    return [line for line, above in zip(lines, ["", *lines], strict=False) if line != above]  # like lines once


def _pieces(state: Any, place: int, known: bool, language: str) -> str:
    """Return the signs of the tile, the bulls and the moon on `place`."""
    kind, signs = int(state.tile[place]), ""
    if kind != b.NO_TILE:
        initial = b.TILE_NAMES[language][kind][0]
        up = state.face_up[place] or place >= b.WATER
        signs = f"[{(initial.upper() if up else initial) if known else '?'}]"
    if place >= b.WATER:
        return signs + MOON_SIGN * (place == b.WATER + int(state.moon))
    return signs + "".join(SEAT_SIGNS[seat] for seat in range(int(state.seats)) if state.bull[seat] == place)


def _draw_path(canvas: list[list[str]], start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw a straight path between the names at `start` and `end`, spots of their first letters."""
    (left, top), (right, bottom) = sorted((start, end))
    across, down = right - left, bottom - top
    sign = "─" if down == 0 else "│" if across == 0 else "╲" if down > 0 else "╱"
    steps = max(across, abs(down)) if down == 0 or across == 0 else abs(down)
    for step in range(1, steps):
        canvas[top + round(down * step / steps)][left + round(across * step / steps)] = sign


def _spots(board: int) -> dict[int, tuple[int, int]]:
    """Return the column and line of each place's label, nodes and then water."""
    places = b.POSITIONS[board]
    middle = max(x for x, _ in places.values()) / 2
    found = {node: places[b.NODE_NAMES[node]] for node in range(b.NUM_NODES) if b.DEGREE[board, node] > 0}
    for shore in range(b.NUM_SHORES):
        x, y = found[b.SHORE + shore]
        found[b.WATER + shore] = (x + (middle - x) * _OFF_SHORE, y + (middle - y) * _OFF_SHORE)
    return {place: (round(x * _COLUMNS[board]), round(y * _LINES[board])) for place, (x, y) in found.items()}


_SPOTS = tuple(_spots(board) for board in range(len(b.POSITIONS)))
_HEIGHTS = tuple(1 + max(line for _, line in spots.values()) for spots in _SPOTS)
