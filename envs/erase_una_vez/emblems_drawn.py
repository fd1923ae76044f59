"""Emblems of *Érase una vez*: a small picture for everything that a tale can speak of, 100 by 100 around the origin.

They are written in a short notation, a shape a line: a letter for the colour, then what is drawn. A capital fills and
outlines in ink, a capital with a point fills alone, a small letter with a number draws a line that thick. What is drawn
is an SVG path, `ox,y,r` a disc, or `ex,y,rx,ry` an ellipse. A line that begins with a space goes on with the last one.
"""

from functools import cache

from sobremesa.envs.erase_una_vez.concepts_drawn import ALIKE, CONCEPTS
from sobremesa.envs.erase_una_vez.deeds_drawn import DEEDS
from sobremesa.envs.erase_una_vez.goods_drawn import GOODS
from sobremesa.envs.erase_una_vez.people_drawn import PEOPLE
from sobremesa.envs.erase_una_vez.tables import THINGS

INK = "#2b1a10"
_COLOURS = {
    "K": INK, "R": "#b8352c", "M": "#d8809c", "O": "#cf7c31", "Y": "#f3d272", "G": "#e3ae2f", "C": "#fbf3dc",
    "S": "#f1c79f", "P": "#d79a8f", "W": "#80552f", "E": "#a8a297", "D": "#3b3352", "N": "#6da35c", "H": "#356b48",
    "L": "#b9dcec", "B": "#3f74b4", "V": "#7a4fa3", "T": "#d3dce3",
}  # fmt: skip
# For things without an emblem of their own: one for each group.
_GENERAL = (
    """
R M-32,44 C-32,20 -17,15 0,15 C17,15 32,20 32,44 Z
S e0,-8,16,19
""",
    """
W M-30,-14 H30 V36 H-30 Z
G M-34,-26 H34 V-10 H-34 Z
G o0,4,8
""",
    """
N M-46,40 L-16,-30 L8,16 L20,-4 L46,40 Z
Y o26,-28,10
""",
    """
G M0,-42 l12,28 30,2 -23,19 8,29 -27,-16 -27,16 8,-29 -23,-19 30,-2 Z
""",
    """
Y M8,-46 L-26,8 H-4 L-12,46 L28,-12 H6 Z
""",
)
_DRAWN = {**PEOPLE, **GOODS, **DEEDS, **CONCEPTS}


@cache
def emblem(thing: int) -> str:
    """Draw the emblem of a thing."""
    one = THINGS[thing]
    return drawn(_DRAWN.get(ALIKE.get(one.id, one.id), _GENERAL[one.group]))


def drawn(notation: str) -> str:
    """Return an emblem as SVG."""
    lines = notation.strip().replace("\n ", " ").splitlines()
    shapes = "".join(_shape(line) for line in lines if line)
    return f'<g stroke="{INK}" stroke-width="2.2" stroke-linejoin="round" stroke-linecap="round">{shapes}</g>'


def _shape(line: str) -> str:
    pen, _, body = line.partition(" ")
    colour = _COLOURS[pen[0].upper()]
    if pen[0].islower():
        return f'<path d="{body}" fill="none" stroke="{colour}" stroke-width="{pen[1:] or 3}"/>'
    look = f'fill="{colour}"' + (' stroke="none"' if pen[1:] == "." else "")
    if body[0] == "o":
        x, y, radius = body[1:].split(",")
        return f'<circle cx="{x}" cy="{y}" r="{radius}" {look}/>'
    if body[0] == "e":
        x, y, across, down = body[1:].split(",")
        return f'<ellipse cx="{x}" cy="{y}" rx="{across}" ry="{down}" {look}/>'
    return f'<path d="{body}" {look}/>'
