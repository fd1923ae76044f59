"""Pointers: scores of actions about rows and cells."""

import dataclasses

import numpy as np
import pytest
import torch
from rooms import BANDIDO, ESTAFADO, KUHN, TORO
from runs import check_refused, tiny, train_tiny

from sobremesa import agents
from sobremesa.envs.core.layout import Block, Layout
from sobremesa.envs.estafado.notation import action_name
from sobremesa.training.bots import export
from sobremesa.training.networks.pointers import WIDTH, pointing, pointing_grids
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.networks.views import Views

ROWS = Layout(
    Block("other", (3,), "something"),
    Block("cards", (4, 5), "rows, each about two actions and one more", about=((1, 2), (11, 1))),
)
GAME = dataclasses.replace(KUHN, name="rows", layout=ROWS, num_actions=16)
START = ROWS.start("cards")
FLOOR = Layout(
    Block("other", (3,), "something"),
    Block("floor", (2, 3, 4), "a grid, each cell about two actions and one more", about=((1, 2), (27, 1))),
    Block("walls", (3, 4), "a grid about nothing"),
)
FLAT = dataclasses.replace(KUHN, name="flat", layout=FLOOR, num_actions=40)


def views(count=6):
    return torch.rand(count, ROWS.size, generator=torch.Generator().manual_seed(0))


def without_head(net):
    """Leave the pointers alone to say what is scored."""
    with torch.no_grad():
        net.trunks[0].head.weight.zero_()
        for pointers in net.trunks[0].pointers:
            pointers.score.weight.mul_(100)
    return net


@pytest.mark.parametrize(("layout", "name", "least"), [(ROWS, "cards", 15), (FLOOR, "floor", 39)])
def test_rows_about_actions_that_there_are_not_are_refused(layout, name, least):
    assert dataclasses.replace(KUHN, layout=layout, num_actions=least).num_actions == least
    with pytest.raises(ValueError, match=f"block '{name}' is about .*; there are {least - 1} actions"):
        dataclasses.replace(KUHN, layout=layout, num_actions=least - 1)


@pytest.mark.parametrize("about", [(-1, 1), (4, -1), (0, 0)])
def test_rows_with_invalid_actions_are_refused(about):
    layout = Layout(Block("cards", (2, 3), "two cards", about=(about,)))
    with pytest.raises(ValueError, match="block 'cards' is about"):
        dataclasses.replace(KUHN, layout=layout, num_actions=16)


def test_scores_follow_rows_that_change_places():
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


def test_rows_of_zeros_are_not_pooled():
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
    along = net.over_sequence(Views(pieces.flatten(0, 1)), memory, 4)
    for step in range(4):
        logits, memory = net(pieces[:, step], torch.ones(3, 16), memory)
        assert torch.allclose(along[:, step], logits, atol=1e-6)


def test_rows_are_about_actions_that_there_are():
    for block in pointing(BANDIDO):
        for first, count in block.about:
            assert 0 <= first < first + block.shape[0] * count <= BANDIDO.num_actions
    assert {block.name for block in pointing(BANDIDO)} == {"ends", "floods", "hand"}


def test_scores_follow_cells_that_change_places():
    net = without_head(PolicyNet(FLAT, [8], grids=["floor", "walls"], pointers=True))
    trunk, mask = net.trunks[0], torch.ones(6, 40)
    with torch.no_grad():
        for weight in (trunk.convolutions[0][0].weight, trunk.convolutions[0][2].weight):
            weight[:, :, [0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 2, 0, 2, 0, 1, 2]] = 0  # what is around a cell says nothing
        trunk.cells["0"].look.weight.zero_()  # nor does all else
        trunk.cells["0"].score.weight.mul_(100)
    seen = torch.rand(6, FLOOR.size, generator=torch.Generator().manual_seed(0))
    order, moved = torch.randperm(12, generator=torch.Generator().manual_seed(1)), seen.clone()
    moved[:, 3:] = seen[:, 3:].reshape(6, 3, 12)[:, :, order].flatten(1)
    first, second = net(seen, mask), net(moved, mask)
    assert torch.allclose(first[:, 1:25].reshape(6, 12, 2)[:, order], second[:, 1:25].reshape(6, 12, 2), atol=1e-4)
    assert torch.allclose(first[:, 27:39][:, order], second[:, 27:39], atol=1e-4)
    assert first[:, 1:25].std() > 0.01
    assert not torch.allclose(first[:, 27:39], second[:, 27:39], atol=1e-2)
    assert not first[:, [0, 25, 26, 39]].any(), "no cell is about these"


def test_cells_are_scored_with_grids_and_pointers():
    asked = PolicyNet(ESTAFADO, [8], grids=["floor", "cells"], pointers=True)
    assert asked.trunks[0].cells["0"].score.out_channels == 6
    assert not PolicyNet(ESTAFADO, [8], grids=["floor"], pointers=True).trunks[0].cells
    assert not PolicyNet(ESTAFADO, [8], grids=["floor", "cells"]).trunks[0].cells
    assert not Net(ESTAFADO, "value", [8], grids=["floor", "cells"], pointers=True).trunks[0].cells
    assert [block.name for block in pointing_grids(ESTAFADO, ["floor", "cells"])] == ["cells"]
    assert pointing(ESTAFADO) == []


def test_each_cell_of_estafado_is_about_the_actions_that_name_it():
    (block,) = pointing_grids(ESTAFADO, ["cells"])
    for first, count in block.about:
        said = [action_name(action, "en") for action in range(first, first + 25 * count)]
        assert count == 1
        assert len({words.rsplit(" ", 1)[0] for words in said}) == 1
        assert [words.rsplit(" ", 1)[1] for words in said] == [f"{c}{r}" for r in range(1, 6) for c in "abcde"]


def test_a_game_without_such_rows_is_refused(tmp_path):
    check_refused(tiny, {"pointers": True}, "ese_toro_enamorado has no block with actions", tmp_path)
    assert pointing(TORO) == []


def test_a_policy_with_pointers_is_trained_and_exported(tmp_path):
    folder = train_tiny(
        tmp_path / "run", game=BANDIDO.name, setup={"seats": 2, "early_stop": True}, pointers=True, steps=600
    )
    manifest = export(folder, tmp_path / "bot")
    assert manifest["parity"]["largest_difference"] < 1e-4
    rows = agents.play(BANDIDO, [agents.load(tmp_path / "bot", BANDIDO)], 2, seated=[0, 0], seats=2)
    assert np.isfinite(rows.payoffs).all()


def test_a_policy_that_points_at_cells_is_trained_and_exported(tmp_path):
    parts = {"grids": ["cells"], "channels": 4, "pointers": True, "advised_by": "strong"}
    folder = train_tiny(tmp_path / "run", game=ESTAFADO.name, setup={}, steps=600, **parts)
    assert export(folder, tmp_path / "bot")["parity"]["largest_difference"] < 1e-4


def test_a_network_without_hidden_layers_points_too():
    logits = PolicyNet(GAME, [], pointers=True)(views(), torch.ones(6, 16))
    assert logits.shape == (6, 16)
