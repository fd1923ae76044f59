"""The tale of *Érase una vez* in paragraphs, one for each turn of a teller."""

from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.erase_una_vez.state import (
    BREAK_IN,
    CLAIMED,
    LOG_CARD,
    LOG_FATE,
    LOG_KIND,
    LOG_ROWS,
    LOG_SEAT,
    LOG_TAKER,
    LOG_THING,
    PASS,
    REFUSED,
    TOLD_TOO,
    UNDONE,
)
from sobremesa.envs.erase_una_vez.text.own_words import texts
from sobremesa.envs.erase_una_vez.text.telling import tale
from sobremesa.envs.erase_una_vez.text.words import WORDS, ending_words, wrapped

ALL = 2 * LOG_ROWS  # each row may be told, and the card by which it was taken over
_TALES = 64  # that are kept: to tell one again takes all its rows


def paragraphs(table: np.ndarray, language: str) -> list[tuple[int, str]]:
    """Return the teller and the text of each paragraph of the tale of the `(1,)` state `table`."""
    check_language(language)
    return _joined(_parts_of(table[0], language))


def whole_tale(table: np.ndarray, language: str) -> str:
    """Return the tale of the `(1,)` state `table`, a paragraph for each turn."""
    check_language(language)
    return "\n".join(tale_lines(table[0], language, ALL))


def tale_lines(state: Any, language: str, most: int) -> list[str]:
    """Return the valid sentences of the tale, a paragraph for each turn; those before the last `most` are counted."""
    words, lines = WORDS[language], [f"{WORDS[language]['tale']}:"]
    parts = _parts_of(state, language)
    if len(parts) > most:
        lines.append("  " + words["before"].format(len(parts) - most))
    for teller, text in _joined(parts[-most:]):
        lines += wrapped([f"{SEAT_SIGNS[teller]} {text}"], "  ", "    ")
    return lines if parts else [words["untold"]]


def _parts_of(state: Any, language: str) -> list[tuple[int, str]]:
    return _parts(state.log[: state.sentences].tobytes(), language, texts(int(state.sentences)))


def _joined(parts: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the sentences of each turn as one text."""
    turns = groupby(parts, key=lambda part: part[0])
    return [(teller, " ".join(text for _, text in told)) for teller, told in turns]


@lru_cache(_TALES)
def _parts(rows: bytes, language: str, said: tuple[tuple[int, str], ...]) -> list[tuple[int, str]]:
    """Return the sentences of the rows of a log with their tellers, refused endings included.

    `said`: rows with the texts of sentences in own words.
    """
    log = np.frombuffer(rows, np.uint8).reshape(-1, LOG_CARD + 1)
    story, parts, own = iter(tale(log, len(log), language)), [], dict(said)
    for number, row in enumerate(log.tolist()):
        if row[LOG_FATE] == REFUSED:
            text = WORDS[language]["refused"].format(ending_words(row[LOG_THING], language))
            parts.append((row[LOG_SEAT], text))
        elif row[LOG_KIND] != PASS and row[LOG_FATE] != UNDONE:
            if row[LOG_KIND] != BREAK_IN:
                text = next(story)
                parts.append((row[LOG_SEAT], own.get(number, text)))
            if row[LOG_FATE] in (CLAIMED, TOLD_TOO) and row[LOG_CARD] != row[LOG_THING]:  # the taker's card is told too
                parts.append((row[LOG_TAKER], next(story)))
    return parts
