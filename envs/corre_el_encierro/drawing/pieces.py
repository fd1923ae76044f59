"""Pieces of *Corre el encierro* as SVG fragments, each around its own origin.

This module knows neither the rules nor a state; cards.py draws the cards, and scene.py arranges the table.
"""

from functools import cache
from pathlib import Path

from sobremesa.envs.core.picture.drawing import place, symbols, text, titled, width_of
from sobremesa.envs.core.picture.words import key
from sobremesa.envs.corre_el_encierro.cards import LAST_LOCATION, LOCATION_NAMES, OBJECT_NAMES
from sobremesa.envs.corre_el_encierro.text.cards import object_name

# Told apart by every common kind of colour vision: a light and a dark of warm and of cold; ink to write on it.
SEAT_COLOURS = ("#e2562b", "#56b4e9", "#f4cf4a", "#7d49ad", "#1f8a63")
SEAT_INKS = ("#ffffff", "#10222e", "#2e2408", "#ffffff", "#ffffff")

INK = "#3a1f1a"
FAINT = "#8a6a55"
RED = "#c8202f"
DARK_RED = "#8e1420"
GOLD = "#f2b632"
CREAM = "#fffaf0"
SAND = "#efd9ac"
WOOD, WOOD_DARK = "#b97a3d", "#744520"
TILE_WIDTH, TILE_HEIGHT = 172, 100  # a location
COURSE = ((106, 314), (106, 150), (303, 136), (500, 150), (697, 136), (894, 150), (882, 326))  # where each lies

BULLS, MARKS, _COURSE, _OBJECTS = (
    symbols(Path(__file__).with_name(f"{family}.svg")) for family in ("bulls", "marks", "course", "objects")
)


def name_of(words: str) -> str:
    """Return a name as the .svg files write it: small letters without accents, with hyphens."""
    return key(words.replace(" ", "-"), "-")


@cache
def badge(right: float, y: float, words: str, fill: str, ink: str) -> tuple[str, float]:
    """Write `words` on a badge that ends at `right`, its middle at height `y`; return it and where it begins."""
    width = 20 + 13 * width_of(words)
    return (
        f'<rect x="{right - width:.1f}" y="{y - 10.5:.1f}" width="{width:.1f}" height="21" rx="10.5" fill="{fill}" '
        f'stroke="#fff" stroke-width="1.5"/>' + text(right - width / 2, y + 4.6, words, 13, ink)
    ), right - width


def stamp(words: str) -> str:
    """Stamp `words` askew, centred at the origin."""
    width = 44 + 26 * width_of(words.upper())
    return (
        f'<g transform="rotate(-4)" opacity=".75"><rect x="{-width / 2:.1f}" y="-24" width="{width:.1f}" height="48" '
        f'rx="8" fill="none" stroke="{RED}" stroke-width="4"/>{text(0, 9.5, words.upper(), 26, RED)}</g>'
    )


# The runners.


@cache
def runner(seat: int, radius: float = 16.0) -> str:
    """Draw the token of `seat`: a disc in its colour, its number from 1 in a ring, a red neckerchief below."""
    colour, ink = SEAT_COLOURS[seat], SEAT_INKS[seat]
    drawn = (
        '<ellipse cx="1" cy="15" rx="14" ry="4" fill="#000" fill-opacity=".25"/>'
        f'<circle r="16" fill="{colour}" stroke="{INK}" stroke-width="1.4"/>'
        f'<circle r="11.5" fill="none" stroke="{ink}" stroke-width="1.4"/>'
        + text(0, 5.6, str(seat + 1), 16, ink)
        + f'<path d="M-12,10 Q0,17 12,10 L10,14 Q0,19 -10,14 Z" fill="{RED}" stroke="#fff" stroke-width=".8"/>'
        f'<path d="M-3,14.5 L3,14.5 L0,21 Z" fill="{RED}" stroke="#fff" stroke-width=".8" stroke-linejoin="round"/>'
    )
    return titled(str(seat + 1), place(0, 0, drawn, radius / 16))


def alarm(fill: str) -> str:
    """Draw the mark on a runner who is struck or waits for it."""
    return MARKS["alarm"].format(fill=fill)


@cache
def burst(radius: float) -> str:
    """Draw the star of an impact."""
    points = []
    for turn in range(20):
        reach = radius if turn % 2 == 0 else radius * 0.76
        points.append(f"{reach * _COSINES[turn % 20]:.1f},{reach * _COSINES[(turn + 15) % 20]:.1f}")
    return f'<polygon points="{" ".join(points)}" fill="#ffd43b" stroke="{RED}" stroke-width="2"/>'


_COSINES = (
    1.0, 0.951, 0.809, 0.588, 0.309, 0.0, -0.309, -0.588, -0.809, -0.951,
    -1.0, -0.951, -0.809, -0.588, -0.309, 0.0, 0.309, 0.588, 0.809, 0.951,
)  # fmt: skip


@cache
def fence(width: float) -> str:
    """Draw the barrier that a runner jumps: two planks on posts, `width` wide."""
    half = width / 2
    posts = "".join(
        f'<rect x="{x - 2:g}" y="-9" width="4" height="19" rx="1" fill="{WOOD_DARK}"/>' for x in (-half + 4, half - 4)
    )
    planks = "".join(
        f'<rect x="{-half:g}" y="{y}" width="{width:g}" height="6" rx="1.5" fill="{WOOD}" stroke="{WOOD_DARK}"/>'
        for y in (-7, 2)
    )
    return posts + planks


@cache
def belonging(number: int, kept: bool, language: str) -> str:
    """Draw an object by its number in OBJECT_NAMES: on a medal while kept, as a ghost once lost."""
    drawn, name = _OBJECTS[name_of(OBJECT_NAMES[number])], object_name(number, language)
    picture = f'<g stroke="{INK}" stroke-width="1.1" stroke-linejoin="round">{drawn}</g>'
    box = 'x="-23" y="-24" width="46" height="48" rx="9"'
    if kept:
        body = f'<rect {box} fill="{SAND}" stroke="#c9a869" stroke-width="1.4"/>{place(0, 1, picture, 0.94)}'
        return titled(f"{name} ✓", body + place(17, -19, heart("#f08aa5")))
    cross = f'<path d="M-17,-18 L17,18 M17,-18 L-17,18" stroke="{RED}" stroke-width="3" stroke-linecap="round"/>'
    frame = f'<rect {box} fill="#fff" fill-opacity=".5" stroke="{FAINT}" stroke-width="1.2" stroke-dasharray="4 3"/>'
    ghost = f'<g opacity=".22">{place(0, 1, picture, 0.94)}</g><g opacity=".5">{cross}</g>'
    return titled(f"{name} ✗", frame + ghost)


def heart(fill: str) -> str:
    """Draw the heart that marks objects."""
    return MARKS["heart"].format(fill=fill)


# Bulls and oxen.


@cache
def bull_head(coat: str, brow: str = "", horns: float = 1.0) -> str:
    """Draw the head of a bull from the front, with a patch on its brow; about 44 wide and high."""
    horn = f"M-5,-14 C-12,-13 -17,-16 -{18 * horns:.1f},-{25 * horns:.1f} C-{25 * horns:.1f},-14 -19,-6 -8,-7 Z"
    return BULLS["head"].format(coat=coat, brow=brow, horn=horn)


@cache
def ox_head() -> str:
    """Draw the head of one of the Cabestros: fawn and white, long horns, a bell at its neck."""
    return BULLS["bell"] + bull_head("#b8783f", BULLS["ox-brow"], 1.16)


@cache
def charging_bull(coat: str, flank: str = "") -> str:
    """Draw a bull at full gallop to the right in a cloud of dust; about 140 wide and 90 high."""
    return BULLS["charging"].format(coat=coat, flank=flank)


# The course.


def _band(number: int, fill: str, ink: str) -> str:
    """Draw the number and the name of a location on the upper edge of its card."""
    half, top = TILE_WIDTH / 2, -TILE_HEIGHT / 2
    return (
        f'<path d="M{-half:g},{top + 27:g} V{top + 10:g} q0,-10 10,-10 H{half - 10:g} q10,0 10,10 V{top + 27:g} Z" '
        f'fill="{fill}"/>{_number_and_name(number, fill, ink)}'
    )


def _number_and_name(number: int, fill: str, ink: str) -> str:
    left, top = -TILE_WIDTH / 2, -TILE_HEIGHT / 2
    return (
        f'<circle cx="{left + 16:g}" cy="{top + 13.5:g}" r="10.5" fill="{ink}"/>'
        + text(left + 16, top + 19.6, str(number), 17, fill)
        + text(13, top + 20, LOCATION_NAMES[number - 1], 19, ink, room=TILE_WIDTH - 38)
    )


@cache
def location(number: int) -> str:
    """Draw the card of an open location; the last one is the ring."""
    if number == LAST_LOCATION:
        return _bullring()
    box = f'x="{-TILE_WIDTH / 2:g}" y="{-TILE_HEIGHT / 2:g}" width="{TILE_WIDTH}" height="{TILE_HEIGHT}" rx="10"'
    return titled(
        f"{number} {LOCATION_NAMES[number - 1]}",
        f'<rect {box} transform="translate(1 4)" fill="#000" fill-opacity=".25"/><rect {box} fill="#d3e9f2"/>'
        f"{_COURSE[name_of(LOCATION_NAMES[number - 1])]}"
        f'{_band(number, RED, "#fff")}<rect {box} fill="none" stroke="{DARK_RED}" stroke-width="2.2"/>',
    )


@cache
def closed_location(number: int, word: str, nailed: bool) -> str:
    """Draw the card of a closed location; a `nailed` one has a plank with a `word`."""
    half, top = TILE_WIDTH / 2, -TILE_HEIGHT / 2
    box = f'x="{-half:g}" y="{top:g}" width="{TILE_WIDTH}" height="{TILE_HEIGHT}" rx="10"'
    plank = (
        f'<g transform="rotate(-9)"><rect x="-60" y="19" width="120" height="22" rx="3" fill="{WOOD}" '
        f'stroke="{WOOD_DARK}" stroke-width="1.5"/>{text(0, 35.5, word, 15, "#fff3da", room=110)}</g>'
    )
    bars = "".join(f"M{x},{top + 30:g} l-40,{TILE_HEIGHT - 34}" for x in range(-36, 87, 20))
    return titled(
        f"{number} {LOCATION_NAMES[number - 1]}: {word}",
        f'<rect {box} transform="translate(1 4)" fill="#000" fill-opacity=".25"/><rect {box} fill="#6d5546"/>'
        f'<path d="{bars}" stroke="#5c4538" stroke-width="7"/>{_band(number, "#4c3a30", "#d8c6b0")}'
        f"{plank if nailed else ''}"
        f'<rect {box} fill="none" stroke="#3d2d25" stroke-width="2.2"/>',
    )


def _bullring() -> str:
    return titled(
        f"{LAST_LOCATION} {LOCATION_NAMES[-1]}",
        _COURSE[name_of(LOCATION_NAMES[-1])] + place(0, -10, _number_and_name(LAST_LOCATION, RED, "#fff")),
    )


@cache
def ground(width: int, height: int) -> str:
    """Draw the table, the garland over it and the street of the wide picture."""
    return f"{sand(width, height)}{street(COURSE)}{bunting(width)}"


def sand(width: int, height: int) -> str:
    """Draw the sand that covers the table."""
    glow = '<stop offset="0" stop-color="#fffaf0"/><stop offset="1" stop-color="#f3dfb6"/>'
    return (
        f'<defs><radialGradient id="encierro-sand" cx=".45" cy=".3" r=".8">{glow}</radialGradient></defs>'
        f'<rect width="{width}" height="{height}" fill="url(#encierro-sand)"/>'
    )


@cache
def street(course: tuple[tuple[int, int], ...]) -> str:
    """Draw the street of cobbles between its fences, along the middles of the locations."""
    street = "M" + " L".join(f"{x},{y}" for x, y in course)
    layers = (
        ("#744520", 76, ""), ("#b97a3d", 72, ""), ("#744520", 72, ' stroke-dasharray="2 24"'), ("#d9c7a4", 60, ""),
        ("#c4ae86", 60, ' stroke-dasharray="1.5 11"'), ("#c4ae86", 22, ""), ("#d9c7a4", 19, ""),
        ("#c4ae86", 1.5, ""),
    )  # fmt: skip
    return "".join(
        f'<path d="{street}" fill="none" stroke="{colour}" stroke-width="{thick}" stroke-linejoin="round"{dash}/>'
        for colour, thick, dash in layers
    )


@cache
def bunting(width: int) -> str:
    """Draw a garland of neckerchiefs along the upper edge of the table."""
    flags = []
    for number, x in enumerate(range(10, width, 49)):
        sag = (0, 5, 8, 5)[number % 4]
        fill, mark = ((RED, "#ffd9a0"), (CREAM, RED))[number % 2]
        flags.append(
            f'<path d="M{x - 19},{2 + sag} h38 L{x},{25 + sag} Z" fill="{fill}" stroke="{DARK_RED}" stroke-width="1"/>'
            f'<path d="M{x - 4},{9 + sag} h8 M{x},{6 + sag} v7" stroke="{mark}" stroke-width="1.8"/>'
        )
    return (
        f'<path d="M0,3 Q{width / 4:g},12 {width / 2:g},5 T{width},3" fill="none" stroke="{DARK_RED}"/>{"".join(flags)}'
    )


@cache
def confetti(width: int, height: int) -> str:
    """Strew confetti over the table of a deal that is over, always the same."""
    colours = (RED, "#ffffff", GOLD, "#56b4e9", "#1f8a63")
    bits = (
        f'<rect x="{(step * 0.7548776662) % 1 * width:.0f}" y="{(step * 0.5698402910) % 1 * height:.0f}" width="9" '
        f'height="5" fill="{colours[step % 5]}" transform="rotate({step * 37 % 90 - 45} '
        f'{(step * 0.7548776662) % 1 * width:.0f} {(step * 0.5698402910) % 1 * height:.0f})"/>'
        for step in range(1, 120)
    )
    return f'<g stroke="{FAINT}" stroke-opacity=".3" stroke-width=".6">{"".join(bits)}</g>'
