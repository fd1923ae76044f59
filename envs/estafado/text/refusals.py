"""Reasons why a move of *Estafado* is illegal, in words."""

import numpy as np

from sobremesa.envs.core.game import check_language
from sobremesa.envs.estafado.board import DISTANCE
from sobremesa.envs.estafado.state import (
    A_BEAR,
    A_DECK,
    A_EAGLE,
    A_GO,
    A_HAND,
    A_LOOK,
    A_PASS,
    A_SLIDE,
    A_START,
    A_SWAP,
    A_TUNNEL,
    A_VIXEN,
    BEAR,
    DIVING,
    EAGLE,
    EXCHANGE,
    LEAPING,
    LOOK,
    MOVE,
    PEEKING,
    REPLACE,
    SLIDE,
    START,
    SWAP_FIRST,
    SWAP_SECOND,
    TUNNELLING,
    hides,
)
from sobremesa.envs.estafado.text.table import question
from sobremesa.envs.estafado.text.words import WHY, WORDS

# The first action of each block, and the questions that it answers.
_BLOCKS = (
    (A_DECK, (EXCHANGE,)), (A_PASS, (REPLACE, LEAPING, TUNNELLING, PEEKING, SWAP_FIRST, DIVING)),
    (A_HAND, (REPLACE,)), (A_SLIDE, (SLIDE,)), (A_EAGLE, (EAGLE, DIVING)), (A_START, (START,)), (A_BEAR, (BEAR,)),
    (A_SWAP, (SWAP_FIRST, SWAP_SECOND, EXCHANGE)), (A_LOOK, (PEEKING, LOOK)), (A_VIXEN, (MOVE, EAGLE)),
    (A_TUNNEL, (MOVE, TUNNELLING)), (A_GO, (MOVE, LEAPING)),
)  # fmt: skip
_KEYS = {A_DECK: "deck", A_HAND: "played", A_EAGLE: "steps", A_START: "near", A_SWAP: "stays", A_VIXEN: "vixen"}


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return the reason why `action` is illegal for the seat to act in the `(1,)` state `table`."""
    check_language(language)
    state, words = table[0], WHY[language]
    first, stages = next(block for block in _BLOCKS if action >= block[0])
    if state.stage not in stages:
        return WORDS[language]["yours"].format(question(state, int(state.seat), language))
    cell = action - first
    if first == A_BEAR:
        back, near = cell == state.bear_before, DISTANCE[state.bear, cell] == 1
        key = "here" if cell == state.bear else "far" if not near else "back" if back else "protected"
    elif first == A_LOOK:
        key = "seen" if not hides(state, cell) else "line" if state.stage == LOOK else "far"
    elif first in (A_GO, A_TUNNEL):
        key = "here" if cell == state.fox else "bear" if cell == state.bear else "far"
    else:
        key = _KEYS[first]
    return words[key]
