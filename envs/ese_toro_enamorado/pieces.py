"""How the pieces of *Ese Toro enamorado* look: fragments of SVG, each drawn around its own origin.

Nothing here knows the rules or a state; scene.py lays these fragments out on the table.
"""

from html import escape

from sobremesa.envs.core.drawing import place
from sobremesa.envs.ese_toro_enamorado.board import CRESCENT, FENCE, FULL, LILY, NEW, POPPY, ROSEMARY

# Told apart by every common kind of colour vision (two warm, two cold, a light and a dark of each); ink to write on it.
SEAT_COLOURS = ("#e2562b", "#62bdf0", "#f4cf4a", "#8a4fb8")
SEAT_INKS = ("#ffffff", "#10222e", "#2e2408", "#ffffff")

INK = "#2b1d1a"
PARCHMENT = "#fbf3de"
GOLD = "#f0c25a"
BACK = "#54304a"
TILE_SIZE = 34.0

# The two lights in which the table is seen. Gradients have their names in their ids, so that pictures can share a page.
LIGHTS = {
    "dusk": {
        "sky": "#fbdca0", "sky_mid": "#f5b27f", "sky_low": "#c97b78", "hill": "#b0656b", "hill_near": "#7f4658",
        "ink": "#45201f", "faint": "#7a4a40", "card": "#fff4dd", "card_opacity": ".84", "star": "none",
        "accent": "#a8361f", "grass": "#cbc36c", "grass_edge": "#87913f", "tuft": "#7d8a3a", "leaf": "#6c8248",
        "leaf_lit": "#96a865", "trunk": "#6b4a30", "path_edge": "#9c7442", "path": "#e6c48c", "path_fleck": "#c69d62",
        "stone": "#f7eedb", "stone_edge": "#8b7a63", "stone_ink": "#3d2f24", "sand": "#f6e3b4", "sand_edge": "#cfae70",
        "lake": "#8fd0d6", "lake_deep": "#3c8fae", "ripple": "#e9fbf7", "water_ink": "#0d3c52", "lit": "#b08d7c",
        "shade": "#86635e", "snow": "#fffaf0", "snow_shade": "#e3cfd0", "foot": "#8f9344",
    },
    "night": {
        "sky": "#0a1230", "sky_mid": "#1a2558", "sky_low": "#3b3a78", "hill": "#1c2450", "hill_near": "#121838",
        "ink": "#f6efd9", "faint": "#a9b3d6", "card": "#0d1638", "card_opacity": ".84", "star": "#fff6d8",
        "accent": "#f0c25a", "grass": "#3a6e67", "grass_edge": "#173843", "tuft": "#568f7d", "leaf": "#1d4547",
        "leaf_lit": "#447a6e", "trunk": "#2a2530", "path_edge": "#1f3038", "path": "#8f8777", "path_fleck": "#b3aa95",
        "stone": "#d9dced", "stone_edge": "#3a4260", "stone_ink": "#1d2340", "sand": "#b3af99", "sand_edge": "#5d6068",
        "lake": "#2a6bb0", "lake_deep": "#0b2356", "ripple": "#9cc7f2", "water_ink": "#c3defa", "lit": "#6d7398",
        "shade": "#454a70", "snow": "#eef2ff", "snow_shade": "#b3bee0", "foot": "#1d4447",
    },
}  # fmt: skip

_MOONLIGHT, _MOONSHADE = "#fff4cf", "#1b2746"


def text(x: float, y: float, words: str, size: float, fill: str, more: str = 'text-anchor="middle"') -> str:
    """Write `words` with their baseline at (x, y)."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{fill}" {more}>{escape(words)}</text>'


def plate(x: float, y: float, words: str) -> str:
    """Write `words` on a small dark plate centred at (x, y), readable over anything."""
    width = 9 + 7 * len(words)
    return place(
        x,
        y,
        f'<rect x="{-width / 2:g}" y="-7" width="{width}" height="14" rx="5" fill="#1c1620" fill-opacity=".82"/>'
        + text(0, 3.8, words, 10.5, "#fff6e0", 'text-anchor="middle" font-weight="bold"'),
    )


def badge(right: float, y: float, words: str) -> str:
    """Write `words` on a golden badge that ends at `right`, its middle at height `y`."""
    width = 20 + 7.2 * len(words)
    return (
        f'<rect x="{right - width:.1f}" y="{y - 10.5:.1f}" width="{width:.1f}" height="21" rx="10.5" fill="{GOLD}"/>'
        + text(right - width / 2, y + 4.2, words, 12, INK, 'text-anchor="middle" font-weight="bold"')
    )


def bull(seat: int) -> str:
    """Draw the head of the bull of `seat` in its colour, with its number; about 42 wide and 44 high."""
    colour, ink = SEAT_COLOURS[seat], SEAT_INKS[seat]
    horn = "M-5,-15.5 C-12,-15 -16,-17.5 -17.5,-25 C-23.5,-16 -19,-8 -8,-8.5 Z"
    ear = "M-9,-7 C-15,-10 -20,-7 -21,-2.5 C-17,0 -12,0 -9,-3 Z"
    sides = "".join(
        f'<g{flip}><path d="{horn}" fill="#fff8e8" stroke="{INK}" stroke-width="1.3" stroke-linejoin="round"/>'
        f'<path d="{ear}" fill="{colour}" stroke="{INK}" stroke-width="1.3" stroke-linejoin="round"/></g>'
        for flip in ("", ' transform="scale(-1 1)"')
    )
    head = "M-10.5,-14 C-5,-18.5 5,-18.5 10.5,-14 C14,-8 11.5,2 8.5,8 C9.5,15 5.5,19 0,19 C-5.5,19 -9.5,15 -8.5,8 "
    return (
        '<ellipse cx="1" cy="18" rx="15" ry="4.5" fill="#000" fill-opacity=".28"/>'
        f"{sides}"
        f'<path d="{head}C-11.5,2 -14,-8 -10.5,-14 Z" fill="{colour}" stroke="{INK}" stroke-width="1.5"/>'
        f'<ellipse cy="12.5" rx="7.8" ry="5.8" fill="#f6dcc2" stroke="{INK}" stroke-width="1"/>'
        f'<path d="M-2.8,14.5 a2.9,3.2 0 1 0 5.6,0" fill="none" stroke="#c08a1e" stroke-width="1.5"/>'
        f'<g fill="{INK}"><ellipse cx="-3.1" cy="11.5" rx="1.3" ry="1.7"/>'
        '<ellipse cx="3.1" cy="11.5" rx="1.3" ry="1.7"/></g>'
        '<g fill="#fff"><circle cx="-7" cy="1.8" r="2.3"/><circle cx="7" cy="1.8" r="2.3"/></g>'
        f'<g fill="{INK}"><circle cx="-6.6" cy="2.3" r="1.4"/><circle cx="6.6" cy="2.3" r="1.4"/></g>'
        + text(0, 0.6, str(seat), 14.5, ink, 'text-anchor="middle" font-weight="bold"')
    )


def heart() -> str:
    """Draw the small heart of a bull that has met the moon; about 14 wide."""
    return (
        '<path d="M0,6.5 C-8,1 -8,-5.5 -3.8,-5.5 C-1.6,-5.5 -.4,-4 0,-2.8 C.4,-4 1.6,-5.5 3.8,-5.5 '
        'C8,-5.5 8,1 0,6.5 Z" fill="#ff5d7d" stroke="#fff" stroke-width="1.3"/>'
    )


def moon(phase: int, radius: float) -> str:
    """Draw the moon: lit on the right when waxing, on the left when waning, a dark disc with a faint rim when new."""
    r = f"{radius:g}"
    disc = (
        f'<circle r="{r}" fill="{_MOONSHADE}" stroke="#cdd3ea" stroke-opacity=".9" stroke-width="{radius / 14:.2f}"/>'
    )
    if phase == NEW:
        return disc + _seas(radius, "#33426b")
    if phase == FULL:
        return f'<circle r="{r}" fill="{_MOONLIGHT}"/>' + _seas(radius, "#e9d59b")
    outward, inward = (1, 0) if phase == CRESCENT else (0, 1)
    lit = f"M0,-{r} A{r},{r} 0 0 {outward} 0,{r} A{radius * 0.42:.2f},{r} 0 0 {inward} 0,-{r} Z"
    return f'{disc}<path d="{lit}" fill="{_MOONLIGHT}"/>'


def shining_moon(phase: int, radius: float, mood: str) -> str:
    """Draw the moon in its glow, which is faint when it is new."""
    opacity = 0.35 if phase == NEW else 1
    return f'<circle r="{radius * 2:g}" fill="url(#glow-{mood})" opacity="{opacity}"/>{moon(phase, radius)}'


def setting_sun(radius: float, mood: str) -> str:
    """Draw the sun of the first evening, before the moon has risen."""
    return (
        f'<circle r="{radius * 2:g}" fill="url(#glow-{mood})"/><circle r="{radius:g}" fill="#ffe3a1"/>'
        f'<circle r="{radius * 0.86:g}" fill="#ffd37c"/>'
    )


def _seas(radius: float, colour: str) -> str:
    spots = ((-0.32, -0.28, 0.26), (0.3, 0.08, 0.2), (-0.16, 0.42, 0.16), (0.28, -0.46, 0.11), (-0.58, 0.16, 0.1))
    circles = (f'<circle cx="{x * radius:.1f}" cy="{y * radius:.1f}" r="{size * radius:.1f}"/>' for x, y, size in spots)
    return f'<g fill="{colour}" fill-opacity=".8">{"".join(circles)}</g>'


def marker(phase: int, held: int, faint: str) -> str:
    """Draw the marker of a phase: a gold coin when `held`, with the number of them when several, else a ghost."""
    if not held:
        ring = f'<circle r="14" fill="none" stroke="{faint}" stroke-width="1.2" stroke-dasharray="2.5 3"/>'
        return f'<g opacity=".55">{ring}<g opacity=".45">{moon(phase, 9.5)}</g></g>'
    coin = f'<circle r="14.5" fill="{GOLD}" stroke="#8c6417" stroke-width="1.2"/>'
    shine = '<circle r="12.2" fill="#3a4a78"/>'
    several = ""
    if held > 1:
        several = place(
            12,
            -10,
            '<rect x="-10" y="-7.5" width="20" height="15" rx="7.5" fill="#c8324f" stroke="#fff" stroke-width="1"/>'
            + text(0, 4, f"×{held}", 10.5, "#fff", 'text-anchor="middle" font-weight="bold"'),
        )
    return coin + shine + moon(phase, 10.5) + several


def _fence() -> str:
    picket = "M-2.7,11 V-8 L0,-11.5 L2.7,-8 V11 Z"
    pickets = "".join(f'<path d="{picket}" transform="translate({x} 0)" fill="#b5793c"/>' for x in (-8.5, 0, 8.5))
    rails = (
        '<rect x="-13" y="-5" width="26" height="3.4" fill="#8f5a28"/>'
        '<rect x="-13" y="4" width="26" height="3.4" fill="#8f5a28"/>'
    )
    return f'<g stroke="#4e2f13" stroke-width=".9" stroke-linejoin="round">{rails}{pickets}</g>'


def _poppy() -> str:
    petal = "M0,-2.5 C-8,-5 -9,-13 -1,-13 C7,-13.5 8,-5 0,-2.5 Z"
    petals = "".join(
        f'<path d="{petal}" transform="translate(0 -2.5) rotate({turn} 0 -2.5)" fill="{red}"/>'
        for turn, red in ((180, "#b3122a"), (90, "#cf1c31"), (270, "#cf1c31"), (0, "#e5344a"))
    )
    return (
        '<path d="M0,2 C1,6 .5,9 -1,13" fill="none" stroke="#4b7a35" stroke-width="2"/>'
        '<path d="M0,9 C4,5 8,6 9,4 C9,9 5,12 -.5,11.5 Z" fill="#5f9443"/>'
        f'<g transform="translate(0 .6) scale(.88)" stroke="#7d0c1e" stroke-width=".7">{petals}</g>'
        '<circle cy="-4" r="3" fill="#23151b"/><circle cy="-4" r="1.2" fill="#8fae5a"/>'
    )


def _rosemary() -> str:
    leaves, flowers = [], []
    for step in range(6):
        x, y = -5 + 1.9 * step, 9 - 3.7 * step
        for turn in (-78, 22):
            leaves.append(
                f'<ellipse cy="-4.4" rx="1.5" ry="{5.4 - 0.35 * step:.2f}" '
                f'transform="translate({x:.1f} {y:.1f}) rotate({turn})"/>'
            )
    for x, y in ((-7.5, 1), (0.5, 7), (-3.5, -7.5), (6, 0)):
        flowers.append(f'<circle cx="{x}" cy="{y}" r="1.9"/>')
    return (
        '<path d="M-7,13 Q-2,5 5,-11" fill="none" stroke="#5e5138" stroke-width="1.6"/>'
        f'<g fill="#4c7d5c" stroke="#2c5140" stroke-width=".5">{"".join(leaves)}</g>'
        f'<g fill="#7f8fe6" stroke="#4a57b0" stroke-width=".5">{"".join(flowers)}</g>'
    )


def _lily() -> str:
    petals = "".join(
        f'<path d="M0,0 C-3.5,-3 -2.8,-7.5 0,-9.5 C2.8,-7.5 3.5,-3 0,0 Z" transform="rotate({turn})"/>'
        for turn in (-100, -62, 62, 100, -30, 30, 0)
    )
    return (
        '<path d="M0,2 L13,-3 A13.5,11.5 0 1 1 6,-8 Z" fill="#4f9a58" stroke="#22582f" stroke-width="1"/>'
        '<path d="M0,2 L-10,-3 M0,2 L-9,8 M0,2 L3,12 M0,2 L11,6" stroke="#2f7340" stroke-width=".8" fill="none"/>'
        f'<g transform="translate(-1.5 3.5)" fill="#fbd3e4" stroke="#c2608d" stroke-width=".7">{petals}</g>'
        '<circle cx="-1.5" cy="2" r="1.8" fill="#f2c744"/>'
    )


PICTURES = {FENCE: _fence(), POPPY: _poppy(), ROSEMARY: _rosemary(), LILY: _lily()}


def tile(kind: int | None, face_up: bool, rim: str) -> str:
    """Draw a tile rimmed in its owner's colour: its picture, its back, or a back with the picture dimmed on it.

    `kind` is None for a tile that the viewer does not know.
    """
    half = TILE_SIZE / 2
    box = f'x="-{half:g}" y="-{half:g}" width="{TILE_SIZE:g}" height="{TILE_SIZE:g}" rx="7"'
    shadow = f'<rect {box} transform="translate(1.5 2.5)" fill="#000" fill-opacity=".35"/>'
    edge = f'<rect {box} fill="none" stroke="{INK}" stroke-width="4.6"/>'
    edge += f'<rect {box} fill="none" stroke="{rim}" stroke-width="3"/>'
    if face_up and kind is not None:
        return f'{shadow}<rect {box} fill="{PARCHMENT}"/>{edge}{place(0, 0, PICTURES[kind], 0.95)}'
    back = f'{shadow}<rect {box} fill="{BACK}"/>{edge}'
    if kind is None:
        crescent = "M2,-9.5 A9.5,9.5 0 1 0 9,4 A8,8 0 1 1 2,-9.5 Z"
        star = "M6,-6 L7,-3.5 L9.5,-2.5 L7,-1.5 L6,1 L5,-1.5 L2.5,-2.5 L5,-3.5 Z"
        return f'{back}<path d="{crescent}" fill="{GOLD}" fill-opacity=".85"/><path d="{star}" fill="#ffe9b0"/>'
    return (
        f'{back}<circle r="14" fill="#ecd9c4" fill-opacity=".7"/>'
        f'<g opacity=".88">{place(0, 0, PICTURES[kind], 0.8)}</g>'
    )


def empty_slot(colour: str) -> str:
    """Draw where a tile has been."""
    return (
        f'<rect x="-16" y="-16" width="32" height="32" rx="7" fill="none" stroke="{colour}" stroke-opacity=".45" '
        'stroke-dasharray="3.5 3.5"/>'
    )


def lily_pad(rim: str) -> str:
    """Draw the lily as it floats on the lake, ringed in its owner's colour; about 38 wide."""
    return (
        '<ellipse cx="1" cy="4" rx="18" ry="16" fill="#04122b" fill-opacity=".4"/>'
        f'<path d="M0,2 L17,-6 A18,16 0 1 1 8,-13.5 Z" fill="{rim}" stroke="{INK}" stroke-width="1"/>'
        + place(0, 0, PICTURES[LILY], 1.08)
    )


def mountain(light: dict[str, str]) -> str:
    """Draw a mountain with snow on its top; 124 wide, its summit 58 above the origin and its foot 52 below."""
    rock, shade, snow, snow_shade = light["lit"], light["shade"], light["snow"], light["snow_shade"]
    return (
        f'<path d="M-60,44 L-46,16 L-38,8 L-27,-22 L-14,-2 L6,46 Q-30,54 -60,44 Z" fill="{shade}"/>'
        f'<path d="M-27,-22 L-14,-2 L-19,-6 L-24,2 L-29,-4 L-35,1 Z" fill="{snow_shade}"/>'
        f'<path d="M-46,46 L-30,14 L-22,4 L2,-58 L22,-18 L30,-8 L38,14 L62,44 Q10,60 -46,46 Z" fill="{rock}"/>'
        f'<path d="M2,-58 L22,-18 L30,-8 L38,14 L62,44 Q40,51 16,52 L22,26 L8,6 L12,-16 L4,-30 Z" fill="{shade}"/>'
        f'<path d="M2,-58 L22,-18 L15,-22 L9,-8 L1,-20 L-6,-8 L-10,-18 L-17,-10 Z" fill="{snow}"/>'
        f'<path d="M2,-58 L22,-18 L15,-22 L9,-8 L5,-14 L7,-24 L3,-34 Z" fill="{snow_shade}"/>'
        f'<path d="M-30,40 L-18,18 M-8,42 L-4,28 M34,40 L30,26" stroke="{light["foot"]}" stroke-opacity=".45" '
        'stroke-width="2" stroke-linecap="round" fill="none"/>'
    )


def flag(colour: str) -> str:
    """Draw the pennant that says whose mountain it is, planted at the origin."""
    return (
        f'<path d="M0,0 V-34" stroke="{INK}" stroke-width="2.2" stroke-linecap="round"/>'
        f'<path d="M0,-34 Q7,-37 12,-33 T23,-31 L18,-26 L22,-20 Q16,-23 11,-22 T0,-22 Z" fill="{colour}" '
        f'stroke="{INK}" stroke-width="1.2" stroke-linejoin="round"/>'
    )


def olive_tree(light: dict[str, str]) -> str:
    """Draw an olive tree, its foot at the origin; about 30 high."""
    return (
        '<ellipse cx="3" cy="0" rx="13" ry="3.5" fill="#000" fill-opacity=".2"/>'
        f'<path d="M-2.5,0 C-1,-6 -4,-9 -5,-13 L5,-13 C3,-9 1.5,-6 3,0 Z" fill="{light["trunk"]}"/>'
        f'<g fill="{light["leaf"]}"><circle cx="-7" cy="-15" r="7.5"/><circle cx="7" cy="-15" r="7.5"/>'
        f'<circle cy="-21" r="9"/></g><g fill="{light["leaf_lit"]}"><circle cx="-3" cy="-24" r="4"/>'
        '<circle cx="-9" cy="-17" r="3"/><circle cx="5" cy="-18" r="3"/></g>'
    )


def stone(light: dict[str, str]) -> str:
    """Draw the stone of a crossing; 36 wide."""
    return (
        '<ellipse cx="1" cy="4" rx="18.5" ry="15.5" fill="#000" fill-opacity=".28"/>'
        f'<path d="M-17,1 C-18,-8 -10,-15 -1,-15 C9,-15.5 18,-9 17.5,0 C17.5,9 10,15 0,15 C-9,15 -16,10 -17,1 Z" '
        f'fill="{light["stone"]}" stroke="{light["stone_edge"]}" stroke-width="1.6"/>'
        '<path d="M-11,-6 C-8,-10 -3,-12 2,-12" fill="none" stroke="#fff" stroke-opacity=".7" stroke-width="2" '
        'stroke-linecap="round"/>'
    )


def tuft(colour: str) -> str:
    """Draw a tuft of grass at the origin."""
    return (
        f'<path d="M-5,0 Q-5,-5 -8,-7 M-1.5,0 Q-1.5,-7 -2.5,-10 M2,0 Q2.5,-6 6,-8" fill="none" '
        f'stroke="{colour}" stroke-width="1.7" stroke-linecap="round"/>'
    )


def scatter(count: int) -> list[tuple[float, float]]:
    """Return points strewn evenly over the unit square, always the same ones."""
    return [((step * 0.7548776662) % 1, (step * 0.5698402910) % 1) for step in range(1, count + 1)]


def _gradient(kind: str, name: str, stops: tuple[tuple[str, str, str], ...], more: str = "") -> str:
    inner = "".join(
        f'<stop offset="{at}" stop-color="{colour}" stop-opacity="{opacity}"/>' for at, colour, opacity in stops
    )
    return f'<{kind}Gradient id="{name}" {more}>{inner}</{kind}Gradient>'


def gradients(mood: str) -> str:
    """Define the gradients of a light: `sky-`, `meadow-`, `lake-` and `glow-` with its name."""
    light = LIGHTS[mood]
    colours = (("0", light["sky"], "1"), (".55", light["sky_mid"], "1"), ("1", light["sky_low"], "1"))
    meadow = (("0", light["grass"], "1"), ("1", light["grass_edge"], "1"))
    lake = (("0", light["lake_deep"], "1"), ("1", light["lake"], "1"))
    glow = ((".35", _MOONLIGHT, ".75"), ("1", _MOONLIGHT, "0"))
    drawn = (
        _gradient("linear", f"sky-{mood}", colours, 'x1="0" y1="0" x2=".25" y2="1"'),
        _gradient("radial", f"meadow-{mood}", meadow, 'r=".72"'),
        _gradient("radial", f"lake-{mood}", lake, 'r=".62"'),
        _gradient("radial", f"glow-{mood}", glow),
    )
    return f"<defs>{''.join(drawn)}</defs>"


def sky(mood: str, width: int, height: int) -> str:
    """Draw what is behind all: the sky, its stars, and hills along the lower edge."""
    light = LIGHTS[mood]
    stars = "".join(
        f'<circle cx="{x * width:.1f}" cy="{y * height:.1f}" r="{0.6 + (index % 5) * 0.28:.2f}"/>'
        for index, (x, y) in enumerate(scatter(150))
        if y > 0.115 or x > 0.6  # the title stands there
    )
    far = f"M0,{height - 14} L600,{height - 14} Q740,{height - 200} 800,{height - 150} T900,{height - 180} T{width},"
    near = f"M0,{height - 12} L640,{height - 40} Q730,{height - 110} 790,{height - 95} T920,{height - 120} T{width},"
    return (
        f'<rect width="{width}" height="{height}" fill="url(#sky-{mood})"/>'
        f'<g fill="{light["star"]}" fill-opacity=".7">{stars}</g>'
        f'<path d="{far}{height - 160} V{height} H0 Z" fill="{light["hill"]}"/>'
        f'<path d="{near}{height - 105} V{height} H0 Z" fill="{light["hill_near"]}"/>'
    )
