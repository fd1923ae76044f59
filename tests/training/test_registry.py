"""Algorithms that a program or a package registers."""

import sys
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Literal

import pytest
from runs import FLAGS, GAME

from sobremesa import agents, cli, envs
from sobremesa.envs.core import plugins
from sobremesa.training import trainer
from sobremesa.training.bots import export
from sobremesa.training.config import registry
from sobremesa.training.config.classes import ConfigError, TrainConfig, config_classes, from_dict
from sobremesa.training.config.registry import Algorithm, register
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.runs import run
from sobremesa.training.runs.evaluation import Ledger

KEYS = {key: FLAGS[key] for key in ("setup", "hidden", "evaluate_deals", "evaluate_against", "tables")}


@dataclass
class GuessConfig(TrainConfig):
    """How to train by an algorithm that learns nothing."""

    algorithm: Literal["guess"] = "guess"
    luck: float = field(default=0.5, metadata={"doc": "of the draw"})


def guess(config, folder, progress=None):
    with run.begun(folder, config):
        game = envs.load(config.game)
        ledger, net = Ledger(config, game, folder, progress), PolicyNet(game, config.hidden)
        ledger.evaluate(config.steps, net)
        ledger.save("finished", config.steps, net)
        return ledger.record


GUESS = Algorithm(GuessConfig, train=guess)


@pytest.fixture
def registered():
    register(GUESS)
    yield
    del registry._KNOWN["guess"]


@pytest.mark.usefixtures("registered")
def test_a_registered_algorithm_trains_and_exports(tmp_path, capsys):
    folder, bot = tmp_path / "run", tmp_path / "bot"
    config = from_dict({"game": GAME, "algorithm": "guess", "luck": 1, **KEYS})
    assert isinstance(config, GuessConfig)
    assert trainer.train(config, folder)["status"] == "finished"
    assert run.read(folder)[0] == config
    export(folder, bot)
    assert agents.load(bot).manifest["config"]["luck"] == 1.0
    assert cli.main(["train", "--resume", str(folder)]) == 2
    assert "was trained by guess, which cannot resume" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["train", "--algorithm", "guess", "--help"])
    assert "guess " in (told := capsys.readouterr().out)
    assert "--luck X" in told


def test_an_algorithm_that_nobody_registered_is_told():
    with pytest.raises(
        ConfigError,
        match="or dqn or nfsp or rollout_iteration or counterfactual: ",
    ):
        from_dict({"algorithm": "guess"})
    with pytest.raises(ConfigError, match=r"GuessConfig is a base class; .* or register it"):
        GuessConfig(game=GAME)


@dataclass
class OtherConfig(TrainConfig):
    algorithm: Literal["other"] = "other"
    gamma: list[float] = field(default_factory=list)


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (GUESS, "algorithm='guess' is not allowed; it takes a name that is not yet registered"),
        (Algorithm(TrainConfig, train=guess), "takes a name that is not yet"),
        (Algorithm(OtherConfig), "'other' takes one of loop and train"),
        (Algorithm(OtherConfig, train=guess, loop="a:b"), "'other' takes one of loop and train"),
        (Algorithm(OtherConfig, train=guess), "key 'gamma' of algorithm 'other' has another shape"),
    ],
)
def test_what_cannot_be_registered_is_told(wrong, told):
    with pytest.raises(ValueError, match=told):
        register(wrong)


def test_a_broken_package_does_not_stop_others(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "guesswork", sys.modules[__name__])
    entries = [EntryPoint(name, f"guesswork:{name}", registry.GROUP) for name in ("GUESS", "NOTHING")]
    monkeypatch.setattr(registry, "_KNOWN", registry._KNOWN.copy())
    monkeypatch.setattr(plugins, "_waiting", lambda _: entries)
    assert config_classes()[-1] is GuessConfig
    assert "algorithm 'NOTHING' of an unnamed package (guesswork:NOTHING) is left out: " in capsys.readouterr().err
    assert config_classes()[-1] is GuessConfig
    assert capsys.readouterr().err == ""
