"""The Cabestros and the end of a deal of *Corre el encierro* (C9, C10); C and H numbers as in RULES.md."""

from collections import Counter

import encierro_tables as deals
import numpy as np
import pytest
from encierro_tables import places
from scale import LONG_IN_PLAIN, scaled

from sobremesa.envs.core.testing.check import setups

pytestmark = pytest.mark.kernels

RUN, PATRON = "La carrera de tu vida", "Santo Patrón + Ernest Hemingway"


def last_card(places, card="Kilikis", **settings):
    """Return a table where seat 0 (or `turn`) has just drawn the last card of the pile."""
    return deals.play(deals.drawing(places, pile=card, beneath=0, **settings), "draw")


# C9.1: when they come


def test_c9_1_the_last_card_brings_the_next_sweep():
    states = deals.drawing("2 2", hands=["Recorte", "Zaldiko"], pile="Kilikis, Capote", beneath=0)
    deals.play(states, "draw")
    assert states[0].closed == 0
    deals.play(states, "draw")
    assert states[0].closed == 1
    assert deals.hand(states, 0) == ["Recorte", "Kilikis", "Capote"]


@pytest.mark.parametrize("closed", range(5))
def test_c9_1_one_location_after_the_other(closed):
    states = last_card("6 6", hands=["Recorte", "Zaldiko"], closed=closed)
    assert states[0].closed == closed + 1
    assert deals.winners(states) is None


def test_c9_1_in_the_middle_of_a_draw_which_then_goes_on():
    states = last_card("2 2", hands=["Recorte", "Zaldiko"])
    assert states[0].closed == 1
    assert deals.asked(states) == (0, "draw")
    deals.play(states, "draw")
    assert states[0].hand_size[0] in (2, 3)  # what must be shown comes into no hand


def test_c9_1_with_the_first_draw_of_a_turn_as_well():
    states = deals.table("2 2", hands=["Recorte", "Zaldiko"], pile="Kilikis", beneath=0)
    deals.play(states, "done") if deals.asked(states)[1] == "play" else None
    deals.play(states, "done")
    assert states[0].closed == 1
    assert deals.asked(states) == (0, "draw")


def test_c9_1_at_the_end_of_a_draw_before_the_turn_passes():
    states = last_card("2 2 5", hands=["Recorte, Zaldiko, Capote, Chupete", "Avanzar tramo, Capote"], closed=1)
    assert deals.asked(states) == (1, "save")
    assert states[0].turn == 0
    deals.play(states, "Avanzar tramo")
    assert states[0].turn == 1
    assert deals.status_of(states, 0) == "out"


def test_c9_1_the_last_card_is_resolved_first():
    states = last_card("1 1", "Chulín", hands=["Recorte, Avanzar tramo", "Acurrucado, Avanzar tramo"])
    assert states[0].closed == 0
    assert deals.asked(states) == (0, "defend")
    deals.play(states, "Recorte")
    assert deals.asked(states) == (1, "defend")
    deals.play(states, "nothing")
    assert deals.objects(states) == [5, 4]
    assert deals.asked(states) == (1, "save")
    assert states[0].closed == 1


def test_c9_1_who_goes_back_from_the_last_card_may_be_swept():
    states = last_card("2 2 2", "Chulín", hands=["", "", "Kilikis"], objects=[1])
    deals.play(states, "go back")
    assert places(states) == [0, 2, 2]
    assert deals.status_of(states, 0) == "out"


# C9.2: who is asked


def test_c9_2_from_the_left_of_the_drawer_who_comes_last():
    one = "Avanzar tramo"
    states = last_card("1 2 1 1", hands=[one, one, one, one], turn=2)
    for seat in (3, 0, 2):
        assert deals.asked(states) == (seat, "save")
        assert deals.choices(states) == {"nothing", "Avanzar tramo"}
        deals.play(states, one)
    assert places(states) == [2, 2, 2, 2]
    assert deals.asked(states) == (2, "draw")
    assert deals.hand(states, 1) == [one]


def test_c9_2_who_cannot_advance_is_not_asked():
    states = last_card("1 1 2", hands=["Avanzar tramo", f"{RUN}, Recorte", ""])
    assert deals.asked(states) == (0, "save")
    deals.play(states, "nothing")
    assert deals.winners(states) == ("last runner", [2])


# C9.3: how one saves oneself


@pytest.mark.parametrize(
    ("way", "held", "lies", "steps"),
    [
        ("Avanzar tramo", "Avanzar tramo", None, 1),
        (f"Avanzar tramo + {RUN}", f"Avanzar tramo, {RUN}", None, 2),
        ("Avanzar tramo + Zapatillas", "Avanzar tramo", "Zapatillas", 2),
        (PATRON, "Santo Patrón, Ernest Hemingway", None, 2),
        ("Intercambio +1", "Intercambio", None, 1),
    ],
)
def test_c9_3_every_way_to_advance_serves(way, held, lies, steps):
    states = last_card("3 1 2", hands=["Recorte", held, ""], specials=[None, lies])
    before = states.copy()
    assert deals.asked(states) == (1, "save")
    deals.play(states, way)
    assert places(states)[1] == 1 + steps
    assert deals.status_of(states, 1) == "running"
    assert deals.hand(states, 1) == []
    assert deals.special(states, 1) is None
    assert before[0].closed == 1


def test_c9_3_zapatillas_in_the_hand_do_not_serve():
    states = last_card("3 1 2", hands=["Recorte", "Avanzar tramo, Zapatillas", ""])
    assert deals.choices(states) == {"nothing", "Avanzar tramo"}


def test_c9_3_cards_drawn_in_this_phase_serve_too():
    states = last_card("1 2", "Avanzar tramo", hands=["", ""])
    assert deals.asked(states) == (0, "save")
    deals.play(states, "Avanzar tramo")
    assert places(states) == [2, 2]


def test_c9_3_whatever_was_moved_this_turn():
    states = deals.drawing("2 3 3", hands=["Avanzar tramo"], pile="Kilikis", beneath=0, closed=1, moved=1)
    deals.play(states, "draw")
    assert deals.asked(states) == (0, "save")
    deals.play(states, "Avanzar tramo")
    assert places(states) == [3, 3, 3]


def test_c9_3_and_it_does_not_count_for_the_next_turn():
    states = last_card("2 1", hands=["", "Avanzar tramo, Avanzar tramo"])
    deals.play(states, "Avanzar tramo", "stop", "Avanzar tramo")
    assert places(states) == [2, 3]


@pytest.mark.parametrize(("place", "held"), [(6, "Avanzar tramo"), (5, f"Avanzar tramo, {RUN}"), (6, RUN)])
def test_c9_3_a_save_that_reaches_the_plaza_wins_at_once(place, held):
    """The others in line are no longer asked."""
    hands = ["Avanzar tramo", f"Avanzar tramo, {held}" if held == RUN else held, "Avanzar tramo"]
    states = last_card(f"{place} {place} {place}", hands=hands, closed=place - 1)
    assert deals.asked(states) == (1, "save")
    deals.play(states, f"Avanzar tramo + {RUN}" if RUN in hands[1] else "Avanzar tramo")
    assert deals.winners(states) == ("plaza", [1])
    assert places(states) == [place, 7, place]
    assert deals.paid(states) == [-0.5, 1, -0.5]


# C9.4: Intercambio out of the sweep


def test_c9_4_a_runner_swapped_in_is_asked_last():
    hands = ["Avanzar tramo", "Intercambio", "Avanzar tramo", ""]
    states = last_card("1 1 2 2", hands=hands)
    assert deals.asked(states) == (1, "save")
    assert deals.choices(states) == {"nothing", "Intercambio +1", "Intercambio +2"}
    deals.play(states, "Intercambio +1")
    assert deals.asked(states) == (0, "save")
    deals.play(states, "Avanzar tramo")
    assert deals.asked(states) == (2, "save")
    deals.play(states, "Avanzar tramo")
    assert places(states) == [2, 2, 2, 2]


def test_c9_4_he_may_be_swept_in_the_place_of_the_other():
    states = last_card("3 1 2", hands=["", "Intercambio", ""])
    deals.play(states, "Intercambio +1")
    assert places(states) == [3, 2, 0]
    assert deals.status_of(states, 2) == "out"


def test_c9_4_or_save_himself_by_another_intercambio():
    states = last_card("3 1 2", hands=["", "Intercambio", "Intercambio"])
    deals.play(states, "Intercambio +1")
    assert deals.asked(states) == (2, "save")
    assert deals.choices(states) == {"nothing", "Intercambio +2"}
    deals.play(states, "Intercambio +2")  # back into his place, with the one who had taken it
    assert places(states) == [3, 0, 2]


def test_c9_4_one_who_was_saved_may_be_threatened_again():
    states = last_card("3 1 2", hands=["", "Intercambio, Avanzar tramo", "Intercambio"])
    deals.play(states, "Intercambio +1", "Intercambio +2")
    assert deals.asked(states) == (1, "save")
    deals.play(states, "Avanzar tramo")
    assert places(states) == [3, 2, 2]


def test_c9_4_not_with_one_behind_the_barrier():
    states = last_card("3 1 2", hands=["", "Intercambio, Avanzar tramo", ""], status=["running", "running", "behind"])
    assert deals.choices(states) == {"nothing", "Avanzar tramo"}


# C9.5 and C9.6


def test_c9_5_those_still_there_are_out_at_the_same_time():
    hands = ["Recorte", "Zaldiko, Kilikis", "Avanzar tramo", ""]
    states = last_card("2 1 1 1 3", "Capote", hands=hands, specials=[None, "Zapatillas"])
    assert deals.asked(states) == (2, "save")
    assert [deals.status_of(states, seat) for seat in (1, 3)] == ["running", "running"]
    deals.play(states, "nothing")
    assert [deals.status_of(states, seat) for seat in range(5)] == ["running", "out", "out", "out", "running"]
    assert deals.asked(states) == (0, "draw")


def test_c9_5_nobody_wins_between_two_who_are_swept_together():
    """Two of three runners are swept: the third wins, whatever the order."""
    assert deals.winners(last_card("2 1 1", hands=["", "", ""])) == ("last runner", [0])


def test_c9_5_with_the_drawer_swept_his_turn_ends():
    states = last_card("1 2 2", hands=["", "Recorte", "Zaldiko"])
    assert deals.status_of(states, 0) == "out"
    assert states[0].turn == 1


def test_c9_6_the_discards_become_the_new_pile():
    before = deals.drawing("2 2", hands=["Recorte", "Zaldiko"], pile="Kilikis", beneath=0, specials=["Capote"])
    states = deals.after(before, "draw")
    assert not states[0].discards.any()
    assert states[0].pile_size == before[0].discards.sum() == 54 - 1 - 1 - 1 - 1
    pile = np.bincount(states[0].pile[: states[0].pile_size], minlength=len(deals.NAMES))
    assert (pile == before[0].discards).all()


def test_c9_6_the_new_pile_has_swept_hands_and_the_shown_card():
    states = last_card("2 1 2", "Chulín", hands=["Recorte", "Kilikis, Avanzar tramo", "Acurrucado"])
    deals.play(states, "Recorte", "Acurrucado", "nothing")
    assert states[0].pile_size == 54
    assert deals.hand(states, 1) == []


def test_c9_6_shuffled():
    tops = Counter()
    for seed in range(scaled(500)):
        states = last_card("2 2", hands=["Recorte", "Zaldiko"], seed=seed)
        tops[int(states[0].pile[states[0].pile_size - 1]) == deals.NAMES.index("Avanzar tramo")] += 1
    share = 7 / 51
    tries = sum(tops.values())
    assert abs(tops[True] - share * tries) < 5 * np.sqrt(share * tries)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_c9_6_the_sixth_sweep_ends_the_deal(seats):
    states = last_card(" ".join(["6"] * seats), "Selfie", hands=[""] * seats, closed=5)
    assert states[0].closed == 6
    assert deals.winners(states) == ("swept", list(range(seats)))


def slow(states, rng):
    """Choose actions that delay the end: answer all, flee, keep good cards, stay one step ahead of the Cabestros."""
    here, (seat, question) = sorted(deals.choices(states)), deals.asked(states)
    place = states[0].place[seat]
    wanted = ["Avanzar tramo", "stop", "lose an object", "go back"]
    if question == "play":
        near = place <= states[0].closed + 1
        wanted = ["Objetos perdidos", *(["Avanzar tramo"] if near and place < 6 else []), "lay Capote", "done"]
    elif question == "discard":
        keep = ("discard Avanzar tramo", "discard Otra vez será", "discard Objetos perdidos")
        wanted = ["done", *rng.permutation([name for name in here if name not in keep])]
    elif question in ("answer", "defend"):
        wanted = [name for name in here if name != "nothing"]
    return next((name for name in wanted if name in here), here[0])


@LONG_IN_PLAIN
@pytest.mark.parametrize("setup", setups(deals.GAME), ids=str)
def test_c9_6_deals_end_by_the_sixth_sweep(setup):
    rng, swept = np.random.default_rng(0), []
    for seed in range(scaled(6)):
        states = deals.dealt(seed, **setup)
        closed = int(states[0].closed)
        while not states[0].over:
            deals.play(states, slow(states, rng))
            assert states[0].closed - closed in (0, 1)
            closed = int(states[0].closed)
            assert states[0].ply <= deals.GAME.max_plies
        assert closed <= 6
        swept.append(closed)
    assert max(swept) >= 1


# C10: the end


def test_c10_1_whoever_comes_to_the_plaza_wins():
    states = deals.after(deals.table("6 5", hands=["Avanzar tramo", ""], objects=[1, 5]), "Avanzar tramo")
    assert deals.winners(states) == ("plaza", [0])
    assert places(states) == [7, 5]
    assert deals.choices(states) == set()


def test_c10_1_by_intercambio_nobody_comes_there():
    assert "Intercambio +1" not in deals.choices(deals.table("6 5", hands=["Intercambio", ""]))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_c10_2_the_last_runner_left_wins(seats):
    places_ = " ".join(["2", *["1"] * (seats - 1)])
    states = last_card(places_, hands=[""] * seats)
    assert deals.winners(states) == ("last runner", [0])
    assert deals.paid(states) == pytest.approx([1, *[-1 / (seats - 1)] * (seats - 1)])


def test_c10_2_in_the_middle_of_a_resolution_too():
    states = deals.drawing("1 1 -", hands=["", "Recorte"], objects=[1, 1], pile="Chulín")
    deals.play(states, "draw")
    assert deals.winners(states) == ("last runner", [1])
    assert deals.hand(states, 1) == ["Recorte"]


def test_c10_2_and_behind_the_barrier():
    states = deals.play(
        deals.drawing("1 1", hands=["", ""], objects=[1, 1], status=["running", "behind"], pile="Chulín"), "draw"
    )
    assert deals.winners(states) == ("last runner", [1])


def test_c10_3_most_objects_win_if_all_are_swept_at_once():
    states = last_card("6 6 6", hands=["", "Recorte, Zaldiko", ""], objects=[2, 2, 3], closed=5)
    assert deals.winners(states) == ("swept", [2])
    assert deals.paid(states) == [-0.5, -0.5, 1]


def test_c10_3_the_special_one_counts_as_an_object():
    states = last_card("6 6", "Capote", hands=["Kilikis", ""], objects=[2, 2], specials=[None, "Zapatillas"], closed=5)
    assert deals.winners(states) == ("swept", [1])
    states = last_card("6 6", hands=["", "Recorte"], objects=[3, 2], specials=[None, "Zapatillas"], closed=5)
    assert deals.winners(states) == ("swept", [0, 1])  # the card just drawn makes them equal


def test_c10_3_then_the_one_with_most_cards():
    states = last_card("6 6 6", hands=["Recorte", "Zaldiko", ""], objects=[2, 2, 2], closed=5)
    assert deals.winners(states) == ("swept", [0])  # the drawer holds the last card besides


def test_c10_3_then_they_share():
    states = last_card("6 6 6", hands=["Recorte", "Zaldiko, Capote", ""], objects=[2, 2, 2], closed=5)
    assert deals.winners(states) == ("swept", [0, 1])
    assert deals.paid(states) == [0.25, 0.25, -0.5]


def test_c10_3_those_who_were_out_before_have_no_part_in_it():
    states = last_card("6 6 -", hands=["", "Recorte"], closed=5)
    assert deals.winners(states) == ("swept", [0, 1])
    assert deals.paid(states) == [0.25, 0.25, -0.5]


def test_c10_3_on_any_location():
    assert deals.winners(last_card("2 2", hands=["", ""], objects=[4, 3], closed=1)) == ("swept", [0])


def test_c10_4_all_cards_of_a_runner_who_is_out_are_discarded():
    before = deals.table(
        "1 1 1", hands=["Kilikis, Avanzar tramo", "Recorte, Zaldiko"], objects=[5, 1], status=["running", "warned"]
    )
    states = deals.after(before, "Kilikis +1")
    assert sorted(deals.discarded(before, states)) == sorted(["Kilikis", "Recorte", "Zaldiko", "Desde la barrera"])
    assert (places(states), deals.objects(states), deals.hand(states, 1)) == ([1, 0, 1], [5, 0, 5], [])


def test_c10_4_the_special_object_too():
    states = deals.drawing("2 1 2", hands=["Recorte", "Chupete"], specials=[None, "Capote"], pile="Kilikis", beneath=0)
    deals.play(states, "draw")
    assert deals.special(states, 1) is None
    assert states[0].pile_size == 54 - 2


def test_c10_4_his_turns_are_passed_over():
    states = deals.play(deals.drawing("2 - 2", hands=["Recorte", "", "Kilikis"]), "stop")
    assert states[0].turn == 2


@pytest.mark.parametrize(("holding", "shares"), [(1, [1, -1 / 3]), (2, [1 / 3, -1 / 3]), (3, [1 / 9, -1 / 3])])
def test_c10_5_payoffs_sum_to_zero(holding, shares):
    objects_ = [3] * holding + [2] * (4 - holding)
    states = deals.drawing(
        "6 6 6 6", objects=objects_, pile="Selfie", beneath=0, closed=5
    )  # each loses one, then all are swept
    deals.play(states, "draw")
    assert deals.winners(states) == ("swept", list(range(holding)))
    assert deals.paid(states) == pytest.approx([shares[0]] * holding + [shares[1]] * (4 - holding))


def test_c10_5_payoffs_are_zero_before_the_end_or_if_four_share():
    assert deals.paid(deals.table("1 1", hands=["Kilikis", ""])) == [0, 0]
    states = deals.play(deals.drawing("6 6 6 6", pile="Selfie", beneath=0, closed=5), "draw")
    assert deals.winners(states) == ("swept", [0, 1, 2, 3])
    assert deals.paid(states) == [0, 0, 0, 0]
