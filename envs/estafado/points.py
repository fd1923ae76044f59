"""Pointing in pictures of *Estafado* at cards, ring, vixen, hand and deck, and rows for narrow screens."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sobremesa.envs.core.game import Box, Point
from sobremesa.envs.estafado.board import CELL_NAMES, NO_SPACE, NUM_CELLS, RING, space_name
from sobremesa.envs.estafado.cards import HAND_SIZE, NO_CARD
from sobremesa.envs.estafado.drawing import board, cards, panels
from sobremesa.envs.estafado.drawing.scene import PANELS
from sobremesa.envs.estafado.state import (
    A_DECK,
    A_EAGLE,
    A_GO,
    A_HAND,
    A_SLIDE,
    A_START,
    A_VIXEN,
    EAGLE_STEPS,
    FOX,
    SLIDE_STEPS,
)
from sobremesa.envs.estafado.text.words import WORDS

_BLOCKS = range(A_GO, A_START, NUM_CELLS)  # of actions that have one for each cell


def points(states: np.ndarray, legal: Sequence[int], language: str) -> list[Point]:
    """Return the hand and the rights of the fox's player, the deck, the cards on the floor and the ring's spaces.

    To place the vixen, point at its token first.
    """
    state, words = states[0], WORDS[language]
    found = [_beside(words["vixen_token"], range(A_VIXEN, A_VIXEN + NUM_CELLS), panels.VIXEN)]
    if A_DECK in legal:
        found.append(_beside("", [A_DECK], panels.TOP_CARD))
    if int(state.seat) == FOX:
        found += [
            _beside(cards.name_of(int(card), language), [A_HAND + slot], panels.hand_box(slot))
            for slot, card in enumerate(state.hand[:HAND_SIZE])
            if card != NO_CARD
        ]
    for cell in range(NUM_CELLS):
        box = (*board.corner(cell), float(cards.WIDTH), float(cards.HEIGHT))
        about = [block + cell for block in _BLOCKS if block != A_VIXEN]
        found.append(Point(_card(state, cell, language), about, box, then=[A_VIXEN + cell]))
    found += [
        Point(space_name(space, language), _flights(state, space), board.space_box(space), 15) for space in range(RING)
    ]
    return found


def _beside(words: str, actions: Sequence[int], box: tuple[float, float, float, float]) -> Point:
    x, y, across, down = box
    return Point(words, actions, (PANELS[0] + x, PANELS[1] + y, across, down))


def _card(state: Any, cell: int, language: str) -> str:
    """Name a cell, and the card on it if the seat to act knows it (C12.1)."""
    if state.up[cell] or state.known[int(state.seat), cell]:
        return f"{CELL_NAMES[cell]}, {cards.name_of(int(state.cards[cell]), language)}"
    return CELL_NAMES[cell]


def _flights(state: Any, space: int) -> list[int]:
    """Return the actions that bring eagle or crow to a space of the ring."""
    eagle, crow = int(state.eagle), int(state.crow)
    flights = [A_START + space]
    if eagle != NO_SPACE:
        flights += [A_EAGLE + way for way, step in enumerate(EAGLE_STEPS) if (eagle + int(step)) % RING == space]
    return flights + [A_SLIDE + way for way, step in enumerate(SLIDE_STEPS) if (crow + int(step)) % RING == space]


def rows(states: np.ndarray, seat: int | None) -> list[list[Box]]:
    """Return the floor in its ring, then the question and the deck, then the players."""
    return [
        [(6, 74, 640, 668)],
        [(648, 28, 348, 142), (648, 590, 348, 148)],
        [(648, 170, 348, 280), (648, 448, 348, 142)],
    ]
