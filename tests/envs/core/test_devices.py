"""Devices that are not supported or not here: every way to name one is refused in a line, before kernels are made."""

import sys

import pytest
import torch
from command_line import sobremesa as command
from kuhn import GAME
from tests.gpu import check

import sobremesa
from sobremesa import agents
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.search.device.rollouts import DeviceRollouts
from sobremesa.agents.search.improve import Improve
from sobremesa.envs.core.compile.kernel import Kernel
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.training import trainer
from sobremesa.training.config.classes import algorithms_with, config_classes, default_for, from_dict

UNSUPPORTED = ("mps", "hip", "xpu", "tpu", "meta", "mps:0", "cuda:x", "cuda:-1", "CUDA", "gpu", "")
MISSING = ("cuda", "cuda:1")
TORO = "ese_toro_enamorado"


def train_by(algorithm):
    """Return a function that trains on a device by `algorithm`."""
    needed = {"ppo_selfplay": {}, "rollout_iteration": {"advised_by": "strong"}, "counterfactual": {}}[algorithm]

    def door(device, folder):
        values = default_for(TORO, algorithm) | {"game": TORO, "algorithm": algorithm, "device": device} | needed
        trainer.train(from_dict(values), folder / "run")

    return door


DOORS = {
    "make_vec": lambda device, _: sobremesa.make_vec(GAME.name, 2, device=device),
    "TensorEnv": lambda device, _: TensorEnv(GAME, 2, device=device),
    "DeviceRollouts": lambda device, _: DeviceRollouts(GAME, RANDOM, device),
    "Improve": lambda device, _: Improve("search", GAME, RANDOM, RANDOM, device=device),
    "load": lambda device, _: agents.load(f"search(champion, device={device})", TORO),
    **{kind: train_by(kind) for kind in algorithms_with("device")},
}


@pytest.fixture(autouse=True)
def _no_gpu_and_no_kernels(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(Kernel, "compile", lambda *_: pytest.fail("a kernel is compiled"))


@pytest.mark.parametrize("door", DOORS)
def test_an_unsupported_device_is_named_with_supported_ones(door, tmp_path):
    for name in UNSUPPORTED:
        if door == "load" and not name:
            continue
        with pytest.raises(
            ValueError, match=rf"device='{name}' is not supported; supported are 'cpu', and 'cuda', "
        ) as caught:
            DOORS[door](name, tmp_path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cuda", [None, "13.0"])
@pytest.mark.parametrize("door", DOORS)
def test_a_gpu_that_is_not_here_is_named(door, cuda, tmp_path, monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", cuda)
    for name in MISSING:
        with pytest.raises((ValueError, RuntimeError), match=f"device='{name}' needs an NVIDIA GPU and ") as caught:
            DOORS[door](name, tmp_path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("door", DOORS)
def test_unsupported_devices_are_refused_without_pytorch(door, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match=r"device='mps' is not supported"):
        DOORS[door]("mps", tmp_path)
    with pytest.raises(ImportError, match=r"device='cuda' needs the 'gpu' extra; run pip install '\.\[gpu\]'"):
        DOORS[door]("cuda", tmp_path)


def test_every_key_for_a_device_is_tried():
    named = {kind.algorithm for kind in config_classes() if hasattr(kind, "device")}
    assert named == set(algorithms_with("device")) <= set(DOORS)


def test_commands_refuse_a_device_in_a_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["check", "--out", str(tmp_path / "gpu.json")])
    with pytest.raises(SystemExit, match=r"^make gpu: device='cuda' needs an NVIDIA GPU and "):
        check.main()
    assert not list(tmp_path.iterdir())
    recipe = ("train", TORO, "--config", "configs/recipes/gpu.toml", "--out", tmp_path / "run")
    for words in (recipe, (*recipe, "--device", "mps"), ("rate", TORO, "search(strong,device=cuda)")):
        assert command(*words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert "device='" in err


def test_names_of_the_processor_are_its():
    assert {device_of(name) for name in ("cpu", "cpu:0", "cpu:3", torch.device("cpu"))} == {torch.device("cpu")}
