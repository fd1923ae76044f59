"""Observations of *Érase una vez* as records: the inverse of observe.py, for agents (C11.3).

`decode` fills a record with the part of the state that the observation contains. Functions such as `sense_of` read
single derived numbers.
"""

import numpy as np

from sobremesa.envs.core.blocks import index_of, reader
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.observe import (
    EXPOSED,
    LAYOUT,
    MENTIONED,
    NUM_KINDS,
    NUM_STAGES,
    PER_CARD,
    PER_THING,
    RECENCY,
    SENSE,
)
from sobremesa.envs.erase_una_vez.table_files import GROUPS, MOST_CLAUSES
from sobremesa.envs.erase_una_vez.tables import NO_ENDING, NO_THING, NUM_ELEMENTS, NUM_ENDINGS, NUM_THINGS

NOT_SEEN = s.DECK  # a card that may be in the deck, in another hand or face down
NOT_KNOWN = s.MAX_SEATS + NUM_ENDINGS  # an ending that may be in the pile or with another seat

# Fields are those of the state, with seats turned so that the observer is number 0; `idle` and `stale` are 6 at most,
# and `ending` holds the endings of the observer.
SEEN, _decode_blocks = reader(
    LAYOUT,
    ("sentences", np.int64),  # MAX_SENTENCES at most
    ("kind", np.int64),
    ("sense", np.int64),
    ("focus", np.int64),
    ("hooked", np.int64),  # place in the context of what the last sentence hangs on; MOST_HOOKS for none
    ("chosen", np.int64),  # NOT_CHOSEN for others than the narrator
    ("context", np.int64, s.MOST_HOOKS),  # NO_THING for repetitions and untold interruptions
    ("where", np.int64, NUM_ELEMENTS),  # a seat, TABLE, OPEN, BURIED by the observer, or NOT_SEEN
    ("met", np.int64),  # clauses of my endings, a bit each: slot * MOST_CLAUSES + clause
    ("blocked", np.int64, s.MOST_ENDINGS),  # 1 if a fact stands in its way
    ("fits", np.int64, s.MOST_ENDINGS),  # 1 if the judge would take it
    ("ending_at", np.int64, NUM_ENDINGS),  # a seat; MAX_SEATS + place in the pile, 0 on top; NOT_KNOWN
    ("case", np.int64),
    ("claimant", np.int64),  # of a claim or an ending; NOBODY
    ("claimed", np.int64),  # the card of the claim that is voted on; NUM_ELEMENTS
    ("weight", np.int64),  # of that claim, in hundredths
    ("ended_with", np.int64),  # the ending that is voted on; NO_ENDING
    ("ended_well", np.int64),  # 1 if the judge would take it
)

_ASKED, _THINGS, _CARDS, _HAND, _UNSEEN, _ELSEWHERE, _TOLD, _PLACES, _CLAUSES, _BLOCKED, _HOOKED = (
    LAYOUT.start(name)
    for name in ("asked", "things", "cards", "hand", "unseen", "elsewhere", "told", "ending_places", "clauses",
                 "blocked", "hooked")
)  # fmt: skip
_SENTENCE, _CASE = LAYOUT.start("sentence"), LAYOUT.start("case")
_LONGEST, _SHARE_TOLD, _CLAIMANT, _WHICH = (
    LAYOUT.start("setup") + 16, LAYOUT.start("piles") + 2, _CASE + 3, _CASE + 3 + s.MAX_SEATS,
)  # fmt: skip


@kernel
def decode(observation, seen):
    """Fill `seen`, a record with the fields of SEEN (and maybe more), from an `observation` `(D,) float32`."""
    _decode_blocks(observation, seen)
    _decode_tale(observation, seen)
    _decode_sentence(observation, seen)
    _decode_cards(observation, seen)
    _decode_endings(observation, seen)
    _decode_case(observation, seen)
    seen.sentences = round(observation[_SHARE_TOLD] * seen.max_sentences)


@kernel
def _decode_tale(observation, seen):
    seen.context[:] = NO_THING
    seen.focus = NO_THING
    for thing in range(NUM_THINGS):
        recency = observation[_THINGS + PER_THING * thing + RECENCY]
        if recency > 0:
            seen.context[round((1 - recency) * s.MOST_HOOKS)] = thing
        elif recency < 0:
            seen.focus = thing


@kernel
def _decode_sentence(observation, seen):
    """Read the last sentence; its subject is the latest thing of the context unless another is marked."""
    seen.kind = index_of(observation, _SENTENCE, NUM_KINDS)
    spoken = index_of(observation, _SENTENCE + NUM_KINDS, len(GROUPS)) < len(GROUPS)
    if spoken and seen.focus == NO_THING:
        seen.focus = seen.context[0]
    seen.sense = round(observation[_SENTENCE + NUM_KINDS + len(GROUPS)] * 10)
    seen.hooked = index_of(observation, _HOOKED, s.MOST_HOOKS)
    chosen = round(observation[_HOOKED + s.MOST_HOOKS] * s.MOST_HOOKS)
    seen.chosen = chosen - 1 if chosen else s.NOT_CHOSEN


@kernel
def _decode_cards(observation, seen):
    for card in range(NUM_ELEMENTS):
        where = observation[_ELSEWHERE + card]
        if observation[_HAND + card] > 0:
            seen.where[card] = 0
        elif observation[_UNSEEN + card] > 0:
            seen.where[card] = NOT_SEEN
        elif where > 0:
            seen.where[card] = s.TABLE if where == 1 else round(where * s.MAX_SEATS)
        else:
            seen.where[card] = s.BURIED if where == -1 else s.OPEN


@kernel
def _decode_endings(observation, seen):
    for ending in range(NUM_ENDINGS):
        at = observation[_PLACES + ending]
        seen.ending_at[ending] = NOT_KNOWN
        if at > 0:
            seen.ending_at[ending] = round(at * s.MAX_SEATS)
        elif at < 0:
            seen.ending_at[ending] = s.MAX_SEATS + round((at + 1) * NUM_ENDINGS)
    seen.met = 0
    for slot in range(s.MOST_ENDINGS):
        ending = seen.ending[slot]
        if ending != NO_ENDING:
            seen.ending_at[ending] = 0
        for clause in range(slot * MOST_CLAUSES, (slot + 1) * MOST_CLAUSES):
            if observation[_CLAUSES + 2 * clause + 1] > 0:
                seen.met |= 1 << clause
        seen.blocked[slot] = observation[_BLOCKED + 2 * slot] > 0
        seen.fits[slot] = fits(observation, slot)


@kernel
def _decode_case(observation, seen):
    case = 1 + index_of(observation, _CASE, 3)
    seen.case = case if case <= s.ON_ENDING else s.NO_CASE
    seen.claimant = index_of(observation, _CLAIMANT, s.MAX_SEATS)
    seen.claimed, seen.ended_with = NUM_ELEMENTS, NO_ENDING
    if seen.case == s.ON_CLAIM:
        seen.claimed = round(observation[_WHICH] * NUM_ELEMENTS) - 1
    elif seen.case == s.ON_ENDING:
        seen.ended_with = round(observation[_WHICH] * NUM_ENDINGS) - 1
    seen.weight = round(observation[_WHICH + 1] * 100)
    seen.ended_well = observation[_WHICH + 2] > 0


# What is read one by one.


@kernel
def asked_of(observation):
    """Return the decision of the observer, TELL..VOTE; GO_ON if it has none."""
    return index_of(observation, _ASKED, NUM_STAGES)


@kernel
def told_value(observation, thing):
    """Return 1 if `thing` was told of by its card, 0.5 if without it, else 0."""
    return observation[_TOLD + thing]


@kernel
def sense_of(observation, thing):
    """Return the sense of a sentence about `thing` without a card, 0 to 1 (C4)."""
    return observation[_THINGS + PER_THING * thing + SENSE]


@kernel
def unclaimed_probability(observation, thing):
    """Return the probability that a sentence about `thing` is not claimed for its meanings."""
    return 1 - min(1.0, 2 * observation[_THINGS + PER_THING * thing + EXPOSED])


@kernel
def weight_of(observation, card):
    """Return the weight of the last sentence for a card in hand, 0 to 1 (C5.2)."""
    return observation[_CARDS + PER_CARD * card + MENTIONED]


@kernel
def fits(observation, slot):
    """Return whether the judge would take one's own ending in `slot` (C9.3)."""
    return observation[_BLOCKED + 2 * slot + 1] > 0


@kernel
def sentences_left(observation):
    """Return the approximate number of sentences left."""
    return (1 - observation[_SHARE_TOLD]) * observation[_LONGEST] * s.MAX_SENTENCES
