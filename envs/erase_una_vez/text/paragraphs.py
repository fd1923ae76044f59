"""The tale of *Érase una vez* in paragraphs, one for each turn of a teller."""

from itertools import groupby
from typing import Any

import numpy as np

from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.core.sayings import Paragraph
from sobremesa.envs.core.words import wrapped
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.tables import NO_THING
from sobremesa.envs.erase_una_vez.text.own_words import texts
from sobremesa.envs.erase_una_vez.text.row_by_row import RowByRow, Said
from sobremesa.envs.erase_una_vez.text.telling import added_sentences
from sobremesa.envs.erase_una_vez.text.words import WORDS, ending_words

UNTOLD = "…"  # a sentence in own words whose words are not there
ALL = 2 * s.LOG_ROWS  # each row may be told, and the card by which it was taken over
_TALES = 64  # that are kept: the next row continues from one
_Parts = tuple[Paragraph, ...]  # sentences


def paragraphs(table: np.ndarray, language: str) -> list[Paragraph]:
    """Return the paragraphs of the tale of the `(1,)` state `table`."""
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
    for teller, text, _ in _joined(parts[-most:]):
        lines += wrapped([f"{SEAT_SIGNS[teller]} {text}"], "  ", "    ")
    return lines if parts else [words["untold"]]


def _parts_of(state: Any, language: str) -> _Parts:
    rows = int(state.sentences)
    return _PARTS.of(state.log[:rows].tobytes(), s.LOG_CARD + 1, texts(rows), language, bool(state.over))


def _joined(parts: _Parts) -> list[Paragraph]:
    """Return the sentences of each turn as one paragraph."""
    found = []
    for teller, turn in groupby(parts, key=lambda part: part.seat):
        _, texts_told, things = zip(*turn, strict=True)
        found.append(Paragraph(teller, " ".join(texts_told), sum(things, ())))
    return found


def _next_parts(before: _Parts, rows: bytes, said: Said, language: str, over: bool) -> _Parts:
    """Return `before` with the sentences of the last of `rows` and their tellers; refused endings until all is over."""
    log = np.frombuffer(rows, np.uint8).reshape(-1, s.LOG_CARD + 1)
    number = len(log) - 1
    row: list[int] = log[number].tolist()
    if row[s.LOG_FATE] == s.REFUSED and not over:
        refused = WORDS[language]["refused"].format(ending_words(row[s.LOG_THING], language))
        return (*before, Paragraph(row[s.LOG_SEAT], refused, ()))
    if row[s.LOG_KIND] == s.PASS or row[s.LOG_FATE] in (s.UNDONE, s.REFUSED):
        return before
    story, parts = added_sentences(log, number, language), list(before)
    if row[s.LOG_KIND] != s.BREAK_IN:
        about = () if row[s.LOG_KIND] == s.END or row[s.LOG_THING] == NO_THING else (row[s.LOG_THING],)
        parts.append(Paragraph(row[s.LOG_SEAT], dict(said).get(number) or "".join(story[:1]) or UNTOLD, about))
    if (
        row[s.LOG_FATE] in (s.CLAIMED, s.TOLD_TOO) and row[s.LOG_CARD] != row[s.LOG_THING]
    ):  # the taker's card is told too
        parts.append(Paragraph(row[s.LOG_TAKER], story[-1], (row[s.LOG_CARD],)))
    return tuple(parts)


_PARTS: RowByRow[_Parts] = RowByRow((), _next_parts, _TALES)
