"""Reasons why a move of *Corre el encierro* is illegal, in words."""

import numpy as np

from sobremesa.envs.core.game import check_language
from sobremesa.envs.corre_el_encierro.cards import (
    AVANZAR,
    FIRST_ATTACK,
    FIRST_SPECIAL,
    INTERCAMBIO,
    OTRA_VEZ,
    PERDIDOS,
    TORO_VOLTEADO,
    ZAPATILLAS,
)
from sobremesa.envs.corre_el_encierro.moves import is_move
from sobremesa.envs.corre_el_encierro.notation import TOGETHER
from sobremesa.envs.corre_el_encierro.state import (
    A_ADVANCE,
    A_ANSWER,
    A_ATTACK,
    A_DEFEND,
    A_DISCARD,
    A_DONE,
    A_LAY,
    A_NOTHING,
    A_PAY_OBJECT,
    A_RECOVER,
    A_SEND,
    A_SHIELD,
    A_SWAP,
    A_ZAPATILLAS,
    ANSWER,
    DEFEND,
    DISCARD,
    DRAW,
    NUM_OTHERS,
    PAY,
    PLAY,
    SAVE,
)
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.table import question
from sobremesa.envs.corre_el_encierro.text.words import WHY, WORDS

# The first action of each block, the questions that it answers, and the card of it that must be in the hand.
_BLOCKS = (
    (A_PAY_OBJECT, (PAY,), None), (A_ANSWER, (ANSWER,), OTRA_VEZ), (A_SHIELD, (DEFEND,), None),
    (A_SEND, (DEFEND,), TORO_VOLTEADO), (A_DEFEND, (DEFEND,), 0), (A_ATTACK, (PLAY,), FIRST_ATTACK),
    (A_RECOVER, (PLAY,), PERDIDOS), (A_LAY, (PLAY,), FIRST_SPECIAL), (A_SWAP, (PLAY, SAVE), INTERCAMBIO),
    (A_ADVANCE, (PLAY, SAVE), AVANZAR), (A_DISCARD, (DISCARD,), 0), (A_NOTHING, (ANSWER, DEFEND, SAVE), None),
    (A_DONE + 1, (DRAW,), None), (A_DONE, (PLAY, DISCARD), None),
)  # fmt: skip


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return the reason why `action` is illegal for the seat to act in the `(1,)` state `table`."""
    check_language(language)
    state, words = table[0], WHY[language]
    first, stages, card = next(block for block in _BLOCKS if action >= block[0])
    if state.stage not in stages or first == A_PAY_OBJECT:
        return WORDS[language]["yours"].format(question(state, language))
    if is_move(action) and state.moved and state.stage == PLAY:
        return words["moved"]
    if first == A_DONE:
        return words["full"]
    cards = TOGETHER.get(action) or (_card(action, first, card),)
    lying = [ZAPATILLAS] * (action == A_ZAPATILLAS) + [FIRST_SPECIAL + action - A_SHIELD] * (first == A_SHIELD)
    for kind in [one for one in cards if one is not None and one not in lying]:
        if not state.hand[state.seat, kind]:
            return words["not_held"].format(card_name(kind, language))
    for kind in lying:
        if state.special[state.seat] != kind:
            return words["not_laid"].format(card_name(kind, language))
    if first in (A_SWAP, A_ATTACK, A_SEND):
        steps = (action - first) % NUM_OTHERS + 1
        return words["no_runner" if steps >= state.seats else "far"]
    return words["nothing_lost" if first == A_RECOVER else "no_help"]


def _card(action: int, first: int, card: int | None) -> int | None:
    """Return the card of `action` in the block that starts at `first`."""
    if card is None or first in (A_SEND, A_ANSWER, A_RECOVER, A_SWAP, A_ADVANCE):
        return card
    return card + (action - first) // (NUM_OTHERS if first == A_ATTACK else 1)
