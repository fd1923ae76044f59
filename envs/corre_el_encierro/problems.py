"""Invariants of the state of *Corre el encierro*, for tests, checks and loaders."""

import itertools
from collections.abc import Callable

import numpy as np

from sobremesa.envs.core.fields import Record
from sobremesa.envs.core.record import beyond
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.cards import is_attack, is_shown_on_draw, is_special
from sobremesa.envs.corre_el_encierro.state import count_cards, is_complete

# The largest number that a field may hold, where it does not depend on the table; the smallest is 0.
_LARGEST = {
    "ply": s.MAX_PLIES,
    "phase": s.DRAWING,
    "stage": s.GO_ON,
    "moved": 1,
    "drawn": 1,
    "lost": 1,
    "card": c.NO_CARD,
    "sender": s.NOBODY,
    "struck": s.NOBODY,
    "queue": s.NOBODY,
    "closing": 1,
    "place": c.LAST_LOCATION,
    "objects": c.NUM_OBJECTS,
    "special": c.NO_CARD,
    "status": s.OUT,
    "hand_size": c.HAND_LIMIT,
    "closed": c.LAST_LOCATION - 1,
    "pile": c.NO_CARD - 1,
    "pile_size": c.DECK_SIZE,
    "theft_kind": c.NO_CARD,
    "theft_from": s.NOBODY,
    "theft_by": s.NOBODY,
    "theft_hands": 2**c.MAX_SEATS - 1,
    "news_count": s.NEWS_LENGTH,
    "ending": s.SWEPT,
    "winner": 1,
    "over": 1,
}

_PHASES = {s.PLAY: s.PLAYING, s.DISCARD: s.DISCARDING, s.DRAW: s.DRAWING}  # in which each question of a turn is asked

Check = Callable[[object, str], None]  # (condition, reason why a state without it is impossible)


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` is impossible; empty for a possible state."""
    state = table[0]
    found: list[str] = []
    seats = int(state.seats)

    def check(holds: object, reason: str) -> None:
        if not holds:
            found.append(reason)

    check(2 <= seats <= c.MAX_SEATS, f"{seats} seats")
    unasked = state.stage == s.GO_ON and state.seat == s.NOBODY  # a redeal for a waiting seat
    check(0 <= state.seat < seats or unasked, f"seat {state.seat} to act of {seats}")
    check(0 <= state.turn < seats, f"the turn of seat {state.turn} of {seats}")
    check(0 <= state.first < seats, f"seat {state.first} first of {seats}")
    check(state.deck in range(len(c.CARDS_OF)), f"deck {state.deck}")
    found += beyond(table, _LARGEST)
    check((state.hand >= 0).all() and (state.discards >= 0).all(), "less than no cards")
    if found:  # the numbers below are looked up in tables
        return found
    _check_cards(state, check)
    for seat in range(c.MAX_SEATS):
        _check_runner(state, seat, check)
    _check_question(state, check)
    _check_memory(state, seats, check)
    _check_end(state, seats, check)
    return found


def _check_cards(state: Record, check: Check) -> None:
    cards = f"the deck has {c.COPIES[c.CARDS_OF[state.deck]]}, the table {count_cards(state)}"
    check(is_complete(state), f"{cards}; hands of {state.hand.sum(axis=1)}, said to hold {state.hand_size}")
    check(state.pile_size > 0 or state.closing or state.over or state.card != c.NO_CARD, "an empty pile and no sweep")
    check(not state.pile[state.pile_size :].any(), "cards behind the pile")


def _check_runner(state: Record, seat: int, check: Check) -> None:
    status, special = state.status[seat], int(state.special[seat])
    check(seat < state.seats or status == s.OUT, f"the missing seat {seat} runs")
    check(special == c.NO_CARD or is_special(special), f"special {special}")
    if status == s.OUT:
        holds = state.hand_size[seat] or state.objects[seat] or state.place[seat] or special != c.NO_CARD
        check(not holds, f"seat {seat} is out and holds something")
        return
    threatened = state.closing and state.place[seat] == state.closed
    check(state.place[seat] > state.closed or threatened, f"seat {seat} on the closed location {state.place[seat]}")
    check(state.objects[seat] >= 1, f"seat {seat} runs without Ropa básica")
    check(state.place[seat] < c.LAST_LOCATION or state.over, f"seat {seat} is at the Plaza and has not won")


def _check_question(state: Record, check: Check) -> None:
    if state.over:
        return
    drawn_out = state.status[state.turn] == s.OUT and state.phase == s.DRAWING
    check(state.status[state.turn] == s.RUNNING or drawn_out, f"the turn of seat {state.turn}, which cannot act")
    attack = is_attack(state.card)
    check(state.card == c.NO_CARD or is_shown_on_draw(state.card) or attack, f"card {state.card} hits nobody")
    phase = s.PLAYING if attack else s.DRAWING
    check(state.card == c.NO_CARD or state.phase == phase, f"card {state.card} in phase {state.phase}")
    drawing = state.drawn or state.lost or state.closing
    check(state.phase == s.DRAWING or not drawing, f"drawing or a sweep in phase {state.phase}")
    hit = state.card != c.NO_CARD
    struck = state.struck < state.seats if hit else state.struck == s.NOBODY
    check(struck, f"card {state.card} hits seat {state.struck}")
    senders = (state.turn,) if attack else (s.NOBODY,) if not hit else (*range(state.seats), s.NOBODY)
    check(state.sender in senders and (not hit or state.sender != state.struck), f"seat {state.sender} sent it")
    _check_queue(state, check)
    if state.stage == s.GO_ON:
        check(state.seat == s.NOBODY, "nobody is asked anything")
    else:
        _check_asked(state, check, attack)


def _check_asked(state: Record, check: Check, attack: bool) -> None:
    status = state.status[state.seat]
    check(status != s.OUT, f"seat {state.seat} is asked and out")
    robbed = state.stage == s.ANSWER and status == s.BEHIND and state.card == c.PILLO
    check(status in (s.RUNNING, s.WARNED) or robbed, f"seat {state.seat} is asked behind the barrier")
    hit = state.stage in (s.ANSWER, s.DEFEND, s.PAY)
    check(hit == (state.card != c.NO_CARD), f"card {state.card} in stage {state.stage}")
    check(not hit or state.seat == state.struck, f"seat {state.seat} is asked, and seat {state.struck} is hit")
    check(state.stage != s.ANSWER or attack, "an answer to no attack")
    check(state.stage != s.DEFEND or not attack, "a defence against an attack")
    threatened = state.stage == s.SAVE and state.place[state.seat] == state.closed
    check(
        (state.stage == s.SAVE) == (state.closing == 1) == threatened, f"stage {state.stage}, closing {state.closing}"
    )
    own = state.stage in (s.PLAY, s.DISCARD, s.DRAW)
    check(not own or state.seat == state.turn, "a seat plays out of turn")
    check(not own or _PHASES[state.stage] == state.phase, f"stage {state.stage} in phase {state.phase}")


def _check_queue(state: Record, check: Check) -> None:
    waiting = [int(seat) for seat in state.queue if seat != s.NOBODY]
    check(waiting == [int(seat) for seat in state.queue[: len(waiting)]], f"gaps in the queue {state.queue}")
    check(len(set(waiting)) == len(waiting) < state.seats, f"queue {waiting} at a table of {state.seats}")
    check(all(seat < state.seats for seat in waiting), f"queue {waiting} at a table of {state.seats}")
    check(not waiting or state.closing or is_shown_on_draw(state.card), f"queue {waiting} for nothing")
    if state.closing:
        there = all(
            state.place[seat] == state.closed and state.status[seat] in (s.RUNNING, s.WARNED) for seat in waiting
        )
        check(there and state.seat not in waiting, f"queue {waiting} is not of threatened runners")


def _check_memory(state: Record, seats: int, check: Check) -> None:
    count = int((state.theft_kind != c.NO_CARD).sum())
    check((state.theft_kind[:count] != c.NO_CARD).all(), "gaps in what is remembered")
    check(count < s.MAX_THEFTS or state.over, f"{count} thefts are remembered")
    rows = list(zip(state.theft_kind, state.theft_from, state.theft_by, state.theft_hands, strict=True))
    check(
        all((knower, thief, hands) == (s.NOBODY, s.NOBODY, 0) for _, knower, thief, hands in rows[count:]), "no memory"
    )
    groups: dict[tuple[int, int], list[int]] = {}
    for kind, knower, thief, hands in rows[:count]:
        fits = knower < seats and thief < seats and thief != knower and int(hands) < 1 << seats
        check(kind < c.NUM_HAND_CARDS and fits, f"seat {knower} remembers card {kind} that seat {thief} took")
        check(not int(hands) >> int(knower) & 1, f"seat {knower} remembers a card in its own hand")
        groups.setdefault((int(knower), int(kind)), []).append(int(hands))
    for (knower, kind), places in groups.items():
        check(_fit(state, kind, places), f"seat {knower} remembers card {kind} where it is not")


def _fit(state: Record, kind: int, places: list[int]) -> bool:
    """Return whether there is a card of `kind` for each of `places`, sets of hands as bits."""
    if kind >= c.NUM_HAND_CARDS:
        return False
    options = [[seat for seat in range(c.MAX_SEATS) if hands >> seat & 1] for hands in places]
    for hands in itertools.product(*options):
        if all(hands.count(seat) <= state.hand[seat, kind] for seat in set(hands)):
            return True
    return False


def _check_end(state: Record, seats: int, check: Check) -> None:
    check(state.over == state.winner.any() == (state.ending >= s.PLAZA), "winners before the end, or none after it")
    check(not state.winner[seats:].any(), "a missing seat has won")
    runners = int((state.status[:seats] != s.OUT).sum())
    check(state.over or runners > 1, f"{runners} runners and no end")
