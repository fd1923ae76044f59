"""Claims and interruptions in *Érase una vez*; C, H and O numbers as in its RULES.md."""

from collections import Counter

import erase_tables as deals
import pytest
from scale import PLAIN, scaled

pytestmark = pytest.mark.kernels

VOTES = {"judge": "votes"}


def share(states, answers):
    """Return in what share of windows seat 1 takes over, by chance alone."""
    count = scaled(400)
    return (
        sum(deals.narrator(deals.answer(deals.reseeded(states, seed), answers)) == 1 for seed in range(count)) / count
    )


def near(found, wanted):
    """Say whether a share of 400, in plain mode of 40, is what it should be."""
    return abs(found - wanted) < (0.25 if PLAIN else 0.09)


# C6.2, C6.7, H3: several at once


def claiming(seed=0):
    """Return a table where seats 1 and 2 may claim rightly, and seat 3 may claim wrongly."""
    hands = ["Ladrón", "Niño(a), Hacha", "Príncipe, Feliz", "Anillo"]
    return deals.do(deals.table(hands, tale="Rey*", top="Torre, Isla, Palacio, Puerta", seed=seed), "tell bebé")


def test_c6_2_who_is_first_is_drawn_by_lot():
    answers = {1: "claim Niño(a)", 2: "claim Príncipe"}
    found = share(claiming(), answers)
    assert 0 < found < 1
    assert near(found, 1 / 2)


def test_c6_2_of_three_each_is_first_as_often():
    hands = ["Rey, Ladrón", "Caballo, Feliz", "Rana, Hacha", "Huérfano, Feo(a)"]
    states = deals.do(deals.table(hands, tale="Reina*"), "card Rey")
    answers = {1: "interrupt Caballo", 2: "interrupt Rana", 3: "interrupt Huérfano"}
    found = Counter(deals.narrator(deals.answer(deals.reseeded(states, seed), answers)) for seed in range(scaled(400)))
    assert set(found) <= {1, 2, 3}
    assert all(near(found[seat] / found.total(), 1 / 3) for seat in (1, 2, 3))


def test_c6_2_a_claim_and_an_interruption_are_equals():
    states = deals.do(deals.table(["Bosque, Ladrón", "Rey, Hogar", "Feliz", "Hacha, Río"], tale="Río"), "card Bosque")
    found = share(states, {1: "interrupt Hogar", 3: "claim Río"})
    assert near(found, 1 / 2)
    assert 0 < found < 1


@pytest.mark.parametrize("seed", range(8))
def test_c6_7_later_reactions_are_taken_back(seed):
    states = deals.answer(claiming(seed), {1: "claim Niño(a)", 2: "claim Príncipe"})
    first, later = (1, 2) if deals.narrator(states) == 1 else (2, 1)
    held = {1: ["Niño(a)", "Hacha"], 2: ["Príncipe", "Feliz"]}
    assert sorted(deals.hand(states, later)) == sorted(held[later])
    assert deals.hand(states, first) == held[first][1:]
    assert deals.shown(states) == {held[later][0]}
    assert deals.noted(states, "takes over") == [first]
    assert deals.noted(states, "wrong") == []
    assert deals.hand(states, 0) == ["Ladrón", "Torre"]


def test_c6_7_a_wrong_claim_that_comes_too_late_is_not_punished():
    hands = ["Ladrón", "Hacha", "Monstruo, Feliz", "Cueva, Isla"]
    window = deals.do(deals.table(hands, tale="Cueva, Lobo", context="Cueva"), "tell ruido extraño")
    ends = Counter()
    for seed in range(scaled(100)):
        states = deals.answer(deals.reseeded(window, seed), {2: "claim Monstruo", 3: "claim Cueva"})
        assert deals.narrator(states) == 3
        assert deals.where(states, "Cueva") == "table"
        late = deals.where(states, "Monstruo") == 2
        ends[late] += 1
        assert len(deals.hand(states, 2)) == (2 if late else 3)
        assert ("Monstruo" in deals.shown(states)) == late
    assert PLAIN or min(ends[True], ends[False]) > 25


# C6.3: claims that are right


@pytest.mark.parametrize(
    ("tale", "name", "held"),
    [
        ("Rey*", "bebé", "Niño(a)"),  # 1
        ("Rey*", "nacimiento", "Niño(a)"),  # 0.9
        ("Rey*", "bebé", "Príncipe"),  # 0.85
        ("Rey*, Espada*", "Contienda", "Un combate"),  # 0.8
        ("Rey*", "Huérfano", "Niño(a)"),  # 0.8
    ],
)
def test_c6_3_three_quarters_are_always_right(tale, name, held):
    for seed in range(scaled(60)):
        states = deals.do(deals.table(["Ladrón", held, "Feliz"], tale=tale, seed=seed), f"tell {name}", f"claim {held}")
        assert deals.asked(states) == (1, "tell")


def test_c6_3_a_right_claimant_lays_the_card_and_continues():
    states = deals.table(["Ladrón", "Lobo, Feliz", "Hacha"], tale="Pastora*", top="Torre, Isla")
    deals.do(states, "tell Lobo", "claim Lobo")
    assert (deals.asked(states), deals.narrator(states)) == ((1, "tell"), 1)
    assert deals.where(states, "Lobo") == "table"
    assert [deals.hand(states, seat) for seat in range(3)] == [["Ladrón", "Torre"], ["Feliz"], ["Hacha"]]
    row = deals.log(states)
    assert (row["seat"], row["thing"], row["fate"], row["taker"], row["card"]) == (0, "Lobo", "claimed", 1, "Lobo")
    assert deals.news(states) == [
        ("claims", 1, deals.card("Lobo"), 100), ("takes over", 1, deals.card("Lobo"), 2),
        ("draws", 0, deals.card("Torre"), 0), ("turn", 1, 0, 0),
    ]  # fmt: skip


def test_c6_3_the_card_of_a_claim_is_told_of():
    states = deals.table(["Ladrón", "Monstruo, Feliz", "Hacha"], tale="Hada*")
    deals.do(states, "tell dragón", "claim Monstruo")
    assert deals.told(states) == {"Hada": 2, "dragón": 1, "Monstruo": 2}
    assert deals.facts(states) == {"magia", "peligro"}
    assert deals.context(states) == ["Monstruo", "dragón", "Hada"]
    assert states[0].told_at[deals.thing("Monstruo")] == states[0].sentences == 2


def test_c6_3_a_claim_puts_an_end_to_what_its_card_does():
    states = deals.table(["Ladrón", "Fuga, Feliz", "Hacha"], tale="Rey*, Prisión, Fuga, Prisión, Una persecución")
    deals.do(states, "tell Fuga", "claim Fuga")
    assert deals.facts(states) == {"realeza", "libre", "peligro"}


def test_c6_3_a_turn_begins_anew_for_who_takes_over():
    states = deals.table(["Ladrón", "Bosque, Feliz", "Hacha"], tale="Río*, Bosque", stale=2, idle=5, played=1)
    deals.answer(deals.do(states, "tell Bosque"), {1: "claim Bosque"})
    one = states[0]
    assert (one.stale, one.idle, one.played, one.links) == (0, 0, 0, 0)
    assert not one.protested.any()


def test_c6_3_a_claimant_may_lay_the_last_card():
    states = deals.table(["Ladrón", "Bosque", "Hacha"], tale="Pastora*")
    deals.do(states, "tell Bosque", "claim Bosque")
    assert deals.hand(states, 1) == []
    assert {"end 1", "pass", "tell Bosque"} <= deals.choices(states)
    assert "tell Rey" not in deals.choices(states)


# C6.4, O8: interruptions


def interrupted(seed=0, **setup):
    """Return a table at which seat 2 has interrupted a door by its tree."""
    hands = ["Puerta, Ladrón", "Hacha", "Monstruo, Árbol"]
    states = deals.table(hands, tale="Anciana*, Ventana*", top="Torre, Isla", seed=seed, setup=setup)
    return deals.do(states, "card Puerta", "interrupt Árbol")


def test_c6_4_an_interruption_is_right_and_not_told_of():
    for seed in range(scaled(30)):
        states = interrupted(seed)
        assert deals.asked(states) == (2, "tell")
    assert deals.where(states, "Árbol") == "table"
    assert deals.told(states) == {"Anciana": 2, "Ventana": 2, "Puerta": 2}
    assert deals.context(states) == ["Puerta", "Ventana", "Anciana"]
    assert [deals.hand(states, seat) for seat in range(3)] == [["Ladrón", "Torre"], ["Hacha"], ["Monstruo"]]
    row = deals.log(states)
    assert (row["thing"], row["fate"], row["taker"], row["card"]) == ("Puerta", "interrupted", 2, "Árbol")


def test_c6_4_the_card_that_was_interrupted_stays_told_of():
    assert deals.where(interrupted(), "Puerta") == "table"


def test_c6_4_an_interruption_brings_nothing_about():
    states = deals.table(["Lobo, Ladrón", "Huérfano, Feliz", "Hacha"], tale="Pastora*")
    deals.do(states, "card Lobo", "interrupt Huérfano")
    assert deals.facts(states) == {"peligro", "animal"}
    assert states[0].people == 2


def test_o8_an_interruption_may_tell_of_its_element():
    states = interrupted(special_tells=True)
    assert deals.told(states) == {"Anciana": 2, "Ventana": 2, "Puerta": 2, "Árbol": 2}
    assert deals.context(states) == ["Árbol", "Puerta", "Ventana"]
    assert states[0].objects == 3


# C6.5: claims that are wrong


@pytest.mark.parametrize(
    ("tale", "name", "held"),
    [
        ("Lobo*", "ruido extraño", "Monstruo"),  # 0.2
        ("Bruja*, Hoguera*", "Lobo", "Asustado(a)"),  # 0.1
        ("Hoguera*", "Lobo", "Monstruo"),  # 0.3
    ],
)
def test_c6_5_a_third_is_always_wrong(tale, name, held):
    for seed in range(scaled(60)):
        before = deals.table(["Ladrón", f"{held}, Feliz", "Hacha"], tale=tale, top="Torre, Isla, Palacio", seed=seed)
        states = deals.do(before, f"tell {name}", f"claim {held}")
        assert deals.asked(states) == (0, "tell")
        assert deals.where(states, held) == "open"


def test_c6_5_a_wrong_claim_costs_the_card_and_draws_two():
    states = deals.table(["Ladrón", "Monstruo, Feliz", "Hacha"], tale="Lobo*", top="Torre, Isla, Palacio")
    deals.do(states, "tell ruido extraño", "claim Monstruo")
    assert set(deals.hand(states, 1)) == {"Feliz", "Torre", "Isla"}
    assert (deals.hand(states, 0), deals.hand(states, 2)) == (["Ladrón"], ["Hacha"])
    assert (deals.narrator(states), deals.log(states)["fate"], states[0].wrong) == (0, "stands", 1)
    assert deals.told(states) == {"Lobo": 2, "ruido extraño": 1}
    assert deals.shown(states) == set()
    assert deals.news(states) == [
        ("claims", 1, deals.card("Monstruo"), 20), ("wrong", 1, deals.card("Monstruo"), 0),
        ("draws", 1, deals.card("Torre"), 0), ("draws", 1, deals.card("Isla"), 0),
    ]  # fmt: skip


def test_c6_5_each_wrong_claim_is_punished():
    states = deals.table(["Ladrón", "Monstruo", "Asustado(a)", "Hacha"], tale="Bruja*, Hoguera*")
    deals.answer(deals.do(states, "tell Lobo"), {1: "claim Monstruo", 2: "claim Asustado(a)"})
    assert deals.asked(states) == (0, "tell")
    assert (deals.where(states, "Monstruo"), deals.where(states, "Asustado(a)")) == ("open", "open")
    assert [len(deals.hand(states, seat)) for seat in range(4)] == [1, 2, 2, 1]
    assert states[0].wrong == 2


def test_c6_5_a_wrong_claim_does_not_stop_a_right_one():
    for seed in range(scaled(20)):
        states = deals.table(["Rey, Ladrón", "Padre/Madre, Isla", "Caballo", "Hacha"], tale="Reina*", seed=seed)
        deals.do(states, "card Rey")
        deals.answer(states, {1: "claim Padre/Madre", 2: "interrupt Caballo"})
        assert deals.narrator(states) == 2


# C6.6: doubt


@pytest.mark.parametrize(
    ("name", "held", "weight"),
    [("Bosque", "Árbol", 0.7), ("Árbol", "Bosque", 0.5), ("leñador", "Bosque", 0.4), ("leñador", "Hacha", 0.6)],
)
def test_c6_6_the_judge_says_yes_as_often_as_the_weight_says(name, held, weight):
    states = deals.do(deals.table(["Ladrón", f"{held}, Feliz", "Feo(a)"], tale="Pastora*, Río*"), f"tell {name}")
    assert near(share(states, {1: f"claim {held}"}), weight)


def test_c6_6_the_judge_decides_a_doubtful_claim():
    seen = set()
    for seed in range(20):
        states = deals.table(["Ladrón", "Árbol, Feliz", "Hacha"], tale="Pastora*", top="Torre, Isla", seed=seed)
        deals.do(states, "tell Bosque", "claim Árbol")
        seen.add(deals.narrator(states))
        if deals.narrator(states) == 1:
            assert deals.where(states, "Árbol") == "table"
            assert [deals.hand(states, seat) for seat in range(3)] == [["Ladrón", "Torre"], ["Feliz"], ["Hacha"]]
            assert deals.told(states)["Árbol"] == 2
            assert deals.log(states)["fate"] == "claimed"
        else:
            assert deals.where(states, "Árbol") == "open"
            assert [len(deals.hand(states, seat)) for seat in range(3)] == [1, 3, 1]
            assert deals.log(states)["fate"] == "stands"
    assert seen == {0, 1}


def test_c6_6_a_clear_claim_is_not_voted_on():
    states = deals.table(["Ladrón", "Bosque, Monstruo", "Feliz", "Hacha"], tale="Cueva*", setup=VOTES)
    assert deals.asked(deals.after(states, "tell Bosque", "claim Bosque")) == (1, "tell")
    assert deals.asked(deals.after(states, "tell ruido extraño", "claim Monstruo")) == (0, "tell")


@pytest.mark.parametrize(("votes", "end"), [("yes yes", "claimed"), ("yes no", "void"), ("no no", "wrong")])
def test_c6_6_a_tied_vote_voids_a_doubtful_claim(votes, end):
    states = deals.table(["Ladrón", "Árbol, Monstruo", "Feliz", "Hacha"], tale="Cueva*", setup=VOTES)
    deals.do(states, "tell Bosque", "claim Árbol")
    assert deals.asked(states) == (2, "vote")
    deals.do(states, *votes.split())
    assert deals.narrator(states) == (1 if end == "claimed" else 0)
    assert deals.where(states, "Árbol") == {"claimed": "table", "void": 1, "wrong": "open"}[end]
    assert [len(deals.hand(states, seat)) for seat in (0, 1)] == {"claimed": [2, 1], "void": [1, 2], "wrong": [1, 3]}[
        end
    ]
    assert deals.shown(states) == ({"Árbol"} if end == "void" else set())
    assert deals.noted(states, "void") == ([1] if end == "void" else [])


def test_c6_6_after_a_void_claim_the_next_one_is_dealt_with():
    for seed in range(scaled(20)):
        hands = ["Ladrón", "Árbol, Monstruo", "Bosque, Feliz", "Hacha", "Isla"]
        states = deals.answer(
            deals.do(deals.table(hands, tale="Cueva*", seed=seed, setup=VOTES), "tell Bosque"),
            {1: "claim Árbol", 2: "claim Bosque"},
        )
        while deals.asked(states)[1] == "vote":
            deals.do(states, "yes" if deals.asked(states)[0] == 2 else "no")
        assert deals.narrator(states) == 2


# H4: what all know of a hand


def known():
    """Return a table at which seat 2, the narrator, holds two cards that all know of."""
    states = deals.table(["Rey, Ladrón", "Hacha", "Caballo, Reino, Torre"], tale="Reina*")
    states[0].shown[[deals.card("Caballo"), deals.card("Reino")]] = 1
    return deals.silently(states, "pass", "keep", "pass", "keep")


def test_h4_a_card_is_known_until_a_hidden_discard():
    states = known()
    assert deals.asked(states) == (2, "tell")
    assert deals.shown(states) == {"Caballo", "Reino"}
    assert deals.shown(deals.after(states, "pass", "keep")) == {"Caballo", "Reino"}
    for name in ("Caballo", "Torre"):
        assert deals.shown(deals.after(states, "pass", f"discard {name}")) == set()


def test_h4_a_played_card_leaves_the_other_known():
    assert deals.shown(deals.silently(known(), "card Caballo")) == {"Reino"}


def test_h4_others_discarding_does_not_matter():
    states = deals.table(["Rey, Ladrón", "Hacha", "Caballo, Reino, Torre"], tale="Reina*")
    states[0].shown[deals.card("Caballo")] = 1
    assert deals.shown(deals.do(states, "pass", "discard Rey")) == {"Caballo"}


# O6: interrupting who broke in


def chained(cause, **setup):
    """Return a table at which seat 1 has broken in with its tree, which seats 0 and 3 could interrupt."""
    hands = ["Puerta, Regalo", "Árbol, Bosque", "Hoguera, Caballo", "Llave, Rana"]
    states = deals.table(hands, tale="Cueva*", top="Torre, Isla, Palacio", setup=setup)
    deals.do(states, "card Puerta" if cause == "interrupt" else "tell Árbol")
    return deals.answer(states, {1: f"{cause} Árbol"})


@pytest.mark.parametrize("cause", ["interrupt", "claim"])
def test_o6_only_with_chain_an_interrupter_may_be_interrupted(cause):
    assert deals.asked(chained(cause)) == (1, "tell")


@pytest.mark.parametrize("cause", ["interrupt", "claim"])
def test_o6_the_card_of_one_who_breaks_in_may_be_interrupted(cause):
    states = chained(cause, chain=True)
    assert deals.narrator(states) == 1
    assert deals.seats_asked(states) == [3, 0]
    assert deals.choices(states) == {"nothing", "interrupt Llave"}
    assert deals.asked(deals.answer(states.copy())) == (1, "tell")
    deals.answer(states, {3: "interrupt Llave"})
    assert deals.narrator(states) == 3
    assert set(deals.hand(states, 1)) == {"Bosque", "Isla"}
    assert set(deals.hand(states, 0)) >= {"Regalo", "Torre"}


def test_o6_who_was_interrupted_may_interrupt_back_and_so_on():
    states = chained("interrupt", chain=True)
    deals.answer(states, {3: "interrupt Llave"})
    assert (deals.asked(states), deals.choices(states)) == ((0, "react"), {"nothing", "interrupt Regalo"})
    deals.do(states, "interrupt Regalo")
    assert deals.asked(states) == (0, "tell")
    assert [deals.where(states, name) for name in ("Árbol", "Llave", "Regalo")] == ["table"] * 3
    assert set(deals.hand(states, 3)) == {"Rana", "Palacio"}


def test_o6_only_interruptions_answer_and_only_of_that_group():
    states = chained("claim", chain=True)
    assert not {text for text in deals.choices(states) if text.startswith(("claim", "protest"))}
    hands = ["Ladrón, Hogar", "Bosque, Torre", "Árbol, Feliz", "Rana"]
    states = deals.do(deals.table(hands, tale="Pastora*", setup={"chain": True}), "tell Bosque")
    deals.answer(states, {1: "claim Bosque"})
    assert (deals.asked(states), deals.choices(states)) == ((0, "react"), {"nothing", "interrupt Hogar"})


def test_o6_o8_an_interruption_told_of_may_be_interrupted():
    states = chained("interrupt", chain=True, special_tells=True)
    assert deals.told(states)["Árbol"] == 2
    assert deals.seats_asked(states) == [3, 0]
