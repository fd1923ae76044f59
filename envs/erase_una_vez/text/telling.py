"""The tale of *Érase una vez* in words: each row of the log as Spanish and English prose.

A row has the subject of a sentence and its hook, and its words name only these: a thing that is named can be claimed,
or is on the table (H9). A character who can be claimed no more may act with them, by a name or a pronoun (H14). The
words fit the tale so far (plot.py) and are chosen by choosing.py. The choice depends only on the row and the rows
before it, so the state does not store it, and it is the same in both languages. Rows that were told in a player's own
words (O16) count as told, but no name, wish or state comes from them.
"""

import hashlib
import re
from typing import NamedTuple

import numpy as np

from sobremesa.envs.core.game import check_language
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.tables import NO_THING, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text.choosing import choose
from sobremesa.envs.erase_una_vez.text.closing import closing
from sobremesa.envs.erase_una_vez.text.flavour import NAMES, TAILS, WISHES
from sobremesa.envs.erase_una_vez.text.lexicon import (
    GAP,
    GOAL,
    NOUNS,
    agreeing,
    phrase,
    preposition,
    tidy,
    with_demonstrative,
)
from sobremesa.envs.erase_una_vez.text.own_words import texts
from sobremesa.envs.erase_una_vez.text.plot import NOUN, PRONOUN, SentencePlan, Tale
from sobremesa.envs.erase_una_vez.text.row_by_row import RowByRow, Said
from sobremesa.envs.erase_una_vez.text.words import ending_words

_REMEMBERED = 256  # tales: the next row continues from one, and several readers are told the same
TOO = {"es": "Y también buscaba {goal}.", "en": "{{one:He/She/It}} too was looking for {goal}."}
CALLED = {"es": "llamad{one:o/a}", "en": "called"}


class _Step(NamedTuple):
    """The tale after some rows, with the sentence of the last row, and that of the card that took over on it."""

    tale: Tale
    own: SentencePlan | None = None
    taken: SentencePlan | None = None


def sentence(log: np.ndarray, row: int, language: str) -> str:
    """Return the sentence of `row` of a log `(321, 7) uint8`; "" for a pass or an interrupting card."""
    check_language(language)
    kind, thing = int(log[row, s.LOG_KIND]), int(log[row, s.LOG_THING])
    if kind in (s.PASS, s.BREAK_IN):
        return ""
    if kind == s.END:
        return ending_words(thing, language)
    told = _step_of(log, row + 1).own
    return "" if told is None else _words(told, language)


def aside(log: np.ndarray, row: int, language: str) -> str:
    """Return the sentence of the card that took over on `row`; "" without a card or a further sentence."""
    check_language(language)
    told = _step_of(log, row + 1).taken
    return "" if told is None else _words(told, language)


def added_sentences(log: np.ndarray, row: int, language: str) -> list[str]:
    """Return the sentences that `row` adds to the story: none, its own, and that of the card that took over."""
    check_language(language)
    if log[row, s.LOG_FATE] in (s.UNDONE, s.REFUSED):
        return []
    step = _step_of(log, row + 1)
    close = [closing(step.tale, int(log[row, s.LOG_THING]), language)] if log[row, s.LOG_KIND] == s.END else []
    return close + [_words(one, language) for one in (step.own, step.taken) if one is not None]


def _step_of(log: np.ndarray, count: int) -> _Step:
    return _STEPS.of(log[:count].tobytes(), log.shape[1], texts(count), log.shape[1])


def _next_step(before: _Step, rows: bytes, said: Said, width: int) -> _Step:
    """Return the step of the last of `rows`, after `before`."""
    so_far, row = before.tale.copy(), len(rows) // width - 1
    return _Step(so_far, *_advance(so_far, list(rows[-width:]), bool(said) and said[-1][0] == row))


_STEPS = RowByRow(_Step(Tale()), _next_step, _REMEMBERED)


def _advance(so_far: Tale, line: list[int], own_words: bool = False) -> tuple[SentencePlan | None, SentencePlan | None]:
    """Add a line of the log, told in `own_words` or not; return its sentence, and that of the card that took over."""
    thing, kind, card, fate = line[s.LOG_THING], line[s.LOG_KIND], line[s.LOG_CARD], line[s.LOG_FATE]
    before, so_far.lines = so_far.lines, _digest(so_far.lines, line)
    own = taken = None
    if kind in (s.PASS, s.END) or thing == NO_THING:
        return None, None
    if kind != s.BREAK_IN:  # the row before has told of an interrupter's card, if any row has
        chance = _digest(before, line[: s.LOG_FATE])  # nothing that comes to light later
        free = not own_words and (kind == s.CARD or thing >= NUM_ELEMENTS)
        own = choose(so_far, thing, line[s.LOG_HOOK], chance, free=free)
        so_far.use(own)
    if fate == s.UNDONE:
        return own, None
    if kind == s.CARD:
        so_far.laid.add(thing)
    if own is not None:
        so_far.tell(own, unseen=own_words)
    if fate in (s.CLAIMED, s.INTERRUPTED, s.TOLD_TOO):
        so_far.laid.add(card)
    if fate in (s.CLAIMED, s.TOLD_TOO) and card != thing:
        taken = choose(so_far, card, thing, so_far.lines, free=True, meant=fate == s.CLAIMED)
        so_far.use(taken)
        so_far.tell(taken)
    return own, taken


def _digest(before: bytes, line: list[int]) -> bytes:
    return hashlib.blake2b(before + bytes(line), digest_size=8).digest()


def _words(told: SentencePlan, language: str) -> str:
    """Return the text of a sentence, with the wish of a character whom it introduces."""
    known = set(told.known)
    template = told.wording.text[language]

    def fill(gap: re.Match[str]) -> str:
        before, role, sign, forms = gap.groups()
        if role == GOAL:
            return f"{preposition(before, NO_THING, language)} {WISHES[told.goal].goal[language]}".strip()
        thing = told.roles["thing" if role == "tail" else role]
        if role == "tail":
            tail = TAILS[thing][told.tail].text[language]
            return f", {tail}," if told.named else tail
        if sign:
            return agreeing(thing, language, sign, forms, named=thing in told.names)
        new = thing not in known or before == "a"
        known.add(thing)
        mode = told.modes.get(thing, NOUN)
        if mode == PRONOUN and gap.start() == 0:
            return pronoun(thing, language, named=thing in told.names)
        if mode == NOUN:
            noun = _noun(thing, language, new, told)
        else:
            noun = NAMES[told.names[thing]].text if thing in told.names else phrase(thing, language)
        return f"{preposition(before, thing, language)} {noun}".strip()

    text = GAP.sub(fill, template).strip()
    if told.lead is not None:
        starter = told.roles[told.wording.starter] if told.lead.state else told.thing
        lead = _inflected(told.lead.text[language], starter, language, named=starter in told.names)
        text = f"{lead} {text}"
    text = tidy(text, language)
    if told.wish >= 0:
        wish = WISHES[told.wish]
        longs = wish.text[language] if told.goal < 0 else TOO[language].format(goal=wish.goal[language])
        longing = _inflected(longs, told.seeker, language, named=told.seeker in told.names)
        text = f"{text} {tidy(longing, language)}"
    return text


def _noun(thing: int, language: str, new: bool, told: SentencePlan) -> str:
    """Return a noun with its article; with the name of a character who is introduced."""
    if not new and NOUNS[thing].kind == "trait":
        return with_demonstrative(thing, language)
    noun = phrase(thing, language, "a" if new else "the")
    if not told.named or thing != told.thing:
        return noun
    return f"{noun} {_inflected(CALLED[language], thing, language)} {NAMES[told.names[thing]].text}"


def pronoun(thing: int, language: str, *, named: bool) -> str:
    """Return the pronoun of a character as a subject; "" in Spanish, which leaves it out."""
    return "" if language == "es" else agreeing(thing, language, ":", "he/she/it/they", named=named)


def _inflected(text: str, thing: int, language: str, *, named: bool = True) -> str:
    """Return words about one character with their forms filled in."""
    return GAP.sub(lambda gap: agreeing(thing, language, gap[3], gap[4], named=named), text)
