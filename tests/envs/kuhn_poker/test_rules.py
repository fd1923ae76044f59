"""Kuhn poker as a game of your own: its whole tree, its known solution, and its registration."""

import dataclasses
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from kuhn import GAME, PASS
from kuhn_tree import DEALS, best_response, decisions, equilibrium, exploitability, mean_value, whole
from scale import scaled

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import OVER

pytestmark = pytest.mark.kernels

VALUE = Fraction(-1, 18)  # for the first seat, in chips (Kuhn 1950)


@pytest.fixture(scope="module")
def tree():
    return whole()


def test_the_tree_has_24_decisions_and_30_ends(tree):
    ends = [node for deal in tree for node in deal.walk() if node.seat == OVER]
    assert len(decisions(tree)) == 24
    assert len(ends) == 30
    assert Counter(abs(node.won) for node in ends) == {1: 18, 2: 12}


def test_observations_are_the_12_information_sets(tree):
    sets = Counter(node.infoset for node in decisions(tree))
    assert len(sets) == 12
    assert set(sets.values()) == {2}  # the other's card is one of two
    for infoset in sets:
        (one, other) = [node for node in decisions(tree) if node.infoset == infoset]
        assert (one.seat, one.card, one.ply, one.facing_bet) == (other.seat, other.card, other.ply, other.facing_bet)


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 7), Fraction(1, 3)])
def test_the_known_equilibria_are_worth_minus_one_eighteenth(tree, alpha):
    bets = equilibrium(tree, alpha)
    assert mean_value(tree, bets) == VALUE
    assert best_response(tree, bets, 0) == VALUE
    assert best_response(tree, bets, 1) == VALUE
    assert exploitability(tree, bets) == 0


def test_best_responses_find_what_other_strategies_lose(tree):
    too_bold = equilibrium(tree, Fraction(1, 2))
    assert best_response(tree, too_bold, 1) < VALUE
    always_even = dict.fromkeys(too_bold, Fraction(1, 2))
    assert best_response(tree, always_even, 0) > VALUE
    assert exploitability(tree, always_even) == Fraction(11, 24)  # 0.458, as others find


def test_every_seed_deals_one_of_six_alike():
    count = scaled(6000)
    decks = Counter(tuple(next(random_deal(GAME, seed))[0]["deck"][0].tolist()) for seed in range(count))
    assert set(decks) == set(DEALS)
    expected = count / len(DEALS)
    assert all(abs(times - expected) < 5 * expected**0.5 for times in decks.values()), decks


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(envs, "_REGISTERED", {})


@pytest.mark.usefixtures("registry")
def test_a_registered_game_is_listed_loaded_and_played():
    before = envs.games()
    envs.register(GAME)
    assert envs.games() == sorted([*before, "kuhn"])
    assert envs.load("kuhn") is GAME
    env = envs.make("kuhn")
    env.reset(seed=3)
    for _ in range(2):
        assert env.observe(env.agent_selection)["action_mask"].tolist() == [1, 1]
        env.step(PASS)
    assert env.terminations == {"seat_0": True, "seat_1": True}
    assert sorted(env.rewards.values()) == [-0.5, 0.5]
    vector = envs.make_vec("kuhn", 8, seed=1)
    dones = [vector.step(vector.sample()).dones.copy() for _ in range(3)]
    assert np.any(dones, axis=0).all()


@pytest.mark.usefixtures("registry")
def test_a_taken_name_is_refused():
    envs.register(GAME)
    envs.register(GAME)  # the same game again is no other game
    with pytest.raises(ValueError, match="'kuhn' is registered already"):
        envs.register(dataclasses.replace(GAME, version=1))
    with pytest.raises(ValueError, match="'ese_toro_enamorado' is registered already"):
        envs.register(dataclasses.replace(GAME, name="ese_toro_enamorado"))
    assert envs.load("kuhn") is GAME


@pytest.mark.usefixtures("registry")
def test_an_unknown_name_is_refused_and_the_known_ones_are_named():
    with pytest.raises(ValueError, match=r"no game 'kuhn'; there are .*ese_toro_enamorado"):
        envs.load("kuhn")
