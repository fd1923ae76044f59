"""Why a state of *Corre el encierro* cannot be: every invariant of the record, for tests, checks and loaders."""

from collections.abc import Callable

import numpy as np

from sobremesa.envs.corre_el_encierro.cards import (
    BARRERA,
    CHULIN,
    COPIES,
    DECK_SIZE,
    FIRST_ATTACK,
    FIRST_SPECIAL,
    HAND_LIMIT,
    LAST_LOCATION,
    MAX_SEATS,
    NO_CARD,
    NUM_CARDS,
    NUM_HAND_CARDS,
    NUM_OBJECTS,
)
from sobremesa.envs.corre_el_encierro.state import (
    ANSWER,
    BEHIND,
    DEFEND,
    DRAWING,
    GO_ON,
    MAX_PLIES,
    NEWS_LENGTH,
    NOBODY,
    OUT,
    PAY,
    PLAY,
    PLAZA,
    RUNNING,
    SAVE,
    SWEPT,
    WARNED,
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

Check = Callable[[object, str], None]  # (what must hold, the reason why a state cannot be if it does not)


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` cannot come up in a deal; none for one that can."""
    state = table[0]
    found = []
    seats = int(state.seats)

    def check(holds: object, reason: str) -> None:
        if not holds:
            found.append(reason)

    check(2 <= seats <= MAX_SEATS, f"{seats} seats")
    check(0 <= state.seat < seats, f"seat {state.seat} to act of {seats}")
    check(0 <= state.turn < seats, f"the turn of seat {state.turn} of {seats}")
    check(0 <= state.first < seats, f"seat {state.first} first of {seats}")
    check(state.deck in range(len(COPIES)), f"deck {state.deck}")
    for name, largest in _LARGEST.items():
        values = table[name]
        check(((values >= 0) & (values <= largest)).all(), f"{name} leaves 0 to {largest}: {values[0]}")
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


def count_cards(state: np.record) -> np.ndarray:
    """Return how many cards of each kind there are in all, `(NUM_CARDS,)`, wherever they lie (C1.2)."""
    counts: np.ndarray = state.discards.astype(np.int64)
    counts += np.bincount(state.pile[: state.pile_size], minlength=NUM_CARDS)
    counts[:NUM_HAND_CARDS] += state.hand.sum(axis=0)
    for special in state.special[state.special != NO_CARD]:
        counts[special] += 1
    counts[BARRERA] += int(((state.status == WARNED) | (state.status == BEHIND)).sum())
    if state.card != NO_CARD:
        counts[state.card] += 1
    return counts


def _check_cards(state: np.record, check: Check) -> None:
    counts = count_cards(state)
    check((counts == COPIES[state.deck]).all(), f"the deck has {COPIES[state.deck]}, the table {counts}")
    check((state.hand.sum(axis=1) == state.hand_size).all(), "a hand is not as large as it says")
    check(state.pile_size > 0 or state.closing or state.over or state.card != NO_CARD, "an empty pile and no sweep")


def _check_runner(state: np.record, seat: int, check: Check) -> None:
    status, special = state.status[seat], int(state.special[seat])
    check(seat < state.seats or status == OUT, f"the missing seat {seat} runs")
    check(FIRST_SPECIAL <= special <= NO_CARD and (special == NO_CARD or special < CHULIN), f"special {special}")
    if status == OUT:
        holds = state.hand_size[seat] or state.objects[seat] or state.place[seat] or special != NO_CARD
        check(not holds, f"seat {seat} is out and holds something")
        return
    threatened = state.closing and state.place[seat] == state.closed
    check(state.place[seat] > state.closed or threatened, f"seat {seat} on the closed location {state.place[seat]}")
    check(state.objects[seat] >= 1, f"seat {seat} runs without Ropa básica")
    check(state.place[seat] < LAST_LOCATION or state.over, f"seat {seat} is at the Plaza and has not won")


def _check_question(state: np.record, check: Check) -> None:
    if state.over:
        return
    status = state.status[state.seat]
    check(state.stage != GO_ON, "nobody is asked anything")
    check(status != OUT, f"seat {state.seat} is asked and out")
    robbed = state.stage == ANSWER and status == BEHIND
    check(status in (RUNNING, WARNED) or robbed, f"seat {state.seat} is asked behind the barrier")
    hit = state.stage in (ANSWER, DEFEND, PAY)
    check(hit == (state.card != NO_CARD), f"card {state.card} in stage {state.stage}")
    if state.card != NO_CARD:
        check(state.card >= CHULIN or FIRST_ATTACK <= state.card <= BARRERA, f"card {state.card} hits nobody")
        check((state.card >= CHULIN) == (state.phase == DRAWING), f"card {state.card} in phase {state.phase}")
    check((state.stage == SAVE) == (state.closing == 1), f"stage {state.stage}, closing {state.closing}")
    check(state.stage > PLAY or state.seat == state.turn, "a seat plays out of turn")


def _check_memory(state: np.record, seats: int, check: Check) -> None:
    for kind, knower, hands in zip(state.theft_kind, state.theft_from, state.theft_hands, strict=True):
        if kind == NO_CARD:
            check(knower == NOBODY and hands == 0, "something is remembered of no card")
            continue
        there = sum(int(state.hand[seat, kind]) for seat in range(seats) if int(hands) >> seat & 1)
        check(knower < seats and there > 0, f"seat {knower} remembers card {kind} where it is not")


def _check_end(state: np.record, seats: int, check: Check) -> None:
    check(state.over == state.winner.any() == (state.ending >= PLAZA), "winners before the end, or none after it")
    check(not state.winner[seats:].any(), "a missing seat has won")
    runners = int((state.status[:seats] != OUT).sum())
    check(state.over or runners > 1, f"{runners} runners and no end")
