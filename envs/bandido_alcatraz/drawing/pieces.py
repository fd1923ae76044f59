"""Pieces of the picture of *Bandido Alcatraz*: fragments of SVG, each around its own origin, and their colours.

Constant pieces come from pieces.svg; this module draws those that depend on a number or a word, without the rules or a
state. A half of a card measures 100 by 100.
"""

from functools import cache
from pathlib import Path

from sobremesa.envs.core.picture.drawing import symbols, text, width_of

ART = symbols(Path(__file__).with_name("pieces.svg"))

# Told apart by every common kind of colour vision: a light and a dark of warm and of cold; ink to write on it.
SEAT_COLOURS = ("#e2562b", "#56b4e9", "#f4cf4a", "#8d5cc4")
SEAT_INKS = ("#ffffff", "#10222e", "#2e2408", "#ffffff")

INK = "#20130b"
NIGHT = "#0d1626"
PANEL, PANEL_EDGE = "#18222f", "#4c5c6e"
PAPER, FAINT = "#f6ecd6", "#a9b4bd"
GOLD = "#ffc94d"
_GATHERED = {"raincoat": ("#ffd23b", "#7a4d05"), "rope": ("#efd9ac", "#6b4420")}  # what it is filled and edged with


@cache
def badge(right: float, y: float, words: str, fill: str = GOLD, ink: str = INK) -> str:
    """Write `words` on a badge that ends at `right`, its middle at height `y`."""
    width = 16 + 12 * width_of(words)
    return (
        f'<rect x="{right - width:.1f}" y="{y - 9:.1f}" width="{width:.1f}" height="18" rx="9" fill="{fill}"/>'
        + text(right - width / 2, y + 4, words, 12, ink)
    )


@cache
def seat_sign(seat: int) -> str:
    """Draw the sign of a seat: a disc in its colour with its number, from 1; 24 across."""
    return f'<circle r="12" fill="{SEAT_COLOURS[seat]}" stroke="{PAPER}" stroke-width="1.5"/>' + text(
        0, 5, str(seat + 1), 14, SEAT_INKS[seat]
    )


@cache
def gathered(name: str, have: bool = True) -> str:
    """Draw a raincoat or a rope, or its empty place."""
    fill, edge = _GATHERED[name] if have else ("#26323f", "#506070")
    return ART[name].format(fill=fill, edge=edge)


# Numbers at the open ends and on the water.

LIT, UNLIT, CALM, LOST = "lit", "unlit", "calm", "lost"  # lanterns: a card fits there, none does, unasked, left open
_LANTERNS = {
    LIT: ("#ffe28a", INK, "#fff6d2"),
    UNLIT: ("#4d3a2a", "#e9d9bd", "#a98a5c"),
    CALM: ("#e9b44c", INK, "#ffe6a8"),
    LOST: ("#a8271f", "#fff", "#ffb4a5"),
}


@cache
def lantern(number: int, mood: str, radius: float) -> str:
    """Draw the lantern of an open end with its number, so many units in radius."""
    fill, ink, edge = _LANTERNS[mood]
    r = radius
    glow = f'<circle r="{r * 2.3:.3g}" fill="url(#alcatraz-lamp)"/>' if mood == LIT else ""
    body = (
        f'{glow}<path d="M{-r * 0.55:.3g},{-r * 0.85:.3g} Q0,{-r * 1.9:.3g} {r * 0.55:.3g},{-r * 0.85:.3g}" '
        f'fill="none" stroke="{INK}" stroke-width="{r * 0.16:.3g}"/>'
        f'<circle r="{r:.3g}" fill="{fill}" stroke="{INK}" stroke-width="{r * 0.26:.3g}"/>'
        f'<circle r="{r * 0.86:.3g}" fill="none" stroke="{edge}" stroke-width="{r * 0.12:.3g}"/>'
    )
    return body + text(0, r * 0.44, str(number), r * 1.22, ink)


@cache
def drop(number: int, mood: str, radius: float) -> str:
    """Draw the drop that numbers a flooded half, so many units in radius."""
    r = radius
    fill, ink = ("#eafaff", "#0a3f66") if mood == LIT else ("#0e5a92", "#fff") if mood != LOST else ("#a8271f", "#fff")
    glow = f'<circle r="{r * 2.1:.3g}" fill="url(#alcatraz-wet)"/>' if mood == LIT else ""
    shape = (
        f"M0,{-r * 1.75:.3g} C{r * 0.5:.3g},{-r:.3g} {r:.3g},{-r * 0.5:.3g} {r:.3g},0 "
        f"A{r:.3g},{r:.3g} 0 1 1 {-r:.3g},0 C{-r:.3g},{-r * 0.5:.3g} {-r * 0.5:.3g},{-r:.3g} 0,{-r * 1.75:.3g} Z"
    )
    return (
        f'{glow}<path d="{shape}" fill="{fill}" stroke="#e6f7ff" stroke-width="{r * 0.16:.3g}"/>'
        f"{text(0, r * 0.44, str(number), r * 1.28, ink)}"
    )


def mouth(side: int) -> str:
    """Draw the timbers around an open mouth, the middle of the half at the origin, on the side so numbered."""
    return f'<g transform="rotate({90 * side})">{ART["mouth"]}</g>'


@cache
def compass(letters: str) -> str:
    """Draw a compass with the letters of north, east, south and west; about 68 across."""
    spots = ((0, -24), (29, 4), (0, 33), (-29, 4))
    return ART["compass"] + "".join(text(x, y, sign, 14, PAPER) for (x, y), sign in zip(spots, letters, strict=True))
