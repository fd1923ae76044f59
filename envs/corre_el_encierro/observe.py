"""Observations of *Corre el encierro*: a vector of named blocks.

A seat sees the whole table except the cards in other hands, the order of the pile, and memories of others. Of cards
in other hands it knows those stolen from it, and where each may be now (C11.1). Whether another seat is
asked to react is private: a question is only in the observation of the asked seat (C11.2).
"""

import numpy as np

from sobremesa.envs.core.blocks import each, numbers, one_of, reader, share, up_to
from sobremesa.envs.core.codes import clear
from sobremesa.envs.core.compile.bits import lowest_bit, rows_of
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.layout import FLOAT, Block, Layout
from sobremesa.envs.core.seats import turned
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.cards import is_bull
from sobremesa.envs.corre_el_encierro.state import thefts_equal

_PARTS = np.lcm.reduce(c.COPIES, axis=0)  # by kind: a common denominator of its numbers in all decks
_SOLE = c.COPIES.max(axis=0)[: c.NUM_HAND_CARDS] == 1
_IN_HANDS = np.lcm.reduce(range(1, c.MAX_SEATS))  # parts of a card that may be in several hands
# Cards of a kind with several may each be in other hands: such sums are no whole numbers of parts.
_KNOWN_PARTS = np.where(_SOLE, _IN_HANDS, FLOAT)

# Seats are turned so that the observer is number 0; missing seats are zeros.
LAYOUT = Layout(
    Block("hand", (c.NUM_HAND_CARDS,), "the observer's cards, as a share of their kind", per=_PARTS[:c.NUM_HAND_CARDS]),
    Block("asked", (s.GO_ON,), "the observer's question: play, discard, draw, answer, defend, pay, save; or zeros",
          seen=one_of("asked")),
    Block("phase", (4,), "of this turn: has advanced, is past playing, has drawn, has lost an object while drawing",
          seen=each("moved", "played", "drawn", "lost")),
    Block("turn", (c.MAX_SEATS,), "the seat whose turn it is", seen=one_of("turn")),
    Block("card", (c.NUM_CARDS,), "the attack or the card shown that is being resolved", seen=one_of("card")),
    Block("sender", (c.MAX_SEATS,), "its sender; zeros for a card that was drawn", seen=one_of("sender")),
    Block("struck", (c.MAX_SEATS,), "its target", seen=one_of("struck")),
    Block("waiting", (c.MAX_SEATS,), "its next targets, or the runners still to flee from the Cabestros",
          seen=numbers("waiting")),
    Block("places", (c.MAX_SEATS, c.NUM_LOCATIONS), "each runner's location", seen=one_of("place", 1, 0)),
    Block("objects", (c.MAX_SEATS, c.NUM_OBJECTS), "a one for each of the runner's objects", seen=up_to("objects")),
    Block("specials", (c.MAX_SEATS, c.NUM_SPECIALS), "the special object in play: Capote, Líquido, Zapatillas",
          seen=one_of("special", c.FIRST_SPECIAL, c.NO_CARD)),
    Block("status", (c.MAX_SEATS, s.OUT + 1), "running, warned by Desde la barrera, behind the barrier, out",
          seen=one_of("status", 0, s.OUT)),
    Block("hand_sizes", (c.MAX_SEATS,), "cards in each hand, in fifths", per=c.HAND_LIMIT, seen=numbers("hand_size")),
    Block("known", (c.MAX_SEATS - 1, c.NUM_HAND_CARDS), "known cards in other hands; halves for one of two hands, ...",
          per=_KNOWN_PARTS),
    Block("closed", (c.NUM_LOCATIONS,), "locations turned down", seen=up_to("closed")),
    Block("discards", (c.NUM_CARDS,), "the discard pile, as a share of each kind", per=_PARTS),
    Block("unseen", (c.NUM_CARDS,), "cards in the pile and in other hands, as a share of each kind", per=_PARTS),
    Block("pile", (1,), f"cards left to draw, in {c.DECK_SIZE}ths", per=c.DECK_SIZE, seen=each("pile_size")),
    Block("danger", (2,), "chance that the next card is a bull, a fall", per=FLOAT, seen=share("danger")),
    Block("present", (c.MAX_SEATS,), "seats at the table", seen=up_to("seats")),
    Block("setup", (1,), "the deck, by number", seen=each("deck")),
)  # fmt: skip

# Of missing seats the status is OUT, and so it is of those that are out; their place is 0. Seats, cards and questions
# are the number after the last where there is none.
SEEN, _decode_blocks = reader(
    LAYOUT,
    ("hand", np.int64, c.NUM_HAND_CARDS),  # my cards by kind
    ("known", np.float64, (c.MAX_SEATS, c.NUM_HAND_CARDS)),  # cards I know of in other hands, or parts of one
    ("discards", np.int64, c.NUM_CARDS),
    ("unseen", np.int64, c.NUM_CARDS),  # cards in the pile and in other hands
)

_HAND, _ASKED, _PHASE, _TURN = (LAYOUT.start(name) for name in ("hand", "asked", "phase", "turn"))
_CARD, _SENDER, _STRUCK, _WAITING = (LAYOUT.start(name) for name in ("card", "sender", "struck", "waiting"))
_PLACES, _OBJECTS, _SPECIALS = LAYOUT.start("places"), LAYOUT.start("objects"), LAYOUT.start("specials")
_STATUS, _HAND_SIZES, _KNOWN = LAYOUT.start("status"), LAYOUT.start("hand_sizes"), LAYOUT.start("known")
_CLOSED, _DISCARDS, _UNSEEN = LAYOUT.start("closed"), LAYOUT.start("discards"), LAYOUT.start("unseen")
_PILE, _PRESENT, _SETUP = (LAYOUT.start(name) for name in ("pile", "present", "setup"))
_WIDE, _WIDE_KNOWN, _WIDE_DANGER = LAYOUT.tail, LAYOUT.start_wide("known"), LAYOUT.start_wide("danger")
_SHARES = (_PARTS // c.COPIES).astype(np.uint8)  # (deck, kind): parts that one card is
_NTH_WIDE = np.where(_SOLE, -1, np.cumsum(~_SOLE) - 1)  # which of the kinds that FLOAT stands for; -1 for others
_NUM_WIDE = int((~_SOLE).sum())
times_all, less_all = rows_of(c.NUM_CARDS).times, rows_of(c.NUM_CARDS).less
times_hand, less_hand = rows_of(c.NUM_HAND_CARDS).times, rows_of(c.NUM_HAND_CARDS).less
put_objects, put_locations = rows_of(c.NUM_OBJECTS).put, rows_of(c.NUM_LOCATIONS).put


@kernel
def observe(state, seat, out):
    """Write the observation of `seat` into `out` `(W,)` uint8 (C11.1, C11.2)."""
    clear(out, 0, out.shape[0])
    _observe_turn(state, seat, out)
    _observe_runners(state, seat, out)
    _observe_cards(state, seat, out)
    thefts = thefts_equal(state.theft_from, 0, seat)
    while thefts:
        _observe_theft(state, seat, lowest_bit(thefts), out)
        thefts &= thefts - 1
    put_locations(out, _CLOSED, (1 << int(state.closed)) - 1)
    out[_SETUP] = c.CARDS_OF[state.deck]


@kernel
def _observe_turn(state, seat, out):
    if state.seat == seat and not state.over:
        out[_ASKED + int(state.stage)] = 1
    out[_PHASE] = state.moved
    out[_PHASE + 1] = state.phase > 0
    out[_PHASE + 2] = state.drawn
    out[_PHASE + 3] = state.lost
    out[_TURN + turned(state, seat, state.turn)] = 1
    if state.card != c.NO_CARD:
        out[_CARD + int(state.card)] = 1
        if not state.over:
            out[_STRUCK + turned(state, seat, state.struck)] = 1
    if state.sender != s.NOBODY:
        out[_SENDER + turned(state, seat, state.sender)] = 1
    for spot in range(c.MAX_SEATS):
        if state.queue[spot] != s.NOBODY and state.status[state.queue[spot]] != s.OUT:
            out[_WAITING + turned(state, seat, state.queue[spot])] = 1


@kernel
def _observe_runners(state, seat, out):
    for other in range(state.seats):
        row = turned(state, seat, other)
        out[_PRESENT + row] = 1
        out[_STATUS + row * (s.OUT + 1) + int(state.status[other])] = 1
        out[_HAND_SIZES + row] = state.hand_size[other]
        if state.status[other] != s.OUT:
            out[_PLACES + row * c.NUM_LOCATIONS + int(state.place[other]) - 1] = 1
            put_objects(out, _OBJECTS + row * c.NUM_OBJECTS, (1 << int(state.objects[other])) - 1)
        if state.special[other] != c.NO_CARD:
            out[_SPECIALS + row * c.NUM_SPECIALS + int(state.special[other]) - c.FIRST_SPECIAL] = 1


@kernel
def _observe_cards(state, seat, out):
    deck = c.CARDS_OF[state.deck]
    shares, copies = _SHARES[deck], c.COPIES[deck]
    times_all(out, _DISCARDS, state.discards, 0, shares)
    times_all(out, _UNSEEN, copies, 0, shares)
    less_all(out, _UNSEEN, out, _DISCARDS)
    times_hand(out, _HAND, state.hand[seat], 0, shares)
    less_hand(out, _UNSEEN, out, _HAND)
    unseen = out[_UNSEEN:_PILE]
    if state.card != c.NO_CARD:
        unseen[state.card] -= shares[state.card]
    for other in range(state.seats):
        if state.special[other] != c.NO_CARD:
            unseen[state.special[other]] -= shares[state.special[other]]
        if state.status[other] in (s.WARNED, s.BEHIND):
            unseen[c.BARRERA] -= shares[c.BARRERA]
    bulls, falls = 0, 0
    for card in range(c.NUM_HAND_CARDS, c.NUM_CARDS):
        left = int(copies[card]) - int(state.discards[card]) - int(state.card == card)
        bulls += left * int(is_bull(card))
        falls += left * int(not is_bull(card))
    size = int(state.pile_size)
    out[_PILE] = size
    if size:
        wide = out[_WIDE:].view(np.float32)
        wide[_WIDE_DANGER] = bulls / size
        wide[_WIDE_DANGER + 1] = falls / size


@kernel
def _observe_theft(state, seat, theft, out):
    """Write a stolen card of `seat` into the hands where it may be, in equal parts (C11.1)."""
    hands, kind = int(state.theft_hands[theft]), int(state.theft_kind[theft])
    wide = out[_WIDE:].view(np.float32)
    places = 0
    for other in range(state.seats):
        places += (hands >> other) & 1
    for other in range(state.seats):
        if (hands >> other) & 1:
            row = turned(state, seat, other) - 1
            if _NTH_WIDE[kind] < 0:
                out[_KNOWN + row * c.NUM_HAND_CARDS + kind] = _IN_HANDS // places
            else:
                wide[_WIDE_KNOWN + row * _NUM_WIDE + _NTH_WIDE[kind]] += 1 / places


@kernel
def decode(observation, seen):
    """Fill the fields of SEEN in the record `seen` from an observation."""
    _decode_blocks(observation, seen)
    for card in range(c.NUM_CARDS):
        copies = int(c.COPIES[seen.deck, card])
        seen.discards[card] = round(observation[_DISCARDS + card] * copies)
        seen.unseen[card] = round(observation[_UNSEEN + card] * copies)
        if card < c.NUM_HAND_CARDS:
            seen.hand[card] = round(observation[_HAND + card] * copies)
            seen.known[0, card] = 0
            for seat in range(1, c.MAX_SEATS):
                seen.known[seat, card] = observation[_KNOWN + (seat - 1) * c.NUM_HAND_CARDS + card]
