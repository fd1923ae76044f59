"""Pointing in pictures of *Corre el encierro* at cards, course, runners and pile."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.wording import Point
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.drawing import scene
from sobremesa.envs.corre_el_encierro.drawing.course import Places
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.scene import WORDS

_ALONE = {  # uses of cards apart from discarding, defending and aiming
    c.AVANZAR: (s.A_ADVANCE, s.A_CARRERA, s.A_ZAPATILLAS),
    c.CARRERA: (s.A_CARRERA,),
    c.SANTO_PATRON: (s.A_PATRON,),
    c.HEMINGWAY: (s.A_PATRON,),
    c.PERDIDOS: (s.A_RECOVER,),
    c.OTRA_VEZ: (s.A_ANSWER,),
}
_AIMED = {c.INTERCAMBIO: s.A_SWAP, c.TORO_VOLTEADO: s.A_SEND} | {
    c.FIRST_ATTACK + attack: s.A_ATTACK + attack * s.NUM_OTHERS for attack in range(c.NUM_ATTACKS)
}  # first actions of cards with targets
_LYING = (s.A_ZAPATILLAS, s.A_SHIELD, s.A_SHIELD + 1, s.A_PAY_SPECIAL)  # uses of the special object in play


def points(places_of: Callable[[Any, int], Places], states: np.ndarray, _: Sequence[int], language: str) -> list[Point]:
    """Return hand, special object, objects and pile, then locations and runners as targets."""
    state, seat = states[0], int(states[0].seat)
    places = places_of(state, seat)
    found = [
        Point(card_name(kind, language), _uses(kind), box)
        for kind, box in zip(scene.hand_kinds(state, seat), places.hand, strict=True)
    ]
    found += _belongings(state, seat, places, language)
    found.append(Point(WORDS[language]["pile"], [s.A_DRAW], places.pile))
    for number, actions in _ways(state, seat).items():
        found.append(Point(f"{number} {c.LOCATION_NAMES[number - 1]}", actions, places.locations[number - 1]))
    return found + _others(state, seat, places, language)


def _belongings(state: Any, seat: int, places: Places, language: str) -> list[Point]:
    """Return the special object in play and the other objects, which are lost in order."""
    found = []
    special, objects = int(state.special[seat]), int(state.objects[seat])
    if special != c.NO_CARD:
        found.append(Point(card_name(special, language), _LYING, places.special))
    if objects:
        found.append(Point(WORDS[language]["object"], [s.A_PAY_OBJECT, s.A_GIVE_UP], places.objects))
    return found


def _uses(kind: int) -> list[int]:
    """Return the actions of a card in hand."""
    uses = [s.A_DISCARD + kind, *_ALONE.get(kind, ())]
    if kind < c.NUM_DEFENCES:
        uses.append(s.A_DEFEND + kind)
    if c.FIRST_SPECIAL <= kind < c.FIRST_SPECIAL + c.NUM_SPECIALS:
        uses.append(s.A_LAY + kind - c.FIRST_SPECIAL)
    if kind in _AIMED:
        uses += range(_AIMED[kind], _AIMED[kind] + s.NUM_OTHERS)
    return uses


def _ways(state: Any, seat: int) -> dict[int, list[int]]:
    """Return the ways to each location (C4.1 to C4.5, C5.5)."""
    here, ways = int(state.place[seat]), {}
    two = min(here + 2, c.LAST_LOCATION)
    ways[two] = [s.A_CARRERA, s.A_ZAPATILLAS, s.A_PATRON]
    ways[min(here + 1, c.LAST_LOCATION)] = [s.A_ADVANCE, *(ways[two] if here + 1 >= two else [])]
    if here > 1:
        ways[here - 1] = [s.A_RETREAT]
    return ways


def _others(state: Any, seat: int, places: Places, language: str) -> list[Point]:
    """Return the other runners as targets, on the course and where their belongings are."""
    found, seats = [], int(state.seats)
    for steps in range(1, seats):
        other = (seat + steps) % seats
        aimed = [first + steps - 1 for first in _AIMED.values()]
        name = WORDS[language]["runner"].format(other)
        found.append(Point(name, aimed, places.persons[other], 14))
        if other in places.tokens:
            token = places.tokens[other]
            found.append(Point(name, aimed, token, token[2] / 2))
    return found
