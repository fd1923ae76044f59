"""Validation of states of *Érase una vez*: invalid ones are refused with a reason, real ones are not."""

import numpy as np
import pytest
from erase_tables import (
    GAME,
    action,
    answer,
    asked,
    card,
    do,
    ending,
    states_of,
    table,
    thing,
)
from scale import LONG_IN_PLAIN

from sobremesa.envs.core.record import to_dict
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.erase_una_vez import state, tables

pytestmark = pytest.mark.kernels

PUBLIC = state.PUBLIC
NONE, NOBODY = tables.NO_THING, state.NOBODY
NEXT = "Cocina, Capilla, Hogar, Loco"


def telling(hands=("Princesa, Rana", "Príncipe", "Mendigo"), **settings):
    """Return a table where seat 0 is asked what to tell."""
    return table(hands, **{"tale": "Rey, Corona*, bebé", "top": NEXT, "endings": ["F01", "F02", "F03"], **settings})


def ending_soon(**settings):
    return telling(["", "Príncipe", "Mendigo"], **settings)


def hooking():
    return telling(setup={"hook": "manual"}, stage=state.HOOK)


def hooked():
    return do(hooking(), "hook 2")


def passing():
    return do(telling(buried="Noche"), "pass")


def reacting():
    """Seat 1 may claim, seat 2 may claim after it, once seat 0 has played a card."""
    hands = ["Hechizo, Lobo", "Maldito(a), Anillo, Regalo", "Transformación, Árbol", "Reina"]
    return do(table(hands, tale="Bruja", top=NEXT, setup={"judge": "votes"}), "card Hechizo")


def answered():
    return do(reacting(), "claim Maldito(a)")


def on_claim():
    """Two claims, one of which is voted on while the other waits."""
    return do(answered(), "claim Transformación")


def on_protest():
    """A protest is voted on while a claim and an interruption wait."""
    hands = ["Corona, Lobo", "Libro, Anillo", "Árbol, Noche", "Princesa, Isla", "Mendigo"]
    states = do(table(hands, tale="Libro", top=NEXT, listed=2, setup={"judge": "votes"}), "card Corona")
    return answer(states, {1: "claim Libro", 2: "interrupt Árbol", 3: "protest"})


def on_ending():
    return do(ending_soon(setup={"judge": "votes"}), "end 1")


def won():
    return answer(on_ending(), {1: "yes", 2: "yes"})


def too_long():
    return answer(do(telling(passes=6, setup={"max_sentences": 10}), "tell Reino"))


def broken_in():
    """Seat 1 has interrupted, and seat 2 may interrupt its card."""
    hands = ["Corona, Lobo", "Árbol, Noche", "Regalo, Isla"]
    states = do(table(hands, tale="Rey", top=NEXT, setup={"chain": True}), "card Corona")
    return answer(states, {1: "interrupt Árbol"}) if asked(states) == (1, "react") else states


BASES = [
    telling, ending_soon, hooking, hooked, passing, reacting, answered, on_claim, on_protest, on_ending, won, too_long,
    broken_in,
]  # fmt: skip


@pytest.mark.parametrize("make", BASES)
def test_the_tables_that_are_broken_here_are_whole(make):
    assert state_problems(GAME, make()) == []


def test_they_are_what_they_say():
    stages = {make: asked(make())[1] for make in BASES if make not in (won, too_long)}
    assert [stages[make] for make in BASES if make in stages] == [
        "tell", "tell", "hook", "tell", "passing", "react", "react", "vote", "vote", "vote", "react",
    ]  # fmt: skip
    assert on_claim()[0].order[0] != NOBODY
    assert on_protest()[0].order[1] != NOBODY
    assert broken_in()[0].kind == state.BREAK_IN


# One field, or what belongs together, set to what it cannot be: the table, the fields, the reason. `field[place]` is
# one number of a field.
IMPOSSIBLE = {
    "one seat": (telling, {"seats": 1}, "1 seats"),
    "a seat beyond": (telling, {"seat": 3}, "a seat that is not there"),
    "a narrator beyond": (telling, {"narrator": 4}, "a seat that is not there"),
    "a beginner beyond": (telling, {"first": 5}, "a seat that is not there"),
    "too short a limit": (telling, {"max_sentences": 9}, "3 sentences"),
    "over the limit": (lambda: telling(passes=9), {"max_sentences": 11}, "12 sentences"),
    "a seat of the log": (telling, {("log", (0, state.LOG_SEAT)): 6}, "column 0 of the log"),
    "a kind of the log": (telling, {("log", (0, state.LOG_KIND)): 6}, "column 1 of the log"),
    "a thing of the log": (telling, {("log", (0, state.LOG_THING)): 138}, "column 2 of the log"),
    "a hook of the log": (telling, {("log", (0, state.LOG_HOOK)): 138}, "column 3 of the log"),
    "a fate of the log": (telling, {("log", (0, state.LOG_FATE)): 7}, "column 4 of the log"),
    "a log to come": (telling, {("log", (3, state.LOG_HOOK)): 1}, "not been told"),
    # cards
    "a card lost": (telling, {("where", card("Noche")): state.TABLE}, "nowhere, or in two places"),
    "a card twice": (telling, {("deck", 0): card("Cocina")}, "nowhere, or in two places"),
    "a hand too large": (telling, {("hand_size", 1): 2}, "nowhere, or in two places"),
    "a deck too small": (telling, {"deck_size": 50}, "nowhere, or in two places"),
    "a hand of a missing seat": (
        telling,
        {("where", card("Rana")): 4, ("hand_size", 0): 1, ("hand_size", 4): 1},
        "the hand of a missing seat",
    ),
    "a card shown in the deck": (telling, {("shown", card("Noche")): 1}, "known to be in a hand"),
    "a card shown on the table": (telling, {("shown", card("Corona")): 1}, "known to be in a hand"),
    "a card behind the deck": (telling, {("deck", tables.NUM_ELEMENTS - 1): 3}, "cards behind the deck"),
    "a card discarded by nobody": (passing, {("buried_by", card("Noche")): NOBODY}, "discarded by nobody"),
    "a card discarded by a missing seat": (passing, {("buried_by", card("Noche")): 4}, "discarded by nobody"),
    "a card discarded in a hand": (telling, {("buried_by", card("Rana")): 0}, "discarded that lies elsewhere"),
    # endings
    "a gap in the pile": (telling, {("endings", 3): tables.NO_ENDING}, "gap in the pile of endings"),
    "an ending behind the pile": (telling, {("endings", 55): 7}, "endings behind the pile"),
    "an ending lost": (telling, {("endings", 52): tables.NO_ENDING, "endings_size": 52}, "nowhere, or in two places"),
    "an ending twice": (telling, {("endings", 0): ending("F01")}, "nowhere, or in two places"),
    "no ending": (
        telling,
        {("ending", (0, 0)): tables.NO_ENDING, ("endings", 53): ending("F01"), "endings_size": 54},
        "seat 0 holds 0 endings",
    ),
    "an ending of a missing seat": (
        telling,
        {("ending", (4, 0)): ending("F56"), ("endings", 52): tables.NO_ENDING, "endings_size": 52},
        "seat 4 holds 1 endings",
    ),
    "an ending unknown to its seat": (telling, {("ending_known", ending("F02")): 0}, "seat 1 does not know its ending"),
    "an ending known to a missing seat": (telling, {("ending_known", ending("F02")): 0b1010}, "a missing seat knows"),
    "an ending that all but one saw": (telling, {("ending_known", ending("F09")): PUBLIC | 0b011}, "all saw"),
    # the tale
    "told at no time": (telling, {("told_at", thing("Rey")): 0}, "told, and at no time"),
    "never told, but at a time": (telling, {("told_at", thing("Reina")): 1}, "told, and at no time"),
    "told in the future": (telling, {("told_at", thing("Rey")): 4}, "told, and at no time"),
    "a fact of the future": (telling, {("fact_at", 0): 4}, "a fact from a sentence that has not been told"),
    "a fact from nowhere": (telling, {"facts": 1}, "a fact that no sentence has told"),
    "a card of a concept": (telling, {("told", thing("bebé")): 2}, "a concept has a card"),
    "a card told of in the deck": (telling, {("told", thing("Rey")): 2}, "told of that is not on the table"),
    "people": (telling, {"people": 3}, "3 people in the tale"),
    "objects": (telling, {"objects": 0}, "0 objects in the tale"),
    "a gap in the context": (telling, {("context", 1): NONE}, "gaps in the context"),
    "a context never told": (telling, {("context", 2): thing("Reina")}, "the context holds what was not told"),
    "no context": (telling, {"context": [NONE] * 3}, "a tale without a context"),
    "half a sense": (telling, {"sense": 5}, "sense 5"),
    "a card of nothing": (reacting, {"focus": NONE}, "a sentence about nothing"),
    "a pass about something": (passing, {"focus": thing("Rey")}, "without words is about something"),
    "an ending about something": (on_ending, {"focus": thing("Rey")}, "without words is about something"),
    "a concept played": (reacting, {"focus": thing("bebé")}, "a card of a concept"),
    "a sentence not told": (reacting, {"focus": thing("Noche")}, "the last sentence was not told"),
    # reactions
    "an answer while telling": (telling, {("answered", 1): 1}, "answers to nothing"),
    "open reactions while telling": (telling, {"resolving": 1}, "answers to nothing"),
    "a reaction while telling": (telling, {("choice", 1): action("protest")}, "reactions to nothing"),
    "telling as a reaction": (reacting, {("choice", 1): action("pass")}, "reactions"),
    "a vote as a reaction": (reacting, {("choice", 1): action("yes")}, "reactions"),
    "a missing seat that reacts": (reacting, {("choice", 4): action("protest")}, "a missing seat reacts"),
    "a missing seat that has answered": (reacting, {("answered", 5): 1}, "a missing seat reacts"),
    "a gap in the order": (on_protest, {"order": [1, 6, 2, 6, 6, 6]}, "gaps in the order"),
    "an order too early": (answered, {("order", 0): 1}, "an order of reactions that are not open"),
    "a seat twice in the order": (on_protest, {"order": [1, 1, 6, 6, 6, 6]}, "the order"),
    "a missing seat in the order": (on_protest, {("order", 0): 5}, "the order"),
    "silence in the order": (on_claim, {("order", 0): 3}, "wait and claim nothing"),
    "a protest in the order": (on_protest, {("order", 0): 3}, "wait and claim nothing"),
    "a claim with a card of the deck": (answered, {("choice", 1): action("claim Noche")}, "that it does not hold"),
    "a waiting claim with a card of another": (on_protest, {("choice", 1): action("claim Isla")}, "does not hold"),
    # the question
    "nobody is asked": (telling, {"stage": state.GO_ON}, "nobody is asked anything"),
    "another tells": (telling, {"seat": 1}, "seat 1 tells, which is not the narrator"),
    "another discards": (passing, {"seat": 1}, "seat 1 tells, which is not the narrator"),
    "the narrator reacts": (reacting, {"seat": 0}, "seat 0 is asked again"),
    "one reacts twice": (answered, {"seat": 1}, "seat 1 is asked again"),
    "a reaction to a pass": (passing, {"stage": state.REACT, "seat": 1}, "a reaction to nothing"),
    "a reaction too late": (reacting, {"resolving": 1}, "a reaction too late"),
    "discarding unasked": (telling, {"stage": state.PASSING}, "a discard without passing"),
    "a vote on nothing": (telling, {"stage": state.VOTE}, "case 0 in stage 4"),
    "telling during a vote": (on_ending, {"stage": state.TELL, "seat": 0}, "case 3 in stage 0"),
    "a hook while passing": (passing, {"chosen": 1}, "a hook for no sentence"),
    "a hook on nothing": (lambda: telling(tale="Rey", setup={"hook": "manual"}), {"chosen": 1}, "a hook that is not"),
    "closing with a card": (reacting, {"links": 1}, "1 closing sentences"),
    "a hook and no sentence": (
        lambda: ending_soon(setup={"hook": "manual", "must_end": True}),
        {"chosen": 0, "links": 2},
        "a question without a choice",
    ),
    "nothing but to pass": (
        lambda: ending_soon(setup={"must_end": True}), {"links": 2}, "a question without a choice"
    ),
    "no end": (lambda: telling(passes=7), {"max_sentences": 10}, "too long goes on"),
    # votes
    "a claimant and no vote": (telling, {"claimant": 1}, "votes on nothing"),
    "voters and no vote": (telling, {("voters", 1): 1}, "votes on nothing"),
    "a vote already given": (telling, {("vote", 1): 1}, "votes on nothing"),
    "votes where a judge is": (on_ending, {"judge": state.RULES}, "a vote where there is none"),
    "a vote of one who has none": (on_ending, {("voters", 1): 0}, "seat 1 votes again, or has no vote"),
    "a second vote": (on_ending, {("answered", 1): 1}, "seat 1 votes again, or has no vote"),
    "a vote of the narrator": (on_ending, {("voters", 0): 1}, "a vote of one involved"),
    "a vote of a missing seat": (on_ending, {("voters", 4): 1}, "a vote of one involved"),
    "a claim of nobody": (on_claim, {"claimant": NOBODY}, "claimant 6"),
    "a claimant of a protest": (on_protest, {"claimant": 1}, "claimant 1"),
    "a claim of one silent": (on_claim, {"claimant": 3}, "seat 3 claims nothing"),
    "the ending of another": (on_ending, {"claimant": 1}, "the ending of seat 1"),
    "a vote behind closed cards": (on_protest, {"resolving": 0}, "not open"),
    # the end
    "a winner too early": (telling, {("winner", 0): 1}, "winners before the end"),
    "an end without a winner": (won, {("winner", 0): 0}, "winners before the end"),
    "an end without a reason": (won, {"ending_kind": 0, "won_with": tables.NO_ENDING}, "winners before the end"),
    "a missing seat that wins": (won, {("winner", 5): 1}, "a missing seat has won"),
    "a win with nothing": (won, {"won_with": tables.NO_ENDING}, "won with ending"),
    "an ending that won too long a tale": (too_long, {"won_with": 3}, "won with ending 3"),
}  # fmt: skip


def broken(make, changes):
    """Return a table with some fields changed."""
    states = make()
    for name, value in changes.items():
        field, place = name if isinstance(name, tuple) else (name, ())
        index = (0, *place) if isinstance(place, tuple) else (0, place)
        assert np.any(states[field][index] != value), f"{name} is {value} already"
        states[field][index] = value
    return states


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_state_that_cannot_be_is_refused_with_its_reason(name):
    make, changes, reason = IMPOSSIBLE[name]
    found = state_problems(GAME, broken(make, changes))
    assert any(reason in problem for problem in found), found


FIELDS = [name for name in to_dict(GAME.new_tables(1, {})) if name not in ("stream", "log", "news")]


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_out_of_its_range_is_named(name):
    kind = GAME.state[name].base
    for value in (np.iinfo(kind).max, -1)[: 2 if kind.kind == "i" else 1]:
        states = telling()
        states[name].reshape(-1)[-1] = value
        assert [problem.split()[0] for problem in state_problems(GAME, states)] == [name]


# States that would lead the rules astray


ASTRAY = {
    "a vote after the end": (won, {"case": state.ON_CLAIM}),
    "a vote after too long a tale": (too_long, {"case": state.ON_PROTEST}),
    "an undone sentence about nothing": (on_protest, {"kind": state.LINK, "focus": NONE}),
    "a claim of a sentence about nothing": (on_claim, {"kind": state.LINK, "focus": NONE}),
    "a claim, voted on, with a card of another": (
        on_claim, {("choice", 1): action("claim Reina"), ("choice", 2): action("claim Reina")}
    ),
    "a claim, voted on, of the narrator": (on_claim, {"claimant": 0, ("choice", 0): action("claim Lobo")}),
    "an interruption with a card of the deck": (on_protest, {("choice", 2): action("interrupt Llave")}),
    "an interruption with a card of another group": (
        on_protest, {("choice", 2): action("interrupt Escaleras"), ("where", card("Escaleras")): 2}
    ),
    "a reaction of the narrator": (reacting, {("choice", 0): action("claim Lobo")}),
    "a reaction of one who has not answered": (reacting, {("choice", 1): action("claim Maldito(a)")}),
    "an interruption after a bridge": (on_protest, {"kind": state.BRIDGE}),
    "an ending that is none": (on_ending, {("log", (3, state.LOG_THING)): 100}),
    "an ending of another": (on_ending, {("log", (3, state.LOG_THING)): ending("F02")}),
    "an ending that is a pass": (on_ending, {("log", (3, state.LOG_KIND)): state.PASS}),
    "an ending among open reactions": (on_ending, {"resolving": 1}),
    "a card that nothing was told of by": (reacting, {("told", thing("Hechizo")): 1}),
    "a card that had been told of by itself": (reacting, {"was_told": 2}),
    "a card already told, at no time": (reacting, {"was_told": 1}),
    "a card never told, at a time": (reacting, {"was_told_at": 1}),
    "a sentence of another kind": (reacting, {"kind": state.BRIDGE}),
    "a sentence about something else": (reacting, {"focus": thing("Bruja"), "kind": state.LINK}),
    "another context before": (reacting, {("was_context", 0): thing("Noche")}),
    "a gap in the context before": (reacting, {("was_context", 0): NONE}),
    "other facts before": (reacting, {"was_facts": 1}),
    "a fact before, of the future": (reacting, {("was_fact_at", 0): 200}),
    "closing sentences with cards in hand": (lambda: telling(kind=state.LINK), {"links": 1}),
    "a hook nobody may choose": (hooking, {"hook": state.AUTOMATIC}),
    "a hook chosen that nobody may choose": (hooked, {"hook": state.AUTOMATIC}),
    "a hook for no more sentences": (
        lambda: telling(["", "Príncipe", "Mendigo"], setup={"hook": "manual"}, stage=state.HOOK), {"links": 2}
    ),
    "two winners with one ending": (won, {("winner", 1): 1}),
    "fewest cards, but no winner": (too_long, {"winner": [1, 0, 0, 0, 0, 0]}),
    "a card in the log that is none": (lambda: taken(), {("log", (1, state.LOG_CARD)): 105}),
    "a taker in the log that is none": (lambda: taken(), {("log", (1, state.LOG_TAKER)): 6}),
    "an ending in the log that is none": (won, {("log", (3, state.LOG_THING)): 56}),
    "a card in the log of a concept": (telling, {("log", (1, state.LOG_THING)): thing("bebé")}),
    "a sentence in the log about nothing": (telling, {("log", (0, state.LOG_THING)): NONE}),
    "a break-in in the log": (telling, {("log", (0, state.LOG_KIND)): state.BREAK_IN}),
    "a missing seat in the log": (telling, {("log", (0, state.LOG_SEAT)): 3}),
}  # fmt: skip


def taken():
    """Seat 1 has taken over from seat 0."""
    states = table(["Rana", "Reina, Noche", "Mendigo"], tale="Rey", top=NEXT)
    return do(states, "tell Reina", "claim Reina")


@pytest.mark.parametrize("name", ASTRAY)
def test_a_state_that_would_lead_astray_is_refused(name):
    make, changes = ASTRAY[name]
    assert state_problems(GAME, broken(make, changes))


def test_a_claim_that_is_voted_on_does_not_wait_too():
    states = on_claim()
    states[0].order[0] = states[0].claimant
    assert state_problems(GAME, states)


# States of real deals


@LONG_IN_PLAIN
@pytest.mark.parametrize("setup", setups(GAME), ids=str)
def test_no_state_of_a_random_deal_has_a_problem(setup):
    for number, states in enumerate(states_of([0], {"max_sentences": 40, **setup}, 100)):
        assert state_problems(GAME, states) == [], f"setup {setup}, ply {number}"
