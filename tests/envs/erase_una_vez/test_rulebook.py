"""The rulebook's examples and rules of *Érase una vez*, by page; what a step says is in support/erase_rulebook.py."""

import pytest
from erase_rulebook import GOOD, LIST, LIST_TALE, REFUSED
from erase_tables import (
    ACTIONS,
    after,
    answer,
    asked,
    choices,
    do,
    hand,
    held_endings,
    last,
    narrator,
    sense,
    silently,
    table,
    weight,
    where,
    winners,
)

pytestmark = pytest.mark.kernels

QUIET = ("Esposo(a)", "Hacha", "Loco")  # cards that no example speaks of
HANDS = {"judge": "votes"}  # the default
PLAINLY = 5  # tenths of sense from which on a sentence is no nonsense


def told(step):
    """Return the table after the sentence of a step: seat 0 tells, seat 1 holds the card of the reaction."""
    own = step.says.removeprefix("card ") if step.says.startswith("card ") else ""
    other = step.reaction.partition(" ")[2]
    return do(table([f"{own}, {QUIET[0]}", f"{other}, {QUIET[1]}", QUIET[2]], tale=step.tale), step.says)


def at(step):
    return f"page {step.page}: {step.says} {step.reaction}"


@pytest.mark.parametrize("step", GOOD, ids=at)
def test_a_step_that_the_rulebook_tells_as_good_is_taken(step):
    states = told(step)
    assert last(states)[3] >= PLAINLY
    assert "protest" not in choices(states)
    if step.reaction:
        assert narrator(do(states, step.reaction)) == 1


@pytest.mark.parametrize("step", REFUSED, ids=at)
def test_a_claim_that_the_rulebook_refuses_never_succeeds(step):
    states = told(step)
    assert last(states)[3] >= PLAINLY
    if step.reaction in choices(states):  # what can be argued is offered, and punished
        assert weight(states, step.reaction.removeprefix("claim ")) < 35
        answer(states, {1: step.reaction})
        assert (narrator(states), where(states, step.reaction.removeprefix("claim "))) == (0, "open")
        assert len(hand(states, 1)) == 3


def test_page_7_a_sentence_plays_one_card():
    states = do(table(["Palacio, Montaña, Isla", *QUIET[1:]], tale="Rey"), "card Palacio")
    assert set(hand(states, 0)) == {"Montaña", "Isla"}


def test_page_8_a_list_is_nonsense_from_its_third_member_on():
    """Seen in passing, none of these matters: no player lays their cards, nor takes the tale over with them."""
    states = table(["Hacha", ", ".join(LIST[2:]), "Loco"], tale=LIST_TALE)
    for name in LIST[:2]:
        silently(states, f"tell {name}")
    for name in LIST[2:]:
        assert sense(states, name) < PLAINLY
        listed = after(states, f"tell {name}")
        assert "protest" in choices(listed)
        assert f"claim {name}" not in choices(listed)
        silently(states, f"tell {name}")


def test_a_list_is_known_from_its_third_member_on():
    """The first two can be claimed (H15): the rulebook's own tale has two persons in a row, and both matter."""
    for tale, first, second in ((LIST_TALE, *LIST[:2]), ("Anciana*, Puerta*, Ventana*", "héroe", "Rana")):
        states = silently(table(["Hacha", f"{second}, Loco", "Isla"], tale=tale), f"tell {first}")
        assert sense(states, second) >= PLAINLY
        assert narrator(do(states, f"tell {second}", f"claim {second}")) == 1


def test_page_8_a_list_ends_where_something_happens():
    states = table(QUIET, tale=LIST_TALE)
    silently(states, "tell Caballo", "tell Pastora")
    assert sense(states, "Madrastra") < PLAINLY
    silently(states, "tell Una discusión")
    assert sense(states, "Madrastra") >= PLAINLY


def test_page_8_who_passes_draws_and_may_discard_one():
    states = table(["Isla, Río", *QUIET[1:]], tale="Rey*", top="Torre")
    assert {"keep", "discard Río", "discard Isla"} <= choices(do(states, "pass"))
    do(states, "discard Río")
    assert (narrator(states), set(hand(states, 0))) == (1, {"Isla", "Torre"})


@pytest.mark.parametrize("name", ["Bosque", "Árbol"])
def test_page_9_any_other_player_may_take_over(name):
    for seat in (1, 2):
        hands = ["Hacha", "Loco", "Isla"]
        hands[seat] = f"{name}, {hands[seat]}"
        states = do(table(hands, tale="caballero, Dormido(a)"), f"tell {name}")
        assert narrator(answer(states, {seat: f"claim {name}"})) == seat


def test_page_10_a_mere_mention_of_an_object_is_not_interrupted():
    states = do(table(["Hacha", "Árbol, Isla", "Loco"], tale="Palacio"), "tell Puerta")
    assert asked(states) == (0, "tell")


def test_page_11_an_interrupted_narrator_draws_one():
    states = table(["Hacha", "Un viaje, Loco", "Isla"], tale="Anciana*, Rey*", top="Torre")
    do(states, "tell Un viaje", "claim Un viaje")
    assert (narrator(states), set(hand(states, 0))) == (1, {"Hacha", "Torre"})


@pytest.mark.parametrize("name", ["Este animal puede hablar", "Se rompe un objeto", "Una discusión", "Fuga"])
def test_page_11_what_cannot_be_there_is_nonsense(name):
    assert sense(table(QUIET, tale="Rey"), name) < PLAINLY


def test_page_11_a_missing_tie_is_no_nonsense():
    """These rules must not be used to take the tale from a player, or to harass a weaker one."""
    states = do(table(["Isla, Río", *QUIET[1:]], tale="Corona*"), "card Río")
    assert asked(states) == (0, "tell")


def test_page_11_nonsense_hands_the_tale_on():
    states = do(table(["Fuga, Río", *QUIET[1:], "Isla"], tale="Rey*", top="Torre", setup=HANDS), "card Fuga")
    answer(answer(states, {1: "protest"}), {2: "yes", 3: "yes"})
    assert (narrator(states), set(hand(states, 0))) == (1, {"Fuga", "Río", "Torre"})


def test_page_11_doubts_are_settled_by_a_show_of_hands():
    states = do(table(["Hacha", "Árbol, Loco", "Isla", "Feliz"], tale="Cueva", setup=HANDS), "tell Bosque")
    do(states, "claim Árbol")
    assert asked(states) == (2, "vote")
    assert narrator(answer(states, {2: "yes", 3: "yes"})) == 1


def test_page_12_of_two_at_once_the_slower_takes_the_card_back():
    states = do(table(["Hacha", "Niño(a), Loco", "Príncipe, Isla"], tale="Rey*"), "tell bebé")
    answer(states, {1: "claim Niño(a)", 2: "claim Príncipe"})
    assert sorted(len(hand(states, seat)) for seat in (1, 2)) == [1, 2]


def test_page_12_after_the_last_card_nothing_new_may_be_told():
    states = table(["", *QUIET[1:]], tale="Rey*, Anillo*", endings=("F53",), setup=HANDS)
    assert choices(states) == {"tell Rey", "tell Anillo", "end 1", "pass"}
    assert winners(answer(do(states, "end 1"), {1: "yes", 2: "yes"})) == [0]


def test_page_12_a_refused_ending_costs_a_card_and_the_turn():
    states = table(["", *QUIET[1:]], tale="Rey*", endings=("F53",), pile="F54", top="Torre", setup=HANDS)
    answer(do(states, "end 1"))
    assert (narrator(states), hand(states, 0), held_endings(states, 0)) == (1, ["Torre"], ["F54"])


def test_page_14_two_people_who_meet_have_met():
    hands = ["Hacha", "Encuentro entre personas, Loco", "Isla"]
    states = do(table(hands, tale="Anciana*"), "tell Niño(a)")
    assert narrator(do(states, "claim Encuentro entre personas")) == 1


def test_the_actions_name_one_thing_each():
    """A list cannot be told in one sentence (page 8)."""
    assert not [text for text in ACTIONS if " y " in text or ", " in text]
