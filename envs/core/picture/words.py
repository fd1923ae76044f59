"""Text that all games share: normalization, and names of actions."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Literal

from sobremesa.envs.core.game import check_language

MOST_MARKS = 30  # combining marks in a row, as in Unicode's stream-safe text format


def normalized(form: Literal["NFC", "NFD"], text: str) -> str:
    """Return `text` in a normalization form of Unicode, in linear time.

    Normalization sorts adjacent combining marks in quadratic time, so marks after MOST_MARKS in a row are dropped.
    """
    if text.isascii():
        return text
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    return unicodedata.normalize(form, "".join(kept))


def key(text: str, signs: str = "") -> str:
    """Return the letters and digits of `text`, and characters in `signs`, in lower case without accents.

    Other digits than 0 to 9 stay as they are: ② is a seat, not a number.
    """
    plain = "".join(map(_plain, text)).casefold()
    return "".join(sign for sign in plain if sign.isalnum() or sign in signs)


def _plain(sign: str) -> str:
    plain = unicodedata.normalize("NFKD", sign)
    return sign if plain != sign and any(one.isdigit() for one in plain) else plain


class Names:
    """Names of the actions of a game, and the parser of typed inputs.

    Args:
        count: number of actions.
        inputs: (language) -> every accepted input with its action, the name of an action before its other inputs.
        words: messages by language, for `str.format` with the input: `no_such_move`, and that of `incomplete`.
        incomplete: an ending, and the message for an input that is accepted only with this ending.
        key: (input, language) -> the part of the input that counts.
    """

    def __init__(
        self,
        count: int,
        inputs: Callable[[str], Iterable[tuple[str, int]]],
        words: Mapping[str, Mapping[str, Any]],
        incomplete: tuple[str, str] | None = None,
        key: Callable[[str, str], str] = lambda text, _: key(text),
    ) -> None:
        self._count, self._inputs, self._words, self._incomplete, self._key = count, inputs, words, incomplete, key
        self.all, self._typed = cache(self._all), cache(self._by_key)  # (language); slow to make

    def _all(self, language: str) -> tuple[str, ...]:
        first: dict[int, str] = {}
        for text, action in self._inputs(check_language(language)):
            first.setdefault(action, text)
            if len(first) == self._count:
                break
        return tuple(first[action] for action in range(self._count))

    def _by_key(self, language: str) -> dict[str, int]:
        return {self._key(text, language): action for text, action in self._inputs(check_language(language))}

    def name(self, action: int, language: str) -> str:
        """Return the name of `action`, unique in its language; raise ValueError for another number or language."""
        names = self.all(language)
        if not 0 <= action < self._count:
            raise ValueError(f"action={action!r} is not known; it takes a whole number from 0 to {self._count - 1}")
        return names[action]

    def parse(self, text: str, language: str) -> int:
        """Return the action that `text` names; case, accents and spaces do not matter.

        Raises ValueError for other texts and languages.
        """
        typed = self._typed(language)
        if (found := typed.get(self._key(text, language))) is not None:
            return found
        ending, message = self._incomplete or ("", "no_such_move")
        known = ending and self._key(f"{text} {ending}", language) in typed
        raise ValueError(self._words[language][message if known else "no_such_move"].format(text))
