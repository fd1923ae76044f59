"""Clickable areas of the picture of *Bandido Alcatraz*: ends, water, and halves of cards.

To lay a card, a player clicks the half that goes to the chosen place, then the place of the other half. A card in hand
may be clicked only to look at it, so pages ask before they gather or lay it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz import cards as c
from sobremesa.envs.bandido_alcatraz.drawing.hands import spread
from sobremesa.envs.bandido_alcatraz.drawing.pieces import GOLD
from sobremesa.envs.bandido_alcatraz.drawing.scene import (
    Field,
    number_spots,
    radius_of,
    view_of,
)
from sobremesa.envs.bandido_alcatraz.halves import halves_of, place_of
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_WHERE, BIG_HAND, HOW, NUM_WHERES, WHERE
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, PIECES, card_label, half_label
from sobremesa.envs.core.wording import Box, Point

_HALVES = "ab"

Held = tuple[int, int, float, float, float]  # a card in hand: kind, slot, middle, width


def points(field: Field, states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return the cards in hand, and the places where a card or its other half may go."""
    state = states[0]
    hand = _hand(state, field)
    if int(state.stage) == WHERE:
        return _gathered(hand, language) + _wheres(state, field, legal, language)
    return _card_halves(hand, language) + _sides(state, field, language) if int(state.stage) == HOW else []


def _hand(state: Any, field: Field) -> list[Held]:
    """Return the kind of each card in hand, the slot in which that kind is played, its middle and its width.

    A click on any of several equal cards plays the first.
    """
    kinds, own = state.hand[int(state.seat)].tolist(), field.panels(state, int(state.seat))[0]
    laid = spread(state, own)
    return [
        (kind, kinds.index(kind), own.box[0] + x, own.box[1] + y, laid.wide)
        for kind, (x, y) in zip(kinds, laid.spots, strict=False)  # a hand may have fewer slots than the record
        if kind != c.NO_CARD
    ]


def _gathered(hand: list[Held], language: str) -> list[Point]:
    return [
        Point(
            PIECES[language]["hand"].format(slot + 1, card_label(kind, language)),
            [A_GATHER + slot],
            (x - wide / 2, y - wide / 4, wide, wide / 2),
            ask=True,
        )
        for kind, slot, x, y, wide in hand
    ]


def _card_halves(hand: list[Held], language: str) -> list[Point]:
    """Return the halves of the cards in hand, each with the ways to lay that half on the chosen place."""
    found = []
    for kind, slot, x, y, wide in hand:
        for half, name in enumerate(_HALVES):
            ways = c.FIRST_ALIKE[kind, half * c.ROTATIONS : (half + 1) * c.ROTATIONS]
            box = (x - wide / 2 + half * wide / 2, y - wide / 4, wide / 2, wide / 2)
            words = PIECES[language]["half"].format(slot + 1, name, half_label(kind, half, language))
            actions = [A_LAY + slot * c.NUM_WAYS + way for way in ways.tolist()]
            found.append(Point(words, actions, box, ask=True))
    return found


def _wheres(state: Any, field: Field, legal: Sequence[int], language: str) -> list[Point]:
    """Return the places for cards, with the numbers of open ends and water on them."""
    halves = halves_of(state)
    scale, shift = view_of(state, halves, field)
    wheres = [one - A_WHERE for one in legal if A_WHERE <= one < A_WHERE + NUM_WHERES]
    places: dict[tuple[int, int], list[int]] = {}
    for where in wheres:
        places.setdefault(place_of(state, where, halves), []).append(where)
    found = [
        Point(", ".join(action_name(one, language) for one in there), there, _cell(x, y, scale, shift, field))
        for (x, y), there in places.items()
    ]
    spots, half = number_spots(state, halves), radius_of(scale, field) * scale
    for where in wheres:
        x, y = (shift[axis] + scale * spots[where][axis] for axis in range(2))
        words = action_name(where, language)
        found.append(Point(words, [where], (x - half, y - half, 2 * half, 2 * half), half))
    return found


def _sides(state: Any, field: Field, language: str) -> list[Point]:
    """Return the places next to the chosen one, where the other half of a card may be placed."""
    halves = halves_of(state)
    scale, shift = view_of(state, halves, field)
    x, y = place_of(state, int(state.where), halves)
    found = []
    for side, name in enumerate(MOVES[language]["sides"]):
        ways = [way for way in range(c.NUM_WAYS) if c.OTHER_SIDE[way % c.ROTATIONS, way // c.ROTATIONS] == side]
        actions = [A_LAY + slot * c.NUM_WAYS + way for slot in range(BIG_HAND) for way in ways]
        box = _cell(x + int(c.STEP_X[side]), y + int(c.STEP_Y[side]), scale, shift, field)
        found.append(Point(PIECES[language]["other"].format(name), actions, box, drawn=_dashed(box)))
    return found


def _cell(x: int, y: int, scale: float, shift: tuple[float, float], field: Field) -> Box:
    """Return the area of a cell, moved inside the picture if it is beyond the edge."""
    left, top, right, below = field.ground
    size = 94 * scale
    return (
        min(max(shift[0] + scale * (100 * x - 47), left), right - size),
        min(max(shift[1] + scale * (100 * y - 47), top), below - size),
        size,
        size,
    )


def _dashed(box: Box) -> str:
    """Draw the place of the other half."""
    x, y, across, down = box
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{across:.1f}" height="{down:.1f}" rx="8" fill="{GOLD}" '
        f'fill-opacity=".14" stroke="{GOLD}" stroke-width="2" stroke-dasharray="3 5"/>'
    )
