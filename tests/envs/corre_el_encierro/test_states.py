"""States of *Corre el encierro*: impossible states, erased fields, and memories."""

import dataclasses

import numpy as np
import pytest
from encierro_tables import (
    GAME,
    after,
    asked,
    drawing,
    kind,
    memories,
    play,
    robbed,
    table,
    view,
    winners,
)

from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.secrets import SecretLeaked, check_secrets, views
from sobremesa.envs.corre_el_encierro.cards import DECK_SIZE
from sobremesa.envs.corre_el_encierro.knowledge import redeal
from sobremesa.envs.corre_el_encierro.state import E_OUT, NOBODY

pytestmark = pytest.mark.kernels

AVANZAR = kind("Avanzar tramo")


def waits_for_pillo():
    return play(table("2 2", hands=["Recorte, Otra vez será", "El Pillo, Kilikis"], turn=1), "El Pillo +1")


def flees():
    hands = ["Intercambio, Avanzar tramo", "Capote", "Zaldiko"]
    return play(drawing("1 2 1", hands=hands, turn=1, pile="Kilikis", beneath=0), "draw")


def in_the_bull_way():
    return play(drawing("1 1 1", hands=["Recorte", "Acurrucado", ""], pile="Chulín"), "draw")


IMPOSSIBLE = {
    "an attack from nobody": (waits_for_pillo, {"sender": NOBODY}, "sent it"),
    "an attack on oneself": (waits_for_pillo, {"sender": 0}, "sent it"),
    "an answer to a bull": (in_the_bull_way, {"stage": 3}, "an answer to no attack"),
    "a sender of nothing": (lambda: table("1 1"), {"sender": 1}, "sent it"),
    "a queue without an end": (flees, {"queue": [0, 1, 2, 0, 1]}, "queue"),
    "a queue with a gap": (in_the_bull_way, {"queue": [1, 5, 2, 5, 5]}, "gaps in the queue"),
    "a queue for nothing": (lambda: table("1 1"), {"queue": [1, 5, 5, 5, 5]}, "for nothing"),
    "flight from an open location": (flees, {"place": [2, 3, 2, 0, 0]}, "stage 6, closing 1"),
    "another's turn to play": (lambda: table("1 1"), {"turn": 1}, "out of turn"),
    "the turn of one behind the barrier": (in_the_bull_way, {"turn": 2, "status": [0, 0, 2, 3, 3]}, "cannot act"),
    "playing in the phase of drawing": (lambda: table("1 1"), {"phase": 2}, "stage 0 in phase 2"),
    "a memory of one's own hand": (robbed, {"theft_hands": [0b11] + [0] * 13}, "in its own hand"),
    "a memory of a missing seat": (robbed, {"theft_hands": [0b10010] + [0] * 13}, "remembers card"),
    "a theft by nobody": (robbed, {"theft_by": [5] * 14}, "remembers card"),
    "a card that is not there": (robbed, {"theft_hands": [0b100] + [0] * 13}, "where it is not"),
    "one card remembered twice": (
        robbed,
        {"theft_kind": [AVANZAR] * 2 + [36] * 12, "theft_from": [0, 0] + [5] * 12, "theft_by": [1, 1] + [5] * 12,
         "theft_hands": [0b10, 0b10] + [0] * 12},
        "where it is not",
    ),
    "a gap in the memory": (
        robbed,
        {"theft_kind": [36, AVANZAR] + [36] * 12, "theft_from": [5, 0] + [5] * 12, "theft_by": [5, 1] + [5] * 12,
         "theft_hands": [0, 0b10] + [0] * 12},
        "gaps in what is remembered",
    ),
    "cards behind the pile": (lambda: table("1 1"), {"pile": [1] * DECK_SIZE}, "cards behind the pile"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_states_that_would_lead_astray_are_refused(name):
    make, changes, reason = IMPOSSIBLE[name]
    states = make()
    for field, value in changes.items():
        states[0][field] = value
    assert any(reason in problem for problem in state_problems(GAME, states)), state_problems(GAME, states)


def test_a_full_memory_would_have_no_room_for_another_theft():
    states = robbed()
    states[0].theft_kind[:], states[0].theft_from[:], states[0].theft_by[:] = AVANZAR, 0, 1
    states[0].theft_hands[:] = 0b10
    assert any("14 thefts are remembered" in problem for problem in state_problems(GAME, states))


# C11.1: what an agent may look about in


@pytest.mark.parametrize("seats", range(2, 6))
def test_c11_1_nothing_lies_behind_the_pile(seats):
    for states, seat, *_ in random_deal(GAME, seats, {"seats": seats}):
        assert not states[0].pile[states[0].pile_size :].any()
        if seat >= 0:
            world = make_view(GAME, states, seat, new_stream(1)).state[0]
            assert not world.pile[world.pile_size :].any()


@kernel
def keeps_a_card_of_the_next_hand(state, seat, seed):
    held = state.hand[(int(seat) + 1) % int(state.seats), AVANZAR]
    redeal(state, seat, seed)
    state.turns += held


def test_a_redealt_world_that_keeps_a_secret_is_caught():
    game = dataclasses.replace(GAME, redeal=keeps_a_card_of_the_next_hand)
    with pytest.raises(SecretLeaked, match="redeal keeps a value that differs in a state resampled by obvious"):
        check_secrets(game, deals=3, every=3, samplers={"obvious": shuffled}, shown={"mask": views(game)["mask"]})


def shuffled(states, seat, seed):
    from worlds_corre_el_encierro import sample_world

    return sample_world(states, seat, np.random.default_rng(seed))


def test_c11_1_the_rest_of_two_like_cards_may_be_in_either_place():
    hands = ["Recorte", "Avanzar tramo, Zaldiko", "Avanzar tramo, Kilikis"]
    states = table("2 2 2", turn=1, hands=hands)
    one = states[0]
    one.theft_kind[:2], one.theft_from[:2] = AVANZAR, 0
    one.theft_by[:2], one.theft_hands[:2] = (1, 2), (0b110, 0b010)
    play(states, "Avanzar tramo")
    assert memories(states, 0) == {("Avanzar tramo", (1, 2)): 1}


def test_c11_1_an_emptied_hand_holds_no_remembered_cards():
    states = table("2 2 2", turn=1, hands=["Recorte", "Kilikis", "Chupete, Otra vez será"])
    one = states[0]
    one.theft_kind[0], one.theft_from[0], one.theft_by[0], one.theft_hands[0] = kind("Chupete"), 0, 1, 0b110
    play(states, "Kilikis +1")
    assert states[0].hand_size[1] == 0
    assert memories(states, 0) == {("Chupete", (2,)): 1}


# What is left over


def test_c6_5_a_barrier_card_that_lies_leaves_no_sender():
    states = play(table("1 1 1", hands=["Desde la barrera, Recorte"]), "Desde la barrera +1")
    assert states[0].sender == NOBODY
    assert not any(view(states, seat)["sender"].any() for seat in range(3))


def test_c5_7_a_runner_put_out_while_waiting_leaves_the_line():
    hands = ["Toro volteado", "Olé maestro", "", "Acurrucado"]
    states = drawing("1 1 1 1", hands=hands, objects=[5, 5, 1, 5], pile="Chulín")
    play(states, "draw")
    told = []
    for name in ("Toro volteado +2", "Olé maestro"):
        before = states.copy()
        play(states, name)
        told += [line[:2].tolist() for line in states[0].news[: states[0].news_count]]
        assert view(states, 1)["waiting"][1] == 0 or asked(before) == (0, "defend")
    assert told.count([E_OUT, 2]) == 1
    assert asked(states) == (3, "defend")
    assert winners(states) is None
    assert after(states, "Acurrucado")[0].status[2] == 3
