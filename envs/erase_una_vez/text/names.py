"""How texts name the things, cards and endings of *Érase una vez*, one by one and in lists."""

import textwrap
from collections.abc import Sequence

from sobremesa.envs.erase_una_vez.table_files import GROUPS
from sobremesa.envs.erase_una_vez.tables import (
    ENDINGS,
    NUM_ELEMENTS,
    THINGS,
)

COLUMNS = 78
INTERRUPTION_MARK = "*"
GROUP_WORDS = {
    "en": ("Characters", "Objects", "Places", "Aspects", "Events"),
    "es": ("Personajes", "Objetos", "Lugares", "Aspectos", "Acontecimientos"),
}


def name_of(thing: int, language: str, gloss: bool = True) -> str:
    """Return the name of a thing: of a card in Spanish, in English with its `gloss`, `Bosque (Forest)`.

    What is on no card is named in `language`.
    """
    one = THINGS[thing]
    if language == "es":
        return one.name
    if thing >= NUM_ELEMENTS:
        return one.english
    return f"{one.name} ({one.english})" if gloss and one.english != one.name else one.name


def ending_words(ending: int, language: str) -> str:
    """Return the sentence of an ending."""
    return ENDINGS[ending].english if language == "en" else ENDINGS[ending].spanish


def marked(thing: int, language: str) -> str:
    """Return the name of a thing, with a mark if its card interrupts."""
    return name_of(thing, language) + INTERRUPTION_MARK * THINGS[thing].interruption


def by_group(things: Sequence[int], language: str) -> list[str]:
    """Return for each group that `things` have a line of their names."""
    lines = []
    for group in range(len(GROUPS)):
        names = [marked(one, language) for one in things if THINGS[one].group == group]
        lines += listed(f"  {GROUP_WORDS[language][group]}", names, "    ")
    return lines


def listed(head: str, items: Sequence[str], indent: str = "  ") -> list[str]:
    """Return `head` and `items` in lines of at most 78 columns, none broken that can be helped; nothing for none."""
    if not items:
        return []
    hard = "\N{NO-BREAK SPACE}"
    joined = ", ".join(item.replace(" ", hard) for item in items)
    return [line.replace(hard, " ") for line in textwrap.wrap(f"{head}: {joined}", COLUMNS, subsequent_indent=indent)]
