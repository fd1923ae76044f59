"""Pieces of *Ese Toro enamorado* as SVG fragments around their own origins, and colours in two lights.

Parts without numbers are drawn in pieces.svg, with braces for colours. This module knows neither the rules nor a
state; scene.py lays these fragments out on the table.
"""

from html import escape
from pathlib import Path

from sobremesa.envs.core.picture.drawing import place, symbols
from sobremesa.envs.ese_toro_enamorado.board import CRESCENT, FENCE, FULL, LILY, NEW, POPPY, ROSEMARY

# Told apart by every common kind of colour vision (two warm, two cold, a light and a dark of each); ink to write on it.
SEAT_COLOURS = ("#e2562b", "#62bdf0", "#f4cf4a", "#8a4fb8")
SEAT_INKS = ("#ffffff", "#10222e", "#2e2408", "#ffffff")

INK = "#2b1d1a"
PARCHMENT = "#fbf3de"
GOLD = "#f0c25a"
BACK = "#54304a"
WIDTH, HEIGHT = 1000, 760  # of the picture

ART = symbols(Path(__file__).with_name("pieces.svg"))
PICTURES = {FENCE: ART["fence"], POPPY: ART["poppy"], ROSEMARY: ART["rosemary"], LILY: ART["lily"]}

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


def plate(x: float, y: float, words: str, scale: float = 1.0) -> str:
    """Write `words` on a small dark plate centred at (x, y), readable over anything."""
    width = 9 + 7 * len(words)
    return place(
        x,
        y,
        f'<rect x="{-width / 2:g}" y="-7" width="{width}" height="14" rx="5" fill="#1c1620" fill-opacity=".82"/>'
        + text(0, 3.8, words, 10.5, "#fff6e0", 'text-anchor="middle" font-weight="bold"'),
        scale,
    )


def badge(right: float, y: float, words: str) -> str:
    """Write `words` on a golden badge that ends at `right`, its middle at height `y`."""
    width = 20 + 7.2 * len(words)
    return (
        f'<rect x="{right - width:.1f}" y="{y - 10.5:.1f}" width="{width:.1f}" height="21" rx="10.5" fill="{GOLD}"/>'
        + text(right - width / 2, y + 4.2, words, 12, INK, 'text-anchor="middle" font-weight="bold"')
    )


def bull(seat: int) -> str:
    """Draw the head of the bull of `seat` in its colour, with its number, from 1; about 42 wide and 44 high."""
    return ART["bull"].format(colour=SEAT_COLOURS[seat], ink=SEAT_INKS[seat], seat=seat + 1)


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
        return ART["no_marker"].format(faint=faint, moon=moon(phase, 9.5))
    several = ART["several"].format(held=held) if held > 1 else ""
    return ART["marker"].format(moon=moon(phase, 10.5)) + several


def tile(kind: int | None, face_up: bool, rim: str) -> str:
    """Draw a tile rimmed in its owner's colour: its picture, its back, or a back with the picture dimmed on it.

    `kind` is None for a tile that the viewer does not know; 34 wide and high.
    """
    if kind is None:
        return ART["tile"].format(fill=BACK, rim=rim, shown=ART["unknown"])
    if face_up:
        return ART["tile"].format(fill=PARCHMENT, rim=rim, shown=place(0, 0, PICTURES[kind], 0.95))
    return ART["tile"].format(fill=BACK, rim=rim, shown=ART["dimmed"].format(picture=PICTURES[kind]))


def lily_pad(rim: str) -> str:
    """Draw the lily as it floats on the lake, ringed in its owner's colour; about 38 wide."""
    return ART["lily_pad"].format(rim=rim, lily=ART["lily"])


def scatter(count: int) -> list[tuple[float, float]]:
    """Return points strewn evenly over the unit square, always the same ones."""
    return [((step * 0.7548776662) % 1, (step * 0.5698402910) % 1) for step in range(1, count + 1)]


def gradients(mood: str) -> str:
    """Define the gradients of a light: `sky-`, `meadow-`, `lake-` and `glow-` with its name."""
    return ART["gradients"].format(mood=mood, **LIGHTS[mood])


def narrow_sky(mood: str, width: int, height: int) -> str:
    """Draw the sky and its stars behind a narrow picture."""
    stars = "".join(
        f'<circle cx="{x * width:.1f}" cy="{y * height:.1f}" r="{0.4 + (index % 5) * 0.2:.2f}"/>'
        for index, (x, y) in enumerate(scatter(70))
    )
    return (
        f'<rect width="{width}" height="{height}" fill="url(#sky-{mood})"/>'
        f'<g fill="{LIGHTS[mood]["star"]}" fill-opacity=".5">{stars}</g>'
    )


def sky(mood: str) -> str:
    """Draw the background: the sky, its stars, and hills along the lower edge."""
    stars = "".join(
        f'<circle cx="{x * WIDTH:.1f}" cy="{y * HEIGHT:.1f}" r="{0.6 + (index % 5) * 0.28:.2f}"/>'
        for index, (x, y) in enumerate(scatter(150))
        if y > 0.115 or x > 0.6  # the title stands there
    )
    return ART["sky"].format(mood=mood, stars=stars, **LIGHTS[mood])
