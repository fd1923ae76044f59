"""Pointing in pictures of *Estafado* at cards, ring, vixen, hand and deck."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.picture.drawing import place
from sobremesa.envs.core.wording import Box, Point
from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import CELL_NAMES, NO_SPACE, NUM_CELLS, RING, space_name
from sobremesa.envs.estafado.cards import HAND_SIZE, NO_CARD
from sobremesa.envs.estafado.drawing import cards
from sobremesa.envs.estafado.drawing.scene import Places
from sobremesa.envs.estafado.notation import is_creep
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.words import WORDS

_BLOCKS = range(s.A_GO, s.A_START, NUM_CELLS)  # of actions that have one for each cell


def points(places_of: Callable[[Any], Places], states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return the hand and the rights of the fox's player, the deck, the cards on the floor and the ring's spaces.

    To place the vixen, point at its token first.
    """
    state, places = states[0], places_of(states[0])
    words = WORDS[language]["vixen_token"]
    found = [Point(words, range(s.A_VIXEN, s.A_VIXEN + NUM_CELLS), places.vixen)]
    if s.A_DECK in legal:
        found.append(Point("", [s.A_DECK], places.deck))
    if int(state.seat) == s.FOX:
        found += [
            Point(card_name(int(card), language), [s.A_HAND + slot], places.hand[slot])
            for slot, card in enumerate(state.hand[:HAND_SIZE])
            if card != NO_CARD
        ]
    for cell, box in enumerate(places.cells):
        about = [block + cell for block in _BLOCKS if block != s.A_VIXEN]
        track = _track(box) if s.A_GO + cell in legal and is_creep(state, s.A_GO + cell) else ""
        found.append(Point(_card(state, cell, language), about, box, drawn=track, then=[s.A_VIXEN + cell]))
    found += [
        Point(space_name(space, language), _flights(state, space), box, 15) for space, box in enumerate(places.spaces)
    ]
    return found


def _card(state: Any, cell: int, language: str) -> str:
    """Name a cell, and the card on it if the seat to act knows it (C12.1)."""
    if state.up[cell] or state.known[int(state.seat), cell]:
        return f"{CELL_NAMES[cell]}, {card_name(int(state.cards[cell]), language)}"
    return CELL_NAMES[cell]


def _track(box: Box) -> str:
    """Draw the mark of a step of one card at the foot of its card."""
    x, y, across, _ = box
    scale = across / cards.WIDTH
    return place(x + 50 * scale, y + 95 * scale, cards.creeping(), scale)


def _flights(state: Any, space: int) -> list[int]:
    """Return the actions that bring eagle or crow to a space of the ring."""
    eagle, crow = int(state.eagle), int(state.crow)
    flights = [s.A_START + space]
    if eagle != NO_SPACE:
        flights += [s.A_EAGLE + way for way, step in enumerate(s.EAGLE_STEPS) if (eagle + int(step)) % RING == space]
    return flights + [s.A_SLIDE + way for way, step in enumerate(s.SLIDE_STEPS) if (crow + int(step)) % RING == space]
