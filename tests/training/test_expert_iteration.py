"""Expert iteration: what thinking finds, what the policy makes of it, and that a run is the same however it is made."""

import kuhn_tree
import numpy as np
import pytest
import torch
from kuhn import BET, PASS
from rooms import ALL, BANDIDO, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO
from runs import the_same_however

from sobremesa import agents, envs
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.training import trainer
from sobremesa.training.algorithms import expert_iteration
from sobremesa.training.algorithms.expert_iteration import Decided, draw, improved, promising, targets_of
from sobremesa.training.config.classes import ConfigError, from_dict
from sobremesa.training.data.lookahead import Thinker
from sobremesa.training.data.sample_buffer import Kept
from sobremesa.training.export import export
from sobremesa.training.networks.policy import Net, PolicyNet, load_weights
from sobremesa.training.runs import run
from sobremesa.training.runs.evaluation import policy_parts


def tiny(**changes):
    """Return a configuration of a run of a few updates."""
    values = {
        "game": KUHN.name, "algorithm": "expert_iteration", "steps": 600, "threads": 1, "tables": 64, "batch_size": 128,
        "epochs": 2, "hidden": [8], "share": 0.5, "worlds": 4, "window": 100, "evaluate_every": 300,
        "evaluate_deals": 3, "evaluate_against": ["random"], "checkpoint_every": 200,
    }  # fmt: skip
    return from_dict(values | changes)


PARTS = policy_parts(tiny())  # as in the runs: a graph of them is made once


@pytest.fixture(autouse=True)
def _kuhn(monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, KUHN.name, KUHN)


# What thinking finds


def some_networks(game, parts=PARTS):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return PolicyNet(game, **parts), Net(game, "value", **parts)


def thinker(game, ahead=0, redealt=True, workers=1, parts=PARTS):
    found = Thinker(game, parts, ahead, redealt, workers)
    found.take_over(*some_networks(game, parts))
    return found


def facing_a_bet(*decks):
    """Return tables of Kuhn poker where the first seat has bet, with these cards."""
    tables = VectorEnv(KUHN, len(decks), seed=0)
    tables.states["deck"] = decks
    tables.step(np.full(len(decks), BET))
    return tables.states.copy()


def test_a_king_that_calls_wins_two_chips_and_one_that_passes_loses_its_ante():
    paid = thinker(KUHN).payoffs(facing_a_bet([0, 2, 1]), np.array([5]), np.array([[BET, PASS, -1]]), 6)
    assert paid.shape == (1, 3, 6)
    assert (paid[0, 0] == 2 * -paid[0, 1]).all()
    assert (paid[0, 1] < 0).all()
    assert not paid[0, 2].any(), "no candidate, nothing written"


def test_in_redealt_worlds_what_a_seat_cannot_know_changes_nothing_and_in_the_true_one_it_does():
    """A queen facing a bet, whether the other holds jack or king; told the truth, the policy learns their mean."""
    states, seeds = facing_a_bet([0, 1, 2], [2, 1, 0]), np.array([9, 9])
    candidates = np.array([[BET, PASS]] * 2)
    jack, king = thinker(KUHN).payoffs(states, seeds, candidates, 12)
    assert np.array_equal(jack, king)
    assert len(set(jack[0])) == 2, "worlds differ"
    jack, king = thinker(KUHN, redealt=False).payoffs(states, seeds, candidates, 12)
    assert (jack[0] > 0).all()
    assert (king[0] < 0).all()


def test_where_thinking_ends_the_value_network_judges_the_seats_own_next_view():
    """The first seat passes; if the other bets it is asked again, and that is as far as it thinks."""
    tables = VectorEnv(KUHN, 1, seed=0)
    tables.states["deck"] = [[1, 2, 0]]
    found = thinker(KUHN, ahead=1, redealt=False)
    paid = found.payoffs(tables.states, np.array([4]), np.array([[PASS]]), 40)[0, 0]
    tables.step([PASS])
    seen = tables.step([BET])
    value = some_networks(KUHN)[1].run(expert_iteration.Views(torch.from_numpy(seen.observations)), torch.zeros(1, 0))[
        0
    ]
    judged = np.isclose(paid, float(value.detach()), atol=1e-5)
    assert judged.any()
    assert (paid[~judged] == thinker(KUHN).payoffs(facing_a_bet([0, 2, 1]), np.array([5]), np.array([[PASS]]), 1)).all()


@pytest.mark.thorough
def test_threads_share_the_decisions_and_find_the_same():
    tables = VectorEnv(TORO, 5, seed=3)
    for _ in range(9):
        seen = tables.step(tables.sample())
    candidates = np.array([np.resize(np.flatnonzero(mask), 3) for mask in seen.masks])
    found = [
        thinker(TORO, ahead=2, workers=workers).payoffs(tables.states, np.arange(5), candidates, 3)
        for workers in (1, 2, 7)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


# What the policy makes of it


def test_what_gains_becomes_likelier_and_what_is_no_candidate_stays_as_likely():
    policy = np.array([[0.5, 0.25, 0.25, 0.0]], np.float32)
    paid = np.array([[[1.0, 1.0], [0.0, 0.0]]], np.float32)
    better = improved(policy, np.array([[1, 0]]), paid, 0.5, 0.0)
    odds = np.array([0.5, 0.25 * np.exp(2)]) * 0.75 / (0.5 + 0.25 * np.exp(2))
    assert better[0] == pytest.approx([odds[0], odds[1], 0.25, 0], abs=1e-6)


def test_what_may_be_luck_is_brought_nearer_to_nothing():
    policy = np.array([[0.5, 0.5]], np.float32)
    noisy = np.array([[[1.0, -0.9, 1.1, -0.8], [0.0, 0.0, 0.0, 0.0]]], np.float32)
    candidates = np.array([[0, 1]])
    assert improved(policy, candidates, noisy, 0.1, 2.0)[0] == pytest.approx([0.5, 0.5])
    assert improved(policy, candidates, noisy, 0.1, 0.0)[0, 0] > 0.6
    steady = noisy + np.array([[[9.0], [0.0]]], np.float32)
    assert improved(policy, candidates, steady, 0.1, 2.0)[0, 0] > 0.99


def test_candidates_are_allowed_and_no_more_than_asked_for():
    policy = np.array([[0.0, 0.5, 0.0, 0.3, 0.2], [0.0, 0.0, 0.0, 0.6, 0.4]], np.float32)
    found = promising(policy, 2, np.random.default_rng(0))
    assert found.shape == (2, 2)
    assert set(found[1]) == {3, 4}
    whole = promising(policy, 9, np.random.default_rng(0))
    assert sorted(whole[0]) == [1, 3, 4]
    assert sorted(whole[1]) == [-1, 3, 4]
    assert set(draw(policy.repeat(200, 0), np.random.default_rng(0))) == {1, 3, 4}


def test_values_are_fitted_to_payoffs_and_to_what_came_next_as_lambda_mixes_them():
    decided = Decided(
        table=np.array([0, 0, 0, 1]), seat=np.array([0, 1, 0, 0]), codes=np.zeros((4, 1), np.uint8),
        value=np.array([0.9, 0.1, 0.5, 0.7], np.float32),
    )  # fmt: skip
    payoffs = np.array([[1, -1], [-1, 1]], np.float32)
    assert targets_of(decided, payoffs, 0.8) == pytest.approx([0.2 * 0.5 + 0.8 * 1, -1, 1, -1])


def test_the_latest_lessons_are_kept():
    kept = Kept(5, codes=np.zeros((0, 1), np.uint8), better=np.zeros((0, 2), np.float32))
    for first in (0, 3, 6):
        numbers = np.arange(first, first + 3, dtype=np.uint8)
        kept.add(codes=numbers[:, None], better=np.stack([numbers, -1.0 * numbers], 1))
    assert (kept.count, kept.added) == (5, 9)
    codes, better = kept.take(np.arange(5))
    assert sorted(codes[:, 0]) == [4, 5, 6, 7, 8]
    assert (better[:, 0] == codes[:, 0]).all()
    assert (better.dtype, better.shape) == (np.float32, (5, 2))


# Runs


@pytest.mark.parametrize("belief", ["truth", pytest.param("redeal", marks=pytest.mark.thorough)])
def test_a_run_is_the_same_for_any_number_of_threads_and_wherever_it_was_stopped(belief, tmp_path):
    record = the_same_however(lambda **changes: tiny(belief=belief, **changes), tmp_path)
    assert 500 < record["steps"] <= 600


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"start": "strong", "game": TORO.name},
            "start='strong' is not allowed; it takes a bot of a network like this",
        ),
        ({"start": "nobody"}, "start: no agent 'nobody'"),
        ({"grids": ["sky"]}, "grids: no block 'sky'"),
        ({"belief": "hope"}, "belief='hope' is not allowed"),
        ({"gamma": 0.9}, "gamma=0.9 is not allowed with algorithm='expert_iteration'"),
        ({"setup": {"seats": 9}}, "setup: "),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_written(changes, told, tmp_path):
    with pytest.raises(ConfigError) as error:
        trainer.train(tiny(**changes), tmp_path / "run")
    assert told in str(error.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
def test_it_can_begin_as_a_bot_that_another_algorithm_made(tmp_path):
    plain = {"game": TORO.name, "setup": {"max_rounds": 2}, "evaluate_against": ["random"], "evaluate_deals": 2}
    small = {"steps": 512, "tables": 16, "horizon": 16, "hidden": [8], "threads": 1}
    trainer.train(from_dict(plain | small), tmp_path / "ppo")
    export(tmp_path / "ppo", tmp_path / "bot", "last")
    config = tiny(**plain, start=str(tmp_path / "bot"))
    training = expert_iteration.Training(config, tmp_path / "run", None)
    net = PolicyNet(TORO, **policy_parts(config))
    load_weights(tmp_path / "ppo" / "last.safetensors", net)
    for name, weight in net.state_dict().items():
        assert torch.equal(training.policy.state_dict()[name], weight), name
    with pytest.raises(ConfigError, match="takes a bot of a network like this"):
        expert_iteration.Training(tiny(**plain, start=str(tmp_path / "bot"), hidden=[9]), tmp_path / "run", None)


@pytest.mark.thorough
def test_a_teacher_plays_deals_at_first_and_its_choices_are_what_is_learnt(tmp_path):
    config = tiny(game=TORO.name, setup={"max_rounds": 2}, teacher="simple", tables=8, think_after=10**6)
    training = expert_iteration.Training(config, tmp_path / "run", None)
    _, lessons, _, lengths = training._play()
    assert 0 < len(lessons.table) <= lengths.sum()
    assert ((lessons.better == 0) | (lessons.better == 1)).all()
    assert (lessons.better.sum(1) == 1).all()


MANY = [
    (TORO, {"setup": {"seats": [2, 3, 4, 2], "max_rounds": 2}}),
    (ENCIERRO, {"setup": {"seats": [2, 3, 4, 5]}}),
    (ESTAFADO, {"grids": ["floor"], "channels": 2, "roles": "question", "apart": [11, 13]}),
    (ERASE, {"pointers": True, "setup": {"seats": [2, 6, 3, 4], "max_sentences": 10}}),
    (BANDIDO, {"pointers": True, "setup": {"seats": [1, 2, 3, 4]}}),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "changes"), MANY, ids=[game.name for game, _ in MANY])
def test_it_trains_in_every_game_at_tables_of_all_sizes_and_the_bot_plays(game, changes, tmp_path):
    assert {one.name for one, _ in MANY} <= {one.name for one in ALL}
    config = tiny(game=game.name, tables=4, worlds=2, share=0.1, steps=10**6, **changes)
    training = expert_iteration.Training(config, tmp_path / "run", None)
    before = [weight.clone() for weight in training.weights]
    told = training.update()
    assert told["lessons/new"] > 0
    assert all(np.isfinite(one) for one in told.values())
    assert sum(not torch.equal(one, other) for one, other in zip(before, training.weights, strict=True)) > 5
    run.create(tmp_path / "run", config)
    training.write_checkpoint()
    training.ledger.save("interrupted", training.steps, training.policy)
    export(tmp_path / "run", tmp_path / "bot", "last")
    assert agents.load(str(tmp_path / "bot"), game).manifest["inputs"]["observation"] == ["n", game.layout.size]


@pytest.mark.thorough
def test_poker_is_played_near_equilibrium_where_worlds_are_as_likely_as_play_makes_them(tmp_path):
    """In worlds redealt without a thought of how others play, a queen cannot tell what a bet says."""
    tree = kuhn_tree.whole()
    found = {}
    for belief in ("truth", "redeal"):
        config = tiny(
            belief=belief, tables=256, hidden=[32], learning_rate=3e-3, steps=200_000, batch_size=256, tau=0.5,
            worlds=8, window=2048,
        )  # fmt: skip
        training = expert_iteration.Training(config, tmp_path / belief, None)
        for _ in range(100):
            training.update()
        found[belief] = kuhn_tree.exploitability(tree, kuhn_tree.bets_of(training.policy, tree))
    assert found["truth"] < 0.1, found  # chips; 0.458 for play at random
    assert found["redeal"] > found["truth"] + 0.05, found
