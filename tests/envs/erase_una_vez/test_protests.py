"""Protests in *Érase una vez*; C, H and O numbers as in its RULES.md."""

import erase_tables as deals
import numpy as np
import pytest

from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.notation import entry

pytestmark = pytest.mark.kernels

VOTES = {"judge": "votes"}
FAR = "Hoguera*, Río*, Montaña"  # from which nobody could escape
TALE = ("told", "told_at", "facts", "fact_at", "context", "people", "objects")


# C6.1: protests


def protested(**settings):
    """Return a table on which seat 1 has been told a card without sense, and how the tale was before."""
    hands = ["Fuga, Ladrón", "Hacha", "Montaña", "Sueño"]
    before = deals.table(hands, tale=FAR, top="Torre, Isla", **settings)
    return before, deals.do(before.copy(), "card Fuga")


def test_c6_1_a_sentence_without_sense_is_undone():
    before, states = protested()
    assert (deals.told(states)["Fuga"], deals.facts(states)) == (2, {"agua", "libre"})
    deals.answer(states, {1: "protest"})
    for field in TALE:
        assert np.array_equal(states[0][field], before[0][field]), field
    assert (deals.log(states)["thing"], deals.log(states)["fate"]) == ("Fuga", "undone")
    assert states[0].sentences == before[0].sentences + 1


def test_a_protest_has_its_reason():
    _, states = protested()
    assert entry(s.A_PROTEST, "en", states) == ("protest: the tale lacks what it needs (sense: 2 of 10)", "")


def test_c6_1_an_upheld_protest_passes_the_tale_on():
    _, states = protested()
    deals.answer(states, {1: "protest"})
    assert set(deals.hand(states, 0)) == {"Fuga", "Ladrón", "Torre"}
    assert deals.asked(states) == (1, "tell")
    assert [deals.hand(states, seat) for seat in (1, 2, 3)] == [["Hacha"], ["Montaña"], ["Sueño"]]
    assert deals.news(states) == [
        ("protests", 1, 0, 0), ("undone", 0, 3, 0), ("draws", 0, deals.card("Torre"), 0), ("turn", 1, 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_c6_1_an_upheld_protest_voids_claims_without_penalty(seed):
    _, states = protested(seed=seed)
    deals.answer(states, {1: "protest", 2: "claim Montaña", 3: "interrupt Sueño"})
    assert deals.asked(states) == (1, "tell")
    assert [deals.hand(states, seat) for seat in (1, 2, 3)] == [["Hacha"], ["Montaña"], ["Sueño"]]
    assert len(deals.hand(states, 0)) == 3
    assert states[0].wrong == 0


def test_c6_1_it_does_not_matter_who_protests_nor_how_many():
    _, states = protested()
    one = deals.answer(states.copy(), {3: "protest"})
    assert (deals.asked(one), deals.noted(one, "protests")) == ((1, "tell"), [3])
    all_three = deals.answer(states, {1: "protest", 2: "protest", 3: "protest"})
    assert (deals.asked(all_three), deals.noted(all_three, "protests")) == ((1, "tell"), [1, 2, 3])
    assert len(deals.hand(all_three, 0)) == 3


def test_c6_1_the_last_seats_left_neighbour_is_the_first():
    states = deals.do(deals.table(["Hacha", "Reino", "Fuga, Ladrón"], tale=FAR, narrator=2), "card Fuga")
    assert deals.asked(deals.answer(states, {0: "protest"})) == (0, "tell")


@pytest.mark.parametrize(
    ("tale", "text", "fields", "found"),
    [
        ("Libro*, Ventana", "tell Este animal puede hablar", {}, 2),
        ("Rey, Reina, Separación, Tesoro", "tell Encuentro entre personas", {"idle": 6}, 3),
        ("Rey, Reina, Prisión, Tesoro", "tell Fuga", {"idle": 6}, 3),
        ("Lobo, Libro, Ventana", "tell Lobo", {"stale": 2}, 3),
        ("Cueva, Espada, Libro", "tell Ventana", {"listed": 2}, 4),
        ("Libro, Anillo, Princesa", "tell Libro", {"stale": 2}, 3),
        ("Libro, Ventana, Anillo", "tell espejo", {"idle": 6}, 3),
    ],
)
def test_c6_1_an_undone_sentence_leaves_no_trace(tale, text, fields, found):
    before = deals.table(["Ladrón", "Hacha", "Feo(a)"], tale=tale, **fields)
    states = deals.do(before.copy(), text)
    assert deals.last(states)[3] == found
    deals.answer(states, {2: "protest"})
    for field in TALE:
        assert np.array_equal(states[0][field], before[0][field]), field
    assert deals.asked(states) == (1, "tell")
    assert len(deals.hand(states, 0)) == 2


def test_h2_people_who_never_were_make_no_couple():
    states = deals.do(
        deals.table(["Ladrón, Feo(a)", "Hacha", "Feliz"], tale="Princesa, Río, Montaña, Hoguera", idle=6), "tell Rey"
    )
    deals.answer(states, {1: "protest"})
    deals.do(states, "tell Una discusión")
    assert deals.last(states)[3] == 2


def test_h4_a_card_that_went_back_to_a_hand_is_known():
    _, states = protested()
    deals.answer(states, {1: "protest", 2: "claim Montaña", 3: "interrupt Sueño"})
    assert deals.shown(states) == {"Fuga", "Montaña", "Sueño"}


def test_o5_the_card_of_an_undone_sentence_may_stay_on_the_table():
    before, states = protested(setup={"protest_card": "stays"})
    deals.answer(states, {1: "protest"})
    assert deals.where(states, "Fuga") == "table"
    assert deals.hand(states, 0) == ["Ladrón", "Torre"]
    assert (deals.told(states), deals.facts(states)) == (deals.told(before), deals.facts(before))
    assert deals.shown(states) == set()


@pytest.mark.parametrize("setup", [{}, {"auto_protest": True}])
def test_o14_the_judge_may_protest_by_himself(setup):
    before, states = protested(setup=setup)
    if not setup:
        assert deals.asked(states) == (1, "react")
        return
    assert deals.asked(states) == (1, "tell")
    assert set(deals.hand(states, 0)) == {"Fuga", "Ladrón", "Torre"}
    assert (deals.told(states), deals.facts(states), deals.context(states)) == (
        deals.told(before),
        deals.facts(before),
        deals.context(before),
    )
    assert deals.log(states)["fate"] == "undone"
    assert deals.noted(states, "protests") == []


def test_o14_what_makes_sense_is_reacted_to_as_ever():
    hands = ["Fuga, Ladrón", "Hacha", "Una persecución", "Sueño"]
    states = deals.do(deals.table(hands, tale="Lobo*", setup={"auto_protest": True}), "card Fuga")
    assert deals.seats_asked(states) == [2, 3]


def in_vain(setup, protesters=(1,)):
    """Return a table at which the votes have rejected a protest against a sentence of seat 0."""
    hands = ["Fuga, Ladrón", "Hacha", "Feliz", "Feo(a)"]
    states = deals.do(deals.table(hands, tale=FAR, top="Torre, Isla", setup={**VOTES, **setup}), "card Fuga")
    return deals.answer(deals.answer(states, dict.fromkeys(protesters, "protest")))


def test_c6_1_a_rejected_protest_changes_nothing():
    states = in_vain({})
    assert deals.asked(states) == (0, "tell")
    assert [len(deals.hand(states, seat)) for seat in range(4)] == [1, 1, 1, 1]
    assert (deals.told(states)["Fuga"], deals.where(states, "Fuga"), deals.log(states)["fate"]) == (
        2,
        "table",
        "stands",
    )
    assert deals.noted(states, "in vain") == [6]


@pytest.mark.parametrize("protesters", [(1,), (3,), (1, 2)])
def test_o13_who_protests_in_vain_may_have_to_draw(protesters):
    states = in_vain({"protest_penalty": True}, protesters)
    wanted = [2 if seat in protesters else 1 for seat in range(4)]
    assert [len(deals.hand(states, seat)) for seat in range(4)] == wanted
    assert deals.asked(states) == (0, "tell")


def test_o13_a_protest_that_is_upheld_costs_nothing():
    _, states = protested(setup={"protest_penalty": True})
    deals.answer(states, {1: "protest"})
    assert [len(deals.hand(states, seat)) for seat in range(4)] == [3, 1, 1, 1]


def test_c6_1_after_a_rejected_protest_the_claims_are_dealt_with():
    hands = ["Fuga, Ladrón", "Hacha", "Sueño", "Feo(a)"]
    states = deals.do(deals.table(hands, tale=FAR, setup=VOTES), "card Fuga")
    deals.answer(deals.answer(states, {1: "protest", 2: "interrupt Sueño"}))
    assert deals.asked(states) == (2, "tell")
