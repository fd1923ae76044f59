"""Pointers: an action that is about a row is scored from that row, wherever it stands."""

import dataclasses

import numpy as np
import pytest
import torch
from rooms import BANDIDO, KUHN, TORO
from runs import tiny, train_tiny

from sobremesa import agents
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.training.algorithms import train
from sobremesa.training.config import ConfigError
from sobremesa.training.export import export
from sobremesa.training.pointers import WIDTH, pointing
from sobremesa.training.policy import Net, PolicyNet
from sobremesa.training.views import Views

ROWS = Layout(
    Block("other", (3,), "something"),
    Block("cards", (4, 5), "rows, each about two actions and one more", about=((1, 2), (11, 1))),
)
GAME = dataclasses.replace(KUHN, name="rows", layout=ROWS, num_actions=16)
START = ROWS.start("cards")


def views(count=6):
    return torch.rand(count, ROWS.size, generator=torch.Generator().manual_seed(0))


def without_head(net):
    """Leave the pointers alone to say what is scored."""
    with torch.no_grad():
        net.trunks[0].head.weight.zero_()
        for pointers in net.trunks[0].pointers:
            pointers.score.weight.mul_(100)
    return net


def test_rows_that_change_places_change_the_scores_of_their_actions():
    net, seen, mask = without_head(PolicyNet(GAME, [8], pointers=True)), views(), torch.ones(6, 16)
    order = [2, 0, 3, 1]
    moved = seen.clone()
    moved[:, START:] = seen[:, START:].reshape(6, 4, 5)[:, order].flatten(1)
    first, second = net(seen, mask), net(moved, mask)
    pairs = [first[:, 1:9].reshape(6, 4, 2), second[:, 1:9].reshape(6, 4, 2)]
    assert torch.allclose(pairs[0][:, order], pairs[1], atol=1e-4)
    assert torch.allclose(first[:, 11:15][:, order], second[:, 11:15], atol=1e-4)
    assert pairs[0].std() > 0.01
    assert not first[:, [0, 9, 10, 15]].any(), "no row is about these"


def test_the_rest_of_the_network_sees_the_rows_pooled_and_rows_of_zeros_not_at_all():
    net, seen = Net(GAME, "value", [8], pointers=True), views()
    trunk = net.trunks[0]
    assert len(trunk.rest) == 3
    assert trunk.body[0].in_features == 3 + 2 * WIDTH
    seen[:, START + 5 :] = 0
    alone = trunk.pointers[0].pooled(Views(seen))
    assert torch.allclose(alone[:, :WIDTH] * 8, alone[:, WIDTH:], atol=1e-5)


def test_pieces_of_streams_are_scored_as_single_views_are():
    net = PolicyNet(GAME, [8], memory=3, pointers=True)
    pieces, memory = views(12).reshape(3, 4, -1), torch.rand(3, 3)
    along = net.along(Views(pieces.flatten(0, 1)), memory, 4)
    for step in range(4):
        logits, memory = net(pieces[:, step], torch.ones(3, 16), memory)
        assert torch.allclose(along[:, step], logits, atol=1e-6)


def test_rows_are_about_actions_that_there_are():
    for block in pointing(BANDIDO):
        for first, count in block.about:
            assert 0 <= first < first + block.shape[0] * count <= BANDIDO.num_actions
    assert {block.name for block in pointing(BANDIDO)} == {"ends", "floods", "hand"}


def test_a_game_without_such_rows_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no block of ese_toro_enamorado is about actions"):
        train(tiny(pointers=True), tmp_path / "run")
    assert pointing(TORO) == []
    assert not (tmp_path / "run").exists()


def test_a_policy_with_pointers_is_trained_and_exported(tmp_path):
    folder = train_tiny(
        tmp_path / "run", game=BANDIDO.name, setup={"seats": 2, "early_stop": True}, pointers=True, steps=600
    )
    manifest = export(folder, tmp_path / "bot")
    assert manifest["parity"]["largest_difference"] < 1e-4
    rows = agents.play(BANDIDO, [agents.load(tmp_path / "bot", BANDIDO)], 2, seated=[0, 0], seats=2)
    assert np.isfinite(rows.payoffs).all()


def test_a_network_without_hidden_layers_points_too():
    logits = PolicyNet(GAME, [], pointers=True)(views(), torch.ones(6, 16))
    assert logits.shape == (6, 16)
