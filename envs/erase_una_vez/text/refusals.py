"""Reasons why an action of *Érase una vez* is illegal, as the seat to act may know them."""

import numpy as np

from sobremesa.envs.erase_una_vez.state import A_CARD, A_CLAIM, A_DISCARD, A_INTERRUPT
from sobremesa.envs.erase_una_vez.tables import INTERRUPTIONS, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text.table import asks
from sobremesa.envs.erase_una_vez.text.words import TEXTS, WORDS, name_of

_OF_CARDS = (
    *((first, range(NUM_ELEMENTS)) for first in (A_CARD, A_DISCARD, A_CLAIM)), (A_INTERRUPT, INTERRUPTIONS.tolist())
)  # fmt: skip


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return the reason why `action` is illegal for the seat to act in the `(1,)` state `table`."""
    state = table[0]
    for first, cards in _OF_CARDS:
        if first <= action < first + len(cards) and state.where[cards[action - first]] != state.seat:
            text: str = TEXTS["why"][language]["not_held"]
            return text.format(name_of(cards[action - first], language))
    return WORDS[language]["yours"].format(asks(table, int(state.seat), language))
