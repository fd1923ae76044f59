"""How the pieces of *Corre el encierro* look: fragments of SVG, each drawn around its own origin.

Nothing here knows the rules or a state; cards_drawn.py draws the cards, and scene.py lays it all out on the table.
"""

from functools import cache

from sobremesa.envs.core.drawing import place, text, titled, width_of
from sobremesa.envs.core.game import SEAT_SIGNS
from sobremesa.envs.corre_el_encierro.cards import LAST_LOCATION, LOCATION_NAMES, OBJECT_NAMES

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
    """Draw the token of `seat`: a disc in its colour with its number in a ring, and a red neckerchief below."""
    colour, ink = SEAT_COLOURS[seat], SEAT_INKS[seat]
    drawn = (
        '<ellipse cx="1" cy="15" rx="14" ry="4" fill="#000" fill-opacity=".25"/>'
        f'<circle r="16" fill="{colour}" stroke="{INK}" stroke-width="1.4"/>'
        f'<circle r="11.5" fill="none" stroke="{ink}" stroke-width="1.4"/>'
        + text(0, 5.6, str(seat), 16, ink)
        + f'<path d="M-12,10 Q0,17 12,10 L10,14 Q0,19 -10,14 Z" fill="{RED}" stroke="#fff" stroke-width=".8"/>'
        f'<path d="M-3,14.5 L3,14.5 L0,21 Z" fill="{RED}" stroke="#fff" stroke-width=".8" stroke-linejoin="round"/>'
    )
    return titled(SEAT_SIGNS[seat], place(0, 0, drawn, radius / 16))


def alarm(fill: str) -> str:
    """Draw the mark on a runner who is struck or waits for it."""
    return f'<circle r="8" fill="{fill}" stroke="#fff" stroke-width="1.5"/>' + text(0, 4.6, "!", 13, "#fff")


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


# The five objects; 44 wide and high.

_OBJECTS = (
    '<path d="M-7,-20 L-17,-15 L-14,-5 L-10,-7 V5 H10 V-7 L14,-5 L17,-15 L7,-20 Q0,-15 -7,-20 Z" fill="#fff"/>'
    '<path d="M-9,5 L-11,20 H-2 L0,10 L2,20 H11 L9,5 Z" fill="#fff"/>',
    f'<path d="M-19,-12 Q0,-4 19,-12 L1,17 Q0,18 -1,17 Z" fill="{RED}"/>'
    f'<path d="M-19,-12 Q0,-4 19,-12 Q12,-17 0,-15 Q-12,-17 -19,-12 Z" fill="#e2414f"/>'
    '<path d="M-4,4 h8 M0,1 v6" stroke="#ffd9a0" stroke-width="1.6"/>',
    f'<path d="M-19,-9 Q0,-2 19,-9 L19,2 Q0,9 -19,2 Z" fill="{RED}"/>'
    f'<path d="M8,0 L17,0 L19,17 L15,14 L12,18 L10,14 L6,17 Z" fill="#a91826"/>'
    '<path d="M-18,-4 Q0,3 18,-4" fill="none" stroke="#ff8a8f" stroke-width="1.4"/>',
    '<path d="M-19,3 C-21,-10 -7,-15 2,-14 C14,-14 21,-7 19,2 C14,8 -13,10 -19,3 Z" fill="#23262f"/>'
    '<path d="M-12,5 Q2,10 14,5 L13,10 Q0,14 -11,10 Z" fill="#14161c"/>'
    '<path d="M2,-14 q0,-5 3,-6" stroke="#23262f" stroke-width="2.5" fill="none"/>'
    '<path d="M-12,-3 Q-6,-10 2,-10" fill="none" stroke="#5b6070" stroke-width="2"/>',
    '<g transform="rotate(-38)"><rect x="-20" y="-7" width="40" height="14" rx="2" fill="#f4efe2"/>'
    '<ellipse cx="20" rx="3.4" ry="7" fill="#d9d0ba"/><path d="M20,-3 a1.6,3 0 1 0 .1,6" fill="none"/>'
    '<path d="M-16,-3 H6 M-16,0 H12 M-16,3 H4" stroke="#8c8474" stroke-width="1.3"/>'
    '<rect x="-4" y="-7.6" width="5" height="15.2" fill="#c8202f" stroke="none"/></g>',
)


@cache
def belonging(number: int, kept: bool) -> str:
    """Draw the object of this number in OBJECT_NAMES: on a medal while it is kept, its ghost once it is lost."""
    picture = f'<g stroke="{INK}" stroke-width="1.1" stroke-linejoin="round">{_OBJECTS[number]}</g>'
    box = 'x="-23" y="-24" width="46" height="48" rx="9"'
    if kept:
        body = f'<rect {box} fill="{SAND}" stroke="#c9a869" stroke-width="1.4"/>{place(0, 1, picture, 0.94)}'
        return titled(f"{OBJECT_NAMES[number]} ✓", body + place(17, -19, heart("#f08aa5")))
    cross = f'<path d="M-17,-18 L17,18 M17,-18 L-17,18" stroke="{RED}" stroke-width="3" stroke-linecap="round"/>'
    frame = f'<rect {box} fill="#fff" fill-opacity=".5" stroke="{FAINT}" stroke-width="1.2" stroke-dasharray="4 3"/>'
    ghost = f'<g opacity=".22">{place(0, 1, picture, 0.94)}</g><g opacity=".5">{cross}</g>'
    return titled(f"{OBJECT_NAMES[number]} ✗", frame + ghost)


def heart(fill: str) -> str:
    """Draw the heart that marks what can be lost."""
    return (
        '<path d="M0,6.5 C-8,1 -8,-5.5 -3.8,-5.5 C-1.6,-5.5 -.4,-4 0,-2.8 C.4,-4 1.6,-5.5 3.8,-5.5 '
        f'C8,-5.5 8,1 0,6.5 Z" fill="{fill}" stroke="#fff" stroke-width="1.2"/>'
    )


# Bulls and oxen.


@cache
def bull_head(coat: str, patch: str = "", horns: float = 1.0) -> str:
    """Draw the head of a bull from the front, with `patch` on its brow; about 44 wide and high."""
    horn = f"M-5,-14 C-12,-13 -17,-16 -{18 * horns:.1f},-{25 * horns:.1f} C-{25 * horns:.1f},-14 -19,-6 -8,-7 Z"
    ear = "M-9,-6 C-15,-9 -20,-6 -21,-1 C-17,1 -12,1 -9,-2 Z"
    sides = "".join(
        f'<g{flip}><path d="{horn}" fill="#fff4da"/><path d="{ear}" fill="{coat}"/></g>'
        for flip in ("", ' transform="scale(-1 1)"')
    )
    head = "M-10.5,-13 C-5,-18 5,-18 10.5,-13 C14,-7 11.5,3 8.5,9 C9.5,16 5.5,20 0,20 C-5.5,20 -9.5,16 -8.5,9 "
    return (
        f'<g stroke="{INK}" stroke-width="1.3" stroke-linejoin="round">{sides}'
        f'<path d="{head}C-11.5,3 -14,-7 -10.5,-13 Z" fill="{coat}"/></g>{patch}'
        f'<ellipse cy="13.5" rx="7.4" ry="5.6" fill="#d9a98a" stroke="{INK}" stroke-width="1"/>'
        f'<g fill="{INK}"><circle cx="-3" cy="12.8" r="1.4"/><circle cx="3" cy="12.8" r="1.4"/></g>'
        '<g fill="#fff"><circle cx="-6" cy="1" r="2.6"/><circle cx="6" cy="1" r="2.6"/></g>'
        f'<g fill="{INK}"><circle cx="-5.4" cy="1.6" r="1.5"/><circle cx="5.4" cy="1.6" r="1.5"/>'
        '<path d="M-10,-3.5 L-3,-.8 L-3,-2.6 Z M10,-3.5 L3,-.8 L3,-2.6 Z"/></g>'
    )


@cache
def ox_head() -> str:
    """Draw the head of one of the Cabestros: fawn and white, long horns, a bell at its neck."""
    blaze = '<path d="M0,-16 C4,-10 3,2 4,9 H-4 C-3,2 -4,-10 0,-16 Z" fill="#fff6e4"/>'
    bell = (
        '<path d="M-9,19 Q0,24 9,19" fill="none" stroke="#5b3216" stroke-width="3"/>'
        f'<path d="M-5,32 C-4,26 -4,22 0,22 C4,22 4,26 5,32 Z" fill="{GOLD}" stroke="{INK}" stroke-width="1"/>'
        f'<circle cy="33" r="2" fill="{INK}"/>'
    )
    return bell + bull_head("#b8783f", blaze, 1.16)


@cache
def charging_bull(coat: str, spots: str = "") -> str:
    """Draw a bull at full gallop to the right in a cloud of dust; about 140 wide and 90 high."""
    dust = "".join(
        f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in ((-58, 33, 10), (-42, 38, 8), (-70, 24, 7), (22, 38, 7))
    )
    far = "M-36,8 L-58,20 L-60,31 M26,10 L46,24 L57,22"
    near = "M-30,8 L-44,26 L-57,34 M18,12 L28,30 L42,34"
    body = (
        "M-50,-8 C-50,-24 -34,-28 -14,-26 C-2,-38 22,-40 34,-28 C46,-28 54,-18 58,-9 L66,6 C66,14 58,17 53,13 "
        "C46,11 42,8 38,8 C34,18 22,20 8,18 C-6,18 -20,15 -30,16 C-44,17 -51,6 -50,-8 Z"
    )
    legs = "".join(
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick}" stroke-linecap="round" '
        'stroke-linejoin="round"/>'
        for path, colour, thick in ((far, INK, 10), (far, coat, 7), (near, INK, 11), (near, coat, 8))
    )
    return (
        f'<g fill="#fff6e0">{dust}</g><path d="M-66,-22 h-14 M-60,-8 h-18 M-62,6 h-16" stroke="#fff6e0" '
        'stroke-width="3.5" stroke-linecap="round"/>'
        f'<path d="M-49,-12 C-62,-18 -60,-34 -74,-36" fill="none" stroke="{INK}" stroke-width="4" '
        f'stroke-linecap="round"/>{legs}'
        f'<path d="{body}" fill="{coat}" stroke="{INK}" stroke-width="2" stroke-linejoin="round"/>{spots}'
        f'<path d="M40,-23 C48,-30 60,-30 64,-42 C72,-28 62,-18 50,-15 Z" fill="#fff4da" stroke="{INK}" '
        'stroke-width="1.6" stroke-linejoin="round"/>'
        f'<circle cx="50" cy="-8" r="3.6" fill="#fff"/><circle cx="51" cy="-7.4" r="2" fill="{RED}"/>'
        f'<circle cx="61" cy="8" r="1.7" fill="{INK}"/>'
        '<path d="M66,12 q9,-1 11,5 M65,16 q6,3 5,8" fill="none" stroke="#cbb" stroke-width="2"/>'
    )


# The course.

_VIEWS = (
    '<path d="M-86,4 L-10,-8 L86,-22 V49 H-86 Z" fill="#cdb088"/><path d="M-86,34 L86,8 V49 H-86 Z" fill="#e6cf9f"/>'
    '<path d="M-86,8 L86,-18 M-86,20 L86,-5" stroke="#b7976a" stroke-width="1.5" stroke-dasharray="16 3"/>'
    '<path d="M-12,10 v-18 a10,11 0 0 1 20,0 v15 z" fill="#8c6a42"/><path d="M-5,6 l3,-12 l3,12 z" fill="#c8202f"/>'
    '<circle cx="-2" cy="-8" r="3" fill="#f0c49a"/>',
    '<path d="M-46,49 V-14 H46 V49 Z M-14,-14 L0,-24 L14,-14 Z" fill="#e9cfa8"/>'
    '<path d="M-36,-6 h12 v14 h-12 z M-6,-6 h12 v14 h-12 z M24,-6 h12 v14 h-12 z M-8,49 v-24 a8,8 0 0 1 16,0 v24 z '
    'M-36,20 h12 v16 h-12 z M24,20 h12 v16 h-12 z" fill="#cda873"/>'
    '<path d="M-46,12 H46" stroke="#c8202f" stroke-width="3" stroke-dasharray="9 5"/>',
    '<path d="M-78,49 V-12 H-30 V49 Z M-26,49 V-20 H26 V49 Z M30,49 V-10 H78 V49 Z" fill="#ecd3ab"/>'
    '<path d="M-78,14 h48 l5,10 h-58 z" fill="#dd7a66"/><path d="M-26,14 h52 l5,10 h-62 z" fill="#c9b178"/>'
    '<path d="M30,14 h48 l5,10 h-58 z" fill="#dd7a66"/>',
    "".join(
        f'<path d="M{x},49 V{-20 + 6 * (x % 3)} h30 V49 Z" fill="#ebd2a6"/><path d="M{x + 5},-8 h8 v12 h-8 z '
        f'M{x + 17},-8 h8 v12 h-8 z M{x + 5},16 h8 v12 h-8 z M{x + 17},16 h8 v12 h-8 z" fill="#cfab76"/>'
        f'<path d="M{x + 3},6 h24 M{x + 3},30 h24" stroke="#b98a4e" stroke-width="2"/>'
        for x in (-80, -48, -16, 16, 48)
    ),
    '<path d="M-60,49 V-18 H60 V49 Z" fill="#e8cda2"/><g fill="none" stroke="#c19a62" stroke-width="5" '
    'stroke-linecap="round"><path d="M-22,4 C-18,-16 18,-16 22,4"/></g>'
    '<path d="M-29,2 h14 v9 h-14 z M15,2 h14 v9 h-14 z" fill="#c19a62"/><circle cy="14" r="13" fill="#d8b680"/>',
    '<path d="M-86,-22 H86 V49 H-86 Z" fill="#dfc08d"/><path d="M-34,49 V12 C-34,-22 34,-22 34,12 V49 Z" '
    'fill="#8a6239"/><path d="M-22,49 V18 C-22,-8 22,-8 22,18 V49 Z" fill="#5f4127"/>'
    '<path d="M-86,22 H-34 M-86,34 H-34 M34,22 H86 M34,34 H86" stroke="#b97a3d" stroke-width="5"/>',
)  # behind the runners on each location but the last


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
        + text(left + 16, top + 18.8, str(number), 15, fill)
        + text(13, top + 18.6, LOCATION_NAMES[number - 1], 14, ink, room=TILE_WIDTH - 36)
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
        f"{_VIEWS[number - 1]}"
        f'{_band(number, RED, "#fff")}<rect {box} fill="none" stroke="{DARK_RED}" stroke-width="2.2"/>',
    )


@cache
def closed_location(number: int, word: str, nailed: bool) -> str:
    """Draw the card of a location that has been turned down; once it is `nailed` up a plank says so in a `word`."""
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
    arches = "".join(f'<path d="M{x},58 v-13 a6,6 0 0 1 12,0 v13 z"/>' for x in range(-78, 78, 18))
    return titled(
        f"{LAST_LOCATION} {LOCATION_NAMES[-1]}",
        '<ellipse cx="2" cy="14" rx="104" ry="68" fill="#000" fill-opacity=".22"/>'
        f'<path d="M-100,4 V40 C-100,92 100,92 100,40 V4 Z" fill="#c4573f" stroke="{DARK_RED}" stroke-width="2"/>'
        f'<g fill="#7f2d22" transform="translate(0 8)">{arches}</g>'
        f'<ellipse cy="4" rx="100" ry="60" fill="#d9705a" stroke="{DARK_RED}" stroke-width="2"/>'
        '<ellipse cy="6" rx="86" ry="49" fill="none" stroke="#fff" stroke-width="7" stroke-dasharray="9 7" '
        'stroke-opacity=".75"/>'
        f'<ellipse cy="8" rx="74" ry="40" fill="#f0cf8e" stroke="{WOOD_DARK}" stroke-width="4"/>'
        '<ellipse cy="8" rx="54" ry="27" fill="none" stroke="#fff" stroke-width="2"/>'
        f'<rect x="-86" y="-60" width="172" height="27" rx="10" fill="{RED}" stroke="{DARK_RED}" stroke-width="2"/>'
        + place(0, -10, _number_and_name(LAST_LOCATION, RED, "#fff")),
    )


@cache
def ground(width: int, height: int) -> str:
    """Draw the table, the garland over it and the street of cobbles between its fences."""
    street = "M" + " L".join(f"{x},{y}" for x, y in COURSE)
    layers = (
        ("#744520", 76, ""), ("#b97a3d", 72, ""), ("#744520", 72, ' stroke-dasharray="2 24"'), ("#d9c7a4", 60, ""),
        ("#c4ae86", 60, ' stroke-dasharray="1.5 11"'), ("#c4ae86", 22, ""), ("#d9c7a4", 19, ""),
        ("#c4ae86", 1.5, ""),
    )  # fmt: skip
    way = "".join(
        f'<path d="{street}" fill="none" stroke="{colour}" stroke-width="{thick}" stroke-linejoin="round"{dash}/>'
        for colour, thick, dash in layers
    )
    glow = '<stop offset="0" stop-color="#fffaf0"/><stop offset="1" stop-color="#f3dfb6"/>'
    return (
        f'<defs><radialGradient id="encierro-sand" cx=".45" cy=".3" r=".8">{glow}</radialGradient></defs>'
        f'<rect width="{width}" height="{height}" fill="url(#encierro-sand)"/>{way}{bunting(width)}'
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
    return f'<path d="M0,3 Q250,12 500,5 T{width},3" fill="none" stroke="{DARK_RED}"/>{"".join(flags)}'


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
