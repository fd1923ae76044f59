"""Kernels and PyTorch agree on networks, losses and gradients."""

import numpy as np
import pytest
import torch
from rooms import BANDIDO, ERASE, ESTAFADO, TORO
from runs import tiny
from safetensors.torch import load_file

from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training import trainer
from sobremesa.training.algorithms.ppo_learner import LARGEST_GRADIENT, Learner
from sobremesa.training.networks import ppo_loss
from sobremesa.training.networks.byte_rows import Numbers
from sobremesa.training.networks.first_layer import first_layer
from sobremesa.training.networks.logits import weigh
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.networks.ppo_loss import Known, Weights, descend
from sobremesa.training.networks.views import Columns, Views

NETWORKS = {
    "plain": (TORO, {}),
    "with pointers": (BANDIDO, {"pointers": True}),
    "with pointers and a memory": (ERASE, {"pointers": True, "memory": 5}),
    "with grids and roles": (ESTAFADO, {"grids": ["floor"], "channels": 2, "roles": "role"}),
}


def real_views(game, count=48, plies=15):
    tables = VectorEnv(game, count, seed=3)
    for _ in range(plies):
        seen = tables.step(tables.sample())
    return torch.from_numpy(seen.observations), torch.from_numpy(seen.masks)


def looked(net, views, legal, memory):
    """Return what the network makes of legal actions, and the gradient of every weight."""
    net.zero_grad()
    out, after = net.run(views, memory)
    kept = out[legal] if out.shape[1] > 1 else out
    (kept.sin().sum() + after.sum()).backward()
    return kept.detach(), {name: weight.grad for name, weight in net.named_parameters()}


@pytest.mark.parametrize("kind", ["policy", "value"])
@pytest.mark.parametrize("network", NETWORKS)
def test_kernels_and_pytorch_agree_on_every_gradient(network, kind, monkeypatch):
    game, parts = NETWORKS[network]
    observations, masks = real_views(game)
    net = PolicyNet(game, [24], **parts) if kind == "policy" else Net(game, "value", [24], **parts)
    with torch.no_grad():
        for weight in net.parameters():
            weight.add_(0.1 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(weight.numel())))
    rows = torch.tensor([7, 3, 3, 40, 11, 0, 47, 22] * 5)
    memory, legal = torch.rand(len(rows), net.memory), masks[rows] > 0
    views = Views(observations, masks).take(rows)
    monkeypatch.setattr(Views, "by_kernels", True)
    out, gradients = looked(net, views, legal, memory)
    monkeypatch.setattr(Views, "by_kernels", False)
    expected, wanted = looked(net, Views(observations[rows]), legal, memory)
    assert torch.allclose(out, expected, atol=1e-4, rtol=1e-4)
    for name, gradient in wanted.items():
        if gradient is not None:
            largest = float(gradient.abs().max())
            assert torch.allclose(gradients[name], gradient, atol=1e-4 * max(1, largest)), name
    for name, weight in net.named_parameters():
        if weight.grad is not None and 1 not in weight.shape:
            assert weight.grad.stride() == weight.stride(), f"{name}: Adam goes through both as they lie in memory"


def test_common_columns_in_a_matrix_change_no_result():
    observations, _ = real_views(BANDIDO, 64)
    net, which = Net(BANDIDO, "value", [24]), torch.arange(0, 64, 3)
    told = []
    for views in (Views(observations), Views(observations.repeat(20, 1))):
        taken = views.take(which)
        out = net.run(taken, torch.zeros(len(which), 0))[0]
        net.zero_grad()
        out.square().sum().backward()
        told.append((out.detach(), net.trunks[0].body[0].weight.grad))
    columns = net.trunks[0].inputs
    assert 100 < len(taken.listed(columns.key, columns.inputs).common) < 1000
    for few, many in zip(*told, strict=True):
        assert torch.allclose(few, many, atol=1e-4, rtol=1e-4)


@pytest.mark.kernels
def test_an_unlisted_number_does_not_count():
    generator = torch.Generator().manual_seed(0)
    matrix = torch.rand(6, 9, generator=generator) * (torch.rand(6, 9, generator=generator) < 0.5)
    weight, bias, others = (torch.rand(*size, generator=generator) for size in ((5, 6), (5,), (6, 2)))
    columns = Columns(9, [8, 0, 3, 5])
    out = first_layer(weight, bias, columns.inputs(Numbers(matrix)), others)
    whole = torch.cat([matrix[:, [8, 0, 3, 5]], others], 1)
    assert torch.allclose(out, torch.nn.functional.linear(whole, weight, bias), atol=1e-6)


@pytest.mark.kernels
def test_lines_are_taken_in_any_order_and_turned():
    matrix = np.arange(12, dtype=np.float32).reshape(4, 3) * (np.arange(12).reshape(4, 3) % 4 != 2)
    lines = Columns(3, [2, 1, 0]).lines(Numbers(torch.from_numpy(matrix))).take(np.array([3, 0, 3]))
    found = np.zeros((3, 3), np.float32)
    for number in range(3):
        for k in range(lines.turned.starts[number], lines.turned.starts[number + 1]):
            found[lines.turned.places[k], number] = lines.turned.values[k]
    assert np.array_equal(found, matrix[[3, 0, 3]][:, ::-1])


def test_the_number_of_threads_does_not_change_what_kernels_sum():
    game, parts = NETWORKS["with pointers"]
    observations, masks = real_views(game)
    net, views = PolicyNet(game, [24], **parts), Views(observations, masks).take(torch.arange(1200) % len(masks))
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            block = net.trunks[0].pointers[1]
            net.zero_grad()
            block.pooled(views).square().sum().backward()
            found.append(block.embed.weight.grad)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(*found)


def test_weights_keep_their_names_and_shapes():
    net = PolicyNet(TORO, [24])
    weight = net.state_dict()["trunks.0.body.0.weight"]
    assert weight.shape == (24, TORO.layout.size)
    assert weight.stride() == (1, 24), "input by input"
    net.load_state_dict({name: one.contiguous() * 2 for name, one in net.state_dict().items()})
    assert net.trunks[0].body[0].weight.stride() == (1, 24)


@pytest.mark.kernels
@pytest.mark.parametrize("taught", [False, True], ids=["", "taught"])
@pytest.mark.parametrize("drawn", [False, True], ids=["", "drawn to a magnet"])
def test_choices_are_weighed_alike_by_kernels_and_by_pytorch(taught, drawn, monkeypatch):
    generator = torch.Generator().manual_seed(1)
    masks = torch.rand(40, 9, generator=generator) < 0.3
    masks[:, 4] = True
    actions = torch.where(torch.arange(40) % 2 == 0, 4, masks.int().argmax(1))
    magnet = torch.rand(40, 9, generator=generator).log_softmax(1) if drawn else None
    sample = torch.full((40,), 4) if taught else None
    told = []
    for by_kernels in (True, False):
        monkeypatch.setattr(Views, "by_kernels", by_kernels)
        logits = (4 * torch.rand(40, 9, generator=torch.Generator().manual_seed(2))).requires_grad_()
        weighed = weigh(logits, Views(torch.zeros(40, 1), masks), actions, magnet, sample)
        sum((part * torch.linspace(1, 2 + number, 40)).sum() for number, part in enumerate(weighed)).backward()
        told.append((*weighed, logits.grad))
    for ours, theirs in zip(*told, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)
    assert not told[0][-1][~masks].any(), "no gradient where nothing is allowed"


@pytest.mark.kernels
@pytest.mark.parametrize("policy", [1.0, 0.0], ids=["", "value alone"])
@pytest.mark.parametrize("taught", [False, True], ids=["", "taught"])
@pytest.mark.parametrize("drawn", [False, True], ids=["", "drawn to a magnet"])
@pytest.mark.parametrize("clip", [0.2, 0.17])
def test_gradients_of_kernels_equal_those_of_the_loss(clip, drawn, taught, policy):
    generator, n = torch.Generator().manual_seed(3), 300
    masks = torch.rand(n, 9, generator=generator) < 0.3
    masks[:, 4] = True
    actions = torch.where(torch.arange(n) % 2 == 0, 4, masks.int().argmax(1))
    logits, values, returns, advantages = (torch.randn(n, size, generator=generator) for size in (9, 1, 1, 1))
    chances = torch.where(masks, logits, -1e8).log_softmax(1).gather(1, actions[:, None])[:, 0]
    before = chances + 0.4 * torch.randn(n, generator=generator) * (torch.arange(n) % 5 > 0)  # some as they were
    magnet = torch.rand(n, 9, generator=generator).log_softmax(1) if drawn else None
    known = Known(actions, before, advantages[:, 0], returns[:, 0], magnet, torch.full((n,), 4) if taught else None)
    weights = Weights(clip, 0.0123, 0.1 if drawn else 0.0, 0.7 if taught else 0.0, policy, 0.5)
    found = []
    for descends in (descend, ppo_loss.loss):
        theirs, judged = logits.clone().requires_grad_(), values.clone().requires_grad_()
        told = descends(theirs, judged[:, 0], Views(torch.zeros(n, 1), masks), known, weights)
        if descends is ppo_loss.loss:
            told[0].backward()
            told = told[1]
        found.append((theirs.grad, judged.grad, told))
    (pull, push, told), (true_pull, true_push, true_told) = found
    assert torch.equal(push, true_push)
    assert torch.equal(pull, true_pull)
    assert pull.any() == (policy > 0)
    assert torch.allclose(told.float(), true_told, atol=1e-5)
    assert 0.2 < told[-1] < 0.8, "some are clipped, some are not"


def test_gradients_are_clipped_as_pytorch_clips_them():
    learner = Learner(tiny(), TORO)
    for size in (0.001, 1.0):
        for number, weight in enumerate(learner.weights):
            weight.grad = size * torch.randn(weight.shape, generator=torch.Generator().manual_seed(number))
        learner._clip_gradients()
        ours = [weight.grad.clone() for weight in learner.weights]
        for number, weight in enumerate(learner.weights):
            weight.grad = size * torch.randn(weight.shape, generator=torch.Generator().manual_seed(number))
        torch.nn.utils.clip_grad_norm_(learner.weights, LARGEST_GRADIENT)
        assert all(torch.equal(mine, weight.grad) for mine, weight in zip(ours, learner.weights, strict=True))


def learnt(folder, **changes):
    """Return the weights after two updates by a learner with a memory, a reference policy and a teacher."""
    config = tiny(steps=2 * 32 * 16, magnet=0.1, memory=4, unroll=3, teacher="simple", **changes)
    trainer.train(config, folder)
    return load_file(folder / "last.safetensors")


@pytest.mark.thorough  # two whole runs
def test_a_run_by_kernels_agrees_with_one_in_pytorch(tmp_path, monkeypatch):
    ours = learnt(tmp_path / "kernels")
    monkeypatch.setattr(Views, "by_kernels", False)
    theirs = learnt(tmp_path / "pytorch")
    assert ours.keys() == theirs.keys()
    for name, weight in ours.items():
        assert torch.allclose(weight, theirs[name], atol=2e-3), name
