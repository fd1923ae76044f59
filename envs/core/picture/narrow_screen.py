"""Pictures for narrow screens, which games draw themselves: 390 units wide, with parts below each other.

A game draws the same pieces as in its scene at other places, with letters of about 12 units or more, and the hand of
the viewer within reach of a thumb (`PictureWords.narrow`). Parts that matter less come `below` a shelf: the buttons of
actions without a thing are on it, and move these parts down.
"""

import re

from sobremesa.envs.core.picture.drawing import place
from sobremesa.envs.core.wording import Box

WIDTH = 390  # of a picture
SPARE = 600  # of the ground beyond the foot of a picture, for buttons
_OPENING = re.compile(r'^<svg [^>]*?viewBox="0 0 (\d+) (\d+)"[^>]*>')
_BELOW = re.compile(r'<g class="below" data-top="([\d.]+)">')


def below(top: float, body: str) -> str:
    """Return the parts of a picture that are below a shelf at height `top`."""
    return f'<g class="below" data-top="{top:.1f}">{body}</g>'


def shelf_of(svg: str) -> float | None:
    """Return the height at which buttons belong in a picture; None for its foot."""
    found = _BELOW.search(svg)
    return float(found[1]) if found else None


def lowered(svg: str, by: float) -> str:
    """Return a picture whose parts below the shelf are moved down."""
    return _BELOW.sub(lambda found: f'<g class="below" transform="translate(0 {by:g})">', svg, count=1)


def lowered_box(box: Box, drawn: str, top: float, by: float) -> tuple[Box, str]:
    """Return the box of a thing, and what is drawn there, moved down if it is below a shelf at `top`."""
    if box[1] + box[3] / 2 < top:
        return box, drawn
    return (box[0], box[1] + by, *box[2:]), place(0, by, drawn) if drawn else ""


def moved(box: Box, x: float, y: float, scale: float) -> Box:
    """Return the box of a thing in a fragment that is placed at (x, y), `scale` times its size."""
    left, top, across, down = box
    return x + left * scale, y + top * scale, across * scale, down * scale


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
