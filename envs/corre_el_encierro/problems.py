"""Invariants of the state of *Corre el encierro*, for tests, checks and loaders."""

import itertools
from collections.abc import Callable

import numpy as np

from sobremesa.envs.core.fields import Record
from sobremesa.envs.core.record import beyond
from sobremesa.envs.corre_el_encierro.cards import (
    CARDS_OF,
    COPIES,
    DECK_SIZE,
    HAND_LIMIT,
    LAST_LOCATION,
    MAX_SEATS,
    NO_CARD,
    NUM_HAND_CARDS,
    NUM_OBJECTS,
    PILLO,
    is_attack,
    is_special,
    must_be_shown,
)
from sobremesa.envs.corre_el_encierro.state import (
    ANSWER,
    BEHIND,
    DEFEND,
    DISCARD,
    DISCARDING,
    DRAW,
    DRAWING,
    GO_ON,
    MAX_PLIES,
    MAX_THEFTS,
    NEWS_LENGTH,
    NOBODY,
    OUT,
    PAY,
    PLAY,
    PLAYING,
    PLAZA,
    RUNNING,
    SAVE,
    SWEPT,
    WARNED,
    all_there,
    count_cards,
)

# The largest number that a field may hold, where it does not depend on the table; the smallest is 0.
_LARGEST = {
    "ply": MAX_PLIES,
    "phase": DRAWING,
    "stage": GO_ON,
    "moved": 1,
    "drawn": 1,
    "lost": 1,
    "card": NO_CARD,
    "sender": NOBODY,
    "struck": NOBODY,
    "queue": NOBODY,
    "closing": 1,
    "place": LAST_LOCATION,
    "objects": NUM_OBJECTS,
    "special": NO_CARD,
    "status": OUT,
    "hand_size": HAND_LIMIT,
    "closed": LAST_LOCATION - 1,
    "pile": NO_CARD - 1,
    "pile_size": DECK_SIZE,
    "theft_kind": NO_CARD,
    "theft_from": NOBODY,
    "theft_by": NOBODY,
    "theft_hands": 2**MAX_SEATS - 1,
    "news_count": NEWS_LENGTH,
    "ending": SWEPT,
    "winner": 1,
    "over": 1,
}

_PHASES = {PLAY: PLAYING, DISCARD: DISCARDING, DRAW: DRAWING}  # in which each question of a turn is asked

Check = Callable[[object, str], None]  # (condition, reason why a state without it is impossible)


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` is impossible; empty for a possible state."""
    state = table[0]
    found: list[str] = []
    seats = int(state.seats)

    def check(holds: object, reason: str) -> None:
        if not holds:
            found.append(reason)

    check(2 <= seats <= MAX_SEATS, f"{seats} seats")
    unasked = state.stage == GO_ON and state.seat == NOBODY  # a redeal for a waiting seat
    check(0 <= state.seat < seats or unasked, f"seat {state.seat} to act of {seats}")
    check(0 <= state.turn < seats, f"the turn of seat {state.turn} of {seats}")
    check(0 <= state.first < seats, f"seat {state.first} first of {seats}")
    check(state.deck in range(len(CARDS_OF)), f"deck {state.deck}")
    found += beyond(table, _LARGEST)
    check((state.hand >= 0).all() and (state.discards >= 0).all(), "less than no cards")
    if found:  # the numbers below are looked up in tables
        return found
    _check_cards(state, check)
    for seat in range(MAX_SEATS):
        _check_runner(state, seat, check)
    _check_question(state, check)
    _check_memory(state, seats, check)
    _check_end(state, seats, check)
    return found


def _check_cards(state: Record, check: Check) -> None:
    cards = f"the deck has {COPIES[CARDS_OF[state.deck]]}, the table {count_cards(state)}"
    check(all_there(state), f"{cards}; hands of {state.hand.sum(axis=1)}, said to hold {state.hand_size}")
    check(state.pile_size > 0 or state.closing or state.over or state.card != NO_CARD, "an empty pile and no sweep")
    check(not state.pile[state.pile_size :].any(), "cards behind the pile")


def _check_runner(state: Record, seat: int, check: Check) -> None:
    status, special = state.status[seat], int(state.special[seat])
    check(seat < state.seats or status == OUT, f"the missing seat {seat} runs")
    check(special == NO_CARD or is_special(special), f"special {special}")
    if status == OUT:
        holds = state.hand_size[seat] or state.objects[seat] or state.place[seat] or special != NO_CARD
        check(not holds, f"seat {seat} is out and holds something")
        return
    threatened = state.closing and state.place[seat] == state.closed
    check(state.place[seat] > state.closed or threatened, f"seat {seat} on the closed location {state.place[seat]}")
    check(state.objects[seat] >= 1, f"seat {seat} runs without Ropa básica")
    check(state.place[seat] < LAST_LOCATION or state.over, f"seat {seat} is at the Plaza and has not won")


def _check_question(state: Record, check: Check) -> None:
    if state.over:
        return
    drawn_out = state.status[state.turn] == OUT and state.phase == DRAWING
    check(state.status[state.turn] == RUNNING or drawn_out, f"the turn of seat {state.turn}, which cannot act")
    attack = is_attack(state.card)
    check(state.card == NO_CARD or must_be_shown(state.card) or attack, f"card {state.card} hits nobody")
    phase = PLAYING if attack else DRAWING
    check(state.card == NO_CARD or state.phase == phase, f"card {state.card} in phase {state.phase}")
    drawing = state.drawn or state.lost or state.closing
    check(state.phase == DRAWING or not drawing, f"drawing or a sweep in phase {state.phase}")
    hit = state.card != NO_CARD
    struck = state.struck < state.seats if hit else state.struck == NOBODY
    check(struck, f"card {state.card} hits seat {state.struck}")
    senders = (state.turn,) if attack else (NOBODY,) if not hit else (*range(state.seats), NOBODY)
    check(state.sender in senders and (not hit or state.sender != state.struck), f"seat {state.sender} sent it")
    _check_queue(state, check)
    if state.stage == GO_ON:
        check(state.seat == NOBODY, "nobody is asked anything")
    else:
        _check_asked(state, check, attack)


def _check_asked(state: Record, check: Check, attack: bool) -> None:
    status = state.status[state.seat]
    check(status != OUT, f"seat {state.seat} is asked and out")
    robbed = state.stage == ANSWER and status == BEHIND and state.card == PILLO
    check(status in (RUNNING, WARNED) or robbed, f"seat {state.seat} is asked behind the barrier")
    hit = state.stage in (ANSWER, DEFEND, PAY)
    check(hit == (state.card != NO_CARD), f"card {state.card} in stage {state.stage}")
    check(not hit or state.seat == state.struck, f"seat {state.seat} is asked, and seat {state.struck} is hit")
    check(state.stage != ANSWER or attack, "an answer to no attack")
    check(state.stage != DEFEND or not attack, "a defence against an attack")
    threatened = state.stage == SAVE and state.place[state.seat] == state.closed
    check((state.stage == SAVE) == (state.closing == 1) == threatened, f"stage {state.stage}, closing {state.closing}")
    own = state.stage in (PLAY, DISCARD, DRAW)
    check(not own or state.seat == state.turn, "a seat plays out of turn")
    check(not own or _PHASES[state.stage] == state.phase, f"stage {state.stage} in phase {state.phase}")


def _check_queue(state: Record, check: Check) -> None:
    waiting = [int(seat) for seat in state.queue if seat != NOBODY]
    check(waiting == [int(seat) for seat in state.queue[: len(waiting)]], f"gaps in the queue {state.queue}")
    check(len(set(waiting)) == len(waiting) < state.seats, f"queue {waiting} at a table of {state.seats}")
    check(all(seat < state.seats for seat in waiting), f"queue {waiting} at a table of {state.seats}")
    check(not waiting or state.closing or must_be_shown(state.card), f"queue {waiting} for nothing")
    if state.closing:
        there = all(state.place[seat] == state.closed and state.status[seat] in (RUNNING, WARNED) for seat in waiting)
        check(there and state.seat not in waiting, f"queue {waiting} is not of threatened runners")


def _check_memory(state: Record, seats: int, check: Check) -> None:
    count = int((state.theft_kind != NO_CARD).sum())
    check((state.theft_kind[:count] != NO_CARD).all(), "gaps in what is remembered")
    check(count < MAX_THEFTS or state.over, f"{count} thefts are remembered")
    rows = list(zip(state.theft_kind, state.theft_from, state.theft_by, state.theft_hands, strict=True))
    check(all((knower, thief, hands) == (NOBODY, NOBODY, 0) for _, knower, thief, hands in rows[count:]), "no memory")
    groups: dict[tuple[int, int], list[int]] = {}
    for kind, knower, thief, hands in rows[:count]:
        fits = knower < seats and thief < seats and thief != knower and int(hands) < 1 << seats
        check(kind < NUM_HAND_CARDS and fits, f"seat {knower} remembers card {kind} that seat {thief} took")
        check(not int(hands) >> int(knower) & 1, f"seat {knower} remembers a card in its own hand")
        groups.setdefault((int(knower), int(kind)), []).append(int(hands))
    for (knower, kind), places in groups.items():
        check(_fit(state, kind, places), f"seat {knower} remembers card {kind} where it is not")


def _fit(state: Record, kind: int, places: list[int]) -> bool:
    """Return whether there is a card of `kind` for each of `places`, sets of hands as bits."""
    if kind >= NUM_HAND_CARDS:
        return False
    options = [[seat for seat in range(MAX_SEATS) if hands >> seat & 1] for hands in places]
    for hands in itertools.product(*options):
        if all(hands.count(seat) <= state.hand[seat, kind] for seat in set(hands)):
            return True
    return False


def _check_end(state: Record, seats: int, check: Check) -> None:
    check(state.over == state.winner.any() == (state.ending >= PLAZA), "winners before the end, or none after it")
    check(not state.winner[seats:].any(), "a missing seat has won")
    runners = int((state.status[:seats] != OUT).sum())
    check(state.over or runners > 1, f"{runners} runners and no end")
