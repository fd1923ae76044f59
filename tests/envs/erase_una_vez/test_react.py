"""Reactions to a sentence of *Érase una vez*; C, H and O numbers as in its RULES.md."""

import erase_tables as deals
import pytest

pytestmark = pytest.mark.kernels

VOTES = {"judge": "votes"}
QUIET = "Feo(a)"  # a card of which nothing below tells
EVERY_INTERRUPTION = {
    "Pastora": "Huérfano, Caballo, Monstruo, Esposo(a), Rana",
    "Hoguera": "Regalo, Árbol, Llave",
    "Río": "Escaleras, Cocina, Capilla, Hogar",
    "Lejano(a)": "Loco, Este objeto puede hablar, Malvado, Ciego, Estúpido",
    "Pasa el tiempo": "Tormenta, Plan, Sueño, Contienda",
}


def same(one, other, seat):
    """Say whether `seat` observes the same at two tables."""
    here, there = deals.view(one, seat), deals.view(other, seat)
    return all((here[name] == there[name]).all() for name in here)


# C5.1, C5.5: who is asked


def test_c5_1_only_seats_with_something_to_say_are_asked():
    states = deals.table(["Ladrón", "Bosque", "Hacha", "Árbol", QUIET], tale="Pastora*")
    deals.do(states, "tell Bosque")
    assert deals.seats_asked(states) == [1, 3]
    assert deals.asked(deals.answer(states)) == (0, "tell")


@pytest.mark.parametrize("narrating", range(4))
def test_c5_1_seats_are_asked_from_the_left_of_the_narrator_on(narrating):
    hands = ["Ladrón, Árbol", "Bosque", "Hacha, Tesoro", QUIET]
    hands[narrating] += ", Corona"
    wanted = [seat % 4 for seat in range(narrating + 1, narrating + 4) if seat % 4 in (0, 1)]
    states = deals.table(hands, tale="Pastora*", narrator=narrating)
    deals.do(states, "tell Bosque")
    assert deals.seats_asked(states) == wanted


def test_c5_1_where_nobody_has_a_say_the_narrator_goes_on():
    states = deals.do(deals.table(["Ladrón", "Hacha", QUIET], tale="Pastora*"), "tell Bosque")
    assert deals.asked(states) == (0, "tell")
    assert states[0].sentences == 2


def test_c5_1_the_narrator_is_not_asked_about_own_cards():
    states = deals.do(deals.table(["Bosque, Árbol", "Hacha", QUIET], tale="Pastora*"), "tell Bosque")
    assert deals.asked(states) == (0, "tell")


def test_c5_1_passing_and_discarding_ask_nobody():
    states = deals.do(deals.table(["Bosque", "Árbol", QUIET], tale="Pastora*"), "pass", "discard Bosque")
    assert deals.asked(states) == (1, "tell")


def test_c5_5_nobody_sees_who_is_asked():
    held = [["Bosque", "Hacha", "Feliz"], ["Hacha", "Bosque", "Feliz"], ["Hacha", "Feliz", "Bosque"]]
    tables = [deals.do(deals.table(["Ladrón", *hands, QUIET], tale="Pastora*"), "tell Bosque") for hands in held]
    assert [deals.asked(states)[0] for states in tables] == [1, 2, 3]
    for states in tables[1:]:
        assert same(tables[0], states, 4)
        assert same(tables[0], states, 0)


def test_c5_5_others_see_of_a_window_what_they_would_see_of_none():
    asking = deals.do(deals.table(["Ladrón", "Bosque", "Hacha", QUIET], tale="Pastora*"), "tell Bosque")
    silent = deals.do(deals.table(["Ladrón", "Feliz", "Hacha", QUIET], tale="Pastora*"), "tell Bosque")
    assert (deals.asked(asking), deals.asked(silent)) == ((1, "react"), (0, "tell"))
    assert same(asking, silent, 3)
    assert same(asking, silent, 2)


def test_h3_nobody_knows_a_reaction_before_all_have_answered():
    hands = ["Ladrón", "Bosque, Árbol", "Cueva", "Río", QUIET]
    states = deals.do(deals.table(hands, tale="Bosque", setup=VOTES), "tell Árbol")
    assert deals.seats_asked(states) == [1]
    states = deals.table(hands, tale="Cueva", setup=VOTES)
    deals.do(states, "tell Bosque")
    said = [deals.after(states, text) for text in ("nothing", "claim Bosque", "claim Árbol")]
    for one in said:
        assert deals.asked(one) == (2, "react")
        assert deals.news(one) == []
        assert deals.shown(one) == set()
        assert deals.choices(one) == {"nothing", "claim Cueva"}
        for seat in (0, 2, 3, 4):
            assert same(said[0], one, seat)


def test_h3_all_reactions_are_laid_open_together():
    states = deals.table(["Ladrón", "Bosque", "Árbol", "Cueva"], tale="Cueva")
    deals.do(states, "tell Bosque")
    deals.answer(states, {1: "claim Bosque", 2: "claim Árbol", 3: "claim Cueva"})
    said = [
        ("claims", 1, deals.card("Bosque"), 100),
        ("claims", 2, deals.card("Árbol"), 70),
        ("claims", 3, deals.card("Cueva"), 100),
    ]
    assert deals.news(states)[:3] == said
    assert not [row for row in deals.news(states)[3:] if row[0] == "claims"]


# C5.2: claims


@pytest.mark.parametrize(
    ("tale", "name", "held", "found"),
    [
        ("Pastora*", "Bosque", "Bosque", 100),
        ("Pastora*", "Bosque", "Árbol", 70),
        ("Pastora*", "Árbol", "Bosque", 50),
        ("Rey*", "bebé", "Niño(a)", 100),
        ("Rey*", "bebé", "Príncipe", 85),
        ("Rey*", "nacimiento", "Princesa", 60),
        ("Huérfano*", "nacimiento", "Niño(a)", 90),
        ("Lobo*", "ruido extraño", "Monstruo", 20),
        ("Lobo*", "dragón", "Monstruo", 90),
        ("Hoguera*", "Lobo", "Monstruo", 30),
        ("Isla*", "Embarcación", "En el mar", 60),
        ("Bruja*, Hoguera*", "Lobo", "Asustado(a)", 10),
        ("Rey*, Reina*", "Dos personas se enamoran", "Encuentro entre personas", 40),
    ],
)
def test_c5_2_a_weakly_meant_card_is_offered(tale, name, held, found):
    states = deals.do(deals.table(["Ladrón", held, QUIET], tale=tale), f"tell {name}")
    assert deals.asked(states) == (1, "react")
    assert deals.choices(states) == {"nothing", f"claim {held}"}
    assert deals.weight(states, held) == found


@pytest.mark.parametrize(
    ("tale", "name", "held"),
    [
        ("Pastora*", "Bosque", "Río"),  # tied, not meant
        ("Lobo*", "Noche", "Hoguera"),  # meant by it, not the other way round
        ("Huérfano*", "bebé", "Príncipe"),  # a prince where there is royalty
        ("Huérfano*", "nacimiento", "Princesa"),
        ("bebé", "Rey", "Niño(a)"),  # a concept as hook is nobody's card
    ],
)
def test_c5_2_a_card_that_is_not_meant_is_not_offered(tale, name, held):
    states = deals.do(deals.table(["Ladrón", held, QUIET], tale=tale, context=tale.rstrip("*")), f"tell {name}")
    assert deals.weight(states, held) == 0
    assert deals.asked(states)[1] == "tell" or f"claim {held}" not in deals.choices(states)


def test_c5_2_what_does_not_matter_cannot_be_claimed():
    """A horse in a list is mentioned without reason, whoever holds its card; a missing tie refuses nothing."""
    states = deals.table(["Ladrón", "Caballo, Llave", QUIET], tale="Libro*, Hada*", listed=2)
    assert deals.sense(states, "Caballo") == 4
    deals.do(states, "tell Caballo")
    assert deals.weight(states, "Caballo") == 0
    assert deals.choices(states) == {"nothing", "protest"}
    states = deals.do(deals.table(["Ladrón", "Caballo, Llave", QUIET], tale="Libro*, Cocina*, Hada*"), "tell Caballo")
    assert deals.choices(states) == {"nothing", "claim Caballo"}
    assert deals.weight(states, "Caballo") == 100


@pytest.mark.parametrize(
    ("tale", "name", "held"),
    [
        ("Hoguera*", "Lobo", "Asustado(a)"),  # the first that could be frightened comes with the sentence
        ("Cueva*", "Lobo", "Asustado(a)"),  # though a cave leads to it
        ("Rey*", "boda", "Dos personas se enamoran"),  # nor is a king alone two who could love
        ("", "Pájaro", "Esto puede volar"),  # the tale has told of nothing that could fly
    ],
)
def test_c5_2_a_claim_is_weighed_by_the_tale_before_the_sentence(tale, name, held):
    states = deals.do(deals.table(["Ladrón", held, QUIET], tale=tale), f"tell {name}")
    assert deals.weight(states, held) == 0
    assert deals.asked(states) == (0, "tell")


def test_c5_2_c11_3_others_can_react_in_a_narrators_worlds():
    """One card may be claimed: of these worlds two come by it only in the end, when it changes places with another."""
    states = deals.do(deals.table(["Ladrón", "Montaña", QUIET], tale="Camino*"), "tell Montaña")
    assert deals.asked(states) == (1, "react")
    for seed in range(5):
        world = deals.redealt(states, 0, seed)
        assert deals.GAME.problems(world) == []
        assert deals.asked(world) in ((1, "react"), (2, "react"))
        assert deals.choices(world) == {"nothing", "claim Montaña"}
        assert deals.hand(world, 0) == ["Ladrón"]


@pytest.mark.parametrize(("facts", "asks"), [("realeza", True), ("familia, pobreza", False)])
def test_c5_2_a_relation_may_depend_on_a_fact(facts, asks):
    states = deals.do(deals.table(["Ladrón", "Princesa", QUIET], tale="Huérfano*", facts=facts), "tell bebé")
    assert deals.asked(states) == ((1, "react") if asks else (0, "tell"))


def test_c5_2_a_hook_not_on_the_table_has_weight_1():
    states = deals.do(deals.table(["Ladrón", "Bosque", QUIET], tale="Bosque"), "tell Hada")
    assert deals.last(states)[2] == "Bosque"
    assert deals.choices(states) == {"nothing", "claim Bosque"}
    assert deals.weight(states, "Bosque") == 100
    assert deals.narrator(deals.do(states, "claim Bosque")) == 1


def test_c5_2_the_hook_is_meant_more_than_the_focus_means_it():
    states = deals.do(deals.table(["Ladrón", "Bosque", QUIET], tale="Bosque"), "tell Árbol")
    assert deals.weight(states, "Bosque") == 100


def test_c5_2_the_rest_of_the_context_is_not_meant():
    states = deals.do(deals.table(["Ladrón", "Bosque", QUIET], tale="Bosque, Pastora*"), "tell Hada")
    assert deals.last(states)[2] == "Pastora"
    assert deals.asked(states) == (0, "tell")


def test_c5_2_a_thing_told_again_may_be_claimed():
    states = deals.do(deals.table(["Ladrón", "Bosque", QUIET], tale="Bosque, Pastora*"), "tell Bosque")
    assert deals.choices(states) == {"nothing", "claim Bosque"}


def test_c5_2_a_card_that_is_played_means_more_than_itself():
    states = deals.do(deals.table(["Bosque, Ladrón", "Árbol, Río", QUIET], tale="Pastora*"), "card Bosque")
    assert deals.choices(states) == {"nothing", "claim Árbol"}


def test_c5_2_several_cards_of_a_hand_are_offered_each():
    states = deals.do(deals.table(["Ladrón", "Niño(a), Príncipe, Princesa, Río", QUIET], tale="Rey*"), "tell bebé")
    assert deals.choices(states) == {"nothing", "claim Niño(a)", "claim Príncipe", "claim Princesa"}


# C5.3: interruptions


@pytest.mark.parametrize("name", EVERY_INTERRUPTION)
def test_c5_3_only_interruptions_of_the_group_are_offered(name):
    held = ", ".join(EVERY_INTERRUPTION.values())
    states = deals.do(
        deals.table([f"{name}, Ladrón", held, QUIET], tale="Capilla, Rey, Camino, Camino, Camino"), f"card {name}"
    )
    offered = {text.removeprefix("interrupt ") for text in deals.choices(states) if text.startswith("interrupt")}
    assert offered == set(EVERY_INTERRUPTION[name].split(", "))


@pytest.mark.parametrize("name", EVERY_INTERRUPTION)
def test_c5_3_a_plain_card_of_the_group_does_not_interrupt(name):
    plain = {"Pastora": "Reina", "Hoguera": "Libro", "Río": "Torre", "Lejano(a)": "Bello(a)", "Pasa el tiempo": "Fuga"}
    states = deals.do(deals.table([f"{name}, Ladrón", plain[name], QUIET], tale="Rey, Montaña, Noche"), f"card {name}")
    assert deals.asked(states) == (0, "tell")


@pytest.mark.parametrize("tale", ["Rey*", "Puerta, Rey*"])
def test_c5_3_a_mention_cannot_be_interrupted(tale):
    states = deals.do(deals.table(["Ladrón", "Árbol", QUIET], tale=f"Ventana*, {tale}"), "tell Puerta")
    assert deals.last(states)[0] in ("bridge", "link")
    assert deals.asked(states) == (0, "tell")


def test_c5_3_an_interruption_played_plainly_is_interrupted():
    states = deals.do(deals.table(["Árbol, Ladrón", "Llave", QUIET], tale="Pastora*"), "card Árbol")
    assert deals.choices(states) == {"nothing", "interrupt Llave"}


def test_c5_3_an_interruption_card_may_be_claimed():
    states = deals.do(deals.table(["Ladrón", "Árbol", QUIET], tale="Pastora*"), "tell Árbol")
    assert deals.choices(states) == {"nothing", "claim Árbol"}
    states = deals.do(deals.table(["Puerta, Ladrón", "Llave", QUIET], tale="Cueva*"), "card Puerta")
    assert deals.choices(states) == {"nothing", "claim Llave", "interrupt Llave"}


# C5.4: protests


@pytest.mark.parametrize(
    ("tale", "text", "fields", "found"),
    [
        ("Libro*", "tell Este animal puede hablar", {}, 2),
        ("Pastora*", "tell Rey", {"listed": 2}, 4),
        ("Libro*, Anillo*", "tell Libro", {"stale": 2}, 3),
        ("Libro*", "tell Anillo", {"idle": 6}, 3),
        ("Pastora*", "card Rey", {"listed": 2}, 4),
    ],
)
def test_c5_4_everybody_may_protest_where_a_sentence_lacks_sense(tale, text, fields, found):
    states = deals.do(deals.table(["Rey, Ladrón", "Hacha", "", QUIET], tale=tale, **fields), text)
    assert deals.last(states)[3] == found
    assert deals.seats_asked(states) == [1, 2, 3]
    assert deals.choices(states) == {"nothing", "protest"}


def test_c5_4_a_sentence_with_full_sense_allows_no_protest():
    states = deals.do(deals.table(["Ladrón", "Bosque", "Hacha"], tale="Pastora*"), "tell Bosque")
    assert deals.choices(states) == {"nothing", "claim Bosque"}


def test_c5_4_each_seat_protests_once_in_a_turn():
    states = deals.table(["Rey, Ladrón", "Hacha", QUIET, "Feliz"], tale="Libro*", setup=VOTES)
    deals.do(states, "tell Fuga")
    deals.answer(states, {1: "protest"})
    assert deals.asked(states) == (2, "vote")
    deals.answer(states, {2: "no", 3: "no"})
    assert deals.asked(states) == (0, "tell")
    deals.do(states, "tell Un rescate")
    assert deals.seats_asked(states) == [2, 3]
    deals.answer(states, {2: "protest"})
    deals.answer(states)
    deals.do(states, "tell Fuga")
    assert deals.seats_asked(states) == [3]


def test_c5_4_a_new_narrator_may_be_protested_against_again():
    states = deals.table(["Rey, Ladrón", "Hacha", QUIET, "Feliz"], tale="Libro*", setup=VOTES)
    deals.do(states, "tell Fuga")
    deals.answer(deals.answer(states, {2: "protest"}))
    deals.silently(states, "pass", "keep", "pass", "keep", "pass", "keep")
    assert deals.narrator(states) == 3
    assert 2 in deals.seats_asked(deals.do(states, "tell Un rescate"))


def test_c5_4_saying_nothing_uses_up_no_protest():
    states = deals.table(["Rey, Ladrón", "Hacha", QUIET], tale="Libro*")
    deals.silently(states, "tell Fuga")
    assert deals.seats_asked(deals.do(states, "tell Un rescate")) == [1, 2]


def test_c5_4_who_may_claim_may_protest_instead():
    states = deals.do(deals.table(["Ladrón", "Rey, Reino", QUIET], tale="Reino, Rey", stale=2), "tell Rey")
    assert deals.choices(states) == {"nothing", "protest", "claim Rey", "claim Reino"}


# Section 14 of the page of rules: windows


def test_example_3_bosque_may_be_claimed_where_it_is_told_of():
    states = deals.table(["Ladrón", "Bosque", QUIET], tale="Dormido(a), Pastora*, Árbol")
    deals.do(states, "tell Bosque", "claim Bosque")
    assert deals.asked(states) == (1, "tell")
    assert deals.where(states, "Bosque") == "table"


@pytest.mark.parametrize("name", ["Niño(a)", "Príncipe"])
def test_example_4_a_baby_is_a_child_and_the_kings_a_prince(name):
    for seed in range(10):
        states = deals.table(
            ["Dos personas se enamoran, Ladrón", name, QUIET], tale="Rey*, leñador, doncella", seed=seed
        )
        deals.silently(states, "card Dos personas se enamoran")
        assert deals.narrator(deals.do(states, "tell boda", "tell bebé", f"claim {name}")) == 1


def test_example_5_a_noise_is_no_monster():
    for seed in range(10):
        states = deals.table(["Ladrón", "Monstruo", QUIET], tale="Cueva*", top="Rey, Reina", seed=seed)
        deals.do(states, "tell ruido extraño", "claim Monstruo")
        assert deals.asked(states) == (0, "tell")
        assert deals.where(states, "Monstruo") == "open"
        assert set(deals.hand(states, 1)) == {"Rey", "Reina"}


def test_example_6_arbol_interrupts_only_a_door_that_is_played():
    states = deals.table(["Puerta, Ladrón", "Hacha", "Árbol"], tale="Anciana*, Palacio*")
    assert deals.asked(deals.after(states, "tell Puerta")) == (0, "tell")
    deals.do(states, "card Puerta")
    assert deals.choices(states) == {"nothing", "interrupt Árbol"}
    assert deals.asked(deals.do(states, "interrupt Árbol")) == (2, "tell")


@pytest.mark.parametrize(
    ("tale", "name", "found"),
    [
        ("Anciano*", "Niño(a)", 100),
        ("Anciano*", "héroe", 100),
        ("Anciano*", "Lobo", 50),  # is a wolf a person?
        ("Lobo*", "Niño(a)", 50),
        ("Anciano*, Niño(a)*", "Anciano", 50),  # had they met before?
        ("Anciano*", "Libro", 0),
        ("Palacio*", "Niño(a)", 0),
        ("Anciano*", "bebé", 0),
    ],
)
def test_c5_2_two_who_meet_have_met(tale, name, found):
    states = deals.do(deals.table(["Ladrón", "Encuentro entre personas", QUIET], tale=tale), f"tell {name}")
    assert deals.weight(states, "Encuentro entre personas") == found
    assert deals.asked(states) == ((1, "react") if found else (0, "tell"))


def test_c5_2_a_hook_counts_only_if_words_can_name_it():
    """No words join the night to somebody's beauty."""
    states = deals.do(deals.table(["Ladrón", "Bello(a)", QUIET], tale="Rey*, Bello(a)"), "tell Noche")
    assert deals.last(states)[2] == "Bello(a)"
    assert deals.weight(states, "Bello(a)") == 0


def test_example_7_a_man_in_the_window_is_no_encounter():
    states = deals.table(["Ventana, Ladrón", "Encuentro entre personas", QUIET], tale="Anciana*, Palacio*")
    deals.silently(states, "card Ventana")
    deals.do(states, "tell caballero")
    assert deals.weight(states, "Encuentro entre personas") == 0
    assert deals.asked(states) == (0, "tell")


def test_example_8_a_claimed_journey_lets_the_narrator_draw():
    states = deals.table(
        ["Ladrón", QUIET, "Un viaje, Pueblo, Montaña"], tale="Anciana*, Rey*, héroe", top="Torre, Isla"
    )
    deals.do(states, "tell Un viaje", "claim Un viaje")
    assert deals.asked(states) == (2, "tell")
    assert set(deals.hand(states, 0)) == {"Ladrón", "Torre"}
    assert deals.hand(states, 2) == ["Pueblo", "Montaña"]
    assert deals.where(states, "Un viaje") == "table"


def test_example_9_who_passes_discards_a_card_and_draws_one():
    states = deals.table(["Ladrón", "Hacha", "Río, Rey"], tale="Rana*", top="Torre, Isla", narrator=2)
    deals.do(states, "pass", "discard Río")
    assert deals.asked(states) == (0, "tell")
    assert set(deals.hand(states, 2)) == {"Rey", "Torre"}
    assert deals.where(states, "Río") == "buried"


def test_example_10_of_two_claims_at_once_one_is_first():
    for seed in range(10):
        states = deals.table(["Ladrón", "Niño(a)", "Príncipe"], tale="Rey*", seed=seed)
        deals.do(states, "tell bebé")
        deals.answer(states, {1: "claim Niño(a)", 2: "claim Príncipe"})
        winner = deals.narrator(states)
        assert winner in (1, 2)
        assert (len(deals.hand(states, winner)), len(deals.hand(states, 3 - winner))) == (0, 1)
        assert set(deals.hand(states, 1) + deals.hand(states, 2)) < {"Niño(a)", "Príncipe"}
