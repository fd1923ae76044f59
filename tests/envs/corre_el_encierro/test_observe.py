"""Decoding observations of *Corre el encierro* (C11.1, C11.2)."""

from functools import partial

import numpy as np
import pytest
from readings import check_decode
from scale import scaled

import sobremesa
from sobremesa.envs.corre_el_encierro.cards import MAX_SEATS, NO_CARD, NUM_HAND_CARDS
from sobremesa.envs.corre_el_encierro.observe import SEEN, decode
from sobremesa.envs.corre_el_encierro.state import ANSWER, DEFEND, GO_ON, NOBODY, OUT, PAY

pytestmark = pytest.mark.kernels

GAME = sobremesa.load("corre_el_encierro")
SETUPS = ({"seats": 2}, {"seats": 3, "deck": "conflict"}, {"seats": 5})
BULLS, FALLS = slice(27, 33), slice(33, 36)


def remembered(state, seat, turned):
    """Return the known parts of cards in other hands, `(MAX_SEATS, NUM_HAND_CARDS)`."""
    known = np.zeros((MAX_SEATS, NUM_HAND_CARDS))
    for kind, knower, hands in zip(state["theft_kind"], state["theft_from"], state["theft_hands"], strict=True):
        if knower == seat:
            places = [row for row, other in enumerate(turned) if hands >> other & 1]
            known[places, kind] += 1 / len(places)
    return known


def not_seen(state, seat):
    """Return the number of cards of each kind in the pile and in other hands."""
    counts = np.bincount(state["pile"][: state["pile_size"]], minlength=NO_CARD)
    counts[:NUM_HAND_CARDS] += state["hand"].sum(axis=0) - state["hand"][seat]
    return counts


def expected(state, seat):
    """Return the knowledge of `seat` by field, straight from the rules."""
    seats, missing = int(state["seats"]), MAX_SEATS - int(state["seats"])
    turned = [(seat + other) % seats for other in range(seats)]
    row = {other: number for number, other in enumerate(turned)} | {NOBODY: NOBODY}
    unseen = not_seen(state, seat)
    hit = state["card"] != NO_CARD and state["stage"] in (ANSWER, DEFEND, PAY)
    waiting = {int(other) for other in state["queue"] if other != NOBODY and state["status"][other] != OUT}
    return {
        **{
            name: int(state[name])
            for name in ("deck", "seats", "moved", "drawn", "lost", "card", "closed", "pile_size")
        },
        "asked": int(state["stage"]) if state["seat"] == seat and not state["over"] else GO_ON,
        "played": state["phase"] > 0,
        "turn": row[int(state["turn"])],
        "sender": row[int(state["sender"])],
        "struck": row[int(state["seat"])] if hit else NOBODY,
        "waiting": [other in waiting for other in turned] + [0] * missing,
        "place": [*state["place"][turned], *[0] * missing],
        "objects": [*state["objects"][turned], *[0] * missing],
        "special": [*state["special"][turned], *[NO_CARD] * missing],
        "status": [*state["status"][turned], *[OUT] * missing],
        "hand": state["hand"][seat],
        "hand_size": [*state["hand_size"][turned], *[0] * missing],
        "known": remembered(state, seat, turned),
        "discards": state["discards"],
        "unseen": unseen,
        "danger": np.array([unseen[BULLS].sum(), unseen[FALLS].sum()]) / max(1, int(state["pile_size"])),
    }


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: str(setup["seats"]))
def test_c11_1_an_observation_says_all_that_a_seat_may_know(setup):
    thefts = []

    def wanted(state, seat):
        found = expected(state, seat)
        thefts.append(found["known"].any())
        return found

    close = partial(np.allclose, atol=1e-6)
    check_decode(GAME, setup, range(1, 1 + scaled(10)), decode, SEEN, wanted, equal=close, plies=400)
    assert any(thefts)
