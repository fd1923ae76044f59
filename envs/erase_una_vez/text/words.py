"""Words of *Érase una vez* by language, from `en.toml` and `es.toml`, and names of things, cards and endings."""

import re
from collections.abc import Sequence

from sobremesa.envs.core.api.renaming import stems_of
from sobremesa.envs.core.game import check_language
from sobremesa.envs.core.words import by_name, listed, load_words
from sobremesa.envs.erase_una_vez.table_files import DATA, GROUPS
from sobremesa.envs.erase_una_vez.tables import ENDINGS, FACT_WORDS, FACTS, NEEDS, NUM_ELEMENTS, NUMBER, THINGS

TEXTS = load_words(__file__)
TITLE = {"en": "Once Upon a Time", "es": "Érase una vez"}
GROUP_WORDS, MOVES, OPTION_WORDS = TEXTS["groups"], TEXTS["moves"], TEXTS["options"]
WORDS: dict[str, dict[str, str]] = TEXTS["table"]
STORY: dict[str, dict[str, str]] = TEXTS["story"]
INTERRUPTION_MARK = "*"


def name_of(thing: int, language: str) -> str:
    """Return the name of a thing: the Spanish one of a card is printed on it."""
    return THINGS[thing].english if language == "en" else THINGS[thing].name


def ending_words(ending: int, language: str) -> str:
    """Return the sentence of an ending."""
    return ENDINGS[ending].english if language == "en" else ENDINGS[ending].spanish


def ending_label(ending: int, language: str) -> str:
    """Return the sentence of an ending for a label, without its full stop."""
    return ending_words(ending, language).removesuffix(".")


def asked(one: str, language: str) -> str:
    """Name a fact or a thing that an ending asks for."""
    return name_of(NUMBER[one], language) if one in NUMBER else FACT_WORDS[language][FACTS.index(one)]


def marked(thing: int, language: str) -> str:
    """Return the name of a thing, with a mark if its card interrupts."""
    return name_of(thing, language) + INTERRUPTION_MARK * THINGS[thing].interruption


def tale_words(language: str) -> list[str]:
    """Return the names of all things, and all words of the tables that tales are made of but for those of the rules."""
    rules = stems_of(" ".join(str(texts[language]) for texts in TEXTS.values()))
    files = [file.read_text(encoding="utf-8") for file in DATA.iterdir() if file.suffix in (".csv", ".toml")]
    tales = {word for word in re.findall(r"[^\W\d_]+", " ".join(files)) if not stems_of(word) <= rules}
    return [*(name_of(thing, language) for thing in range(len(THINGS))), *sorted(tales)]


def by_group(things: Sequence[int], language: str, mark: str = " ") -> list[str]:
    """Return a line of names for each group of `things`, after a `mark`."""
    lines = []
    for group in range(len(GROUPS)):
        names = [marked(one, language) for one in things if THINGS[one].group == group]
        lines += listed(f"{mark} {GROUP_WORDS[language][group]}", names, "    ")
    return lines


def terms(language: str) -> dict[str, str]:
    """Return what each card, thing, ending, fact, mark and move is, by its name in labels."""
    check_language(language)
    found: dict[str, str] = {}
    for thing, one in enumerate(THINGS):
        if thing < NUM_ELEMENTS:
            found[one.name] = f"{one.english}. {TEXTS['things'][language][f'group{one.group}']}"
        found[name_of(thing, language)] = _thing(thing, language)
    found |= dict.fromkeys(FACT_WORDS[language], TEXTS["things"][language]["fact"])
    found |= {ending_label(number, language): _ending(number, language) for number in range(len(ENDINGS))}
    return found | by_name(TEXTS["terms"][language].values())


def _thing(thing: int, language: str) -> str:
    """Return what a card or a thing on no card is, and when it can be told of."""
    words: dict[str, str] = TEXTS["things"][language]
    group, interrupts = THINGS[thing].group, THINGS[thing].interruption
    return words["card" if thing < NUM_ELEMENTS else "concept"].format(
        group=words[f"group{group}"],
        needs=words[f"needs{NEEDS[thing]}"],
        interruption=words["interruption"].format(group=GROUP_WORDS[language][group]) if interrupts else "",
    )


def _ending(number: int, language: str) -> str:
    """Return what an ending asks for, and what bars it."""
    words: dict[str, str] = TEXTS["things"][language]
    between = WORDS[language]["or"]
    *clauses, barred = (
        between.join(asked(one, language) for one in ones)
        for ones in (*ENDINGS[number].clauses, ENDINGS[number].blockers)
    )
    unless = words["unless"].format(barred) if barred else ""
    return words["ending"].format(asked=words["and"].join(clauses), unless=unless)
