"""Search on a device, tried on the processor: the code that runs on a GPU, row by row."""

import pickle

import numpy as np
import pytest
import torch
from scale import COMPILED_ONLY
from tests.gpu.rollouts import some_views

from sobremesa import agents, envs
from sobremesa.agents.networks.onnx_file import GraphFile, Node, read_graph
from sobremesa.agents.search.device.rollouts import DeviceRollouts
from sobremesa.agents.search.device.torch_graph import TorchGraph
from sobremesa.agents.search.improve import Budget, _two_rounds
from sobremesa.agents.search.rollouts import Rollouts, seed_of
from sobremesa.envs.core.agent import value_estimate_of
from sobremesa.envs.core.errors import IllegalAction

pytestmark = COMPILED_ONLY

HERE = "cpu:0"  # the device's code on the processor
TORO, BANDIDO = "ese_toro_enamorado", "bandido_alcatraz"
NETWORKS = [
    ("corre_el_encierro", "trained"),
    (TORO, "champion"),
    ("estafado", "champion"),
    ("erase_una_vez", "champion"),
]


def both(name, agent, plies=0, worlds=8, actions=4):
    """Return the payoffs of the processor and of the device at some views."""
    game = envs.load(name)
    player = agents.load(agent, game)
    ways = Rollouts(game, player, plies), DeviceRollouts(game, player, HERE, plies)
    found = []
    for view in some_views(game, 3):
        candidates, seed = np.flatnonzero(view.mask)[:actions], seed_of(view)
        found.append([way.from_view(view, seed, 2, 2 + worlds, candidates, view.state[:0]) for way in ways])
    return found


@pytest.mark.parametrize(
    "name", [TORO, *(pytest.param(name, marks=pytest.mark.thorough) for name in envs.games() if name != TORO)]
)
def test_rollouts_by_a_script_are_those_of_the_processor(name):
    for here, there in both(name, "strong"):
        assert here.any() or name == BANDIDO  # whose deals are often lost
        assert np.array_equal(here, there)


@pytest.mark.thorough
def test_rollouts_stop_at_a_value_estimate():
    assert value_estimate_of(agents.load("strong", BANDIDO)) is not None
    for here, there in both(BANDIDO, "strong", plies=4):
        assert np.array_equal(here, there)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "agent"), NETWORKS)
def test_rollouts_by_a_network_are_those_of_the_processor(name, agent):
    differ = [not np.array_equal(here, there) for here, there in both(name, agent, worlds=4, actions=3)]
    assert sum(differ) <= 1  # sums are rounded in another order


def test_more_rollouts_than_rows_are_queued(monkeypatch):
    monkeypatch.setattr("sobremesa.agents.search.device.rollouts.MOST_ROWS", 5)
    for here, there in both(TORO, "trained", worlds=6, actions=3):
        assert np.array_equal(here, there)


def test_an_illegal_candidate_is_refused():
    game = envs.load(TORO)
    (view,) = some_views(game, 1)
    wrong = np.flatnonzero(view.mask == 0)[:1]
    with pytest.raises(IllegalAction, match=f"action {wrong[0]} "):
        DeviceRollouts(game, agents.load("strong", game), HERE).from_view(view, 1, 0, 2, wrong, view.state[:0])


def test_a_search_on_a_device_has_a_name_and_is_pickled():
    search = agents.load(f"search(strong, worlds=40, device={HERE})", TORO)
    assert search.name == f"search(strong, worlds=40, device={HERE})"
    again, game = pickle.loads(pickle.dumps(search)), envs.load(TORO)
    thoughts = [one.think(*some_views(game, 1)) for one in (search, again)]
    assert thoughts[0] == thoughts[1]
    assert {line.trials for line in thoughts[0].lines} <= {5, 40}
    assert search.content != agents.load("search(strong, worlds=40)", TORO).content


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("search(strong, device=cuda:99)", "device='cuda:99'"),
        ("search(strong, device=tpu)", "device='tpu' is not supported; supported are 'cpu', and 'cuda'"),
        (f"search(strong, belief=8, device={HERE})", "belief=8 is not allowed with device"),
        ("ismcts(strong, device=cuda)", "device is not known"),
    ],
)
def test_a_wrong_device_is_refused(spec, reason):
    with pytest.raises(ValueError, match=reason):
        agents.load(spec, TORO)


def test_an_agent_without_kernel_or_network_is_refused():
    with pytest.raises(ValueError, match=r"trained of bandido.* cannot play rollouts on a GPU"):
        agents.load(f"search(trained, rollout=trained, device={HERE})", BANDIDO)


def test_two_rounds():
    assert _two_rounds(10_000) == [(0, 1250, True), (1250, 10_000, False)]
    assert _two_rounds(Budget().worlds) == [(0, 4, True), (4, 32, False)]
    assert _two_rounds(16) == [(0, 16, False)]


@pytest.mark.parametrize(("name", "agent"), [*NETWORKS, (TORO, "trained"), ("estafado", "trained")])
def test_a_graph_in_pytorch_gives_the_logits_of_onnxruntime(name, agent):
    bot, rng = agents.load(agent, name), np.random.default_rng(0)
    size, actions = bot.manifest["inputs"]["observation"][1], bot.manifest["num_actions"]
    observation = (rng.random((20, size)) < 0.2).astype(np.float32)
    mask = (rng.random((20, actions)) < 0.5).astype(np.float32)
    graph = TorchGraph(read_graph(bot.graph.content), "logits", torch.device("cpu"))
    found = graph(observation=torch.from_numpy(observation), mask=torch.from_numpy(mask)).numpy()
    (wanted,) = bot.graph.run(observation=observation, mask=mask)
    assert np.allclose(found[mask > 0], wanted[mask > 0], atol=1e-3)


def test_an_unknown_operation_is_refused():
    file = GraphFile([Node("LSTM", ("observation",), ("logits",), {})], {})
    with pytest.raises(ValueError, match="the operation LSTM of the graph is not known"):
        TorchGraph(file, "logits", torch.device("cpu"))
