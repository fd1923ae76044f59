"""The whole tree of Kuhn poker, through its game functions, and exact values of strategies.

A strategy is the probability of a bet at each information set, keyed by the bytes of its observation.
"""

import itertools
from fractions import Fraction

import numpy as np
import torch
from kuhn import BET, CHIPS_PER_UNIT, GAME, NUM_ACTIONS, NUM_SEATS, PASS

from sobremesa.envs.core.table import OVER, table_kernels

DEALS = list(itertools.permutations(range(3)))
J, Q, K = range(3)


class Node:
    """A node of the tree: the seat to act, its observation, and the node after each action."""

    def __init__(self, states, seat, observation, mask):
        kernels = table_kernels(GAME)
        self.seat, self.card = seat, int(states["deck"][0][seat])
        self.infoset = observation.tobytes()
        self.facing_bet, self.ply = bool(states["last"][0] == BET), int(states["ply"][0])
        self.next = []
        if seat == OVER:
            payoffs = np.zeros(NUM_SEATS, np.float32)
            kernels.payoff(states, payoffs)
            assert payoffs.sum() == 0
            self.won = Fraction(float(payoffs[0])) * CHIPS_PER_UNIT
        for action in np.flatnonzero(mask):
            after, seen, allowed = states.copy(), observation.copy(), mask.copy()
            self.next.append(Node(after, kernels.step(after, int(action), seen, allowed), seen, allowed))

    def walk(self):
        yield self
        for node in self.next:
            yield from node.walk()


def root(deck):
    kernels = table_kernels(GAME)
    states = GAME.new_tables(1, {})
    observation, mask = np.zeros(GAME.layout.size, np.float32), np.zeros(NUM_ACTIONS, np.int8)
    kernels.reset(states, 0, observation, mask)
    states["deck"][0] = deck
    kernels.observe(states, 0, observation)
    return Node(states, 0, observation, mask)


def whole():
    return [root(deck) for deck in DEALS]


def bets_of(policy, tree):
    """Return the strategy of `policy`, a network from observation and mask to logits, in `tree`."""
    bets = {}
    for node in decisions(tree):
        seen = torch.from_numpy(np.frombuffer(node.infoset, np.float32)[None].copy())
        with torch.inference_mode():
            bets[node.infoset] = policy(seen, torch.ones(1, NUM_ACTIONS)).softmax(1)[0, BET].item()
    return bets


def value(node, bets):
    """Return the first seat's value from `node` on; `bets` gives the probability of a bet at an information set."""
    if node.seat == OVER:
        return node.won
    bet = bets[node.infoset]
    return bet * value(node.next[BET], bets) + (1 - bet) * value(node.next[PASS], bets)


def mean_value(tree, bets):
    return sum((value(node, bets) for node in tree), Fraction(0)) / len(tree)


def equilibrium(tree, alpha):
    """Return Kuhn's equilibrium for `alpha` in [0, 1/3], as the probability of a bet at each information set."""
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


def exploitability(tree, bets):
    """Return the mean gain of best responses to `bets` over the two seats, in chips; 0 at an equilibrium."""
    return (best_response(tree, bets, 0) - best_response(tree, bets, 1)) / 2
