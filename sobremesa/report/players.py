"""Names of the players at a table: stored as keys, put into words for the reader of a page."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import normalize

from sobremesa.agents.levels import LEVEL_NAMES, player_name
from sobremesa.envs.core.game import SEAT_SIGNS

LONGEST_NAME = 24
PERSON = "human"  # name in files of a person who gave none; also the name of the agent `Human`
_WORDS = {"en": {"you": "you", "player": "player {}"}, "es": {"you": "tú", "player": "jugador {}"}}
# What earlier versions stored for a person without a name, in the language of the person who opened the table.
_UNNAMED = {"you", "tú", "guest", "invitado", PERSON}
_NUMBERED = re.compile(r"(?:player|jugador) \d+")  # as a page calls a person without a name
_FROM_ONE = str.maketrans(SEAT_SIGNS, "①②③④⑤⑥")
_NO_SIGNS = str.maketrans("", "", SEAT_SIGNS)


class Player(NamedTuple):
    """A player as it is stored."""

    name: str = ""  # typed by a person, or of an agent; "" for a person without a name and for a level
    level: str = ""  # of the computer, a key of `levels.LEVELS`; "" for other players


def player_names(players: Sequence[Player], language: str, reader: int | None = None) -> list[str]:
    """Return a name for each seat in `language`; names at one table differ.

    A person without a name is "you" to the `reader`, a seat, and "player 2" to others, counted from 1. Equal names are
    numbered, "easy 1" and "easy 2"; a level that plays at one seat only is "computer (easy)".
    """
    words, levels = _WORDS[language], Counter(one.level for one in players)
    named = []
    for seat, one in enumerate(players):
        if one.level:
            alone = levels[one.level] == 1
            named.append(player_name(one.level, language) if alone else LEVEL_NAMES[language][one.level])
        elif one.name:
            named.append(one.name)
        else:
            named.append(words["you"] if seat == reader else words["player"].format(seat + 1))
    return _different(named)


def _different(names: Sequence[str]) -> list[str]:
    """Number the names that occur more than once."""
    count, taken, found = Counter(names), set(names), []
    for name in names:
        if count[name] > 1:
            numbered = (f"{name} {number}" for number in range(1, 2 * len(names) + 1))
            name = next(one for one in numbered if one not in taken)
            taken.add(name)
        found.append(name)
    return found


def stored(name: str) -> Player:
    """Return what to store for a `name` in a file or from a person.

    Words in any language for "you", for a guest or for a level are keys afterwards, so a person cannot take them.
    """
    plain = normalize("NFKC", name).casefold()
    if plain in _UNNAMED or _NUMBERED.fullmatch(plain):
        return Player()
    for language, names in LEVEL_NAMES.items():
        for level in names:
            if plain == player_name(level, language).casefold():
                return Player(level=level)
    return Player(name)


def clean_name(name: str) -> str:
    """Return the printable part of a typed name, shortened, without signs of seats; "" if it is no name."""
    printable = "".join(sign for sign in name.translate(_NO_SIGNS) if sign.isprintable())
    return stored(" ".join(printable.split())[:LONGEST_NAME].strip()).name


def counted_from_one(text: str) -> str:
    """Return a text with signs of seats that count from 1, for titles and plain text on pages."""
    return text.translate(_FROM_ONE)
