"""Sentences of *Érase una vez*, their facts and their sense; C, H and O numbers as in its RULES.md."""

import erase_tables as deals
import numpy as np
import pytest

from sobremesa.envs.erase_una_vez import tables

pytestmark = pytest.mark.kernels

QUIET = ("Ladrón", "Hacha", "Loco")  # hands that have no say in most tales below


def verbs(states):
    """Return the things that may be told of without a card, and the cards that may be played."""
    here = deals.choices(states)
    return tuple({text[5:] for text in here if text.startswith(verb)} for verb in ("tell ", "card "))


# C3.1, C3.2: what a sentence is


def test_c3_1_a_narrator_plays_own_cards_and_tells_of_anything():
    things, cards = verbs(deals.table(["Bosque, Rey", "Árbol", "Llave"], tale="Princesa*, bebé"))
    assert cards == {"Bosque", "Rey"}
    assert things == set(deals.THINGS)


def test_c3_1_a_card_is_told_of_and_lies_on_the_table():
    states = deals.do(deals.table(["Reino, Loco", *QUIET[:2]], tale="Princesa*"), "card Reino")
    assert deals.where(states, "Reino") == "table"
    assert deals.hand(states, 0) == ["Loco"]
    assert deals.told(states) == {"Princesa": 2, "Reino": 2}
    assert deals.last(states) == ("card", "Reino", "Princesa", 10)
    assert deals.log(states)["kind"] == "card"


def test_c3_1_a_bridge_tells_of_something_new_without_a_card():
    states = deals.do(deals.table(QUIET, tale="Princesa*"), "tell Reino")
    assert deals.last(states) == ("bridge", "Reino", "Princesa", 10)
    assert deals.told(states) == {"Princesa": 2, "Reino": 1}
    assert deals.where(states, "Reino") == "deck"
    assert deals.hand(states, 0) == ["Ladrón"]


def test_c3_1_a_bridge_to_an_own_card_keeps_the_card():
    states = deals.do(deals.table(["Reino", *QUIET[:2]], tale="Princesa*"), "tell Reino")
    assert deals.last(states)[0] == "bridge"
    assert deals.hand(states, 0) == ["Reino"]
    assert deals.told(states)["Reino"] == 1


@pytest.mark.parametrize("tale", ["Reino*, Princesa*", "Reino, Princesa*"])
def test_c3_1_a_link_tells_more_of_what_was_told(tale):
    before = deals.table(QUIET, tale=tale)
    states = deals.after(before, "tell Reino")
    assert deals.last(states) == ("link", "Reino", "Princesa", 10)
    assert deals.told(states) == deals.told(before)


def test_c3_1_a_card_may_be_played_for_a_told_thing():
    states = deals.do(deals.table(["Reino, Loco", *QUIET[:2]], tale="Reino, Princesa*"), "card Reino")
    assert deals.last(states)[0] == "card"
    assert deals.told(states)["Reino"] == 2


def test_c3_2_a_sentence_plays_one_card():
    states = deals.table(["Reino, Rey, Reina, Palacio", *QUIET[:2]], tale="Princesa*")
    deals.do(states, "card Reino")
    assert deals.hand(states, 0) == ["Rey", "Reina", "Palacio"]
    assert states[0].sentences == 2
    deals.do(states, "card Rey")
    assert deals.hand(states, 0) == ["Reina", "Palacio"]
    assert states[0].sentences == 3


def test_h1_each_sentence_is_a_row_of_the_log():
    states = deals.table(["Reino, Loco", *QUIET[:2]], tale="Princesa*")
    deals.do(states, "card Reino")
    assert deals.news(states)[0] == ("tells", 0, 1, 0)
    row = deals.log(states)
    assert (row["seat"], row["kind"], row["thing"], row["hook"]) == (0, "card", "Reino", "Princesa")
    assert (row["fate"], row["taker"]) == ("stands", None)
    deals.do(states, "tell manto")
    assert (deals.log(states)["kind"], deals.log(states)["thing"], deals.log(states)["hook"]) == (
        "bridge",
        "manto",
        "Reino",
    )


def test_h9_what_is_told_draws_nothing():
    """The words of a sentence follow from the tale: the record's chance is where it was."""
    states = deals.table(QUIET, tale="Princesa*")
    assert deals.after(states, "tell Reino")[0].stream.tobytes() == states[0].stream.tobytes()


# C3.4, H2: effects


def test_c3_4_what_is_told_is_dated_and_leads_the_context():
    states = deals.table(["Rey, Ladrón", *QUIET[1:]], tale="Reina*, Palacio*, Reino*")
    deals.do(states, "card Rey")
    assert states[0].told_at[[deals.thing(name) for name in ("Reina", "Palacio", "Reino", "Rey")]].tolist() == [
        1,
        2,
        3,
        4,
    ]
    assert deals.context(states) == ["Rey", "Reino", "Palacio"]
    deals.do(states, "tell Palacio")
    assert states[0].told_at[deals.thing("Palacio")] == 5
    assert deals.context(states) == ["Palacio", "Rey", "Reino"]


def test_c3_4_a_card_on_the_table_stays_told_of_by_its_card():
    states = deals.do(deals.table(QUIET, tale="Reina*, Palacio*"), "tell Reina")
    assert deals.told(states) == {"Reina": 2, "Palacio": 2}


@pytest.mark.parametrize(
    ("tale", "name", "found"),
    [
        ("", "Lobo", {"peligro", "animal"}),
        ("", "Hechizo", {"maleficio", "magia"}),
        ("Rey*", "Contienda", {"realeza", "combate", "discordia"}),
        ("", "Puerta", set()),
        ("", "bebé", set()),
        ("Lobo*", "bebé", {"peligro", "animal"}),
    ],
)
def test_c3_4_what_a_thing_brings_about_holds_from_then_on(tale, name, found):
    assert deals.facts(deals.do(deals.table(QUIET, tale=tale), f"tell {name}")) == found


@pytest.mark.parametrize(
    ("held", "name", "left"),
    [
        ("separados, amor", "Encuentro entre personas", {"amor", "encuentro"}),
        ("secreto, amor", "Algo es revelado", {"amor", "revelado"}),
        ("cautivo, peligro", "Un rescate", {"peligro", "libre"}),
        ("cautivo, peligro", "Fuga", {"peligro", "libre"}),
        ("revelado", "Secreto(a)", {"revelado", "secreto"}),
    ],
)
def test_c3_4_what_a_thing_puts_an_end_to_holds_no_more(held, name, left):
    states = deals.table(QUIET, tale="Camino*, Princesa*", facts=held)
    assert deals.facts(deals.do(states, f"tell {name}")) == left


def test_c3_4_a_card_sets_the_same_facts_as_a_sentence():
    states = deals.do(deals.table(["Una trampa, Ladrón", *QUIET[1:]], tale="Lobo*"), "card Una trampa")
    assert deals.facts(states) == {"peligro", "animal", "cautivo"}


def test_c3_4_a_fact_is_dated_by_the_sentence_that_said_it_last():
    states = deals.table(QUIET, tale="Lobo*, Rey*")
    dates = dict(zip(tables.FACTS, states[0].fact_at.tolist(), strict=True))
    assert (dates["peligro"], dates["animal"], dates["realeza"]) == (1, 1, 2)
    deals.do(states, "tell Enemigo")
    dates = dict(zip(tables.FACTS, states[0].fact_at.tolist(), strict=True))
    assert (dates["peligro"], dates["animal"], dates["realeza"]) == (3, 1, 2)
    assert sum(date > 0 for date in dates.values()) == 3


def test_h2_effects_count_at_once():
    states = deals.do(deals.table(["Loco, Hacha", "Rey", "Ladrón"]), "tell Rey")
    assert deals.asked(states) == (1, "react")
    assert (deals.facts(states), deals.told(states), deals.context(states)) == ({"realeza"}, {"Rey": 1}, ["Rey"])


# C3.5, O3: sentences between cards

FIVE = ["Rey, Reina, Palacio, Reino, Torre", "Hacha", "Ladrón"]


def test_c3_5_between_cards_limits_cards_in_a_row():
    states = deals.table(FIVE, tale="Princesa*")
    deals.do(states, "card Rey", "card Reina", "card Palacio", "card Reino")
    assert deals.hand(states, 0) == ["Torre"]


@pytest.mark.parametrize("between", [0, 1, 2])
def test_o3_so_many_sentences_lie_between_two_cards_of_a_turn(between):
    states = deals.table(FIVE, tale="Princesa*", setup={"between_cards": between})
    for name in ("Rey", "Reina"):
        deals.do(states, f"card {name}")
        for text in ("tell manto", "tell bebé")[:between]:
            assert verbs(states)[1] == set()
            assert verbs(states)[0] == set(deals.THINGS)
            deals.do(states, text)
        assert verbs(states)[1] == set(deals.hand(states, 0))


def test_o3_more_sentences_than_needed_do_no_harm():
    states = deals.table(FIVE, tale="Princesa*", setup={"between_cards": 1})
    deals.do(states, "card Rey", "tell manto", "tell bebé", "tell Princesa", "card Reina")
    assert verbs(states)[1] == set()


def test_c3_5_the_first_card_of_a_turn_is_free():
    states = deals.table(["Rey, Reina", "Palacio, Reino", "Torre"], tale="Princesa*", setup={"between_cards": 2})
    deals.silently(states, "card Rey", "pass", "keep")
    assert verbs(states)[1] == {"Palacio", "Reino"}
    deals.silently(states, "card Palacio")
    assert verbs(states)[1] == set()


def test_c3_5_the_first_card_of_a_taker_is_free():
    states = deals.table(["Rey, Loco", "Bosque, Árbol", "Torre"], tale="Pastora*", setup={"between_cards": 2})
    deals.do(states, "tell Bosque", "claim Bosque")
    assert (deals.asked(states), verbs(states)[1]) == ((1, "tell"), {"Árbol"})


def test_c3_5_a_wrong_claim_does_not_bring_the_next_card_nearer():
    states = deals.table(["Rey, Reina", "Monstruo", "Torre"], tale="Lobo*", setup={"between_cards": 2})
    deals.silently(states, "card Rey")
    deals.do(states, "tell ruido extraño", "claim Monstruo")
    assert (deals.asked(states), verbs(states)[1]) == ((0, "tell"), set())


# C4: sense

GROUP_OF_NEED = {
    "per": [("Rey", True), ("bebé", True), ("Palacio", False), ("Corona", False), ("Feliz", False)],
    "per2": [("Rey, Reina", True), ("Rey, bebé", True), ("Rey", False), ("Rey, Palacio", False)],
    "obj": [("Corona", True), ("espejo", True), ("Rey", False), ("Palacio", False)],
    "alg": [("Palacio", True), ("bebé", True), ("", False)],
    "ani": [("Lobo", True), ("animal", True), ("Rana", True), ("Rey", False), ("Pastora", False)],
    "apuro": [
        ("Lobo", True), ("Prisión", True), ("Lobo, Envenenado(a)", True), ("Bosque, Perdido(a)", True),
        ("Rey", False), ("Bosque", False),
    ],
}  # fmt: skip
NEEDY = {
    "per": ["Asustado(a)", "Un viaje", "Plan", "Feliz"],
    "per2": ["Separación", "Dos personas se enamoran", "Una discusión"],
    "obj": ["Este objeto puede hablar", "Se rompe un objeto"],
    "alg": ["Secreto(a)", "Maldito(a)", "Bello(a)"],
    "ani": ["Este animal puede hablar"],
    "apuro": ["Un rescate", "Fuga"],
}


@pytest.mark.parametrize(
    ("need", "tale", "holds"), [(need, tale, holds) for need, rows in GROUP_OF_NEED.items() for tale, holds in rows]
)
def test_c4_1_what_a_thing_needs_and_the_tale_lacks_contradicts(need, tale, holds):
    states = deals.table(QUIET, tale=tale)
    for name in NEEDY[need]:
        assert (deals.sense(states, name) != 2) == holds


@pytest.mark.parametrize("fact", tables.FACTS)
def test_c4_1_four_facts_are_trouble_and_one_an_animal(fact):
    states = deals.table(QUIET, tale="Libro*", facts=fact)
    assert (deals.sense(states, "Un rescate") != 2) == (fact in ("peligro", "cautivo", "herido", "perdido"))
    assert (deals.sense(states, "Este animal puede hablar") != 2) == (fact == "animal")


def test_c4_1_two_people_are_two_and_not_one_told_of_twice():
    states = deals.do(deals.table(QUIET, tale="Rey"), "tell Rey", "tell Rey")
    assert deals.sense(states, "Una discusión") == 2
    assert deals.sense(deals.do(states, "tell bebé"), "Una discusión") == 10


def test_c4_1_people_and_objects_are_counted_however_they_come():
    states = deals.table(["Rey, Corona, Ladrón", *QUIET[1:]])
    deals.silently(states, "card Rey", "card Corona", "tell espejo", "tell bebé", "tell Reina")
    assert (states[0].people, states[0].objects) == (3, 2)


def test_c4_1_whoever_needs_nothing_may_come_first():
    states = deals.table(QUIET)
    needy = {name for number, name in enumerate(deals.THINGS) if tables.THINGS[number].needs}
    assert {name for name in deals.THINGS if deals.sense(states, name) == 2} == needy
    assert {name for name in deals.THINGS if deals.sense(states, name) == 10} == set(deals.THINGS) - needy


@pytest.mark.parametrize(
    "places", [("Hoguera", "Río", "Reina"), ("Hoguera", "Reina", "Río"), ("Reina", "Hoguera", "Río")]
)
def test_c4_4_one_thing_of_the_context_that_is_tied_is_enough(places):
    assert deals.sense(deals.table(QUIET, tale=", ".join(places)), "Rey") == 10


def test_c4_4_what_is_tied_to_nothing_in_the_context_is_abrupt():
    assert deals.sense(deals.table(QUIET, tale="Hoguera, Río, Montaña"), "Rey") == 7
    assert deals.sense(deals.table(QUIET, tale="Reina, Hoguera, Río, Montaña"), "Rey") == 7


@pytest.mark.parametrize(
    ("told_of", "name", "wanted"),
    [
        ("Rana", "Isla", 10),  # a tag
        ("Anillo", "Tesoro", 10),
        ("héroe", "Príncipe", 10),  # a relation of 0.3
        ("Príncipe", "héroe", 10),  # the other way round
        ("campesino", "Pastora", 10),
        ("tristeza", "Reino", 7),
        ("tristeza", "Separación", 7),  # a relation of 0.2
        ("Príncipe", "Príncipe", 10),  # itself
        ("Ventana", "Ventana", 10),
        ("Ventana", "Río", 7),
    ],
)
def test_c4_4_tags_relations_of_03_and_identity_tie(told_of, name, wanted):
    tale = f"Rey, Reina, Libro, Libro, Libro, {told_of}" if name == "Separación" else told_of
    states = deals.table(QUIET, tale=tale, context=told_of)
    assert deals.sense(states, name) == wanted


def test_c4_4_the_first_sentence_needs_no_tie():
    assert deals.sense(deals.table(QUIET), "Río") == 10


def test_c4_4_the_array_of_ties_says_what_the_tables_say():
    strong = {(row[0], row[1]) for row in tables.RELATIONS if row[2] >= 0.3}
    for one in tables.THINGS[::5]:
        for other in tables.THINGS:
            tied = one.id == other.id or bool(set(one.tags) & set(other.tags))
            tied = tied or (one.id, other.id) in strong or (other.id, one.id) in strong
            assert tables.LINKED[tables.NUMBER[one.id], tables.NUMBER[other.id]] == tied
            close = one.id == other.id or len(set(one.tags) & set(other.tags)) > 1
            close = close or (one.id, other.id) in strong or (other.id, one.id) in strong
            assert (tables.TIES[tables.NUMBER[one.id], tables.NUMBER[other.id]] == 2) == close


def test_c4_3_the_third_sentence_without_a_new_thing_rambles():
    states = deals.table(QUIET, tale="Rey*, Reina*, Palacio*")
    found = []
    for name in ("Rey", "Reina", "Palacio", "Rey"):
        deals.do(states, f"tell {name}")
        found.append(deals.last(states)[3])
        deals.answer(states)
    assert found == [10, 10, 3, 3]


@pytest.mark.parametrize("between", ["tell bebé", "card Princesa"])
def test_c4_3_something_new_or_a_card_begins_another_row(between):
    states = deals.table(["Princesa, Ladrón", *QUIET[1:]], tale="Rey*, Reina*, Palacio*")
    deals.do(states, "tell Rey", "tell Reina", between, "tell Rey", "tell Reina")
    assert deals.last(states) == ("link", "Reina", "Rey", 10)
    assert deals.sense(states, "Palacio", "link") == 3


def test_c4_3_something_new_is_no_rambling_after_links():
    states = deals.do(deals.table(QUIET, tale="Rey*, Reina*, Palacio*"), "tell Rey", "tell Reina")
    assert deals.sense(states, "Princesa", "bridge") == deals.sense(states, "Princesa", "card") == 10
    assert deals.sense(states, "Palacio", "link") == 3


def test_c4_3_the_seventh_sentence_without_a_card_rambles():
    states = deals.table(["Reino, Loco", "Hacha", "Malvado"], tale="Rey*")
    found = []
    for name in ("Reina", "Princesa", "bebé", "manto", "Corona", "Palacio", "Torre", "Río"):
        deals.do(states, f"tell {name}")
        found.append(deals.last(states)[3])
        deals.answer(states)
    assert found == [10, 10, 10, 10, 10, 10, 3, 4]
    assert deals.sense(states, "Reino", "card") == 10


def test_c4_3_a_card_lets_a_narrator_tell_on():
    states = deals.table(["Reino, Loco", "Hacha", "Malvado"], tale="Rey*", idle=6)
    assert deals.sense(states, "Reina") == 3
    assert deals.sense(deals.table(["Reino, Loco", "Hacha", "Malvado"], tale="Rey*", idle=5), "Reina") == 10
    deals.do(states, "card Reino", "tell Reina")
    assert deals.last(states)[3] == 10
    assert states[0].idle == 1


def test_c4_3_a_narrator_without_cards_does_not_ramble():
    states = deals.table(["", "Hacha", "Malvado"], tale="Rey*, Reina*", idle=6)
    assert deals.sense(states, "Rey", "link") == 10


def test_c4_3_rows_are_counted_within_a_turn():
    states = deals.table(["Reino", "Hacha", "Malvado"], tale="Rey*, Reina*, Palacio*")
    deals.do(states, "tell Rey", "tell Reina", "pass", "keep")
    assert (deals.narrator(states), states[0].stale, states[0].idle) == (1, 0, 0)
    deals.do(states, "tell Rey")
    assert deals.last(states)[3] == 10


def test_c4_the_worst_lack_of_sense_counts():
    far = deals.table(QUIET, tale="Ventana", idle=6)
    assert deals.sense(far, "Este animal puede hablar") == 2  # nor tied, nor a card for long
    assert deals.sense(far, "Río") == deals.sense(far, "Puerta") == 3
    assert deals.sense(deals.table(QUIET, tale="Ventana", idle=6, listed=2), "Hacha") == 4
    linked = deals.table(QUIET, tale="Ventana, Río", context="Río", stale=2)
    assert deals.sense(linked, "Ventana", "link") == 3
    assert deals.sense(deals.table(QUIET, tale="Ventana"), "Río") == 7


def test_c4_4_all_else_makes_sense():
    states = deals.do(deals.table(QUIET, tale="Rey*"), "tell Reina")
    assert deals.last(states)[3] == 10


# Section 14 of the page of rules: what a card may be played for


def test_example_1_one_of_three_cards_goes_with_a_sentence():
    states = deals.table(["Palacio, Rey, Montaña", "Hacha", "Loco"], tale="Anciana*, Un viaje*, Reino*")
    for name in ("Palacio", "Rey", "Montaña"):
        assert deals.sense(states, name, "card") == 10
        later = deals.after(states, f"card {name}")
        assert set(deals.hand(later, 0)) == {"Palacio", "Rey", "Montaña"} - {name}
        assert later[0].sentences == states[0].sentences + 1


# C4.2: lists


@pytest.mark.parametrize(
    ("told_of", "name", "wanted"),
    [
        ("Lobo, Hada", "Ladrón", 4),  # a third character
        ("Libro, Hacha", "Ventana", 4),
        ("Isla, Torre", "Pueblo", 4),
        ("Rey, Reina", "Princesa", 10),  # tied closely: a family
        ("Lobo", "Ladrón", 10),  # two are no list
        ("Lobo, Hada", "Isla", 7),  # another group
        ("Lobo, Hada", "Lobo", 10),  # nothing new
        ("Feliz, Bello(a)", "Diminuto(a)", 10),  # what is told of somebody
        ("Una persecución, Un combate", "Una muerte", 10),  # what happens
        ("Lobo, Libro, Hada", "Ladrón", 10),  # no row
        ("Lobo, Hada, Asustado(a)", "Ladrón", 10),
    ],
)
def test_c4_2_the_third_new_thing_of_a_group_in_a_row_lists(told_of, name, wanted):
    states = deals.silently(deals.table(QUIET, tale="dragón"), *(f"tell {one}" for one in told_of.split(", ")))
    assert deals.sense(states, name, "card") == deals.sense(states, name) == wanted


def test_c4_2_a_row_ends_with_the_turn():
    states = deals.silently(deals.table(QUIET, tale="dragón"), "tell Lobo", "tell Hada")
    assert states[0].listed == 2
    deals.silently(states, "pass", "keep")
    assert states[0].listed == 0


def test_a_tale_of_every_card_dates_and_tells_each():
    states = deals.table([", ".join(deals.CARDS[:10]), "Hacha"], tale="Corona*")
    for name in deals.CARDS[:10]:
        if deals.narrator(states) == 0 and f"card {name}" in deals.choices(states):
            deals.answer(deals.do(states, f"card {name}"))
    assert np.count_nonzero(states[0].told) == 11
    assert deals.hand(states, 0) == []
