"""Averages of weights over a run, or of several runs."""

import shutil

import numpy as np
import pytest
import torch
from runs import GAME, tiny, train_tiny
from safetensors.numpy import load_file

from sobremesa import agents, cli, envs
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.bots import export
from sobremesa.training.networks.policy import PolicyNet, load_weights
from sobremesa.training.runs import run
from sobremesa.training.runs.loop import weights_of
from sobremesa.training.trainer import resume


def net_of(folder):
    net = PolicyNet(envs.load(GAME), tiny().hidden)
    load_weights(folder / "last.safetensors", net)
    return net.eval()


def test_a_run_keeps_the_mean_of_its_weights_over_its_last_part(tmp_path, monkeypatch):
    update, seen = Training.update, []

    def watched(run):
        told = update(run)
        if run.steps > 0.4 * run.config.steps:
            seen.append({name: one.astype(np.float64) for name, one in weights_of(run.learned).items()})
        return told

    monkeypatch.setattr(Training, "update", watched)
    folder = train_tiny(tmp_path / "run", average=0.6)
    found = load_file(folder / "average.safetensors")
    assert len(seen) >= 3
    for name, one in found.items():
        np.testing.assert_allclose(one, np.mean([weights[name] for weights in seen], 0), atol=1e-6)
    assert found.keys() == load_file(folder / "last.safetensors").keys()
    manifest = export(folder, tmp_path / "bot", "average")
    assert (manifest["checkpoint"], manifest["evaluation"]) == ("average", None)


@pytest.mark.parametrize("stop_at", [600, 2000])  # before the mean begins, and after
def test_a_run_that_was_stopped_keeps_the_same_mean(stop_at, tmp_path):
    def stop(steps, *_):
        if steps >= stop_at:
            raise KeyboardInterrupt

    whole = train_tiny(tmp_path / "whole", average=0.6)
    stopped = train_tiny(tmp_path / "stopped", stop, average=0.6)
    assert run.read(stopped)[1]["status"] == "interrupted"
    assert (stopped / "average.safetensors").exists() == (stop_at == 2000)
    resume(stopped)
    assert (stopped / "average.safetensors").read_bytes() == (whole / "average.safetensors").read_bytes()


def test_a_run_without_a_mean_says_so(tiny_run, tmp_path, capsys):
    assert cli.main(["export", str(tiny_run), "-o", str(tmp_path / "bot"), "--checkpoint", "average"]) == 2
    told = "it has no average.safetensors; was it stopped before its mean began, or trained without `average`?"
    assert f"{tiny_run}: {told}" in capsys.readouterr().err


@pytest.fixture(scope="module")
def another_run(tmp_path_factory):
    """A run of the same network as `tiny_run`, that has learnt something else."""
    return train_tiny(tmp_path_factory.mktemp("another") / "run", seed=1)


@pytest.mark.parametrize("checkpoint", ["last", "best"])
def test_a_bot_plays_by_the_mean_of_the_weights_of_several_runs(checkpoint, tiny_run, another_run, tmp_path):
    other = another_run if checkpoint == "last" else another_run / "last.safetensors"
    shutil.copytree(tiny_run, tmp_path / "run")
    shutil.copy(tiny_run / "last.safetensors", tmp_path / "run" / "best.safetensors")
    manifest = export(tmp_path / "run", tmp_path / "bot", checkpoint, average=[other])
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
    assert (manifest["evaluation"], manifest["averaged"][0]["checkpoint"]) == (None, "last")


def test_networks_that_differ_have_no_mean(tiny_run, another_run, tmp_path, capsys):
    other = train_tiny(tmp_path / "run", hidden=[8])
    asked = ["export", str(tiny_run), "-o", str(tmp_path / "bot"), "--average"]
    assert cli.main([*asked, str(another_run), str(other)]) == 2
    ours, theirs = (folder / "best.safetensors" for folder in (tiny_run, other))
    assert f"{theirs}: has hidden=[8], {ours} has [16]: they have no mean" in capsys.readouterr().err
    assert cli.main([*asked, str(tmp_path / "none")]) == 2
    assert f"{tmp_path / 'none'}: no run there" in capsys.readouterr().err
    (other / "config.toml").write_text((tiny_run / "config.toml").read_text())
    assert cli.main([*asked, str(other)]) == 2
    assert f"{theirs}: has another network shape than {ours}" in capsys.readouterr().err
    (other / "best.safetensors").write_bytes(b"nothing")
    assert cli.main([*asked, str(other)]) == 2
    assert "best.safetensors: cannot be read" in capsys.readouterr().err
    shutil.copy(tiny_run / "best.safetensors", tmp_path / "alone.safetensors")
    assert cli.main([*asked, str(tmp_path / "alone.safetensors")]) == 2
    assert f"{tmp_path}: no run there" in capsys.readouterr().err
    assert not (tmp_path / "bot").exists()
