"""Words with one wrong letter: a long word that is unknown, one letter off from a word of the phrases."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from sobremesa.envs.erase_una_vez.tables import ASPECT, GROUP, NUMBER
from sobremesa.envs.erase_una_vez.text.forms import DIMINUTIVES, Word
from sobremesa.envs.erase_una_vez.text.phrases import VALID, Phrase, phrase_index

SHORTEST = 6  # letters of a word that is compared
_FORMS_OF_A_VERB = 100  # at least, in Spanish
_SIZED = re.compile(f"({'|'.join(DIMINUTIVES)}|isim)[oa]s?$")


def mended(words: Sequence[Word], language: str) -> tuple[list[Word], frozenset[int]]:
    """Return words with the keys of those that they are one letter off from, and the places of these."""
    known, near = _known(language), _near(language)
    found, places = list(words), set()
    for place, word in enumerate(words):
        if len(word.key) < SHORTEST - 1 or word.key in known or (word.capital and not word.first):
            continue
        meant = {one for cut in _cuts(word.key) for one in near.get(cut, ()) if _one_off(word.key, one)}
        if meant:
            found[place] = replace(word, key=min(meant))
            places.add(place)
    return found, frozenset(places)


@cache
def _known(language: str) -> frozenset[str]:
    """Return the words that are spelled right: those of the phrases, and other words close to them."""
    index = phrase_index(language)
    items = {item for phrases in index.first.values() for phrase in phrases for item in phrase.items if item}
    return frozenset().union(*items, *index.sets.values(), *index.contexts.values())


@cache
def _near(language: str) -> dict[str, tuple[str, ...]]:
    """Return the words that a phrase of one word can be, by each way to leave out at most one letter."""
    found: dict[str, list[str]] = {}
    for key, phrases in phrase_index(language).first.items():
        nouns = [one for one in phrases if one.verdict == VALID and len(one.items) == 1 and _is_noun(one)]
        if len(key) >= SHORTEST and nouns and not _SIZED.search(key):
            for cut in _cuts(key):
                found.setdefault(cut, []).append(key)
    return {cut: tuple(keys) for cut, keys in found.items()}


def _is_noun(phrase: Phrase) -> bool:
    """Return whether a phrase of one word is a character, an object or a place, and no verb: those have more forms."""
    return GROUP[NUMBER[phrase.of]] < ASPECT and len(phrase.items[0] or ()) < _FORMS_OF_A_VERB


def _cuts(key: str) -> Iterator[str]:
    yield key
    for place in range(1, len(key)):
        yield key[:place] + key[place + 1 :]


def _one_off(one: str, other: str) -> bool:
    """Return whether one letter is missing, added or wrong, or two are swapped; the first one is right."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 1:
        return False
    start = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), -1)
    if start < 0:
        return len(one) != len(other)
    swapped = one[start : start + 2] == other[start : start + 2][::-1] and one[start + 2 :] == other[start + 2 :]
    return swapped or one[start + 1 :] == other[start + (len(one) <= len(other)) :] or one[start:] == other[start + 1 :]
