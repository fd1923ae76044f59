"""Why a move of *Bandido Alcatraz* cannot be played, in words."""

import numpy as np

from sobremesa.envs.bandido_alcatraz.cards import NO_CARD, NUM_WAYS
from sobremesa.envs.bandido_alcatraz.fits import is_first, is_needed, is_there
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_SIGNAL, A_WHERE, HOW, SIGNAL, WHERE
from sobremesa.envs.bandido_alcatraz.text.table import question
from sobremesa.envs.bandido_alcatraz.text.words import WORDS
from sobremesa.envs.core.game import check_language

_WHY = {
    "en": {
        "not_there": "there is nothing of that number",
        "no_fit": "none of your cards fits there",
        "no_card": "you hold no card {}",
        "equal": "card {} equals an earlier one of your hand, which does the same",
        "not_needed": "card {} shows no raincoat or rope that is still needed",
        "not_so": "card {} does not fit there that way",
    },
    "es": {
        "not_there": "no hay nada con ese número",
        "no_fit": "ninguna de tus cartas encaja ahí",
        "no_card": "no tienes carta {}",
        "equal": "la carta {} es igual que otra anterior de tu mano, que hace lo mismo",
        "not_needed": "la carta {} no muestra impermeable ni cuerda que haga falta",
        "not_so": "la carta {} no encaja ahí de ese modo",
    },
}


def why(table: np.ndarray, action: int, language: str) -> str:
    """Return why the seat to act in the `(1,)` state `table` may not play `action`."""
    check_language(language)
    state, words = table[0], _WHY[language]
    stage = SIGNAL if action >= A_SIGNAL else HOW if action >= A_LAY else WHERE
    if stage != state.stage:
        return WORDS[language]["yours"].format(question(state, language))
    if action < A_GATHER:
        return words["no_fit" if is_there(state, action - A_WHERE) else "not_there"]
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
