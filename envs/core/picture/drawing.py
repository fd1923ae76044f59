"""SVG fragments: loading, placing and naming them, text that fits, and whole pictures."""

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from sobremesa.envs.core.wording import View

BOLD = 'text-anchor="middle" font-weight="bold"'
LEFT_BOLD = 'font-weight="bold"'
SANS, SERIF = "DejaVu Sans, Verdana, sans-serif", "DejaVu Serif, Georgia, serif, sans-serif"
_NARROW, _WIDE = "iljtfrI.,:!·' ¡()", "mwMWGOQ"  # letters
_SYMBOL = re.compile(r'<symbol id="([^"]+)"[^>]*>(.*?)</symbol>', re.DOTALL)
_PIECE = re.compile(r' data-piece="[^"]*"')
_BROKEN = re.compile(r"\s*\n\s*")  # within a tag
_BETWEEN = re.compile(r"(?<=>)\s*\n\s*|\s*\n\s*(?=<)")  # tags


def symbols(path: Path) -> dict[str, str]:
    """Return the content of each `<symbol>` of an SVG file by its id, without line breaks.

    A symbol can have placeholders, `fill="{colour}"`, for `str.format`.
    """
    drawn = path.read_text(encoding="utf-8")
    return {name: _BROKEN.sub(" ", _BETWEEN.sub("", body.strip())) for name, body in _SYMBOL.findall(drawn)}


def place(x: float, y: float, body: str, scale: float = 1.0, piece: str = "") -> str:
    """Return the fragment `body` at (x, y), `scale` times its size.

    A `piece` keeps its name from scene to scene, and is unique in a scene; `without_pieces` removes the names.
    """
    grown = "" if scale == 1.0 else f" scale({scale:.4g})"
    named = f' data-piece="{escape(piece)}"' if piece else ""
    return f'<g{named} transform="translate({x:.5g} {y:.5g}){grown}">{body}</g>'


def without_pieces(svg: str) -> str:
    """Return a scene without the names of its pieces."""
    return _PIECE.sub("", svg)


def unnamed(view: View) -> View:
    """Return the function that draws `view` without the names of its pieces."""
    return lambda states, seat, language: without_pieces(view(states, seat, language))


def picture(across: int, down: int, drawn: Iterable[str], letters: str = SANS) -> str:
    """Return the SVG of fragments `drawn`, the later ones on top, across x down units, with a family of letters."""
    size = f'viewBox="0 0 {across} {down}" width="{across}" height="{down}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{letters}">{"".join(drawn)}</svg>'


def titled(words: str, body: str, area: tuple[float, float, float, float] | None = None) -> str:
    """Return the fragment `body` with a title for screen readers, tooltips and explanations.

    With an `area` (left, top, across, down) the title also applies for the gaps there.
    """
    ground = ""
    if area:
        x, y, across, down = area
        ground = f'<rect x="{x:g}" y="{y:g}" width="{across:g}" height="{down:g}" fill="#fff" fill-opacity="0"/>'
    return f"<g><title>{escape(words)}</title>{ground}{body}</g>"


def text(x: float, y: float, words: str, size: float, fill: str, more: str = BOLD, room: float = 0.0) -> str:
    """Return `words` with their baseline at (x, y), squeezed if wider than `room` (0: unlimited)."""
    if room and width_of(words) * size > room:
        more = f'{more} textLength="{room:g}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.5g}" y="{y:.5g}" font-size="{size:.3g}" fill="{fill}" {more}>{escape(words)}</text>'


def dice_of(seed: int) -> Iterator[float]:
    """Yield numbers from 0 to 1 that scatter things over a picture, always the same for a seed."""
    while True:
        seed = (seed * 1103515245 + 12345) % (1 << 31)
        yield (seed >> 8) / (1 << 23)


def width_of(words: str) -> float:
    """Return the approximate width of `words` in bold type, in ems."""
    return sum(0.39 if sign in _NARROW else 0.96 if sign in _WIDE else 0.7 for sign in words)
