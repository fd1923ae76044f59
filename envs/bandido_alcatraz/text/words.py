"""Words of *Bandido Alcatraz* in English and Spanish, from `en.toml` and `es.toml`, and cards in words.

A card is written by its two halves with the sides of their tunnels, `[WN|E]`. A half without tunnels shows its picture,
`[W|▲]`. A wave marks a flooded half, `[N|S≈]`.
With a picture people read words instead: `plain` in events, and `card_label`.
"""

import re
from collections.abc import Sequence
from typing import Any

from sobremesa.envs.bandido_alcatraz.cards import CARDS, EXIT, NO_HALF, PLAIN, RAINCOAT, ROPE
from sobremesa.envs.bandido_alcatraz.halves import TILE
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.words import load_words

TEXTS = load_words(__file__)
MOVES, MARK_WORDS = TEXTS["moves"], TEXTS["marks"]
WORDS: dict[str, dict[str, str]] = TEXTS["table"]
STORY: dict[str, dict[str, str]] = TEXTS["story"]
PIECES: dict[str, dict[str, str]] = TEXTS["pieces"]
PICTURE: dict[str, dict[str, str]] = TEXTS["picture"]
PLAINLY: dict[str, dict[str, Any]] = TEXTS["plain"]

WATER_MARK, EXIT_MARK = "≈", "X"  # on the map
PICTURE_MARKS = {RAINCOAT: "▲", ROPE: "§", EXIT: EXIT_MARK, TILE: "■"}


def card_text(kind: int, language: str) -> str:
    """Return the signs of a card: the tunnels of half a and half b, its picture, its water: `[W|NE]`, `[WN|▲]`."""
    card = CARDS[kind]
    if card.picture == PLAIN:
        blank = ""
    else:
        blank = "EXIT" if card.picture == EXIT else PICTURE_MARKS[card.picture]
    halves = [
        "".join(MOVES[language]["side_letters"]["NESW".index(side)] for side in sides)
        + WATER_MARK * (card.flooded == half)
        for half, sides in enumerate((card.a, card.b))
    ]
    return f"[{halves[0]}|{halves[1] or blank}]"


def card_words(kind: int, language: str) -> str:
    """Return the signs of a card and the word for its picture: `[WN|▲] (raincoat)`."""
    text = card_text(kind, language)
    mark = PICTURE_MARKS.get(CARDS[kind].picture)
    return text if mark in (None, EXIT_MARK) else f"{text} ({MARK_WORDS[language][mark]})"


def picture_word(kind: int, language: str) -> str:
    """Return the word for the picture or the water of a card; "" for a plain one."""
    words, card = PLAINLY[language], CARDS[kind]
    if card.flooded != NO_HALF:
        return str(words["water"])
    return "" if card.picture == PLAIN else str(words["pictures"][card.picture])


def card_label(kind: int, language: str) -> str:
    """Return a card as it is held in words, different for each kind: `raincoat; half a open to the west and north`."""
    words = PLAINLY[language]
    mouths = [(name, _mouths(kind, half, language)) for half, name in enumerate("ab")]
    halves = [words["half"].format(*one) for one in mouths if one[1]]
    return "; ".join([picture_word(kind, language) or str(words["pictures"][PLAIN]), *halves])


def half_label(kind: int, half: int, language: str) -> str:
    """Return a half of a card as it is held in words: its water, and the sides to which it opens or its picture."""
    wet = [str(PLAINLY[language]["water"])] * (CARDS[kind].flooded == half)
    return ", ".join([*wet, _mouths(kind, half, language) or picture_word(kind, language)])


def _mouths(kind: int, half: int, language: str) -> str:
    """Return the sides to which a half opens: `open to the west and north`; "" if there are none."""
    sides = [str(MOVES[language]["sides"]["NESW".index(side)]) for side in (CARDS[kind].a, CARDS[kind].b)[half]]
    return str(PLAINLY[language]["open"].format(in_a_row(sides, language))) if sides else ""


def _plain_card(kind: int, language: str) -> str:
    words, card = PLAINLY[language], CARDS[kind]
    count = len(card.a + card.b)
    tunnels = words["tunnel"] if count == 1 else words["tunnels"].format(count)
    return str((words["wet"] if card.flooded != NO_HALF else words["cards"][card.picture]).format(tunnels=tunnels))


_SIGNS = re.compile(r"(, )?(\[[^]|]+\|[^]]*\])( \(\w+\))?(:)?")  # of a card in an event
_PLAIN_CARDS = {
    language: {card_text(kind, language): _plain_card(kind, language) for kind in range(len(CARDS))}
    for language in LANGUAGES
}


def plain(sentence: str, language: str) -> str:
    """Return an event with its cards in words; a card behind the word for its picture and a comma is left out."""

    def worded(found: re.Match[str]) -> str:
        comma, card, _, colon = found.groups("")
        return colon if comma and colon else comma + _PLAIN_CARDS[language][card] + colon

    return _SIGNS.sub(worded, sentence)


def in_a_row(items: Sequence[str], language: str) -> str:
    """Return items with commas, and "and" before the last."""
    return WORDS[language]["and"].join([part for part in (", ".join(items[:-1]), *items[-1:]) if part])


def places(key: str, numbers: Sequence[int], language: str) -> str:
    """Return the name of ends or water (`key`) with their numbers, counted from 1: `ends 1, 3 and 4`."""
    listed = in_a_row([str(number + 1) for number in numbers], language)
    return WORDS[language][key + "s" * (len(numbers) > 1)].format(listed)


def counted(count: int, language: str) -> str:
    """Return a number of cards in words: `1 card`, `3 cards`."""
    return WORDS[language]["card" if count == 1 else "cards"].format(count)
