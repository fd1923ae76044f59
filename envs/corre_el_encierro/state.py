"""The state of *Corre el encierro*: record, action numbers, and basic operations.

A runner is a seat. Clause numbers refer to RULES.md.
"""

import numpy as np

from sobremesa.envs.core.compile.bits import rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.news import news, note
from sobremesa.envs.core.record import record
from sobremesa.envs.corre_el_encierro import cards as c

NOBODY = c.MAX_SEATS
RUNNING, WARNED, BEHIND, OUT = 0, 1, 2, 3  # status: a card Desde la barrera lies before those WARNED and BEHIND
PLAYING, DISCARDING, DRAWING = 0, 1, 2  # phases of a turn
# Questions to the seat to act; GO_ON means an automatic move.
PLAY, DISCARD, DRAW, ANSWER, DEFEND, PAY, SAVE, GO_ON = range(8)
PLAZA, LAST_RUNNER, SWEPT = 1, 2, 3  # endings

# Actions, by block. A target is counted clockwise from the seat that acts: 1 is the next one.
NUM_OTHERS = c.MAX_SEATS - 1
A_DONE, A_DRAW, A_STOP, A_NOTHING = range(4)  # end playing or discarding; draw; stop drawing; do not react
A_DISCARD = 4  # + kind
A_ADVANCE = A_DISCARD + c.NUM_HAND_CARDS  # Avanzar tramo, alone
A_CARRERA = A_ADVANCE + 1  # with La carrera de tu vida
A_ZAPATILLAS = A_ADVANCE + 2  # with the Zapatillas that lie down
A_PATRON = A_ADVANCE + 3  # Santo Patrón with Ernest Hemingway
A_SWAP = A_PATRON + 1  # Intercambio, + target - 1
A_LAY = A_SWAP + NUM_OTHERS  # + special
A_RECOVER = A_LAY + c.NUM_SPECIALS  # Objetos perdidos
A_ATTACK = A_RECOVER + 1  # + attack * NUM_OTHERS + target - 1
A_DEFEND = A_ATTACK + c.NUM_ATTACKS * NUM_OTHERS  # + kind; Toro volteado without a target
A_SEND = A_DEFEND + c.NUM_DEFENCES  # Toro volteado, + target - 1
A_SHIELD = A_SEND + NUM_OTHERS  # the Capote, the Líquido de agarre
A_ANSWER = A_SHIELD + 2  # Otra vez será
A_PAY_OBJECT, A_PAY_SPECIAL, A_RETREAT, A_GIVE_UP = range(A_ANSWER + 1, A_ANSWER + 5)
NUM_ACTIONS = A_GIVE_UP + 1

# Events of the news: (event, seat, kind of card or NO_CARD, another seat, a location or an object)
(
    E_TURN, E_BEHIND, E_BACK, E_ADVANCES, E_SWAPS, E_LAYS, E_RECOVERS, E_ATTACKS, E_ANSWERS, E_WARNED, E_LOSES_CARD,
    E_ROBBED, E_DISCARDS, E_DRAWS, E_SHOWS, E_REPELS, E_SENDS, E_LOSES, E_PAYS, E_RETREATS, E_OUT, E_CLOSES, E_SWEPT,
    E_WINS,
) = range(24)  # fmt: skip
NEWS_LENGTH = 32  # further events of one ply are dropped

# Two Pillos can each be played once with every pile, and the sixth sweep ends the deal (C9.6).
MAX_THEFTS = 14
thefts_equal = rows_of(MAX_THEFTS).equal
# 349 cards come into hands (25 dealt, six piles of 54), and 324 turns draw at least one. Plies are cards and special
# objects used, three ends of phases a turn, draws, and for each hit or attack two answers without a card.
MAX_PLIES = 5_000

STATE = record(
    ("deck", np.int8),  # setup: STANDARD, CONFLICT or LAST_STRETCH (O1)
    # the turn
    ("first", np.int8),  # the first seat
    ("turn", np.int8),  # whose turn it is
    ("turns", np.int16),  # turns begun
    ("phase", np.int8),  # PLAYING, DISCARDING or DRAWING
    ("stage", np.int8),  # the question to `seat`, PLAY..SAVE
    ("moved", np.uint8),  # 1 once the runner has advanced this turn
    ("drawn", np.uint8),  # 1 once he has drawn this turn
    ("lost", np.uint8),  # 1 once he has lost an object while drawing
    # the card being resolved
    ("card", np.int8),  # the attack, or the card shown; NO_CARD
    ("sender", np.int8),  # its sender; NOBODY if it was drawn
    ("struck", np.int8),  # its target, which is public; NOBODY without a card
    ("queue", np.int8, c.MAX_SEATS),  # the next targets in order; NOBODY behind them
    ("closing", np.uint8),  # 1 while threatened runners save themselves from the Cabestros
    # the runners
    ("place", np.int8, c.MAX_SEATS),  # location, 1..7; 0 once out
    ("objects", np.int8, c.MAX_SEATS),  # 0..5, in the order of OBJECT_NAMES
    ("special", np.int8, c.MAX_SEATS),  # kind of the special object lying down; NO_CARD
    ("status", np.int8, c.MAX_SEATS),  # RUNNING..OUT; OUT for missing seats
    ("hand", np.int8, (c.MAX_SEATS, c.NUM_HAND_CARDS)),  # cards by kind
    ("hand_size", np.int8, c.MAX_SEATS),  # 0..5
    # the table
    ("closed", np.int8),  # locations turned down, 0..6
    ("pile", np.int8, c.DECK_SIZE),  # kinds to draw, the last one first; 0 behind them
    ("pile_size", np.int8),  # how many of them are left, 0..54
    ("discards", np.int8, c.NUM_CARDS),  # cards on the discard pile, by kind
    # memories of stolen cards
    ("theft_kind", np.int8, MAX_THEFTS),  # the card; NO_CARD in an empty row
    ("theft_from", np.int8, MAX_THEFTS),  # the robbed seat, which remembers it
    ("theft_by", np.int8, MAX_THEFTS),  # the robber
    ("theft_hands", np.uint8, MAX_THEFTS),  # where it may be now, one bit a seat
    # events since the last decision, for the story
    *news(NEWS_LENGTH),  # event, seat, kind of card, other
    ("ending", np.int8),  # PLAZA, LAST_RUNNER or SWEPT, once over
    ("winner", np.uint8, c.MAX_SEATS),  # 1 for winners, once over
)


@kernel
def count_cards(state):
    """Return the number of cards of each kind in all places, `(NUM_CARDS,)` int64 (C1.2)."""
    counts = np.zeros(c.NUM_CARDS + 1, np.int64)  # the last is NO_CARD
    for card in range(c.NUM_CARDS):
        counts[card] = state.discards[card]
    for slot in range(state.pile_size):
        counts[state.pile[slot]] += 1
    counts[state.card] += 1
    for seat in range(c.MAX_SEATS):
        counts[state.special[seat]] += 1
        counts[c.BARRERA] += state.status[seat] in (WARNED, BEHIND)
        for kind in range(c.NUM_HAND_CARDS):
            counts[kind] += state.hand[seat, kind]
    return counts[: c.NUM_CARDS]


@kernel
def is_complete(state):
    """Return whether each card of the draw deck is in one place and hand sizes are right (C1.2)."""
    for seat in range(c.MAX_SEATS):
        if state.hand[seat].sum() != state.hand_size[seat] or not 0 <= state.objects[seat] <= c.NUM_OBJECTS:
            return False
    return not (count_cards(state) - c.COPIES[c.CARDS_OF[state.deck]]).any()


@kernel
def seat_after(state, seat, steps):
    """Return the seat `steps` clockwise from `seat`; `steps` is at most the number of seats."""
    following = int(seat) + int(steps)
    return following if following < state.seats else following - int(state.seats)


@kernel
def in_reach(state, seat):
    """Return whether a runner is in the run and not behind the barrier (C8.3)."""
    return state.status[seat] < BEHIND


@kernel
def runners_left(state):
    """Return how many runners are not out."""
    left = 0
    for seat in range(state.seats):
        left += state.status[seat] != OUT
    return left


@kernel
def line_up(state, seat):
    """Put a runner at the end of the queue."""
    spot = 0
    while state.queue[spot] != NOBODY:
        spot += 1
    state.queue[spot] = seat


@kernel
def pop_queue(state):
    """Take the first runner out of the queue; NOBODY if it is empty."""
    first = state.queue[0]
    for spot in range(c.MAX_SEATS - 1):
        state.queue[spot] = state.queue[spot + 1]
    state.queue[c.MAX_SEATS - 1] = NOBODY
    return first


@kernel
def take_from_hand(state, seat, kind):
    """Take a card out of a hand in open view; the caller puts it somewhere."""
    state.hand[seat, kind] -= 1
    state.hand_size[seat] -= 1
    if thefts_equal(state.theft_kind, 0, kind):
        for knower in range(state.seats):
            forget_one(state, knower, seat, kind)
    _empty_hand_forgotten(state, seat)


@kernel
def discard_from_hand(state, seat, kind):
    """Take a card out of a hand and put it on the discard pile."""
    take_from_hand(state, seat, kind)
    state.discards[kind] += 1


@kernel
def lift_special(state, seat):
    """Put the special object of a runner on the discard pile (C7.4)."""
    state.discards[state.special[seat]] += 1
    state.special[seat] = c.NO_CARD


@kernel
def forget_one(state, knower, seat, kind):
    """Erase one card of `kind` in the hand of `seat` from the memory of `knower`.

    Of several such cards it may have been any, so the others may be wherever one of them was.
    """
    recalled = thefts_equal(state.theft_kind, 0, kind) & thefts_equal(state.theft_from, 0, knower)
    if not recalled:
        return
    bit = 1 << int(seat)
    first, hands = MAX_THEFTS, 0
    for theft in range(MAX_THEFTS):
        if recalled >> theft & 1 and int(state.theft_hands[theft]) & bit:
            first = min(first, theft)
            hands |= int(state.theft_hands[theft])
    if first == MAX_THEFTS:
        return
    for theft in range(MAX_THEFTS):
        if recalled >> theft & 1 and int(state.theft_hands[theft]) & bit:
            state.theft_hands[theft] = hands
    forget(state, first)


@kernel
def forget(state, theft):
    """Delete a theft from the list; the later ones move up."""
    for later in range(theft, MAX_THEFTS - 1):
        state.theft_kind[later] = state.theft_kind[later + 1]
        state.theft_from[later] = state.theft_from[later + 1]
        state.theft_by[later] = state.theft_by[later + 1]
        state.theft_hands[later] = state.theft_hands[later + 1]
    state.theft_kind[MAX_THEFTS - 1] = c.NO_CARD
    state.theft_from[MAX_THEFTS - 1] = NOBODY
    state.theft_by[MAX_THEFTS - 1] = NOBODY
    state.theft_hands[MAX_THEFTS - 1] = 0


@kernel
def _empty_hand_forgotten(state, seat):
    """Remove an empty hand from the possible places of stolen cards."""
    if state.hand_size[seat] == 0:
        for theft in range(MAX_THEFTS):
            state.theft_hands[theft] = int(state.theft_hands[theft]) & ~(1 << int(seat))


@kernel
def rob(state, victim, thief, kind):
    """Move a card from one hand to another; only these two seats see it (C6.4)."""
    state.hand[victim, kind] -= 1
    state.hand_size[victim] -= 1
    state.hand[thief, kind] += 1
    state.hand_size[thief] += 1
    forget_one(state, thief, victim, kind)  # he has it himself now
    bit = 1 << int(victim)
    for theft in range(MAX_THEFTS):
        bystander = state.theft_from[theft] != victim and state.theft_from[theft] != thief
        if bystander and int(state.theft_hands[theft]) & bit:  # it may have been this one
            state.theft_hands[theft] = int(state.theft_hands[theft]) | (1 << int(thief))
    _empty_hand_forgotten(state, victim)
    free = 0
    while state.theft_kind[free] != c.NO_CARD:
        free += 1
    state.theft_kind[free] = kind
    state.theft_from[free] = victim
    state.theft_by[free] = thief
    state.theft_hands[free] = 1 << int(thief)


@kernel
def win(state, seat, ending):
    """End the deal with `seat` as its winner (C10.1, C10.2)."""
    state.winner[seat] = 1
    state.ending = ending
    state.over = 1
    note(state, E_WINS, seat, c.NO_CARD, ending)
