"""Attacks and the barrier in *Corre el encierro* (C6, C8); C and H numbers as in RULES.md."""

from collections import Counter

import encierro_tables as deals
import numpy as np
import pytest
from encierro_tables import places
from scale import scaled

pytestmark = pytest.mark.kernels

NEAR = ("Tu minuto de gloria", "Por mirón", "Consejo de veterano")
OBJECT_ATTACKS = (*NEAR, "Kilikis")
HAND_ATTACKS = ("Línea roja", "Chupete", "Garrotazo")
ALL_ATTACKS = (*OBJECT_ATTACKS, *HAND_ATTACKS, "El Pillo", "Desde la barrera")
BARRERA, PILLO, OVS = "Desde la barrera", "El Pillo", "Otra vez será"


def targets(states, attack):
    """Return the targets of `attack` as steps clockwise."""
    return {int(name[-1]) for name in deals.choices(states) if name.startswith(f"{attack} +")}


# C6.1: at whom


@pytest.mark.parametrize("attack", NEAR)
def test_c6_1_near_ones_reach_the_same_location_and_the_next(attack):
    assert targets(deals.table("3 3 4 2 5", hands=[attack]), attack) == {1, 2}
    assert targets(deals.table("2 1 6 3 2", hands=["", "", "", attack], turn=3), attack) == set()


@pytest.mark.parametrize("attack", ["Kilikis", *HAND_ATTACKS, PILLO, BARRERA])
def test_c6_1_the_others_reach_every_location(attack):
    hands = [attack, "Recorte", "Acurrucado", "Olé maestro", "Zaldiko"]
    assert targets(deals.table("3 3 4 2 6", hands=hands), attack) == {1, 2, 3, 4}


@pytest.mark.parametrize("attack", ALL_ATTACKS)
def test_c6_1_only_el_pillo_reaches_behind_the_barrier(attack):
    hands = [attack, "Recorte", "", "Zaldiko"]
    states = deals.table("3 3 - 3", hands=hands, status=["running", "behind"])
    assert targets(states, attack) == ({1, 3} if attack == PILLO else {3})


@pytest.mark.parametrize("attack", ALL_ATTACKS)
def test_c6_1_one_warned_may_be_attacked_but_not_warned_again(attack):
    states = deals.table("3 3 3", hands=[attack, "Recorte", "Zaldiko"], status=["running", "warned"])
    assert targets(states, attack) == ({2} if attack == BARRERA else {1, 2})


@pytest.mark.parametrize("attack", [*HAND_ATTACKS, PILLO])
def test_c6_1_nothing_is_taken_from_an_empty_hand(attack):
    assert targets(deals.table("3 3 3", hands=[attack, "", "Zaldiko"]), attack) == {2}


# C6.2: attacks on objects


@pytest.mark.parametrize("attack", OBJECT_ATTACKS)
def test_c6_2_the_target_loses_an_object(attack):
    before = deals.table("3 3", hands=[f"{attack}, Avanzar tramo", "Recorte"])
    states = deals.after(before, f"{attack} +1")
    assert deals.objects(states) == [5, 4]
    assert deals.discarded(before, states) == [attack]
    assert deals.asked(states) == (0, "play")


@pytest.mark.parametrize("attack", OBJECT_ATTACKS)
def test_c6_2_or_the_special_object(attack):
    states = deals.after(deals.table("3 3", hands=[attack, ""], specials=[None, "Capote"]), f"{attack} +1")
    assert deals.asked(states) == (1, "pay")
    assert deals.choices(states) == {"lose an object", "give the special object"}
    deals.play(states, "give the special object")
    assert deals.objects(states) == [5, 5]
    assert deals.special(states, 1) is None


def test_c6_2_or_goes_back_or_is_out_with_ropa_basica_alone():
    before = deals.table("3 3 1", hands=["Kilikis, Avanzar tramo", "Capote, Zaldiko", ""], objects=[5, 1])
    states = deals.after(before, "Kilikis +1")
    assert deals.choices(states) == {"go back", "lose Ropa básica"}
    back = deals.after(states, "go back")
    assert (places(back), deals.objects(back)) == ([3, 2, 1], [5, 1, 5])
    assert deals.asked(back) == (0, "play")
    out = deals.after(states, "lose Ropa básica")
    assert deals.status_of(out, 1) == "out"
    assert sorted(deals.discarded(before, out)) == sorted(["Kilikis", "Capote", "Zaldiko"])


def test_c6_2_defences_against_bulls_and_falls_do_not_help():
    hands = ["Kilikis", "Recorte, Zaldiko, Toro volteado"]
    states = deals.after(deals.table("3 3", hands=hands), "Kilikis +1")
    assert deals.objects(states) == [5, 4]


def test_c6_2_the_attacker_is_left_alone_and_wins():
    states = deals.after(deals.table("1 1", hands=["Kilikis", ""], objects=[1, 1]), "Kilikis +1")
    assert deals.winners(states) == ("last runner", [0])


# C6.3: a card is lost


@pytest.mark.parametrize("attack", HAND_ATTACKS)
def test_c6_3_one_card_of_the_target_is_discarded(attack):
    before = deals.table("3 5", hands=[f"{attack}, Avanzar tramo", "Recorte, Zaldiko"])
    states = deals.after(before, f"{attack} +1")
    (lost,) = set(deals.discarded(before, states)) - {attack}
    assert [lost, *deals.hand(states, 1)] in (["Recorte", "Zaldiko"], ["Zaldiko", "Recorte"])
    assert deals.asked(states) == (0, "play")


def test_c6_3_any_card_alike_two_of_a_kind_twice():
    tries, lost = scaled(600), Counter()
    held = "Avanzar tramo, Avanzar tramo, Recorte, Zaldiko"
    for seed in range(tries):
        before = deals.table("3 5", hands=["Chupete, Avanzar tramo", held], seed=seed)
        lost.update(set(deals.discarded(before, deals.after(before, "Chupete +1"))) - {"Chupete"})
    expected = np.array([tries / 2, tries / 4, tries / 4])
    seen = np.array([lost[name] for name in ("Avanzar tramo", "Recorte", "Zaldiko")])
    assert (abs(seen - expected) < 5 * np.sqrt(expected)).all()


# C6.4: El Pillo


def test_c6_4_one_card_comes_into_the_hand_of_the_robber():
    before = deals.table("3 5", hands=[f"{PILLO}, Avanzar tramo", "Recorte"])
    states = deals.after(before, f"{PILLO} +1")
    assert deals.hand(states, 0) == ["Recorte", "Avanzar tramo"]
    assert deals.hand(states, 1) == []
    assert deals.discarded(before, states) == [PILLO]


def test_c6_4_any_card_alike():
    tries, taken = scaled(600), Counter()
    for seed in range(tries):
        states = deals.after(
            deals.table("3 5", hands=[f"{PILLO}, Kilikis", "Recorte, Zaldiko, Capote"], seed=seed), f"{PILLO} +1"
        )
        taken.update(set(deals.hand(states, 0)) - {"Kilikis"})
    assert (abs(np.array(list(taken.values())) - tries / 3) < 5 * np.sqrt(tries / 3)).all()
    assert set(taken) == {"Recorte", "Zaldiko", "Capote"}


def test_c6_4_it_is_usable_at_once():
    states = deals.after(deals.table("3 5", hands=[PILLO, "Avanzar tramo"]), f"{PILLO} +1")
    assert deals.asked(states) == (0, "play")
    deals.play(states, "Avanzar tramo")
    assert places(states) == [4, 5]


def test_c6_4_a_robbed_pillo_robs():
    states = deals.after(deals.table("3 5 1", hands=[PILLO, PILLO, "Recorte"]), f"{PILLO} +1", f"{PILLO} +2")
    assert deals.hand(states, 0) == ["Recorte"]


def test_c6_4_one_behind_the_barrier_is_robbed_too():
    states = deals.table("3 3 3", hands=[PILLO, "Kilikis", ""], status=["running", "behind"])
    deals.play(states, f"{PILLO} +1")
    assert deals.hand(states, 0) == ["Kilikis"]
    assert deals.status_of(states, 1) == "behind"


# C6.5: Desde la barrera


@pytest.mark.parametrize("place", [1, 3, 6])
def test_c6_5_it_is_aimed_at_any_runner_without_one(place):
    before = deals.table(f"3 {place}", hands=[f"{BARRERA}, Avanzar tramo", ""])
    states = deals.after(before, f"{BARRERA} +1")
    assert deals.status_of(states, 1) == "warned"
    assert deals.discarded(before, states) == []  # C8.1: it lies before him
    assert deals.asked(states) == (0, "play")


# C6.6: Otra vez será


@pytest.mark.parametrize("attack", ALL_ATTACKS)
def test_c6_6_it_cancels_any_attack(attack):
    before = deals.table("3 3", hands=[f"{attack}, Avanzar tramo", f"{OVS}, Recorte"], objects=[5, 3])
    states = deals.after(before, f"{attack} +1")
    assert deals.asked(states) == (1, "answer")
    assert deals.choices(states) == {"nothing", OVS}
    deals.play(states, OVS)
    assert deals.objects(states) == [5, 3]
    assert deals.hand(states, 1) == ["Recorte"]
    assert deals.hand(states, 0) == ["Avanzar tramo"]
    assert deals.status_of(states, 1) == "running"
    assert sorted(deals.discarded(before, states)) == sorted([attack, OVS])
    assert deals.asked(states) == (0, "play")


def test_c6_6_it_may_be_kept():
    states = deals.after(deals.table("3 3", hands=["Kilikis, Avanzar tramo", OVS]), "Kilikis +1", "nothing")
    assert deals.objects(states) == [5, 4]
    assert deals.hand(states, 1) == [OVS]


def test_c6_6_it_may_be_the_card_that_is_lost():
    before = deals.table("3 3", hands=["Chupete, Avanzar tramo", OVS])
    states = deals.after(before, "Chupete +1", "nothing")
    assert sorted(deals.discarded(before, states)) == sorted(["Chupete", OVS])


def test_c6_6_the_attacker_does_not_answer_it():
    states = deals.after(deals.table("3 3", hands=[f"Kilikis, {OVS}, Avanzar tramo", OVS]), "Kilikis +1", OVS)
    assert deals.asked(states) == (0, "play")
    assert deals.hand(states, 0) == [OVS, "Avanzar tramo"]


@pytest.mark.parametrize("card", ["Chulín", "Selfie"])
def test_c6_6_it_does_not_help_against_bulls_and_falls(card):
    states = deals.play(deals.drawing("2 2", hands=[OVS, OVS], pile=card), "draw")
    assert deals.objects(states) == [4, 4]
    assert deals.in_discards(states, OVS) <= 1  # the third one


def test_c6_6_nor_against_a_bull_sent_on():
    states = deals.play(
        deals.drawing("2 1", hands=["Toro volteado", f"{OVS}, Kilikis"], pile="Chulín"), "draw", "Toro volteado +1"
    )
    assert deals.objects(states) == [5, 4]


# C8: the barrier


def warned(places="2 2 2", *, hands=("Kilikis", "Recorte, Zaldiko, Avanzar tramo", "Chupete, Acurrucado"), **settings):
    """Return a table where seat 1 has been warned, and the turn of seat 0 is about to end."""
    return deals.drawing(places, hands=hands, status=["running", "warned", "running"], **settings)


def test_c8_1_until_his_turn_he_is_hit_and_defends_himself():
    states = deals.play(warned(pile="Chulín"), "draw")
    assert deals.objects(states) == [4, 5, 5]
    assert deals.asked(states) == (1, "defend")
    deals.play(states, "Recorte")
    assert deals.objects(states) == [4, 5, 5]
    assert deals.asked(states) == (2, "defend")


def test_c8_1_and_attacked():
    states = deals.table("2 2", hands=["Kilikis, Avanzar tramo", OVS], status=["running", "warned"])
    deals.play(states, "Kilikis +1")
    assert deals.asked(states) == (1, "answer")


def test_c8_1_and_saves_himself_from_the_cabestros():
    states = deals.play(warned("2 1 2", pile="Capote", beneath=0), "draw")
    assert deals.asked(states) == (1, "save")
    deals.play(states, "Avanzar tramo")
    assert deals.status_of(states, 1) == "warned"
    assert places(states) == [2, 2, 2]


def test_c8_2_his_turn_is_skipped():
    before = warned()
    states = deals.after(before, "stop")
    assert deals.status_of(states, 1) == "behind"
    assert states[0].turn == 2
    assert deals.hand(states, 1) == deals.hand(before, 1)
    assert states[0].pile_size == before[0].pile_size
    assert deals.in_discards(states, BARRERA) == deals.in_discards(before, BARRERA)


def test_c8_2_the_others_play_two_turns_between_his():
    states = deals.play(deals.drawing("2 2", hands=["Kilikis", "Recorte"], status=["running", "warned"]), "stop")
    assert states[0].turn == 0
    assert deals.status_of(states, 1) == "behind"


def test_c8_2_two_may_be_warned_at_once():
    states = deals.play(deals.drawing("2 2 2", hands=["Kilikis"], status=["running", "warned", "warned"]), "stop")
    assert states[0].turn == 0
    assert [deals.status_of(states, seat) for seat in (1, 2)] == ["behind", "behind"]


def test_c8_3_nothing_reaches_him_but_el_pillo():
    hands = [f"Kilikis, {PILLO}, Chupete, Por mirón, Intercambio", "Recorte", ""]
    states = deals.table("2 2 2", hands=hands, status=["running", "behind"])
    assert deals.choices(states) == {"done", "Kilikis +2", "Por mirón +2", f"{PILLO} +1"}
    states = deals.play(
        deals.drawing("2 2 2", hands=["", "Recorte"], status=["running", "behind"], pile="Chulín"), "draw"
    )
    assert deals.objects(states) == [4, 5, 4]


def test_c8_4_the_next_turn_discards_the_card_and_is_played():
    before = deals.drawing("2 2", hands=["Kilikis", "Recorte, Avanzar tramo"], status=["running", "behind"])
    states = deals.after(before, "stop")
    assert deals.asked(states) == (1, "play")
    assert deals.status_of(states, 1) == "running"
    assert deals.discarded(before, states) == [BARRERA]
    deals.play(states, "Avanzar tramo")
    assert places(states) == [2, 3]


def test_c8_5_behind_the_barrier_he_may_answer_el_pillo():
    before = deals.table("2 2", hands=[f"{PILLO}, Avanzar tramo", OVS], status=["running", "behind"])
    states = deals.after(before, f"{PILLO} +1")
    assert deals.asked(states) == (1, "answer")
    cancelled = deals.after(states, OVS)
    assert sorted(deals.discarded(before, cancelled)) == sorted([PILLO, OVS])
    assert deals.hand(cancelled, 0) == ["Avanzar tramo"]
    assert deals.status_of(cancelled, 1) == "behind"
    assert deals.hand(deals.after(states, "nothing"), 0) == [OVS, "Avanzar tramo"]


def test_c8_6_behind_the_barrier_he_does_not_save_himself():
    hands = ["Avanzar tramo, Recorte", "Avanzar tramo, Zaldiko", ""]
    before = deals.drawing("1 1 2", hands=hands, status=["running", "behind"], pile="Kilikis", beneath=0)
    states = deals.after(before, "draw")
    assert deals.asked(states) == (0, "save")
    deals.play(states, "Avanzar tramo")
    assert deals.status_of(states, 1) == "out"
    assert places(states) == [2, 0, 2]


def test_c8_the_whole_life_of_desde_la_barrera():
    """Seat 1 is warned, passed over, robbed behind the barrier, missed there by a fall, and back."""
    hands = [f"{BARRERA}, Recorte", "Zaldiko, Avanzar tramo", f"{PILLO}, Kilikis"]
    states = deals.table("2 2 2", hands=hands, pile="Capote, Chupete, Selfie, Línea roja, Acurrucado, Olé maestro")
    deals.play(states, f"{BARRERA} +1")
    assert deals.status_of(states, 1) == "warned"
    assert deals.in_discards(states, BARRERA) == 1  # the other one
    deals.play(states, "done", "stop")  # seat 0 has discarded nothing and drawn one card
    assert states[0].turn == 2
    assert deals.status_of(states, 1) == "behind"
    assert targets(states, "Kilikis") == {1}
    deals.play(states, f"{PILLO} +2")
    assert len(deals.hand(states, 1)) == 1
    deals.play(states, *_to_the_draw(states), "stop")
    assert states[0].turn == 0
    assert deals.status_of(states, 1) == "behind"
    assert deals.in_discards(states, BARRERA) == 1
    deals.play(states, *_to_the_draw(states))  # a fall comes, which does not reach seat 1
    assert states[0].turn == 1
    assert deals.objects(states) == [4, 5, 4]
    assert deals.status_of(states, 1) == "running"
    assert deals.in_discards(states, BARRERA) == 2


def _to_the_draw(states):
    """Return the actions that end playing and discarding."""
    return ["done"] * (2 if deals.asked(states)[1] == "play" else 1)
