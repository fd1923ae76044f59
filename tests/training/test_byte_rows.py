"""Observations as bytes: networks, teachers and checkpoints decode the same numbers."""

import numpy as np
import pytest
import torch
from rooms import BANDIDO, ENCIERRO, ERASE, ESTAFADO, TORO
from runs import tiny

from sobremesa import agents
from sobremesa.agents.advice import advisor
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training.data.opponents import OpponentPool
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.tables import Tables
from sobremesa.training.networks import byte_rows
from sobremesa.training.networks.views import ENOUGH, Columns, Views

FIVE = [BANDIDO, ENCIERRO, ERASE, ESTAFADO, TORO]


def some_views(game, plies=15):
    """Return the same views twice, as numbers and as bytes, of more decisions than a layer asks what is common of."""
    tables, found = VectorEnv(game, 64, seed=3, dtype="uint8"), []
    for _ in range(ENOUGH // 64 + plies):
        seen = tables.step(tables.sample())
        found.append(seen.observations.copy())
    codes = np.concatenate(found)
    return Views(torch.from_numpy(game.layout.decode(codes))), Views(torch.from_numpy(codes), layout=game.layout)


@pytest.mark.kernels
@pytest.mark.parametrize("game", FIVE, ids=lambda game: game.name)
def test_a_layer_is_given_the_same_of_bytes_as_of_numbers(game):
    plain, bytes_ = some_views(game)
    kept = [place for place in range(game.layout.size) if place % 7]
    columns = Columns(game.layout.size, kept)
    rows = np.array([3, 900, 3, 17])
    ours, theirs = (views.listed(columns.key, columns.inputs) for views in (bytes_, plain))
    assert len(ours.common) > 3
    assert np.array_equal(ours.common, theirs.common)
    for mine, other in ((ours, theirs), (ours.take(rows), theirs.take(rows))):
        assert torch.equal(mine.block, other.block)
        for name in ("starts", "places", "values"):
            assert np.array_equal(getattr(mine.rare, name), getattr(other.rare, name)), name


@pytest.mark.kernels
@pytest.mark.parametrize("way", ["kernels", "PyTorch"])
@pytest.mark.parametrize("game", FIVE, ids=lambda game: game.name)
def test_parts_of_bytes_are_parts_of_the_numbers(game, way, monkeypatch):
    if way == "PyTorch":
        monkeypatch.setattr(byte_rows.config, "DISABLE_JIT", 1)
    plain, bytes_ = some_views(game)
    which = torch.tensor([5, 0, 900, 5])
    for views, other in ((bytes_, plain), (bytes_.take(which), plain.take(which))):
        assert torch.equal(views.whole, other.whole)
        for block in game.layout:
            first = game.layout.start(block.name)
            assert torch.equal(views.columns(first, block.size), other.columns(first, block.size)), block.name


@pytest.mark.kernels
@pytest.mark.parametrize("game", [TORO, BANDIDO, ERASE], ids=lambda game: game.name)
def test_advice_stands_behind_the_bytes_as_behind_the_numbers(game):
    tables = VectorEnv(game, 16, seed=3, dtype="uint8")
    for _ in range(20):
        seen = tables.step(tables.sample())
    one, numbers = advisor(agents.scripted_names(game)[0], game), game.layout.decode(seen.observations)
    told = one.advise_coded(seen.observations, numbers, seen.masks)
    assert np.array_equal(one.game.layout.decode(told), one.advise(numbers, seen.masks))


@pytest.mark.kernels
@pytest.mark.parametrize("game", [TORO, ERASE, ESTAFADO], ids=lambda game: game.name)
def test_a_buffer_holds_the_observations_as_bytes(game):
    config = tiny(game=game.name, setup={}, tables=6, opponents={"self": 0.5, "random": 0.5})
    tables, buffer, saw = Tables(config, game, OpponentPool(config, game)), RolloutBuffer(game, 6, 9), []

    def look(codes, masks, memory):
        saw.append(tables.match.observations.copy())
        return np.zeros(masks.shape, np.float32), np.zeros(len(codes), np.float32), memory

    tables.play(look, buffer)
    assert np.array_equal(game.layout.decode(buffer.codes[buffer.carried :]), np.concatenate(saw))
    buffer.close(1, 1)
    buffer.carry()
    before, codes = buffer.arrays(), tables.match.codes.copy()
    assert before["codes"].any()
    tables.match.codes[:] = 99
    tables.match.encode()
    assert np.array_equal(game.layout.decode(tables.match.codes), game.layout.decode(codes))
