"""The map of *Bandido Alcatraz* read from its lines, and the rules about places on it.

Cells are by place (x, y): tunnels as bits (north 1, east 2, south 4, west 8) and whether they are flooded.
"""

import itertools
import re

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import DISTINCT, EXIT_KIND, NUM_WAYS, OTHER_SIDE, ROTATIONS, TUNNELS

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
FIRST, ACROSS = 7, 3  # column of the first cell, columns of a cell
HEAD = re.compile(r" +-?\d+( +-?\d+)*")
LABEL = re.compile(r" {0,3}(-?\d+)( |$)")


def read_map(lines):
    """Return the cells, the cells next to open ends by number from 0, and the flooded cells by number from 0."""
    cells, ends = {}, {}
    for head, rows in _pages(lines):
        match = re.search(r"-?\d+", head)
        left = int(match[0]) - (match.end() - 1 - FIRST) // ACROSS
        for y, (above, line, below) in rows.items():
            for column in range(FIRST, len(line), ACROSS):
                if line[column] != " ":
                    _read_cell(cells, ends, (left + (column - FIRST) // ACROSS, y), column, (above, line, below))
    floods = {
        int(number) - 1: (int(x), int(y))
        for number, x, y in re.findall(r"(\d+): ≈ \((-?\d+), (-?\d+)\)", " ".join(lines))
    }
    return cells, ends, floods


def _pages(lines):
    """Return the pages of a map: the line with x, and by y the line of a row with its neighbours, all as wide."""
    wide = [line.ljust(max(map(len, lines)) + 2) for line in lines if line[:1] in ("", " ")]
    labelled = [number for number, line in enumerate(wide) if LABEL.match(line)]
    heads, last = [0], None
    for number in labelled:
        y = int(LABEL.match(wide[number])[1])
        if last is not None and y != last[1] + 1:
            between = range(last[0] + 1, number)
            heads.append(next(one for one in between if _is_head(wide[one])))
        last = number, y
    pages = []
    for head, end in zip(heads, [*heads[1:], len(wide)], strict=True):
        part = [" " * len(wide[0]), *wide[head + 1 : end], " " * len(wide[0])]
        rows = {
            int(LABEL.match(line)[1]): (part[number - 1], line, part[number + 1])
            for number, line in enumerate(part)
            if LABEL.match(line)
        }
        pages.append((wide[head], rows))
    return pages


def _is_head(line):
    """Return whether a line has every second x, six columns apart."""
    found = list(re.finditer(r"-?\d+", line))
    steps = [(int(two[0]) - int(one[0]), two.end() - one.end()) for one, two in itertools.pairwise(found)]
    return bool(HEAD.fullmatch(line.rstrip())) and set(steps) <= {(2, 2 * ACROSS)}


def _read_cell(cells, ends, place, column, rows):
    """Read a covered cell: beside its sign are lines, or the numbers of open ends."""
    above, line, below = rows
    beside = (above[column : column + 2], line[column + 1 : column + 3], below[column : column + 2],
              line[column - 2 : column])  # fmt: skip
    tunnels = 0
    for side, text in enumerate(beside):
        text = text if side in (1, 3) or text[0] != " " else ""
        tunnels |= bool(text.strip()) << side
        if number := re.search(r"\d+", text):
            ends[int(number[0]) - 1] = _step(place, side)
    cells[place] = tunnels, line[column] == "≈"


def _step(place, side):
    return place[0] + STEPS[side][0], place[1] + STEPS[side][1]


def covered_at(cells, middle, across):
    """Return six planes of the square around a place: covered, tunnels N, E, S, W, flooded."""
    planes = np.zeros((6, across, across))
    for (x, y), (tunnels, wet) in cells.items():
        column, row = x - middle[0] + across // 2, y - middle[1] + across // 2
        if 0 <= column < across and 0 <= row < across:
            planes[:, row, column] = [1, *(tunnels >> side & 1 for side in range(4)), wet]
    return planes


def sides_of(cells, place):
    """Return by side of a cell to be covered: whether it is settled, has a tunnel, and has room for the other half."""
    around = [cells.get(_step(place, side)) for side in range(4)]
    settled = [one is not None for one in around]
    tunnels = [one is not None and one[0] >> (side ^ 2) & 1 for side, one in enumerate(around)]
    room = [one is None or one[1] for one in around]
    if place in cells:
        settled, tunnels = [True] * 4, [cells[place][0] >> side & 1 for side in range(4)]
    return [*settled, *tunnels, *room]


def ways_to_lay(cells, kind, place):
    """Return the number of ways that differ in which a card may lie with a half on `place` (C4, C6)."""
    return sum(_fits(cells, kind, place, way) for way in range(NUM_WAYS) if DISTINCT[kind, way])


def _fits(cells, kind, place, way):
    half, turn = divmod(way, ROTATIONS)
    side = int(OTHER_SIDE[turn, half])
    here = _half_fits(cells, place, int(TUNNELS[kind, turn, half]), side, kind)
    return here and _half_fits(cells, _step(place, side), int(TUNNELS[kind, turn, 1 - half]), side ^ 2, kind)


def _half_fits(cells, place, tunnels, link, kind):
    """Return whether a half may lie on a place with the other half on its side `link`."""
    if place in cells:
        return kind != EXIT_KIND and cells[place] == (tunnels, True)
    around = [(side, cells.get(_step(place, side))) for side in range(4) if side != link]
    return all(one is None or one[0] >> (side ^ 2) & 1 == tunnels >> side & 1 for side, one in around)
