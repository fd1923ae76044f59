"""The tale of *Érase una vez* in words: each row of the log as Spanish and English prose.

A row holds the subject of a sentence and its hook, and its words name only these: a thing that is named can be claimed,
or lies on the table (H9). The words come from the wordings of lexicon.py that fit, first those that mention the hook,
and each is used once before one repeats. Words for a hook whose card may be claimed always mention it if they can. The
choice depends only on the row and the rows before it, so the state does not store it, and it is the same in both
languages.
"""

import hashlib
import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from sobremesa.envs.core.game import check_language
from sobremesa.envs.erase_una_vez.state import (
    BREAK_IN,
    CARD,
    CLAIMED,
    END,
    INTERRUPTED,
    LOG_CARD,
    LOG_FATE,
    LOG_HOOK,
    LOG_KIND,
    LOG_THING,
    PASS,
    REFUSED,
    TOLD_TOO,
    UNDONE,
)
from sobremesa.envs.erase_una_vez.tables import NO_THING, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text.lexicon import (
    AGAIN,
    CONNECTIVES,
    FIRST,
    GAP,
    MEANT,
    NEW,
    NOUNS,
    ROLES,
    Connective,
    Wording,
    agreeing,
    phrase,
    that,
    wordings_of,
)
from sobremesa.envs.erase_una_vez.text.words import ending_words

LAST_CONNECTIVES = 3  # that the next sentence does not repeat
_REMEMBERED = 256  # tales: to tell of a row takes all rows before, and several readers are told the same
CONTRACTION = re.compile(r"\b(de|a) el\b", re.IGNORECASE)


@dataclass
class Tale:
    """The tale so far."""

    told: list[int] = field(default_factory=list)  # things, those told of last at the end
    laid: set[int] = field(default_factory=set)  # cards that lie on the table
    used: dict[int, int] = field(default_factory=dict)  # how often each wording has been, by number
    connectives: list[Connective] = field(default_factory=list)  # in order
    lines: bytes = b""  # a digest of all rows

    def tell(self, thing: int) -> None:
        """Add `thing` as the latest told."""
        if thing in self.told:
            self.told.remove(thing)
        self.told.append(thing)

    def copy(self) -> "Tale":
        """Return an independent copy."""
        return Tale(self.told.copy(), self.laid.copy(), self.used.copy(), self.connectives.copy(), self.lines)


@dataclass(frozen=True)
class Told:
    """The content of a sentence and its choice of words."""

    wording: Wording
    connective: Connective | None
    roles: dict[str, int]  # the thing that fills each gap
    known: frozenset[int]  # things told of before


def sentence(log: np.ndarray, row: int, language: str) -> str:
    """Return the sentence of `row` of a log `(321, 7) uint8`; "" for a pass or an interrupting card."""
    check_language(language)
    line = log[row].tolist()
    if line[LOG_KIND] in (PASS, BREAK_IN):
        return ""
    if line[LOG_KIND] == END:
        return ending_words(line[LOG_THING], language)
    told, _ = _advance(_replay(log, row), line)
    return "" if told is None else _words(told, language)


def aside(log: np.ndarray, row: int, language: str) -> str:
    """Return the sentence of the card that took over on `row`; "" without a card or a further sentence."""
    check_language(language)
    _, told = _advance(_replay(log, row), log[row].tolist())
    return "" if told is None else _words(told, language)


def tale(log: np.ndarray, count: int, language: str) -> list[str]:
    """Return the sentences of the first `count` rows as a story, without passes, undone and refused sentences."""
    check_language(language)
    return list(_story(log[:count].tobytes(), log.shape[1], language))


@lru_cache(_REMEMBERED)
def _story(rows: bytes, width: int, language: str) -> tuple[str, ...]:
    story: list[str] = []
    so_far = Tale()
    for line in np.frombuffer(rows, np.uint8).reshape(-1, width).tolist():
        told = _advance(so_far, line)
        if line[LOG_FATE] in (UNDONE, REFUSED):
            continue
        if line[LOG_KIND] == END:
            story.append(ending_words(line[LOG_THING], language))
        story += [_words(one, language) for one in told if one is not None]
    return tuple(story)


def _replay(log: np.ndarray, row: int) -> Tale:
    """Return the tale before `row`."""
    return _told_by(log[:row].tobytes(), log.shape[1]).copy()


@lru_cache(_REMEMBERED)
def _told_by(rows: bytes, width: int) -> Tale:
    """Return the tale of rows of a width; do not change it."""
    if not rows:
        return Tale()
    so_far = _told_by(rows[:-width], width).copy()
    _advance(so_far, list(rows[-width:]))
    return so_far


def _advance(so_far: Tale, line: list[int]) -> tuple[Told | None, Told | None]:
    """Add a line of the log to a tale; return its sentence, and that of the card that took over."""
    thing, card, fate = line[LOG_THING], line[LOG_CARD], line[LOG_FATE]
    before, so_far.lines = so_far.lines, _digest(so_far.lines, line)
    own = taken = None
    if line[LOG_KIND] in (PASS, END):
        return None, None
    if line[LOG_KIND] != BREAK_IN:  # the row before has told of an interrupter's card, or nothing has
        chance = _digest(before, line[:LOG_FATE])  # nothing that comes to light later
        own = _said(so_far, _choose(so_far, thing, line[LOG_HOOK], chance))
    if fate == UNDONE:
        return own, None
    if own is not None:
        so_far.tell(thing)
    if line[LOG_KIND] == CARD:
        so_far.laid.add(thing)
    if fate in (CLAIMED, INTERRUPTED, TOLD_TOO):
        so_far.laid.add(card)
    if fate in (CLAIMED, TOLD_TOO) and card != thing:
        taken = _choose(so_far, card, thing, so_far.lines, meant=fate == CLAIMED)
        _said(so_far, taken)
        so_far.tell(card)
    return own, taken


def _digest(before: bytes, line: list[int]) -> bytes:
    return hashlib.blake2b(before + bytes(line), digest_size=8).digest()


def _said(so_far: Tale, told: Told) -> Told:
    """Remember the words that a sentence used; return it."""
    so_far.used[told.wording.number] = so_far.used.get(told.wording.number, 0) + 1
    if told.connective is not None:
        so_far.connectives.append(told.connective)
    return told


def _choose(so_far: Tale, thing: int, hook: int, chance: bytes, *, meant: bool = False) -> Told:
    """Choose the words for `thing`: by `chance`, among the least used wordings that fit best.

    With `meant`, `thing` is another word for the hook; wordings for that come first.
    """
    moment = AGAIN if thing in so_far.told else NEW if so_far.told else FIRST
    roles = _roles(thing, hook)
    ranked = _ranked(wordings_of(thing, MEANT), thing, roles) if meant else []
    ranked = ranked or _ranked(wordings_of(thing, moment), thing, roles)
    if hook < NUM_ELEMENTS and hook not in so_far.laid:
        ranked = [one for one in ranked if one[1].roles] or ranked
    scores = [(so_far.used.get(wording.number, 0), rank) for rank, wording in ranked]
    fitting = [wording for score, (_, wording) in zip(scores, ranked, strict=True) if score == min(scores)]
    wording = fitting[chance[0] % len(fitting)]
    return Told(wording, _connective(so_far, wording.lead, chance), {**roles, "thing": thing}, frozenset(so_far.told))


def _roles(thing: int, hook: int) -> dict[str, int]:
    """Return the things that can fill each role: only the hook."""
    if hook in (thing, NO_THING):
        return {}
    return {role: hook for role, kinds in ROLES.items() if NOUNS[hook].kind in kinds}


def _ranked(wordings: tuple[Wording, ...], thing: int, roles: dict[str, int]) -> list[tuple[int, Wording]]:
    """Return the wordings whose gaps can be filled, ranked 0 if they mention the hook, else 1."""
    ranked = []
    for wording in wordings:
        if wording.roles <= set(roles):
            own = NOUNS[thing].kind not in wording.of
            speaks = wording.roles or (own and wording.when == AGAIN)
            ranked.append((0 if speaks else 1 if own else 2, wording))
    return ranked


def _connective(so_far: Tale, lead: str, chance: bytes) -> Connective | None:
    """Return a connective for about half of the sentences that may have one, without quick repetition."""
    if not lead or not so_far.told or chance[1] % 2:
        return None
    recent = [one.text for one in so_far.connectives[-LAST_CONNECTIVES:]]
    fitting = [one for one in CONNECTIVES if one.lead == lead and one.text not in recent]
    return fitting[chance[2] % len(fitting)]


def _words(told: Told, language: str) -> str:
    """Return the text of a sentence."""
    known = set(told.known)

    def fill(gap: re.Match[str]) -> str:
        before, role, sign, forms = gap.groups()
        thing = told.roles["thing" if role == "tail" else role]
        if role == "tail":
            return NOUNS[thing].tail[language]
        if sign:
            return agreeing(thing, language, sign, forms)
        new = thing not in known or before == "a"
        points = not new and NOUNS[thing].kind == "trait"
        noun = that(thing, language) if points else phrase(thing, language, "a" if new else "the")
        known.add(thing)
        return f"{_preposition(before, thing, language)} {noun}".strip()

    text = GAP.sub(fill, told.wording.text[language])
    if told.connective is not None:
        text = f"{told.connective.text[language]} {text}"
    if language == "es":
        text = CONTRACTION.sub(lambda match: f"{match[1]}l", text)
    return _capital(text)


def _preposition(before: str | None, thing: int, language: str) -> str:
    if before == "at":
        return NOUNS[thing].at[language]
    return {"to": {"es": "a", "en": "to"}, "of": {"es": "de", "en": "of"}}.get(before or "", {}).get(language, "")


def _capital(text: str) -> str:
    """Return `text` with its first letter as a capital, after any signs."""
    first = next(place for place, sign in enumerate(text) if sign.isalpha())
    return text[:first] + text[first].upper() + text[first + 1 :]
