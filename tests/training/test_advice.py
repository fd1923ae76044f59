"""Residual policies over a scripted advisor: training and exported bots."""

import json
import shutil

import numpy as np
import pytest
import torch
from runs import same, stopped, tiny, train_tiny
from safetensors.torch import load

from sobremesa import agents, envs
from sobremesa.agents.advice import Advisor, advisor
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.exported import AdvisedBot, Bot, BotError, load_bot
from sobremesa.agents.search.policies import is_fast, policy_kernels
from sobremesa.envs.core.chance import STREAM
from sobremesa.training.algorithms.ppo_selfplay import Training
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError
from sobremesa.training.data.tables import begin_streams
from sobremesa.training.networks.onnx_graphs import real_views
from sobremesa.training.networks.policy import PolicyNet, load_weights
from sobremesa.training.trainer import resume

GAME = envs.load(tiny().game)
ADVISED = {"advised_by": "strong", "magnet": 0.1, "opponents": {"self": 0.5, "snapshots": 0.3, "simple": 0.2}}


@pytest.fixture(scope="module")
def views():
    observations, masks = real_views(GAME)
    return observations[:200], masks[:200].astype(np.int8)


@pytest.fixture(scope="module")
def bot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("advice")
    export(train_tiny(folder / "run", **ADVISED), folder / "bot", "last", "greedy")
    return folder


def test_advice_is_the_choice_of_that_agent_behind_what_is_seen(views):
    observations, masks = views
    told = Advisor("strong", GAME).advise(observations, masks)
    assert told.dtype == np.float32
    assert told.shape == (len(masks), GAME.layout.size + GAME.num_actions)
    assert (told[:, : GAME.layout.size] == observations).all()
    strong, streams = agents.load("strong", GAME), np.zeros(len(masks), STREAM)
    begin_streams(streams, np.zeros(len(masks), np.int64))  # it draws where two choices are worth the same
    wanted = [strong.kernel(*view) for view in zip(observations, masks, streams, strict=True)]
    advice = told[:, GAME.layout.size :]
    assert (advice.argmax(1) == wanted).all()
    assert (advice.sum(1) == 1).all()
    assert (advice[masks == 0] == 0).all()


def test_a_policy_begins_as_who_advises_it(views):
    net = PolicyNet(GAME, [16], advised_by="strong")
    observations, masks = views
    told = net.advisor.advise(observations, masks)
    assert net.advisor is advisor("strong", GAME)
    assert net.inputs == told.shape[1]
    rows = np.flatnonzero(masks.sum(1) > 1)
    with torch.inference_mode():
        logits = net(torch.from_numpy(told[rows]), torch.from_numpy(masks[rows])).numpy()
    assert (logits.argmax(1) == told[rows, GAME.layout.size :].argmax(1)).all()


def test_the_bot_asks_its_advisor_and_decides_as_the_run_did(bot, views):
    loaded = load_bot(bot / "bot", GAME)
    assert isinstance(loaded, AdvisedBot)
    assert loaded.manifest["advised_by"] == "strong"
    assert loaded.manifest["inputs"]["observation"][1] == GAME.layout.size + GAME.num_actions
    training = Training(tiny(**ADVISED), bot / "other", None)
    load_weights(bot / "run" / "last.safetensors", training.learner.policy)
    told = training.learner.policy.advisor.advise(*views)
    logits = training.learner.look(training.learner.layout.encode(told), views[1], told[:, :0])[0]
    assert np.where(views[1], loaded.logits(*views) - logits, 0) == pytest.approx(0, abs=1e-4)


def test_it_plays_on_in_thought_as_it_plays(bot, views):
    loaded = load_bot(bot / "bot", GAME)
    policy = policy_kernels(loaded)
    wanted, found = loaded.logits(*views), np.zeros((len(views[0]), GAME.num_actions), np.float32)
    for observation, mask, chances in zip(*views, found, strict=True):
        policy.weigh(observation, mask, policy.arrays, chances)
    likely = np.exp(np.where(views[1], wanted, -np.inf).astype(float) - wanted.max(1, keepdims=True))
    assert found == pytest.approx(likely / likely.sum(1, keepdims=True), abs=1e-4)
    assert is_fast(loaded)


@pytest.mark.parametrize("updates", [1, 3])
def test_such_a_run_goes_on_to_the_same_weights(bot, tmp_path, updates):
    stopped(tmp_path / "run", updates, **ADVISED)
    resume(tmp_path / "run")
    assert same(tmp_path / "run", bot / "run")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"advice": "0123456789abcdef"}, "the advice of 'strong' has changed since the bot was made"),
        ({"advised_by": "nobody"}, "'nobody' cannot advise; a scripted agent"),
        ({"advised_by": ""}, "'' cannot advise"),
        ({"advised_by": "command:true"}, "'command:true' cannot advise"),
        ({"advised_by": "search(strong)"}, "cannot advise"),
        ({"advised_by": "simple"}, "the advice of 'simple' has changed since the bot was made"),
        ({"advised_by": 5}, "advised_by"),
    ],
)
def test_a_bot_that_would_be_advised_otherwise_is_refused(bot, tmp_path, change, why):
    shutil.copytree(bot / "bot", tmp_path / "bot")
    manifest = json.loads((tmp_path / "bot" / "bot.json").read_text())
    (tmp_path / "bot" / "bot.json").write_text(json.dumps(manifest | change))
    with pytest.raises(BotError, match=why):
        load_bot(tmp_path / "bot", GAME)


def test_a_bot_is_not_advised_by_itself(bot, tmp_path):
    folder = tmp_path / "bot"
    shutil.copytree(bot / "bot", folder)
    manifest = json.loads((folder / "bot.json").read_text())
    (folder / "bot.json").write_text(json.dumps(manifest | {"advised_by": str(folder)}))
    with pytest.raises(BotError, match="cannot advise"):
        load_bot(folder, GAME)


def test_who_it_is_changes_with_who_advises_it(bot):
    loaded = load_bot(bot / "bot", GAME)
    otherwise = AdvisedBot(loaded.name, loaded.manifest, loaded.graph, advisor("simple", GAME))
    plain = Bot(loaded.name, loaded.manifest, loaded.graph)
    assert identity(loaded) == identity(load_bot(bot / "bot", GAME))
    assert len({identity(loaded), identity(otherwise), identity(plain)}) == 3


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"advised_by": "nobody"}, "advised_by='nobody' is not allowed: 'nobody' cannot advise"),
        ({"advised_by": "trained"}, "'trained' cannot advise; a scripted agent of .* can: .*strong"),
        ({"advised_by": "search(strong)"}, r"advised_by='search\(strong\)' is not allowed"),
        ({"advised_by": "strong", "start": "trained"}, "start='trained' .*: its advisor is no agent, not strong$"),
        ({"advised_by": "command:true"}, "'command:true' cannot advise"),
        ({"advised_by": "strong", "teacher": "simple"}, "leave teacher empty"),
        ({"advised_by": "strong", "algorithm": "dqn"}, "is not allowed with algorithm"),
    ],
)
def test_who_cannot_advise_is_told_before_anything_is_written(tmp_path, changes, why):
    with pytest.raises(ConfigError, match=why):
        Training(tiny(**changes), tmp_path / "run", None)
    assert not (tmp_path / "run").exists()


def test_an_advised_run_starts_from_a_bot_with_the_same_advisor(bot, tmp_path):
    learner = Training(tiny(**ADVISED, start=str(bot / "bot"), seed=9), tmp_path / "run", None).learner
    saved = load((bot / "run" / "last.safetensors").read_bytes())
    assert saved.keys() == learner.policy.state_dict().keys()
    assert all(torch.equal(weight, saved[name]) for name, weight in learner.policy.state_dict().items())


def test_no_run_without_advice_begins_as_an_advised_bot(bot, tmp_path):
    with pytest.raises(ConfigError, match=r"its advisor is strong, not no agent$"):
        Training(tiny(start=str(bot / "bot")), tmp_path / "run", None)
