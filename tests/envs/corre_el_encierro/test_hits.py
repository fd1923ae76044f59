"""Bulls, falls and special objects in *Corre el encierro* (C5, C7); C and H numbers as in RULES.md."""

import encierro_tables as deals
import pytest
from encierro_tables import places

pytestmark = pytest.mark.kernels

BULLS = ("Chulín", "Tornasol", "Manchado", "Perdigón", "Bravucón", "Hurón")
FALLS = ("Selfie", "Entre Pintxos", "Pobre de ti")
AGAINST_BULLS = ("Recorte", "Olé maestro", "Santo Patrón", "Acurrucado")
AGAINST_FALLS = ("El baile de los gigantes", "Zaldiko", "Desayuno de campeones", "Ernest Hemingway", "Encierro Txiki")
BULL, FALL = "Chulín", "Selfie"
TORO = "Toro volteado"


def shown(places, card=BULL, **settings):
    """Return a table where seat 0 (or `turn`) has just drawn `card`."""
    return deals.play(deals.drawing(places, pile=card, **settings), "draw")


# C5.1: whom a card that must be shown hits


@pytest.mark.parametrize("card", BULLS + FALLS)
def test_c5_1_only_runners_on_the_drawers_location_are_hit(card):
    states = shown("2 2 3 1 2", card, hands=["Kilikis"] * 1)
    assert deals.objects(states) == [4, 4, 5, 5, 4]
    assert states[0].turn == 1


def test_c5_1_the_drawer_first_then_clockwise():
    states = shown("2 2 2 2", hands=["Recorte", "Olé maestro", "Acurrucado", "Santo Patrón"], turn=2)
    for seat, defence in ((2, "Acurrucado"), (3, "Santo Patrón"), (0, "Recorte"), (1, "Olé maestro")):
        assert deals.asked(states) == (seat, "defend")
        deals.play(states, defence)
    assert deals.asked(states) == (2, "draw")
    assert deals.objects(states) == [5, 5, 5, 5]


def test_c5_1_not_those_behind_the_barrier_but_those_warned():
    states = shown("2 2 2", FALL, hands=["Zaldiko"], status=["running", "behind", "warned"])
    deals.play(states, "Zaldiko")
    assert deals.objects(states) == [5, 5, 4]


def test_c5_1_whom_it_hits_is_fixed_when_it_is_shown():
    """The bull goes to a runner who goes back onto the location: the card itself does not hit that runner."""
    states = shown("1 2 1", hands=[TORO, "", "Recorte"], objects=[5, 1, 5])
    deals.play(states, f"{TORO} +1", "go back")
    assert places(states) == [1, 1, 1]
    assert deals.asked(states) == (2, "defend")
    deals.play(states, "nothing")
    assert deals.objects(states) == [5, 1, 4]
    assert deals.asked(states) == (0, "draw")


def test_c5_1_who_leaves_the_stretch_is_hit_all_the_same():
    """The bull goes to a runner who goes back from the location: the card then hits that runner as well."""
    states = shown("2 2", hands=[TORO, "Recorte"], objects=[5, 1])
    deals.play(states, f"{TORO} +1", "nothing", "go back")
    assert places(states) == [2, 1]
    assert deals.asked(states) == (1, "defend")
    deals.play(states, "Recorte")
    assert deals.asked(states) == (0, "draw")


def test_c5_1_the_card_shown_is_discarded_when_all_are_through():
    before = shown("2 2", hands=["Recorte, Zaldiko", "Acurrucado"])
    assert before[0].card < 36
    states = deals.after(before, "Recorte")
    assert deals.discarded(before, states) == ["Recorte"]
    deals.play(states, "Acurrucado")
    assert deals.discarded(before, states) == ["Recorte", "Acurrucado", BULL]


# C5.2: how a hit is answered


@pytest.mark.parametrize(
    ("card", "defence"),
    [(BULL, defence) for defence in AGAINST_BULLS] + [(FALL, defence) for defence in AGAINST_FALLS],
)
def test_c5_2_each_fitting_card_repels(card, defence):
    before = deals.drawing("2 1", hands=[defence, "Kilikis"], pile=card)
    states = deals.after(before, "draw")
    assert deals.choices(states) == {"nothing", defence}
    deals.play(states, defence)
    assert deals.objects(states) == [5, 5]
    assert deals.discarded(before, states) == [defence, card]


def test_c5_2_cards_that_do_not_fit_are_no_answer():
    against_a_bull = "Recorte, Olé maestro, Santo Patrón, Acurrucado"
    assert deals.asked(shown("2 1", FALL, hands=[against_a_bull, ""]))[0] == 1
    states = shown("2 1", hands=["Zaldiko, Encierro Txiki, Otra vez será, Recorte", ""])
    assert deals.choices(states) == {"nothing", "Recorte"}


def test_c5_2_a_fall_is_not_sent_on():
    states = shown("2 1", FALL, hands=[TORO, "Kilikis"])
    assert deals.objects(states) == [4, 5]


def test_c5_2_one_may_take_the_hit_though_one_could_answer():
    states = shown("2 1", hands=["Recorte", "Kilikis"])
    deals.play(states, "nothing")
    assert deals.objects(states) == [4, 5]
    assert deals.hand(states, 0) == ["Recorte"]


def test_c5_2_one_card_is_enough():
    states = shown("2 1", hands=["Recorte, Acurrucado", "Kilikis"])
    deals.play(states, "Recorte")
    assert deals.asked(states) == (0, "draw")
    assert deals.hand(states, 0) == ["Acurrucado"]


def test_c5_2_who_has_no_answer_is_not_asked():
    states = shown("2 2 2", hands=["Kilikis", "Zaldiko", "Recorte"])
    assert deals.asked(states) == (2, "defend")
    assert deals.objects(states) == [4, 4, 5]


# C5.3: Toro volteado


def test_c5_3_the_bull_goes_to_any_other_runner_wherever_he_is():
    states = shown("3 1 6 -", hands=[TORO, "", "Kilikis"])
    assert deals.choices(states) == {"nothing", f"{TORO} +1", f"{TORO} +2"}
    deals.play(states, f"{TORO} +2")
    assert deals.objects(states) == [5, 5, 4, 0]
    assert deals.asked(states) == (0, "draw")


def test_c5_3_not_to_one_behind_the_barrier_but_to_one_warned():
    states = shown("3 1 1", hands=[TORO, "", ""], status=["running", "behind", "warned"])
    assert deals.choices(states) == {"nothing", f"{TORO} +2"}


@pytest.mark.parametrize("defence", AGAINST_BULLS)
def test_c5_3_whom_it_is_sent_to_may_answer(defence):
    states = shown("3 1", hands=[TORO, defence])
    deals.play(states, f"{TORO} +1")
    assert deals.asked(states) == (1, "defend")
    assert deals.choices(states) == {"nothing", defence}
    deals.play(states, defence)
    assert deals.objects(states) == [5, 5]
    assert deals.asked(states) == (0, "draw")


def test_c5_3_and_use_his_capote():
    states = deals.play(shown("3 1", hands=[TORO, ""], specials=[None, "Capote"]), f"{TORO} +1")
    assert deals.choices(states) == {"nothing", "Capote"}
    deals.play(states, "Capote")
    assert deals.objects(states) == [5, 5]


def test_c5_3_a_bull_may_return_to_its_sender():
    before = deals.drawing("3 1", hands=[f"{TORO}, Recorte", TORO], pile=BULL)
    states = deals.after(before, "draw", f"{TORO} +1")
    assert deals.asked(states) == (1, "defend")
    deals.play(states, f"{TORO} +1")
    assert deals.asked(states) == (0, "defend")
    assert deals.choices(states) == {"nothing", "Recorte"}
    deals.play(states, "Recorte")
    assert deals.objects(states) == [5, 5]
    assert deals.asked(states) == (0, "draw")
    assert deals.discarded(before, states) == ["Recorte", TORO, TORO, BULL]


def test_c5_3_or_go_on_to_a_third_runner():
    states = shown("3 1 5", hands=[TORO, TORO, "Recorte"])
    deals.play(states, f"{TORO} +1")
    assert deals.choices(states) == {"nothing", f"{TORO} +1", f"{TORO} +2"}
    deals.play(states, f"{TORO} +1")
    assert deals.asked(states) == (2, "defend")
    deals.play(states, "nothing")
    assert deals.objects(states) == [5, 5, 4]


def test_c5_3_the_chain_comes_before_the_next_runner_of_the_card():
    states = shown("2 2 6", hands=[TORO, "Recorte", "Acurrucado"])
    deals.play(states, f"{TORO} +2")
    assert deals.asked(states) == (2, "defend")
    deals.play(states, "Acurrucado")
    assert deals.asked(states) == (1, "defend")


def test_c5_3_without_anybody_to_send_it_to_the_card_repels():
    before = deals.drawing("2 2", hands=[TORO, ""], status=["running", "behind"], pile=BULL)
    states = deals.after(before, "draw")
    assert deals.choices(states) == {"nothing", TORO}
    deals.play(states, TORO)
    assert deals.objects(states) == [5, 5]
    assert deals.discarded(before, states) == [TORO, BULL]
    assert deals.asked(states) == (0, "draw")


def test_c5_3_with_somebody_to_send_it_to_it_must_be_sent():
    assert TORO not in deals.choices(shown("2 1", hands=[TORO, ""]))


def test_c5_3_a_runner_may_be_hit_twice_by_one_bull():
    states = shown("2 2 1", hands=[TORO, "", "Kilikis"])
    deals.play(states, f"{TORO} +1")
    assert deals.objects(states) == [5, 3, 5]
    assert deals.asked(states) == (0, "draw")


def test_c5_3_twice_hit_he_answers_twice():
    states = shown("2 2 1", hands=[TORO, "Recorte, Acurrucado", "Kilikis"])
    deals.play(states, f"{TORO} +1", "Recorte")
    assert deals.asked(states) == (1, "defend")
    deals.play(states, "Acurrucado")
    assert deals.objects(states) == [5, 5, 5]


# C5.4 and C5.5: paying


def test_c5_4_an_object_or_the_special_one():
    states = shown("2 1", hands=["Kilikis", ""], specials=["Zapatillas"])
    assert deals.asked(states) == (0, "pay")
    assert deals.choices(states) == {"lose an object", "give the special object"}
    before = states.copy()
    assert deals.objects(deals.after(states, "lose an object")) == [4, 5]
    given = deals.after(states, "give the special object")
    assert deals.objects(given) == [5, 5]
    assert deals.special(given, 0) is None
    assert sorted(deals.discarded(before, given)) == sorted(["Zapatillas", BULL])


def test_c5_4_without_special_an_object_goes_unasked():
    states = shown("2 1", hands=["Kilikis", ""], objects=[2])
    assert deals.objects(states) == [1, 5]
    assert deals.status_of(states, 0) == "running"


def test_c5_4_the_special_goes_before_ropa_basica():
    states = shown("4 1", hands=["Kilikis", ""], objects=[1], specials=["Capote"], card=FALL)
    assert deals.objects(states) == [1, 5]  # unasked: there is no other way
    assert places(states) == [4, 1]
    assert deals.special(states, 0) is None


def test_c5_4_lost_objects_do_not_come_onto_the_discard_pile():
    before = deals.drawing("2 1", hands=["Kilikis", ""], pile=BULL)
    assert deals.discarded(before, deals.after(before, "draw")) == [BULL]


def test_c5_5_with_ropa_basica_alone_one_may_go_back_or_be_out():
    states = shown("4 1 1", hands=["Kilikis", "Recorte", ""], objects=[1])
    assert deals.choices(states) == {"go back", "lose Ropa básica"}
    back = deals.after(states, "go back")
    assert places(back) == [3, 1, 1]
    assert deals.objects(back) == [1, 5, 5]
    out = deals.after(states, "lose Ropa básica")
    assert deals.status_of(out, 0) == "out"
    assert deals.objects(out) == [0, 5, 5]


@pytest.mark.parametrize(("place", "closed", "open_"), [(1, 0, False), (2, 0, True), (3, 2, False), (4, 2, True)])
def test_c5_5_going_back_needs_an_open_location(place, closed, open_):
    """One location ahead of the Cabestros there is none."""
    states = shown(f"{place} 6 6", hands=["Kilikis", "Recorte", ""], objects=[1], closed=closed)
    if open_:
        assert deals.choices(states) == {"go back", "lose Ropa básica"}
    else:
        assert deals.status_of(states, 0) == "out"  # unasked


def test_c5_5_another_one_s_draw_lets_one_go_back_too():
    states = shown("4 4 1", hands=["Recorte", "", ""], objects=[5, 1])
    deals.play(states, "Recorte")
    assert deals.asked(states) == (1, "pay")
    deals.play(states, "go back")
    assert places(states) == [4, 3, 1]
    assert deals.asked(states) == (0, "draw")


def test_c5_5_and_so_does_a_bull_sent_on():
    states = deals.play(shown("1 4 1", hands=[TORO, "", ""], objects=[5, 1]), f"{TORO} +1")
    assert deals.asked(states) == (1, "pay")
    assert places(deals.after(states, "go back"))[1] == 3


# C5.6: what stops the drawer


@pytest.mark.parametrize("way", ["lose an object", "give the special object"])
def test_c5_6_who_pays_draws_no_more(way):
    states = deals.play(shown("2 1", hands=["Kilikis", "Zaldiko"], specials=["Zapatillas"]), way)
    assert states[0].turn == 1


def test_c5_6_a_bounced_bull_stops_the_drawer():
    states = shown("3 1", hands=[TORO, f"{TORO}, Kilikis"])
    deals.play(states, f"{TORO} +1", f"{TORO} +1")
    assert deals.objects(states) == [4, 5]
    assert states[0].turn == 1


def test_c5_6_a_bull_sent_by_one_hit_after_him_stops_the_drawer():
    states = shown("3 3", hands=["Recorte", f"{TORO}, Kilikis"])
    deals.play(states, "Recorte", f"{TORO} +1")
    assert deals.objects(states) == [4, 5]
    assert states[0].turn == 1


def test_c5_6_who_goes_back_before_a_bounced_bull_draws_on():
    states = shown("4 1", hands=[TORO, f"{TORO}, Kilikis"], objects=[1])
    deals.play(states, f"{TORO} +1", f"{TORO} +1", "go back")
    assert places(states) == [3, 1]
    assert deals.asked(states) == (0, "draw")


def test_c5_6_an_earlier_loss_does_not_stop_the_next_turns_draw():
    states = deals.drawing("2 1", hands=["Kilikis", ""], pile=[BULL, "Zaldiko", "Recorte"])
    deals.play(states, "draw", "stop")  # seat 0 loses an object, seat 1 has one draw
    assert deals.asked(states) == (0, "play")
    deals.play(states, "done", "done")
    assert deals.asked(states) == (0, "draw")


# C5.7: somebody out in the middle


def test_c5_7_a_runner_who_is_out_is_skipped():
    """The bull eliminates the next runner in line; the third is hit as before."""
    states = shown("1 1 1", hands=[TORO, "", "Recorte"], objects=[5, 1, 5])
    deals.play(states, f"{TORO} +1")
    assert deals.status_of(states, 1) == "out"
    assert deals.asked(states) == (2, "defend")
    deals.play(states, "nothing")
    assert deals.objects(states) == [5, 0, 4]
    assert deals.asked(states) == (0, "draw")


def test_c5_7_the_turn_of_a_drawer_who_is_out_ends_after_hits():
    states = shown("1 1 1 2", hands=["", "Recorte", "Acurrucado", ""], objects=[1])
    assert deals.status_of(states, 0) == "out"
    assert deals.asked(states) == (1, "defend")
    deals.play(states, "nothing")
    assert deals.asked(states) == (2, "defend")
    deals.play(states, "Acurrucado")
    assert states[0].turn == 1
    assert deals.asked(states)[0] == 1
    assert deals.objects(states) == [0, 4, 5, 5]


def test_c5_7_then_a_due_sweep_then_the_end_of_the_turn():
    hands = ["", "Recorte, Avanzar tramo", "Kilikis", "Acurrucado"]
    states = shown("1 1 2 2", hands=hands, objects=[1], beneath=0)
    assert deals.status_of(states, 0) == "out"
    assert deals.asked(states) == (1, "defend")
    assert states[0].closed == 0
    deals.play(states, "Recorte")
    assert states[0].closed == 1
    assert deals.asked(states) == (1, "save")
    deals.play(states, "Avanzar tramo")
    assert places(states) == [0, 2, 2, 2]
    assert states[0].turn == 1
    assert states[0].pile_size > 20


def test_c5_7_the_last_runner_wins_before_the_rest_is_asked():
    states = shown("1 1 1", hands=["", "", "Recorte"], objects=[1, 1, 1])
    assert deals.winners(states) == ("last runner", [2])
    assert deals.hand(states, 2) == ["Recorte"]
    assert deals.objects(states) == [0, 0, 1]


# C7: special objects


@pytest.mark.parametrize(("name", "card"), [("Capote", BULL), ("Líquido de agarre", FALL)])
def test_c7_1_not_from_the_hand_but_once_laid(name, card):
    in_hand = deals.drawing("2 1", hands=[name, ""], pile=card)
    assert deals.objects(deals.after(in_hand, "draw")) == [4, 5]
    laid = deals.table("2 1", hands=[name, ""], pile=card)
    deals.play(laid, f"lay {name}")
    assert deals.asked(laid) == (0, "defend")
    assert deals.choices(laid) == {"nothing", name}


@pytest.mark.parametrize(("name", "card"), [("Capote", BULL), ("Líquido de agarre", FALL)])
def test_c7_2_it_repels_and_the_drawer_goes_on(name, card):
    before = deals.drawing("2 1", hands=["", ""], specials=[name], pile=card)
    states = deals.after(before, "draw", name)
    assert deals.objects(states) == [5, 5]
    assert deals.special(states, 0) is None
    assert sorted(deals.discarded(before, states)) == sorted([name, card])
    assert deals.asked(states) == (0, "draw")


@pytest.mark.parametrize(("name", "card"), [("Capote", FALL), ("Líquido de agarre", BULL), ("Zapatillas", BULL)])
def test_c7_3_any_may_pay_and_then_the_draw_is_over(name, card):
    states = shown("2 1", card, hands=["", "Kilikis"], specials=[name])
    assert deals.asked(states) == (0, "pay")
    deals.play(states, "give the special object")
    assert deals.objects(states) == [5, 5]
    assert states[0].turn == 1


def test_c7_3_a_capote_that_could_have_been_a_shield_may_pay():
    states = shown("2 1", hands=["", "Kilikis"], specials=["Capote"])
    deals.play(states, "nothing", "give the special object")
    assert deals.objects(states) == [5, 5]
    assert states[0].turn == 1


def test_c7_4_used_ones_are_discarded():
    before = deals.drawing("2 2", hands=["", "Kilikis"], specials=["Capote", "Zapatillas"], pile=BULL)
    states = deals.after(before, "draw", "Capote", "give the special object")
    assert sorted(deals.discarded(before, states)) == sorted(["Capote", "Zapatillas", BULL])


def test_c7_5_zapatillas_serve_with_avanzar_tramo_alone():
    states = deals.table("2 3", hands=["Santo Patrón, Ernest Hemingway, Intercambio", ""], specials=["Zapatillas"])
    assert deals.choices(states) == {"done", "Santo Patrón + Ernest Hemingway", "Intercambio +1"}
    for way in ("Santo Patrón + Ernest Hemingway", "Intercambio +1"):
        assert deals.special(deals.after(states, way), 0) == "Zapatillas"


def test_c7_5_zapatillas_repel_nothing():
    for card in (BULL, FALL):
        states = shown("2 1", card, hands=["", ""], specials=["Zapatillas"])
        assert deals.choices(states) == {"lose an object", "give the special object"}
