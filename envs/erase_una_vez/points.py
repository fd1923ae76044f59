"""Clickable areas of the picture of *Érase una vez*: cards, endings and things told.

To tell of a thing without a card, a player clicks the button of its group and picks it from a sheet over the book.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text
from sobremesa.envs.core.wording import Box, Point
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.drawing.art import INK, emblem
from sobremesa.envs.erase_una_vez.drawing.cards import label
from sobremesa.envs.erase_una_vez.drawing.hands import endings_of, hand_of
from sobremesa.envs.erase_una_vez.drawing.pieces import GROUP_COLOURS, GROUP_GROUNDS, PAPER
from sobremesa.envs.erase_una_vez.drawing.scene import Places
from sobremesa.envs.erase_una_vez.drawing.tale import told_label
from sobremesa.envs.erase_una_vez.notation import action_name
from sobremesa.envs.erase_una_vez.tables import INTERRUPTIONS, NO_THING, NUM_THINGS, THINGS
from sobremesa.envs.erase_una_vez.text.fits import UNTIED, fit_and_lack, fit_of
from sobremesa.envs.erase_una_vez.text.words import GROUP_WORDS, ending_label

_EDGES = (  # of a thing on a sheet, by how well it fits
    'stroke-width="5"', 'stroke-width="2.5"', 'stroke-width="1.5" stroke-dasharray="7 5"',
    'stroke-width="1" stroke-dasharray="2 6"',
)  # fmt: skip
_TELL_OF = {"es": "Contar: {}", "en": "Tell: {}"}


def points(
    places_of: Callable[[Any, int, str], Places], states: np.ndarray, _: Sequence[int], language: str
) -> list[Point]:
    """Return the hand, the endings and the things in the book; then sheets to tell from, or hooks."""
    state, seat = states[0], int(states[0].seat)
    places = places_of(state, seat, language)
    cards = zip(hand_of(state, seat), places.cards, strict=True)
    found = [Point(_hand_label(state, card, language), _uses(card), box) for card, box in cards]
    for number, (ending, box) in enumerate(zip(endings_of(state, seat), places.endings, strict=True)):
        found.append(Point(ending_label(ending, language), [s.A_END + number, s.A_CHANGE + number], box))
    if int(state.stage) == s.HOOK:
        return found + _hooks(state, places, language)
    if int(state.stage) != s.TELL:
        return found
    return found + _told(places, language) + _sheets(state, seat, places, language)


def _hand_label(state: Any, card: int, language: str) -> str:
    """Return the name of a card in hand and, if it may be told of, what its mark means; the target covers the mark."""
    name = label(card, language)
    if int(state.stage) != s.TELL:
        return name
    return f"{name}, {fit_and_lack(state, card, fit_of(state, card, int(state.seat), True), language)}"


def _uses(card: int) -> list[int]:
    """Return all uses of a card in hand."""
    uses = [s.A_CARD + card, s.A_DISCARD + card, s.A_CLAIM + card]
    return uses + [s.A_INTERRUPT + number for number, one in enumerate(INTERRUPTIONS.tolist()) if one == card]


def _told(places: Places, language: str) -> list[Point]:
    """Return the things in the book, which can be told of again."""
    return [
        Point(told_label(entry, language), [s.A_TELL + entry.thing], box)
        for entry, box in places.told
        if entry.kind != s.END
    ]


def _hooks(state: Any, places: Places, language: str) -> list[Point]:
    """Return the possible hooks: buttons that name them, and their last places in the book."""
    spots = {entry.thing: box for entry, box in places.told if entry.kind != s.END}
    found = []
    for number, thing in enumerate(state.context[: s.MOST_HOOKS].tolist()):
        if thing != NO_THING:
            words = f"{action_name(s.A_HOOK + number, language)}: {label(thing, language)}"
            found.append(Point(words, [s.A_HOOK + number], None))
            found += [Point(words, [s.A_HOOK + number], spots[thing])] if thing in spots else []
    return found


def _sheets(state: Any, seat: int, places: Places, language: str) -> list[Point]:
    """Return a button for each group, and for each thing its place on the sheet of its group, what fits best first."""
    found = []
    for group, name in enumerate(GROUP_WORDS[language]):
        things = [thing for thing in range(NUM_THINGS) if THINGS[thing].group == group]
        found.append(Point(_TELL_OF[language].format(name), [s.A_TELL + thing for thing in things], None))
        fitting = sorted((fit_of(state, thing, seat, False), thing) for thing in things)
        for number, (fit, thing) in enumerate(fitting):
            box = places.sheet(number)
            words = f"{label(thing, language)}, {fit_and_lack(state, thing, fit, language)}"
            found.append(Point(words, (), box, drawn=_chip(thing, fit, language, box), then=[s.A_TELL + thing]))
    return found


@cache
def _chip(thing: int, fit: int, language: str, box: Box) -> str:
    """Draw a thing with its name, the paler the less it fits the tale."""
    x, y, across, down = box
    group, scale = THINGS[thing].group, down / 48
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" rx="8" '
        f'fill="{GROUP_GROUNDS[group] if fit < UNTIED else PAPER}" stroke="{GROUP_COLOURS[group]}" {_EDGES[fit]}/>'
        + place(x + 29 * scale, y + down / 2, emblem(thing), 0.5 * scale)
        + text(
            x + 58 * scale,
            y + down / 2 + 7 * scale,
            label(thing, language),
            21 * scale,
            INK,
            LEFT_BOLD,
            across - 64 * scale,
        )
    )
