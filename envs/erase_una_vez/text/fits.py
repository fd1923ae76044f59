"""How well a thing fits the tale before it is told (C4), in the next sentence or by the card of another player."""

from collections.abc import Sequence
from typing import Any

from sobremesa.envs.core.words import listed
from sobremesa.envs.erase_una_vez.state import CARD, MOST_LISTED, OWN, WORDS as WORDS_OF_ONES_OWN
from sobremesa.envs.erase_una_vez.tables import NEEDS
from sobremesa.envs.erase_una_vez.tale import (
    CONTRADICTS,
    DOUBTFUL,
    LISTS,
    UPHELD,
    VALID,
    has,
    is_listed,
    kind_of,
    sense_of,
    tie_of,
    weight_of,
)
from sobremesa.envs.erase_una_vez.text.words import WORDS, marked

CLOSE, BY_THEME, UNTIED, SENSELESS = FITS = range(4)


def fit_of(state: Any, thing: int, seat: int, by_card: bool) -> int:
    """Return how `thing` would fit the tale if `seat` told of it now, with or without its card: one of FITS.

    In own words nothing is without sense yet: the same sentence may tell of what the thing needs (O16).
    """
    if seat == state.narrator:
        nonsense = sense_of(state, thing, CARD if by_card else kind_of(state, thing)) < UPHELD
    else:
        nonsense = not has(state, NEEDS[thing])
    if nonsense:
        return UNTIED if state.telling == WORDS_OF_ONES_OWN else SENSELESS
    return CLOSE - int(tie_of(state, thing)) + UNTIED


def fit_words(fit: int, language: str) -> str:
    """Return the words for one of FITS."""
    return WORDS[language][f"fit{fit}"]


def lack_of(state: Any, thing: int, fit: int) -> str:
    """Return why `thing`, which would fit the tale so, would make no sense, as a key of words; "" if it would."""
    if fit != SENSELESS:
        return ""
    if not has(state, NEEDS[thing]):
        return f"lacks{NEEDS[thing]}"
    return "too many" if is_listed(state, thing) else "too long"


def fit_and_lack(state: Any, thing: int, fit: int, language: str) -> str:
    """Return the words for a `fit` of `thing` to the tale and, if it would make no sense, for why."""
    words, lack = fit_words(fit, language), lack_of(state, thing, fit)
    return f"{words}: {WORDS[language][lack]}" if lack else words


def sense_words(state: Any, language: str) -> str:
    """Return whether the last sentence makes sense and, if not, why (C4, O16)."""
    sense = int(state.sense)
    only_names = sense == LISTS and (state.also_count > 0 or state.listed <= MOST_LISTED)
    own = "_own" if state.words == OWN and (only_names or sense == CONTRADICTS) else ""
    return WORDS[language][f"sense{sense}{own}"]


def verdict(state: Any, card: int, language: str) -> str:
    """Return what the judge thinks of a claim of `card` now."""
    weight = int(weight_of(state, card))
    key = "right" if weight >= VALID else "doubtful" if weight >= DOUBTFUL else "wrong"
    return WORDS[language][key].format(weight)


def by_fit(state: Any, cards: Sequence[int], seat: int, language: str) -> list[str]:
    """Return a line of names for each way in which `cards` of `seat` fit the tale."""
    lines = []
    for fit in FITS:
        names = [marked(card, language) for card in cards if fit_of(state, card, seat, True) == fit]
        lines += listed(f"  {fit_words(fit, language)}", names, "    ")
    return lines
