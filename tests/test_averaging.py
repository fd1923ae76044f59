"""Bots that play by the mean of the weights of several runs."""

import numpy as np
import pytest
import torch
from runs import GAME, tiny, train_tiny

from sobremesa import agents, cli, envs
from sobremesa.envs.core.vector import VectorEnv
from sobremesa.training.export import export
from sobremesa.training.policy import PolicyNet, load_weights


def net_of(folder):
    net = PolicyNet(envs.load(GAME), tiny().hidden)
    load_weights(folder / "last.safetensors", net)
    return net.eval()


@pytest.fixture(scope="module")
def another_run(tmp_path_factory):
    """A run of the same network as `tiny_run`, that has learnt something else."""
    return train_tiny(tmp_path_factory.mktemp("another") / "run", seed=1)


def test_a_bot_plays_by_the_mean_of_the_weights_of_several_runs(tiny_run, another_run, tmp_path):
    manifest = export(tiny_run, tmp_path / "bot", "last", average=[another_run])
    first, second = net_of(tiny_run), net_of(another_run)
    with torch.no_grad():
        for ours, theirs in zip(first.parameters(), second.parameters(), strict=True):
            ours.copy_((ours + theirs) / 2)
    tables = VectorEnv(envs.load(GAME), 100, seed=99)
    observations, masks = (part.copy() for part in tables.step(tables.sample())[:2])
    with torch.inference_mode():
        ours = first(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
    np.testing.assert_allclose(agents.load(tmp_path / "bot").logits(observations, masks), ours, atol=1e-5)
    assert (manifest["config"]["seed"], manifest["averaged"][0]["config"]["seed"]) == (0, 1)
    assert manifest["evaluation"] is None


def test_networks_that_differ_have_no_mean(tiny_run, another_run, tmp_path, capsys):
    other = train_tiny(tmp_path / "run", hidden=[8])
    asked = ["export", str(tiny_run), "-o", str(tmp_path / "bot"), "--average"]
    assert cli.main([*asked, str(another_run), str(other)]) == 2
    assert f"{other}: has hidden=[8], where {tiny_run} has [16]: they have no mean" in capsys.readouterr().err
    assert cli.main([*asked, str(tmp_path / "none")]) == 2
    assert f"{tmp_path / 'none'}: no run there" in capsys.readouterr().err
    (other / "config.toml").write_text((tiny_run / "config.toml").read_text())
    assert cli.main([*asked, str(other)]) == 2
    assert f"{other}: its network has another shape than that of {tiny_run}" in capsys.readouterr().err
    (other / "best.safetensors").write_bytes(b"nothing")
    assert cli.main([*asked, str(other)]) == 2
    assert "best.safetensors: cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "bot").exists()
