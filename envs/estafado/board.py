"""The floor of 5 x 5 cards and the ring of 20 spaces around it (clause C3 of RULES.md).

    cells, by number          spaces of the ring, clockwise

     0  1  2  3  4                  0   1   2   3   4
     5  6  7  8  9             19  +-------------------+   5
    10 11 12 13 14             18  |                   |   6
    15 16 17 18 19             17  |     the floor     |   7
    20 21 22 23 24             16  |                   |   8
                               15  +-------------------+   9
                                   14  13  12  11  10

The fox's player sits at the top, the crow's at the bottom. In text a cell is a column a to e and a row 1 to 5, and a
space is a side of the compass and its line: `Na` is space 0, `E1` space 5, `Se` space 10, `W5` space 15.
"""

import numpy as np

SIDE = 5
NUM_CELLS = SIDE * SIDE
NUM_NEIGHBOURS = 4  # in a row or column
NOWHERE = NUM_CELLS  # no cell
RING = 4 * SIDE
NO_SPACE = RING
FOX_START, BEAR_START = 0, 24
CROW_START, SUN_START = 12, 14

# At dusk (O1): the cells that lie face-down, tokens, and how far the sun has gone.
DUSK_HIDDEN = np.array([6, 8, 12])  # b2, d2, c3
DUSK_HIDES = np.isin(np.arange(NUM_CELLS), DUSK_HIDDEN)
DUSK_FOX, DUSK_BEAR, DUSK_BEAR_BEFORE, DUSK_VIXEN = 2, 4, 3, 24  # c1; e1, come from d1; e5
DUSK_EAGLE, DUSK_CROW, DUSK_SUN = 15, CROW_START, 18


def _line(space: int) -> list[int]:
    """Return the cells of the line at `space`, the nearest first."""
    side, place = divmod(space, SIDE)
    back = SIDE - 1 - place
    return {
        0: [row * SIDE + place for row in range(SIDE)],
        1: [place * SIDE + column for column in reversed(range(SIDE))],
        2: [row * SIDE + back for row in reversed(range(SIDE))],
        3: [back * SIDE + column for column in range(SIDE)],
    }[side]


LINE = np.array([_line(space) for space in range(RING)], np.int8)  # (space, place)

_ROWS, _COLUMNS = np.divmod(np.arange(NUM_CELLS), SIDE)
_DOWN = np.abs(_ROWS[:, None] - _ROWS)
_ACROSS = np.abs(_COLUMNS[:, None] - _COLUMNS)

DISTANCE = (_DOWN + _ACROSS).astype(np.int8)  # (cell, cell), in orthogonal steps
TOUCHES = np.maximum(_DOWN, _ACROSS) == 1  # (cell, cell): one of the eight neighbours
STRAIGHT = (_DOWN == 0) | (_ACROSS == 0)  # (cell, cell): in one row or column

# The cells between two cells that are two steps apart: one in a straight line, two round a corner; NOWHERE fills up.
BETWEEN = np.full((NUM_CELLS, NUM_CELLS, 2), NOWHERE, np.int8)
for _one in range(NUM_CELLS):
    for _other in range(NUM_CELLS):
        if DISTANCE[_one, _other] == 2:
            _on_the_way = [cell for cell in range(NUM_CELLS) if DISTANCE[_one, cell] == DISTANCE[cell, _other] == 1]
            BETWEEN[_one, _other, : len(_on_the_way)] = _on_the_way

CELL_NAMES = tuple(f"{'abcde'[cell % SIDE]}{cell // SIDE + 1}" for cell in range(NUM_CELLS))


def line_sign(space: int) -> str:
    """Return the letter of the column or the number of the row of a space of the ring."""
    cell = int(LINE[space, 0])
    return CELL_NAMES[cell][space // SIDE % 2]


def space_name(space: int, language: str) -> str:
    """Return the name of a space of the ring: its side and its column or row."""
    return ("NESW" if language == "en" else "NESO")[space // SIDE] + line_sign(space)
