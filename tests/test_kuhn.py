"""Kuhn poker as a room of one's own: the whole tree through the verbs, its known solution, and its registration."""

import dataclasses
import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from kuhn import BET, CHIPS_PER_UNIT, GAME, NUM_ACTIONS, NUM_SEATS, PASS
from scale import scaled

from sobremesa import envs
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import OVER, table_kernels

DEALS = list(itertools.permutations(range(3)))
J, Q, K = range(3)
VALUE = Fraction(-1, 18)  # for the first seat, in chips (Kuhn 1950)


class Node:
    """A state of the tree, made by the verbs: whose turn, what they know, and what follows each action."""

    def __init__(self, states, seat, observation, mask):
        kernels = table_kernels(GAME)
        self.seat, self.card = seat, int(states["deck"][0][seat])
        self.infoset = observation.tobytes()
        self.facing_bet, self.ply = bool(states["last"][0] == BET), int(states["ply"][0])
        self.next = []
        if seat == OVER:
            payoffs = np.zeros(NUM_SEATS, np.float32)
            kernels.pay(states, payoffs)
            assert payoffs.sum() == 0
            self.won = Fraction(float(payoffs[0])) * CHIPS_PER_UNIT
        for action in np.flatnonzero(mask):
            after, seen, allowed = states.copy(), observation.copy(), mask.copy()
            self.next.append(Node(after, kernels.play(after, int(action), seen, allowed), seen, allowed))

    def walk(self):
        yield self
        for node in self.next:
            yield from node.walk()


def root(deck):
    kernels = table_kernels(GAME)
    states = GAME.new_tables(1, {})
    observation, mask = np.zeros(GAME.layout.size, np.float32), np.zeros(NUM_ACTIONS, np.int8)
    kernels.deal(states, 0, observation, mask)
    states["deck"][0] = deck
    kernels.look(states, 0, observation)
    return Node(states, 0, observation, mask)


@pytest.fixture(scope="module")
def tree():
    return [root(deck) for deck in DEALS]


def value(node, bets):
    """Return what the first seat wins from `node` on; `bets` gives the chance to bet at an information set."""
    if node.seat == OVER:
        return node.won
    bet = bets[node.infoset]
    return bet * value(node.next[BET], bets) + (1 - bet) * value(node.next[PASS], bets)


def mean_value(tree, bets):
    return sum((value(node, bets) for node in tree), Fraction(0)) / len(tree)


def equilibrium(tree, alpha):
    """Return Kuhn's equilibrium, one for each `alpha` in [0, 1/3], as the chance to bet at each information set."""
    third = Fraction(1, 3)
    opens, calls = {J: alpha, Q: 0, K: 3 * alpha}, {J: 0, Q: alpha + third, K: 1}
    answers, attacks = {J: 0, Q: third, K: 1}, {J: third, Q: 0, K: 1}
    bets = {}
    for node in decisions(tree):
        first, second = (calls, answers) if node.facing_bet else (opens, attacks)
        bets[node.infoset] = Fraction((first if node.seat == 0 else second)[node.card])
    return bets


def decisions(tree):
    return [node for deal in tree for node in deal.walk() if node.seat != OVER]


def best_response(tree, bets, seat):
    """Return the first seat's value when `seat` plays the best of all its pure strategies against `bets`."""
    mine = sorted({node.infoset for node in decisions(tree) if node.seat == seat})
    values = [
        mean_value(tree, bets | dict(zip(mine, plan, strict=True)))
        for plan in itertools.product((0, 1), repeat=len(mine))
    ]
    return max(values) if seat == 0 else min(values)


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
def test_the_known_equilibria_are_worth_minus_one_eighteenth_to_the_first_seat(tree, alpha):
    bets = equilibrium(tree, alpha)
    assert mean_value(tree, bets) == VALUE
    assert best_response(tree, bets, 0) == VALUE
    assert best_response(tree, bets, 1) == VALUE


def test_best_responses_find_what_other_strategies_lose(tree):
    too_bold = equilibrium(tree, Fraction(1, 2))
    assert best_response(tree, too_bold, 1) < VALUE
    always_even = dict.fromkeys(too_bold, Fraction(1, 2))
    assert best_response(tree, always_even, 0) > VALUE


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
