"""Hands, endings, piles and facts around the book of *Érase una vez*.

A hand is drawn open for its seat and on an open table, otherwise as backs and known cards (C11.3, H4). A seat sees its
own endings and others that it knows.
"""

from functools import cache
from typing import Any

from sobremesa.envs.core.game import Box
from sobremesa.envs.core.picture.drawing import BOLD, LEFT_BOLD, place, text, titled, width_of
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS, emblem
from sobremesa.envs.erase_una_vez.drawing.book import WIDTH
from sobremesa.envs.erase_una_vez.drawing.cards import HIGH, WIDE, label, picture_card, story_card
from sobremesa.envs.erase_una_vez.drawing.endings import ending_scroll
from sobremesa.envs.erase_una_vez.drawing.pieces import (
    GOLD,
    GREEN,
    GROUP_COLOURS,
    ITALIC,
    LIGHT,
    PALE,
    PAPER,
    RED,
    panel,
    seal,
    wrap,
    written,
)
from sobremesa.envs.erase_una_vez.state import BURIED, MIXED, NOBODY, OPEN
from sobremesa.envs.erase_una_vez.tables import (
    FACT_WORDS,
    FACTS,
    GROUP,
    NO_ENDING,
    NUM_ELEMENTS,
    THINGS,
    fact_mask,
)
from sobremesa.envs.erase_una_vez.text.fits import SENSELESS, UNTIED, fit_of, fit_words
from sobremesa.envs.erase_una_vez.text.words import ending_words

_EDGE, _GAP = 12, 8
_OWN = 648.0  # width of the viewer's hand
_BESIDE = WIDTH - 2 * _EDGE - _OWN - _GAP  # and of the endings beside it
_STOCK = 256.0  # width of the piles in their band
_BEFORE = 98  # before the facts in that band

_WORDS = {
    "es": {
        "player": "Jugador {}", "you": "tú", "cards": "{} cartas", "card": "una carta", "none": "sin cartas",
        "fines": "multas: {}", "ending": "Tu final feliz", "endings": "Tus finales felices",
        "deck": "mazo", "discards": "descartes", "pile": "finales",
        "empty hand": "Sin cartas: ¡ya puedes acabar!", "known": "la conocen todos", "more": "y {} más",
        "so far": "En el cuento", "nothing": "aún vacío", "buried": "descartadas boca abajo: {}",
    },
    "en": {
        "player": "Player {}", "you": "you", "cards": "{} cards", "card": "one card", "none": "no cards",
        "fines": "fines: {}", "ending": "Your happy ending", "endings": "Your happy endings",
        "deck": "deck", "discards": "discards", "pile": "endings",
        "empty hand": "No cards left: you may end!", "known": "known to all", "more": "and {} more",
        "so far": "In the tale", "nothing": "empty as yet", "buried": "discarded face down: {}",
    },
}  # fmt: skip


def hand_of(state: Any, seat: int) -> list[int]:
    """Return the cards in a hand, in the order of the groups."""
    return [card for card in range(NUM_ELEMENTS) if state.where[card] == seat]


def endings_of(state: Any, seat: int) -> list[int]:
    """Return the endings that a seat holds."""
    return [int(ending) for ending in state.ending[seat] if ending != NO_ENDING]


def is_narrator(state: Any, seat: int) -> bool:
    """Return whether a seat is the narrator; false after the end."""
    return not state.over and int(state.narrator) == seat


def counted(count: int, language: str) -> str:
    """Return a number of cards in words."""
    return _WORDS[language][("none", "card", "cards")[min(count, 2)]].format(count)


def head(state: Any, seat: int, viewer: int | None, language: str, across: float) -> str:
    """Draw the seal of a seat, its quill before its name, which a page may replace, and at the right its cards."""
    words, narrates = _WORDS[language], is_narrator(state, seat)
    name = words["player"].format(seat + 1) + (f" · {words['you']}" if seat == viewer else "")
    drawn = [place(19, 18, seal(seat)), text(59 if narrates else 37, 24.5, name, 18, LIGHT, LEFT_BOLD)]
    if narrates:
        drawn.append(place(45, 17, MARKS["quill"], 0.8))
    told = counted(int(state.hand_size[seat]), language)
    if int(state.judge) == MIXED and state.fines[seat] and across > 190:
        told += " · " + words["fines"].format(int(state.fines[seat]))
    if across > 240:
        drawn.append(text(across - 12, 24.5, told, 17, PALE, 'text-anchor="end" font-weight="bold"', across / 2 - 10))
    return "".join(drawn)


def endings_heading(count: int, language: str) -> str:
    """Return the heading over the endings of the viewer."""
    return _WORDS[language]["endings" if count > 1 else "ending"]


def seat_endings(seat: int, language: str) -> str:
    """Return the heading over the endings of a seat on an open table."""
    return f"{_WORDS[language]['player'].format(seat + 1)} · {_WORDS[language]['pile']}"


# Hands of others.


def others(state: Any, viewer: int, language: str, top: float, down: float) -> str:
    """Draw the other seats in a row, in the order of play from the viewer's left."""
    seats = int(state.seats)
    across = (WIDTH - 2 * _EDGE - _GAP * (seats - 2)) / (seats - 1)
    drawn = []
    for number in range(seats - 1):
        seat = (viewer + 1 + number) % seats
        body = _other(state, seat, viewer, language, (across, down))
        drawn.append(place(_EDGE + number * (across + _GAP), top, body))
    return "".join(drawn)


def _other(state: Any, seat: int, viewer: int, language: str, size: tuple[float, float]) -> str:
    """Draw a seat with a hidden hand: backs, and the cards that the viewer knows."""
    across, down = size
    held = int(state.hand_size[seat])
    known = [card for card in hand_of(state, seat) if state.shown[card]]
    seen = [ending for ending in endings_of(state, seat) if state.ending_known[ending] >> viewer & 1]
    drawn = [panel(across, down, is_narrator(state, seat)), head(state, seat, viewer, language, across)]
    backs = held - len(known)
    most = 13.0 if across < 400 else 30.0
    step = min(most, (across * 0.42 - 30) / max(backs - 1, 1))
    fan = "".join(place(26 + step * number, down - 30, MARKS["card-back"], 0.33) for number in range(backs))
    drawn.append(titled(counted(held, language), fan))
    drawn.append(
        place(26, down - 30, f'<circle r="11" fill="{INK}" stroke="{GOLD}"/>' + text(0, 4.6, str(held), 13, LIGHT))
    )
    drawn.append(_rows(known, seen, language, (26 + step * max(backs - 1, 0) + 24, across - 8, down)))
    return "".join(drawn)


def _rows(known: list[int], seen: list[int], language: str, area: tuple[float, float, float]) -> str:
    """List known cards and endings with their emblems, as many as fit."""
    left, right, down = area
    columns = max(1, int((right - left) // 125))
    room, most = (right - left) / columns, 3 * columns
    things = [(place(11, 0, MARKS["ending-back"], 0.11), ending_words(ending, language), RED) for ending in seen]
    things += [(place(11, 0, emblem(card), 0.165), label(card, language), GROUP_COLOURS[GROUP[card]]) for card in known]
    more = len(things) - most + 1 if len(things) > most else 0
    drawn = []
    for number, (drawing, name, colour) in enumerate(things[: most - 1] if more else things):
        size = max(7.0, min(10.0, (room - 30) / width_of(name)))
        said = wrap(name, size, room - 30, 1, size)[0][0] if width_of(name) > 12 else name
        row = (
            f'<rect y="-9" width="{room - 4:g}" height="18" rx="4" fill="{PAPER}" stroke="{colour}" '
            'stroke-width="1.6"/>' + drawing + text(22, 3.6, said, size, INK, LEFT_BOLD, room - 29)
        )
        drawn.append(place(left + room * (number // 3), down - 49 + 20 * (number % 3), titled(name, row)))
    if more:
        words = _WORDS[language]["more"].format(more)
        drawn.append(text(left + room * (columns - 1) + 6, down - 5.5, words, 10, PALE, LEFT_BOLD, room - 10))
    return "".join(drawn)


# Open hands.


def own(state: Any, seat: int, language: str, top: float, down: float) -> str:
    """Draw the hand of the viewer, and its endings beside it."""
    across, beside = _OWN, _BESIDE
    body = panel(across, down, is_narrator(state, seat)) + head(state, seat, seat, language, across)
    body += open_hand(state, seat, language, (8, 34, across - 16, down - 42), mine=True, large=True)
    held = endings_of(state, seat)
    scrolls = panel(beside, down, False) + text(
        beside / 2, 23, endings_heading(len(held), language), 14, LIGHT, BOLD, beside - 20
    )
    for ending, (x, y, wide, high) in zip(held, _scrolls(len(held), down), strict=True):
        scrolls += place(x, y, ending_scroll(state, ending, language, (wide, high)))
    return place(_EDGE, top, body) + place(_EDGE + across + _GAP, top, scrolls)


def _scrolls(count: int, down: float) -> list[Box]:
    """Return the places of endings on their panel."""
    deep = (down - 44) / max(count, 1)
    return [(10, 36 + deep * number, _BESIDE - 20, deep - 8) for number in range(count)]


def own_boxes(state: Any, seat: int, top: float, down: float) -> tuple[list[Box], list[Box]]:
    """Return the places of the viewer's cards and endings in the picture."""
    spots, scale = card_spots(len(hand_of(state, seat)), (8, 34, _OWN - 16, down - 42))
    wide, high = WIDE * scale, HIGH * scale
    cards = [(_EDGE + x - wide / 2, top + y - high / 2, wide, high) for x, y in spots]
    left = _EDGE + _OWN + _GAP
    scrolls = _scrolls(len(endings_of(state, seat)), down)
    return cards, [(left + x, top + y, across, deep) for x, y, across, deep in scrolls]


def open_hands(state: Any, language: str, top: float, down: float) -> str:
    """Draw all hands and endings open."""
    seats = int(state.seats)
    columns = (1, 2, 3, 2, 3, 3)[seats - 1]
    rows = -(-seats // columns)
    across = (WIDTH - 2 * _EDGE - _GAP * (columns - 1)) / columns
    deep = (down - _GAP * (rows - 1)) / rows
    drawn = []
    for seat in range(seats):
        body = panel(across, deep, is_narrator(state, seat)) + head(state, seat, None, language, across)
        held = endings_of(state, seat)
        high = 104.0 if rows == 1 else 50.0 if len(held) == 1 else 38.0
        y = 36.0
        for ending in held:
            body += place(8, y, ending_scroll(state, ending, language, (across - 16, high - 5)))
            y += high
        body += open_hand(state, seat, language, (8, y, across - 16, deep - y - 6), mine=False)
        x = _EDGE + seat % columns * (across + _GAP)
        drawn.append(place(x, top + seat // columns * (deep + _GAP), body))
    return "".join(drawn)


def grid(count: int, across: float, down: float) -> tuple[int, float]:
    """Return the number of columns that makes cards largest in an area, and their scale."""
    best = (1, 0.0)
    for columns in range(1, max(count, 1) + 1):
        rows = -(-max(count, 1) // columns)
        scale = min((across / columns - 6) / WIDE, (down / rows - 6) / HIGH, 1.3)
        if scale > best[1] + 1e-9:
            best = (columns, scale)
    return best


def open_hand(state: Any, seat: int, language: str, area: Box, mine: bool, large: bool = False) -> str:
    """Draw the cards of a hand in an area (left, top, across, down), as large as they can be; `mine` have marks."""
    left, top, across, down = area
    cards = hand_of(state, seat)
    if not cards:
        words = _WORDS[language]["none" if state.over else "empty hand"]
        return text(left + across / 2, top + down / 2, words, 15, PALE, ITALIC, across - 10)
    spots, scale = card_spots(len(cards), area)
    drawn = []
    for card, (x, y) in zip(cards, spots, strict=True):
        body = story_card(card, language, large)
        if state.shown[card]:
            body += place(40, -59, titled(_WORDS[language]["known"], MARKS["known"]))
        if mine:
            body += place(-40, -59, _fit_mark(fit_of(state, card, seat, True), language))
        drawn.append(place(x, y, body, scale, f"card-{THINGS[card].id}"))
    return "".join(drawn)


@cache
def _fit_mark(fit: int, language: str) -> str:
    """Draw how well a card fits the tale: two dots, one, none, or a cross (C4, H11)."""
    drawn = f'<rect x="-11" y="-8" width="22" height="16" rx="8" fill="{PAPER}" stroke="{INK}" stroke-width="1.2"/>'
    if fit == SENSELESS:
        drawn += f'<path d="M-4,-4 L4,4 M-4,4 L4,-4" stroke="{RED}" stroke-width="2.4"/>'
    for number in range(UNTIED - fit):
        drawn += f'<circle cx="{(number * 2 - (UNTIED - fit - 1)) * 4}" r="3.2" fill="{GREEN}"/>'
    return titled(fit_words(fit, language), drawn)


def card_spots(count: int, area: tuple[float, float, float, float]) -> tuple[list[tuple[float, float]], float]:
    """Return the middles of so many cards in an area (left, top, across, down), and their scale."""
    left, top, across, down = area
    columns, scale = grid(count, across, down)
    rows = -(-max(count, 1) // columns)
    wide, high = min(across / columns, WIDE * scale + 14), min(down / rows, HIGH * scale + 12)
    spots = []
    for number in range(count):
        row, column = divmod(number, columns)
        in_row = min(columns, count - row * columns)
        x = left + across / 2 + wide * (column - (in_row - 1) / 2)
        spots.append((x, top + down / 2 + high * (row - (rows - 1) / 2)))
    return spots, scale


# Facts and piles between the hands.


def facts_and_piles(state: Any, viewer: int | None, language: str, top: float, down: float) -> str:
    """Draw a band with the facts that hold, and the piles."""
    across = WIDTH - 2 * _EDGE
    return place(
        _EDGE,
        top,
        panel(across, down, False)
        + _facts(state, language, across - _STOCK, down)
        + place(across - _STOCK, 0, piles(state, viewer, language, down)),
    )


def _facts(state: Any, language: str, across: float, down: float) -> str:
    """List the facts in the largest type that fits."""
    spots, size = _chips(state, language, across, down)
    lines, small = wrap(_WORDS[language]["so far"], 12.5, 84, 2)
    drawn = [written(50, down / 2 - 7.4 * len(lines) + 11, lines, small, PALE, BOLD, 84)]
    rows = spots[-1][2] + 1
    pitch = 1.62 * size
    for told, (x, wide, row) in zip(_holding(state, language), spots, strict=True):
        y = down / 2 + pitch * (row - (rows - 1) / 2)
        drawn.append(
            f'<rect x="{_BEFORE + x:.1f}" y="{y - 0.72 * size:.1f}" width="{wide:.1f}" height="{1.44 * size:.1f}" '
            f'rx="{0.6 * size:.1f}" fill="{PAPER}" fill-opacity=".92"/>'
            + text(_BEFORE + x + wide / 2, y + 0.35 * size, told, size, INK, BOLD, wide - 0.6 * size)
        )
    return "".join(drawn)


def _holds(state: Any, fact: str) -> bool:
    return bool(int(state.facts) & fact_mask((fact,)))


def _holding(state: Any, language: str) -> list[str]:
    """Return the facts that hold, in words."""
    holds = [told for fact, told in zip(FACTS, FACT_WORDS[language], strict=True) if _holds(state, fact)]
    return holds or [_WORDS[language]["nothing"]]


def _chips(state: Any, language: str, across: float, down: float) -> tuple[list[tuple[float, float, int]], float]:
    """Return where the chip of each fact begins, how wide it is and in which row it stands, and their letters' size."""
    facts = _holding(state, language)
    for size in (12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0):
        spots = _in_lines([size * (width_of(told) + 0.9) for told in facts], across - _BEFORE - 6)
        if spots[-1][2] < (down - 6) // (1.62 * size):
            break
    return spots, size


def narrow_facts(state: Any, language: str, across: float) -> tuple[str, float]:
    """List the facts in a narrow picture in letters of one size; return the list and its height."""
    size, facts = 12.5, _holding(state, language)
    heading = f"{_WORDS[language]['so far']}:"
    spots = _in_lines([size * (width_of(told) + 0.9) for told in (heading, *facts)], across)
    drawn = []
    for told, (x, wide, row) in zip((heading, *facts), spots, strict=True):
        y, ink = 11.0 + 23 * row, PALE if told is heading else INK
        if told is not heading:
            drawn.append(
                f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="{wide:.1f}" height="20" rx="8" fill="{PAPER}" '
                'fill-opacity=".92"/>'
            )
        drawn.append(text(x + wide / 2, y + 4.4, told, size, ink, BOLD, wide - 8))
    return "".join(drawn), 23.0 * (spots[-1][2] + 1)


def known_of(state: Any, seat: int, viewer: int, language: str) -> str:
    """Return the names of the cards and endings of another seat that the viewer knows."""
    seen = [ending_words(one, language) for one in endings_of(state, seat) if state.ending_known[one] >> viewer & 1]
    return " · ".join([label(card, language) for card in hand_of(state, seat) if state.shown[card]] + seen)


def _in_lines(wides: list[float], across: float) -> list[tuple[float, float, int]]:
    """Return where each chip of such widths begins, its width, and in which row it stands."""
    spots: list[tuple[float, float, int]] = []
    x, row = 0.0, 0
    for wide in wides:
        if x and x + wide > across:
            x, row = 0.0, row + 1
        spots.append((x, wide, row))
        x += wide + 5
    return spots


def piles(state: Any, viewer: int | None, language: str, down: float, large: bool = False) -> str:
    """Draw the deck, the discards and the pile of endings, with their sizes; `large` for a narrow picture."""
    words = _WORDS[language]
    open_ = [card for card in range(NUM_ELEMENTS) if state.where[card] == OPEN]
    buried = [card for card in range(NUM_ELEMENTS) if state.where[card] == BURIED]
    mine = [card for card in buried if viewer is None or int(state.buried_by[card]) == viewer != NOBODY]
    seen = [label(card, language) for card in open_]
    if mine:
        seen.append(words["buried"].format(", ".join(label(card, language) for card in mine)))
    shown = picture_card if large else story_card
    face = shown(open_[-1], language) if open_ else MARKS["card-back"] if buried else ""
    piles = (
        ("deck", int(state.deck_size), MARKS["card-back"] if state.deck_size else "", words["deck"]),
        ("discards", len(open_) + len(buried), face, " · ".join(seen) or words["discards"]),
        ("pile", int(state.endings_size), MARKS["ending-back"] if state.endings_size else "", words["pile"]),
    )
    drawn = []
    for number, (name, count, shape, title) in enumerate(piles):
        x = 10 + 82 * number
        body = (
            place(15, down / 2, shape or MARKS["no-pile"], 0.29)
            + text(34, down / 2 + 1, str(count), 19, LIGHT, LEFT_BOLD)
            + text(34, down / 2 + 16, words[name], 11.5, PALE, LEFT_BOLD, 45)
        )
        drawn.append(place(x, 0, titled(title, body)))
    return "".join(drawn)
