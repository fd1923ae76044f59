"""The record of *Érase una vez*, its vocabulary, and the smallest things that happen to it.

Clause numbers in brackets refer to RULES.md. A *thing* is what a sentence can be about, see tables.py; a card is named
by its element.
"""

import numpy as np

from sobremesa.envs.core.chance import shuffle
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.news import news, note
from sobremesa.envs.core.record import record
from sobremesa.envs.erase_una_vez import tables as t

MAX_SEATS = 6
NOBODY = MAX_SEATS
HAND_SIZES = np.array([0, 0, 10, 8, 7, 6, 5], np.int8)  # by number of seats (C2.1)
MOST_ENDINGS = 2  # that a seat holds (V1, O4)
PUBLIC = 1 << MAX_SEATS  # in addition to a bit for each seat
_ENDINGS = t.NUM_ENDINGS + 1  # the last is no ending

# Where a story card is: a seat holds it (0..5), or it lies ...
DECK, TABLE, OPEN, BURIED = range(MAX_SEATS, MAX_SEATS + 4)  # OPEN, BURIED: discarded face up, face down

# The decision of the seat to act; with GO_ON the game continues without a decision.
TELL, HOOK, PASSING, REACT, VOTE, GO_ON = range(6)
# Kinds of sentences, and what else a narrator may do instead.
CARD, BRIDGE, LINK, BREAK_IN, PASS, END = range(6)  # BREAK_IN: the card of one who broke in (O6)
# What became of a sentence.
STANDS, UNDONE, CLAIMED, INTERRUPTED, REFUSED, ACCEPTED, TOLD_TOO = range(7)  # TOLD_TOO: interrupted, and told of (O8)
NO_CASE, ON_PROTEST, ON_CLAIM, ON_ENDING = range(4)  # what is put to the vote
CHEERED, TOO_LONG = 1, 2  # endings of a deal: an ending card was accepted, or the tale grew too long

# Setup fields, by the numbers that the record holds.
RULES, VOTES, MIXED = range(3)  # judge
LENIENT, STRICT = range(2)  # strictness
BEGINS_RANDOM, BEGINS_LETTER, BEGINS_SEAT = range(3)  # begins; BEGINS_SEAT + seat
UNDER, KEPT = range(2)  # rejected
BACK, STAYS = range(2)  # protest_card
AUTOMATIC, MANUAL = range(2)  # hook
DRAW_AFTER, DRAW_BEFORE = range(2)  # pass_draw
SENTENCES, WORDS = range(2)  # telling

# Actions, by block.
A_CARD = 0  # + card: tell of its element and play it
A_TELL = A_CARD + t.NUM_ELEMENTS  # + thing: tell of it without a card, a bridge to what is new or a link to what is not
A_PASS = A_TELL + t.NUM_THINGS
A_END = A_PASS + 1  # + which of my endings
A_KEEP = A_END + MOST_ENDINGS  # discard nothing when passing
A_DISCARD = A_KEEP + 1  # + card
A_CHANGE = A_DISCARD + t.NUM_ELEMENTS  # + which of my endings to change for another
A_NOTHING = A_CHANGE + MOST_ENDINGS  # do not react
A_CLAIM = A_NOTHING + 1  # + card
A_INTERRUPT = A_CLAIM + t.NUM_ELEMENTS  # + which interruption
A_PROTEST = A_INTERRUPT + t.NUM_INTERRUPTIONS
A_YES, A_NO = A_PROTEST + 1, A_PROTEST + 2
MOST_HOOKS = 3  # things of the context (C3.3)
NOT_CHOSEN = MOST_HOOKS
A_HOOK = A_NO + 1  # + which of the context, the latest first
NUM_ACTIONS = A_HOOK + MOST_HOOKS

# Events, what the news tell: lines (event, seat, one, two).
(
    E_TELLS, E_UNDONE, E_IN_VAIN, E_CLAIMS, E_INTERRUPTS, E_PROTESTS, E_VOTES, E_WRONG, E_VOID, E_TAKES_OVER, E_DRAWS,
    E_TURN, E_PASSES, E_DISCARDS, E_CHANGES, E_ENDS, E_REFUSED, E_NEW_ENDING, E_RESHUFFLES, E_WINS, E_TOO_LONG,
) = range(21)  # fmt: skip
NEWS_LENGTH = 40  # further events of a ply are dropped

MAX_SENTENCES = 300
LOG_ROWS = MAX_SENTENCES + t.NUM_INTERRUPTIONS  # each interruption once more, where a break-in is broken in on (O6)
LOG_SEAT, LOG_KIND, LOG_THING, LOG_HOOK, LOG_FATE, LOG_TAKER, LOG_CARD, LOG_COLUMNS = range(8)  # columns of the log
RECENT = 12  # sentences (C9.3)
MOST_LINKS = 2  # sentences between the last card and the ending (C9.2)
MOST_STALE, MOST_IDLE = 2, 6  # sentences with nothing new, and without a card, that are no rambling yet (C4.3)
MOST_LISTED = 2  # new things of one group in a row that are no list yet (C4.2)
MOST_FINES = 10
MOST_ALSO = 8  # further things that a sentence in own words tells of (O16)
# The words of a sentence: the game's, the narrator's own, and his own before it is told, which state what it is about,
# only name it, or tell on without a thing of the game (O16).
OF_GAME, OWN, STATING, NAMING, TELLING_ON = range(5)
# For each of 300 sentences: a hook and a focus, five reactions, four votes on a protest and four on each of five
# claims, a discard; a chain (O6) asks five seats after each of the 105 cards that a floor may be taken with.
MAX_PLIES = 12_000

STATE = record(
    # setup
    ("judge", np.int8),  # RULES, VOTES or MIXED (O1)
    ("strictness", np.int8),  # LENIENT or STRICT (O2)
    ("between_cards", np.int8),  # sentences without a card between two cards, 0..2 (O3)
    ("rejected", np.int8),  # UNDER or KEPT (O4)
    ("protest_card", np.int8),  # BACK or STAYS (O5)
    ("chain", np.int8),  # 1 if an interrupter's card may be interrupted (O6)
    ("hook", np.int8),  # AUTOMATIC or MANUAL (O7)
    ("special_tells", np.int8),  # 1 if a card that interrupts is told of too (O8)
    ("pass_draw", np.int8),  # DRAW_AFTER or DRAW_BEFORE (O9)
    ("reshuffle", np.int8),  # 1 if discards make a new deck (O10)
    ("begins", np.int8),  # BEGINS_RANDOM, BEGINS_LETTER, BEGINS_SEAT + seat (O11, V3)
    ("must_end", np.int8),  # 1 if a narrator without cards may not pass (O12)
    ("protest_penalty", np.int8),  # 1 if who protests in vain draws a card (O13)
    ("auto_protest", np.int8),  # 1 if the judge protests by himself (O14)
    ("beginners", np.int8),  # seats, from seat 0 on, that hold two endings (V1)
    ("change_ending", np.int8),  # 1 if an ending may be changed when passing (V2)
    ("max_sentences", np.int16),  # (O15)
    ("fine", np.int8),  # hundredths of a win that a vote against the judge costs (O1)
    ("telling", np.int8),  # SENTENCES or WORDS (O16)
    # the telling
    ("first", np.int8),  # who began
    ("narrator", np.int8),
    ("stage", np.int8),  # what `seat` is asked, TELL..GO_ON
    ("sentences", np.int16),  # rows of the log: all that were told, passes, endings, break-ins that were broken in on
    ("stale", np.int16),  # sentences with nothing new in a row, in this turn
    ("idle", np.int16),  # sentences since the last card of this turn, or since the turn began
    ("listed", np.int16),  # new characters in a row in this turn, or objects, or places
    ("played", np.uint8),  # 1 once a card has been played in this turn
    ("links", np.int8),  # sentences told in this turn without a card in hand, 0..2
    ("protested", np.uint8, MAX_SEATS),  # 1 for seats that have protested in this turn
    ("log", np.uint8, (LOG_ROWS, LOG_COLUMNS)),  # seat, kind, thing, hook, fate, who took over, with which card
    ("chosen", np.int8),  # what of the context the next sentence will hang on, 0..2; NOT_CHOSEN (O7)
    # the last sentence of this narrator, or what took the floor
    ("kind", np.int8),  # CARD, BRIDGE, LINK, BREAK_IN; PASS while passing, END once an ending has been played
    ("focus", np.int16),  # what it is about; NO_THING before the first, and where `kind` is one of the last three
    ("hooked", np.int16),  # what it hangs on; NO_THING
    ("sense", np.int8),  # how much sense it makes, in tenths (C4)
    # what its words mention, if they are the narrator's own (O16)
    ("words", np.uint8),  # OF_GAME, OWN, STATING or NAMING
    ("heard", np.uint8, t.NUM_ELEMENTS),  # how far they tell of each element, in hundredths
    ("also", np.uint8, MOST_ALSO),  # what they tell of apart from the focus, in order; 0 behind the last
    ("also_count", np.uint8),
    # the tale before that sentence, should it be undone (C6.1)
    ("was_told", np.uint8),  # of its focus
    ("was_told_at", np.int16),  # of its focus
    ("was_facts", np.int64),
    ("was_fact_at", np.int16, t.NUM_FACTS),
    ("was_context", np.int16, MOST_HOOKS),
    ("was_also_told", np.uint8, MOST_ALSO),  # `told` of what it also tells of
    ("was_also_told_at", np.int16, MOST_ALSO),
    # the tale
    ("told", np.uint8, t.NUM_THINGS),  # 0 never, 1 told of, 2 by its card, which lies on the table
    ("told_at", np.int16, t.NUM_THINGS),  # the sentence, from 1, that told of it last; 0 never
    ("people", np.int16),  # Personajes told of, concepts among them
    ("objects", np.int16),  # Objetos told of, likewise
    ("facts", np.int64),  # that hold, one bit each
    ("fact_at", np.int16, t.NUM_FACTS),  # the sentence, from 1, that last said so; 0 never
    ("context", np.int16, MOST_HOOKS),  # what was told of last, the latest first; NO_THING
    # cards
    ("where", np.int8, t.NUM_ELEMENTS),  # a seat, DECK, TABLE, OPEN or BURIED
    ("shown", np.uint8, t.NUM_ELEMENTS),  # 1 if all know that this card is in the hand that it is in (H4)
    ("buried_by", np.int8, t.NUM_ELEMENTS),  # who discarded it face down; NOBODY
    ("hand_size", np.int8, MAX_SEATS),
    ("deck", np.int8, t.NUM_ELEMENTS),  # the top is the last one; 0 behind it
    ("deck_size", np.int8),
    ("ending", np.int8, (MAX_SEATS, MOST_ENDINGS)),  # endings held; NO_ENDING
    ("endings", np.int8, t.NUM_ENDINGS),  # the pile: the top first; NO_ENDING behind the last
    ("endings_size", np.int8),
    ("ending_known", np.uint8, t.NUM_ENDINGS),  # seats, one bit each, that know where it is; PUBLIC if all saw it
    # what is being decided
    ("choice", np.int16, MAX_SEATS),  # reaction of each seat, an action; A_NOTHING
    ("answered", np.uint8, MAX_SEATS),  # 1 for seats that have reacted, or voted
    ("resolving", np.uint8),  # 1 once all reactions lie open
    ("order", np.int8, MAX_SEATS),  # of those still to be dealt with: seats, first to last; NOBODY behind them
    ("case", np.int8),  # NO_CASE, or what is voted on
    ("claimant", np.int8),  # whose claim is being judged; NOBODY
    ("voters", np.uint8, MAX_SEATS),  # 1 for seats that vote on it
    ("vote", np.uint8, MAX_SEATS),  # 1 for yes, of those that have answered
    ("wrong", np.int16),  # wrong claims so far
    ("fines", np.int8, MAX_SEATS),  # votes against the judge, 0..MOST_FINES
    # the end
    ("ending_kind", np.int8),  # CHEERED or TOO_LONG; 0 while the deal runs
    ("winner", np.uint8, MAX_SEATS),
    ("won_with", np.int8),  # the ending that won; NO_ENDING
    # what happened since the last decision, for `tell` alone
    *news(NEWS_LENGTH, np.int16),
)  # fmt: skip
# fields younger than version 2, which are 0 wherever sentences are the game's
LATER = ("telling", "words", "heard", "also", "also_count", "was_also_told", "was_also_told_at")


@kernel
def write_row(state, kind, thing, hook):
    """Begin a row of the log for the narrator."""
    row = state.log[state.sentences]
    row[LOG_SEAT], row[LOG_KIND], row[LOG_THING], row[LOG_HOOK] = state.narrator, kind, thing, hook
    state.sentences += 1


@kernel
def left_of(state, seat):
    """Return the seat to the left of `seat`, the next one to play."""
    return (int(seat) + 1) % int(state.seats)


@kernel
def draw_card(state, seat):
    """Give `seat` the top card of the deck; where there is none, of the shuffled discards (C10.1)."""
    if state.deck_size == 0 and state.reshuffle:
        _shuffle_discards(state)
    if state.deck_size == 0:
        return
    state.deck_size -= 1
    card = state.deck[state.deck_size]
    state.deck[state.deck_size] = 0
    state.where[card] = seat
    state.hand_size[seat] += 1
    note(state, E_DRAWS, seat, card, 0)


@kernel
def _shuffle_discards(state):
    size = 0
    for card in range(t.NUM_ELEMENTS):
        if state.where[card] == OPEN or state.where[card] == BURIED:
            state.where[card] = DECK
            state.buried_by[card] = NOBODY
            state.deck[size] = card
            size += 1
    shuffle(state, state.deck, size)
    state.deck_size = size
    if size:
        note(state, E_RESHUFFLES, NOBODY, size, 0)


@kernel
def take_card(state, seat, card, to):
    """Take a card out of a hand, and put it on the TABLE, or on the discards OPEN or BURIED."""
    state.where[card] = to
    state.shown[card] = 0
    state.hand_size[seat] -= 1
    if to == BURIED:  # it may have been any card, those that all knew of too (H4)
        state.buried_by[card] = seat
        for other in range(t.NUM_ELEMENTS):
            if state.where[other] == seat:
                state.shown[other] = 0


@kernel
def give_back(state, seat, card):
    """Give a card back into a hand, in everybody's sight (H4)."""
    state.where[card] = seat
    state.shown[card] = 1
    state.hand_size[seat] += 1


@kernel
def draw_ending(state, seat, slot):
    """Give `seat` the top ending of the pile."""
    ending = state.endings[0]
    state.endings_size -= 1
    for place in range(state.endings_size):
        state.endings[place] = state.endings[place + 1]
    state.endings[state.endings_size] = t.NUM_ENDINGS
    state.ending[seat, slot] = ending
    state.ending_known[ending] |= 1 << int(seat)
    note(state, E_NEW_ENDING, seat, ending, 0)


@kernel
def put_under(state, seat, slot):
    """Put an ending of `seat` under the pile (C10.2)."""
    state.endings[state.endings_size] = state.ending[seat, slot]
    state.endings_size += 1
    state.ending[seat, slot] = t.NUM_ENDINGS


@kernel
def is_complete(state):
    """Return whether each story card and each ending is in one place: nothing is lost, nothing twice (C1.1, C1.2)."""
    in_deck, in_hands = scratch(t.NUM_ELEMENTS, np.int64), scratch(MAX_SEATS, np.int64)
    endings = scratch(_ENDINGS, np.int64)
    in_deck[:] = 0
    in_hands[:] = 0
    endings[:] = 0
    for slot in range(state.deck_size):
        in_deck[state.deck[slot]] += 1
    for card in range(t.NUM_ELEMENTS):
        where = state.where[card]
        if in_deck[card] != (where == DECK):
            return False
        if where < MAX_SEATS:
            in_hands[where] += 1
    for place in range(state.endings_size):
        endings[state.endings[place]] += 1
    for seat in range(MAX_SEATS):
        if in_hands[seat] != state.hand_size[seat]:
            return False
        for slot in range(MOST_ENDINGS):
            endings[state.ending[seat, slot]] += 1
    return endings[: t.NUM_ENDINGS].min() == 1 and endings[: t.NUM_ENDINGS].max() == 1
