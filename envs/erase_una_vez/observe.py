"""Observations of *Érase una vez*, as a vector of named blocks.

A seat sees the tale, the table and the cards discarded face up, its own hand and endings, what it discarded face down,
and cards that went back to a hand in everybody's sight (C11.3, H4). Only the
observation of the seat to act shows that it is asked to react (C5.5).
"""

import numpy as np

from sobremesa.envs.core.blocks import each, members, numbers, one_of, up_to
from sobremesa.envs.core.codes import SIGNED, clear
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.layout import FLOAT, Block, Layout
from sobremesa.envs.core.seats import turned
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.knowledge import sees
from sobremesa.envs.erase_una_vez.mentions import MEETING
from sobremesa.envs.erase_una_vez.table_files import GROUPS, MOST_CLAUSES, MOST_THINGS, MOST_WORDS, NEED_NAMES
from sobremesa.envs.erase_una_vez.tables import meanings
from sobremesa.envs.erase_una_vez.tale import (
    ABRUPT,
    CONTRADICTS,
    DOUBTFUL,
    GOOD,
    RAMBLES,
    TIED,
    UNTIED,
    accepts,
    blocked,
    ending_progress,
    facts_that_count,
    has,
    mark_listed,
    meets,
    rambles,
    suits,
    weight_of,
)

_SETUP_FIELDS = (
    "judge", "strictness", "between_cards", "rejected", "protest_card", "chain", "hook", "special_tells", "pass_draw",
    "reshuffle", "begins", "must_end", "protest_penalty", "auto_protest", "beginners", "change_ending",
    "max_sentences", "fine",
)  # fmt: skip
SENSE, EXPOSED, STEERS, TOLD, RECENCY, PER_THING = range(6)  # columns of `things`
CARD_SENSE, CARD_EXPOSED, CARD_STEERS, MINE, MENTIONED, INTERRUPTS, PER_CARD = range(7)  # columns of `cards`
NUM_STAGES, NUM_KINDS = s.GO_ON, s.END + 1
SENSES, STEPS = 10, MOST_CLAUSES + 1  # parts of a whole: the sense, and the requirements of an ending

# Seats are turned so that the observer is number 0; missing seats are zeros.
LAYOUT = Layout(
    Block("asked", (NUM_STAGES,), "what I am asked: tell, hook, passing, react, vote; zeros if another is",
          seen=one_of("asked")),
    Block("things", (t.NUM_THINGS, PER_THING),
          "of each: sense of telling of it now, cards of others that could claim it "
          "in twos, how it changes what my best ending has, told of (1 by its card), how recently "
          "(minus 1: laid to break in, and not told of)", -1, 1, per=(SENSES, FLOAT, STEPS, 2, s.MOST_HOOKS),
          about=((s.A_TELL, 1),)),
    Block("cards", (t.NUM_ELEMENTS, PER_CARD), "of each in my hand: as the first three of its thing, played as a card; "
          "1, how far the last sentence tells of it, interruption", -1, 1, per=(SENSES, FLOAT, STEPS, 1, 100, 1),
          about=((s.A_CARD, 1), (s.A_DISCARD, 1), (s.A_CLAIM, 1))),
    Block("hand", (t.NUM_ELEMENTS,), "my cards"),
    Block("unseen", (t.NUM_ELEMENTS,), "cards that may be in a hand, the deck or face down, as far as I know"),
    Block("elsewhere", (t.NUM_ELEMENTS,), "cards that I know elsewhere: in the hand of a seat, in sixths; 1 on the "
          "table; minus a half face up, minus 1 face down by me", -1, 1, per=s.MAX_SEATS),
    Block("told", (t.NUM_THINGS,), "what the tale has spoken of: a half, 1 by its card", per=2, seen=numbers("told")),
    Block("endings", (s.MOST_ENDINGS, t.NUM_ENDINGS), "my endings", seen=one_of("ending")),
    Block("ending_places", (t.NUM_ENDINGS,), "endings that I know elsewhere: with a seat, in sixths; in the pile, "
          "minus 1 on top", -1, 1, per=FLOAT),
    Block("clauses", (s.MOST_ENDINGS, MOST_CLAUSES, 2), "of my endings: there is such a clause, it is met"),
    Block("blocked", (s.MOST_ENDINGS, 2), "of my endings: a fact stands in its way, it would be accepted"),
    Block("facts", (t.NUM_FACTS,), "what holds in the tale", seen=members("facts")),
    Block("hooked", (s.MOST_HOOKS + 1,), "where in the context the last sentence hangs; where my next one will",
          per=(1,) * s.MOST_HOOKS + (s.MOST_HOOKS,)),
    Block("sentence", (NUM_KINDS + len(GROUPS) + 1,), "the last sentence: kind, group, sense",
          per=(1,) * (NUM_KINDS + len(GROUPS)) + (SENSES,)),
    Block("hand_sizes", (s.MAX_SEATS,), "cards in each hand, in twentieths", 0, t.NUM_ELEMENTS / 20, per=20,
          seen=numbers("hand_size")),
    Block("narrator", (s.MAX_SEATS,), "who tells", seen=one_of("narrator")),
    Block("turn", (5,), "played a card; in sixths: without card, nothing new, closing; I have protested",
          per=(1, 6, 6, 6, 1), seen=each("played", "idle", "stale", "links", "protested")),
    Block("piles", (3,), "cards in the deck, endings in the pile, sentences told, as shares",
          per=(t.NUM_ELEMENTS, t.NUM_ENDINGS, FLOAT), seen=(*each("deck_size", "endings_size"), None)),
    Block("case", (3 + s.MAX_SEATS + 3,), "what is put to the vote: protest, claim, ending; whose; which card or "
          "ending, as a share; weight of the claim; 1 if the judge would take the ending",
          per=(1,) * (3 + s.MAX_SEATS) + (FLOAT, 100, 1)),
    Block("fines", (s.MAX_SEATS,), "votes against the judge, in tenths", per=s.MOST_FINES, seen=numbers("fines")),
    Block("present", (s.MAX_SEATS,), "seats at the table", seen=up_to("seats")),
    Block("setup", (len(_SETUP_FIELDS),), "the setup fields, as shares of their largest value",
          per=(2, s.STRICT, 2, 1, 1, 1, 1, 1, 1, 1, 7, 1, 1, 1, s.MAX_SEATS, 1, FLOAT, 2),
          seen=(*each(*_SETUP_FIELDS[:16]), numbers("max_sentences", s.MAX_SENTENCES), *each("fine"))),
)  # fmt: skip

_ASKED, _THINGS, _CARDS = LAYOUT.start("asked"), LAYOUT.start("things"), LAYOUT.start("cards")
_HAND, _UNSEEN, _ELSEWHERE = LAYOUT.start("hand"), LAYOUT.start("unseen"), LAYOUT.start("elsewhere")
_TOLD, _ENDINGS, _ENDING_PLACES = LAYOUT.start("told"), LAYOUT.start("endings"), LAYOUT.start("ending_places")
_CLAUSES, _BLOCKED = LAYOUT.start("clauses"), LAYOUT.start("blocked")
_FACTS, _HOOKED, _SENTENCE = LAYOUT.start("facts"), LAYOUT.start("hooked"), LAYOUT.start("sentence")
_SIZES, _NARRATOR, _TURN = LAYOUT.start("hand_sizes"), LAYOUT.start("narrator"), LAYOUT.start("turn")
_PILES, _CASE = LAYOUT.start("piles"), LAYOUT.start("case")
_FINES, _PRESENT, _SETUP = LAYOUT.start("fines"), LAYOUT.start("present"), LAYOUT.start("setup")
_WIDE, _WIDE_THINGS, _WIDE_CARDS = LAYOUT.tail, LAYOUT.start_wide("things"), LAYOUT.start_wide("cards")
_WIDE_PLACES, _WIDE_PILES = LAYOUT.start_wide("ending_places"), LAYOUT.start_wide("piles")
_WIDE_CASE, _WIDE_SETUP = LAYOUT.start_wide("case"), LAYOUT.start_wide("setup")

_INTERRUPTS = (t.INTERRUPTION < t.NUM_INTERRUPTIONS).astype(np.int8)
_OPENLY, _HIDDEN = (-s.MAX_SEATS // 2) & SIGNED, -s.MAX_SEATS & SIGNED  # how cards discarded are written
_SHIFT = 16
_SURE = 1 << _SHIFT
_CLAIMABLE = t.NUM_ELEMENTS + 1  # the last is no card


_HUNDREDTHS, _BY, _OTHER_SAID, _OTHER_HUNDREDTHS, _OTHER_BY, _OTHER_WHILE = meanings(DOUBTFUL)
_OTHERS = len(_OTHER_SAID)


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` `(W,)` uint8 (C11.3, C5.5)."""
    wide = out[_WIDE:].view(np.float32)  # numbers that no byte can represent
    senses = scratch(t.NUM_THINGS, np.uint8)
    clear(out, 0, _HAND)
    clear(out, _ENDINGS, _WIDE)
    clear(wide, _WIDE_CARDS, wide.shape[0])
    asked = state.seat == seat and not state.over
    if asked:
        out[_ASKED + int(state.stage)] = 1
    _observe_cards(state, seat, out)
    _observe_sense(state, seat, senses, out)
    _observe_tale(state, out)
    _observe_sentence(state, seat, asked, out)
    _observe_endings(state, seat, out, wide)
    _observe_prospects(state, seat, senses, out, wide)
    _observe_seats(state, seat, out, wide)
    _observe_case(state, seat, out, wide)
    _observe_setup(state, out, wide)


# These loops look the same way at every card and thing: branches that depend on the deal would cost twice the time.


@kernel
def _observe_cards(state, seat, out):
    hand, unseen = out[_HAND:_UNSEEN], out[_UNSEEN:_ELSEWHERE]
    elsewhere, me, seats = out[_ELSEWHERE:_TOLD], int(seat), int(state.seats)
    for card in range(t.NUM_ELEMENTS):
        where, seen = int(state.where[card]), sees(state, seat, card)
        place = where - me  # as `turned` has it
        place += seats * int(place < 0)
        place = s.MAX_SEATS if where == s.TABLE else place
        place = _OPENLY if where == s.OPEN else place
        place = _HIDDEN if where == s.BURIED else place
        hand[card] = where == me
        unseen[card] = not seen
        elsewhere[card] = place * int(seen)


@kernel
def _observe_tale(state, out):
    told = out[_TOLD:_ENDINGS]
    for thing in range(t.NUM_THINGS):
        told[thing] = state.told[thing]
        out[_THINGS + PER_THING * thing + TOLD] = state.told[thing]
    for fact in range(t.NUM_FACTS):
        out[_FACTS + fact] = (state.facts >> fact) & 1
    for place in range(s.MOST_HOOKS - 1, -1, -1):
        if state.context[place] != t.NO_THING:
            out[_THINGS + PER_THING * int(state.context[place]) + RECENCY] = s.MOST_HOOKS - place
    if state.focus != t.NO_THING and state.focus != state.context[0]:
        out[_THINGS + PER_THING * int(state.focus) + RECENCY] = -s.MOST_HOOKS & SIGNED


@kernel
def _observe_sentence(state, seat, asked, out):
    out[_SENTENCE + int(state.kind)] = 1
    out[_SENTENCE + NUM_KINDS + len(GROUPS)] = state.sense
    if state.focus != t.NO_THING:
        out[_SENTENCE + NUM_KINDS + int(t.GROUP[state.focus])] = 1
    for place in range(s.MOST_HOOKS):
        if state.hooked != t.NO_THING and state.context[place] == state.hooked:
            out[_HOOKED + place] = 1
    if asked and state.stage == s.TELL and state.chosen != s.NOT_CHOSEN:
        out[_HOOKED + s.MOST_HOOKS] = 1 + state.chosen


@kernel
def _observe_endings(state, seat, out, wide):
    for slot in range(s.MOST_ENDINGS):
        ending = int(state.ending[seat, slot])
        if ending == t.NO_ENDING:
            continue
        out[_ENDINGS + slot * t.NUM_ENDINGS + ending] = 1
        met = 0
        for clause in range(t.CLAUSES[ending]):
            holds = meets(state, ending, clause)
            met += holds
            out[_CLAUSES + (slot * MOST_CLAUSES + clause) * 2] = 1
            out[_CLAUSES + (slot * MOST_CLAUSES + clause) * 2 + 1] = holds
        out[_BLOCKED + slot * 2] = blocked(state, ending)
        out[_BLOCKED + slot * 2 + 1] = suits(ending, met, state.facts)
    for other in range(state.seats):
        for slot in range(s.MOST_ENDINGS):
            ending = int(state.ending[other, slot])
            if other != seat and ending != t.NO_ENDING and _knows(state, seat, ending):
                wide[_WIDE_PLACES + ending] = turned(state, seat, other) / s.MAX_SEATS
    for place in range(state.endings_size):
        ending = int(state.endings[place])
        if _knows(state, seat, ending):
            wide[_WIDE_PLACES + ending] = place / t.NUM_ENDINGS - 1


@kernel
def _knows(state, seat, ending):
    return (state.ending_known[ending] >> seat) & 1


@kernel
def _observe_prospects(state, seat, senses, out, wide):
    """Write the consequences of telling of each thing: sense, risk of claims, change of the ending (C4, C5, C9)."""
    _observe_risk(state, senses, out, wide)
    best, now = _best_ending(state, seat)
    if best != t.NO_ENDING:
        _observe_course(state, best, now, out)
    mine, count = scratch(t.NUM_ELEMENTS, np.uint8), 0
    for card in range(t.NUM_ELEMENTS):
        mine[count] = card
        count += int(out[_HAND + card])
    for place in range(count):
        _observe_card(int(mine[place]), out, wide)
    if state.words == s.OWN:
        for place in range(count):
            _observe_mention(state, seat, mine[place], out)
    elif state.focus != t.NO_THING:
        for word in range(MOST_WORDS):
            _observe_mention(state, seat, t.MEANT[state.focus, word], out)
        _observe_mention(state, seat, state.hooked, out)
        _observe_mention(state, seat, MEETING, out)


@kernel
def _observe_mention(state, seat, thing, out):
    """Write the weight of the last sentence for a thing, if that is a card in hand."""
    if thing < t.NUM_ELEMENTS and state.where[thing] == seat:
        out[_CARDS + PER_CARD * int(thing) + MENTIONED] = weight_of(state, thing)


@kernel
def _observe_card(card, out, wide):
    """Write the columns of a card in hand, after those of its thing."""
    row, thing = _CARDS + PER_CARD * card, _THINGS + PER_THING * card
    sense = out[thing + SENSE]
    out[row + CARD_SENSE] = GOOD if sense == RAMBLES else sense  # a card never does
    out[row + CARD_STEERS] = out[thing + STEERS]
    wide[_WIDE_CARDS + card] = wide[_WIDE_THINGS + card]
    out[row + MINE] = 1
    out[row + INTERRUPTS] = _INTERRUPTS[card]


@kernel
def _observe_sense(state, seat, senses, out):
    """Write `sense_of` each thing into `out` and `senses`, for the narrator as a sentence, for others as a card."""
    mine, there = state.narrator == seat, 0  # the needs that the tale meets, as bits
    for need in range(len(NEED_NAMES)):
        there |= int(has(state, need)) << need
    fresh = RAMBLES if mine and rambles(state, s.BRIDGE) else GOOD
    known = RAMBLES if mine and rambles(state, s.LINK) else GOOD
    fresh_untied, known_untied = min(fresh, ABRUPT), min(known, ABRUPT)
    one, two, three = TIED[state.context[0]], TIED[state.context[1]], TIED[state.context[2]]
    begins = state.context[0] == t.NO_THING
    for thing in range(t.NUM_THINGS):
        tied = ((one[thing] | two[thing] | three[thing]) != UNTIED) | begins
        told = state.told[thing] > 0
        sense = (known if told else fresh) if tied else (known_untied if told else fresh_untied)
        senses[thing] = sense if (there >> int(t.NEEDS[thing])) & 1 else CONTRADICTS
    if mine:
        mark_listed(state, senses)
    for thing in range(t.NUM_THINGS):
        out[_THINGS + PER_THING * thing + SENSE] = senses[thing]


@kernel
def _observe_risk(state, senses, out, wide):
    """Write the expected number of claims for each thing: all unseen cards are equally likely in other hands.

    Only cards whose element the tale has room for now can be claimed (C5.2).
    """
    unseen, elsewhere = out[_UNSEEN:_ELSEWHERE], out[_ELSEWHERE:_TOLD]
    claimable = scratch(_CLAIMABLE, np.int32)  # 1 for a card that may be in another hand, _SURE for one that is
    claimable[t.NUM_ELEMENTS] = 0
    hidden, held = 0, 0
    for card in range(t.NUM_ELEMENTS):
        matters = senses[card] != CONTRADICTS
        surely = (elsewhere[card] > 0) & (elsewhere[card] < s.MAX_SEATS)
        hidden += int(unseen[card])
        held += int(unseen[card]) * int(state.where[card] < s.MAX_SEATS)
        claimable[card] = int(matters) * (int(unseen[card]) + _SURE * int(surely))
    share = held / max(1, hidden)
    claims = scratch(t.NUM_THINGS, np.int32)  # hundredths of both at once
    for thing in range(t.NUM_THINGS):
        one, other = claimable[_BY[0, thing]], claimable[_BY[1, thing]]
        claims[thing] = _HUNDREDTHS[0, thing] * one + _HUNDREDTHS[1, thing] * other
    for other in range(_OTHERS):
        holds = int((_OTHER_WHILE[other] & ~state.facts) == 0)
        claims[_OTHER_SAID[other]] += holds * _OTHER_HUNDREDTHS[other] * claimable[_OTHER_BY[other]]
    for thing in range(t.NUM_THINGS):
        sure, maybe = claims[thing] >> _SHIFT, claims[thing] & (_SURE - 1)
        wide[_WIDE_THINGS + thing] = min(1.0, (sure + share * maybe) / 200)


@kernel
def _observe_course(state, ending, now, out):
    """Write the change in the requirements of an ending by telling of each thing."""
    touched, counted = t.BLOCKERS[ending], facts_that_count(state)
    for clause in range(t.CLAUSES[ending]):
        touched |= t.CLAUSE_FACTS[ending, clause]
        for place in range(MOST_THINGS):
            named = t.CLAUSE_THINGS[ending, clause, place]
            if named != t.NO_THING:
                out[_THINGS + PER_THING * named + STEERS] = _steer(state, ending, now, counted, named)
    for thing in range(t.NUM_THINGS):
        if (t.SETS[thing] | t.CLEARS[thing]) & touched:
            out[_THINGS + PER_THING * thing + STEERS] = _steer(state, ending, now, counted, thing)


@kernel
def _best_ending(state, seat):
    """Return the ending of `seat` that is met best, and its score in halves; a blocked ending scores one less."""
    best, most = t.NO_ENDING, -2
    for slot in range(s.MOST_ENDINGS):
        ending = int(state.ending[seat, slot])
        if ending != t.NO_ENDING:
            met = ending_progress(state, ending, state.facts, facts_that_count(state), t.NO_THING)
            if met > most:
                best, most = ending, met
    return best, most


@kernel
def _steer(state, ending, now, counted, thing):
    facts = (state.facts & ~t.CLEARS[thing]) | t.SETS[thing]
    counted = (counted & ~t.CLEARS[thing]) | t.SETS[thing]
    return (ending_progress(state, ending, facts, counted, thing) - now) & SIGNED


@kernel
def _observe_seats(state, seat, out, wide):
    for other in range(state.seats):
        row = turned(state, seat, other)
        out[_PRESENT + row] = 1
        out[_SIZES + row] = state.hand_size[other]
        out[_FINES + row] = state.fines[other]
    out[_NARRATOR + turned(state, seat, state.narrator)] = 1
    out[_TURN] = state.played
    out[_TURN + 1] = min(6, int(state.idle))
    out[_TURN + 2] = min(6, int(state.stale))
    out[_TURN + 3] = state.links
    out[_TURN + 4] = state.protested[seat]
    out[_PILES] = state.deck_size
    out[_PILES + 1] = state.endings_size
    wide[_WIDE_PILES] = min(1.0, state.sentences / state.max_sentences)


@kernel
def _observe_case(state, seat, out, wide):
    if state.case == s.NO_CASE:
        return
    out[_CASE + int(state.case) - 1] = 1
    if state.claimant != s.NOBODY:
        out[_CASE + 3 + turned(state, seat, state.claimant)] = 1
    which = _CASE + 3 + s.MAX_SEATS
    if state.case == s.ON_CLAIM:
        card = int(state.choice[state.claimant]) - s.A_CLAIM
        wide[_WIDE_CASE] = (1 + card) / t.NUM_ELEMENTS
        out[which + 1] = weight_of(state, card)
    elif state.case == s.ON_ENDING:
        ending = int(state.log[state.sentences - 1, s.LOG_THING])
        wide[_WIDE_CASE] = (1 + ending) / t.NUM_ENDINGS
        out[which + 2] = accepts(state, ending)


@kernel
def _observe_setup(state, out, wide):
    out[_SETUP] = state.judge
    out[_SETUP + 1] = state.strictness
    out[_SETUP + 2] = state.between_cards
    out[_SETUP + 3] = state.rejected
    out[_SETUP + 4] = state.protest_card
    out[_SETUP + 5] = state.chain
    out[_SETUP + 6] = state.hook
    out[_SETUP + 7] = state.special_tells
    out[_SETUP + 8] = state.pass_draw
    out[_SETUP + 9] = state.reshuffle
    out[_SETUP + 10] = state.begins
    out[_SETUP + 11] = state.must_end
    out[_SETUP + 12] = state.protest_penalty
    out[_SETUP + 13] = state.auto_protest
    out[_SETUP + 14] = state.beginners
    out[_SETUP + 15] = state.change_ending
    wide[_WIDE_SETUP] = state.max_sentences / 300
    out[_SETUP + 17] = state.fine
