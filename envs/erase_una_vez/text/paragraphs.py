"""The tale of *Érase una vez* in paragraphs, one for each turn of a teller."""

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
from sobremesa.envs.erase_una_vez.text.row_by_row import RowByRow, Said
from sobremesa.envs.erase_una_vez.text.telling import told_on
from sobremesa.envs.erase_una_vez.text.words import WORDS, ending_words, wrapped

ALL = 2 * LOG_ROWS  # each row may be told, and the card by which it was taken over
_TALES = 64  # that are kept: the next row goes on from one
_Parts = tuple[tuple[int, str], ...]  # tellers and sentences


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


def _parts_of(state: Any, language: str) -> _Parts:
    rows = int(state.sentences)
    return _PARTS.of(state.log[:rows].tobytes(), LOG_CARD + 1, texts(rows), language)


def _joined(parts: _Parts) -> list[tuple[int, str]]:
    """Return the sentences of each turn as one text."""
    turns = groupby(parts, key=lambda part: part[0])
    return [(teller, " ".join(text for _, text in told)) for teller, told in turns]


def _next_parts(before: _Parts, rows: bytes, said: Said, language: str) -> _Parts:
    """Return `before` with the sentences of the last of `rows` and their tellers, refused endings included."""
    log = np.frombuffer(rows, np.uint8).reshape(-1, LOG_CARD + 1)
    number = len(log) - 1
    row: list[int] = log[number].tolist()
    if row[LOG_FATE] == REFUSED:
        return (*before, (row[LOG_SEAT], WORDS[language]["refused"].format(ending_words(row[LOG_THING], language))))
    if row[LOG_KIND] == PASS or row[LOG_FATE] == UNDONE:
        return before
    story, parts = told_on(log, number, language), list(before)
    if row[LOG_KIND] != BREAK_IN:
        parts.append((row[LOG_SEAT], dict(said).get(number, story[0])))
    if row[LOG_FATE] in (CLAIMED, TOLD_TOO) and row[LOG_CARD] != row[LOG_THING]:  # the taker's card is told too
        parts.append((row[LOG_TAKER], story[-1]))
    return tuple(parts)


_PARTS: RowByRow[_Parts] = RowByRow((), _next_parts, _TALES)
