"""Attacks and the barrier in *Corre el encierro* (C6, C8); C and H numbers as in RULES.md."""

from collections import Counter

import numpy as np
import pytest
from encierro_tables import (
    after,
    asked,
    choices,
    discarded,
    drawing,
    hand,
    in_discards,
    objects,
    places,
    play,
    special,
    status_of,
    table,
    winners,
)
from scale import scaled

pytestmark = pytest.mark.kernels

NEAR = ("Tu minuto de gloria", "Por mirón", "Consejo de veterano")
OBJECT_ATTACKS = (*NEAR, "Kilikis")
HAND_ATTACKS = ("Línea roja", "Chupete", "Garrotazo")
ALL_ATTACKS = (*OBJECT_ATTACKS, *HAND_ATTACKS, "El Pillo", "Desde la barrera")
BARRERA, PILLO, OVS = "Desde la barrera", "El Pillo", "Otra vez será"


def targets(states, attack):
    """Return the targets of `attack` as steps clockwise."""
    return {int(name[-1]) for name in choices(states) if name.startswith(f"{attack} +")}


# C6.1: at whom


@pytest.mark.parametrize("attack", NEAR)
def test_c6_1_near_ones_reach_the_same_location_and_the_next(attack):
    assert targets(table("3 3 4 2 5", hands=[attack]), attack) == {1, 2}
    assert targets(table("2 1 6 3 2", hands=["", "", "", attack], turn=3), attack) == set()


@pytest.mark.parametrize("attack", ["Kilikis", *HAND_ATTACKS, PILLO, BARRERA])
def test_c6_1_the_others_reach_every_location(attack):
    hands = [attack, "Recorte", "Acurrucado", "Olé maestro", "Zaldiko"]
    assert targets(table("3 3 4 2 6", hands=hands), attack) == {1, 2, 3, 4}


@pytest.mark.parametrize("attack", ALL_ATTACKS)
def test_c6_1_only_el_pillo_reaches_behind_the_barrier(attack):
    hands = [attack, "Recorte", "", "Zaldiko"]
    states = table("3 3 - 3", hands=hands, status=["running", "behind"])
    assert targets(states, attack) == ({1, 3} if attack == PILLO else {3})


@pytest.mark.parametrize("attack", ALL_ATTACKS)
def test_c6_1_one_warned_may_be_attacked_but_not_warned_again(attack):
    states = table("3 3 3", hands=[attack, "Recorte", "Zaldiko"], status=["running", "warned"])
    assert targets(states, attack) == ({2} if attack == BARRERA else {1, 2})


@pytest.mark.parametrize("attack", [*HAND_ATTACKS, PILLO])
def test_c6_1_nothing_is_taken_from_an_empty_hand(attack):
    assert targets(table("3 3 3", hands=[attack, "", "Zaldiko"]), attack) == {2}


# C6.2: attacks on objects


@pytest.mark.parametrize("attack", OBJECT_ATTACKS)
def test_c6_2_the_target_loses_an_object(attack):
    before = table("3 3", hands=[f"{attack}, Avanzar tramo", "Recorte"])
    states = after(before, f"{attack} +1")
    assert objects(states) == [5, 4]
    assert discarded(before, states) == [attack]
    assert asked(states) == (0, "play")


@pytest.mark.parametrize("attack", OBJECT_ATTACKS)
def test_c6_2_or_the_special_object(attack):
    states = after(table("3 3", hands=[attack, ""], specials=[None, "Capote"]), f"{attack} +1")
    assert asked(states) == (1, "pay")
    assert choices(states) == {"lose an object", "give the special object"}
    play(states, "give the special object")
    assert objects(states) == [5, 5]
    assert special(states, 1) is None


def test_c6_2_or_goes_back_or_is_out_with_ropa_basica_alone():
    before = table("3 3 1", hands=["Kilikis, Avanzar tramo", "Capote, Zaldiko", ""], objects=[5, 1])
    states = after(before, "Kilikis +1")
    assert choices(states) == {"go back", "lose Ropa básica"}
    back = after(states, "go back")
    assert (places(back), objects(back)) == ([3, 2, 1], [5, 1, 5])
    assert asked(back) == (0, "play")
    out = after(states, "lose Ropa básica")
    assert status_of(out, 1) == "out"
    assert sorted(discarded(before, out)) == sorted(["Kilikis", "Capote", "Zaldiko"])


def test_c6_2_defences_against_bulls_and_falls_do_not_help():
    hands = ["Kilikis", "Recorte, Zaldiko, Toro volteado"]
    states = after(table("3 3", hands=hands), "Kilikis +1")
    assert objects(states) == [5, 4]


def test_c6_2_the_attacker_is_left_alone_and_wins():
    states = after(table("1 1", hands=["Kilikis", ""], objects=[1, 1]), "Kilikis +1")
    assert winners(states) == ("last runner", [0])


# C6.3: a card is lost


@pytest.mark.parametrize("attack", HAND_ATTACKS)
def test_c6_3_one_card_of_the_target_is_discarded(attack):
    before = table("3 5", hands=[f"{attack}, Avanzar tramo", "Recorte, Zaldiko"])
    states = after(before, f"{attack} +1")
    (lost,) = set(discarded(before, states)) - {attack}
    assert [lost, *hand(states, 1)] in (["Recorte", "Zaldiko"], ["Zaldiko", "Recorte"])
    assert asked(states) == (0, "play")


def test_c6_3_any_card_alike_two_of_a_kind_twice():
    tries, lost = scaled(600), Counter()
    held = "Avanzar tramo, Avanzar tramo, Recorte, Zaldiko"
    for seed in range(tries):
        before = table("3 5", hands=["Chupete, Avanzar tramo", held], seed=seed)
        lost.update(set(discarded(before, after(before, "Chupete +1"))) - {"Chupete"})
    expected = np.array([tries / 2, tries / 4, tries / 4])
    seen = np.array([lost[name] for name in ("Avanzar tramo", "Recorte", "Zaldiko")])
    assert (abs(seen - expected) < 5 * np.sqrt(expected)).all()


# C6.4: El Pillo


def test_c6_4_one_card_comes_into_the_hand_of_the_robber():
    before = table("3 5", hands=[f"{PILLO}, Avanzar tramo", "Recorte"])
    states = after(before, f"{PILLO} +1")
    assert hand(states, 0) == ["Recorte", "Avanzar tramo"]
    assert hand(states, 1) == []
    assert discarded(before, states) == [PILLO]


def test_c6_4_any_card_alike():
    tries, taken = scaled(600), Counter()
    for seed in range(tries):
        states = after(table("3 5", hands=[f"{PILLO}, Kilikis", "Recorte, Zaldiko, Capote"], seed=seed), f"{PILLO} +1")
        taken.update(set(hand(states, 0)) - {"Kilikis"})
    assert (abs(np.array(list(taken.values())) - tries / 3) < 5 * np.sqrt(tries / 3)).all()
    assert set(taken) == {"Recorte", "Zaldiko", "Capote"}


def test_c6_4_it_is_usable_at_once():
    states = after(table("3 5", hands=[PILLO, "Avanzar tramo"]), f"{PILLO} +1")
    assert asked(states) == (0, "play")
    play(states, "Avanzar tramo")
    assert places(states) == [4, 5]


def test_c6_4_a_robbed_pillo_robs():
    states = after(table("3 5 1", hands=[PILLO, PILLO, "Recorte"]), f"{PILLO} +1", f"{PILLO} +2")
    assert hand(states, 0) == ["Recorte"]


def test_c6_4_one_behind_the_barrier_is_robbed_too():
    states = table("3 3 3", hands=[PILLO, "Kilikis", ""], status=["running", "behind"])
    play(states, f"{PILLO} +1")
    assert hand(states, 0) == ["Kilikis"]
    assert status_of(states, 1) == "behind"


# C6.5: Desde la barrera


@pytest.mark.parametrize("place", [1, 3, 6])
def test_c6_5_it_is_aimed_at_any_runner_without_one(place):
    before = table(f"3 {place}", hands=[f"{BARRERA}, Avanzar tramo", ""])
    states = after(before, f"{BARRERA} +1")
    assert status_of(states, 1) == "warned"
    assert discarded(before, states) == []  # C8.1: it lies before him
    assert asked(states) == (0, "play")


# C6.6: Otra vez será


@pytest.mark.parametrize("attack", ALL_ATTACKS)
def test_c6_6_it_cancels_any_attack(attack):
    before = table("3 3", hands=[f"{attack}, Avanzar tramo", f"{OVS}, Recorte"], objects=[5, 3])
    states = after(before, f"{attack} +1")
    assert asked(states) == (1, "answer")
    assert choices(states) == {"nothing", OVS}
    play(states, OVS)
    assert objects(states) == [5, 3]
    assert hand(states, 1) == ["Recorte"]
    assert hand(states, 0) == ["Avanzar tramo"]
    assert status_of(states, 1) == "running"
    assert sorted(discarded(before, states)) == sorted([attack, OVS])
    assert asked(states) == (0, "play")


def test_c6_6_it_may_be_kept():
    states = after(table("3 3", hands=["Kilikis, Avanzar tramo", OVS]), "Kilikis +1", "nothing")
    assert objects(states) == [5, 4]
    assert hand(states, 1) == [OVS]


def test_c6_6_it_may_be_the_card_that_is_lost():
    before = table("3 3", hands=["Chupete, Avanzar tramo", OVS])
    states = after(before, "Chupete +1", "nothing")
    assert sorted(discarded(before, states)) == sorted(["Chupete", OVS])


def test_c6_6_the_attacker_does_not_answer_it():
    states = after(table("3 3", hands=[f"Kilikis, {OVS}, Avanzar tramo", OVS]), "Kilikis +1", OVS)
    assert asked(states) == (0, "play")
    assert hand(states, 0) == [OVS, "Avanzar tramo"]


@pytest.mark.parametrize("card", ["Chulín", "Selfie"])
def test_c6_6_it_does_not_help_against_bulls_and_falls(card):
    states = play(drawing("2 2", hands=[OVS, OVS], pile=card), "draw")
    assert objects(states) == [4, 4]
    assert in_discards(states, OVS) <= 1  # the third one


def test_c6_6_nor_against_a_bull_sent_on():
    states = play(drawing("2 1", hands=["Toro volteado", f"{OVS}, Kilikis"], pile="Chulín"), "draw", "Toro volteado +1")
    assert objects(states) == [5, 4]


# C8: the barrier


def warned(places="2 2 2", *, hands=("Kilikis", "Recorte, Zaldiko, Avanzar tramo", "Chupete, Acurrucado"), **settings):
    """Return a table where seat 1 has been warned, and the turn of seat 0 is about to end."""
    return drawing(places, hands=hands, status=["running", "warned", "running"], **settings)


def test_c8_1_until_his_turn_he_is_hit_and_defends_himself():
    states = play(warned(pile="Chulín"), "draw")
    assert objects(states) == [4, 5, 5]
    assert asked(states) == (1, "defend")
    play(states, "Recorte")
    assert objects(states) == [4, 5, 5]
    assert asked(states) == (2, "defend")


def test_c8_1_and_attacked():
    states = table("2 2", hands=["Kilikis, Avanzar tramo", OVS], status=["running", "warned"])
    play(states, "Kilikis +1")
    assert asked(states) == (1, "answer")


def test_c8_1_and_saves_himself_from_the_cabestros():
    states = play(warned("2 1 2", pile="Capote", beneath=0), "draw")
    assert asked(states) == (1, "save")
    play(states, "Avanzar tramo")
    assert status_of(states, 1) == "warned"
    assert places(states) == [2, 2, 2]


def test_c8_2_his_turn_is_skipped():
    before = warned()
    states = after(before, "stop")
    assert status_of(states, 1) == "behind"
    assert states[0].turn == 2
    assert hand(states, 1) == hand(before, 1)
    assert states[0].pile_size == before[0].pile_size
    assert in_discards(states, BARRERA) == in_discards(before, BARRERA)


def test_c8_2_the_others_play_two_turns_between_his():
    states = play(drawing("2 2", hands=["Kilikis", "Recorte"], status=["running", "warned"]), "stop")
    assert states[0].turn == 0
    assert status_of(states, 1) == "behind"


def test_c8_2_two_may_be_warned_at_once():
    states = play(drawing("2 2 2", hands=["Kilikis"], status=["running", "warned", "warned"]), "stop")
    assert states[0].turn == 0
    assert [status_of(states, seat) for seat in (1, 2)] == ["behind", "behind"]


def test_c8_3_nothing_reaches_him_but_el_pillo():
    hands = [f"Kilikis, {PILLO}, Chupete, Por mirón, Intercambio", "Recorte", ""]
    states = table("2 2 2", hands=hands, status=["running", "behind"])
    assert choices(states) == {"done", "Kilikis +2", "Por mirón +2", f"{PILLO} +1"}
    states = play(drawing("2 2 2", hands=["", "Recorte"], status=["running", "behind"], pile="Chulín"), "draw")
    assert objects(states) == [4, 5, 4]


def test_c8_4_the_next_turn_discards_the_card_and_is_played():
    before = drawing("2 2", hands=["Kilikis", "Recorte, Avanzar tramo"], status=["running", "behind"])
    states = after(before, "stop")
    assert asked(states) == (1, "play")
    assert status_of(states, 1) == "running"
    assert discarded(before, states) == [BARRERA]
    play(states, "Avanzar tramo")
    assert places(states) == [2, 3]


def test_c8_5_behind_the_barrier_he_may_answer_el_pillo():
    before = table("2 2", hands=[f"{PILLO}, Avanzar tramo", OVS], status=["running", "behind"])
    states = after(before, f"{PILLO} +1")
    assert asked(states) == (1, "answer")
    cancelled = after(states, OVS)
    assert sorted(discarded(before, cancelled)) == sorted([PILLO, OVS])
    assert hand(cancelled, 0) == ["Avanzar tramo"]
    assert status_of(cancelled, 1) == "behind"
    assert hand(after(states, "nothing"), 0) == [OVS, "Avanzar tramo"]


def test_c8_6_behind_the_barrier_he_does_not_save_himself():
    hands = ["Avanzar tramo, Recorte", "Avanzar tramo, Zaldiko", ""]
    before = drawing("1 1 2", hands=hands, status=["running", "behind"], pile="Kilikis", beneath=0)
    states = after(before, "draw")
    assert asked(states) == (0, "save")
    play(states, "Avanzar tramo")
    assert status_of(states, 1) == "out"
    assert places(states) == [2, 0, 2]


def test_c8_the_whole_life_of_desde_la_barrera():
    """Seat 1 is warned, passed over, robbed behind the barrier, missed there by a fall, and back."""
    hands = [f"{BARRERA}, Recorte", "Zaldiko, Avanzar tramo", f"{PILLO}, Kilikis"]
    states = table("2 2 2", hands=hands, pile="Capote, Chupete, Selfie, Línea roja, Acurrucado, Olé maestro")
    play(states, f"{BARRERA} +1")
    assert status_of(states, 1) == "warned"
    assert in_discards(states, BARRERA) == 1  # the other one
    play(states, "done", "stop")  # seat 0 has discarded nothing and drawn one card
    assert states[0].turn == 2
    assert status_of(states, 1) == "behind"
    assert targets(states, "Kilikis") == {1}
    play(states, f"{PILLO} +2")
    assert len(hand(states, 1)) == 1
    play(states, *_to_the_draw(states), "stop")
    assert states[0].turn == 0
    assert status_of(states, 1) == "behind"
    assert in_discards(states, BARRERA) == 1
    play(states, *_to_the_draw(states))  # a fall comes, which does not reach seat 1
    assert states[0].turn == 1
    assert objects(states) == [4, 5, 4]
    assert status_of(states, 1) == "running"
    assert in_discards(states, BARRERA) == 2


def _to_the_draw(states):
    """Return the actions that end playing and discarding."""
    return ["done"] * (2 if asked(states)[1] == "play" else 1)
