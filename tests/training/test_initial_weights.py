"""Runs of ppo_selfplay that start from a bot."""

import json
import shutil

import numpy as np
import pytest
import torch
from runs import same, stopped, tiny, train_tiny

from sobremesa import agents
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.runs.run import new_record
from sobremesa.training.trainer import resume

FIRST = 1_024  # decisions from which the value network alone learns


@pytest.fixture(scope="module")
def bot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("start")
    export(train_tiny(folder / "run", seed=5, steps=600), folder / "bot", "last")
    return folder


def weights_of(net):
    return {name: weight.clone() for name, weight in net.state_dict().items()}


def equal(weights, others):
    return all(torch.equal(weight, others[name]) for name, weight in weights.items())


def test_policy_and_reference_start_as_the_bot(bot, tmp_path):
    config = tiny(start=str(bot / "bot"), magnet=0.1, value_first=FIRST)
    learner = (training := Training(config, tmp_path / "run", None)).learner
    begun, value = weights_of(learner.policy), weights_of(learner.value)
    assert equal(begun, learner.magnet.state_dict())
    codes = np.random.default_rng(0).integers(0, 2, (50, learner.layout.width), np.uint8)
    views = learner.layout.decode(codes)
    masks = np.ones((50, learner.policy.outputs), np.int8)
    logits = learner.look(codes, masks, views[:, :0])[0]
    assert logits == pytest.approx(agents.load(bot / "bot").logits(views, masks), abs=1e-4)
    while training.steps < FIRST:
        training.update()
    assert equal(begun, learner.policy.state_dict())
    assert not equal(value, learner.value.state_dict())
    training.update()
    assert not equal(begun, learner.policy.state_dict())


@pytest.mark.parametrize("updates", [1, 3])  # while the value network learns alone, and after it
def test_such_a_run_goes_on_to_the_same_weights(bot, tmp_path, updates):
    changes = {"start": str(bot / "bot"), "value_first": FIRST, "magnet": 0.1, "steps": 2_500}
    train_tiny(tmp_path / "whole", **changes)
    stopped(tmp_path / "run", updates, **changes)
    resume(tmp_path / "run")
    assert same(tmp_path / "run", tmp_path / "whole")


def test_such_a_run_goes_on_when_its_bot_is_gone(bot, tmp_path):
    shutil.copytree(bot / "bot", tmp_path / "bot")
    stopped(tmp_path / "run", 1, start=str(tmp_path / "bot"))
    shutil.rmtree(tmp_path / "bot")
    assert resume(tmp_path / "run")[1]["status"] == "finished"


def test_a_run_whose_policy_never_learns_is_refused(tmp_path):
    config = tiny(value_first=300, steps=300)
    with pytest.raises(ConfigError, match="less than steps=300, or the policy never learns"):
        Training(config, tmp_path / "run", None)
    Training(config, tmp_path / "run", None, new_record())


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"start": "nobody"}, "start: no agent 'nobody'"),
        ({"start": "strong"}, "start='strong' is not allowed; it takes a bot with the same network: it has another"),
        ({"hidden": [9]}, "it takes a bot with the same network: .* is of shape"),
        ({"hidden": [16, 16]}, "it takes a bot with the same network: it has no .*weight$"),
        ({"memory": 4}, "it takes a bot with the same network: memory=4, and the bot has no memory"),
        ({"value_first": -1}, "value_first=-1 is not allowed"),
    ],
)
def test_an_unfit_start_is_refused_before_writing(bot, tmp_path, changes, why):
    with pytest.raises(ConfigError, match=why):
        Training(tiny(**({"start": str(bot / "bot")} | changes)), tmp_path / "run", None)
    assert not (tmp_path / "run").exists()


def test_a_bot_with_unknown_roles_is_refused(bot, tmp_path):
    shutil.copytree(bot / "bot", tmp_path / "bot")
    manifest = json.loads((tmp_path / "bot" / "bot.json").read_text())
    manifest["config"]["roles"] = "nobody"
    (tmp_path / "bot" / "bot.json").write_text(json.dumps(manifest))
    with pytest.raises(ConfigError, match="no block 'nobody'"):
        Training(tiny(start=str(tmp_path / "bot")), tmp_path / "run", None)
