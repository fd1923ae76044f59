"""Cards Final feliz of *Érase una vez* as scrolls, with their requirements and marks for those that are met (C9.3)."""

from typing import Any

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, titled
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS
from sobremesa.envs.erase_una_vez.drawing.cards import UNPOINTED, label
from sobremesa.envs.erase_una_vez.drawing.pieces import ITALIC, LEFT_ITALIC, scroll, wrap, written
from sobremesa.envs.erase_una_vez.tables import ENDINGS, FACT_WORDS, FACTS, NUMBER
from sobremesa.envs.erase_una_vez.tale import blocked, meets
from sobremesa.envs.erase_una_vez.text.words import ending_words

_WORDS = {
    "es": {"or": " o ", "not": "no vale si {}", "thing": "«{}»"},
    "en": {"or": " or ", "not": "not if {}", "thing": "“{}”"},
}
_SIZES = ((17, 13), (15, 12), (13, 11), (12, 10.5), (11, 9.8))  # letters of the ending, and of what it asks


def requirements(state: Any, ending: int, language: str) -> list[tuple[str, str]]:
    """Return the mark and the text of each requirement of an ending."""
    words, facts = _WORDS[language], dict(zip(FACTS, FACT_WORDS[language], strict=True))

    def said(one: str) -> str:
        return facts[one] if one in facts else words["thing"].format(label(NUMBER[one], language))

    found = [
        (MARKS["met" if meets(state, ending, number) else "open"], words["or"].join(map(said, clause)))
        for number, clause in enumerate(ENDINGS[ending].clauses)
    ]
    if ENDINGS[ending].blockers:
        told = words["not"].format(words["or"].join(map(said, ENDINGS[ending].blockers)))
        found.append((MARKS["shut" if blocked(state, ending) else "free"], told))
    return found


def ending_scroll(state: Any, ending: int, language: str, size: tuple[float, float]) -> str:
    """Draw an ending as a scroll with its requirements; a scroll without room for them has only their marks."""
    across, down = size
    asked, words = requirements(state, ending, language), ending_words(ending, language)
    body = _spelled(words, asked, across, down) or _marked(words, asked, across, down)
    return titled(words, scroll(across, down) + body)


def _marked(words: str, asked: list[tuple[str, str]], across: float, down: float) -> str:
    """Write an ending, with the marks of its requirements at its right."""
    lines, size = wrap(words, 12, across - 40 - 16 * len(asked), max(2, int((down - 4) // 13)), 11)
    y = (down - 1.18 * size * len(lines)) / 2 + size * 0.92
    marks = (
        place(across - 22 - 16 * (len(asked) - 1 - number), down / 2, titled(said, mark))
        for number, (mark, said) in enumerate(asked)
    )
    return UNPOINTED.format(written(20, y, lines, size, INK, LEFT_ITALIC)) + "".join(marks)


def _spelled(words: str, asked: list[tuple[str, str]], across: float, down: float) -> str:
    """Write an ending and its requirements in the largest size that fits, with ornaments if they fit; or return ""."""
    left, room = 20.0, across - 40
    for large, small in _SIZES:
        lines, size = wrap(words, large, room, 5)
        told = [(mark, *wrap(said, small, room - 24, 4)) for mark, said in asked]
        gap = 0.7 * small
        deep = 1.18 * (size * len(lines) + sum(least * len(rows) for _, rows, least in told)) + gap * len(told)
        if deep <= down - 10:
            break
    else:
        return ""
    y = (down - deep) / 2 + size * 0.92
    drawn = [UNPOINTED.format(written(left + room / 2, y, lines, size, INK, ITALIC + ' font-weight="bold"', room))]
    if down - deep > 120:
        drawn += [place(left + room / 2, at, MARKS["flourish"], 0.8) for at in (34, down - 34)]
    y += 1.18 * size * (len(lines) - 1) + 0.25 * size + gap
    for mark, rows, least in told:
        drawn.append(place(left + 7, y + 0.59 * least, mark, least / 12.5))
        drawn.append(written(left + 21, y + least * 0.95, rows, least, INK, LEFT_BOLD, room - 23))
        y += 1.18 * least * len(rows) + gap
    return "".join(drawn)
