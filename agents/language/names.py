"""The meaning of a name in an answer: an action, or a thing that several actions are about.

A name is that of an action (`Words.action_name`), another spelling of it (`SpellingWords.spellings`), or a name that
the position has (`SpellingWords.names_now`), such as a card of the hand. Case, accents, spaces, quotes, Markdown and
emoji do not matter. A name of several actions means the legal one among them; with several legal ones it means none.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.game import Game
from sobremesa.envs.core.picture.words import normalized
from sobremesa.envs.core.wording import SpellingWords

AROUND = "*_`\"'“”‘’«»<>[]{}$ \t"  # marks of quotes, Markdown and formulas
_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{NON-BREAKING HYPHEN}\N{HYPHEN}’‘", "-----''")
_PICTURES = ("So", "Sk", "Cf", "Mn")  # categories of emoji, their modifiers and invisible signs
_SPACES = re.compile(r"\s*([-+/()])\s*")


class Meaning(NamedTuple):
    """The actions that a `name` may mean; none for a text that is no name."""

    name: str
    actions: tuple[int, ...] = ()


class Names:
    """The names of a game in a language, with those of the `(1,)` state `state` of a view, if it is given."""

    def __init__(self, game: Game, language: str, state: np.ndarray | None = None) -> None:
        self._actions, self._spellings = _actions(game, language), _spellings(game, language)
        self._game, self._language, self._state = game, language, state
        self._now: dict[str, tuple[int, ...]] | None = None

    def mean(self, name: str) -> Meaning:
        """Return the meaning of `name`."""
        for text in dict.fromkeys((ended(name), ended(strip_decoration(ended(name))))):
            folded_name = folded(text)
            if folded_name in self._actions:
                return Meaning(text, (self._actions[folded_name],))
            if found := self.about(text):
                return Meaning(text, found)
        return Meaning(ended(name))

    def about(self, name: str) -> tuple[int, ...]:
        """Return the actions of the other spellings and the names of the position that are like `name`."""
        return tuple(dict.fromkeys((*self._spellings.get(folded(name), ()), *self._of_now().get(folded(name), ()))))

    def _of_now(self) -> dict[str, tuple[int, ...]]:
        if self._now is None:
            words, state = self._game.words, self._state
            self._now = {}
            if isinstance(words, SpellingWords) and state is not None:
                self._now = _actions_by_form(words.names_now(state, self._language))
        return self._now


@cache
def _actions(game: Game, language: str) -> dict[str, int]:
    """Return all actions by their folded names; raise ValueError if two names are the same but for form."""
    found: dict[str, int] = {}
    for action in range(game.num_actions):
        name = game.words.action_name(action, language)
        if found.setdefault(folded(name), action) != action:
            raise ValueError(f"{game.id}: {name!r} and another action have the same name but for its form")
    return found


@cache
def _spellings(game: Game, language: str) -> dict[str, tuple[int, ...]]:
    return _actions_by_form(game.words.spellings(language)) if isinstance(game.words, SpellingWords) else {}


def _actions_by_form(names: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """Return the actions by folded name; none where names of different things are the same but for form (E3, e3)."""
    found: dict[str, tuple[int, ...]] = {}
    for name, actions in names.items():
        if found.setdefault(folded(name), tuple(actions)) != tuple(actions):
            found[folded(name)] = ()
    return found


def ended(name: str) -> str:
    """Return `name` without quotes, marks, and one sign at its end."""
    text = " ".join(name.strip(AROUND).split())
    return text[:-1].strip(AROUND) if text.endswith((".", ",", ";", ":", "!")) else text


def strip_decoration(text: str) -> str:
    """Return `text` without pictures and invisible signs at its ends."""
    kinds = [sign.isspace() or unicodedata.category(sign) in _PICTURES for sign in text]
    begin = next((number for number, decor in enumerate(kinds) if not decor), len(text))
    end = next((number for number in range(len(text), begin, -1) if not kinds[number - 1]), begin)
    return text[begin:end]


def folded(name: str) -> str:
    """Return `name` without case, accents, and spaces around signs; other digits than 0 to 9 stay as they are."""
    plain = normalized("NFD", name.translate(_SIGNS))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _SPACES.sub(r"\1", " ".join(bare.split()).casefold())
