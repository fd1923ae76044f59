"""TD(lambda) on afterstates, from the choices to the exported bot."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from rooms import BANDIDO, TORO
from runs import FLAGS, check_refused, interrupt_at
from scale import LONG_IN_PLAIN, scaled

from sobremesa import agents
from sobremesa.agents import afterstates
from sobremesa.agents.afterstates import Choices, action_worths, best_choices, features_digest, list_choices
from sobremesa.agents.arena.play import play
from sobremesa.agents.exported import BotError, load_bot
from sobremesa.envs.bandido_alcatraz.bots.value import worth
from sobremesa.envs.bandido_alcatraz.bots.weights import TUNED
from sobremesa.envs.bandido_alcatraz.state import A_GATHER
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.chance import STREAM
from sobremesa.training.algorithms.afterstates import (
    AfterstateAgent,
    Batch,
    Training,
    WorthNet,
    afterstates_of,
    targets_of,
)
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError, from_dict
from sobremesa.training.networks.policy import load_weights
from sobremesa.training.runs import run
from sobremesa.training.trainer import resume, train

STRONG = agents.load("strong", BANDIDO)
TOLD = STRONG.afterstates
KEYS = {
    "game": "bandido_alcatraz", "algorithm": "afterstates", "afterstates": "strong", "setup": {"seats": [1, 2, 4, 2]},
    "tables": 8, "steps": 3_000,
} | {key: FLAGS[key] for key in (
    "threads", "batch_size", "epochs", "hidden", "evaluate_every", "evaluate_deals", "evaluate_against",
    "checkpoint_every",
)}  # fmt: skip


def config(**changes):
    return from_dict({**KEYS, **changes})


def positions(plies, count=16):
    """Return observations and masks after so many plies of random play."""
    tables = VectorEnv(BANDIDO, count, seed=3, seats=[1, 2, 3, 4] * (count // 4), signals=[False, True] * (count // 2))
    for _ in range(plies):
        seen = tables.step(tables.sample())
    return seen.observations.copy(), seen.masks.copy()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run, and the bot made of it."""
    folder = tmp_path_factory.mktemp("afterstates")
    train(config(), folder / "run")
    export(folder / "run", folder / "bot", "last", "greedy")
    return folder


# Choices


@pytest.mark.kernels
@pytest.mark.parametrize("plies", [1, 2, 5, 20, 31])
def test_each_choice_starts_with_a_legal_action(plies):
    observations, masks = positions(plies)
    choices = list_choices(TOLD, observations, masks)
    assert masks[choices.view, choices.actions].all()
    assert np.isfinite(choices.features[choices.settled == 0]).all()
    assert choices.features.shape == (len(choices.view), TOLD.size)
    assert set(choices.settled) <= {-1, 0, 1}
    assert ((choices.whole == 0) == (choices.actions < A_GATHER)).all()  # where to lay a card; how is asked next


@pytest.mark.kernels
def test_choices_do_not_depend_on_how_much_room_was_made(monkeypatch):
    observations, masks = positions(scaled(20))
    plenty = list_choices(TOLD, observations, masks)
    monkeypatch.setattr(afterstates, "_ROOM", 1)
    little = list_choices(TOLD._replace(most=len(plenty.view)), observations, masks)
    assert all(np.array_equal(one, other) for one, other in zip(plenty, little, strict=True))


@pytest.mark.kernels
def test_the_weights_of_strong_give_the_choices_of_strong():
    observations, masks = positions(scaled(20), count=32)
    units = np.zeros(TUNED.shape[1])

    def value(features):
        return np.array([worth(row.astype(float), TUNED, units) for row in features], np.float32)

    choices = list_choices(TOLD, observations, masks)
    worths = action_worths(choices, choices.worths(value), masks)
    hopeful = [view for view in range(32) if (choices.settled[choices.view == view] == 0).any()]
    stream = np.zeros(1, STREAM)
    for view in hopeful:
        taken = STRONG.kernel(observations[view], masks[view], stream[0])  # of choices alike, not always the first
        assert worths[view, taken] == pytest.approx(worths[view].max(), abs=1e-4)
    assert len(hopeful) > 8


@pytest.mark.kernels
def test_ties_go_to_the_first_choice():
    choices = Choices(
        np.array([0, 0, 0, 2]),
        np.array([3, 1, 3, 2]),
        np.zeros((4, 1), np.float32),
        np.array([0, 0, -1, 1], np.int8),
        np.ones(4, np.int8),
    )
    worths = choices.worths(lambda features: np.array([2.0, 2.0, 9.0, 9.0], np.float32))
    assert worths.tolist() == [2, 2, -afterstates.SETTLED, afterstates.SETTLED]
    assert best_choices(choices, worths, 3).tolist() == [0, -1, 3]
    masks = np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0]], np.int8)
    assert action_worths(choices, worths, masks).argmax(1).tolist() == [1, 2, 2]


@pytest.mark.kernels
def test_no_choice_at_all_is_no_trouble():
    nothing = Choices(
        *(np.zeros(shape, kind) for shape, kind in ((0, int), (0, int), ((0, 3), np.float32), (0, int), (0, int)))
    )
    masks = np.array([[0, 1]], np.int8)
    assert action_worths(nothing, nothing.worths(lambda _: 1 / 0), masks).argmax(1).tolist() == [1]


# Targets


def batch(*rows):
    """Make a batch of (table, seat, best, explored), and False where there is more to say."""
    rows = [row if len(row) > 4 else (*row, True) for row in rows]
    table, seat, best, explored, whole = (np.array(column) for column in zip(*rows, strict=True))
    return Batch(table, seat, np.zeros((len(rows), 1), np.float32), whole, np.ones(len(rows), bool), best, explored)


@pytest.mark.kernels
def test_targets_are_what_came_of_it_as_lambda_mixes_it():
    told = batch((0, 0, 0.1, False), (0, 0, 0.2, False), (0, 0, 0.4, False))
    payoffs = np.array([[1.0, 0.0]])
    assert targets_of(told, payoffs, 1.0).tolist() == [1, 1, 1]
    assert targets_of(told, payoffs, 0.5) == pytest.approx([0.5 * 0.2 + 0.5 * 0.7, 0.5 * 0.4 + 0.5 * 1, 1])
    assert targets_of(told, payoffs, 1e-9) == pytest.approx([0.2, 0.4, 1], abs=1e-6)


@pytest.mark.kernels
def test_what_came_after_a_choice_at_random_is_nobodys_merit():
    told = batch((0, 0, 0.1, False), (0, 0, 0.3, True), (0, 0, 0.4, False))
    assert targets_of(told, np.array([[1.0]]), 1.0).tolist() == [0.3, 1, 1]


@pytest.mark.kernels
def test_where_there_is_more_to_say_lambda_does_not_count_twice():
    told = batch((0, 0, 0.1, False), (0, 0, 0.4, False, False), (0, 0, 0.4, False), (0, 0, 0.6, False))
    targets = targets_of(told, np.array([[1.0]]), 0.5)
    assert targets == pytest.approx([0.5 * 0.4 + 0.5 * 0.8, 0.8, 0.5 * 0.6 + 0.5 * 1, 1])
    told = batch((0, 0, 0.1, False), (0, 0, 0.4, True, False), (0, 0, 0.2, False), (0, 0, 0.6, False))
    assert targets_of(told, np.array([[1.0]]), 0.5)[0] == 0.4  # what was said at random is not the merit of the first


@pytest.mark.kernels
def test_seats_and_tables_go_their_own_ways():
    told = batch((0, 0, 0.1, False), (1, 0, 0.2, False), (0, 1, 0.3, False), (1, 0, 0.6, False), (0, 0, 0.5, False))
    payoffs = np.array([[1.0, 0.0], [0.25, 0.0]])
    assert targets_of(told, payoffs, 0.5) == pytest.approx([0.75, 0.425, 0, 0.25, 1])


# Runs


def agent_of(folder, name="last"):
    net = WorthNet(TOLD, FLAGS["hidden"])
    load_weights(folder / f"{name}.safetensors", net)
    return AfterstateAgent("learner", net)


def test_the_bot_of_a_run_plays_as_its_network(made):
    record = run.read(made / "run")[1]
    assert (record["status"], 2_700 < record["steps"] <= 3_000) == ("finished", True)  # no deal is as long as 300
    assert {score["seats"] for score in record["best"]["scores"]} == {1, 2, 4}
    bot = load_bot(made / "bot")
    assert bot.manifest["afterstates"] == "strong"
    assert bot.manifest["parity"]["largest_difference"] < 1e-4
    observations, masks = positions(9)
    choices = list_choices(TOLD, observations, masks)
    worths = action_worths(choices, choices.worths(agent_of(made / "run").net.value), masks)
    assert bot.logits(observations, masks) == pytest.approx(worths, rel=1e-4, abs=1e-4)
    assert worths[masks > 0].std() > 0.01
    assert play(BANDIDO, [bot, bot], 3, seed=5, seats=2).plies.min() > 10


def test_a_bot_plays_alike_view_by_view(made):
    bot, (observations, masks) = load_bot(made / "bot"), positions(9)
    chances = bot.chances(observations, masks)
    assert chances.sum(1) == pytest.approx(1)
    assert not chances[masks == 0].any()
    streams = np.zeros(len(masks), STREAM)
    assert (chances.argmax(1) == bot.act_batch(observations, masks, streams)).all()


def test_a_resumed_run_reaches_the_same_weights(made, tmp_path):
    train(config(), tmp_path / "run", interrupt_at(2))
    assert run.read(tmp_path / "run")[1]["status"] == "interrupted"
    resume(tmp_path / "run")
    for name in ("last", "best"):
        assert (tmp_path / f"run/{name}.safetensors").read_bytes() == (made / f"run/{name}.safetensors").read_bytes()
    train(config(seed=1), tmp_path / "other")
    assert (tmp_path / "other/last.safetensors").read_bytes() != (made / "run/last.safetensors").read_bytes()


def test_the_network_learns_which_features_are_worth_what():
    training = Training(config(steps=10**6, learning_rate=3e-3), Path("unwritten"), None)
    features = np.random.default_rng(0).normal(size=(2_000, TOLD.size)).astype(np.float32)
    truth = features[:, 0] - 2 * features[:, 1]
    losses = [training._learn(features, 1 / (1 + np.exp(-truth))) for _ in range(8)]
    assert losses[-1] < losses[0] - 0.1
    assert np.corrcoef(training.net.value(features), truth)[0, 1] > 0.9


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"afterstates": ""}, "afterstates='' is not allowed; it takes a scripted agent"),
        ({"afterstates": "nobody"}, "afterstates: no agent 'nobody'"),
        ({"afterstates": "simple"}, "afterstates='simple' is not allowed; it takes an agent of bandido_alcatraz that"),
        ({"game": TORO.name, "setup": {}}, "it takes an agent of ese_toro_enamorado that lists afterstates"),
        ({"magnet": 0.1, "memory": 3}, "magnet=0.1, memory=3 is not allowed with algorithm='afterstates'"),
        ({"teacher": "nobody"}, "teacher: no agent 'nobody'"),
        ({"setup": {"seed": 4}}, "setup: .*seed"),
        ({"opponents": {"simple": 1.0}}, "opponents={'simple': 1.0} is not allowed"),
        ({"setup": {"seats": 9}}, "setup: .*seats=9"),
        ({"explore": 1.5}, "explore=1.5 is not allowed: Expected `float` <= 1.0"),
        ({"algorithm": "ppo_selfplay"}, "afterstates='strong' is not allowed with algorithm='ppo_selfplay'"),
        (
            {"algorithm": "maskable_ppo"},
            "afterstates='strong', checkpoint_every=1000 is not allowed with algorithm='maskable_ppo'",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_and_nothing_is_written(tmp_path, changes, told):
    check_refused(config, changes, told, tmp_path)


def test_a_run_that_diverges_is_told():
    wild = config(steps=10**6)
    wild.learning_rate = 1e38  # more than a configuration takes
    training = Training(wild, Path("unwritten"), None)
    with pytest.raises(FloatingPointError, match="lower learning_rate=1e"):
        training.update()


def test_a_bot_takes_the_best_choice_unless_it_is_to_draw(made, tmp_path):
    assert export(made / "run", tmp_path / "bot")["choice"] == "greedy"
    assert export(made / "run", tmp_path / "bot", choice="sample")["choice"] == "sample"


def test_odds_are_learnt_of_what_all_win_together():
    with pytest.raises(ConfigError, match="bandido_alcatraz is not cooperative"):
        afterstates_of(config(), dataclasses.replace(BANDIDO, cooperative=False))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"features": "0" * 16}, "the features of choices by 'strong' have changed since the bot was made"),
        ({"afterstates": "simple"}, "'simple' should list its choices, but no such agent of bandido"),
        ({"afterstates": ["strong"]}, r"Expected `str`, got `array` - at `\$.afterstates`"),
        ({"afterstates": "/tmp"}, "'/tmp' should list its choices"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(made, tmp_path, changes, told):
    bot = Path(shutil.copytree(made / "bot", tmp_path / "bot"))
    manifest = json.loads((bot / "bot.json").read_text())
    (bot / "bot.json").write_text(json.dumps(manifest | changes))
    with pytest.raises(BotError, match=told):
        load_bot(bot)


def test_a_memory_that_it_does_not_have_is_not_made_room_for(made, tmp_path):
    bot = Path(shutil.copytree(made / "bot", tmp_path / "bot"))
    manifest = json.loads((bot / "bot.json").read_text())
    manifest["inputs"]["memory"] = ["n", 60_000]
    (bot / "bot.json").write_text(json.dumps(manifest))
    assert load_bot(bot).memory == 0


def test_a_graph_of_another_kind_is_refused(made, tmp_path):
    bot = Path(shutil.copytree(made / "bot", tmp_path / "bot"))
    manifest = json.loads((bot / "bot.json").read_text())
    del manifest["afterstates"]
    (bot / "bot.json").write_text(json.dumps(manifest))
    with pytest.raises(BotError, match="takes and gives"):
        load_bot(bot)


@pytest.mark.kernels
@LONG_IN_PLAIN
def test_the_digest_of_features_is_the_same_in_every_mode():
    assert features_digest(BANDIDO, TOLD) == "e82e41e3139317b8"
