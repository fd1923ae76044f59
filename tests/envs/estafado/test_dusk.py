"""Option O1 of *Estafado*, dusk: deal, endings, and the whole tree."""

from collections import Counter

import pytest
from estafado_referee import DISCARDED_AT_DUSK
from estafado_tables import (
    CROW,
    FOX,
    GAME,
    NAMES,
    asked,
    at,
    card,
    choices,
    dealt,
    discarded,
    face_up,
    held,
    known,
    play,
    view,
    won,
)
from rooms import ESTAFADO
from scale import PLAIN, scaled

from sobremesa import agents
from sobremesa.agents.exact.chances import policy_of
from sobremesa.agents.exact.solve import respond, solve, uniform
from sobremesa.agents.exact.tree import enumerate_tree
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import state_problems
from sobremesa.envs.core.testing.check import _hashed_setups

pytestmark = pytest.mark.kernels

DUSK = {"reading": "dusk"}
HIDDEN = ("b2", "d2", "c3")
POOL = Counter(["Rabbit #1", "Yellow Jacket", "Vegetation", "Bullfrog", "Bullfrog"])


def test_o1_at_dusk_three_cards_lie_face_down():
    for seed in range(scaled(20)):
        states = dealt(seed, **DUSK)
        hidden = Counter(card(states, cell) for cell in HIDDEN)
        assert hidden["Rabbit #1"] == 1
        assert hidden + Counter(held(states, "deck")) == POOL
        assert len(face_up(states)) == 22
        assert not face_up(states) & set(HIDDEN)
        assert known(states, FOX) == known(states, CROW) == face_up(states)
        assert Counter(discarded(states)) == Counter(DISCARDED_AT_DUSK)
        assert held(states, "prey") == ["Rabbit #0", "Rabbit #2"]
        assert held(states, "hand") == held(states, "pile") == []
        tokens = ("fox", "bear", "bear_before", "vixen", "crow", "eagle")
        assert tuple(at(states, token) for token in tokens) == ("c1", "e1", "d1", "e5", "Sc", "W5")
        assert (asked(states), int(states[0].seat), int(states[0].sun)) == ("move", FOX, 18)


def test_o1_at_dusk_the_hidden_cards_lie_anywhere_alike():
    deals, places = scaled(1500), Counter()
    for seed in range(deals):
        states = dealt(seed, **DUSK)
        places.update((cell, card(states, cell)) for cell in HIDDEN)
    for cell in HIDDEN:
        for name, copies in POOL.items():
            share = 1 / 3 if name == "Rabbit #1" else 2 / 3 * copies / 4
            assert abs(places[cell, name] - share * deals) < 5 * (share * (1 - share) * deals) ** 0.5


def test_o1_at_dusk_the_eagles_last_flight_ends_the_deal():
    states = play(dealt(0, **DUSK), "go b1", "eagle +1", "crow -1")
    while states[0].sun == 18:
        play(states, sorted(choices(states))[0])
    while asked(states) != "eagle":
        play(states, "go b1" if "go b1" in choices(states) else sorted(choices(states))[0])
    assert states[0].sun == 19
    assert won(play(states, "eagle +1")) == ("sunset", CROW)
    assert states[0].sun == 20


def test_o1_at_dusk_the_third_rabbit_wins():
    for seed in range(100):
        states = dealt(seed, **DUSK)
        (where,) = [cell for cell in HIDDEN if card(states, cell) == "Rabbit #1"]
        play(states, f"go {where}")
        if states[0].over:  # one roll, which four faces of six are enough for
            break
    assert won(states) == ("rabbits", FOX)
    assert state_problems(ESTAFADO, states) == []


def test_o1_an_observation_at_dusk_is_of_the_balanced_reading():
    states = dealt(2, **DUSK)
    for seat in (FOX, CROW):
        assert view(states, seat)["setup"].tolist() == [0, 2, 0, 1]
        assert view(states, seat)["unseen"].astype(bool).sum() == 4
    assert ESTAFADO.ended(list(random_deal(GAME, 1, DUSK))[-1].states)["swaps with the deck"] == 0


def test_the_rules_hash_does_not_include_dusk():
    tried = _hashed_setups(GAME)
    assert {"seats": 2, "reading": "rulebook"} in tried
    assert not [setup for setup in tried if setup.get("reading") == "dusk"]
    assert "Rabbit #1" in NAMES


@pytest.mark.thorough
@pytest.mark.skipif(PLAIN, reason="a tree of several hundred thousand nodes")
def test_dusk_is_solved():
    tree = enumerate_tree(ESTAFADO, DUSK)
    # The rabbit lies on one of three cells; two of Yellow Jacket, Vegetation and Bullfrog, or two Bullfrogs, beside it.
    assert (tree.arrays.opening > 0).sum() == 3 * (3 * 2 + 1)
    found = solve(tree, 200).response
    assert found.exploitability < 0.001
    # He looks under one card of three, and the rabbit is caught by four faces of six. If it is another card and not the
    # Yellow Jacket, he looks once more, and the crow can leave him no worse than even between the other two.
    first, second = 1 / 3 * 2 / 3, 2 / 3 * 3 / 4 * 1 / 2 * 2 / 3
    assert abs(found.value - (2 * (first + second) - 1)) < 2 * found.exploitability
    random, strong = respond(tree, uniform(tree)), respond(tree, policy_of(agents.load("strong", ESTAFADO), tree))
    assert found.exploitability < strong.exploitability < random.exploitability
