"""Words of *Bandido Alcatraz* in English and Spanish, from `en.toml` and `es.toml`, and cards in words.

A card is written by its two halves with the sides of their tunnels, `[WN|E]`. A half without tunnels shows its picture,
`[W|▲]`. A wave marks a flooded half, `[N|S≈]`.
"""

from collections.abc import Sequence

from sobremesa.envs.bandido_alcatraz.cards import CARDS, EXIT, PICTURE, PLAIN, RAINCOAT, ROPE
from sobremesa.envs.core.words import load_words

TEXTS = load_words(__file__)
MOVES, MARK_WORDS = TEXTS["moves"], TEXTS["marks"]
WORDS: dict[str, dict[str, str]] = TEXTS["table"]
STORY: dict[str, dict[str, str]] = TEXTS["story"]
SETUP: dict[str, dict[str, dict[str, str]]] = TEXTS["setup"]

COLUMNS = 78
HARD_SPACE = "\N{NO-BREAK SPACE}"  # no line break here
TILE_MARK, WATER_MARK, EXIT_MARK = "■", "≈", "X"  # on the map
PICTURE_MARKS = {RAINCOAT: "▲", ROPE: "§", EXIT: EXIT_MARK}


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
    mark = PICTURE_MARKS.get(int(PICTURE[kind]))
    return text if mark in (None, EXIT_MARK) else f"{text} ({MARK_WORDS[language][mark]})"


def in_a_row(items: Sequence[str], language: str) -> str:
    """Return items with commas, and "and" before the last."""
    return WORDS[language]["and"].join([part for part in (", ".join(items[:-1]), items[-1]) if part])


def places(key: str, numbers: Sequence[int], language: str) -> str:
    """Return the name of ends or water (`key`) with their numbers, counted from 1: `ends 1, 3 and 4`."""
    listed = in_a_row([str(number + 1) for number in numbers], language)
    return WORDS[language][key + "s" * (len(numbers) > 1)].format(listed)


def counted(count: int, language: str) -> str:
    """Return a number of cards in words: `1 card`, `3 cards`."""
    return WORDS[language]["card" if count == 1 else "cards"].format(count)
