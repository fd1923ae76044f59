"""The board of *Estafado*: positions, the ring of sky around the floor, and the ground."""

from functools import cache

from sobremesa.envs.core.picture.drawing import place, text
from sobremesa.envs.estafado.board import LINE, RING, SIDE, SUN_START, space_name
from sobremesa.envs.estafado.drawing import cards
from sobremesa.envs.estafado.drawing.animals import ART, fern
from sobremesa.envs.estafado.drawing.pieces import box, darkness, light, line, oval
from sobremesa.envs.estafado.drawing.tokens import SETTING

_LEFT, _TOP, _RIGHT, _BOTTOM = 14, 80, 638, 734  # the ring's outer edge
MARGINS = (8, 74, 636, 668)  # the ring with margins: left, top, across, down
_DEPTH = 46  # of the ring
# The floor within it: left, top, across, down.
_GROUND = (_LEFT + _DEPTH, _TOP + _DEPTH, _RIGHT - _LEFT - 2 * _DEPTH, _BOTTOM - _TOP - 2 * _DEPTH)
FLOOR_X, FLOOR_Y, ACROSS, DOWN = 66, 132, 105, 111  # the first card, and from card to card


def corner(cell: int) -> tuple[float, float]:
    """Return the top left corner of a card."""
    row, column = divmod(cell, SIDE)
    return FLOOR_X + column * ACROSS, FLOOR_Y + row * DOWN


def middle_of(space: int) -> tuple[float, float]:
    """Return the middle of a space of the ring."""
    left, top = corner(int(LINE[space, 0]))
    x, y, half = left + cards.WIDTH / 2, top + cards.HEIGHT / 2, _DEPTH / 2
    return ((x, _TOP + half), (_RIGHT - half, y), (x, _BOTTOM - half), (_LEFT + half, y))[space // SIDE]


def space_box(space: int) -> tuple[float, float, float, float]:
    """Return the box of a space of the ring: left, top, across, down."""
    x, y = middle_of(space)
    wide, high = _space_size(space)
    return x - wide / 2, y - high / 2, wide, high


def _space_size(space: int) -> tuple[float, float]:
    return (94, 38) if space // SIDE in (0, 2) else (38, 100)


@cache
def ring(sun: int, language: str, letters: float = 9) -> str:
    """Draw the ring as a ribbon of sky lit from where the sun is, its spaces, and the sun's course (C3.2).

    `letters` is the height of the names of the spaces.
    """
    colours = light(sun)
    x, y = middle_of((SUN_START + sun) % RING)
    glow = ("#fff6d0", "#ffd98a") if sun < 14 else ("#ffdf9a", "#ff8a5a") if sun < RING else ("#8f96cf", "#3f4686")
    ribbon = (_LEFT, _TOP, _RIGHT - _LEFT, _BOTTOM - _TOP, 26)
    return (
        f'<defs><radialGradient id="estafado-ring-{sun}" gradientUnits="userSpaceOnUse" cx="{x:g}" cy="{y:g}" r="560">'
        f'<stop offset="0" stop-color="{glow[0]}"/><stop offset=".22" stop-color="{glow[1]}"/>'
        f'<stop offset=".55" stop-color="{colours["low"]}"/><stop offset="1" stop-color="{colours["high"]}"/>'
        "</radialGradient></defs>"
        + box(*ribbon, "#000", 'fill-opacity=".25" transform="translate(0 5)"')
        + box(*ribbon, f"url(#estafado-ring-{sun})", f'stroke="{colours["shade"]}" stroke-width="2.5"')
        + "".join(_slot(space, sun, language, letters) for space in range(RING))
        + _course(sun)
    )


def _slot(space: int, sun: int, language: str, letters: float) -> str:
    """Draw a space of the ring with its name."""
    wide, high = _space_size(space)
    pill = box(-wide / 2, -high / 2, wide, high, 15, "#fff", 'fill-opacity=".26" stroke="#fff" stroke-opacity=".55"')
    aside, down = (-wide / 2 + 6, high / 2 - 6) if wide > high else (-wide / 2 + 3, high / 2 - 8)
    ink, halo = ("#33506b", "#fff") if darkness(sun) < 0.6 else ("#f8f0d4", "#2a2350")
    written = f'stroke="{halo}" stroke-width="2.4" stroke-opacity=".5" paint-order="stroke"'
    return place(*middle_of(space), pill + text(aside, down, space_name(space, language), letters, ink, written))


def _course(sun: int) -> str:
    """Draw the sun's path: golden behind it, dark ahead of it."""
    steps = [_way(SUN_START + step) for step in range(RING)]
    start = "M{:g},{:g} ".format(*middle_of(SUN_START))
    x, y = middle_of((SUN_START + sun) % RING)
    drawn = line(f"M{x:g},{y:g} {' '.join(steps[sun:])}", "#fff", 2, 'stroke-dasharray="0.1 8" stroke-opacity=".9"')
    if sun:
        drawn += line(start + " ".join(steps[:sun]), "#fff3c0", 7, 'stroke-opacity=".55"')
        drawn += line(start + " ".join(steps[:sun]), "#f2a51f", 3.4)
        drawn += "".join(
            oval(*middle_of((SUN_START + step) % RING), 4.2, 4.2, "#f2a51f", 'stroke="#fff" stroke-width="1.2"')
            for step in range(sun)
        )
    return drawn + (place(*middle_of(SUN_START), SETTING) if 0 < sun < RING else "")


def _way(space: int) -> str:
    """Return the piece of path from a space to the next one clockwise, round the corner if there is one."""
    one, other = middle_of(space % RING), middle_of((space + 1) % RING)
    if one[0] == other[0] or one[1] == other[1]:
        return f"L{other[0]:g},{other[1]:g}"
    x, y = (other[0], one[1]) if space // SIDE % 2 == 0 else (one[0], other[1])  # the corner
    before, after = (_short_of((x, y), end, 26) for end in (one, other))
    return f"L{before} Q{x:g},{y:g} {after} L{other[0]:g},{other[1]:g}"


def _short_of(corner: tuple[float, float], end: tuple[float, float], reach: float) -> str:
    """Return the point that is `reach` from a corner towards one of its ends."""
    share = reach / (abs(end[0] - corner[0]) + abs(end[1] - corner[1]))
    return f"{corner[0] + (end[0] - corner[0]) * share:g},{corner[1] + (end[1] - corner[1]) * share:g}"


@cache
def ground(sun: int) -> str:
    """Draw the forest floor under the cards, and the plants at its corners."""
    colours = light(sun)
    left, top, across, down = _GROUND
    floor = box(*_GROUND, 12, colours["pine"], f'stroke="{colours["shade"]}" stroke-width="2"')
    strewn = ((left + 12 + step * 61 % (across - 24), top + 8 + step * 97 % (down - 16)) for step in range(60))
    moss = "".join(oval(x, y, 9, 4, colours["meadow"], 'fill-opacity=".5"') for x, y in strewn)
    ferns = fern(colours["pine"]) + f'<g transform="scale(-1 1)">{fern(colours["shade"])}</g>'
    plants = "".join(
        place(x, y, ferns + place(9, 5, ART["mushroom"], scale))
        for x, y, scale in ((34, 121, 0.7), (612, 119, 0.55), (612, 728, 0.7), (32, 728, 0.55))
    )
    return floor + moss + plants


@cache
def dusk(sun: int) -> str:
    """Draw the light of the evening over the cards."""
    late = darkness(sun)
    fill, depth = ("#ff8a3c", 0.16 * late) if sun < 19 else ("#1c2260", 0.13)
    return box(*_GROUND, 12, fill, f'fill-opacity="{depth:.3f}"') if late else ""
