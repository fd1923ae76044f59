"""The network of *Bandido Alcatraz* drawn in lines, and cards drawn small."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.halves import STEPS, TUNNELS, Half, floods, halves_of, open_ends
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.state import A_WHERE
from sobremesa.envs.bandido_alcatraz.text import words as w
from sobremesa.envs.core.words import COLUMNS, listed

Place = tuple[int, int]  # x, y

# A line through a cell, by its tunnels as bits: north 1, east 2, south 4, west 8.
LINES = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"

# A cell takes three columns and two rows: its sign, and the line to its neighbour in the east or in the south.
#
#      2                    a number takes the place of a line where nothing lies yet
#     ─┼──┬─3
#      │  12
_ACROSS, _DOWN = 3, 2
_LABELS = 5  # columns for y on the left
_PAGE = (COLUMNS - _LABELS - _ACROSS) // _ACROSS  # cells across; a wider map continues below


def covered(state: Any) -> dict[Place, tuple[int, str]]:
    """Return the half on top of each covered cell: its tunnels as bits, and its sign on the map."""
    return {(half.x, half.y): (half.tunnels, _sign(half)) for half in halves_of(state)}


def _sign(half: Half) -> str:
    """Return the sign of a half: its picture, or the line through it."""
    return w.WATER_MARK if half.flooded else w.PICTURE_MARKS.get(half.picture, LINES[half.tunnels])


def ends_by_place(state: Any) -> dict[tuple[int, int, int], int]:
    """Return the number of each open end, from 1, by the cell that it leaves and the side `(x, y, side)`."""
    halves = halves_of(state)
    return {(*halves[cell][:2], side): number + 1 for number, (cell, side) in open_ends(state).items()}


def ends_in_words(state: Any, language: str) -> str:
    """Return where each open end leads, by its number; "" without one."""
    words, found = w.WORDS[language], []
    for (x, y, side), number in ends_by_place(state).items():
        step_x, step_y = STEPS[side]
        name = action_name(A_WHERE + number - 1, language)
        found.append(words["leads"].format(name, x, y, w.MOVES[language]["sides"][side], x + step_x, y + step_y))
    return "; ".join(found)


def draw_map(state: Any, language: str, wide: bool = False) -> list[str]:
    """Draw the network with its open ends by number, and explain the signs.

    The lines have at most 78 columns: a wider map continues below, unless it may be `wide`.
    """
    cells, ends = covered(state), ends_by_place(state)
    reached = [*cells, *((x + STEPS[side][0], y + STEPS[side][1]) for x, y, side in ends)]
    left, right = min(x for x, _ in reached), max(x for x, _ in reached)
    lines = []
    page = right + 1 - left if wide else _PAGE
    for first in range(left, right + 1, page):
        last = min(right, first + page - 1)
        rows = [y for x, y in reached if first <= x <= last]
        if rows:
            lines += _page(cells, ends, (first, last), (min(rows), max(rows)))
    signs = {sign for _, sign in cells.values()}
    key = [f"{sign} {word}" for sign, word in w.MARK_WORDS[language].items() if sign in signs]
    lines += listed("", [*key, w.WORDS[language]["numbers"]], "", " · ")
    halves = halves_of(state)
    water = [
        f"{action_name(A_WHERE + c.MOST_ENDS + number, language)}: {w.WATER_MARK} ({halves[cell].x}, {halves[cell].y})"
        for number, cell in floods(state).items()
    ]
    return lines + listed("", water, "", " · ")


def _page(
    cells: Mapping[Place, tuple[int, str]],
    ends: Mapping[tuple[int, int, int], int],
    across: tuple[int, int],
    down: tuple[int, int],
) -> list[str]:
    """Draw the part of the map from one x to another and one y to another, both included."""
    width, height = across[1] - across[0] + 1, down[1] - down[0] + 1
    canvas = [[" "] * (width * _ACROSS + 2) for _ in range(height * _DOWN + 1)]
    for (x, y), (tunnels, sign) in cells.items():
        if across[0] <= x <= across[1] and down[0] <= y <= down[1]:
            row, column = 1 + (y - down[0]) * _DOWN, 2 + (x - across[0]) * _ACROSS
            canvas[row][column] = sign
            for side in range(4):
                if tunnels >> side & 1:
                    _draw_tunnel(canvas, row, column, side, _line(side, ends.get((x, y, side)), _ACROSS - 1))
    head = [" "] * len(canvas[0])
    for x in range(across[0] + across[0] % 2, across[1] + 1, 2) or [across[0]]:
        _draw_tunnel([head], 0, 3 + (x - across[0]) * _ACROSS, c.WEST, str(x))
    lines = ["".join(head).rstrip()]
    for number, line in enumerate(canvas):
        label = "" if number % _DOWN == 0 else str(down[0] + number // _DOWN)
        lines.append(f"{label:>{_LABELS - 1}} {''.join(line)}".rstrip())
    lines[0] = " " * _LABELS + lines[0]
    return [line for number, line in enumerate(lines) if line or 1 < number < len(lines) - 1]


def _line(side: int, number: int | None, length: int, double: bool = False) -> str:
    """Return the line of a tunnel to a side, so many columns long if it goes across, or the number of an open end."""
    if side in (c.NORTH, c.SOUTH):
        return str(number or ("║" if double else "│"))
    line = "═" if double else "─"
    return f"{number or line:{line}{'>' if side == c.EAST else '<'}{length}}"


def _draw_tunnel(canvas: list[list[str]], row: int, column: int, side: int, line: str) -> None:
    """Write the line of a tunnel next to a cell's sign, on a side."""
    step_x, step_y = STEPS[side]
    start = column - len(line) if side == c.WEST else column + step_x
    for place, sign in enumerate(line, start):
        canvas[row + step_y][place] = sign


# Cards drawn small. Half a is an `a`, half b a `b`; the drawing leaves two columns on each side for numbers.


def draw_card(kind: int) -> list[str]:
    """Draw a card as it is held, half a in the west: three lines."""
    return _draw_halves(TUNNELS[kind][0], 0, {}, set())


def draw_way(state: Any, kind: int, way: int, place: Place) -> list[str]:
    """Draw a card laid in a way at a place, with the numbers of the ends that it joins."""
    half, turn = divmod(way, c.ROTATIONS)
    step = STEPS[int(c.OTHER_SIDE[turn, half])]
    beyond = (place[0] + step[0], place[1] + step[1])
    halves = (place, beyond) if half == 0 else (beyond, place)  # of a, of b
    ends, there = ends_by_place(state), covered(state)
    numbers, joined = {}, set()
    for number, (x, y) in enumerate(halves):
        for side, (step_x, step_y) in enumerate(STEPS):
            neighbour = (x + step_x, y + step_y)
            if neighbour in there and neighbour not in halves:
                joined.add((number, side))
                if end := ends.get((*neighbour, (side + 2) % 4)):
                    numbers[number, side] = end
    return _draw_halves(TUNNELS[kind][turn], turn, numbers, joined)


def _draw_halves(
    tunnels: Sequence[int], turn: int, numbers: Mapping[tuple[int, int], int], joined: set[tuple[int, int]]
) -> list[str]:
    """Draw two halves, the first an `a`, turned so many quarters, with numbers and joined tunnels by half and side."""
    upright = turn % 2 == 1
    canvas = [[" "] * (5 if upright else 9) for _ in range(5 if upright else 3)]
    for half in range(2):
        later = half if turn in (0, 1) else 1 - half  # whether it lies in the east or in the south
        row, column = (1 + 2 * later, 2) if upright else (1, 2 + 4 * later)
        link = int(c.OTHER_SIDE[turn, half])
        for side in range(4):
            if tunnels[half] >> side & 1:
                line = _line(side, numbers.get((half, side)), 3 if side == link else 1, (half, side) in joined)
                _draw_tunnel(canvas, row, column, side, line)
        canvas[row][column] = "ab"[half]
    return ["".join(line) for line in canvas]


def side_by_side(drawings: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Set captioned drawings next to each other, captions first, in strips of at most 78 columns."""
    lines: list[str] = []
    strip: list[list[str]] = []
    for caption, drawing in drawings:
        block = [caption, *drawing]
        width = max(map(len, block))
        if strip and sum(len(other[0]) + 2 for other in strip) + 2 + width > COLUMNS:
            lines += _joined(strip)
            strip = []
        strip.append([line.ljust(width) for line in block])
    return lines + (_joined(strip) if strip else [])


def _joined(strip: Sequence[Sequence[str]]) -> list[str]:
    """Set blocks of lines side by side, without blank lines at the end."""
    widths = [len(block[0]) for block in strip]
    tallest = max(map(len, strip))
    strip = [[block[0], *[""] * ((tallest - len(block)) // 2), *block[1:]] for block in strip]
    lines = [
        ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in zip_longest(*strip, fillvalue="")
    ]
    while not lines[-1]:
        lines.pop()
    return lines
