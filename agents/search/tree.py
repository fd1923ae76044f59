"""The tree of a search over information sets, in arrays of fixed size, and the kernels that grow it.

A node is an information set: the seat to act and its observation, under a 64-bit hash of both. Trees are open loop:
each simulation draws chance and hidden information anew and descends by hashes. Nodes and edges (node, action) are in
two open-addressed tables.

Letters: `N` nodes, `E` edges, `S` seats of the largest table, `A` actions, `D` numbers in an observation, `K` likely
actions.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.search.policies import Policy
from sobremesa.envs.core.chance import STREAM, below, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer

LIKELY = 8  # K: actions whose prior a node keeps, the most likely ones
EDGES_A_NODE = 4  # room for so many edges that were tried, for each node
FULLEST = 0.75  # load factor beyond which a table takes no more entries

# `likely` are the actions that the prior's policy takes most often, `odds` how often, 0 behind them.
NODE = with_attributes(np.dtype(
    [("key", np.uint64), ("visits", np.int32), ("likely", np.int16, LIKELY), ("odds", np.float32, LIKELY)], align=True
))  # fmt: skip
_FIRST_IN_EDGE = [("key", np.uint64), ("visits", np.int32), ("available", np.int32)]

_LOW = np.uint64(0xFFFF_FFFF)
_SHIFT = np.uint64(32)
_MIX_A, _MIX_B = np.uint64(0x9E37_79B1), np.uint64(0x85EB_CA77)
_ODD_A, _ODD_B = np.uint64(0xC2B2_AE3D), np.uint64(0x27D4_EB2F)
_TURN = np.uint64(15)
_FREE = np.uint64(0)
_ONE = np.uint64(1)


class Tree(NamedTuple):
    """One tree; all its memory is allocated when it is made."""

    nodes: np.ndarray  # (N,) NODE
    # (E,) of `edge_type`: `available` is how often the action was legal where its node was passed, `totals` (S,) are
    # sums of the payoffs of each seat
    edges: np.ndarray
    used: np.ndarray  # (3,) int64: nodes, edges, and how often there was no room for one


def edge_type(game: Game) -> np.dtype:
    """Return the dtype of an edge: a record that is in one place, as most are not in the processor's cache."""
    return with_attributes([*_FIRST_IN_EDGE, ("totals", np.float64, (game.max_seats,))])


def make_tree(game: Game, nodes: int) -> Tree:
    """Return an empty tree with room for `nodes` nodes."""
    room, edges = _power(nodes / FULLEST), _power(nodes * EDGES_A_NODE / FULLEST)
    return Tree(np.zeros(room, NODE), np.zeros(edges, edge_type(game)), np.zeros(3, np.int64))


def _power(least: float) -> int:
    return 1 << max(4, int(np.ceil(np.log2(least))))


def tree_bytes(game: Game, nodes: int) -> int:
    """Return the memory of `make_tree(game, nodes)` in bytes."""
    edges = _power(nodes * EDGES_A_NODE / FULLEST)
    return _power(nodes / FULLEST) * NODE.itemsize + edges * edge_type(game).itemsize


@kernel
def _scramble(a, b, word):
    """Take `word` (32 bits) into the hash, two lanes of 32 bits each; no product leaves 64 bits."""
    a = ((a ^ word) * _MIX_A) & _LOW
    b = ((b ^ word) * _MIX_B) & _LOW
    return a ^ (a >> _TURN), b ^ (b >> _TURN)


@kernel
def hash_view(seat, words):
    """Return a 64-bit hash, never 0, of `seat` and the bits of its observation, `words` (D,) uint32."""
    a, b = _ODD_A ^ np.uint64(seat), _ODD_B + np.uint64(seat)
    for place in range(words.shape[0]):
        word = np.uint64(words[place])
        if word != _FREE:  # most numbers are 0
            a, b = _scramble(a, b, np.uint64(place))
            a, b = _scramble(a, b, word)
    found = (a << _SHIFT) | b
    return found if found != _FREE else _ONE


@kernel
def _edge_key(key, action):
    a, b = _scramble(key >> _SHIFT, key & _LOW, np.uint64(action + 1))
    b, a = _scramble(b, a, np.uint64(action + 1))
    found = (a << _SHIFT) | b
    return found if found != _FREE else _ONE


@kernel
def find_node(nodes, key):
    """Return where the node of `key` is, or -1 - p where it is not and would be at p."""
    last = np.uint64(nodes.shape[0] - 1)
    place = key & last
    while nodes[place].key != key:
        if nodes[place].key == _FREE:
            return -1 - np.int64(place)
        place = (place + _ONE) & last
    return np.int64(place)


@kernel
def find_edge(edges, key, action):
    """Return where the edge of `action` from the node `key` is, or -1 - p as `find_node` does."""
    return find_node(edges, _edge_key(key, action))


@kernel
def _add_edge(edges, used, key, action, place):
    """Put the edge at `place`, which `find_edge` has named free, and return it; -1 where the table is full."""
    if used[1] >= FULLEST * edges.shape[0]:
        used[2] += 1
        return np.int64(-1)
    edges[place].key = _edge_key(key, action)
    used[1] += 1
    return np.int64(place)


@kernel
def select(node, edges, seat, mask, found, priors, explore, trust, stream):
    """Return the legal action with the highest upper bound for `seat` (PUCT, over the actions that are legal here).

    Q of an untried action is the mean of the tried ones. A share `trust` of the prior is the node's `odds`; the rest is
    uniform over the legal actions. The parent's visits of an action are the times it was available. The result of
    `find_edge` for each legal action is left in `found` `(A,)` int64; `priors` `(A,)` float64 is scratch space.
    """
    legal, tried, total = 0, 0, 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            legal += 1
            priors[action] = 0.0
            edge = found[action] = find_edge(edges, node.key, action)
            if edge >= 0:
                edges[edge].available += 1
                tried += edges[edge].visits
                total += edges[edge].totals[seat]
    mean = total / tried if tried else 0.0
    left = 1.0
    for place in range(LIKELY):
        priors[node.likely[place]] += trust * node.odds[place]
        left -= trust * node.odds[place]
    best, most, ties = -1, 0.0, 0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        edge = found[action]
        worth, count, chances = mean, 0, tried + 1
        if edge >= 0 and edges[edge].visits > 0:
            count, chances = edges[edge].visits, edges[edge].available + 1
            worth = edges[edge].totals[seat] / count
        bound = worth + explore * (left / legal + priors[action]) * np.sqrt(np.float64(chances)) / (1.0 + count)
        if best < 0 or bound > most:
            best, most, ties = action, bound, 1
        elif bound == most:
            ties += 1
            if below(stream, ties) == 0:
                best = action
    return best


@kernel
def keep_likely(node, chances):
    """Keep in `node` the most likely actions of `chances` `(A,)`, and remove them from `chances`."""
    for place in range(LIKELY):
        best = 0
        for action in range(1, chances.shape[0]):
            if chances[action] > chances[best]:
                best = action
        if chances[best] <= 0.0:
            return
        node.likely[place] = best
        node.odds[place] = chances[best]
        chances[best] = 0.0


@cache
def _teller(choose: Any, weigh: Any) -> Any:
    """Compile the initialisation of a new node: the probabilities of a policy, or its choice, or no prior."""

    @kernel
    def tell_chances(node, observation, mask, stream, arrays, chances):
        weigh(observation, mask, arrays, chances)
        keep_likely(node, chances)

    @kernel
    def tell_choice(node, observation, mask, stream, arrays, chances):
        node.likely[0] = choose(observation, mask, stream, arrays)
        node.odds[0] = 1.0

    @kernel
    def tell_nothing(node, observation, mask, stream, arrays, chances):
        pass

    if weigh is not None:
        return tell_chances
    return tell_choice if choose is not None else tell_nothing


def simulate_kernel(game: Game, prior: Policy, rollout: Policy) -> Any:
    """Compile simulations of `game`: `prior` is the prior of nodes if it uses observations; `rollout` plays on."""
    told = (prior.choose, prior.weigh) if prior.looks else (None, None)
    return _simulate_kernel(game, *told, rollout.choose, rollout.looks)


@cache
def _simulate_kernel(game: Game, choose: Any, weigh: Any, play_on: Any, looks: bool) -> Any:
    (_, step), observe, legal, payoff, redeal = (
        step_kernels(game), observer(game), game.legal, game.payoff, game.redeal,
    )  # fmt: skip
    tell, width = _teller(choose, weigh), game.layout.width

    @kernel
    def simulate(
        root, worlds, seat, seeds, draws, nodes, edges, used, explore, trust, prior_arrays, rollout_arrays,
        observation, words, mask, found, priors, chances, streams, path, paid,
    ):  # fmt: skip
        codes = np.empty(width, np.uint8)
        for number in range(seeds.shape[0]):
            worlds[0] = root[0]
            world, stream = worlds[0], streams[0]
            redeal(world, seat, seeds[number])
            start(stream, draws[number])
            mask[:] = 0
            legal(world, mask)
            depth, inside = 0, True
            while not world.over:
                if inside or looks:
                    observe(world, world.seat, codes, observation)
                if not inside:
                    step(world, play_on(observation, mask, stream, rollout_arrays), mask)
                    continue
                key = hash_view(world.seat, words)
                place = find_node(nodes, key)
                if place < 0:
                    inside = False
                    place = -1 - place
                    if used[0] >= FULLEST * nodes.shape[0]:
                        used[2] += 1
                        continue
                    nodes[place].key = key
                    tell(nodes[place], observation, mask, stream, prior_arrays, chances)
                    used[0] += 1
                node = nodes[place]
                node.visits += 1
                action = select(node, edges, world.seat, mask, found, priors, explore, trust, stream)
                edge = found[action]
                if edge < 0:
                    edge = _add_edge(edges, used, key, action, -1 - edge)
                if edge >= 0 and depth < path.shape[0]:
                    path[depth] = edge
                    depth += 1
                step(world, action, mask)
            paid[:] = 0
            payoff(world, paid)
            for back in range(depth):
                edge = path[back]
                edges[edge].visits += 1
                for other in range(paid.shape[0]):
                    edges[edge].totals[other] += paid[other]

    return simulate


def scratch(game: Game) -> tuple[np.ndarray, ...]:
    """Return the last buffers of `simulate`, from the observation, twice, to the payoffs."""
    observation = np.zeros(game.layout.size, np.float32)
    return (
        observation,
        observation.view(np.uint32),
        np.zeros(game.num_actions, np.int8),
        np.zeros(game.num_actions, np.int64),
        np.zeros(game.num_actions),
        np.zeros(game.num_actions, np.float32),
        np.zeros(1, STREAM),
        np.zeros(game.max_plies, np.int64),
        np.zeros(game.max_seats, np.float32),
    )
