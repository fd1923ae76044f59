"""Pointing in pictures of *Corre el encierro* at cards, course, runners and pile, and rows for narrow screens."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.game import Box, Point
from sobremesa.envs.core.picture.narrow_screen import in_rows
from sobremesa.envs.corre_el_encierro.cards import (
    AVANZAR,
    CARDS,
    CARRERA,
    FIRST_ATTACK,
    FIRST_SPECIAL,
    HEMINGWAY,
    INTERCAMBIO,
    LAST_LOCATION,
    LOCATION_NAMES,
    NO_CARD,
    NUM_ATTACKS,
    NUM_DEFENCES,
    NUM_SPECIALS,
    OBJECT_NAMES,
    OTRA_VEZ,
    PERDIDOS,
    SANTO_PATRON,
    TORO_VOLTEADO,
)
from sobremesa.envs.corre_el_encierro.drawing import cards, pieces
from sobremesa.envs.corre_el_encierro.drawing.scene import (
    DRAW_PILE,
    PERSON,
    SPECIAL,
    hand_kinds,
    hand_spots,
    panel_corner,
    runner_spots,
)
from sobremesa.envs.corre_el_encierro.state import (
    A_ADVANCE,
    A_ANSWER,
    A_ATTACK,
    A_CARRERA,
    A_DEFEND,
    A_DISCARD,
    A_DRAW,
    A_GIVE_UP,
    A_LAY,
    A_PATRON,
    A_PAY_OBJECT,
    A_PAY_SPECIAL,
    A_RECOVER,
    A_RETREAT,
    A_SEND,
    A_SHIELD,
    A_SWAP,
    A_ZAPATILLAS,
    NUM_OTHERS,
)
from sobremesa.envs.corre_el_encierro.text.scene import WORDS

_ALONE = {  # uses of cards besides discarding, defending and aiming
    AVANZAR: (A_ADVANCE, A_CARRERA, A_ZAPATILLAS),
    CARRERA: (A_CARRERA,),
    SANTO_PATRON: (A_PATRON,),
    HEMINGWAY: (A_PATRON,),
    PERDIDOS: (A_RECOVER,),
    OTRA_VEZ: (A_ANSWER,),
}
_AIMED = {INTERCAMBIO: A_SWAP, TORO_VOLTEADO: A_SEND} | {
    FIRST_ATTACK + attack: A_ATTACK + attack * NUM_OTHERS for attack in range(NUM_ATTACKS)
}  # first actions of cards with targets
_LYING = (A_ZAPATILLAS, A_SHIELD, A_SHIELD + 1, A_PAY_SPECIAL)  # uses of the special object in play
_TOKEN = 17.0  # half of a runner, across
# Sizes for narrow screens, in units of the picture.
_HALF = 590.0  # of the course, across: Estafeta in the middle stands in both halves
_ASKED, _PILES = (330.0, 206.0, 190.0, 196.0), (540.0, 206.0, 250.0, 196.0)
_PERSON = 418.0  # across: token, objects, and the special object
_OWN = 300.0  # half of a hand whose cards overlap, across


def points(states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return hand, special object, objects and pile, then locations and runners as targets."""
    state, words = states[0], WORDS[language]
    seat = int(state.seat)
    left, top = panel_corner(seat)
    kinds = hand_kinds(state, seat)
    found = [
        Point(CARDS[kind].name, _uses(kind), (left + x, top + y, cards.CARD_WIDTH, cards.CARD_HEIGHT))
        for kind, (x, y) in zip(kinds, hand_spots(len(kinds)), strict=True)
    ]
    found += _belongings(state, seat, (left, top))
    found.append(Point(words["pile"], [A_DRAW], DRAW_PILE))
    found += [_location(number, actions) for number, actions in _ways(state, seat).items()]
    return found + _others(state, seat, language)


def _belongings(state: Any, seat: int, corner: tuple[int, int]) -> list[Point]:
    """Return the special object in play and the other objects, which are lost in order."""
    (left, top), found = corner, []
    special, objects = int(state.special[seat]), int(state.objects[seat])
    if special != NO_CARD:
        lies = (left + SPECIAL[0], top + SPECIAL[1], cards.CARD_WIDTH, cards.CARD_HEIGHT)
        found.append(Point(CARDS[special].name, _LYING, lies))
    if objects:
        box = (left + 22, top + 54, 52.0 * objects, 52)
        found.append(Point(", ".join(OBJECT_NAMES[:objects]), [A_PAY_OBJECT, A_GIVE_UP], box))
    return found


def _uses(kind: int) -> list[int]:
    """Return the actions of a card in hand."""
    uses = [A_DISCARD + kind, *_ALONE.get(kind, ())]
    if kind < NUM_DEFENCES:
        uses.append(A_DEFEND + kind)
    if FIRST_SPECIAL <= kind < FIRST_SPECIAL + NUM_SPECIALS:
        uses.append(A_LAY + kind - FIRST_SPECIAL)
    if kind in _AIMED:
        uses += range(_AIMED[kind], _AIMED[kind] + NUM_OTHERS)
    return uses


def _ways(state: Any, seat: int) -> dict[int, list[int]]:
    """Return the ways to each location (C4.1 to C4.5, C5.5)."""
    here, ways = int(state.place[seat]), {}
    two = min(here + 2, LAST_LOCATION)
    ways[two] = [A_CARRERA, A_ZAPATILLAS, A_PATRON]
    ways[min(here + 1, LAST_LOCATION)] = [A_ADVANCE, *(ways[two] if here + 1 >= two else [])]
    if here > 1:
        ways[here - 1] = [A_RETREAT]
    return ways


def _location(number: int, actions: list[int]) -> Point:
    x, y = pieces.COURSE[number - 1]
    wide, high = pieces.TILE_WIDTH, pieces.TILE_HEIGHT
    return Point(f"{number} {LOCATION_NAMES[number - 1]}", actions, (x - wide / 2, y - high / 2, wide, high))


def _others(state: Any, seat: int, language: str) -> list[Point]:
    """Return the other runners as targets, on the course and on their panels."""
    found, seats = [], int(state.seats)
    spots = runner_spots(state)
    for steps in range(1, seats):
        other = (seat + steps) % seats
        aimed = [first + steps - 1 for first in _AIMED.values()]
        name = WORDS[language]["runner"].format(other)
        left, top = panel_corner(other)
        found.append(Point(name, aimed, (left, top, *PERSON), 14))
        if other in spots:
            x, y = spots[other]
            found.append(Point(name, aimed, (x - _TOKEN, y - _TOKEN, 2 * _TOKEN, 2 * _TOKEN), _TOKEN))
    return found


def rows(states: np.ndarray, seat: int | None) -> list[list[Box]]:
    """Return the middle, the course in two halves, the question and the piles, and the viewer's cards enlarged.

    All runners follow, first with their special objects, then whole.
    """
    seats = int(states["seats"][0])
    first, last = panel_corner(0)[1], panel_corner(seats)[1]
    high = first - 94.0
    found: list[list[Box]] = [[(488, 40, 512, 40)], [(0, 80, _HALF, high)], [(1000 - _HALF, 80, _HALF, high)]]
    found.append([_ASKED, _PILES])
    if seat is not None:
        found += _hand(states[0], seat)
    found += [[(12.0, panel_corner(one)[1] - 12.0, _PERSON, PERSON[1] + 16.0)] for one in range(seats)]
    return [*found, [(0, first - 14, 1000, last - first + 10)]]


def _hand(state: Any, seat: int) -> list[list[Box]]:
    """Return the cards of a hand, four abreast, or in two halves where they overlap."""
    (left, top), spots = panel_corner(seat), hand_spots(len(hand_kinds(state, seat)))
    wide, high = cards.CARD_WIDTH, cards.CARD_HEIGHT
    if len(spots) > 1 and spots[1][0] - spots[0][0] < wide:
        middle = left + (spots[0][0] + spots[-1][0] + wide) / 2
        return [[(left + spots[0][0] - 8, top - 6, _OWN, 120)], [(middle - 8, top - 6, _OWN, 120)]]
    return in_rows([(left + x - 4, top + y - 4, wide + 8.0, high + 8.0) for x, y in spots], 4)
