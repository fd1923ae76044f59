"""Reasons why a move of *Bandido Alcatraz* is illegal, in words."""

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import NO_CARD, NUM_WAYS
from sobremesa.envs.bandido_alcatraz.fits import exists, is_first, is_needed
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_SIGNAL, A_WHERE, HOW, SIGNAL, WHERE
from sobremesa.envs.bandido_alcatraz.text.table import question
from sobremesa.envs.bandido_alcatraz.text.words import TEXTS, WORDS


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return why the seat to act in the `(1,)` state `table` may not play `action`."""
    state = table[0]
    words: dict[str, str] = TEXTS["why"][language]
    stage = SIGNAL if action >= A_SIGNAL else HOW if action >= A_LAY else WHERE
    if stage != state.stage:
        return WORDS[language]["yours"].format(question(state, language))
    if action < A_GATHER:
        return words["no_fit" if exists(state, action - A_WHERE) else "not_there"]
    slot = action - A_GATHER if action < A_LAY else (action - A_LAY) // NUM_WAYS
    kind = state.hand[state.seat, slot]
    if kind == NO_CARD:
        key = "no_card"
    elif not is_first(state, state.seat, slot):
        key = "equal"
    elif action < A_LAY:
        key = "equal" if is_needed(state, kind) else "not_needed"
    else:
        key = "not_so"
    return words[key].format(slot + 1)
