"""Scenes for narrow screens: parts of a scene in rows, each row as wide as the picture.

A game names rows of boxes in its scene, `Words.rows`. The parts of a row share one scale, so that they fill the width.
Other parts of the scene are left out; a thing in several parts is clicked where it is largest.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from sobremesa.envs.core.game import Box
from sobremesa.envs.core.picture.drawing import place

WIDTH = 390  # of a picture that a game draws for narrow screens
_OPENING = re.compile(r'^<svg [^>]*?viewBox="0 0 (\d+) (\d+)"[^>]*>')


def opened(down: int, letters: str) -> str:
    """Return the beginning of a narrow picture of this height, with a family of `letters`."""
    size = f'viewBox="0 0 {WIDTH} {down}" width="{WIDTH}" height="{down}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{letters}">'


def moved(box: Box, x: float, y: float, scale: float) -> Box:
    """Return the box of a thing in a fragment that is placed at (x, y), `scale` times its size."""
    left, top, across, down = box
    return x + left * scale, y + top * scale, across * scale, down * scale


class Part(NamedTuple):
    """A part of a scene, and its place in the narrow scene."""

    box: Box  # in the scene
    x: float  # of its corner in the narrow scene
    y: float
    scale: float

    def moved(self, box: Box) -> Box:
        """Return a box of the scene in the narrow scene."""
        x, y, across, down = box
        return (
            self.x + (x - self.box[0]) * self.scale,
            self.y + (y - self.box[1]) * self.scale,
            across * self.scale,
            down * self.scale,
        )

    def drawn(self, body: str) -> str:
        """Return a fragment of the scene at its place in the narrow scene."""
        x, y, *_ = self.moved((0.0, 0.0, 0.0, 0.0))
        return place(x, y, body, self.scale)


def size_of(svg: str) -> tuple[int, int]:
    """Return the width and height of a scene; raise ValueError if it does not begin as one."""
    opening = _OPENING.match(svg)
    if opening is None:
        raise ValueError(f"a scene begins with {svg[:80]!r}; it takes a viewBox from 0 0 in whole numbers")
    return int(opening[1]), int(opening[2])


def made_higher(svg: str, height: int) -> str:
    """Return a scene in a picture of another height."""
    before = size_of(svg)[1]

    def opened(opening: re.Match[str]) -> str:
        return re.sub(rf'(viewBox="0 0 \d+ |height="){before}"', rf'\g<1>{height}"', opening[0])

    return _OPENING.sub(opened, svg, count=1)


def laid_out(rows: Sequence[Sequence[Box]], width: int) -> list[Part]:
    """Return the parts in `rows` at their places in a picture of this width."""
    parts, y = [], 0.0
    for row in rows:
        scale, x = width / sum(across for _, _, across, _ in row), 0.0
        for box in row:
            parts.append(Part(box, x, y, scale))
            x += box[2] * scale
        y += max(down for _, _, _, down in row) * scale
    return parts


def in_rows(boxes: Sequence[Box], abreast: int) -> list[list[Box]]:
    """Return boxes of one size in rows of `abreast`; empty boxes fill the last row."""
    found = [list(boxes[one : one + abreast]) for one in range(0, len(boxes), abreast)]
    if found:
        _, _, across, down = boxes[0]
        found[-1] += [(-across, 0.0, across, down)] * (abreast - len(found[-1]))
    return found


def part_of(box: Box, parts: Sequence[Part]) -> Part | None:
    """Return the part that shows a box largest: completely if possible, else its middle; None if no part does."""
    left, top, across, down = box
    middle = (left + across / 2, top + down / 2, 0.0, 0.0)
    for seen in (box, middle):
        showing = [part for part in parts if _shows(part, seen)]
        if showing:
            return max(showing, key=lambda part: part.scale)
    return None


def _shows(part: Part, box: Box) -> bool:
    left, top, across, down = box
    x, y, wide, high = part.box
    return x <= left and y <= top and left + across <= x + wide and top + down <= y + high


def stacked(svg: str, parts: Sequence[Part]) -> str:
    """Return a scene that shows only `parts` of it."""
    opening = _OPENING.match(svg)
    assert opening is not None
    body = svg.removeprefix(opening[0]).removesuffix("</svg>")
    name = f"scene-{crc32(body.encode()):08x}"  # several scenes may share a page
    drawn = []
    for number, part in enumerate(parts):
        x, y, across, down = part.box
        drawn.append(
            f'<svg x="{part.x:.1f}" y="{part.y:.1f}" width="{across * part.scale:.1f}" '
            f'height="{down * part.scale:.1f}" viewBox="{x:g} {y:g} {across:g} {down:g}">'
            + (f'<use href="#{name}"/>' if number else f'<g id="{name}">{body}</g>')
            + "</svg>"
        )
    height = round(max(part.y + part.box[3] * part.scale for part in parts))
    ground = f'<rect width="{opening[1]}" height="{height}" fill="#15111a"/>'
    return made_higher(f"{opening[0]}{ground}{''.join(drawn)}</svg>", height)
