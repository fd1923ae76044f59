"""Drawings of cards and tunnels of *Bandido Alcatraz*: earth, tunnels and water, in halves of 100 by 100.

All tunnels of a card meet in its middle. A half is therefore drawn as bends that lead from each of its mouths to the
side where the other half is. A whole network is a few paths, each stroked several times, from the dark of the wall to
the light of the lamps, which hides the seams between cards.
"""

from functools import cache

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.drawing import pieces
from sobremesa.envs.bandido_alcatraz.drawing.pieces import ART
from sobremesa.envs.bandido_alcatraz.halves import OTHER_SIDE, STEPS, Half, half_of
from sobremesa.envs.bandido_alcatraz.text.words import MARK_WORDS, PICTURE_MARKS, WATER_MARK, card_label
from sobremesa.envs.core.picture.drawing import place, text, titled

EDGES = tuple((50 * x, 50 * y) for x, y in STEPS)  # middle of each side

# How a tunnel is stroked, from outside in: thickness, colour dry and flooded, and dashes for marks of the pick.
_LAYERS = (
    (47, "#150c06", "#06233d", ""),
    (53, "#150c06", "#06233d", "7 4 3 5 9 4 5 6"),
    (41, "#5f3b1f", "#0f5b8f", ""),
    (38, "#835428", "#1a70a6", "3 5 8 4 5 7"),
    (34, "#bf8240", "#2b8fc7", ""),
    (25, "#d99a4c", "#3fa6d9", ""),
    (12, "#e9b566", "#6cc4ea", ""),
    (4, "#a06a30", "#c9efff", ".1 15"),  # footprints
)
_SOILS = ("#4b3524", "#523a27", "#463122", "#4e3a2a", "#553c26")
_PEBBLES = (
    ((-38, -36), (22, 34), (37, -30), (-20, 40)),
    ((-36, 30), (34, 36), (28, -38), (-30, -34)),
    ((-40, -28), (-24, -40), (38, 30), (24, 40)),
    ((36, -38), (-36, 38), (-40, 26), (40, -24)),
)


@cache
def _bends(tunnels: int, link: int) -> tuple[tuple[int, int, str], ...]:
    """Return the paths through a half: the start of each from the middle of the half, and its course."""
    (end_x, end_y), ways = EDGES[link], []
    for side, (x, y) in enumerate(EDGES):
        if side != link and tunnels >> side & 1:
            bend = f"l{end_x - x} {end_y - y}" if (side + 2) % 4 == link else f"q{-x} {-y} {end_x - x} {end_y - y}"
            ways.append((x, y, bend))
    if not ways:  # a chamber
        ways.append((end_x, end_y, f"l{-end_x} {-end_y}"))
    return tuple(ways)


def earth(cards: list[tuple[int, int, int]], newest: int) -> str:
    """Draw the ground of cards `(x, y, turn)`, by the cell of half a, the later ones on top; `newest` has a rim."""
    drawn: list[str] = []
    dark: list[str] = []
    light: list[str] = []
    for number, (x, y, turn) in enumerate(cards):
        step_x, step_y = EDGES[OTHER_SIDE[turn][0]]
        left, top = 100 * x + min(0, 2 * step_x) - 49, 100 * y + min(0, 2 * step_y) - 49
        rim = "#ffd98a" if number == newest else "#8a6a48"
        drawn.append(
            f'<rect x="{left}" y="{top}" width="{98 + abs(2 * step_x)}" height="{98 + abs(2 * step_y)}" rx="9" '
            f'fill="{_SOILS[number % 5]}" stroke="{rim}"/>'
        )
        for half in range(2):
            at_x, at_y = 100 * x + 2 * step_x * half, 100 * y + 2 * step_y * half
            for stone, (off_x, off_y) in enumerate(_PEBBLES[(number + half) % 4]):
                spots = light if (stone + number) % 3 == 0 else dark
                spots.append(f"M{at_x + off_x} {at_y + off_y}h.1")
    return (
        f'<g class="cards" stroke-width="2.6">{"".join(drawn)}</g>'
        f'<path d="{"".join(dark)}" stroke="#35241a" stroke-width="9" stroke-linecap="round"/>'
        f'<path d="{"".join(light)}" stroke="#7c6750" stroke-width="7" stroke-linecap="round"/>'
    )


def digging(halves: list[Half], language: str) -> str:
    """Draw all tunnels of the halves on top, their chambers with pictures, and the water."""
    dry: list[str] = []
    wet: list[str] = []
    water: list[str] = []
    foam: list[str] = []
    chambers, things = [], []
    for half in halves:
        x, y = 100 * half.x, 100 * half.y
        (wet if half.flooded else dry).extend(
            f"M{x + at_x} {y + at_y}{bend}" for at_x, at_y, bend in _bends(half.tunnels, half.link)
        )
        if half.flooded:
            water.append(f"M{x - 42} {y - 48}h84q6 0 6 6v84q0 6 -6 6h-84q-6 0 -6 -6v-84q0 -6 6 -6z")
            foam.extend(f"M{x - 42} {y + row}q7 -8 14 0t14 0t14 0t14 0t14 0t14 0" for row in (-34, -3, 33))
        if half.tunnels == 1 << half.link:
            chambers.append(f"M{x - 11} {y}a11 11 0 1 0 22 0a11 11 0 1 0 -22 0z")
            drawn = place(x, y, _thing(half.picture))
            mark = PICTURE_MARKS.get(half.picture)
            things.append(titled(MARK_WORDS[language][mark], drawn) if mark else drawn)
    sheets = f'<path d="{"".join(water)}" fill="#0d3f68" stroke="#2e7fb5" stroke-width="2"/>' if water else ""
    waves = (
        f'<path d="{"".join(foam)}" fill="none" stroke="#d9f4ff" stroke-opacity=".55" stroke-width="3"/>'
        if foam
        else ""
    )
    waves = titled(MARK_WORDS[language][WATER_MARK], waves) if waves else ""
    return sheets + _strokes("".join(dry), "".join(wet), "".join(chambers)) + waves + "".join(things)


def _strokes(dry: str, wet: str, chambers: str) -> str:
    """Stroke the paths layer by layer."""
    drawn = []
    for number, (thick, colour, blue, dashes) in enumerate(_LAYERS):
        name = ("tunnels", "flooded", "chambers") if number == 0 else ("light",) * 3
        for path, stroke, fill, kind in (
            (dry, colour, "none", name[0]),
            (wet, blue, "none", name[1]),
            (chambers, colour, colour, name[2]),
        ):
            if path:
                more = f' stroke-dasharray="{dashes}"' if dashes else ""
                more += ' stroke-linecap="round"' if thick < 10 else ""
                drawn.append(
                    f'<path class="{kind}" d="{path}" fill="{fill}" stroke="{stroke}" stroke-width="{thick}"{more}/>'
                )
    return "".join(drawn)


@cache
def _thing(picture: int) -> str:
    """Draw the picture in the chamber of a blank half."""
    if picture == c.EXIT:
        return ART["way_out"]
    torches = place(-36, -30, ART["torch"], 0.8) + place(36, -30, ART["torch"], 0.8)
    if picture == c.RAINCOAT:
        return torches + place(0, -1, pieces.gathered("raincoat"), 1.05)
    if picture == c.ROPE:
        return torches + place(0, 0, pieces.gathered("rope"), 1.05)
    return torches


@cache
def card(kind: int, language: str) -> str:
    """Draw a card as it is held in a hand, unturned, 200 by 100 around the origin."""
    halves = [half_of(kind, 0, half, half, 0) for half in range(2)]
    letters = "".join(
        f'<circle cx="{x}" cy="33" r="14" fill="{pieces.INK}" fill-opacity=".72"/>'
        + text(x, 41, sign, 22, pieces.PAPER)
        for x, sign in ((-86, "a"), (86, "b"))
    )
    drawn = place(-50, 0, earth([(0, 0, 0)], 1) + digging(halves, language)) + letters
    frame = '<rect x="-100" y="-50" width="200" height="100" rx="11" fill="none" stroke="#d9b98a" stroke-width="3"/>'
    return titled(card_label(kind, language), drawn + frame)
