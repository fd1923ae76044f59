"""Why the last sentence of a tale, and what is being said to it, cannot be: the part of `problems` about reactions."""

from collections.abc import Callable
from typing import Any

from sobremesa.envs.erase_una_vez.state import (
    A_CLAIM,
    A_INTERRUPT,
    A_NOTHING,
    A_PROTEST,
    BREAK_IN,
    CARD,
    LINK,
    LOG_FATE,
    LOG_HOOK,
    LOG_KIND,
    LOG_SEAT,
    LOG_THING,
    NO_CASE,
    NOBODY,
    ON_CLAIM,
    ON_ENDING,
    ON_PROTEST,
    REACT,
    STANDS,
    TABLE,
    VOTE,
)
from sobremesa.envs.erase_una_vez.tables import CLEARS, GROUP, INTERRUPTIONS, NO_THING, NUM_FACTS, SETS
from sobremesa.envs.erase_una_vez.tale import weight_of

Check = Callable[[object, str], None]  # (what must hold, the reason why a state cannot be if it does not)


def check_reactions(state: Any, check: Check) -> None:
    """Check the reactions to a sentence, whose fields are within their ranges, and the tale before it."""
    if not ((state.choice >= A_NOTHING) & (state.choice <= A_PROTEST)).all():
        check(False, f"reactions {state.choice}")
        return
    _check_answers(state, check)
    if state.stage == REACT or state.case in (ON_PROTEST, ON_CLAIM):
        if state.focus == NO_THING:
            check(False, "a reaction to nothing")
            return
        _check_sentence(state, check)
    if state.stage in (REACT, VOTE) and state.case != ON_ENDING:
        _check_choices(state, check)


def _check_answers(state: Any, check: Check) -> None:
    asked = state.stage in (REACT, VOTE) and not state.over
    seats = int(state.seats)
    check(asked or not (state.answered.any() or state.resolving), "answers to nothing")
    reacting = asked and state.case != ON_ENDING
    check(reacting or (state.choice == A_NOTHING).all(), "reactions to nothing")
    check((state.choice[seats:] == A_NOTHING).all() and not state.answered[seats:].any(), "a missing seat reacts")
    waiting = [int(seat) for seat in state.order if seat != NOBODY]
    check(waiting == [int(seat) for seat in state.order[: len(waiting)]], f"gaps in the order {state.order}")
    check(not waiting or state.resolving, "an order of reactions that are not open")
    check(len(set(waiting)) == len(waiting) and max(waiting, default=0) < seats, f"the order {waiting}")
    silent = [seat for seat in waiting if seat < seats and state.choice[seat] in (A_NOTHING, A_PROTEST)]
    check(not silent, f"seats {silent} wait and claim nothing")


def _check_sentence(state: Any, check: Check) -> None:
    """Check the sentence that is reacted to against the log, and what the tale was before it."""
    focus = int(state.focus)
    if state.kind == BREAK_IN:
        check(state.where[focus] == TABLE, "an interruption that is not on the table")
        check(state.case == NO_CASE, "votes on an interruption")
        return
    row = state.log[state.sentences - 1]
    told = (row[LOG_SEAT], row[LOG_KIND], row[LOG_THING], row[LOG_HOOK], row[LOG_FATE])
    check(told == (state.narrator, state.kind, state.focus, state.hooked, STANDS), "reactions to another sentence")
    dated = (state.was_told > 0) == (state.was_told_at > 0) and state.was_told_at < state.sentences
    check(dated, "told before, and at no time")
    fits = state.was_told < 2 if state.kind == CARD else (state.was_told > 0) == (state.kind == LINK)
    check(fits, "a sentence of another kind")
    check(state.told[focus] == (2 if state.kind == CARD else max(1, int(state.was_told))), "it was not told")
    known = [int(thing) for thing in state.was_context]
    check([int(thing) for thing in state.context] == [focus, *known[:-1]], "another context before")
    held = all(thing == NO_THING or (state.told[thing] and (thing != focus or state.was_told)) for thing in known)
    check(held, "the context before holds what was not told")
    facts = (int(state.was_facts) & ~int(CLEARS[focus])) | int(SETS[focus])
    check(facts == state.facts, "other facts before")
    for fact in range(NUM_FACTS):
        before, now = int(state.was_fact_at[fact]), int(state.fact_at[fact])
        check(before < state.sentences, "a fact from a sentence that had not been told")
        check(before > 0 or not int(state.was_facts) >> fact & 1, "a fact before that no sentence had told")
        check(int(SETS[focus]) >> fact & 1 or before == now, "a fact changed its date")


def _check_choices(state: Any, check: Check) -> None:
    """Check that each reaction is one that its seat may choose."""
    waiting = {int(seat) for seat in state.order if seat != NOBODY}
    if state.case == ON_CLAIM:
        check(int(state.claimant) not in waiting, "a claim that is judged waits")
        waiting.add(int(state.claimant))
    for seat in range(int(state.seats)):
        choice = int(state.choice[seat])
        if choice == A_NOTHING:
            continue
        check(seat != state.narrator, "the narrator reacts")
        check(state.resolving or state.answered[seat], f"seat {seat} reacts without having answered")
        if choice != A_PROTEST and (seat in waiting or not state.resolving):
            _check_card(state, seat, choice, check)


def _check_card(state: Any, seat: int, choice: int, check: Check) -> None:
    card = choice - A_CLAIM if choice < A_INTERRUPT else int(INTERRUPTIONS[choice - A_INTERRUPT])
    check(state.where[card] == seat, f"seat {seat} reacts with a card that it does not hold")
    if choice < A_INTERRUPT:
        check(state.kind != BREAK_IN and weight_of(state, card) > 0, f"seat {seat} claims what was not told")
    else:
        fits = state.kind in (CARD, BREAK_IN) and GROUP[card] == GROUP[state.focus]
        check(fits, f"seat {seat} interrupts another group")
