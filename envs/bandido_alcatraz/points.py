"""Clickable areas of the picture of *Bandido Alcatraz*: ends, water, and halves of cards; and the narrow layout.

To lay a card, a player clicks the half that goes to the chosen place, then the place of the other half.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import (
    FLOODED,
    NO_CARD,
    NO_HALF,
    NUM_WAYS,
    OTHER_SIDE,
    ROTATIONS,
    STEP_X,
    STEP_Y,
    TUNNELS,
)
from sobremesa.envs.bandido_alcatraz.drawing.hands import own_cards
from sobremesa.envs.bandido_alcatraz.drawing.pieces import GOLD
from sobremesa.envs.bandido_alcatraz.drawing.scene import halves_of, number_spots, place_of, radius_of, view_of
from sobremesa.envs.bandido_alcatraz.notation import action_name
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_WHERE, BIG_HAND, HOW, NUM_WHERES, WHERE
from sobremesa.envs.bandido_alcatraz.text.words import MOVES, card_words
from sobremesa.envs.core.game import PUBLIC, Box, Point

_GROUND = (0.0, 126.0, 1000.0, 804.0)  # left, top, right, foot of the earth
_HALVES = "ab"
_LEAST = 560.0  # of the network, across, that a narrow screen shows
_OWN = (0.0, 806.0, 518.0, 194.0)  # the hand of a viewer who is not alone


def points(states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return the cards in hand, and the places where a card or its other half may go."""
    state = states[0]
    if int(state.stage) == WHERE:
        return _gathered(state, language) + _wheres(state, legal, language)
    return _card_halves(state, language) + _sides(state, language) if int(state.stage) == HOW else []


def _hand(state: Any) -> list[tuple[int, int, float, float, float]]:
    """Return the kind of each card in hand, the slot in which that kind is played, its middle and its width.

    A click on any of several equal cards plays the first.
    """
    kinds = state.hand[int(state.seat)].tolist()
    spots, wide = own_cards(state)
    return [
        (kind, kinds.index(kind), x, y, wide)
        for kind, (x, y) in zip(kinds, spots, strict=False)  # a hand may have fewer slots than the record
        if kind != NO_CARD
    ]


def _gathered(state: Any, language: str) -> list[Point]:
    return [
        Point(card_words(kind, language), [A_GATHER + slot], (x - wide / 2, y - wide / 4, wide, wide / 2))
        for kind, slot, x, y, wide in _hand(state)
    ]


def _card_halves(state: Any, language: str) -> list[Point]:
    """Return the halves of the cards in hand, each with the ways to lay that half on the chosen place."""
    found = []
    for kind, slot, x, y, wide in _hand(state):
        for half, name in enumerate(_HALVES):
            ways = {_first_alike(kind, half * ROTATIONS + turn) for turn in range(ROTATIONS)}
            box = (x - wide / 2 + half * wide / 2, y - wide / 4, wide / 2, wide / 2)
            words = f"{slot + 1}{name}, {card_words(kind, language)}"
            found.append(Point(words, [A_LAY + slot * NUM_WAYS + way for way in ways], box))
    return found


@cache
def _first_alike(kind: int, way: int) -> int:
    """Return the first way to lay a card that looks like this one."""

    def looks(one: int) -> tuple[int, ...]:
        half, turn = divmod(one, ROTATIONS)
        wet = int(FLOODED[kind])
        tunnels = TUNNELS[kind, turn]
        under = NO_HALF if wet == NO_HALF else wet ^ half
        return int(OTHER_SIDE[turn, half]), int(tunnels[half]), int(tunnels[1 - half]), under

    return next(one for one in range(NUM_WAYS) if looks(one) == looks(way))


def _wheres(state: Any, legal: Sequence[int], language: str) -> list[Point]:
    """Return the places for cards, with the numbers of open ends and water on them."""
    halves = halves_of(state)
    scale, shift = view_of(halves)
    wheres = [one - A_WHERE for one in legal if A_WHERE <= one < A_WHERE + NUM_WHERES]
    places: dict[tuple[int, int], list[int]] = {}
    for where in wheres:
        places.setdefault(place_of(state, where, halves), []).append(where)
    found = [
        Point(", ".join(action_name(one, language) for one in there), there, _cell(x, y, scale, shift))
        for (x, y), there in places.items()
    ]
    spots, half = number_spots(state, halves), radius_of(scale) * scale
    for where in wheres:
        x, y = (shift[axis] + scale * spots[where][axis] for axis in range(2))
        words = action_name(where, language)
        found.append(Point(words, [where], (x - half, y - half, 2 * half, 2 * half), half))
    return found


def _sides(state: Any, language: str) -> list[Point]:
    """Return the places beside the chosen one, where the other half of a card may come to lie."""
    halves = halves_of(state)
    scale, shift = view_of(halves)
    x, y = place_of(state, int(state.where), halves)
    found = []
    for side, words in enumerate(MOVES[language]["sides"]):
        ways = [way for way in range(NUM_WAYS) if OTHER_SIDE[way % ROTATIONS, way // ROTATIONS] == side]
        actions = [A_LAY + slot * NUM_WAYS + way for slot in range(BIG_HAND) for way in ways]
        box = _cell(x + int(STEP_X[side]), y + int(STEP_Y[side]), scale, shift)
        found.append(Point(words, actions, box, drawn=_dashed(box)))
    return found


def _cell(x: int, y: int, scale: float, shift: tuple[float, float]) -> Box:
    """Return the area of a cell, moved inside the picture if it lies beyond the edge."""
    left, top, right, below = _GROUND
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


def rows(states: np.ndarray, seat: int | None) -> list[list[Box]]:
    """Return the rows of a narrow screen: question, network, the viewer's hand, and the piles beside it."""
    halves = halves_of(states[0])
    scale, shift = view_of(halves)
    left, top, *_ = _cell(min(half.x for half in halves) - 2, min(half.y for half in halves) - 2, scale, shift)
    x, y, size, _ = _cell(max(half.x for half in halves) + 2, max(half.y for half in halves) + 2, scale, shift)
    across = max(x + size - left, _LEAST)
    left = min(max(0.0, (left + x + size - across) / 2), 1000 - across)
    network = (left, top, across, y + size - top)
    if seat in (None, PUBLIC):
        return [[(0, 0, 500, 118), (870, 0, 130, 118)], [network], [(0, 806, 1000, 194)]]
    own = _OWN if states["seats"][0] > 1 else (0.0, 806.0, 758.0, 194.0)
    beside = (own[2], 806.0, 1000 - own[2], 194.0)
    return [[(0, 0, 500, 118), (870, 0, 130, 118)], [network], [own], [beside]]
