"""The tree of a search over information sets, in arrays of a fixed size, and the kernels that grow it.

A node is an information set: a seat that is asked and what it sees there, under a 64-bit hash of both. Trees are open
loop: chance and what seats hide is drawn anew in each simulation, and the way down is found by hashes alone. Nodes and
edges (node, action) lie in two open-addressed tables.

Letters: `N` nodes, `E` edges, `S` seats of the largest table, `A` actions, `D` numbers in an observation.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.chance import STREAM, below, pick, start
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import observer

NODE = np.dtype((np.record, np.dtype([("key", np.uint64), ("visits", np.int32), ("choice", np.int32)])))
EDGES_A_NODE = 4  # room for so many edges that were tried, for each node
FULLEST = 0.75  # of a table, beyond which nothing is added

_LOW = np.uint64(0xFFFF_FFFF)
_SHIFT = np.uint64(32)
_MIX_A, _MIX_B = np.uint64(0x9E37_79B1), np.uint64(0x85EB_CA77)
_ODD_A, _ODD_B = np.uint64(0xC2B2_AE3D), np.uint64(0x27D4_EB2F)
_TURN = np.uint64(15)
_FREE = np.uint64(0)
_ONE = np.uint64(1)


class Tree(NamedTuple):
    """One tree; all its memory is taken when it is made."""

    nodes: np.ndarray  # (N,) NODE; `choice` is the action that the prior's policy would take
    edges: np.ndarray  # (E,) uint64, keys
    visits: np.ndarray  # (E,) int32
    available: np.ndarray  # (E,) int32, how often the action was legal where its node was passed
    totals: np.ndarray  # (E, S) float64, sums of what each seat was paid
    used: np.ndarray  # (3,) int64: nodes, edges, and simulations that found no room


def make_tree(game: Game, nodes: int) -> Tree:
    """Return an empty tree with room for `nodes` nodes."""
    room, edges = _power(nodes / FULLEST), _power(nodes * EDGES_A_NODE / FULLEST)
    return Tree(
        np.zeros(room, NODE),
        np.zeros(edges, np.uint64),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros((edges, game.max_seats)),
        np.zeros(3, np.int64),
    )


def _power(least: float) -> int:
    return 1 << max(4, int(np.ceil(np.log2(least))))


def tree_bytes(game: Game, nodes: int) -> int:
    """Return the memory of `make_tree(game, nodes)` in bytes."""
    edge = 8 + 4 + 4 + 8 * game.max_seats
    return _power(nodes / FULLEST) * NODE.itemsize + _power(nodes * EDGES_A_NODE / FULLEST) * edge


@kernel
def _scramble(a, b, word):
    """Take `word` (32 bits) into the hash, two lanes of 32 bits each; no product leaves 64 bits."""
    a = ((a ^ word) * _MIX_A) & _LOW
    b = ((b ^ word) * _MIX_B) & _LOW
    return a ^ (a >> _TURN), b ^ (b >> _TURN)


@kernel
def hash_view(seat, words):
    """Return a 64-bit hash, never 0, of `seat` and what it sees: the bits of an observation, `words` (D,) uint32."""
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
    """Return where the node of `key` lies, or -1 - p where it is not and would lie at p."""
    last = np.uint64(nodes.shape[0] - 1)
    place = key & last
    while nodes[place].key != key:
        if nodes[place].key == _FREE:
            return -1 - np.int64(place)
        place = (place + _ONE) & last
    return np.int64(place)


@kernel
def find_edge(edges, key, action):
    """Return where the edge of `action` from the node `key` lies, or -1 - p where it is not and would lie at p."""
    wanted = _edge_key(key, action)
    last = np.uint64(edges.shape[0] - 1)
    place = wanted & last
    while edges[place] != wanted:
        if edges[place] == _FREE:
            return -1 - np.int64(place)
        place = (place + _ONE) & last
    return np.int64(place)


@kernel
def _add_edge(edges, used, key, action, place):
    """Put the edge at `place`, which `find_edge` has named free, and return it; -1 where the table is full."""
    if used[1] >= FULLEST * edges.shape[0]:
        return np.int64(-1)
    edges[place] = _edge_key(key, action)
    used[1] += 1
    return np.int64(place)


@kernel
def select(node, edges, visits, available, totals, seat, mask, found, explore, trust, stream):
    """Return the legal action with the highest upper bound for `seat` (PUCT, over those that are legal here).

    Q of an action not tried yet is the mean of those tried; the prior is `trust` for the policy's choice, and the rest
    is shared by all that is legal. What counts as the parent's visits of an action is how often it was available. What
    `find_edge` says of each legal action is left in `found` `(A,)` int64.
    """
    legal, tried, total = 0, 0, 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            legal += 1
            edge = found[action] = find_edge(edges, node.key, action)
            if edge >= 0:
                available[edge] += 1
                tried += visits[edge]
                total += totals[edge, seat]
    mean = total / tried if tried else 0.0
    best, most, ties = -1, 0.0, 0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        prior = (1.0 - trust) / legal + (trust if action == node.choice else 0.0)
        edge = found[action]
        worth, count, chances = mean, 0, tried + 1
        if edge >= 0 and visits[edge] > 0:
            worth, count, chances = totals[edge, seat] / visits[edge], visits[edge], available[edge] + 1
        bound = worth + explore * prior * np.sqrt(np.float64(chances)) / (1.0 + count)
        if best < 0 or bound > most:
            best, most, ties = action, bound, 1
        elif bound == most:
            ties += 1
            if below(stream, ties) == 0:
                best = action
    return best


@kernel
def _no_choice(observation, mask, stream):
    return -1


@cache
def _player(game: Game, policy: Any) -> Any:
    """Compile who plays on, `policy`; None plays at random, which needs no look at the table."""
    observe = observer(game)

    @kernel
    def look_and_play(state, codes, observation, mask, stream):
        observe(state, state.seat, codes, observation)
        return policy(observation, mask, stream)

    @kernel
    def play_blindly(state, codes, observation, mask, stream):
        return pick(stream, mask)

    return look_and_play if policy else play_blindly


@cache
def simulate_kernel(game: Game, prior: Any, rollout: Any) -> Any:
    """Compile simulations of `game`: nodes ask `prior`, leaves are played on by `rollout`.

    Both are kernels of agents, or None: then nodes trust in nothing, and leaves are played on at random.
    """
    (_, step), observe, legal, payoff, redeal = (
        step_kernels(game), observer(game), game.legal, game.payoff, game.redeal,
    )  # fmt: skip
    choose, play_on, width = prior or _no_choice, _player(game, rollout), game.layout.width

    @kernel
    def simulate(
        root, worlds, seat, seeds, chances, nodes, edges, visits, available, totals, used, explore, trust,
        observation, words, mask, found, streams, path, paid,
    ):  # fmt: skip
        codes = np.empty(width, np.uint8)
        for number in range(seeds.shape[0]):
            worlds[0] = root[0]
            world, stream = worlds[0], streams[0]
            redeal(world, seat, seeds[number])
            start(stream, chances[number])
            mask[:] = 0
            legal(world, mask)
            depth, inside = 0, True
            while not world.over:
                if not inside:
                    step(world, play_on(world, codes, observation, mask, stream), mask)
                    continue
                observe(world, world.seat, codes, observation)
                key = hash_view(world.seat, words)
                place = find_node(nodes, key)
                if place < 0:
                    inside = False
                    place = -1 - place
                    if used[0] >= FULLEST * nodes.shape[0]:
                        used[2] += 1
                        continue
                    nodes[place].key = key
                    nodes[place].choice = choose(observation, mask, stream)
                    used[0] += 1
                nodes[place].visits += 1
                node = nodes[place]
                action = select(node, edges, visits, available, totals, world.seat, mask, found, explore, trust, stream)
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
                visits[path[back]] += 1
                for other in range(paid.shape[0]):
                    totals[path[back], other] += paid[other]

    return simulate


def scratch(game: Game) -> tuple[np.ndarray, ...]:
    """Return the buffers that `simulate` takes last: observation, its bits, mask, edges, stream, path and payoffs."""
    observation = np.zeros(game.layout.size, np.float32)
    return (
        observation,
        observation.view(np.uint32),
        np.zeros(game.num_actions, np.int8),
        np.zeros(game.num_actions, np.int64),
        np.zeros(1, STREAM),
        np.zeros(game.max_plies, np.int64),
        np.zeros(game.max_seats, np.float32),
    )
