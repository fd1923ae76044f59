"""Near-equilibria by CFR+, and best responses, over the whole tree of a game.

CFR+ follows O. Tammelin, "Solving large imperfect information games using CFR+" (2014): regrets stay at 0 or above,
seats are updated in turns, and iteration t has weight t in the average. A best response is computed information set by
information set, those behind the most decisions of the seat first.

Letters: as in tree.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sobremesa.agents.exact.tree import SEATS, START, GameTree
from sobremesa.envs.core.compile.kernel import kernel

AT_ONCE = 2_000_000  # slots times iterations between two checks of Ctrl-C: about a quarter of a second


class Response(NamedTuple):
    """The payoffs of best responses to a policy."""

    value: float  #: payoff of seat 0 if both seats play the policy
    best: tuple[float, float]  #: payoff of a best response at each seat

    @property
    def exploitability(self) -> float:
        """Payoff of a best response, averaged over the two seats; half of NashConv."""
        return sum(self.best) / SEATS


class Solution(NamedTuple):
    """A near-equilibrium."""

    policy: np.ndarray  #: (S,) float64: how likely each action is at its information set
    iterations: int
    response: Response


def uniform(tree: GameTree) -> np.ndarray:
    """Return the uniform policy `(S,)`."""
    sizes = np.diff(tree.arrays.slots)
    return np.repeat(1.0 / sizes, sizes)


def solve(tree: GameTree, iterations: int, progress: Callable[[int, int], None] | None = None) -> Solution:
    """Return the policy after `iterations` of CFR+; `progress` is called with (iterations done, in all)."""
    count = len(tree.actions)
    regrets, policy, total = np.zeros(count), uniform(tree), np.zeros(count)
    reach, values, gains = np.zeros(len(tree.arrays.seat)), np.zeros(len(tree.arrays.seat)), np.zeros(count)
    own = np.zeros(len(tree.arrays.owner))
    step = max(1, min(iterations // 100, AT_ONCE // count))
    for first in range(0, iterations, step):
        last = min(first + step, iterations)
        _iterate(tree.arrays, regrets, policy, total, reach, values, gains, own, first, last)
        if progress is not None:
            progress(last, iterations)
    average = normalised(tree, total)
    return Solution(average, iterations, respond(tree, average))


def normalised(tree: GameTree, weights: np.ndarray) -> np.ndarray:
    """Return `weights` `(S,)` as a policy: of sum 1 at each information set, and uniform where all of them are 0."""
    slots = tree.arrays.slots
    sizes = np.diff(slots)
    sums = np.repeat(np.add.reduceat(weights, slots[:-1]), sizes)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), uniform(tree))


def respond(tree: GameTree, policy: np.ndarray) -> Response:
    """Return the value of `policy` `(S,)` against itself, and the payoffs of best responses to it."""
    arrays, best = tree.arrays, []
    reach, values = np.zeros(len(arrays.seat)), np.zeros(len(arrays.seat))
    gains = np.zeros(len(policy))
    for seat in range(SEATS):
        answer = policy.copy()
        _reach(arrays, policy, seat, reach)
        depths = tree.depth[arrays.owner == seat]
        for depth in range(int(depths.max(initial=-1)), -1, -1):
            _value(arrays, answer, seat, reach, values, gains)
            _take_best(arrays, gains, seat, tree.depth, depth, answer)
        _value(arrays, answer, seat, reach, values, gains)
        best.append(float(arrays.opening @ values))
    _value(arrays, policy, 0, reach, values, gains)
    return Response(float(arrays.opening @ values), (best[0], best[1]))


@kernel
def _iterate(arrays, regrets, policy, total, reach, values, gains, own, first, last):
    for iteration in range(first, last):
        for seat in range(SEATS):
            _reach(arrays, policy, seat, reach)
            _value(arrays, policy, seat, reach, values, gains)
            _own_reach(arrays, policy, own)
            _regret(arrays, regrets, policy, total, gains, own, seat, iteration + 1.0)


@kernel
def _reach(arrays, policy, seat, reach):
    """Write how likely chance and the other seat lead to each node, `(N,)`."""
    reach[:] = arrays.opening
    for node in range(arrays.seat.shape[0]):
        asked = arrays.seat[node]
        if asked < 0:
            continue
        slot, first = arrays.slots[arrays.infoset[node]], arrays.edges[node]
        for edge in range(first, arrays.edges[node + 1]):
            likely = reach[node]
            if asked != seat:
                likely *= policy[slot + edge - first]
            for outcome in range(arrays.outcomes[edge], arrays.outcomes[edge + 1]):
                reach[arrays.child[outcome]] = likely * arrays.chance[outcome]


@kernel
def _value(arrays, policy, seat, reach, values, gains):
    """Write the value of each node for `seat`, `(N,)`, and the gains of its actions, weighted by `reach`, `(S,)`."""
    gains[:] = 0.0
    for back in range(arrays.seat.shape[0]):
        node = arrays.seat.shape[0] - 1 - back
        asked = arrays.seat[node]
        if asked < 0:
            values[node] = arrays.paid[node] if seat == 0 else -arrays.paid[node]
            continue
        slot, first, value = arrays.slots[arrays.infoset[node]], arrays.edges[node], 0.0
        for edge in range(first, arrays.edges[node + 1]):
            worth = 0.0
            for outcome in range(arrays.outcomes[edge], arrays.outcomes[edge + 1]):
                worth += arrays.chance[outcome] * values[arrays.child[outcome]]
            value += policy[slot + edge - first] * worth
            if asked == seat:
                gains[slot + edge - first] += reach[node] * worth
        values[node] = value


@kernel
def _own_reach(arrays, policy, own):
    """Write how likely a seat's own decisions lead to each of its information sets, `(I,)`."""
    for infoset in range(arrays.owner.shape[0]):
        slot = arrays.before[infoset]
        if slot == START:
            own[infoset] = 1.0
        else:
            own[infoset] = own[_infoset_of(arrays.slots, slot)] * policy[slot]


@kernel
def _infoset_of(slots, slot):
    """Return the information set of `slot`, by bisection."""
    low, high = 0, slots.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if slots[middle] <= slot:
            low = middle
        else:
            high = middle
    return low


@kernel
def _regret(arrays, regrets, policy, total, gains, own, seat, weight):
    """Add to the average and to the regrets of `seat`, and play on by the regrets that are above 0."""
    for infoset in range(arrays.owner.shape[0]):
        if arrays.owner[infoset] != seat:
            continue
        first, last = arrays.slots[infoset], arrays.slots[infoset + 1]
        value, positive = 0.0, 0.0
        for slot in range(first, last):
            total[slot] += weight * own[infoset] * policy[slot]
            value += policy[slot] * gains[slot]
        for slot in range(first, last):
            regrets[slot] = max(0.0, regrets[slot] + gains[slot] - value)
            positive += regrets[slot]
        for slot in range(first, last):
            policy[slot] = regrets[slot] / positive if positive > 0 else 1.0 / (last - first)


@kernel
def _take_best(arrays, gains, seat, depths, depth, answer):
    """Let `answer` take the action that gains most at the information sets of `seat` of this `depth`."""
    for infoset in range(arrays.owner.shape[0]):
        if arrays.owner[infoset] == seat and depths[infoset] == depth:
            first, last = arrays.slots[infoset], arrays.slots[infoset + 1]
            best = first
            for slot in range(first, last):
                if gains[slot] > gains[best]:
                    best = slot
            answer[first:last] = 0.0
            answer[best] = 1.0
