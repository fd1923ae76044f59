"""A turn in *Corre el encierro*: playing, advancing, discarding, drawing (C3, C4); C and H numbers as in RULES.md."""

import pytest
from encierro_tables import (
    GAME,
    after,
    asked,
    choices,
    discarded,
    drawing,
    end_turn,
    hand,
    objects,
    paid,
    places,
    play,
    special,
    table,
    winners,
)
from scale import scaled

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.testing.check import setups

pytestmark = pytest.mark.kernels

BULL, FALL = "Chulín", "Selfie"
MOVES = "Avanzar tramo, La carrera de tu vida, Santo Patrón, Ernest Hemingway, Intercambio"


# C3: the turn


def test_c3_1_any_number_of_cards_may_be_played():
    states = table("1 1", hands=["Línea roja, Chupete, Garrotazo, Capote, Kilikis", "Recorte, Olé maestro, Zaldiko"])
    play(states, "lay Capote", "Línea roja +1", "Chupete +1", "Kilikis +1")
    assert asked(states) == (0, "play")
    play(states, "Garrotazo +1")
    assert objects(states) == [5, 4]
    assert hand(states, 1) == []


def test_c3_1_or_none():
    states = table("1 1", hands=["Kilikis, Avanzar tramo", "Recorte"])
    assert "done" in choices(states)
    play(states, "done")
    assert asked(states) == (0, "discard")
    assert hand(states, 0) == ["Kilikis", "Avanzar tramo"]


def test_c3_1_cards_that_answer_others_are_not_played_in_turn():
    hands = ["Recorte, Toro volteado, Zaldiko, Otra vez será, La carrera de tu vida", "Capote"]
    assert choices(table("1 1", hands=hands)) == {"done"}


def test_c3_1_playing_comes_before_discarding_and_drawing():
    states = table("1 1", hands=["Kilikis", "Recorte"], pile="Capote, Zaldiko")
    play(states, "done", "done")
    assert hand(states, 0) == ["Kilikis", "Capote"]
    assert choices(states) == {"draw", "stop"}


@pytest.mark.parametrize("way", ["Avanzar tramo", "Santo Patrón + Ernest Hemingway", "Intercambio +1"])
def test_c3_2_one_advances_once_a_turn(way):
    states = table("2 3", hands=[MOVES, "Recorte"], pile="Avanzar tramo")
    play(states, way)
    assert asked(states) == (0, "discard")  # H2: there is nothing else to play
    assert places(states)[0] == (4 if "Patrón" in way else 3)


def test_c3_2_and_again_in_the_next_turn():
    states = table("1 1", hands=["Avanzar tramo, Avanzar tramo", ""], pile="Zaldiko, Recorte, Acurrucado")
    play(states, "Avanzar tramo")
    assert "Avanzar tramo" not in choices(states)
    end_turn(end_turn(states))
    assert asked(states) == (0, "play")
    play(states, "Avanzar tramo")
    assert places(states) == [3, 1]


def test_c3_3_a_special_object_is_laid_beside_the_objects():
    before = table("1 1", hands=["Capote, Recorte", "Kilikis"])
    states = after(before, "lay Capote")
    assert special(states, 0) == "Capote"
    assert hand(states, 0) == ["Recorte"]
    assert discarded(before, states) == []


def test_c3_3_another_one_replaces_it_and_the_first_is_discarded():
    before = table("1 1", hands=["Zapatillas, Recorte", ""], specials=["Capote"])
    states = after(before, "lay Zapatillas")
    assert special(states, 0) == "Zapatillas"
    assert discarded(before, states) == ["Capote"]
    assert hand(states, 0) == ["Recorte"]


def test_c3_3_two_may_be_laid_in_one_turn_and_the_second_stays():
    before = table("1 1", hands=["Zapatillas, Líquido de agarre, Kilikis", ""])
    states = after(before, "lay Líquido de agarre", "lay Zapatillas")
    assert special(states, 0) == "Zapatillas"
    assert discarded(before, states) == ["Líquido de agarre"]


def test_c3_3_objetos_perdidos_recovers_one_object():
    before = table("1 1", hands=["Objetos perdidos, Objetos perdidos", ""], objects=[3, 5])
    states = after(before, "Objetos perdidos")
    assert objects(states) == [4, 5]
    assert discarded(before, states) == ["Objetos perdidos"]
    play(states, "Objetos perdidos")
    assert objects(states) == [5, 5]


def test_c3_3_nothing_is_recovered_where_nothing_is_lost():
    states = table("1 1", hands=["Objetos perdidos, Capote", ""], objects=[5, 1])
    assert choices(states) == {"done", "lay Capote"}
    states = table("1 1", hands=["Objetos perdidos", ""], specials=["Capote"], objects=[4])
    assert "Objetos perdidos" in choices(states)
    assert special(after(states, "Objetos perdidos"), 0) == "Capote"


def test_c3_4_any_number_of_cards_may_be_discarded():
    before = table("1 1", hands=["Recorte, Kilikis, Zaldiko", "Capote"], pile="Acurrucado")
    states = after(before, "done", "discard Kilikis")
    assert choices(states) == {"done", "discard Recorte", "discard Zaldiko"}
    assert discarded(before, states) == ["Kilikis"]
    states = after(states, "discard Recorte", "discard Zaldiko")  # with no card left, drawing begins by itself
    assert hand(states, 0) == ["Acurrucado"]
    assert asked(states) == (0, "draw")


def test_c3_4_who_holds_five_must_discard_one():
    states = table("1 1", hands=["Capote, Recorte, Kilikis, Zaldiko, Chupete", ""])
    play(states, "done")
    assert "done" not in choices(states)
    assert all(name.startswith("discard ") for name in choices(states))
    play(states, "discard Recorte")
    assert "done" in choices(states)


def test_c3_4_who_has_played_one_of_five_need_not():
    states = table("1 1", hands=["Kilikis, Olé maestro, Recorte, Zaldiko, Chupete", "Capote"])
    play(states, "Kilikis +1", "Chupete +1")
    assert asked(states) == (0, "discard")
    assert "done" in choices(states)


def test_c3_5_the_first_draw_is_compulsory():
    states = table("1 1", hands=["Recorte", "Kilikis"], pile="Zaldiko, Chupete")
    play(states, "done", "done")
    assert hand(states, 0) == ["Recorte", "Zaldiko"]
    assert asked(states) == (0, "draw")


def test_c3_5_a_card_that_must_be_shown_is_a_draw_too():
    states = table("1 2", hands=["Recorte, Kilikis", "Zaldiko"], pile="Chulín, Chupete")
    play(states, "done", "done", "Recorte")
    assert asked(states) == (0, "draw")
    play(states, "stop")
    assert states[0].turn == 1


def test_c3_6_one_draws_on_up_to_five_cards():
    states = drawing("1 1", hands=["Kilikis, Zaldiko", "Por mirón"], pile="Capote, Recorte")
    play(states, "draw", "draw")
    assert asked(states) == (0, "draw")
    play(states, "draw")
    assert states[0].hand_size[0] == 5
    assert states[0].turn == 1


@pytest.mark.parametrize("draws", [0, 1, 2])
def test_c3_6_or_stops_when_one_likes(draws):
    states = drawing("1 1", hands=["Kilikis", "Por mirón"], pile="Capote, Recorte")
    play(states, *["draw"] * draws, "stop")
    assert states[0].hand_size[0] == 1 + draws
    assert states[0].turn == 1


def test_c3_6_what_must_be_shown_takes_no_place_in_the_hand():
    states = drawing(
        "1 2", hands=["Recorte, Olé maestro, Acurrucado, Zaldiko", "Kilikis"], pile="Chulín, Hurón, Capote"
    )
    play(states, "draw", "Recorte", "draw", "Acurrucado", "draw")
    assert hand(states, 0) == ["Olé maestro", "Zaldiko", "Capote"]
    assert asked(states) == (0, "draw")


def test_c3_6_who_loses_an_object_draws_no_more():
    states = drawing("1 2", hands=["Kilikis", "Por mirón"], pile=BULL)
    play(states, "draw")
    assert objects(states) == [4, 5]
    assert states[0].turn == 1


def test_c3_6_drawing_goes_on_after_a_retreat():
    states = drawing("3 1", hands=["Kilikis", "Por mirón"], pile="Chulín, Capote", objects=[1])
    play(states, "draw", "go back")
    assert places(states) == [2, 1]
    assert asked(states) == (0, "draw")
    play(states, "draw")
    assert hand(states, 0) == ["Kilikis", "Capote"]


def test_c3_6_a_retreat_at_the_first_draw_is_enough_of_a_draw():
    states = table("3 1", hands=["", "Por mirón"], pile=BULL, objects=[1])
    play(states, "done", "go back")
    assert choices(states) == {"draw", "stop"}


@pytest.mark.parametrize("victim", [1, 2])
def test_c3_6_losses_of_others_stop_nobody(victim):
    places_ = "1 1 2" if victim == 1 else "1 2 1"
    states = drawing(places_, hands=["Recorte, Kilikis", "Por mirón", "Chupete"], pile=BULL)
    play(states, "draw", "Recorte")
    assert objects(states)[victim] == 4
    assert asked(states) == (0, "draw")


def test_c3_7_cards_drawn_in_this_phase_are_not_played_in_it():
    states = drawing("1 1", hands=["", "Por mirón"], pile="Avanzar tramo, Capote, Kilikis")
    for _ in range(3):
        play(states, "draw")
        assert choices(states) == {"draw", "stop"}


@pytest.mark.parametrize(("defence", "shown"), [("Recorte", BULL), ("Zaldiko", FALL)])
def test_c3_7_but_they_defend(defence, shown):
    states = drawing("1 2", hands=["", "Por mirón"], pile=[defence, shown])
    play(states, "draw", "draw", defence)
    assert objects(states) == [5, 5]
    assert asked(states) == (0, "draw")


# C4: advancing


def test_c4_1_avanzar_tramo_advances_one():
    assert places(after(table("3 1", hands=["Avanzar tramo", ""]), "Avanzar tramo")) == [4, 1]


def test_c4_2_with_la_carrera_two():
    before = table("3 1", hands=["Avanzar tramo, La carrera de tu vida", ""])
    states = after(before, "Avanzar tramo + La carrera de tu vida")
    assert places(states) == [5, 1]
    assert discarded(before, states) == ["Avanzar tramo", "La carrera de tu vida"]
    assert "Avanzar tramo" in choices(before)  # La carrera may be kept


def test_c4_2_la_carrera_alone_is_no_move():
    assert choices(table("3 1", hands=["La carrera de tu vida", ""])) == {"done"}


def test_c4_3_with_zapatillas_two():
    before = table("3 1", hands=["Avanzar tramo", ""], specials=["Zapatillas"])
    assert {"Avanzar tramo", "Avanzar tramo + Zapatillas"} <= choices(before)
    states = after(before, "Avanzar tramo + Zapatillas")
    assert places(states) == [5, 1]
    assert special(states, 0) is None
    assert discarded(before, states) == ["Avanzar tramo", "Zapatillas"]


def test_c4_3_zapatillas_may_be_kept():
    states = after(table("3 1", hands=["Avanzar tramo", ""], specials=["Zapatillas"]), "Avanzar tramo")
    assert places(states) == [4, 1]
    assert special(states, 0) == "Zapatillas"


def test_c4_3_zapatillas_serve_from_the_moment_they_lie_down():
    states = table("3 1", hands=["Avanzar tramo, Zapatillas", ""])
    assert "Avanzar tramo + Zapatillas" not in choices(states)  # C7.1: not from the hand
    play(states, "lay Zapatillas", "Avanzar tramo + Zapatillas")
    assert places(states) == [5, 1]


def test_c4_4_santo_patron_with_ernest_hemingway_two():
    before = table("3 1", hands=["Santo Patrón, Ernest Hemingway", ""])
    states = after(before, "Santo Patrón + Ernest Hemingway")
    assert places(states) == [5, 1]
    assert discarded(before, states) == ["Santo Patrón", "Ernest Hemingway"]


@pytest.mark.parametrize("one", ["Santo Patrón", "Ernest Hemingway"])
def test_c4_4_neither_of_them_alone(one):
    assert choices(table("3 1", hands=[one, "Avanzar tramo"])) == {"done"}


def test_c4_5_intercambio_swaps_with_a_runner_one_ahead():
    before = table("2 3 5 2", hands=["Intercambio", "", "", ""])
    assert choices(before) == {"done", "Intercambio +1"}
    states = after(before, "Intercambio +1")
    assert places(states) == [3, 2, 5, 2]
    assert discarded(before, states) == ["Intercambio"]


def test_c4_5_any_runner_one_ahead_whatever_his_seat():
    assert choices(table("3 4 4 2", hands=["Intercambio"], turn=0)) == {"done", "Intercambio +1", "Intercambio +2"}
    assert choices(table("3 4 2 2", hands=["", "", "Intercambio"], turn=2)) == {"done", "Intercambio +2"}
    assert choices(table("3 3 1 5", hands=["Intercambio"])) == {"done"}


def test_c4_5_swaps_with_warned_but_not_barred_runners():
    hands = ["Intercambio", "", ""]
    assert choices(table("3 4 4", hands=hands, status=["running", "behind", "warned"])) == {"done", "Intercambio +2"}


def test_c4_5_no_otra_vez_sera_against_intercambio():
    states = after(table("3 4", hands=["Intercambio", "Otra vez será"]), "Intercambio +1")
    assert places(states) == [4, 3]
    assert asked(states)[0] == 0
    assert hand(states, 1) == ["Otra vez será"]


def test_c4_6_bonuses_do_not_add_up():
    states = table("1 1", hands=["Avanzar tramo, La carrera de tu vida", ""], specials=["Zapatillas"])
    play(states, "Avanzar tramo + La carrera de tu vida")
    assert places(states) == [3, 1]
    assert special(states, 0) == "Zapatillas"
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
    states = after(table("6 1 1", hands=[hold, ""], specials=[lies]), way)
    assert places(states) == [7, 1, 1]
    assert winners(states) == ("plaza", [0])
    assert paid(states) == [1, -0.5, -0.5]


def test_c4_7_cards_used_go_to_the_discard_pile():
    before = table("3 1", hands=["Avanzar tramo", ""])
    assert discarded(before, after(before, "Avanzar tramo")) == ["Avanzar tramo"]


# H2: who has no choice is not asked


def test_h2_who_has_nothing_to_play_is_asked_what_to_discard():
    states = drawing("1 1", hands=["Recorte", "Zaldiko"])
    play(states, "stop")
    assert asked(states) == (1, "discard")


def test_h2_who_has_no_card_draws_at_once():
    states = drawing("1 1", hands=["Recorte", ""], pile="Zaldiko")
    play(states, "stop")
    assert asked(states) == (1, "draw")
    assert hand(states, 1) == ["Zaldiko"]


@pytest.mark.parametrize("setup", setups(GAME), ids=str)
def test_h2_nobody_is_asked_who_has_one_choice(setup):
    for deal in range(scaled(20)):
        for ply in random_deal(GAME, deal, setup):
            assert ply.states[0].over or ply.mask.sum() > 1
