"""Other names in the texts of a game: an invented word for each declared word, and other signs for places and kinds.

Texts are renamed word by word after the game has written them. An invented word has the length of the word in whose
place it stands, so that maps, tables and line breaks stay as they are. The seed alone decides the names.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.wording import Words

_CONSONANTS, _VOWELS = "bcdfgklmnprtvz", "aiou"  # without e and s, in which plurals end
_SHORTEST = 3  # letters of a word that is renamed
_SIGNS = {"upper": "BCDFGHJKLNPRTVXYZ", "lower": "fghjkmnpqrtvxyz", "other": "◆●▼¤◇○□△"}
_PLURALS = (("", ""), ("s", ""), ("es", ""), ("ies", "y"))  # (ending, ending of the singular in its place)
_COMMON = (
    "the and for not with without from into that this who are was has you your his her can very too two three four "
    "five six one all any some again over passes pass "
    "los las del una uno unos unas por para con sin que muy más este esta puede tus entre otra otro desde dos "
    "tres cuatro todo nada tras ser"
)  # stay, also in names


def ranked(count: int, *key: object) -> list[int]:
    """Return a permutation of `range(count)` that follows from `key` alone."""
    return sorted(range(count), key=lambda number: _digest(*key, number))


class Renaming:
    """The names of the game with `words` and `actions` actions, for the seed `seed`."""

    def __init__(self, words: Words, actions: int, seed: int) -> None:
        self._there: dict[str, _Reader] = {}
        for language in LANGUAGES:
            printed = [words.help(language), *(words.action_name(action, language) for action in range(actions))]
            tables = _tables(words.renamed(language), stems_of(" ".join(printed)), seed, language)
            self._there[language] = _Reader(*tables)
        self._back = {language: reader.reversed() for language, reader in self._there.items()}

    def there(self, text: str, language: str) -> str:
        """Return `text` of the game with the other names; raise KeyError for another language."""
        return self._there[language].read(text)

    def back(self, text: str, language: str) -> str:
        """Return a `text` with the other names as the game writes it, perhaps without accents."""
        return self._back[language].read(text)


class _Reader:
    """Replaces words by a table, and signs where a pattern finds them."""

    def __init__(self, words: dict[str, str], signs: list[tuple[dict[str, str], list[str]]]) -> None:
        self._words, self._signs = words, signs
        places = [f"({'|'.join(_at(table, pattern) for pattern in patterns)})" for table, patterns in signs]
        self._tokens = re.compile("|".join([*places, r"[^\W\d_]+"]), re.MULTILINE)
        self._word = cache(self._of_word)

    def reversed(self) -> "_Reader":
        signs = [({new: old for old, new in table.items()}, patterns) for table, patterns in self._signs]
        return _Reader({new: old for old, new in self._words.items()}, signs)

    def read(self, text: str) -> str:
        return self._tokens.sub(self._replace, unicodedata.normalize("NFC", text))

    def _replace(self, match: re.Match[str]) -> str:
        if match.lastindex is None:
            return self._word(match[0])
        table = self._signs[match.lastindex - 1][0]
        return "".join(table.get(sign, sign) for sign in match[0])

    def _of_word(self, word: str) -> str:
        plain = _folded(word)
        for ending, singular in _PLURALS:
            found = self._words.get(plain.removesuffix(ending) + singular) if plain.endswith(ending) else None
            if found is not None:
                plural = "ies" if ending == "es" and re.search(r"[^aiou]y$", found) else ending.replace("ies", "es")
                return _in_case(found.removesuffix("y" if plural == "ies" else "") + plural, word)
        return word


def _at(table: Mapping[str, str], pattern: str) -> str:
    """Return the `pattern` with a class of the signs of `table` for `@`."""
    return pattern.replace("@", f"[{re.escape(''.join(table))}]")


def _tables(
    declared: Mapping[str, Any], printed: set[str], seed: int, language: str
) -> tuple[dict[str, str], list[tuple[dict[str, str], list[str]]]]:
    """Return the other word of each declared word, none of those `printed`, and the other signs with their patterns."""
    stems = stems_of(declared.get("words", ""))
    kept = stems_of(f"{_COMMON} {declared.get('kept', '')}")
    wanted = sorted(stem for stem in stems - kept if len(stem) >= _SHORTEST)
    words: dict[str, str] = {}
    taken = stems | printed
    for stem in wanted:
        words[stem] = _invented(stem, taken, seed, language)
        taken.add(words[stem])
    signs = [(old, list(patterns)) for old, *patterns in declared.get("signs", ())]
    used = set("".join(old for old, _ in signs))
    return words, [(_other_signs(old, used, seed), patterns) for old, patterns in signs]


def _invented(stem: str, taken: set[str], seed: int, language: str) -> str:
    """Return a word that is not `taken`: of the same length, with such a sound first, and with an a or o at the end."""
    attempt = 0
    while True:
        length = len(stem) + attempt // 500
        parts = _digest(seed, language, stem, attempt)
        kinds = (_VOWELS, _CONSONANTS) if stem[0] in "aeiou" else (_CONSONANTS, _VOWELS)
        letters = [kinds[place % 2][parts[place] % len(kinds[place % 2])] for place in range(length)]
        if stem[-1] in "ao":
            letters[-1] = stem[-1]
        if (word := "".join(letters)) not in taken:
            return word
        attempt += 1


def _other_signs(signs: str, used: set[str], seed: int) -> dict[str, str]:
    """Return another sign for each of `signs`, of the same kind and not `used`, which then has it."""
    found: dict[str, str] = {}
    for sign in signs:
        if (pair := sign.swapcase()) in found:
            found[sign] = found[pair].swapcase()
            continue
        kind = "upper" if sign.isupper() else "lower" if sign.islower() else "other"
        free = [one for one in _SIGNS[kind] if not {one.lower(), one.upper()} & used]
        found[sign] = free[ranked(len(free), seed, sign)[0]]
        used.add(found[sign])
    return found


def _digest(*key: object) -> bytes:
    return hashlib.blake2b(repr(key).encode(), digest_size=64).digest()


def _folded(word: str) -> str:
    """Return `word` in lower case without accents."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(sign))


def stems_of(text: str) -> set[str]:
    """Return the words of `text` in lower case, without accents and without endings of plurals."""
    return {_singular(_folded(word)) for word in re.findall(r"[^\W\d_]+", text)}


def _singular(word: str) -> str:
    """Return `word` without the ending of a plural."""
    return word[:-3] + "y" if word.endswith("ies") else word[:-1] if word.endswith("s") else word


def _in_case(word: str, model: str) -> str:
    """Return `word` in capitals, or with a capital, as `model`."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[0].isupper() else word
