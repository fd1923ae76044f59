"""Reasons why a move of *Corre el encierro* is illegal, in words."""

import numpy as np

from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.moves import is_move
from sobremesa.envs.corre_el_encierro.notation import TOGETHER
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.table import question
from sobremesa.envs.corre_el_encierro.text.words import WHY, WORDS

# The first action of each block, the questions that it answers, and the card of it that must be in the hand.
_BLOCKS = (
    (s.A_PAY_OBJECT, (s.PAY,), None), (s.A_ANSWER, (s.ANSWER,), c.OTRA_VEZ), (s.A_SHIELD, (s.DEFEND,), None),
    (s.A_SEND, (s.DEFEND,), c.TORO_VOLTEADO), (s.A_DEFEND, (s.DEFEND,), 0), (s.A_ATTACK, (s.PLAY,), c.FIRST_ATTACK),
    (s.A_RECOVER, (s.PLAY,), c.PERDIDOS), (s.A_LAY, (s.PLAY,), c.FIRST_SPECIAL),
    (s.A_SWAP, (s.PLAY, s.SAVE), c.INTERCAMBIO), (s.A_ADVANCE, (s.PLAY, s.SAVE), c.AVANZAR),
    (s.A_DISCARD, (s.DISCARD,), 0), (s.A_NOTHING, (s.ANSWER, s.DEFEND, s.SAVE), None), (s.A_DONE + 1, (s.DRAW,), None),
    (s.A_DONE, (s.PLAY, s.DISCARD), None),
)  # fmt: skip


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return the reason why `action` is illegal for the seat to act in the `(1,)` state `table`."""
    state, words = table[0], WHY[language]
    first, stages, card = next(block for block in _BLOCKS if action >= block[0])
    if state.stage not in stages or first == s.A_PAY_OBJECT:
        return WORDS[language]["yours"].format(question(state, language))
    if is_move(action) and state.moved and state.stage == s.PLAY:
        return words["moved"]
    if first == s.A_DONE:
        return words["full"]
    cards = TOGETHER.get(action) or (_card(action, first, card),)
    lying = [c.ZAPATILLAS] * (action == s.A_ZAPATILLAS) + [c.FIRST_SPECIAL + action - s.A_SHIELD] * (
        first == s.A_SHIELD
    )
    for kind in [one for one in cards if one is not None and one not in lying]:
        if not state.hand[state.seat, kind]:
            return words["not_held"].format(card_name(kind, language))
    for kind in lying:
        if state.special[state.seat] != kind:
            return words["not_laid"].format(card_name(kind, language))
    if first in (s.A_SWAP, s.A_ATTACK, s.A_SEND):
        steps = (action - first) % s.NUM_OTHERS + 1
        return words["no_runner" if steps >= state.seats else "far"]
    return words["nothing_lost" if first == s.A_RECOVER else "no_help"]


def _card(action: int, first: int, card: int | None) -> int | None:
    """Return the card of `action` in the block that starts at `first`."""
    if card is None or first in (s.A_SEND, s.A_ANSWER, s.A_RECOVER, s.A_SWAP, s.A_ADVANCE):
        return card
    return card + (action - first) // (s.NUM_OTHERS if first == s.A_ATTACK else 1)
