"""The network of *Bandido Alcatraz* for texts and pictures: the half on top of each cell, open ends and water."""

from typing import Any, NamedTuple

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.state import NO_CELL

TILE = len((c.PLAIN, c.RAINCOAT, c.ROPE, c.EXIT))  # the picture of both halves of the start tile
STEPS: list[tuple[int, int]] = list(zip(c.STEP_X.tolist(), c.STEP_Y.tolist(), strict=True))  # x, y by side
TUNNELS, FLOODED = c.TUNNELS.tolist(), c.FLOODED.tolist()
OTHER_SIDE, PICTURE = c.OTHER_SIDE.tolist(), c.PICTURE.tolist()


class Half(NamedTuple):
    """A half that is on top somewhere."""

    x: int  # cell
    y: int
    tunnels: int  # as bits, with the one to the other half
    link: int  # the side on which the other half lies
    flooded: bool
    picture: int  # PLAIN unless it is the half with the picture; TILE


def half_of(kind: int, turn: int, half: int, x: int, y: int) -> Half:
    """Return the half of a card at a cell."""
    picture = TILE if kind > c.NUM_KINDS else PICTURE[kind] if half == 1 else c.PLAIN
    return Half(x, y, TUNNELS[kind][turn][half], OTHER_SIDE[turn][half], FLOODED[kind] == half, picture)


def halves_of(state: Any) -> list[Half]:
    """Return the half on top of each cell, by the number of the cell."""
    kinds, turns = state.laid_kind.tolist(), state.laid_turn.tolist()
    columns = (state.cell_x, state.cell_y, state.cell_laid, state.cell_half)
    rows = zip(*(column[: int(state.cells)].tolist() for column in columns), strict=True)
    return [half_of(kinds[laid], turns[laid], half, x, y) for x, y, laid, half in rows]


def open_ends(state: Any) -> dict[int, tuple[int, int]]:
    """Return the open ends by number, from 0: the cell that each leaves, and the side."""
    pairs = enumerate(zip(state.end_cell.tolist(), state.end_side.tolist(), strict=True))
    return {number: end for number, end in pairs if end[0] != NO_CELL}


def floods(state: Any) -> dict[int, int]:
    """Return the cells of the flooded halves in sight by number, from 0."""
    return {number: cell for number, cell in enumerate(state.flood.tolist()) if cell != NO_CELL}


def place_of(state: Any, where: int, halves: list[Half]) -> tuple[int, int]:
    """Return the cell to which an open end leads, or that of a flooded half."""
    if where >= c.MOST_ENDS:
        wet = halves[int(state.flood[where - c.MOST_ENDS])]
        return wet.x, wet.y
    half, (x, y) = halves[int(state.end_cell[where])], STEPS[int(state.end_side[where])]
    return half.x + x, half.y + y
