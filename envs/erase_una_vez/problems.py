"""Validation of states of *Érase una vez*, for tests, checks and loaders."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sobremesa.envs.core.record import beyond
from sobremesa.envs.erase_una_vez import state as s, tables as t
from sobremesa.envs.erase_una_vez.rules import legal
from sobremesa.envs.erase_una_vez.state import is_complete
from sobremesa.envs.erase_una_vez.tale import SENSES, weight_of

Check = Callable[[object, str], None]  # (condition, reason if it does not hold)

# The largest number that a field may hold, where it does not depend on the table; the smallest is 0.
_LARGEST = {
    "judge": 2, "strictness": 1, "between_cards": 2, "rejected": 1, "protest_card": 1, "chain": 1, "hook": 1,
    "special_tells": 1, "pass_draw": 1, "reshuffle": 1, "begins": 7, "must_end": 1, "protest_penalty": 1,
    "auto_protest": 1, "beginners": s.MAX_SEATS, "change_ending": 1, "max_sentences": s.MAX_SENTENCES, "fine": 2,
    "telling": s.WORDS, "words": s.OWN, "heard": 100, "also": t.NO_THING, "also_count": s.MOST_ALSO, "was_also_told": 2,
    "was_also_told_at": s.LOG_ROWS,
    "seats": s.MAX_SEATS, "seat": s.MAX_SEATS - 1, "first": s.MAX_SEATS - 1, "narrator": s.MAX_SEATS - 1,
    "stage": s.GO_ON, "sentences": s.LOG_ROWS, "stale": s.LOG_ROWS, "idle": s.LOG_ROWS, "listed": s.LOG_ROWS,
    "played": 1, "links": s.MOST_LINKS, "protested": 1, "chosen": s.MOST_HOOKS, "kind": s.END, "focus": t.NO_THING,
    "hooked": t.NO_THING, "sense": 10, "was_told": 2, "was_told_at": s.LOG_ROWS, "was_facts": 2**t.NUM_FACTS - 1,
    "was_fact_at": s.LOG_ROWS, "was_context": t.NO_THING, "told": 2, "told_at": s.LOG_ROWS, "people": t.NO_THING,
    "objects": t.NO_THING, "facts": 2**t.NUM_FACTS - 1, "fact_at": s.LOG_ROWS, "context": t.NO_THING, "where": s.BURIED,
    "shown": 1, "buried_by": s.NOBODY, "hand_size": t.NUM_ELEMENTS, "deck": t.NUM_ELEMENTS - 1,
    "deck_size": t.NUM_ELEMENTS, "ending": t.NO_ENDING, "endings": t.NO_ENDING, "endings_size": t.NUM_ENDINGS,
    "ending_known": 2 * s.PUBLIC - 1, "choice": s.NUM_ACTIONS - 1, "answered": 1, "resolving": 1, "order": s.NOBODY,
    "case": s.ON_ENDING, "claimant": s.NOBODY, "voters": 1, "vote": 1, "wrong": s.MAX_PLIES, "fines": s.MOST_FINES,
    "ending_kind": s.TOO_LONG, "winner": 1, "won_with": t.NO_ENDING, "news_count": s.NEWS_LENGTH, "over": 1,
    "ply": s.MAX_PLIES,
}  # fmt: skip
_MOST_OF_LOG = {
    s.LOG_SEAT: s.MAX_SEATS - 1,
    s.LOG_KIND: s.END,
    s.LOG_THING: t.NO_THING,
    s.LOG_HOOK: t.NO_THING,
    s.LOG_FATE: s.TOLD_TOO,
}

_MOST_TOLD = np.array([t.NUM_ELEMENTS, t.NO_THING, t.NO_THING, t.NUM_ELEMENTS, 1, t.NUM_ENDINGS])  # by kind of sentence


def problems(table: np.ndarray) -> list[str]:
    """Return every reason why the `(1,)` state `table` is invalid; an empty list if it is valid."""
    if found := beyond(table, _LARGEST):  # the numbers below are looked up in tables
        return found
    state = table[0]

    def check(holds: object, reason: str) -> None:
        if not holds:
            found.append(reason)

    chained = t.NUM_INTERRUPTIONS if state.chain else 0
    check(state.seats >= 2, f"{state.seats} seats")
    check(max(state.seat, state.narrator, state.first) < state.seats, "a seat that is not there")
    check(
        state.max_sentences >= 10 and state.sentences <= state.max_sentences + chained, f"{state.sentences} sentences"
    )
    for column, most in _MOST_OF_LOG.items():
        check((state.log[:, column] <= most).all(), f"column {column} of the log leaves 0 to {most}")
    check(not state.log[state.sentences :].any(), "sentences that have not been told")
    if found:
        return found
    _check_cards(state, check)
    _check_endings(state, check)
    for part in (_check_tale, _check_words, _check_log, _check_question, _check_end):
        part(state, check)
    if not found:
        _check_reactions(state, check)
    return found


def _check_cards(state: Any, check: Check) -> None:
    held = state.where < s.MAX_SEATS
    check(is_complete(state), "a card or an ending that is nowhere, or in two places")
    check((state.where[held] < state.seats).all(), "a card in the hand of a missing seat")
    check(not state.shown[~held].any(), "a card is known to be in a hand that it is not in")
    check(not state.deck[state.deck_size :].any(), "cards behind the deck")
    buried = state.where == s.BURIED
    check((state.buried_by[buried] < state.seats).all(), "a card was discarded by nobody")
    check((state.buried_by[~buried] == s.NOBODY).all(), "a card was discarded that lies elsewhere")


def _check_endings(state: Any, check: Check) -> None:
    check((state.endings[: state.endings_size] < t.NUM_ENDINGS).all(), "a gap in the pile of endings")
    check((state.endings[state.endings_size :] == t.NO_ENDING).all(), "endings behind the pile")
    for seat in range(s.MAX_SEATS):
        held = [int(ending) for ending in state.ending[seat] if ending != t.NO_ENDING]
        check((len(held) > 0) == (seat < state.seats), f"seat {seat} holds {len(held)} endings")
        check(all(state.ending_known[ending] >> seat & 1 for ending in held), f"seat {seat} does not know its ending")
    seats = (1 << int(state.seats)) - 1
    known = state.ending_known.astype(np.int64)
    check(not (known & ~(seats | s.PUBLIC)).any(), "a missing seat knows an ending")
    check((known[known & s.PUBLIC > 0] & seats == seats).all(), "somebody has not seen what all saw")


def _check_tale(state: Any, check: Check) -> None:
    told = state.told > 0
    check((told == (state.told_at > 0)).all() and (state.told_at <= state.sentences).all(), "told, and at no time")
    check((state.fact_at <= state.sentences).all(), "a fact from a sentence that has not been told")
    dated = state.fact_at > 0
    holds = np.array([bool(int(state.facts) >> fact & 1) for fact in range(t.NUM_FACTS)])
    check(dated[holds].all(), "a fact that no sentence has told")
    check((state.told[t.NUM_ELEMENTS :] < 2).all(), "a concept has a card")
    laid = state.told[: t.NUM_ELEMENTS] == 2
    check((state.where[: t.NUM_ELEMENTS][laid] == s.TABLE).all(), "a card was told of that is not on the table")
    check(state.people == (told & (t.GROUP == t.PERSON)).sum(), f"{state.people} people in the tale")
    check(state.objects == (told & (t.GROUP == t.OBJECT)).sum(), f"{state.objects} objects in the tale")
    known = [int(thing) for thing in state.context if thing != t.NO_THING]
    check(known == [int(thing) for thing in state.context[: len(known)]], f"gaps in the context {state.context}")
    check(all(told[thing] for thing in known), "the context holds what was not told")
    check(bool(known) == told.any(), "a tale without a context")
    check(int(state.sense) in SENSES, f"sense {state.sense}")
    spoken = state.kind in (s.CARD, s.BRIDGE, s.BREAK_IN)
    check(not spoken or state.focus != t.NO_THING, "a sentence about nothing")
    check(state.kind not in (s.PASS, s.END) or state.focus == t.NO_THING, "a sentence without words is about something")
    check(state.kind not in (s.CARD, s.BREAK_IN) or state.focus < t.NUM_ELEMENTS, "a card of a concept")
    check(state.focus == t.NO_THING or state.kind == s.BREAK_IN or told[state.focus], "the last sentence was not told")
    check(
        state.kind != s.CARD or state.focus == t.NO_THING or state.told[state.focus] == 2, "a card that was not told of"
    )


def _check_words(state: Any, check: Check) -> None:
    """Check what own words mention (O16)."""
    also = [int(thing) for thing in state.also[: state.also_count]]
    check(state.words == 0 or state.telling == s.WORDS, "own words at a table without them")
    check(state.words == s.OWN or not (state.heard.any() or also), "mentions without own words")
    check(len(set(also)) == len(also) and state.focus not in also, f"own words tell twice of one of {also}")
    check(all(state.told[thing] for thing in also), "own words tell of what was not told")
    check(not state.also[state.also_count :].any(), "mentions behind the last")


def _check_log(state: Any, check: Check) -> None:
    rows = state.log[: state.sentences].astype(int)
    kinds = rows[:, s.LOG_KIND]
    check((rows[:, s.LOG_SEAT] < state.seats).all(), "a sentence of a missing seat")
    check(state.chain or (kinds != s.BREAK_IN).all(), "an interruption among the sentences")
    told_on = (kinds == s.LINK) & (rows[:, s.LOG_THING] == t.NO_THING) & (state.telling == s.WORDS)
    check((told_on | (rows[:, s.LOG_THING] < _MOST_TOLD[kinds])).all(), "a sentence about what is not there")
    taken = (rows[:, s.LOG_TAKER] < state.seats).all() and (rows[:, s.LOG_CARD] < t.NUM_ELEMENTS).all()
    check(taken, "taken over by nobody")


def _check_question(state: Any, check: Check) -> None:
    if state.over:
        return
    seat, narrator = int(state.seat), int(state.narrator)
    check(state.stage != s.GO_ON, "nobody is asked anything")
    check(
        state.stage not in (s.TELL, s.HOOK, s.PASSING) or seat == narrator,
        f"seat {seat} tells, which is not the narrator",
    )
    check(state.stage != s.REACT or (seat != narrator and not state.answered[seat]), f"seat {seat} is asked again")
    check(state.stage != s.REACT or state.focus != t.NO_THING, "a reaction to nothing")
    check(state.stage != s.REACT or not state.resolving, "a reaction too late")
    check(state.stage != s.PASSING or state.kind == s.PASS, "a discard without passing")
    check(
        state.hook == s.MANUAL or (state.stage != s.HOOK and state.chosen == s.NOT_CHOSEN), "a hook that nobody chooses"
    )
    without = state.hand_size[narrator] == 0
    check(state.stage != s.HOOK or not without or state.links < s.MOST_LINKS, "a hook for no sentence")
    check(
        state.links == 0 or without or state.stage == s.PASSING, f"{state.links} closing sentences with cards in hand"
    )
    check((state.stage == s.VOTE) == (state.case != s.NO_CASE), f"case {state.case} in stage {state.stage}")
    check(state.chosen == s.NOT_CHOSEN or state.stage == s.TELL, "a hook for no sentence")
    check(state.chosen == s.NOT_CHOSEN or state.context[state.chosen] != t.NO_THING, "a hook that is not there")
    check(state.links == 0 or state.kind in (s.LINK, s.PASS, s.END), f"{state.links} closing sentences")
    _check_case(state, check)
    if state.stage in (s.TELL, s.HOOK, s.PASSING):
        mask = np.zeros(s.NUM_ACTIONS, np.int8)
        legal(state, mask)
        check(mask.sum() > 1, "a question without a choice")
        check(state.sentences < state.max_sentences or state.stage == s.PASSING, "a tale that is too long goes on")


def _check_case(state: Any, check: Check) -> None:
    seats, narrator = range(int(state.seats)), int(state.narrator)
    if state.case == s.NO_CASE:
        check(state.claimant == s.NOBODY and not state.voters.any() and not state.vote.any(), "votes on nothing")
        return
    check(state.judge != s.RULES and state.seats > 2, "a vote where there is none")
    check(state.voters[state.seat] and not state.answered[state.seat], f"seat {state.seat} votes again, or has no vote")
    check(not state.voters[state.narrator] and not state.voters[state.seats :].any(), "a vote of one involved")
    check((state.claimant == s.NOBODY) == (state.case not in (s.ON_CLAIM, s.ON_ENDING)), f"claimant {state.claimant}")
    if state.case == s.ON_CLAIM:
        choice = int(state.choice[state.claimant]) if state.claimant in seats else s.A_NOTHING
        check(s.A_NOTHING < choice < s.A_INTERRUPT, f"seat {state.claimant} claims nothing")
    if state.case == s.ON_ENDING:
        last = state.log[state.sentences - 1]
        check(state.claimant == narrator and state.kind == s.END, f"the ending of seat {state.claimant}")
        held = last[s.LOG_KIND] == s.END and last[s.LOG_THING] in state.ending[narrator]
        check(held, "an ending that the narrator does not hold")
        check(not state.resolving, "reactions to an ending")
    else:
        check(state.resolving, "a vote on reactions that are not open")
        check(state.focus != t.NO_THING, "a vote on nothing")
    if state.case == s.ON_CLAIM:
        voter = state.claimant in seats and state.voters[state.claimant]
        check(state.claimant != narrator and not voter, "a claimant who votes, or tells")


def _check_end(state: Any, check: Check) -> None:
    check(state.over == state.winner.any() == (state.ending_kind > 0), "winners before the end, or none after it")
    check(not state.winner[state.seats :].any(), "a missing seat has won")
    check((state.won_with != t.NO_ENDING) == (state.ending_kind == s.CHEERED), f"won with ending {state.won_with}")
    if state.over:
        check(state.case == s.NO_CASE and state.stage in (s.TELL, s.GO_ON), "a question after the end")
        check(state.ending_kind != s.CHEERED or state.winner.sum() == 1, "several have won with one ending")
        sizes = state.hand_size[: state.seats]
        fewest = (sizes == sizes.min()) == state.winner[: state.seats]
        check(state.ending_kind != s.TOO_LONG or fewest.all(), "others have the fewest cards")


def _check_reactions(state: Any, check: Check) -> None:
    """Check the reactions to a sentence, whose fields are within their ranges, and the tale before it."""
    if not ((state.choice >= s.A_NOTHING) & (state.choice <= s.A_PROTEST)).all():
        check(False, f"reactions {state.choice}")
        return
    _check_answers(state, check)
    if state.stage == s.REACT or state.case in (s.ON_PROTEST, s.ON_CLAIM):
        if state.focus == t.NO_THING:
            check(False, "a reaction to nothing")
            return
        _check_sentence(state, check)
    if state.stage in (s.REACT, s.VOTE) and state.case != s.ON_ENDING:
        _check_choices(state, check)


def _check_answers(state: Any, check: Check) -> None:
    asked = state.stage in (s.REACT, s.VOTE) and not state.over
    seats = int(state.seats)
    check(asked or not (state.answered.any() or state.resolving), "answers to nothing")
    reacting = asked and state.case != s.ON_ENDING
    check(reacting or (state.choice == s.A_NOTHING).all(), "reactions to nothing")
    check((state.choice[seats:] == s.A_NOTHING).all() and not state.answered[seats:].any(), "a missing seat reacts")
    waiting = [int(seat) for seat in state.order if seat != s.NOBODY]
    check(waiting == [int(seat) for seat in state.order[: len(waiting)]], f"gaps in the order {state.order}")
    check(not waiting or state.resolving, "an order of reactions that are not open")
    check(len(set(waiting)) == len(waiting) and max(waiting, default=0) < seats, f"the order {waiting}")
    silent = [seat for seat in waiting if seat < seats and state.choice[seat] in (s.A_NOTHING, s.A_PROTEST)]
    check(not silent, f"seats {silent} wait and claim nothing")


def _check_sentence(state: Any, check: Check) -> None:
    """Check the sentence of the reactions against the log and the tale before it."""
    focus = int(state.focus)
    if state.kind == s.BREAK_IN:
        check(state.where[focus] == s.TABLE, "an interruption that is not on the table")
        check(state.case == s.NO_CASE, "votes on an interruption")
        return
    row = state.log[state.sentences - 1]
    told = (row[s.LOG_SEAT], row[s.LOG_KIND], row[s.LOG_THING], row[s.LOG_HOOK], row[s.LOG_FATE])
    check(told == (state.narrator, state.kind, state.focus, state.hooked, s.STANDS), "reactions to another sentence")
    dated = (state.was_told > 0) == (state.was_told_at > 0) and state.was_told_at < state.sentences
    check(dated, "told before, and at no time")
    fits = state.was_told < 2 if state.kind == s.CARD else (state.was_told > 0) == (state.kind == s.LINK)
    check(fits, "a sentence of another kind")
    check(state.told[focus] == (2 if state.kind == s.CARD else max(1, int(state.was_told))), "it was not told")
    if state.words != s.OWN:
        _check_before(state, focus, check)


def _check_before(state: Any, focus: int, check: Check) -> None:
    """Check the tale before a sentence in the words of the game."""
    known = [int(thing) for thing in state.was_context]
    check([int(thing) for thing in state.context] == [focus, *known[:-1]], "another context before")
    held = all(thing == t.NO_THING or (state.told[thing] and (thing != focus or state.was_told)) for thing in known)
    check(held, "the context before holds what was not told")
    facts = (int(state.was_facts) & ~int(t.CLEARS[focus])) | int(t.SETS[focus])
    check(facts == state.facts, "other facts before")
    for fact in range(t.NUM_FACTS):
        before, now = int(state.was_fact_at[fact]), int(state.fact_at[fact])
        check(before < state.sentences, "a fact from a sentence that had not been told")
        check(before > 0 or not int(state.was_facts) >> fact & 1, "a fact before that no sentence had told")
        check(int(t.SETS[focus]) >> fact & 1 or before == now, "a fact changed its date")


def _check_choices(state: Any, check: Check) -> None:
    """Check that each reaction is one that its seat may choose."""
    waiting = {int(seat) for seat in state.order if seat != s.NOBODY}
    if state.case == s.ON_CLAIM:
        check(int(state.claimant) not in waiting, "a claim that is judged waits")
        waiting.add(int(state.claimant))
    for seat in range(int(state.seats)):
        choice = int(state.choice[seat])
        if choice == s.A_NOTHING:
            continue
        check(seat != state.narrator, "the narrator reacts")
        check(state.resolving or state.answered[seat], f"seat {seat} reacts without having answered")
        if choice != s.A_PROTEST and (seat in waiting or not state.resolving):
            _check_card(state, seat, choice, check)


def _check_card(state: Any, seat: int, choice: int, check: Check) -> None:
    card = choice - s.A_CLAIM if choice < s.A_INTERRUPT else int(t.INTERRUPTIONS[choice - s.A_INTERRUPT])
    check(state.where[card] == seat, f"seat {seat} reacts with a card that it does not hold")
    if choice < s.A_INTERRUPT:
        check(state.kind != s.BREAK_IN and weight_of(state, card) > 0, f"seat {seat} claims what was not told")
    else:
        fits = state.kind in (s.CARD, s.BREAK_IN) and t.GROUP[card] == t.GROUP[state.focus]
        check(fits, f"seat {seat} interrupts another group")
