"""Reasons why a move of *Estafado* is illegal, in words."""

import numpy as np

from sobremesa.envs.estafado import state as s
from sobremesa.envs.estafado.board import DISTANCE
from sobremesa.envs.estafado.state import hides
from sobremesa.envs.estafado.text.table import question
from sobremesa.envs.estafado.text.words import WHY, WORDS

# The first action of each block, and the questions that it answers.
_BLOCKS = (
    (s.A_DECK, (s.EXCHANGE,)), (s.A_PASS, (s.REPLACE, s.LEAPING, s.TUNNELLING, s.PEEKING, s.SWAP_FIRST, s.DIVING)),
    (s.A_HAND, (s.REPLACE,)), (s.A_SLIDE, (s.SLIDE,)), (s.A_EAGLE, (s.EAGLE, s.DIVING)), (s.A_START, (s.START,)),
    (s.A_BEAR, (s.BEAR,)), (s.A_SWAP, (s.SWAP_FIRST, s.SWAP_SECOND, s.EXCHANGE)), (s.A_LOOK, (s.PEEKING, s.LOOK)),
    (s.A_VIXEN, (s.MOVE, s.EAGLE)), (s.A_TUNNEL, (s.MOVE, s.TUNNELLING)), (s.A_GO, (s.MOVE, s.LEAPING)),
)  # fmt: skip
_KEYS = {
    s.A_DECK: "deck",
    s.A_HAND: "played",
    s.A_EAGLE: "steps",
    s.A_START: "near",
    s.A_SWAP: "stays",
    s.A_VIXEN: "vixen",
}


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return the reason why `action` is illegal for the seat to act in the `(1,)` state `table`."""
    state, words = table[0], WHY[language]
    first, stages = next(block for block in _BLOCKS if action >= block[0])
    if state.stage not in stages:
        return WORDS[language]["yours"].format(question(state, int(state.seat), language))
    cell = action - first
    if first == s.A_BEAR:
        back, near = cell == state.bear_before, DISTANCE[state.bear, cell] == 1
        key = "here" if cell == state.bear else "far" if not near else "back" if back else "protected"
    elif first == s.A_LOOK:
        key = "seen" if not hides(state, cell) else "line" if state.stage == s.LOOK else "far"
    elif first in (s.A_GO, s.A_TUNNEL):
        key = "here" if cell == state.fox else "bear" if cell == state.bear else "far"
    else:
        key = _KEYS[first]
    return words[key]
