"""Bots inside kernels: they play as in onnxruntime; other bots play in batches."""

import builtins
import dataclasses
import tracemalloc

import numpy as np
import onnx
import pytest
import tictactoe
import torch
from onnx import TensorProto, helper, numpy_helper

from sobremesa import agents, envs
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.exported import Bot
from sobremesa.agents.networks import onnx_file
from sobremesa.agents.networks.compiler import UnsupportedGraph, make_network
from sobremesa.agents.networks.operations import OPERATIONS
from sobremesa.agents.networks.program import OUTPUT, TAKEN, run_network
from sobremesa.agents.networks.runtime import Graph
from sobremesa.agents.search import policies, rollouts
from sobremesa.agents.search.device.torch_graph import TorchGraph
from sobremesa.agents.search.improve import Budget
from sobremesa.envs.core.agent import KernelAgent, make_view, new_stream
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.errors import IllegalAction

WIDE = 12


def views(game):
    """Return observations and masks of 200 decisions, early and late ones, of random deals."""
    tables = VectorEnv(game, 40, seed=7, threads=1)
    found = []
    for ply in range(40):
        seen = tables.step(tables.sample())
        if ply % 8 == 7:
            found.append((seen.observations.copy(), seen.masks.copy()))
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


@pytest.mark.parametrize(("game", "name"), [(game, "trained") for game in envs.games()] + [("estafado", "champion")])
def test_a_bot_in_a_kernel_plays_as_it_does(game, name):
    game = envs.load(game)
    bot = agents.load(name, game)
    policy = policies.policy_kernels(bot)
    observations, masks = views(game)
    allowed, wanted = masks > 0, bot.logits(observations, masks).astype(float)
    wanted[~allowed] = -np.inf
    chances = np.zeros(game.num_actions, np.float32)
    for number, (observation, mask) in enumerate(zip(observations, masks, strict=True)):
        policy.weigh(observation, mask, policy.arrays, chances)
        expected = np.exp(wanted[number] - wanted[number].max())
        assert np.allclose(chances, expected / expected.sum(), atol=1e-4)
        top = np.sort(wanted[number])[-2:]
        if top[1] - top[0] > 1e-4:
            assert chances.argmax() == wanted[number].argmax()
    ours, theirs = new_stream(3), new_stream(3)
    for observation, mask, logits in zip(observations[::4], masks[::4], wanted[::4], strict=True):
        action = policy.choose(observation, mask, ours[0], policy.arrays)
        chosen = bot.act_batch(observation[None], mask[None], theirs)[0]
        assert action == chosen or (bot.manifest["choice"] == "greedy" and logits[action] > logits.max() - 1e-4)
    assert ours.tobytes() == theirs.tobytes()


def test_logits_equal_those_of_onnxruntime_up_to_rounding():
    for name in envs.games():
        game = envs.load(name)
        bot = agents.load("trained", game)
        arrays = policies.policy_kernels(bot).arrays
        if bot.manifest.get("afterstates"):
            feed = {"features": np.random.default_rng(1).normal(size=(300, bot.afterstates.size)).astype(np.float32)}
        else:
            observations, masks = views(game)
            feed = {"observation": observations, "mask": masks.astype(np.float32)}
        wanted = bot.graph.run(**feed)[0].reshape(len(feed[next(iter(feed))]), -1)
        for row, logits in enumerate(wanted):
            found = run(arrays.program, arrays.numbers, [part[row] for part in feed.values()], len(logits))
            counts = feed["mask"][row] > 0 if "mask" in feed else slice(None)
            assert np.abs(found - logits)[counts].max() < 1e-4


def run(program, numbers, inputs, size):
    for place, given in enumerate(inputs):
        numbers[program[place] : program[place] + len(given)] = given
    run_network(program, numbers)
    start = program[OUTPUT]
    return numbers[start : start + size].copy()


# Any graph.


def graph(nodes, weights, size):
    """Return a file of `nodes` from `x` `(n, WIDE)` to `y` `(n, size)`."""
    used = {name for node in nodes for name in node[1]} & weights.keys()
    kept = [numpy_helper.from_array(np.asarray(weights[name]), name) for name in sorted(used)]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", wide]) for name, wide in (("x", WIDE), ("y", size))
    ]
    made = helper.make_graph([helper.make_node(*node[:3], **node[3]) for node in nodes], "g", ends[:1], ends[1:], kept)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return model.SerializeToString()


def chain(*kinds):
    """Return nodes that do `kinds` to `x`, one after another, each `(kind, further inputs, settings)`."""
    names = ["x", *(f"v{place}" for place in range(1, len(kinds))), "y"]
    return [(kind, [names[k], *more], [names[k + 1]], given) for k, (kind, more, given) in enumerate(kinds)]


RNG = np.random.default_rng(5)
WEIGHTS = {
    "w": RNG.normal(size=(WIDE, 5)).astype(np.float32),
    "c": RNG.normal(size=5).astype(np.float32),
    "column": RNG.normal(size=(2, 1)).astype(np.float32),
    "kernel": RNG.normal(size=(2, 3, 3, 2)).astype(np.float32),
    "zero": np.float32(0),
    "half": np.float32(0.5),
    "axis": np.array([1]),
    "axes": np.array([2]),
    "pads": np.array([0, 1, 0, 2]),
    "far": np.array([0, 2**40, 0, 0]),
    "many": np.zeros(2**20, np.int64),
    "rows": np.array([-1, 6, 2]),
    "grid": np.array([-1, 3, 2, 2]),
    "flat": np.array([0, -1]),
    "picked": np.array([3, -1, 3]),
    "from": np.array([1]),
    "to": np.array([9]),
    "by": np.array([3]),
    "table": RNG.integers(-WIDE, WIDE, (WIDE, 7)),
    "one": np.array([-1]),
    "double": np.array([-1, WIDE // 2]),
    "several": np.array([[0, 1, 2], [0, 1, 2]]),
}
GATED = [  # two layers, each times a number; what comes before them is there for both, the first one for others, too
    ("Gather", ["x", "from"], ["gate"], {"axis": 1}),
    ("Gather", ["x", "by"], ["gate2"], {"axis": 1}),
    ("Tanh", ["x"], ["both"], {}),
    ("Gemm", ["both", "w", "c"], ["first"], {}),
    ("Mul", ["gate", "first"], ["left"], {}),
    ("Relu", ["both"], ["own"], {}),
    ("MatMul", ["own", "w"], ["second"], {}),
    ("Mul", ["second", "half"], ["less"], {}),
    ("Exp", ["less"], ["large"], {}),
    ("Mul", ["large", "gate2"], ["right"], {}),
    ("Add", ["left", "right"], ["sum"], {}),
    ("Mul", ["sum", "first"], ["y"], {}),
]
GRAPHS = {
    "gemm": (chain(("Gemm", ["w", "c"], {"alpha": 0.5, "beta": 2.0}), ("Tanh", [], {})), 5),
    "smooth": (chain(("MatMul", ["w"], {}), ("Sigmoid", [], {}), ("Exp", [], {}), ("Erf", [], {})), 5),
    "narrow": (chain(("Reshape", ["rows"], {}), ("MatMul", ["column"], {}), ("Reshape", ["flat"], {})), 6),
    "moved": (chain(("Gather", ["picked"], {"axis": 1}), ("Pad", ["pads", "half"], {})), 6),
    "cut": (chain(("Slice", ["from", "to", "axis", "by"], {}), ("Neg", [], {}), ("Abs", [], {}), ("Sqrt", [], {})), 3),
    "conv": (chain(("Reshape", ["grid"], {}), ("Conv", ["kernel"], {"pads": [1, 1, 1, 0]}), ("Flatten", [], {})), 8),
    "sums": (chain(("Reshape", ["rows"], {}), ("ReduceSum", ["axes"], {"keepdims": 0})), 6),
    "means": (chain(("Reshape", ["rows"], {}), ("ReduceMean", ["axis"], {"keepdims": 0})), 2),
    "largest": (chain(("Reshape", ["rows"], {}), ("ReduceMax", ["axis"], {}), ("Squeeze", ["axis"], {})), 2),
    "turned": (chain(("Reshape", ["rows"], {}), ("Transpose", [], {"perm": [0, 2, 1]}), ("Reshape", ["flat"], {})), 12),
    "there": (chain(("Greater", ["zero"], {}), ("Not", [], {}), ("Cast", [], {"to": 1}), ("Div", ["half"], {})), WIDE),
    "chosen": (
        [
            ("Equal", ["x", "zero"], ["none"], {}),
            ("Max", ["x", "half"], ["more"], {}),
            ("Sub", ["x", "half"], ["less"], {}),
            ("Where", ["none", "more", "less"], ["two"], {}),
            ("Concat", ["two", "x"], ["y"], {"axis": 1}),
        ],
        2 * WIDE,
    ),
    "looked up": (
        [
            ("ArgMax", ["x"], ["largest"], {"axis": 1, "keepdims": 0}),
            ("Reshape", ["largest", "one"], ["which"], {}),
            ("Gather", ["table", "which"], ["places"], {"axis": 0}),
            ("GatherElements", ["x", "places"], ["y"], {"axis": 1}),
        ],
        7,
    ),
    "spread": (
        [
            ("Reshape", ["x", "rows"], ["r"], {}),
            ("Gather", ["r", "axis"], ["column2"], {"axis": 2}),
            ("Mul", ["r", "column2"], ["m"], {}),
            ("Relu", ["m"], ["p"], {}),
            ("Reshape", ["p", "flat"], ["y"], {}),
        ],
        WIDE,
    ),
    "sized": (
        [
            ("Shape", ["x"], ["sizes"], {}),
            ("Identity", ["x"], ["same"], {}),
            ("Unsqueeze", ["same", "axis"], ["upright"], {}),
            ("Reshape", ["upright", "sizes"], ["level"], {}),
            ("Constant", [], ["third"], {"value": numpy_helper.from_array(np.float32([1 / 3]))}),
            ("Min", ["level", "third"], ["least"], {}),
            ("Less", ["least", "zero"], ["negative"], {}),
            ("Cast", ["negative"], ["number"], {"to": 6}),
            ("Cast", ["number"], ["true"], {"to": 9}),
            ("Where", ["true", "level", "least"], ["y"], {}),
        ],
        WIDE,
    ),
    "gated": (GATED, 5),
    "gated within": (
        [
            ("Gather", ["x", "from"], ["gate"], {"axis": 1}),
            ("Gather", ["x", "by"], ["gate2"], {"axis": 1}),
            ("Tanh", ["x"], ["t"], {}),
            ("Mul", ["t", "gate"], ["p"], {}),
            ("Exp", ["p"], ["q"], {}),
            ("Mul", ["gate2", "q"], ["y"], {}),
        ],
        WIDE,
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_gives_what_it_gives_in_onnxruntime(name):
    nodes, size = GRAPHS[name]
    content = graph(nodes, WEIGHTS, size)
    theirs = Graph(content, {"x": (WIDE,)}, {"y": (size,)}, name=name, plays="nothing", trusted=True)
    ours = make_network(onnx_file.read_graph(content), {"x": WIDE}, ("y", size))
    given = np.random.default_rng(2).normal(size=(6, WIDE)).astype(np.float32)
    given[:, ::3] = 0
    given[::2, 3], given[1::3, 1] = 1, 0  # numbers that others are times of
    wanted = theirs.run(x=given)[0]
    found = np.stack([run(*ours, [row], size) for row in given])
    assert np.allclose(found, wanted, atol=1e-5)
    tensors = TorchGraph(onnx_file.read_graph(content), "y", torch.device("cpu"))
    assert np.allclose(tensors(x=torch.from_numpy(given)), wanted, atol=1e-5)


def test_each_operation_of_the_table_is_in_a_graph_here():
    assert {node[0] for nodes, _ in GRAPHS.values() for node in nodes} == OPERATIONS.keys()


def test_parts_multiplied_by_zero_are_skipped():
    """Where it is passed over nothing can overflow there; what others ask for is worked out all the same."""
    content = graph(GATED, WEIGHTS | {"half": np.float32(1e38)}, 5)
    program, numbers = make_network(onnx_file.read_graph(content), {"x": WIDE}, ("y", 5))
    row = np.ones(WIDE, np.float32)
    assert not np.isfinite(run(program, numbers, [row], 5)).all()
    row[3] = 0
    tanh = np.tanh(row)
    first = tanh @ WEIGHTS["w"] + WEIGHTS["c"]
    assert np.allclose(run(program, numbers, [row], 5), first * first, atol=1e-5)


def layer(name, gate, given="x"):
    """Return the nodes of a layer of `given`, `name`, that is passed over where the number `gate` is 0."""
    return [
        ("Tanh", [given], [f"{name} tanh"], {}),
        ("Gemm", [f"{name} tanh", "w", "c"], [f"{name} gemm"], {}),
        ("Mul", [gate, f"{name} gemm"], [name], {}),
    ]


def test_the_cost_of_a_row_counts_one_skippable_part():
    alike = [*GATED[:2], *layer("left", "gate"), *layer("middle", "gate")]
    both = [*alike, ("Add", ["left", "middle"], ["y"], {})]
    three = [
        *alike,
        ("Add", ["left", "middle"], ["sum"], {}),
        ("Relu", ["x"], ["more"], {}),  # more than either of the others takes, and less than both
        *layer("right", "gate2", "more"),
        ("Add", ["sum", "right"], ["y"], {}),
    ]
    sizes = []
    for nodes, size in ((both, 5), (three, 5), (GATED, 5), (GRAPHS["gated within"][0], WIDE)):
        program, numbers = make_network(onnx_file.read_graph(graph(nodes, WEIGHTS, size)), {"x": WIDE}, ("y", size))
        sizes.append((len(numbers), len(numbers) - program[TAKEN]))
    (least, _), (most, spared), *_ = sizes
    assert spared == most - least - 5  # the smaller of two, and its sum is always worked out
    assert [spared for _, spared in (sizes[0], *sizes[2:])] == [0, 0, 0]  # where there is but one a row may take all


def test_of_three_alike_networks_of_a_bot_a_row_takes_one():
    policy = policies.policy_kernels(agents.load("champion", "estafado"))
    assert 1 / 3 < policy.arrays.program[TAKEN] / len(policy.arrays.numbers) < 0.4


@pytest.mark.parametrize(
    "nodes",
    [
        chain(("Softmax", [], {})),
        chain(("ReduceSum", ["axis"], {"noop_with_empty_axes": 0}), ("Expand", ["grid"], {})),
        chain(("Gemm", ["c"], {})),
        chain(("Reshape", ["nowhere"], {})),
        chain(("Transpose", [], {"perm": [1, 0]})),
        chain(("Gather", ["", "picked"], {"axis": 1})),
        chain(("Pad", ["far"], {})),
        chain(("Reshape", ["grid"], {}), ("Conv", ["kernel"], {"pads": [2**30] * 4})),
        chain(("Reshape", ["grid"], {}), ("Conv", ["kernel"], {"strides": [0, 0]})),
        chain(*[("Concat", ["x"] * 2, {"axis": 1})] * 1_001),
        chain(*[("Gather", ["many"], {"axis": 1})] * 18),
        chain(("ArgMax", [], {"axis": 0})),
        chain(("ArgMax", [], {"axis": 1, "select_last_index": 1})),
        chain(("Reshape", ["double"], {}), ("ArgMax", [], {"axis": 1})),
        chain(("GatherElements", ["table"], {"axis": 0})),
        chain(("Reshape", ["double"], {}), ("GatherElements", ["several"], {"axis": 1}), ("Reshape", ["flat"], {})),
        [("Gather", ["table", "x"], ["y"], {"axis": 0})],
    ],
)
def test_what_is_not_done_in_a_kernel_is_said(nodes):
    content = graph(nodes, WEIGHTS, WIDE)
    with pytest.raises(UnsupportedGraph):
        make_network(onnx_file.read_graph(content), {"x": WIDE}, ("y", 2 * WIDE))


@pytest.mark.kernels
def test_what_is_looked_up_beyond_the_end_is_the_last_of_it():
    """A graph of strangers may ask for it; onnxruntime says no, and a kernel stays where it may read."""
    nodes = chain(("GatherElements", ["x"], {"axis": 1}))
    program, numbers = make_network(onnx_file.read_graph(graph(nodes, WEIGHTS, WIDE)), {"x": WIDE}, ("y", WIDE))
    given = np.array([3, -1, 2.0**40, -(2.0**40), np.nan, np.inf, *range(WIDE - 6)], np.float32)
    found = run(program, numbers, [given], WIDE)
    places = [3, WIDE - 1, WIDE - 1, 0, 0, WIDE - 1, *range(WIDE - 6)]
    np.testing.assert_array_equal(found, given[places])


def test_addresses_that_are_only_moved_are_counted():
    """Each step keeps four million addresses, and a graph of strangers may have a thousand steps."""
    weights = {"all": np.arange(2**21) % WIDE, "zero": np.zeros(1, np.int64), "wide": np.full(1, WIDE)}
    nodes = []
    for step in range(12):
        nodes.append(("Gather", [f"s{step}" if step else "x", "all"], [f"g{step}"], {"axis": 1}))
        nodes.append(("Slice", [f"g{step}", "zero", "wide", "one"], [f"s{step + 1}" if step < 11 else "y"], {}))
    weights["one"] = np.ones(1, np.int64)
    with pytest.raises(UnsupportedGraph, match="more than 16777216 addresses"):
        make_network(onnx_file.read_graph(graph(nodes, weights, WIDE)), {"x": WIDE}, ("y", WIDE))


def test_what_is_joined_is_counted_before_it_is_made():
    nodes = chain(("Concat", ["x"] * 999, {"axis": 1}), ("Concat", ["v1"] * 999, {"axis": 1}))
    file = onnx_file.read_graph(graph(nodes, WEIGHTS, WIDE))
    tracemalloc.start()
    with pytest.raises(UnsupportedGraph, match="more than 4194304 numbers"):
        make_network(file, {"x": WIDE}, ("y", WIDE * 1_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24  # bytes; joined they would take six times as much


# Files.


def test_a_file_is_read_as_onnx_reads_it():
    folders = [folder for game in envs.games() for folder in agents.bot_folders(envs.load(game)).values()]
    for file in [folder / "policy.onnx" for folder in folders]:
        found, wanted = onnx_file.read_graph(file.read_bytes()), onnx.load(file).graph
        assert [node.kind for node in found.nodes] == [node.op_type for node in wanted.node]
        assert found.weights.keys() == {tensor.name for tensor in wanted.initializer}
        for tensor in wanted.initializer:
            assert np.array_equal(found.weights[tensor.name], numpy_helper.to_array(tensor))
            assert found.weights[tensor.name].dtype == numpy_helper.to_array(tensor).dtype


def test_what_is_no_graph_is_refused():
    for content in (b"\x0a\xff", b"no graph at all", b"\x3a\x05\x0a\xff\xff\xff\xff"):
        with pytest.raises(ValueError, match="no ONNX graph"):
            onnx_file.read_graph(content)


def test_without_protobuf_a_bot_is_no_kernel(monkeypatch):
    bot, found = agents.load("trained", "corre_el_encierro"), builtins.__import__

    def without(name, *rest):
        if name.startswith("google"):
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert policies.policy_kernels(bot) is None


def test_a_graph_that_was_misread_is_no_kernel(monkeypatch):
    bot = agents.load("trained", "corre_el_encierro")
    assert policies.policy_kernels(bot) is not None
    read = onnx_file.read_graph(bot.graph.content)
    read.weights["trunks.0.head.bias"] = read.weights["trunks.0.head.bias"] + 0.1
    monkeypatch.setattr(policies, "read_graph", lambda content: read)
    assert policies.policy_kernels(bot) is None


def test_weights_are_not_in_the_code():
    """Nothing is compiled for a network alone: two bots of a kind are the same kernels."""
    one, other = (policies.policy_kernels(agents.load("trained", name)) for name in ("estafado", "corre_el_encierro"))
    assert one.choose is other.choose
    assert one.weigh is other.weigh


def test_scripted_agents_have_no_weigh_and_random_no_view():
    toro = envs.load("ese_toro_enamorado")
    assert policies.policy_kernels(agents.load("strong", toro)).weigh is None
    assert policies.policy_kernels(agents.load("strong", toro)).looks
    assert not policies.policy_kernels(agents.load("random", toro)).looks
    assert policies.policy_kernels(agents.load("search(strong)", toro)) is None


# Rollouts.


@kernel
def last_legal(observation, mask, stream):
    action = mask.shape[0] - 1
    while not mask[action]:
        action -= 1
    return action


class LastLegal:
    """The same, asked view by view."""

    name = "last"

    def act(self, view):
        return last_legal(view.observation, view.mask, view.stream[0])


def worlds_and_candidates(seed):
    """Return worlds of a decision of tic-tac-toe, and what is allowed there."""
    plies = list(random_deal(tictactoe.GAME, seed))
    view = make_view(tictactoe.GAME, plies[2].states, plies[2].seat, new_stream(seed))
    return rollouts.sample_worlds(view, seed, 0, 5), np.flatnonzero(view.mask)


def test_rollouts_inside_a_kernel_are_paid_as_those_in_batches():
    for seed in range(5):
        worlds, candidates = worlds_and_candidates(seed)
        inside = rollouts.Rollouts(tictactoe.GAME, KernelAgent("last", last_legal))
        outside = rollouts.Rollouts(tictactoe.GAME, LastLegal())
        found = inside.payoffs(worlds, candidates, np.arange(5))
        assert found.any()
        assert np.array_equal(found, outside.payoffs(worlds, candidates, np.arange(5)))


# Each game compiles rollouts of its own: one with numbers that no byte holds is tried always, others in make test-all.
@pytest.mark.parametrize(
    "name",
    [
        "corre_el_encierro",
        *(pytest.param(name, marks=pytest.mark.thorough) for name in ("bandido_alcatraz", "erase_una_vez", "estafado")),
    ],
)
def test_what_is_seen_in_rollouts_is_what_is_seen_at_tables(name):
    """In these games `strong` draws nothing, so that its deals follow from what it sees."""
    game = envs.load(name)
    strong, plies = agents.load("strong", game), list(random_deal(game, 2))
    ply = plies[len(plies) // 2]
    view = make_view(game, ply.states, ply.seat, new_stream(1))
    worlds, candidates = rollouts.sample_worlds(view, 1, 0, 6), np.flatnonzero(view.mask)[:2]
    found = [
        rollouts.Rollouts(game, one).payoffs(worlds, candidates, np.arange(6)) for one in (strong, Batches(strong))
    ]
    assert np.array_equal(*found)


def test_rollouts_do_not_depend_on_the_batch_size(monkeypatch):
    worlds, candidates = worlds_and_candidates(0)
    before, seeds = worlds.tobytes(), np.arange(5)
    found = rollouts.Rollouts(tictactoe.GAME, RANDOM).payoffs(worlds, candidates, seeds)
    assert worlds.tobytes() == before
    assert not np.array_equal(found, rollouts.Rollouts(tictactoe.GAME, RANDOM).payoffs(worlds, candidates, seeds + 5))
    monkeypatch.setattr(rollouts, "TABLES", 2 * len(candidates))
    assert np.array_equal(found, rollouts.Rollouts(tictactoe.GAME, RANDOM).payoffs(worlds, candidates, seeds))


def test_rollouts_refuse_what_is_not_allowed_in_a_world():
    worlds, candidates = worlds_and_candidates(0)
    taken = np.setdiff1d(np.arange(9), candidates)
    for agent in (RANDOM, LastLegal()):
        with pytest.raises(IllegalAction, match=f"action {taken[0]} "):
            rollouts.Rollouts(tictactoe.GAME, agent).payoffs(worlds, np.append(candidates, taken[0]), np.arange(5))


def test_random_rollouts_look_at_nothing():
    @kernel
    def spoil(state, seat, out):
        state.marks[:] = 1

    blind = dataclasses.replace(tictactoe.GAME, observe=spoil)
    worlds, candidates = worlds_and_candidates(0)
    blind_one, one = (rollouts.Rollouts(game, RANDOM) for game in (blind, tictactoe.GAME))
    found = blind_one.payoffs(worlds, candidates, np.arange(5))
    assert np.array_equal(found, one.payoffs(worlds, candidates, np.arange(5)))


def test_a_bot_plays_on_in_a_kernel():
    """It is the bot that plays on: on average it is paid as where it is asked in batches."""
    game = envs.load("ese_toro_enamorado")
    bot = agents.load("trained", game)
    ply = list(random_deal(game, 1))[5]
    view = make_view(game, ply.states, ply.seat, new_stream(1))
    worlds, candidates = rollouts.sample_worlds(view, 1, 0, 60), np.flatnonzero(view.mask)[:2]
    inside, outside = rollouts.Rollouts(game, bot), rollouts.Rollouts(game, Batches(bot))
    found = [one.payoffs(worlds, candidates, np.arange(60))[:, :, ply.seat] for one in (inside, outside)]
    spread = np.hypot(*(part.std() / np.sqrt(part.size) for part in found))
    assert abs(found[0].mean() - found[1].mean()) < 3 * spread


class Batches:
    """An agent that is no kernel, asked for many tables at once."""

    def __init__(self, agent):
        self.name, self._agent = agent.name, agent

    def act_batch(self, observations, masks, streams):
        if isinstance(self._agent, Bot):
            return self._agent.act_batch(observations, masks, streams)
        rows = zip(observations, masks, streams, strict=True)
        return np.array([self._agent.kernel(*row) for row in rows], np.int64)


def test_a_small_bot_plays_its_own_rollouts(monkeypatch):
    def plays_on(game):
        return agents.load("search(trained)", game).rollout.name

    assert [plays_on(game) for game in envs.games()] == ["strong", "trained", "strong", "trained", "trained"]
    champions = [agents.load("search(champion)", game).rollout.name for game in envs.games()]
    assert champions == ["strong", "champion", "strong", "champion", "champion"]
    assert agents.load("search(trained, rollout=strong)", "estafado").rollout.name == "strong"
    assert agents.load("search(trained)", "estafado").budget == Budget(worlds=24, actions=8, gate=1.5)
    monkeypatch.setattr(policies, "read_graph", lambda content: onnx_file.GraphFile([], {}))
    assert plays_on("estafado") == "strong"
