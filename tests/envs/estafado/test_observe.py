"""Decoding observations of *Estafado* (C12.1)."""

import numpy as np
import pytest
from readings import check_decode
from scale import scaled

import sobremesa
from sobremesa.envs.estafado.cards import COPIES, FEATURES_OF, HURRICANE, NO_CARD, NUM_KINDS, NUM_RABBITS
from sobremesa.envs.estafado.observe import SEEN, decode
from sobremesa.envs.estafado.state import CROW, FOX, NUM_QUESTIONS

pytestmark = pytest.mark.kernels

GAME = sobremesa.load("estafado")
SETUPS = ({}, {"reading": "rulebook", "evading_faces": 5, "rolls": "any", "bear_blocks": False})
AS_THEY_ARE = (
    "reading", "evading_faces", "rolls", "bear_blocks", "fox", "fox_start", "bear", "bear_before", "vixen", "chosen",
    "eagle", "crow", "sun", "double", "deck_swaps", "lost", "bear_skip", "up", "shown", "no_rabbit", "swappable",
    "deck_size",
)  # fmt: skip
ALIKE = np.array([np.flatnonzero((row == FEATURES_OF).all(axis=1))[0] for row in FEATURES_OF] + [NO_CARD])


def expected(state, seat):
    """Return the knowledge of `seat` by field, straight from the rules."""
    held, buried = state["hand"] != NO_CARD, state["pile"] != NO_CARD
    my_pile = buried & ((seat == CROW) | (state["pile_known"] == 1))
    other_pile = buried & ((seat == FOX) | (state["pile_known"] == 1))
    on_top = state["deck"][state["deck_size"] - 1] == HURRICANE
    in_hand = state["hand"][held & ((seat == FOX) | (state["hand"] == HURRICANE))]
    located = [state["cards"][state["known"][seat] == 1], in_hand, state["pile"][my_pile], state["prey"]]
    unseen = COPIES - state["discards"] - np.bincount(np.concatenate(located), minlength=NUM_KINDS + 1)[:NUM_KINDS]
    unseen[HURRICANE] -= on_top
    catches = int(state["catches"])
    return {
        **{name: state[name] for name in AS_THEY_ARE},
        "left": 0 if state["card"] == NO_CARD else state["left"],
        "role": seat,
        "stage": NUM_QUESTIONS if state["over"] else state["stage"],
        "mine": not state["over"] and state["seat"] == seat,
        "floor": ALIKE[np.where(state["known"][seat], state["cards"], NO_CARD)],
        "others": state["known"][1 - seat],
        "hand": ALIKE[state["hand"] if seat == FOX else np.full(len(held), NO_CARD)],
        "slots": held,
        "hurricane": [HURRICANE in state["hand"], on_top],
        "prey": [rabbit in state["prey"] for rabbit in range(NUM_RABBITS)],
        "last": state["prey"][catches - 1] if catches else NUM_RABBITS,
        "pile": ALIKE[np.where(my_pile, state["pile"], NO_CARD)],
        "pile_marks": np.stack([other_pile, state["pile_no_rabbit"], state["pile_swappable"]], axis=1),
        "unseen": unseen,
        "card": ALIKE[state["card"]],
    }


@pytest.mark.parametrize("setup", SETUPS, ids=("balanced", "rulebook"))
def test_c12_1_an_observation_says_all_that_a_seat_may_know(setup):
    check_decode(GAME, setup, range(scaled(40)), decode, SEEN, expected)
