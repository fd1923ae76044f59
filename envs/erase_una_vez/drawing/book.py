"""The story-book of *Érase una vez*, open on its table: wood, leather, parchment and illuminated borders."""

from functools import cache

from sobremesa.envs.core.picture.drawing import dice_of, place
from sobremesa.envs.erase_una_vez.drawing.art import MARKS
from sobremesa.envs.erase_una_vez.drawing.pieces import BLUE, GOLD, RED

WIDTH, HEIGHT = 1000, 750
LEFT, ACROSS = 20, 706  # of the book
_COVER, _MARGIN = 10, 20  # from the edge of the book to a page, from there to what is on it
_PAGE = (ACROSS - 2 * _COVER) / 2
INNER = _PAGE - 2 * _MARGIN  # width of what is on a page


def page_left(page: int) -> float:
    """Return where what is on a page begins, 0 for the left one."""
    return LEFT + _COVER + _MARGIN + page * _PAGE


def page_span(top: float, down: float) -> tuple[float, float]:
    """Return where what is on the pages of a book begins, and how high it may be."""
    return top + _COVER + _MARGIN, down - 2 * (_COVER + _MARGIN)


@cache
def table() -> str:
    """Draw the boards of the table, lit from above, and define the shades of the pages."""
    dice = dice_of(11)
    grain = "".join(
        f"M{next(dice) * WIDTH:.0f},{next(dice) * HEIGHT:.0f}q{30 + next(dice) * 60:.0f},{next(dice) * 8 - 4:.0f} "
        f"{90 + next(dice) * 120:.0f},0"
        for _ in range(90)
    )
    seams = "".join(f"M0,{y}H{WIDTH}" for y in range(120, HEIGHT, 120))
    return (
        MARKS["shades"] + f'<rect width="{WIDTH}" height="{HEIGHT}" fill="url(#erase-light)"/>'
        f'<path d="{grain}" fill="none" stroke="#2a170b" stroke-opacity=".28" stroke-width="1.3"/>'
        f'<path d="{seams}" stroke="#22120a" stroke-opacity=".5" stroke-width="2"/>'
    )


@cache
def narrow_table(width: int, height: int) -> str:
    """Draw the table under a narrow picture."""
    seams = "".join(f"M0,{y}H{width}" for y in range(80, height, 80))
    return (
        MARKS["shades"] + f'<rect width="{width}" height="{height}" fill="url(#erase-light)"/>'
        f'<path d="{seams}" stroke="#22120a" stroke-opacity=".5" stroke-width="1.5"/>'
    )


def leaf(across: float, down: float) -> str:
    """Draw a page of the book on its cover, without the border, for narrow pictures; its corner is the origin."""
    return (
        f'<rect width="{across:g}" height="{down:g}" rx="7" fill="#7a2030" stroke="#3f0f18" stroke-width="1.5"/>'
        f'<rect x="4" y="4" width="{across - 8:g}" height="{down - 8:g}" rx="3" fill="url(#erase-left)"/>'
        f'<rect x="8" y="8" width="{across - 16:g}" height="{down - 16:g}" rx="2" fill="none" stroke="{GOLD}"/>'
    )


@cache
def book(top: float, down: float) -> str:
    """Draw the open book, `down` high."""
    pages = "".join(_page(page, top + _COVER, down - 2 * _COVER) for page in range(2))
    right, middle = LEFT + ACROSS, LEFT + ACROSS / 2
    edges = "".join(
        f"M{LEFT + 4 + step},{top + 6}V{top + down - 6}M{right - 4 - step},{top + 6}V{top + down - 6}"
        for step in (0, 2.5, 5)
    )
    return (
        f'<rect x="{LEFT - 4}" y="{top + 4:g}" width="{ACROSS + 8}" height="{down + 2:g}" rx="12" fill="#000" '
        f'fill-opacity=".35"/><rect x="{LEFT - 6}" y="{top - 3:g}" width="{ACROSS + 12}" height="{down + 6:g}" rx="10" '
        f'fill="#7a2030" stroke="#3f0f18" stroke-width="2"/><rect x="{LEFT}" y="{top + 4:g}" width="{ACROSS}" '
        f'height="{down - 8:g}" rx="4" fill="#e4cf9f"/><path d="{edges}" stroke="#b79a63" stroke-width=".8"/>{pages}'
        f'<path d="M{middle:g},{top + _COVER:g}V{top + down - _COVER:g}" stroke="#8d6f3e" stroke-width="1.6"/>'
    )


def _page(page: int, top: float, down: float) -> str:
    """Draw a page with its border."""
    left = LEFT + _COVER + page * _PAGE
    shade = ("erase-left", "erase-right")[page]
    inset = 9.0
    x, y, wide, high = left + inset, top + inset, _PAGE - 2 * inset, down - 2 * inset
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{_PAGE:g}" height="{down:g}" fill="url(#{shade})"/>'
        f"{_border(x, y, wide, high)}"
    )


def _border(x: float, y: float, wide: float, high: float) -> str:
    """Draw an illuminated border: a band of blue with gold beads, fine red lines, corners, and sprouts of a vine."""

    def frame(inset: float, stroke: str) -> str:
        return (
            f'<rect x="{x + inset:g}" y="{y + inset:g}" width="{wide - 2 * inset:g}" height="{high - 2 * inset:g}" '
            f'rx="2" fill="none" {stroke}/>'
        )

    corners = "".join(
        place(at_x, at_y, MARKS["corner"]) for at_x in (x + 4, x + wide - 4) for at_y in (y + 4, y + high - 4)
    )
    sprouts = "".join(
        f'<g transform="translate({at_x:g} {y + high * part:g}) scale({turn} 1)">{MARKS["sprout"]}</g>'
        for at_x, turn in ((x + 8, 1), (x + wide - 8, -1))
        for part in (0.335, 0.655)
    )
    return (
        frame(0, f'stroke="{GOLD}" stroke-width="1.6"')
        + frame(4, f'stroke="{BLUE}" stroke-width="6"')
        + frame(4, 'stroke="#f2cf63" stroke-width="3" stroke-dasharray=".1 9" stroke-linecap="round"')
        + frame(4, 'stroke="#f7ecd0" stroke-width="1.4" stroke-dasharray=".1 8.9 0 9" stroke-linecap="round"')
        + frame(8.6, f'stroke="{RED}" stroke-width="1.3"')
        + frame(11, f'stroke="{GOLD}" stroke-width=".8"')
        + sprouts
        + corners
    )
