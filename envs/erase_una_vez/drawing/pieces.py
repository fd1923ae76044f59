"""Pieces of the pictures of *Érase una vez*: colours, seals, scrolls, and text broken to fit."""

from functools import cache

from sobremesa.envs.core.picture.drawing import BOLD, text, width_of
from sobremesa.envs.erase_una_vez.drawing.art import INK

# Told apart by every common kind of colour vision; ink to write on it.
SEAT_COLOURS = ("#e2562b", "#56b4e9", "#f4cf4a", "#7d49ad", "#1f8a63", "#d983b5")
SEAT_INKS = ("#ffffff", "#10222e", "#2e2408", "#ffffff", "#ffffff", "#331025")
# Of each group: its frame, and the ground of its emblems.
GROUP_COLOURS = ("#a8332f", "#b0741c", "#2f7a4c", "#3a5aa0", "#77408f")
GROUP_GROUNDS = ("#f4d9c6", "#f6e4b4", "#d9e8c8", "#d5e0f0", "#e6d7ea")

PAPER, PARCHMENT, FAINT = "#fdf6e3", "#f3e4bf", "#866b4c"
GOLD, RED, GREEN, BLUE = "#d9a52b", "#a8332f", "#2f7a4c", "#2f5590"
PANEL, PANEL_EDGE, LIGHT, PALE = "#3a2416", "#7d5a36", "#fbeecb", "#cdb48a"
ITALIC = 'text-anchor="middle" font-style="italic"'
LEFT_ITALIC = 'font-style="italic"'


def wrap(words: str, size: float, room: float, most: int, least: float = 6.0) -> tuple[list[str], float]:
    """Break `words` into a limited number of lines no wider than `room`; return the lines and their size.

    The size is `size`, or less if need be; at `least` the last line is cut short.
    """
    while True:
        lines = _lines(words, room / size)
        if len(lines) <= most and all(width_of(line) * size <= room for line in lines):
            return lines, size
        if size <= least:
            break
        size = max(least, size - 0.5)
    kept = lines[:most]
    if len(lines) > most or width_of(kept[-1]) * size > room:
        while kept[-1] and width_of(kept[-1] + " …") * size > room:
            kept[-1] = kept[-1][:-1]
        kept[-1] = kept[-1].rstrip() + " …"
    return kept, size


def _lines(words: str, room: float) -> list[str]:
    """Break `words` at spaces into lines of at most `room` ems; a single word may be wider."""
    lines: list[str] = []
    for word in words.split():
        if lines and width_of(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def written(
    x: float,
    y: float,
    lines: list[str],
    size: float,
    fill: str,
    more: str = BOLD,
    room: float = 0.0,
    pitch: float = 1.18,
) -> str:
    """Write lines one below the other, `pitch` times their size apart, the first with its baseline at height `y`."""
    return "".join(text(x, y + pitch * size * row, line, size, fill, more, room) for row, line in enumerate(lines))


@cache
def panel(across: float, down: float, marked: bool) -> str:
    """Draw the ground of a panel, with a golden edge if it is marked."""
    edge = f'stroke="{GOLD}" stroke-width="3"' if marked else f'stroke="{PANEL_EDGE}" stroke-width="1.2"'
    return f'<rect width="{across:g}" height="{down:g}" rx="9" fill="{PANEL}" fill-opacity=".94" {edge}/>'


@cache
def seal(seat: int, radius: float = 12.0) -> str:
    """Draw the sign of a seat: a seal of wax in its colour with its number."""
    size = radius * 1.15
    return (
        f'<circle r="{radius:g}" fill="{SEAT_COLOURS[seat]}" stroke="{INK}" stroke-width="{radius / 9:.2g}"/>'
        f'<circle r="{radius * 0.76:.3g}" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="1"/>'
        + text(0, size * 0.36, str(seat + 1), size, SEAT_INKS[seat])
    )


@cache
def scroll(across: float, down: float, marked: bool = False) -> str:
    """Draw an open scroll of parchment, rolled at its left and right ends; its top left corner is the origin."""
    edge = GOLD if marked else "#9c7a45"
    rolls = "".join(
        f'<rect x="{x:g}" y="-3" width="11" height="{down + 6:g}" rx="5" fill="#dcc08a" stroke="{edge}" '
        f'stroke-width="1.4"/><path d="M{x + 5.5:g},0 V{down:g}" stroke="#a98a52" stroke-width="1"/>'
        for x in (0, across - 11)
    )
    return (
        f'<rect x="6" width="{across - 12:g}" height="{down:g}" fill="{PARCHMENT}" stroke="{edge}" '
        f'stroke-width="{2.4 if marked else 1.2}"/>{rolls}'
    )
