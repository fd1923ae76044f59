"""The rulebook's examples and rules of *Érase una vez*, by page; what a step says is in support/erase_rulebook.py."""

import erase_tables as deals
import pytest
from erase_rulebook import GOOD, LIST, LIST_TALE, REFUSED

pytestmark = pytest.mark.kernels

QUIET = ("Esposo(a)", "Hacha", "Loco")  # cards that no example speaks of
HANDS = {"judge": "votes"}  # the default
PLAINLY = 5  # tenths of sense from which on a sentence is no nonsense


def told(step):
    """Return the table after the sentence of a step: seat 0 tells, seat 1 holds the card of the reaction."""
    own = step.says.removeprefix("card ") if step.says.startswith("card ") else ""
    other = step.reaction.partition(" ")[2]
    return deals.do(deals.table([f"{own}, {QUIET[0]}", f"{other}, {QUIET[1]}", QUIET[2]], tale=step.tale), step.says)


def at(step):
    return f"page {step.page}: {step.says} {step.reaction}"


@pytest.mark.parametrize("step", GOOD, ids=at)
def test_a_step_that_the_rulebook_tells_as_good_is_taken(step):
    states = told(step)
    assert deals.last(states)[3] >= PLAINLY
    assert "protest" not in deals.choices(states)
    if step.reaction:
        assert deals.narrator(deals.do(states, step.reaction)) == 1


@pytest.mark.parametrize("step", REFUSED, ids=at)
def test_a_claim_that_the_rulebook_refuses_never_succeeds(step):
    states = told(step)
    assert deals.last(states)[3] >= PLAINLY
    if step.reaction in deals.choices(states):  # what can be argued is offered, and punished
        assert deals.weight(states, step.reaction.removeprefix("claim ")) < 35
        deals.answer(states, {1: step.reaction})
        assert (deals.narrator(states), deals.where(states, step.reaction.removeprefix("claim "))) == (0, "open")
        assert len(deals.hand(states, 1)) == 3


def test_page_7_a_sentence_plays_one_card():
    states = deals.do(deals.table(["Palacio, Montaña, Isla", *QUIET[1:]], tale="Rey"), "card Palacio")
    assert set(deals.hand(states, 0)) == {"Montaña", "Isla"}


def test_page_8_a_list_is_nonsense_from_its_third_member_on():
    """Seen in passing, none of these matters: no player lays their cards, nor takes the tale over with them."""
    states = deals.table(["Hacha", ", ".join(LIST[2:]), "Loco"], tale=LIST_TALE)
    for name in LIST[:2]:
        deals.silently(states, f"tell {name}")
    for name in LIST[2:]:
        assert deals.sense(states, name) < PLAINLY
        listed = deals.after(states, f"tell {name}")
        assert "protest" in deals.choices(listed)
        assert f"claim {name}" not in deals.choices(listed)
        deals.silently(states, f"tell {name}")


def test_a_list_is_known_from_its_third_member_on():
    """The first two can be claimed (H15): the rulebook's own tale has two persons in a row, and both matter."""
    for tale, first, second in ((LIST_TALE, *LIST[:2]), ("Anciana*, Puerta*, Ventana*", "héroe", "Rana")):
        states = deals.silently(deals.table(["Hacha", f"{second}, Loco", "Isla"], tale=tale), f"tell {first}")
        assert deals.sense(states, second) >= PLAINLY
        assert deals.narrator(deals.do(states, f"tell {second}", f"claim {second}")) == 1


def test_page_8_a_list_ends_where_something_happens():
    states = deals.table(QUIET, tale=LIST_TALE)
    deals.silently(states, "tell Caballo", "tell Pastora")
    assert deals.sense(states, "Madrastra") < PLAINLY
    deals.silently(states, "tell Una discusión")
    assert deals.sense(states, "Madrastra") >= PLAINLY


def test_page_8_who_passes_draws_and_may_discard_one():
    states = deals.table(["Isla, Río", *QUIET[1:]], tale="Rey*", top="Torre")
    assert {"keep", "discard Río", "discard Isla"} <= deals.choices(deals.do(states, "pass"))
    deals.do(states, "discard Río")
    assert (deals.narrator(states), set(deals.hand(states, 0))) == (1, {"Isla", "Torre"})


@pytest.mark.parametrize("name", ["Bosque", "Árbol"])
def test_page_9_any_other_player_may_take_over(name):
    for seat in (1, 2):
        hands = ["Hacha", "Loco", "Isla"]
        hands[seat] = f"{name}, {hands[seat]}"
        states = deals.do(deals.table(hands, tale="caballero, Dormido(a)"), f"tell {name}")
        assert deals.narrator(deals.answer(states, {seat: f"claim {name}"})) == seat


def test_page_10_a_mere_mention_of_an_object_is_not_interrupted():
    states = deals.do(deals.table(["Hacha", "Árbol, Isla", "Loco"], tale="Palacio"), "tell Puerta")
    assert deals.asked(states) == (0, "tell")


def test_page_11_an_interrupted_narrator_draws_one():
    states = deals.table(["Hacha", "Un viaje, Loco", "Isla"], tale="Anciana*, Rey*", top="Torre")
    deals.do(states, "tell Un viaje", "claim Un viaje")
    assert (deals.narrator(states), set(deals.hand(states, 0))) == (1, {"Hacha", "Torre"})


@pytest.mark.parametrize("name", ["Este animal puede hablar", "Se rompe un objeto", "Una discusión", "Fuga"])
def test_page_11_what_cannot_be_there_is_nonsense(name):
    assert deals.sense(deals.table(QUIET, tale="Rey"), name) < PLAINLY


def test_page_11_a_missing_tie_is_no_nonsense():
    """These rules must not be used to take the tale from a player, or to harass a weaker one."""
    states = deals.do(deals.table(["Isla, Río", *QUIET[1:]], tale="Corona*"), "card Río")
    assert deals.asked(states) == (0, "tell")


def test_page_11_nonsense_hands_the_tale_on():
    states = deals.do(
        deals.table(["Fuga, Río", *QUIET[1:], "Isla"], tale="Rey*", top="Torre", setup=HANDS), "card Fuga"
    )
    deals.answer(deals.answer(states, {1: "protest"}), {2: "yes", 3: "yes"})
    assert (deals.narrator(states), set(deals.hand(states, 0))) == (1, {"Fuga", "Río", "Torre"})


def test_page_11_doubts_are_settled_by_a_show_of_hands():
    states = deals.do(deals.table(["Hacha", "Árbol, Loco", "Isla", "Feliz"], tale="Cueva", setup=HANDS), "tell Bosque")
    deals.do(states, "claim Árbol")
    assert deals.asked(states) == (2, "vote")
    assert deals.narrator(deals.answer(states, {2: "yes", 3: "yes"})) == 1


def test_page_12_of_two_at_once_the_slower_takes_the_card_back():
    states = deals.do(deals.table(["Hacha", "Niño(a), Loco", "Príncipe, Isla"], tale="Rey*"), "tell bebé")
    deals.answer(states, {1: "claim Niño(a)", 2: "claim Príncipe"})
    assert sorted(len(deals.hand(states, seat)) for seat in (1, 2)) == [1, 2]


def test_page_12_after_the_last_card_nothing_new_may_be_told():
    states = deals.table(["", *QUIET[1:]], tale="Rey*, Anillo*", endings=("F53",), setup=HANDS)
    assert deals.choices(states) == {"tell Rey", "tell Anillo", "end 1", "pass"}
    assert deals.winners(deals.answer(deals.do(states, "end 1"), {1: "yes", 2: "yes"})) == [0]


def test_page_12_a_refused_ending_costs_a_card_and_the_turn():
    states = deals.table(["", *QUIET[1:]], tale="Rey*", endings=("F53",), pile="F54", top="Torre", setup=HANDS)
    deals.answer(deals.do(states, "end 1"))
    assert (deals.narrator(states), deals.hand(states, 0), deals.held_endings(states, 0)) == (1, ["Torre"], ["F54"])


def test_page_14_two_people_who_meet_have_met():
    hands = ["Hacha", "Encuentro entre personas, Loco", "Isla"]
    states = deals.do(deals.table(hands, tale="Anciana*"), "tell Niño(a)")
    assert deals.narrator(deals.do(states, "claim Encuentro entre personas")) == 1


def test_the_actions_name_one_thing_each():
    """A list cannot be told in one sentence (page 8)."""
    assert not [text for text in deals.ACTIONS if " y " in text or ", " in text]
