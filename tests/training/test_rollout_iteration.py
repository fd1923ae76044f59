"""Rollout iteration: samples, thresholds, and reproducible runs."""

import re
import shutil

import numpy as np
import pytest
import torch
from kuhn import BET, PASS
from rooms import ALL, BANDIDO, ENCIERRO, ERASE, ESTAFADO, TORO
from runs import check_refused, learned_bot, the_same_however
from safetensors.torch import load

from sobremesa import envs
from sobremesa.agents.exported import AdvisedBot
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.table import table_kernels
from sobremesa.training import trainer
from sobremesa.training.algorithms import rollout_iteration
from sobremesa.training.algorithms.override_threshold import NEVER, THRESHOLDS, override_thresholds
from sobremesa.training.algorithms.rollout_iteration import NOBODY, Training
from sobremesa.training.bots import export
from sobremesa.training.config.classes import ConfigError, from_dict
from sobremesa.training.runs import run

CALLER = "simple"  # bets with a king alone; calls with a queen


def tiny(**changes):
    """Return a configuration of a run of a few updates."""
    values = {
        "game": "kuhn_poker", "algorithm": "rollout_iteration", "advised_by": CALLER, "kinds": "last", "steps": 600,
        "threads": 1, "tables": 64, "batch_size": 128, "epochs": 2, "hidden": [8], "share": 0.5, "worlds": 4,
        "window": 500,
        "evaluate_every": 300, "evaluate_deals": 3, "evaluate_against": ["random"], "checkpoint_every": 200,
    }  # fmt: skip
    return from_dict(values | changes)


def after_a_pass(*decks):
    """Return tables of Kuhn poker where the first seat has passed, with these cards."""
    tables = VectorEnv(envs.load("kuhn_poker"), len(decks), seed=0)
    tables.states["deck"] = decks
    tables.step(np.full(len(decks), PASS))
    return tables.states.copy()


def thought(folder, states, candidates, **changes):
    training = Training(tiny(belief="redeal", **changes), folder, None)
    return training.gains(states, states["seat"], np.array(candidates), np.arange(len(states)))


# What rollouts find


def test_what_a_bet_gains_is_what_the_cards_say(tmp_path):
    """After a pass: a jack loses a chip more to either call; a queen is even with the jack's fold; a king is called."""
    states = after_a_pass([2, 0, 1], [0, 1, 2], [0, 2, 1])
    gains = thought(tmp_path, states, [[PASS, BET]] * 3, worlds=2_000)
    assert gains[:, 0].tolist() == [0, 0, 0]
    assert gains[:, 1] == pytest.approx([-0.5, -0.25, 0.25], abs=0.03)


def test_determinizations_hide_the_true_cards(tmp_path):
    one, other = after_a_pass([2, 1, 0]), after_a_pass([0, 1, 2])
    many = [[BET, PASS, NOBODY]]
    assert thought(tmp_path, one, many).tobytes() == thought(tmp_path, other, many).tobytes()
    assert thought(tmp_path, one, many)[0, 2] == 0


def test_rollouts_of_the_truth_use_the_true_cards(tmp_path):
    """A queen's bet loses two to the king, who calls, and wins one from the jack, who folds; a pass wins one."""
    training = Training(tiny(worlds=3), tmp_path, None)
    states = after_a_pass([2, 1, 0], [0, 1, 2])
    gains = training.gains(states, states["seat"], np.array([[PASS, BET]] * 2), np.arange(2))
    assert gains[:, 1].tolist() == [-0.5, 0]


def test_threads_and_neighbours_change_no_number(tmp_path):
    states = after_a_pass(*[[2, 1, 0], [0, 1, 2], [1, 2, 0]] * 4)
    found = thought(tmp_path, states, [[PASS, BET]] * 12)
    assert thought(tmp_path, states, [[PASS, BET]] * 12, workers=3).tobytes() == found.tobytes()
    assert thought(tmp_path, states[:1], [[PASS, BET]]).tobytes() == found[:1].tobytes()


# Doubts


def test_a_threshold_maximizes_the_held_out_gain():
    """Kind 0: what is hoped for comes; 1: only hopes above 0.05 do; 2: none does; 3: too few samples to tell."""
    hoped = np.array([0.02, 0.06] * 1000)
    thought = np.stack([np.zeros(2000), hoped, np.full(2000, -NEVER)], 1)
    brought = {0: [0.5, 0.5], 1: [-1, 0.5], 2: [-0.1, -0.1], 3: [1, 1]}
    gains = np.concatenate([np.resize(brought[kind], 2000) for kind in range(4)])
    gains = np.stack([np.zeros(8000), gains, np.full(8000, 9)], 1)
    kinds = np.repeat(np.arange(4), 2000)
    there = (kinds < 3) | (np.arange(8000) % 100 == 0)  # twenty samples of kind 3
    found = override_thresholds(np.tile(thought, (4, 1))[there], gains[there], kinds[there], 5, 2.0)
    assert found.tolist() == pytest.approx([THRESHOLDS[0], 0.02, NEVER, NEVER, NEVER])


@pytest.mark.parametrize(("surely", "doubt"), [(2.0, NEVER), (0.5, THRESHOLDS[0]), (0.0, THRESHOLDS[0])])
def test_the_policy_may_go_by_what_is_likely_but_not_sure(surely, doubt):
    """A gain of 0.02 in 1,000 samples whose standard error is 0.03."""
    thought = np.tile(np.float32([0, 0.3]), (1000, 1))
    gains = np.stack([np.zeros(1000), np.where(np.arange(1000) < 510, 1.0, -1.0)], 1)
    assert override_thresholds(thought, gains, np.zeros(1000, int), 1, surely).tolist() == pytest.approx([doubt])


def test_the_policy_overrides_above_its_threshold(tmp_path):
    training = Training(tiny(), tmp_path, None)
    states = after_a_pass([2, 0, 1])
    view = np.zeros((1, training.game.layout.size), np.float32)
    table_kernels(training.game).observe(states, int(states["seat"][0]), view[0])
    told = training.advisor.advise(view, np.ones((1, 2), np.int8))
    kind, advised = training.kinds(view)[0], told[0, -2:].argmax()
    with torch.inference_mode():
        sure = training.net.value(told)[0]
        training.set_thresholds(np.where(np.arange(training.count) == kind, 0.25, 0.0))
        free = training.net.value(told)[0]
    assert (sure - free)[advised] == pytest.approx(NEVER - 0.25)
    assert (sure - free)[1 - advised] == 0


# What is learnt of it


def test_it_starts_as_its_advisor(tmp_path):
    config = tiny(game=TORO.name, setup={"max_rounds": 2}, advised_by="strong", kinds="")
    training = Training(config, tmp_path, None)
    seen = training.tables.reset(3)
    rows = np.arange(64)
    played, sampled = training._decide(rows, seen, np.zeros((64, TORO.max_seats), bool))
    told = training.advisor.advise(TORO.layout.decode(seen.observations), seen.masks)
    advised = told[:, -TORO.num_actions :].argmax(1)
    assert (played == advised).mean() > 0.9  # `explore` apart
    assert (sampled.candidates[:, 0] == advised[sampled.table]).all()
    for row, candidates in zip(sampled.table, sampled.candidates, strict=True):
        there = candidates[candidates != NOBODY]
        assert len(set(there)) == len(there) == min(seen.masks[row].sum(), 12)
        assert seen.masks[row, there].all()


def test_each_kind_is_sampled_by_its_share(tmp_path):
    """Of no other kinds any; every decision here has two actions to think about."""
    training = Training(tiny(shares={"0": 0.25, "2": 1.0}, tables=2000), tmp_path, None)
    observe, seen = training.game.layout.decode, training.tables.reset(3)
    thought, asked = np.zeros(3), np.zeros(3)
    for _ in range(3):
        rows, following = np.arange(2000), np.zeros((2000, training.game.max_seats), bool)
        played, sampled = training._decide(rows, seen, following)
        for counts, codes in ((asked, seen.observations), (thought, sampled.codes)):
            counts += np.bincount(training.kinds(observe(codes)), minlength=3)
        seen = training.tables.step(played)
    assert asked.min() > 500
    assert thought / asked == pytest.approx([0.25, 0, 1], abs=0.04)
    assert (thought / asked)[1:].tolist() == [0, 1]


def test_the_network_comes_to_the_gains_that_it_is_shown(tmp_path):
    config = tiny(
        steps=10**6, hidden=[32], learning_rate=1e-2, window=2048, share=1.0, worlds=16, explore=0.3, belief="redeal"
    )
    training = Training(config, tmp_path, None)
    for _ in range(25):
        training.update()
    states = after_a_pass([2, 0, 1], [0, 1, 2], [0, 2, 1])
    views = np.zeros((3, training.game.layout.size), np.float32)
    for number in range(3):
        seat = int(states["seat"][number])
        table_kernels(training.game).observe(states[number : number + 1], seat, views[number])
    told = training.advisor.advise(views, np.ones((3, 2), np.int8))
    training.set_thresholds(np.zeros(training.count))
    with torch.inference_mode():
        logits = training.net.value(told).numpy()
    assert logits[:, BET] - logits[:, PASS] == pytest.approx([-0.5, -0.25, 0.25], abs=0.1)


def test_views_are_turned_where_all_tables_allow_it(tmp_path):
    for board, turned in (("standard", TORO.symmetries), ("small", ()), (["standard", "small"], ())):
        config = tiny(game=TORO.name, advised_by="strong", kinds="stage", tables=4, setup={"board": board})
        assert len(Training(config, tmp_path, None).symmetries) == len(turned)


def test_views_are_turned_with_their_actions(tmp_path, monkeypatch):
    """With one symmetry drawn for all, a network sees all turned, and is asked for turned actions."""
    config = tiny(game=ESTAFADO.name, advised_by="strong", tables=4, grids=["cells"], channels=2, kinds="question")
    training = Training(config, tmp_path, None)
    training.update()
    codes, candidates, _ = training.kept.take(np.arange(10))
    seen = []
    monkeypatch.setattr(
        training.net, "value", lambda told: seen.append(told) or torch.zeros(len(told), ESTAFADO.num_actions)
    )
    for number, symmetry in enumerate(ESTAFADO.symmetries, 1):
        monkeypatch.setattr(training, "rng", np.random.default_rng(0))
        monkeypatch.setattr(training, "symmetries", (symmetry,) * 50)  # next to always turned
        training.gain_estimates(codes, candidates, turned=True)
        advised = seen[-1][:, ESTAFADO.layout.size :].argmax(1)
        whole = (seen[-1][:, : ESTAFADO.layout.size] == ESTAFADO.layout.decode(codes)[:, symmetry.seen]).all(1)
        assert whole.sum() >= 8, number
        assert (advised == symmetry.actions[candidates[:, 0]])[whole].all()


# Runs


@pytest.mark.parametrize("kinds", [{}, {"roles": "last", "apart": [0], "shares": {"0": 1.0}}])
def test_a_run_is_the_same_for_any_threads_and_interrupts(kinds, tmp_path, monkeypatch):
    """Doubts follow from the samples of the moment, fewer are kept than there are, and networks may never be moved."""
    monkeypatch.setattr(rollout_iteration, "ENOUGH", 20)
    monkeypatch.setattr(
        rollout_iteration,
        "override_thresholds",
        lambda hoped, brought, kinds, count, surely: np.full(count, brought.std() / 10),
    )
    record = the_same_however(lambda **changes: tiny(window=100, **kinds, **changes), tmp_path)
    assert 450 < record["steps"] <= 600


def test_an_interrupted_run_saves_fitted_thresholds(tmp_path, monkeypatch):
    """Doubts are found for what is saved, though nothing was measured; the checkpoint goes on without them."""
    monkeypatch.setattr(
        rollout_iteration, "override_thresholds", lambda hoped, *_: np.full(3, 0.25 if len(hoped) > 5 else NEVER)
    )

    def stop(*_):
        raise KeyboardInterrupt

    record = trainer.train(tiny(evaluate_every=600), tmp_path / "run", stop)
    assert (record["status"], record["evaluations"]) == ("interrupted", [])
    saved = load((tmp_path / "run" / "last.safetensors").read_bytes())
    assert saved["trunks.0.doubt"].tolist() == [[0.25] * 3]
    latest = sorted((tmp_path / "run" / "checkpoints").glob("*.safetensors"))[-1]
    assert load(latest.read_bytes())["net.trunks.0.doubt"].tolist() == [[NEVER] * 3]


@pytest.mark.parametrize(
    ("apart", "networks", "learns"), [([], "012", 0), ([0], "01", 1), ([2, 0], "012", 2), ([1, 2], "012", 0)]
)
def test_each_role_starts_from_a_bot_for_all_roles(apart, networks, learns, tmp_path, monkeypatch):
    """With roles apart, the network of all others is the first, and theirs follow in their order."""
    monkeypatch.setattr(rollout_iteration, "override_thresholds", lambda *_: np.full(3, 0.25, np.float32))
    trainer.train(tiny(), tmp_path / "first")
    export(tmp_path / "first", tmp_path / "bot", "last")
    changes = {"start": str(tmp_path / "bot"), "roles": "last", "apart": apart, "shares": {"0": 1.0}}
    training = Training(tiny(**changes), tmp_path / "run", None)
    begun = {name: weight.clone() for name, weight in training.net.state_dict().items()}
    for name, weight in load((tmp_path / "first" / "last.safetensors").read_bytes()).items():
        for number in networks:
            assert torch.equal(weight, begun[name.replace(".0.", f".{number}.", 1)])
    assert len(training.trunks) == len(networks)
    assert training.thresholds.tolist() == [0.25] * 3
    monkeypatch.setattr(rollout_iteration, "override_thresholds", lambda *_: np.full(3, 0.5, np.float32))
    training.update()
    training.finalize_weights()
    assert training.thresholds.tolist() == [0.5, 0.25, 0.25]
    same = {name for name, weight in training.net.state_dict().items() if torch.equal(weight, begun[name])}
    assert same == {name for name in begun if not name.startswith(f"trunks.{learns}.") and not name.endswith(".doubt")}
    shutil.rmtree(tmp_path / "bot")  # a run goes on without it
    assert Training(tiny(**changes), tmp_path / "run", None, run.new_record()).thresholds.tolist() == [NEVER] * 3


def test_given_thresholds_take_the_place_of_fitted_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(rollout_iteration, "override_thresholds", lambda *_: np.full(3, 0.25, np.float32))
    trainer.train(tiny(thresholds={"1": 0.4}), tmp_path / "first")
    export(tmp_path / "first", tmp_path / "bot", "last")
    saved = load((tmp_path / "first" / "last.safetensors").read_bytes())
    assert saved["trunks.0.doubt"].numpy() == pytest.approx(np.array([[0.25, 0.4, 0.25]]))
    changes = {"start": str(tmp_path / "bot"), "shares": {"2": 1.0}, "thresholds": {"2": 0.0}, "steps": 1, "tables": 1}
    trainer.train(tiny(**changes), tmp_path / "run")
    begun = load((tmp_path / "run" / "last.safetensors").read_bytes())
    assert begun.pop("trunks.0.doubt").numpy() == pytest.approx(np.array([[0.25, 0.4, 0.0]]))
    assert all(torch.equal(weight, saved[name]) for name, weight in begun.items())  # no deal fits into one step


@pytest.mark.parametrize(
    ("its", "ours", "begins"),
    [([0], [2, 0], "001"), ([2, 1], [1, 2], "021"), ([0], [0], "01"), ([1], [2, 1, 0], "0010")],
)
def test_more_roles_apart_start_from_a_bot_with_some(its, ours, begins, tmp_path):
    """The network of each role begins as the bot's network of that role."""
    trainer.train(tiny(roles="last", apart=its), tmp_path / "first")
    export(tmp_path / "first", tmp_path / "bot", "last")
    changes = {"start": str(tmp_path / "bot"), "roles": "last", "apart": ours, "shares": {"0": 1.0}}
    begun = Training(tiny(**changes), tmp_path / "run", None).net.state_dict()
    saved = load((tmp_path / "first" / "last.safetensors").read_bytes())
    for ours_number, its_number in enumerate(begins):
        weights = {name for name in saved if name.startswith(f"trunks.{its_number}.")}
        assert weights
        for name in weights:
            assert torch.equal(saved[name], begun[name.replace(f".{its_number}.", f".{ours_number}.", 1)])


def test_a_bot_with_more_roles_apart_starts_no_run(tmp_path):
    trainer.train(tiny(roles="last", apart=[0, 1]), tmp_path / "first")
    export(tmp_path / "first", tmp_path / "bot", "last")
    with pytest.raises(ConfigError, match="its weights give other logits"):
        Training(tiny(start=str(tmp_path / "bot"), roles="last", apart=[0]), tmp_path / "run", None)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"advised_by": ""}, "advised_by='' is not allowed; it takes a scripted agent of the game"),
        ({"advised_by": "trained"}, "cannot advise; a scripted agent of kuhn_poker can"),
        ({"start": "trained"}, "start: no agent 'trained'"),
        ({"apart": [0]}, "apart=[0] is not allowed; it takes none without `roles`"),
        ({"apart": [0, 3], "roles": "last"}, "apart=[0, 3] is not allowed; it takes different numbers from 0 to 2"),
        ({"apart": [1, 1], "roles": "last"}, "apart=[1, 1] is not allowed; it takes different numbers from 0 to 2"),
        ({"apart": [-1], "roles": "last"}, "apart=[-1] is not allowed: Expected `int` >= 0"),
        ({"start": "simple"}, "start='simple' is not allowed; it takes a bot with the same network"),
        ({"grids": ["sky"]}, "grids: no block 'sky'"),
        ({"kinds": "sort"}, "kinds: no block 'sort'; this layout has "),
        ({"kinds": "shown"}, "kinds='shown' is not allowed; it takes a block with one 1 and 0 elsewhere"),
        (
            {"shares": {"3": 0.5}},
            "shares={'3': 0.5} is not allowed; it takes kinds from 0 to 2, each with a part above 0",
        ),
        ({"shares": {"bet": 0.5}}, "shares={'bet': 0.5} is not allowed"),
        ({"thresholds": {"3": 0.5}}, "thresholds={'3': 0.5} is not allowed; it takes kinds from 0 to 2"),
        ({"thresholds": {"0": -0.5}}, "thresholds.0=-0.5 is not allowed"),
        ({"shares": {"1": 0.5}, "kinds": ""}, "kinds from 0 to 0"),
        ({"shares": {"0": 1.5}}, "shares.0=1.5 is not allowed"),
        ({"window": 499}, "window=499 is not allowed; it takes 500 or more"),
        ({"clip": 0.2}, "clip=0.2 is not allowed with algorithm='rollout_iteration'"),
        ({"setup": {"seats": 9}}, "setup: "),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_written(changes, told, tmp_path):
    check_refused(tiny, changes, re.escape(told), tmp_path)


MANY = [
    (TORO, {"setup": {"seats": [2, 3, 4, 2], "max_rounds": 2}}),
    (ENCIERRO, {"setup": {"seats": [2, 3, 4, 5]}}),
    (ESTAFADO, {"grids": ["floor", "cells"], "channels": 2, "pointers": True, "kinds": "question"}),
    (ERASE, {"pointers": True, "setup": {"seats": [2, 6, 3, 4], "max_sentences": 10}}),
    (BANDIDO, {"pointers": True, "setup": {"seats": [1, 2, 3, 4]}}),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "changes"), MANY, ids=[game.name for game, _ in MANY])
def test_it_trains_in_every_game_and_the_bot_plays(game, changes, tmp_path):
    assert {one.name for one, _ in MANY} <= {one.name for one in ALL}
    config = tiny(
        game=game.name, advised_by="strong", tables=4, worlds=2, share=0.1, steps=10**6, **({"kinds": ""} | changes)
    )
    bot = learned_bot(Training(config, tmp_path / "run", None), tmp_path)
    assert isinstance(bot, AdvisedBot)
    assert bot.manifest["choice"] == "greedy"
