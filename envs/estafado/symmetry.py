"""Symmetries of *Estafado*: the floor and the ring, turned and mirrored.

Only the number of the sun's steps matters, so the sun stays where it is.
"""

import numpy as np

from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import LINE, NUM_CELLS, RING, SIDE
from sobremesa.envs.estafado.observe import LAYOUT

_CELLS = np.arange(NUM_CELLS).reshape(SIDE, SIDE)
_PLANES = ("floor", "cells")  # blocks of a number a cell


def turns() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the images of cells `(25,)` and spaces `(20,)`, for each turn and mirror except the identity."""
    found = []
    for mirrored in (False, True):
        for quarters in range(4):
            cells = np.rot90(_CELLS.T if mirrored else _CELLS, quarters).argsort(axis=None)
            spaces = np.array([(cells[line] == LINE).all(axis=1).argmax() for line in LINE])
            found.append((cells, spaces))
    return found[1:]


def _symmetry(cells: np.ndarray, spaces: np.ndarray) -> Symmetry:
    seen, actions = np.arange(LAYOUT.size), np.arange(s.NUM_ACTIONS)
    for block in LAYOUT:
        start = LAYOUT.start(block.name)
        if block.name in _PLANES:
            planes = np.arange(start, start + block.size).reshape(-1, NUM_CELLS)
            seen[planes[:, cells]] = planes
    eagle, crow, pursuit = (LAYOUT.start("ring"), LAYOUT.start("ring") + RING, LAYOUT.start("pursuit"))
    seen[eagle + spaces], seen[crow + spaces] = eagle + np.arange(RING), crow + np.arange(RING)
    way = int(spaces[1] - spaces[0]) % RING  # 1 clockwise, RING - 1 mirrored
    seen[pursuit + np.arange(RING) * way % RING] = pursuit + np.arange(RING)
    for first in (s.A_GO, s.A_TUNNEL, s.A_VIXEN, s.A_LOOK, s.A_SWAP, s.A_BEAR):
        actions[first : first + NUM_CELLS] = first + cells
    actions[s.A_START : s.A_START + RING] = s.A_START + spaces
    if way != 1:
        actions[s.A_EAGLE : s.A_EAGLE + len(s.EAGLE_STEPS)] = s.A_EAGLE + np.arange(len(s.EAGLE_STEPS))[::-1]
        actions[s.A_SLIDE : s.A_SLIDE + len(s.SLIDE_STEPS)] = s.A_SLIDE + np.arange(len(s.SLIDE_STEPS))[::-1]
    return Symmetry(seen, actions)


SYMMETRIES = tuple(_symmetry(*turn) for turn in turns())
