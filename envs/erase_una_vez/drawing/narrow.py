"""The picture of *Érase una vez* for narrow screens: the last things told, the hand, then what is read more rarely.

Below the hand of the viewer are its endings, facts, piles and the earlier tale. Sheets of things to tell of cover the
hand, above the buttons that open them.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.picture.drawing import BOLD, LEFT_BOLD, SERIF, picture, place, text, titled, width_of
from sobremesa.envs.core.picture.narrow_screen import SPARE, WIDTH, below
from sobremesa.envs.core.wording import Box
from sobremesa.envs.erase_una_vez.drawing import book, hands, pieces as p, tale
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS
from sobremesa.envs.erase_una_vez.drawing.cards import HIGH, WIDE
from sobremesa.envs.erase_una_vez.drawing.endings import ending_scroll
from sobremesa.envs.erase_una_vez.drawing.pieces import panel, scroll, seal, wrap, written
from sobremesa.envs.erase_una_vez.drawing.scene import Places, end, told

_EDGE, _GAP = 8.0, 7.0
_ACROSS = WIDTH - 2 * _EDGE
_LATEST, _ABREAST = (3, 1.1), (4, 0.85)  # things told in a row, and their scale: the last ones, those before
_CARDS, _SCROLL, _PILES, _BANNER = 132.0, 138.0, 64.0, 96.0  # heights
_SPELLED = 4  # seats of a table at which numbers of cards are written in words
_HIGH, _BETWEEN, _TALL = 28.0, 2.0, 576.0  # rows of a sheet, between them, and the largest sheet in two columns


class _Part(NamedTuple):
    """A part of the picture across its whole width."""

    name: str
    seat: int  # of a hand; else 0
    top: float
    down: float


def scene(states: np.ndarray, seat: int | None, language: str) -> str:
    """Draw the table `(1,)` as `seat` sees it, or open to all when None, with names of pieces (C11.3)."""
    state = states[0]
    parts = list(_parts(state, seat, language))
    down = round(parts[-1].top + parts[-1].down + _GAP)
    drawn = [place(_EDGE, part.top, _draw(part, state, seat, language)) for part in parts]
    first = _after_hand(parts)
    shelf = below(parts[first].top - _GAP / 2, "".join(drawn[first:]))
    return picture(WIDTH, down, (book.narrow_table(WIDTH, down + SPARE), *drawn[:first], shelf), SERIF)


def _after_hand(parts: list[_Part]) -> int:
    """Return the number of the part that follows the first hand."""
    return [part.name for part in parts].index("hand") + 1


def places(state: Any, seat: int, language: str) -> Places:
    """Return the boxes of things in the picture that `seat` can point at."""
    parts = {part.name: part for part in _parts(state, seat, language) if part.name != "known"}
    own, entries = parts["hand"], tale.entries(state)
    foot = own.top + own.down
    spots, scale = hands.card_spots(int(state.hand_size[seat]), _area(own))
    cards = [_around((_EDGE + x, own.top + y), scale) for x, y in spots]
    found = [
        (entries[number], _around((_EDGE + x, parts[name].top + y), scale))
        for name in ("earlier", "latest")
        if name in parts
        for number, (x, y), scale in _spots(name, len(entries))
    ]
    deep = parts["endings"].top if "endings" in parts else 0.0
    endings = [_scroll_box(deep, number) for number in range(len(hands.endings_of(state, seat)))]

    def on_sheet(number: int) -> Box:
        columns = 2 if foot >= _TALL else 3
        row, column = divmod(number, columns)
        across = (_ACROSS - _BETWEEN * (columns - 1)) / columns
        return _EDGE + (across + _BETWEEN) * column, foot - (_HIGH + _BETWEEN) * (row + 1), across, _HIGH

    return Places(cards, endings, found, on_sheet)


def _around(spot: tuple[float, float], scale: float) -> Box:
    """Return the box of a card."""
    return spot[0] - WIDE / 2 * scale, spot[1] - HIGH / 2 * scale, WIDE * scale, HIGH * scale


def _scroll_box(top: float, number: int) -> Box:
    return _EDGE + 10, top + 30 + _SCROLL * number, _ACROSS - 20, _SCROLL - 8


# The parts, from top to foot.


def _parts(state: Any, viewer: int | None, language: str) -> Iterator[_Part]:
    y = 4.0
    for name, seat, down in _heights(state, viewer, language):
        yield _Part(name, seat, y, down)
        y += down + _GAP


def _heights(state: Any, viewer: int | None, language: str) -> Iterator[tuple[str, int, float]]:
    """Yield the name, the seat and the height of each part."""
    seats, entries = int(state.seats), len(tale.entries(state))
    others = [] if viewer is None else [(viewer + step) % seats for step in range(1, seats)]
    yield "header", 0, 44.0
    if others:
        yield "others", 0, 32.0
    if state.over:
        yield "banner", 0, _BANNER
    yield "latest", 0, HIGH * _LATEST[1] + 28
    for seat in range(seats) if viewer is None else [viewer]:
        yield "hand", seat, 38 + _CARDS * max(1, -(-int(state.hand_size[seat]) // _ABREAST[0]))
        held = len(hands.endings_of(state, seat))
        if held:
            yield "endings", seat, 30 + _SCROLL * held
    yield "facts", 0, hands.facts(state, language, _ACROSS)[1]
    for seat in others:
        known = _known(state, seat, viewer or 0, language)
        if known:
            yield "known", seat, 12.0 + 16 * len(known)
    yield "piles", 0, _PILES
    rows = -(-(min(entries, tale.MOST) - _LATEST[0]) // _ABREAST[0])
    if rows > 0:
        yield "earlier", 0, (HIGH * _ABREAST[1] + 16) * rows + 30


def _known(state: Any, seat: int, viewer: int, language: str) -> list[str]:
    """Return what the viewer knows of another hand, in lines."""
    known = hands.known_of(state, seat, viewer, language)
    return wrap(known, 12.5, _ACROSS - 46, 4, 12.5)[0] if known else []


def _draw(part: _Part, state: Any, viewer: int | None, language: str) -> str:
    """Draw a part, its corner at the origin."""
    if part.name == "header":
        return _header(state, viewer, language)
    if part.name in ("others", "known"):
        assert viewer is not None
        return (_others if part.name == "others" else _known_cards)(part, state, viewer, language)
    if part.name == "banner":
        return _banner(state, language)
    if part.name in ("latest", "earlier"):
        return _tale(part, state, language)
    if part.name == "facts":
        return hands.facts(state, language, _ACROSS)[0]
    if part.name == "endings":
        return _endings(part, state, viewer, language)
    if part.name == "piles":
        scale = _PILES / 48.0
        return panel(_ACROSS, _PILES, False) + place(24, 0, hands.piles(state, viewer, language, 48.0), scale)
    body = panel(_ACROSS, part.down, hands.is_narrator(state, part.seat))
    body += hands.head(state, part.seat, viewer, language, _ACROSS)
    return body + hands.open_hand(state, part.seat, language, _area(part), viewer == part.seat)


def _area(part: _Part) -> Box:
    """Return the area of the cards on the panel of a hand."""
    return 4.0, 34.0, _ACROSS - 8, part.down - 36


def _header(state: Any, viewer: int | None, language: str) -> str:
    head, more = told(state, viewer, language)
    return text(_ACROSS / 2, 19, head, 16.5, p.LIGHT, BOLD, _ACROSS) + (
        text(_ACROSS / 2, 39, more, 14, p.GOLD, BOLD, _ACROSS) if more else ""
    )


def _others(part: _Part, state: Any, viewer: int, language: str) -> str:
    """Draw the other seats in a row, in the order of play: seals, the numbers of their cards, and the quill."""
    seats = int(state.seats)
    step, drawn = _ACROSS / (seats - 1), [panel(_ACROSS, part.down, False)]
    for number in range(seats - 1):
        seat, x = (viewer + 1 + number) % seats, step * number
        held = hands.counted(int(state.hand_size[seat]), language)
        shown = held if seats <= _SPELLED else str(int(state.hand_size[seat]))
        body = place(x + 18, 16, seal(seat)) + text(x + 36, 21.5, shown, 15, p.LIGHT, LEFT_BOLD, step - 60)
        if hands.is_narrator(state, seat):
            body += place(x + 50 + 15 * width_of(shown), 16, MARKS["quill"], 0.75)
        drawn.append(titled(held, body))
    return "".join(drawn)


def _known_cards(part: _Part, state: Any, viewer: int, language: str) -> str:
    """Write what the viewer knows of another hand."""
    known = _known(state, part.seat, viewer, language)
    drawn = panel(_ACROSS, part.down, False) + place(18, part.down / 2, seal(part.seat))
    return drawn + written(38, 19, known, 12.5, p.PALE, p.LEFT_ITALIC, _ACROSS - 46)


def _banner(state: Any, language: str) -> str:
    """Draw the scroll with the result."""
    head, more = end(state, language)
    lines, size = wrap(more, 14, _ACROSS - 50, 3, 12)
    drawn = scroll(_ACROSS, _BANNER - 4, True) + text(_ACROSS / 2, 28, head, 17, p.RED, BOLD, _ACROSS - 40)
    return drawn + written(_ACROSS / 2, 50, lines, size, INK, p.ITALIC, _ACROSS - 40)


def _endings(part: _Part, state: Any, viewer: int | None, language: str) -> str:
    held = hands.endings_of(state, part.seat)
    drawn = panel(_ACROSS, part.down, False)
    own = viewer == part.seat
    heading = hands.endings_heading(len(held), language) if own else hands.seat_endings(part.seat, language)
    drawn += text(_ACROSS / 2, 20, heading, 14, p.LIGHT, BOLD, _ACROSS - 20)
    for number, ending in enumerate(held):
        x, y, *size = _scroll_box(0, number)
        drawn += place(x - _EDGE, y, ending_scroll(state, ending, language, (size[0], size[1])))
    return drawn


# The tale.


def _spots(name: str, count: int) -> list[tuple[int, tuple[float, float], float]]:
    """Return the number of each entry of a part, its place in it, and its scale."""
    columns, scale = _LATEST if name == "latest" else _ABREAST
    first = max(0, count - _LATEST[0])
    numbers = range(first, count) if name == "latest" else range(max(0, count - tale.MOST), first)
    step, deep, head = (_ACROSS - 20) / columns, HIGH * scale + 16, 14 if name == "latest" else 22
    found = []
    for order, number in enumerate(numbers):
        row, column = divmod(order, columns)
        found.append((number, (13 + step * (column + 0.5), head + deep * (row + 0.5)), scale))
    return found


def _tale(part: _Part, state: Any, language: str) -> str:
    """Draw a page with things told, each with the number of its hook on a tag."""
    entries, drawn = tale.entries(state), [book.leaf(_ACROSS, part.down)]
    if not entries:
        middle = part.down / 2
        drawn.append(text(_ACROSS / 2, middle, tale.once(language), 25, INK, BOLD, _ACROSS - 40))
        return "".join(drawn) + place(_ACROSS / 2, middle + 34, MARKS["flourish"], 1.1)
    for number, spot, scale in _spots(part.name, len(entries)):
        shape = tale.drawn_entry(state, entries[number], number == len(entries) - 1, language)
        drawn.append(place(*spot, shape + tale.tag_of(entries, number), scale, f"told-{number + 1}"))
    before = len(entries) - tale.MOST
    if part.name == "earlier" and before > 0:
        words = f"… {tale.count_before(before, language)} …"
        drawn.append(text(_ACROSS / 2, 20, words, 12.5, INK, LEFT_BOLD + ' text-anchor="middle"'))
    return "".join(drawn)
