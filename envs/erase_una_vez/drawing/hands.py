"""Hands, endings, piles and facts around the book of *Érase una vez*.

A hand is drawn open for its seat and on an open table, otherwise as backs and known cards (C11.3, H4). A seat sees its
own endings and others that it knows.
"""

from functools import cache
from math import inf
from typing import Any

from sobremesa.envs.core.picture.drawing import BOLD, LEFT_BOLD, place, text, titled, width_of
from sobremesa.envs.core.wording import Box
from sobremesa.envs.erase_una_vez import tables as t
from sobremesa.envs.erase_una_vez.drawing import pieces as p
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS
from sobremesa.envs.erase_una_vez.drawing.cards import HIGH, WIDE, label, picture_card, story_card
from sobremesa.envs.erase_una_vez.drawing.endings import ending_scroll
from sobremesa.envs.erase_una_vez.drawing.pieces import panel, seal
from sobremesa.envs.erase_una_vez.state import BURIED, MIXED, NOBODY, OPEN
from sobremesa.envs.erase_una_vez.tables import fact_mask
from sobremesa.envs.erase_una_vez.text.fits import SENSELESS, UNTIED, fit_of, fit_words
from sobremesa.envs.erase_una_vez.text.words import ending_words

GAP = 7.0  # between panels
_LEGIBLE = 0.78  # times its size, a card has its name

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
    return [card for card in range(t.NUM_ELEMENTS) if state.where[card] == seat]


def endings_of(state: Any, seat: int) -> list[int]:
    """Return the endings that a seat has."""
    return [int(ending) for ending in state.ending[seat] if ending != t.NO_ENDING]


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
    drawn = [place(19, 18, seal(seat)), text(59 if narrates else 37, 24.5, name, 18, p.LIGHT, LEFT_BOLD)]
    if narrates:
        drawn.append(place(45, 17, MARKS["quill"], 0.8))
    told = counted(int(state.hand_size[seat]), language)
    if int(state.judge) == MIXED and state.fines[seat] and across > 190:
        told += " · " + words["fines"].format(int(state.fines[seat]))
    if across > 300:
        drawn.append(text(across - 12, 24.5, told, 17, p.PALE, 'text-anchor="end" font-weight="bold"', across / 2 - 10))
    return "".join(drawn)


def endings_heading(count: int, language: str) -> str:
    """Return the heading over the endings of the viewer."""
    return _WORDS[language]["endings" if count > 1 else "ending"]


def seat_endings(seat: int, language: str) -> str:
    """Return the heading over the endings of a seat on an open table."""
    return f"{_WORDS[language]['player'].format(seat + 1)} · {_WORDS[language]['pile']}"


# Open hands.


def own(state: Any, seat: int, language: str, area: Box) -> str:
    """Draw the hand of the viewer in an area (left, top, across, down)."""
    left, top, across, down = area
    body = panel(across, down, is_narrator(state, seat)) + head(state, seat, seat, language, across)
    return place(left, top, body + open_hand(state, seat, language, _within(across, down), mine=True))


def own_endings(state: Any, seat: int, language: str, area: Box) -> str:
    """Draw the endings of the viewer, below each other."""
    left, top, across, down = area
    held = endings_of(state, seat)
    heading = text(across / 2, 22, endings_heading(len(held), language), 15, p.LIGHT, BOLD, across - 20)
    drawn = place(left, top, panel(across, down, False) + heading)
    for ending, (x, y, wide, high) in zip(held, _scrolls(len(held), area), strict=True):
        drawn += place(x, y, ending_scroll(state, ending, language, (wide, high)))
    return drawn


def _within(across: float, down: float) -> Box:
    """Return the area of the cards on the panel of the viewer's hand."""
    return 8, 30, across - 16, down - 34


def _scrolls(count: int, area: Box) -> list[Box]:
    """Return the places of endings on their panel."""
    left, top, across, down = area
    deep = (down - 36) / max(count, 1)
    return [(left + 8, top + 32 + deep * number, across - 16, deep - 7) for number in range(count)]


def own_boxes(state: Any, seat: int, hand: Box, endings: Box) -> tuple[list[Box], list[Box]]:
    """Return the places of the viewer's cards and endings in the picture."""
    left, top, across, down = hand
    spots, scale = card_spots(len(hand_of(state, seat)), _within(across, down))
    wide, high = WIDE * scale, HIGH * scale
    cards = [(left + x - wide / 2, top + y - high / 2, wide, high) for x, y in spots]
    return cards, _scrolls(len(endings_of(state, seat)), endings)


def open_hands(state: Any, language: str, area: Box) -> str:
    """Draw all hands open."""
    left, top, wide, down = area
    seats = int(state.seats)
    columns = (1, 2, 3, 2, 3, 3)[seats - 1]
    rows = -(-seats // columns)
    across, deep = (wide - GAP * (columns - 1)) / columns, (down - GAP * (rows - 1)) / rows
    drawn = []
    for seat in range(seats):
        body = panel(across, deep, is_narrator(state, seat)) + head(state, seat, None, language, across)
        body += open_hand(state, seat, language, _within(across, deep), mine=False)
        x, y = left + seat % columns * (across + GAP), top + seat // columns * (deep + GAP)
        drawn.append(place(x, y, body))
    return "".join(drawn)


def open_endings(state: Any, language: str, area: Box) -> str:
    """Draw the endings of all seats below each other, each with the seal of its seat."""
    left, top, across, down = area
    held = [(seat, ending) for seat in range(int(state.seats)) for ending in endings_of(state, seat)]
    deep = (down - 10) / max(len(held), 1)
    drawn = [panel(across, down, False)]
    for number, (seat, ending) in enumerate(held):
        y = 8 + deep * number
        drawn.append(place(16, y + (deep - 6) / 2, seal(seat, 10)))
        drawn.append(place(30, y, ending_scroll(state, ending, language, (across - 36, deep - 6))))
    return place(left, top, "".join(drawn))


def grid(count: int, across: float, down: float) -> tuple[int, float]:
    """Return the number of columns that makes cards largest in an area, and their scale."""
    best = (1, 0.0)
    for columns in range(1, max(count, 1) + 1):
        rows = -(-max(count, 1) // columns)
        scale = min((across / columns - 6) / WIDE, (down / rows - 6) / HIGH, 1.3)
        if scale > best[1] + 1e-9:
            best = (columns, scale)
    return best


def open_hand(state: Any, seat: int, language: str, area: Box, mine: bool) -> str:
    """Draw the cards of a hand in an area (left, top, across, down), as large as they can be; `mine` have marks."""
    left, top, across, down = area
    cards = hand_of(state, seat)
    if not cards:
        words = _WORDS[language]["none" if state.over else "empty hand"]
        return text(left + across / 2, top + down / 2, words, 15, p.PALE, p.ITALIC, across - 10)
    spots, scale = card_spots(len(cards), area)
    shape = story_card if scale >= _LEGIBLE else picture_card
    drawn = []
    for card, (x, y) in zip(cards, spots, strict=True):
        body = shape(card, language)
        if state.shown[card]:
            body += place(40, -59, titled(_WORDS[language]["known"], MARKS["known"]))
        if mine:
            body += place(-40, -59, _fit_mark(fit_of(state, card, seat, True), language))
        drawn.append(place(x, y, body, scale, f"card-{t.THINGS[card].id}"))
    return "".join(drawn)


@cache
def _fit_mark(fit: int, language: str) -> str:
    """Draw how well a card fits the tale: two dots, one, none, or a cross (C4, H11)."""
    drawn = f'<rect x="-11" y="-8" width="22" height="16" rx="8" fill="{p.PAPER}" stroke="{INK}" stroke-width="1.2"/>'
    if fit == SENSELESS:
        drawn += f'<path d="M-4,-4 L4,4 M-4,4 L4,-4" stroke="{p.RED}" stroke-width="2.4"/>'
    for number in range(UNTIED - fit):
        drawn += f'<circle cx="{(number * 2 - (UNTIED - fit - 1)) * 4}" r="3.2" fill="{p.GREEN}"/>'
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


# Facts and piles.


def _holds(state: Any, fact: str) -> bool:
    return bool(int(state.facts) & fact_mask((fact,)))


def _holding(state: Any, language: str) -> list[str]:
    """Return the facts that are true, in words."""
    holds = [told for fact, told in zip(t.FACTS, t.FACT_WORDS[language], strict=True) if _holds(state, fact)]
    return holds or [_WORDS[language]["nothing"]]


def facts(state: Any, language: str, across: float, most: float = inf) -> tuple[str, float]:
    """List the facts, in smaller letters where the list would be higher than `most`; return it and its height."""
    told = (f"{_WORDS[language]['so far']}:", *_holding(state, language))
    for size in (12.5, 11.5, 10.5, 9.5, 8.5, 7.5, 6.5):
        spots = _in_lines([size * (width_of(one) + 0.9) for one in told], across)
        pitch = 1.84 * size
        if pitch * (spots[-1][2] + 1) < most + 0.01:  # a list fits the height that was returned for it
            break
    drawn = []
    for number, (one, (x, wide, row)) in enumerate(zip(told, spots, strict=True)):
        y = pitch * (row + 0.5)
        if number:
            drawn.append(
                f'<rect x="{x:.1f}" y="{y - 0.8 * size:.1f}" width="{wide:.1f}" height="{1.6 * size:.1f}" '
                f'rx="{0.64 * size:.1f}" fill="{p.PAPER}" fill-opacity=".92"/>'
            )
        drawn.append(
            text(x + wide / 2, y + 0.35 * size, one, size, INK if number else p.PALE, BOLD, wide - 0.64 * size)
        )
    return "".join(drawn), pitch * (spots[-1][2] + 1)


def known_of(state: Any, seat: int, viewer: int, language: str) -> str:
    """Return the names of the cards and endings of another seat that the viewer knows."""
    seen = [ending_words(one, language) for one in endings_of(state, seat) if state.ending_known[one] >> viewer & 1]
    return " · ".join([label(card, language) for card in hand_of(state, seat) if state.shown[card]] + seen)


def _in_lines(wides: list[float], across: float) -> list[tuple[float, float, int]]:
    """Return where each chip of such widths begins, its width, and in which row it is."""
    spots: list[tuple[float, float, int]] = []
    x, row = 0.0, 0
    for wide in wides:
        if x and x + wide > across:
            x, row = 0.0, row + 1
        spots.append((x, wide, row))
        x += wide + 5
    return spots


def piles(state: Any, viewer: int | None, language: str, down: float) -> str:
    """Draw the deck, the discards and the pile of endings, with their sizes, 246 across."""
    words = _WORDS[language]
    open_ = [card for card in range(t.NUM_ELEMENTS) if state.where[card] == OPEN]
    buried = [card for card in range(t.NUM_ELEMENTS) if state.where[card] == BURIED]
    mine = [card for card in buried if viewer is None or int(state.buried_by[card]) == viewer != NOBODY]
    seen = [label(card, language) for card in open_]
    if mine:
        seen.append(words["buried"].format(", ".join(label(card, language) for card in mine)))
    face = picture_card(open_[-1], language) if open_ else MARKS["card-back"] if buried else ""
    piles = (
        ("deck", int(state.deck_size), MARKS["card-back"] if state.deck_size else "", words["deck"]),
        ("discards", len(open_) + len(buried), face, " · ".join(seen) or words["discards"]),
        ("pile", int(state.endings_size), MARKS["ending-back"] if state.endings_size else "", words["pile"]),
    )
    drawn = []
    for number, (name, count, shape, title) in enumerate(piles):
        x = 6 + 79 * number
        body = (
            place(15, down / 2, shape or MARKS["no-pile"], 0.29)
            + text(34, down / 2 + 1, str(count), 19, p.LIGHT, LEFT_BOLD)
            + text(34, down / 2 + 16, words[name], 12, p.PALE, LEFT_BOLD, 46)
        )
        drawn.append(place(x, 0, titled(title, body)))
    return "".join(drawn)
