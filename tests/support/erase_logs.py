"""Logs of *Érase una vez* for tests of its prose: written by hand, jumbled, and of deals."""

from functools import cache

import numpy as np
from erase_tables import GAME

from sobremesa import agents
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.erase_una_vez.state import CARD, LOG_COLUMNS, LOG_SEAT, MAX_SENTENCES, STANDS, UNDONE
from sobremesa.envs.erase_una_vez.tables import NO_THING, NUM_THINGS, NUMBER
from sobremesa.envs.erase_una_vez.text.telling import added_sentences, sentence


def a_log(*rows):
    """Return a log of rows (kind, id of the thing, id of the hook or "", fate, id of the claimed card or "")."""
    log = np.zeros((MAX_SENTENCES, LOG_COLUMNS), np.uint8)
    for row, (kind, thing, hook, *rest) in enumerate(rows):
        fate, card = (*rest, *(STANDS, "")[len(rest) :])
        what = NUMBER[thing] if isinstance(thing, str) else thing
        log[row] = (row % 3, kind, what, NUMBER.get(hook, NO_THING), fate, 0, NUMBER.get(card, 0))
    return log


def tale(log, count, language):
    """Return the sentences of the first `count` rows as a story, without passes, undone and refused sentences."""
    return [text for row in range(count) for text in added_sentences(log, row, language)]


def ways(log, language, row=None, tellers=64):
    """Return all that a row of a log tells, the last one told, where others tell it."""
    row = int(np.flatnonzero(log.any(axis=1))[-1]) if row is None else row
    found = set()
    for teller in range(tellers):
        log[0, LOG_SEAT] = teller
        found.add(sentence(log, row, language))
    return found


def a_walk(start, length):
    """Return a log that speaks of all things in a fixed but jumbled order, and of some of them again."""
    log = np.zeros((MAX_SENTENCES, LOG_COLUMNS), np.uint8)
    before = NO_THING
    for row in range(length):
        thing = (start + row * 31 - (row % 5 == 4) * 62) % NUM_THINGS
        log[row] = (start % 6, CARD, thing, before, UNDONE if row % 11 == 7 else STANDS, 0, 0)
        before = thing
    return log


@cache
def a_deal(seed):
    """Return the last state of a deal: between equals or not, and at tables of all sizes."""
    names = ("simple", "strong", "random") if seed % 2 else ("simple", "strong")[seed // 2 % 2 :][:1]
    seated = [agents.load(names[(seed + seat) % len(names)], GAME) for seat in range(2 + seed % 5)]
    *_, last = deal_between(GAME, seated, seed, special_tells=seed % 4 == 3, max_sentences=40)
    return last.states[0]
