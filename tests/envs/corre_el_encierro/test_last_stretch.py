"""Option O1 of *Corre el encierro*, the last stretch: deal, knowledge, and the whole tree."""

from collections import Counter

import numpy as np
import pytest
from encierro_tables import (
    GAME,
    asked,
    choices,
    dealt,
    end_turn,
    hand,
    objects,
    paid,
    places,
    play,
    table,
    view,
    winners,
)
from rooms import ENCIERRO
from scale import PLAIN, scaled

from sobremesa import agents
from sobremesa.agents.exact.chances import policy_of
from sobremesa.agents.exact.solve import respond, solve, uniform
from sobremesa.agents.exact.tree import enumerate_tree
from sobremesa.envs.core.chance import start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import _hashed_setups
from sobremesa.envs.corre_el_encierro import cards

pytestmark = pytest.mark.kernels

LAST = {"deck": "last_stretch"}
LEFT = {"Recorte", "Kilikis", "El Pillo", "Otra vez será", "Avanzar tramo"}
SHOWN = {"Chulín", "Selfie"}


def in_pile(states):
    return sorted(cards.CARDS[card].name for card in states[0].pile[: states[0].pile_size])


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_o1_the_last_stretch_starts_near_the_plaza(seats):
    for seed in range(scaled(10)):
        states = dealt(seed, seats=seats, **LAST)
        assert (states[0].closed, states[0].first, states[0].turn) == (5, 0, 0)
        assert places(states) == [6] * seats
        assert objects(states) == [3] * seats
        held = [name for seat in range(seats) for name in hand(states, seat)]
        assert [len(hand(states, seat)) for seat in range(seats)] == [2 if seats == 2 else 1] * seats
        assert sorted(held + in_pile(states)) == sorted(LEFT | SHOWN)
        assert states[0].discards.sum() == 54 - 7


@kernel
def _start(states, seed):
    start(states[0], seed)


def test_o1_on_the_last_stretch_cards_are_dealt_and_drawn_alike():
    deals, held, drawn = scaled(1500), Counter(), Counter()
    ready = dealt(0, seats=2, **LAST)
    while asked(ready) == (0, "play"):
        play(ready, "done")
    before = Counter(in_pile(ready))
    for seed in range(deals):
        states = dealt(seed, seats=2, **LAST)
        held.update(hand(states, 0) + hand(states, 1))
        states = ready.copy()
        _start(states, seed)
        (card,) = before - Counter(in_pile(play(states, "done")))
        drawn[card] += 1
    assert set(drawn) == set(before)
    for count, share in [*((held[name], 4 / 5) for name in LEFT), *((drawn[name], 1 / 3) for name in before)]:
        assert abs(count - share * deals) < 5 * (share * (1 - share) * deals) ** 0.5


def test_o1_avanzar_tramo_wins_on_the_last_stretch():
    states = next(states for seed in range(100) if "Avanzar tramo" in hand(states := dealt(seed, seats=2, **LAST), 0))
    assert "Avanzar tramo" in choices(states)
    assert winners(play(states, "Avanzar tramo")) == ("plaza", [0])
    assert paid(states) == [1, -1]


def test_o1_the_sweep_of_the_last_stretch_ends_the_deal():
    settings = {"hands": ["Recorte", "Kilikis"], "pile": "El Pillo", "beneath": 0, "closed": 5, "deck": "last_stretch"}
    for held, won in (([2, 1], [0]), ([1, 2], [1]), ([1, 1], [0])):  # as many objects: more cards
        last = end_turn(table("6 6", objects=held, **settings))
        assert winners(last) == ("swept", won)
        assert (last[0].closed, last[0].pile_size, last[0].discards.sum()) == (6, 0, 54)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_deals_of_the_last_stretch_are_possible_to_their_end(seats):
    for seed in range(scaled(40)):
        for ply in random_deal(ENCIERRO, seed, LAST | {"seats": seats}):
            assert state_problems(ENCIERRO, ply.states) == []


def test_o1_last_stretch_observations_show_the_standard_deck():
    states = dealt(3, seats=2, **LAST)
    seen = view(states, 0)
    assert seen["setup"] == 0
    assert seen["closed"].sum() == 5
    assert np.rint(seen["unseen"] * cards.COPIES[cards.STANDARD]).sum() == 7 - 2


def test_the_rules_hash_does_not_include_the_last_stretch():
    tried = _hashed_setups(GAME)
    assert {"seats": 3, "deck": "conflict"} in tried
    assert not [setup for setup in tried if setup.get("deck") == "last_stretch"]


@pytest.mark.thorough
@pytest.mark.skipif(PLAIN, reason="a tree of many thousand nodes")
def test_the_last_stretch_is_solved():
    tree = enumerate_tree(ENCIERRO, LAST)
    arrays = tree.arrays
    assert arrays.opening.sum() == pytest.approx(1)
    # Of the 30 ways to deal two of five cards to each of two, 12 give seat 0 the card that wins at once.
    holds = tree.observations()[:, : cards.NUM_HAND_CARDS][:, cards.AVANZAR] > 0
    opening = np.flatnonzero(arrays.opening)
    assert len(opening) == 30
    assert arrays.opening[opening][holds[arrays.infoset[opening]]].sum() == pytest.approx(2 / 5)
    found = solve(tree, 100).response
    assert found.exploitability < 0.001
    random, strong = respond(tree, uniform(tree)), respond(tree, policy_of(agents.load("strong", ENCIERRO), tree))
    assert found.exploitability < strong.exploitability < random.exploitability
