"""Knowledge and memory in *Corre el encierro* (C11); numbers as in RULES.md."""

from collections import Counter

import numpy as np
import pytest
from encierro_tables import (
    GAME,
    NAMES,
    asked,
    drawing,
    end_turn,
    hand,
    kind,
    known,
    memories,
    play,
    robbed,
    same_views,
    table,
    view,
)
from scale import scaled
from worlds_corre_el_encierro import remembered, sample_world, unseen_cards

from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.testing.secrets import redealt

pytestmark = pytest.mark.kernels

PILLO, AVANZAR, OVS = "El Pillo", "Avanzar tramo", "Otra vez será"


# C11.1: hidden hands, and what the robbed remember


def robbed_twice(seed=0, own="Olé maestro"):
    """Seat 2, with one card of its own left, has then robbed seat 1 of one card."""
    hands = [AVANZAR, f"{PILLO}, Zaldiko, Línea roja", f"{PILLO}, {own}"]
    states = robbed(hands=hands, pile="Capote, Kilikis", seed=seed)
    return play(states, "done", "done", "stop", f"{PILLO} +2")


def with_second_theft_of(card, **settings):
    """Return `robbed_twice` where the second card was `card`."""
    return next(states for seed in range(200) if card in hand(states := robbed_twice(seed, **settings), 2))


def test_c11_1_nobody_sees_other_hands_or_the_pile():
    one = table("2 2", hands=["Recorte", "Kilikis, Capote"], pile="Zaldiko, Chulín, Chupete", beneath=0)
    other = table("2 2", hands=["Recorte", "Zaldiko, Chupete"], pile="Chulín, Capote, Kilikis", beneath=0)
    assert same_views(one, other, 0)
    assert not same_views(one, other, 1)


def test_c11_1_the_robbed_remembers_the_card_and_its_new_hand():
    states = robbed()
    assert known(states, 0) == {(1, AVANZAR): 1}
    assert memories(states, 0) == {(AVANZAR, (1,)): 1}


def test_c11_1_the_robber_sees_the_card_and_bystanders_do_not():
    states = robbed()
    assert view(states, 1)["hand"][kind(AVANZAR)] == np.float32(1 / 7)
    for seat in (1, 2):
        assert known(states, seat) == {}
        assert not memories(states, seat)


@pytest.mark.parametrize("second", [AVANZAR, "Zaldiko", "Línea roja"])
def test_c11_1_after_an_unseen_theft_the_card_is_in_two_hands(second):
    states = with_second_theft_of(second)
    assert known(states, 0) == {(1, AVANZAR): 0.5, (2, AVANZAR): 0.5}
    assert known(states, 1) == {(1, second): 1}
    assert known(states, 2) == {}


def test_c11_1_the_last_card_of_a_hand_is_known_to_have_gone_on():
    hands = [AVANZAR, PILLO, f"{PILLO}, Zaldiko"]
    states = table("2 2 2", turn=1, hands=hands, pile="Chulín, Kilikis")
    play(states, f"{PILLO} +2", "done", "done")  # seat 1 draws a bull
    assert states[0].turn == 2
    assert hand(states, 1) == [AVANZAR]
    play(states, f"{PILLO} +2")
    assert known(states, 0) == {(2, AVANZAR): 1}
    assert known(states, 1) == {(1, AVANZAR): 1}


def test_c11_1_it_is_forgotten_when_it_is_played():
    states = play(robbed(), AVANZAR)
    assert known(states, 0) == {}
    assert not memories(states, 0)


def test_c11_1_or_discarded_or_lost_or_laid():
    states = play(robbed(), "done", f"discard {AVANZAR}")
    assert known(states, 0) == {}
    laid = play(table("2 2", turn=1, hands=["Capote", f"{PILLO}, Zaldiko"]), f"{PILLO} +1")
    assert known(laid, 0) == {(1, "Capote"): 1}
    assert known(play(laid, "lay Capote"), 0) == {}
    lost = robbed(hands=[AVANZAR, PILLO, "Chupete, Kilikis"], pile="Chulín")
    play(lost, "done", "done", "Chupete +2")
    assert hand(lost, 1) == []
    assert known(lost, 0) == {}


def test_c11_1_one_of_two_hands_until_either_plays_such_a_card():
    states = with_second_theft_of("Zaldiko")
    end_turn(end_turn(states))  # of seats 2 and 0
    assert known(states, 0) == {(1, AVANZAR): 0.5, (2, AVANZAR): 0.5}
    assert asked(states) == (1, "play")
    play(states, AVANZAR)
    assert known(states, 0) == {}


def test_c11_1_playing_such_a_card_ends_the_memory_of_it():
    states = play(with_second_theft_of("Zaldiko", own=AVANZAR), AVANZAR)
    assert known(states, 0) == {}
    assert known(states, 1) == {(1, "Zaldiko"): 1}


def test_c11_1_a_card_that_is_robbed_back_is_forgotten():
    hands = [f"{AVANZAR}, {PILLO}", f"{PILLO}", "Recorte, Olé maestro"]
    for seed in range(50):
        states = play(table("2 2 2", turn=1, hands=hands, pile="Chulín, Zaldiko", seed=seed), f"{PILLO} +2")
        if AVANZAR in hand(states, 1):
            break
    assert known(states, 0) == {(1, AVANZAR): 1}
    end_turn(end_turn(states))  # of seats 1 and 2
    assert asked(states) == (0, "play")
    play(states, f"{PILLO} +1")
    assert AVANZAR in hand(states, 0)
    assert known(states, 0) == {}
    assert known(states, 1) == {(2, AVANZAR): 1}


def test_c11_1_a_robber_robbed_of_another_card_keeps_the_first():
    hands = [f"{AVANZAR}, {PILLO}", f"{PILLO}, Zaldiko", ""]
    for seed in range(100):
        states = play(table("2 2 2", turn=1, hands=hands, pile="Chulín, Recorte", seed=seed), f"{PILLO} +2")
        if AVANZAR not in hand(states, 1):
            continue
        end_turn(end_turn(states))
        play(states, f"{PILLO} +1")
        if "Zaldiko" in hand(states, 0):
            break
    assert known(states, 0) == {(1, AVANZAR): 1}
    assert known(states, 1) == {(2, "Zaldiko"): 1}


def test_c11_1_two_cards_of_a_kind_are_two_memories():
    hands = [f"{AVANZAR}, {AVANZAR}", f"{PILLO}, {PILLO}, Zaldiko", ""]
    states = play(table("2 2 2", turn=1, hands=hands), f"{PILLO} +2", f"{PILLO} +2")
    assert known(states, 0) == {(1, AVANZAR): 2}
    play(states, AVANZAR)
    assert known(states, 0) == {(1, AVANZAR): 1}


def test_c11_1_what_one_who_is_out_held_is_forgotten():
    states = table("1 1 1", turn=1, hands=[AVANZAR, PILLO, "Recorte"], objects=[5, 1, 5], pile="Chulín")
    play(states, f"{PILLO} +2", "done", "done")
    assert hand(states, 1) == []
    assert known(states, 0) == {}


def test_c11_1_worlds_put_a_stolen_card_in_either_hand():
    states, held = with_second_theft_of("Zaldiko"), Counter()
    for seed in range(30):
        world = redealt(GAME)(states, 0, seed)
        assert GAME.problems(world) == []
        assert (world[0].hand_size == states[0].hand_size).all()
        held.update(other for other in (1, 2) if AVANZAR in hand(world, other))
    assert min(held[1], held[2]) > 5


def test_c11_1_all_see_who_is_hit():
    states = play(drawing("2 2 2", hands=["", "Recorte", ""], pile="Chulín", turn=1), "draw")
    assert asked(states) == (1, "defend")
    assert [view(states, seat)["struck"].tolist() for seat in range(3)] == [
        [0, 1, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
    ]


def test_c11_1_the_observation_counts_what_is_unseen():
    for seed in range(scaled(6)):
        for ply in random_deal(GAME, seed, {"seats": 2 + seed % 4}):
            for seat in range(int(ply.states[0].seats)):
                counts = np.bincount(unseen_cards(ply.states, seat), minlength=len(NAMES))
                copies = np.maximum(np.round(counts / np.maximum(view(ply.states, seat)["unseen"], 1e-9)), 1)
                assert (abs(view(ply.states, seat)["unseen"] * copies - counts) < 1e-5).all()
                assert ((view(ply.states, seat)["unseen"] > 0) == (counts > 0)).all()


# C11.2: nobody learns who was asked


def only(states, seat, question):
    """Return whether `seat` is asked `question` and only its view contains it."""
    asked_ = [view(states, one)["asked"].sum() for one in range(int(states[0].seats))]
    return asked(states) == (seat, question) and asked_ == [one == seat for one in range(int(states[0].seats))]


def test_c11_2_a_skipped_question_is_invisible_to_others():
    hands = ["Kilikis, Avanzar tramo", f"{OVS}, Recorte", "Zaldiko"]
    could = table("2 2 2", hands=hands, beneath=0, pile="Chupete, Capote")
    could_not = table("2 2 2", hands=[hands[0], "Chupete, Recorte", hands[2]], beneath=0, pile=f"{OVS}, Capote")
    assert all(same_views(could, could_not, seat) for seat in (0, 2))
    play(could, "Kilikis +1")
    assert only(could, 1, "answer")
    play(could, "nothing")
    play(could_not, "Kilikis +1")  # seat 1 has one object less at once
    assert asked(could) == asked(could_not) == (0, "play")
    assert could[0].ply == could_not[0].ply + 1
    assert all(same_views(could, could_not, seat) for seat in (0, 2))
    for seat in (0, 2):  # nor can the worlds that they imagine
        for world in (redealt(GAME)(could, seat, 1), sample_world(could, seat, np.random.default_rng(1))):
            assert (world[0].ply, world[0].news_count, world[0].news.any()) == (0, 0, False)


def test_c11_2_nor_of_one_who_could_have_repelled_a_bull():
    hands = ["Olé maestro", "Recorte", "Acurrucado, Zaldiko"]
    could = drawing("2 2 2", hands=hands, pile="Chulín, Chupete", beneath=0)
    could_not = drawing("2 2 2", hands=[hands[0], "Chupete", hands[2]], pile="Chulín, Recorte", beneath=0)
    for states in (could, could_not):
        play(states, "draw")
        assert only(states, 0, "defend")
        play(states, "Olé maestro")
    assert only(could, 1, "defend")
    play(could, "nothing")
    assert only(could_not, 2, "defend")
    assert only(could, 2, "defend")
    assert all(same_views(could, could_not, seat) for seat in (0, 2))


@pytest.mark.parametrize(
    ("seat", "could", "could_not"),
    [
        (0, ["", AVANZAR, f"Capote, {AVANZAR}"], ["", "Capote", f"{AVANZAR}, {AVANZAR}"]),
        (2, ["Capote", AVANZAR, AVANZAR], [AVANZAR, "Capote", AVANZAR]),
    ],
)
def test_c11_2_nor_of_one_who_could_have_saved_himself(seat, could, could_not):
    one, other = (drawing("2 1 1", hands=hands, pile="Kilikis", beneath=0) for hands in (could, could_not))
    play(one, "draw")
    assert only(one, 1, "save")
    play(one, "nothing")
    play(other, "draw")
    assert only(one, 2, "save")
    assert only(other, 2, "save")
    assert same_views(one, other, seat)


def test_c11_1_memory_and_the_truth_agree_in_random_deals():
    """Check that each remembered card is in one of its possible hands."""
    met = 0
    for seed in range(scaled(60)):
        for ply in random_deal(GAME, seed, {"seats": 3 + seed % 3}):
            for seat in range(int(ply.states[0].seats)):
                met += _memory_fits(ply.states, seat)
    assert met > 0


def _memory_fits(states, seat):
    marked = remembered(states, seat)
    for card in {card for card, _ in marked}:
        hands = [where for one, where in marked if one == card]
        assert seat not in set.union(*hands)
        assert sum(int(states[0].hand[other, card]) for other in set.union(*hands)) >= len(hands)
    return len(marked)
