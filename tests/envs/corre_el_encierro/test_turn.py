"""A turn in *Corre el encierro*: playing, advancing, discarding, drawing (C3, C4); C and H numbers as in RULES.md."""

import encierro_tables as deals
import pytest
from scale import scaled

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.testing.check import setups

pytestmark = pytest.mark.kernels

BULL, FALL = "Chulín", "Selfie"
MOVES = "Avanzar tramo, La carrera de tu vida, Santo Patrón, Ernest Hemingway, Intercambio"


# C3: the turn


def test_c3_1_any_number_of_cards_may_be_played():
    states = deals.table(
        "1 1", hands=["Línea roja, Chupete, Garrotazo, Capote, Kilikis", "Recorte, Olé maestro, Zaldiko"]
    )
    deals.play(states, "lay Capote", "Línea roja +1", "Chupete +1", "Kilikis +1")
    assert deals.asked(states) == (0, "play")
    deals.play(states, "Garrotazo +1")
    assert deals.objects(states) == [5, 4]
    assert deals.hand(states, 1) == []


def test_c3_1_or_none():
    states = deals.table("1 1", hands=["Kilikis, Avanzar tramo", "Recorte"])
    assert "done" in deals.choices(states)
    deals.play(states, "done")
    assert deals.asked(states) == (0, "discard")
    assert deals.hand(states, 0) == ["Kilikis", "Avanzar tramo"]


def test_c3_1_cards_that_answer_others_are_not_played_in_turn():
    hands = ["Recorte, Toro volteado, Zaldiko, Otra vez será, La carrera de tu vida", "Capote"]
    assert deals.choices(deals.table("1 1", hands=hands)) == {"done"}


def test_c3_1_playing_comes_before_discarding_and_drawing():
    states = deals.table("1 1", hands=["Kilikis", "Recorte"], pile="Capote, Zaldiko")
    deals.play(states, "done", "done")
    assert deals.hand(states, 0) == ["Kilikis", "Capote"]
    assert deals.choices(states) == {"draw", "stop"}


@pytest.mark.parametrize("way", ["Avanzar tramo", "Santo Patrón + Ernest Hemingway", "Intercambio +1"])
def test_c3_2_one_advances_once_a_turn(way):
    states = deals.table("2 3", hands=[MOVES, "Recorte"], pile="Avanzar tramo")
    deals.play(states, way)
    assert deals.asked(states) == (0, "discard")  # H2: there is nothing else to play
    assert deals.places(states)[0] == (4 if "Patrón" in way else 3)


def test_c3_2_and_again_in_the_next_turn():
    states = deals.table("1 1", hands=["Avanzar tramo, Avanzar tramo", ""], pile="Zaldiko, Recorte, Acurrucado")
    deals.play(states, "Avanzar tramo")
    assert "Avanzar tramo" not in deals.choices(states)
    deals.end_turn(deals.end_turn(states))
    assert deals.asked(states) == (0, "play")
    deals.play(states, "Avanzar tramo")
    assert deals.places(states) == [3, 1]


def test_c3_3_a_special_object_is_laid_beside_the_objects():
    before = deals.table("1 1", hands=["Capote, Recorte", "Kilikis"])
    states = deals.after(before, "lay Capote")
    assert deals.special(states, 0) == "Capote"
    assert deals.hand(states, 0) == ["Recorte"]
    assert deals.discarded(before, states) == []


def test_c3_3_another_one_replaces_it_and_the_first_is_discarded():
    before = deals.table("1 1", hands=["Zapatillas, Recorte", ""], specials=["Capote"])
    states = deals.after(before, "lay Zapatillas")
    assert deals.special(states, 0) == "Zapatillas"
    assert deals.discarded(before, states) == ["Capote"]
    assert deals.hand(states, 0) == ["Recorte"]


def test_c3_3_two_may_be_laid_in_one_turn_and_the_second_stays():
    before = deals.table("1 1", hands=["Zapatillas, Líquido de agarre, Kilikis", ""])
    states = deals.after(before, "lay Líquido de agarre", "lay Zapatillas")
    assert deals.special(states, 0) == "Zapatillas"
    assert deals.discarded(before, states) == ["Líquido de agarre"]


def test_c3_3_objetos_perdidos_recovers_one_object():
    before = deals.table("1 1", hands=["Objetos perdidos, Objetos perdidos", ""], objects=[3, 5])
    states = deals.after(before, "Objetos perdidos")
    assert deals.objects(states) == [4, 5]
    assert deals.discarded(before, states) == ["Objetos perdidos"]
    deals.play(states, "Objetos perdidos")
    assert deals.objects(states) == [5, 5]


def test_c3_3_nothing_is_recovered_where_nothing_is_lost():
    states = deals.table("1 1", hands=["Objetos perdidos, Capote", ""], objects=[5, 1])
    assert deals.choices(states) == {"done", "lay Capote"}
    states = deals.table("1 1", hands=["Objetos perdidos", ""], specials=["Capote"], objects=[4])
    assert "Objetos perdidos" in deals.choices(states)
    assert deals.special(deals.after(states, "Objetos perdidos"), 0) == "Capote"


def test_c3_4_any_number_of_cards_may_be_discarded():
    before = deals.table("1 1", hands=["Recorte, Kilikis, Zaldiko", "Capote"], pile="Acurrucado")
    states = deals.after(before, "done", "discard Kilikis")
    assert deals.choices(states) == {"done", "discard Recorte", "discard Zaldiko"}
    assert deals.discarded(before, states) == ["Kilikis"]
    states = deals.after(states, "discard Recorte", "discard Zaldiko")  # with no card left, drawing begins by itself
    assert deals.hand(states, 0) == ["Acurrucado"]
    assert deals.asked(states) == (0, "draw")


def test_c3_4_who_holds_five_must_discard_one():
    states = deals.table("1 1", hands=["Capote, Recorte, Kilikis, Zaldiko, Chupete", ""])
    deals.play(states, "done")
    assert "done" not in deals.choices(states)
    assert all(name.startswith("discard ") for name in deals.choices(states))
    deals.play(states, "discard Recorte")
    assert "done" in deals.choices(states)


def test_c3_4_who_has_played_one_of_five_need_not():
    states = deals.table("1 1", hands=["Kilikis, Olé maestro, Recorte, Zaldiko, Chupete", "Capote"])
    deals.play(states, "Kilikis +1", "Chupete +1")
    assert deals.asked(states) == (0, "discard")
    assert "done" in deals.choices(states)


def test_c3_5_the_first_draw_is_compulsory():
    states = deals.table("1 1", hands=["Recorte", "Kilikis"], pile="Zaldiko, Chupete")
    deals.play(states, "done", "done")
    assert deals.hand(states, 0) == ["Recorte", "Zaldiko"]
    assert deals.asked(states) == (0, "draw")


def test_c3_5_a_card_that_must_be_shown_is_a_draw_too():
    states = deals.table("1 2", hands=["Recorte, Kilikis", "Zaldiko"], pile="Chulín, Chupete")
    deals.play(states, "done", "done", "Recorte")
    assert deals.asked(states) == (0, "draw")
    deals.play(states, "stop")
    assert states[0].turn == 1


def test_c3_6_one_draws_on_up_to_five_cards():
    states = deals.drawing("1 1", hands=["Kilikis, Zaldiko", "Por mirón"], pile="Capote, Recorte")
    deals.play(states, "draw", "draw")
    assert deals.asked(states) == (0, "draw")
    deals.play(states, "draw")
    assert states[0].hand_size[0] == 5
    assert states[0].turn == 1


@pytest.mark.parametrize("draws", [0, 1, 2])
def test_c3_6_or_stops_when_one_likes(draws):
    states = deals.drawing("1 1", hands=["Kilikis", "Por mirón"], pile="Capote, Recorte")
    deals.play(states, *["draw"] * draws, "stop")
    assert states[0].hand_size[0] == 1 + draws
    assert states[0].turn == 1


def test_c3_6_what_must_be_shown_takes_no_place_in_the_hand():
    states = deals.drawing(
        "1 2", hands=["Recorte, Olé maestro, Acurrucado, Zaldiko", "Kilikis"], pile="Chulín, Hurón, Capote"
    )
    deals.play(states, "draw", "Recorte", "draw", "Acurrucado", "draw")
    assert deals.hand(states, 0) == ["Olé maestro", "Zaldiko", "Capote"]
    assert deals.asked(states) == (0, "draw")


def test_c3_6_who_loses_an_object_draws_no_more():
    states = deals.drawing("1 2", hands=["Kilikis", "Por mirón"], pile=BULL)
    deals.play(states, "draw")
    assert deals.objects(states) == [4, 5]
    assert states[0].turn == 1


def test_c3_6_drawing_goes_on_after_a_retreat():
    states = deals.drawing("3 1", hands=["Kilikis", "Por mirón"], pile="Chulín, Capote", objects=[1])
    deals.play(states, "draw", "go back")
    assert deals.places(states) == [2, 1]
    assert deals.asked(states) == (0, "draw")
    deals.play(states, "draw")
    assert deals.hand(states, 0) == ["Kilikis", "Capote"]


def test_c3_6_a_retreat_at_the_first_draw_is_enough_of_a_draw():
    states = deals.table("3 1", hands=["", "Por mirón"], pile=BULL, objects=[1])
    deals.play(states, "done", "go back")
    assert deals.choices(states) == {"draw", "stop"}


@pytest.mark.parametrize("victim", [1, 2])
def test_c3_6_losses_of_others_stop_nobody(victim):
    places_ = "1 1 2" if victim == 1 else "1 2 1"
    states = deals.drawing(places_, hands=["Recorte, Kilikis", "Por mirón", "Chupete"], pile=BULL)
    deals.play(states, "draw", "Recorte")
    assert deals.objects(states)[victim] == 4
    assert deals.asked(states) == (0, "draw")


def test_c3_7_cards_drawn_in_this_phase_are_not_played_in_it():
    states = deals.drawing("1 1", hands=["", "Por mirón"], pile="Avanzar tramo, Capote, Kilikis")
    for _ in range(3):
        deals.play(states, "draw")
        assert deals.choices(states) == {"draw", "stop"}


@pytest.mark.parametrize(("defence", "shown"), [("Recorte", BULL), ("Zaldiko", FALL)])
def test_c3_7_but_they_defend(defence, shown):
    states = deals.drawing("1 2", hands=["", "Por mirón"], pile=[defence, shown])
    deals.play(states, "draw", "draw", defence)
    assert deals.objects(states) == [5, 5]
    assert deals.asked(states) == (0, "draw")


# C4: advancing


def test_c4_1_avanzar_tramo_advances_one():
    assert deals.places(deals.after(deals.table("3 1", hands=["Avanzar tramo", ""]), "Avanzar tramo")) == [4, 1]


def test_c4_2_with_la_carrera_two():
    before = deals.table("3 1", hands=["Avanzar tramo, La carrera de tu vida", ""])
    states = deals.after(before, "Avanzar tramo + La carrera de tu vida")
    assert deals.places(states) == [5, 1]
    assert deals.discarded(before, states) == ["Avanzar tramo", "La carrera de tu vida"]
    assert "Avanzar tramo" in deals.choices(before)  # La carrera may be kept


def test_c4_2_la_carrera_alone_is_no_move():
    assert deals.choices(deals.table("3 1", hands=["La carrera de tu vida", ""])) == {"done"}


def test_c4_3_with_zapatillas_two():
    before = deals.table("3 1", hands=["Avanzar tramo", ""], specials=["Zapatillas"])
    assert {"Avanzar tramo", "Avanzar tramo + Zapatillas"} <= deals.choices(before)
    states = deals.after(before, "Avanzar tramo + Zapatillas")
    assert deals.places(states) == [5, 1]
    assert deals.special(states, 0) is None
    assert deals.discarded(before, states) == ["Avanzar tramo", "Zapatillas"]


def test_c4_3_zapatillas_may_be_kept():
    states = deals.after(deals.table("3 1", hands=["Avanzar tramo", ""], specials=["Zapatillas"]), "Avanzar tramo")
    assert deals.places(states) == [4, 1]
    assert deals.special(states, 0) == "Zapatillas"


def test_c4_3_zapatillas_serve_from_the_moment_they_lie_down():
    states = deals.table("3 1", hands=["Avanzar tramo, Zapatillas", ""])
    assert "Avanzar tramo + Zapatillas" not in deals.choices(states)  # C7.1: not from the hand
    deals.play(states, "lay Zapatillas", "Avanzar tramo + Zapatillas")
    assert deals.places(states) == [5, 1]


def test_c4_4_santo_patron_with_ernest_hemingway_two():
    before = deals.table("3 1", hands=["Santo Patrón, Ernest Hemingway", ""])
    states = deals.after(before, "Santo Patrón + Ernest Hemingway")
    assert deals.places(states) == [5, 1]
    assert deals.discarded(before, states) == ["Santo Patrón", "Ernest Hemingway"]


@pytest.mark.parametrize("one", ["Santo Patrón", "Ernest Hemingway"])
def test_c4_4_neither_of_them_alone(one):
    assert deals.choices(deals.table("3 1", hands=[one, "Avanzar tramo"])) == {"done"}


def test_c4_5_intercambio_swaps_with_a_runner_one_ahead():
    before = deals.table("2 3 5 2", hands=["Intercambio", "", "", ""])
    assert deals.choices(before) == {"done", "Intercambio +1"}
    states = deals.after(before, "Intercambio +1")
    assert deals.places(states) == [3, 2, 5, 2]
    assert deals.discarded(before, states) == ["Intercambio"]


def test_c4_5_any_runner_one_ahead_whatever_his_seat():
    assert deals.choices(deals.table("3 4 4 2", hands=["Intercambio"], turn=0)) == {
        "done",
        "Intercambio +1",
        "Intercambio +2",
    }
    assert deals.choices(deals.table("3 4 2 2", hands=["", "", "Intercambio"], turn=2)) == {"done", "Intercambio +2"}
    assert deals.choices(deals.table("3 3 1 5", hands=["Intercambio"])) == {"done"}


def test_c4_5_swaps_with_warned_but_not_barred_runners():
    hands = ["Intercambio", "", ""]
    assert deals.choices(deals.table("3 4 4", hands=hands, status=["running", "behind", "warned"])) == {
        "done",
        "Intercambio +2",
    }


def test_c4_5_no_otra_vez_sera_against_intercambio():
    states = deals.after(deals.table("3 4", hands=["Intercambio", "Otra vez será"]), "Intercambio +1")
    assert deals.places(states) == [4, 3]
    assert deals.asked(states)[0] == 0
    assert deals.hand(states, 1) == ["Otra vez será"]


def test_c4_6_bonuses_do_not_add_up():
    states = deals.table("1 1", hands=["Avanzar tramo, La carrera de tu vida", ""], specials=["Zapatillas"])
    deals.play(states, "Avanzar tramo + La carrera de tu vida")
    assert deals.places(states) == [3, 1]
    assert deals.special(states, 0) == "Zapatillas"
    assert states[0].moved


@pytest.mark.parametrize(
    ("way", "hold", "lies"),
    [
        ("Avanzar tramo + La carrera de tu vida", "Avanzar tramo, La carrera de tu vida", None),
        ("Avanzar tramo + Zapatillas", "Avanzar tramo", "Zapatillas"),
        ("Santo Patrón + Ernest Hemingway", "Santo Patrón, Ernest Hemingway", None),
    ],
)
def test_c4_6_two_steps_from_the_sixth_location_end_at_the_plaza(way, hold, lies):
    states = deals.after(deals.table("6 1 1", hands=[hold, ""], specials=[lies]), way)
    assert deals.places(states) == [7, 1, 1]
    assert deals.winners(states) == ("plaza", [0])
    assert deals.paid(states) == [1, -0.5, -0.5]


def test_c4_7_cards_used_go_to_the_discard_pile():
    before = deals.table("3 1", hands=["Avanzar tramo", ""])
    assert deals.discarded(before, deals.after(before, "Avanzar tramo")) == ["Avanzar tramo"]


# H2: who has no choice is not asked


def test_h2_who_has_nothing_to_play_is_asked_what_to_discard():
    states = deals.drawing("1 1", hands=["Recorte", "Zaldiko"])
    deals.play(states, "stop")
    assert deals.asked(states) == (1, "discard")


def test_h2_who_has_no_card_draws_at_once():
    states = deals.drawing("1 1", hands=["Recorte", ""], pile="Zaldiko")
    deals.play(states, "stop")
    assert deals.asked(states) == (1, "draw")
    assert deals.hand(states, 1) == ["Zaldiko"]


@pytest.mark.parametrize("setup", setups(deals.GAME), ids=str)
def test_h2_nobody_is_asked_who_has_one_choice(setup):
    for deal in range(scaled(20)):
        for ply in random_deal(deals.GAME, deal, setup):
            assert ply.states[0].over or ply.mask.sum() > 1
