"""Clickable areas of the picture of *Érase una vez*: cards, endings and things told; and the narrow layout.

To tell of a thing without a card, a player clicks the button of its group and picks it from a sheet over the book.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.game import Box, Point
from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text
from sobremesa.envs.core.picture.narrow_screen import in_rows
from sobremesa.envs.erase_una_vez.drawing.art import INK, emblem
from sobremesa.envs.erase_una_vez.drawing.book import ACROSS, LEFT
from sobremesa.envs.erase_una_vez.drawing.cards import label
from sobremesa.envs.erase_una_vez.drawing.hands import endings_of, facts_boxes, hand_of, own_boxes
from sobremesa.envs.erase_una_vez.drawing.pieces import GROUP_COLOURS, GROUP_GROUNDS, PAPER
from sobremesa.envs.erase_una_vez.drawing.scene import BOOK, OWN_DOWN, OWN_TOP
from sobremesa.envs.erase_una_vez.drawing.tale import told_boxes
from sobremesa.envs.erase_una_vez.notation import action_name
from sobremesa.envs.erase_una_vez.state import (
    A_CARD,
    A_CHANGE,
    A_CLAIM,
    A_DISCARD,
    A_END,
    A_HOOK,
    A_INTERRUPT,
    A_TELL,
    END,
    HOOK,
    MOST_HOOKS,
    TELL,
)
from sobremesa.envs.erase_una_vez.tables import INTERRUPTIONS, NO_THING, NUM_THINGS, THINGS
from sobremesa.envs.erase_una_vez.text.fits import UNTIED, fit_of, fit_words
from sobremesa.envs.erase_una_vez.text.words import GROUP_WORDS, ending_words

_COLUMNS, _HIGH, _GAP = 4, 48.0, 4.0  # of a sheet, two on a page: rows so high, and what is between them
_NEWS = (560.0, 4.0, 440.0, 50.0)  # who narrates, and what one is asked
_LATEST, _ABREAST, _MARGIN = 6, 3, (9.0, 10.0)  # things told last that narrow screens show enlarged, and cards
_EDGES = (  # of a thing on a sheet, by how well it fits
    'stroke-width="5"', 'stroke-width="2.5"', 'stroke-width="1.5" stroke-dasharray="7 5"',
    'stroke-width="1" stroke-dasharray="2 6"',
)  # fmt: skip
_TELL_OF = {"es": "Contar: {}", "en": "Tell: {}"}


def points(states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return the hand, the endings and the things in the book; then sheets to tell from, or hooks."""
    state = states[0]
    seat = int(state.seat)
    cards, endings = own_boxes(state, seat, OWN_TOP, OWN_DOWN)
    found = [
        Point(label(card, language), _uses(card), box) for card, box in zip(hand_of(state, seat), cards, strict=True)
    ]
    for number, (ending, box) in enumerate(zip(endings_of(state, seat), endings, strict=True)):
        found.append(Point(ending_words(ending, language), [A_END + number, A_CHANGE + number], box))
    if int(state.stage) == HOOK:
        return found + _hooks(state, language)
    return found + _told(state, language) + _sheets(state, seat, language) if int(state.stage) == TELL else found


def _uses(card: int) -> list[int]:
    """Return all uses of a card in hand."""
    uses = [A_CARD + card, A_DISCARD + card, A_CLAIM + card]
    return uses + [A_INTERRUPT + number for number, one in enumerate(INTERRUPTIONS.tolist()) if one == card]


def _told(state: Any, language: str) -> list[Point]:
    """Return the things in the book, which can be told of again."""
    return [
        Point(label(entry.thing, language), [A_TELL + entry.thing], box)
        for entry, box in told_boxes(state, *BOOK)
        if entry.kind != END
    ]


def _hooks(state: Any, language: str) -> list[Point]:
    """Return the possible hooks: buttons that name them, and their last places in the book."""
    spots = {entry.thing: box for entry, box in told_boxes(state, *BOOK) if entry.kind != END}
    found = []
    for number, thing in enumerate(state.context[:MOST_HOOKS].tolist()):
        if thing != NO_THING:
            words = f"{action_name(A_HOOK + number, language)}: {label(thing, language)}"
            found.append(Point(words, [A_HOOK + number], None))
            found += [Point(words, [A_HOOK + number], spots[thing])] if thing in spots else []
    return found


def _sheets(state: Any, seat: int, language: str) -> list[Point]:
    """Return a button for each group, and for each thing its place on the sheet of its group, what fits best first."""
    found = []
    for group, name in enumerate(GROUP_WORDS[language]):
        things = [thing for thing in range(NUM_THINGS) if THINGS[thing].group == group]
        found.append(Point(_TELL_OF[language].format(name), [A_TELL + thing for thing in things], None))
        fitting = sorted((fit_of(state, thing, seat, False), thing) for thing in things)
        for number, (fit, thing) in enumerate(fitting):
            box = _on_sheet(number)
            words = f"{label(thing, language)}, {fit_words(fit, language)}"
            found.append(Point(words, (), box, drawn=_chip(thing, fit, language, box), then=[A_TELL + thing]))
    return found


def _on_sheet(number: int) -> Box:
    row, column = divmod(number, _COLUMNS)
    across = (ACROSS - _GAP * (_COLUMNS - 1)) / _COLUMNS
    return LEFT + (across + _GAP) * column, BOOK[0] + 4 + (_HIGH + _GAP) * row, across, _HIGH


@cache
def _chip(thing: int, fit: int, language: str, box: Box) -> str:
    """Draw a thing with its name, the paler the less it fits the tale."""
    x, y, across, down = box
    group = THINGS[thing].group
    words = THINGS[thing].english if language == "en" else THINGS[thing].name
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" rx="8" '
        f'fill="{GROUP_GROUNDS[group] if fit < UNTIED else PAPER}" stroke="{GROUP_COLOURS[group]}" {_EDGES[fit]}/>'
        + place(x + 29, y + down / 2, emblem(thing), 0.5)
        + text(x + 58, y + down / 2 + 7, words[:1].upper() + words[1:], 21, INK, LEFT_BOLD, across - 64)
    )


def rows(states: np.ndarray, seat: int | None) -> list[list[Box]]:
    """Return the rows of a narrow screen: headline, others, last things told, facts, hand, endings, pages of the book.

    The next sentence may hang on the last things told. Sheets lie on the pages, above the buttons that open them.
    """
    top, down = BOOK
    if seat is None:
        return [[(8, 4, 262, 50), (560, 4, 440, 50)], [(0, 54, 1000, 1026)]]
    state = states[0]
    told = [box for _, box in told_boxes(state, *BOOK)]
    cards, endings = own_boxes(state, seat, OWN_TOP, OWN_DOWN)
    found = [[_NEWS], *_others(int(state.seats))]
    found += in_rows([_around(box, *_MARGIN) for box in told[-_LATEST:]], _ABREAST)
    found += [[box] for box in facts_boxes(state, top + down + 6, 60.0)]
    found += in_rows([_around(box, 8, 8) for box in cards], _ABREAST)
    found += [[_around(box, 6, 6)] for box in endings]
    found += [[(740.0, top + down + 6, 260.0, 60.0), (-120.0, 0.0, 120.0, 1.0)]]
    pages = [(LEFT + ACROSS / 2 * page, top, ACROSS / 2, down) for page in range(2)]
    lies = [box for box in told[:-_LATEST] if box[0] > pages[1][0]]
    sheets = int(state.stage) == TELL and int(state.seat) == seat
    return found + [[page] for page in pages[: 2 if sheets or lies or not told else 1]]


def _others(seats: int) -> list[list[Box]]:
    """Return the others, one below the other or two abreast, so that a row is half as wide as the picture or less."""
    across = 1000.0 / (seats - 1)
    boxes = [(across * number, 54.0, across, BOOK[0] - 60.0) for number in range(seats - 1)]
    if seats == 2:
        return [[(0.0, *boxes[0][1:2], 500.0, boxes[0][3])], [(500.0, *boxes[0][1:2], 500.0, boxes[0][3])]]
    return in_rows(boxes, 1 if seats <= 4 else 2)


def _around(box: Box, across: float, down: float) -> Box:
    """Return `box` with a margin."""
    return box[0] - across, box[1] - down, box[2] + 2 * across, box[3] + 2 * down
