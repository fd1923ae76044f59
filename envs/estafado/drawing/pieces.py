"""Strokes, colours and the land of *Estafado* as SVG fragments, without rules or states.

Each is drawn around its own origin. animals.py has the animals, cards.py the cards, tokens.py the tokens on
them, and scene.py arranges the table.
"""

from functools import cache

from sobremesa.envs.core.picture.drawing import place
from sobremesa.envs.estafado.board import RING

INK, FAINT, PAPER = "#3b2a1d", "#84694d", "#fbf3df"
GOLD, RED = "#f2b134", "#c23b2e"
SEAT_COLOURS = ("#e0702a", "#6b4fa0")  # the fox's player, the crow's
BOLD, LEFT, RIGHT = (
    'text-anchor="middle" font-weight="bold"',
    'font-weight="bold"',
    'text-anchor="end" font-weight="bold"',
)


@cache
def oval(x: float, y: float, across: float, down: float, fill: str, more: str = "") -> str:
    """Draw an ellipse by its middle and its half axes."""
    return f'<ellipse cx="{x:g}" cy="{y:g}" rx="{across:g}" ry="{down:g}" fill="{fill}"{more and " " + more}/>'


def shape(way: str, fill: str, more: str = "") -> str:
    """Draw a filled path."""
    return f'<path d="{way}" fill="{fill}"{more and " " + more}/>'


def line(way: str, colour: str, thick: float, more: str = "") -> str:
    """Draw a path as a line with round ends."""
    return (
        f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{thick:g}" stroke-linecap="round" '
        f'stroke-linejoin="round"{more and " " + more}/>'
    )


def box(x: float, y: float, width: float, height: float, round_: float, fill: str, more: str = "") -> str:
    """Draw a rectangle with round corners."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_:g}" fill="{fill}"'
        f"{more and ' ' + more}/>"
    )


def both(body: str) -> str:
    """Draw `body` and its mirror image."""
    return f'{body}<g transform="scale(-1 1)">{body}</g>'


def turned(angle: float, body: str) -> str:
    """Turn `body` clockwise by degrees."""
    return f'<g transform="rotate({angle:g})">{body}</g>'


# The light of the day, by how far the sun has gone.

_COLOURS = ("high", "low", "hill", "pine", "meadow", "shade", "ink")
_HOURS = {
    0: ("#9fd0ea", "#ffe6bd", "#8fb79a", "#3f7358", "#7fa65a", "#5d8747", "#3d4a2a"),
    6: ("#6fbdec", "#dff3fb", "#86bb8c", "#35704c", "#84b057", "#5f9146", "#27452b"),
    12: ("#86bfe6", "#fff0c4", "#93b582", "#3b6b45", "#8aa94f", "#65893e", "#3a4423"),
    16: ("#c58fb0", "#ffc07a", "#a98a70", "#4a5540", "#8b8f48", "#66703a", "#4b2c22"),
    18: ("#6a5a9c", "#ff8f66", "#7a5f74", "#333f45", "#5f7148", "#455a3e", "#ffe9cf"),
    20: ("#171f4a", "#4d4a8c", "#2f3a63", "#16243a", "#33504a", "#25403f", "#f2e6c8"),
}  # how far the sun has gone -> the colours, by name as above


def _mixed(one: str, other: str, share: float) -> str:
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


@cache
def light(sun: int) -> dict[str, str]:
    """Return the colours of sky and land when the sun has gone `sun` spaces, from morning to night."""
    before = max(hour for hour in _HOURS if hour <= sun)
    after = min(hour for hour in _HOURS if hour >= sun)
    share = 0.0 if before == after else (sun - before) / (after - before)
    pairs = zip(_COLOURS, _HOURS[before], _HOURS[after], strict=True)
    colours = {name: _mixed(one, other, share) for name, one, other in pairs}
    colours["ink"] = _HOURS[before][_COLOURS.index("ink")]  # legible on one or the other, not between
    return colours


def darkness(sun: int) -> float:
    """Return how far night has come, 0 to 1."""
    return max(0.0, (sun - 14) / (RING - 14))


# The land behind it all.


def _scatter(count: int, seed: int) -> list[tuple[float, float]]:
    """Return points of the unit square strewn evenly, the same each time (a Kronecker sequence)."""
    return [((seed * 0.37 + spot * 0.7548776662) % 1, (seed * 0.61 + spot * 0.5698402910) % 1) for spot in range(count)]


def pine(height: float, fill: str) -> str:
    """Draw a fir with its foot at the origin."""
    half = height * 0.24
    tiers = "".join(
        f"M0,{-height * top:.1f} L{half * wide:.1f},{-height * foot:.1f} H{-half * wide:.1f} Z "
        for top, foot, wide in ((1.0, 0.62, 0.6), (0.8, 0.34, 0.82), (0.56, 0.06, 1.0))
    )
    return shape(
        f"{tiers}M-{height * 0.03:.1f},0 h{height * 0.06:.1f} v-{height * 0.1:.1f} h-{height * 0.06:.1f} Z", fill
    )


@cache
def land(width: int, height: int, sun: int) -> str:
    """Draw the sky, hills, a row of firs and the meadow on which the cards are."""
    colours = light(sun)
    firs = "".join(
        place(-10 + spot * 26 + 16 * along, 86 + 4 * down, pine(30 + 42 * down, colours["pine"]))
        for spot, (along, down) in enumerate(_scatter(40, 3))
    )
    stars = "".join(oval(x * width, 4 + y * 58, 0.7 + y, 0.7 + y, "#fff8dc") for x, y in _scatter(46, 5))
    tufts = "".join(
        line(
            f"M{x * width:.0f},{100 + y * (height - 100):.0f} q-1,-6 -4,-8 m4,8 q0,-7 1,-10 m-1,10 q1,-5 5,-7",
            colours["shade"],
            1.8,
        )
        for x, y in _scatter(150, 2)
    )
    return (
        f'<defs><linearGradient id="estafado-sky-{sun}" x1="0" y1="0" x2="0" y2="1">'
        f'<stop offset="0" stop-color="{colours["high"]}"/><stop offset="1" stop-color="{colours["low"]}"/>'
        f'</linearGradient><linearGradient id="estafado-meadow-{sun}" x1="0" y1="0" x2="0" y2="1">'
        f'<stop offset="0" stop-color="{colours["meadow"]}"/><stop offset="1" stop-color="{colours["shade"]}"/>'
        "</linearGradient></defs>"
        f'<rect width="{width}" height="110" fill="url(#estafado-sky-{sun})"/>'
        f'<g opacity="{darkness(sun):.2f}">{stars}</g>'
        + shape(f"M0,72 Q120,26 260,58 T520,46 T780,56 T{width},40 V120 H0 Z", colours["hill"], 'opacity=".75"')
        + firs
        + f'<path d="M0,90 Q250,78 500,88 T{width},84 V{height} H0 Z" fill="url(#estafado-meadow-{sun})"/>'
        + f'<g opacity=".6">{tufts}</g>'
    )
