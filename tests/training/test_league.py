"""Exploiters among the opponents, and in resumed runs."""

import json

import numpy as np
import pytest
import torch
from runs import check_refused, interrupt_at, last_checkpoint, tiny, tiny_toro, train_tiny
from torch.utils.tensorboard import SummaryWriter

from sobremesa.training import trainer
from sobremesa.training.algorithms import counterfactual, ppo_selfplay
from sobremesa.training.data.opponents import Snapshot
from sobremesa.training.league import first_rival
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.runs import run
from sobremesa.training.runs.evaluation import load_game, policy_parts

LEAGUE = {
    "league_every": 1_000, "league_steps": 512, "steps": 2_100, "setup": {"max_rounds": 1, "seats": [2, 3]},
    "opponents": {"snapshots": 1.0}, "evaluate_every": 10**6,
}  # fmt: skip

PARTS = ("policy", "value")


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    return train_tiny(tmp_path_factory.mktemp("league") / "run", **LEAGUE)


def test_exploiters_join_the_snapshots_and_what_they_win_is_kept(league):
    told = run.read(league)[1]["exploiters"]
    assert [(one["at"], one["seats"], one["steps"]) for one in told] == [
        (at, seats, 512) for at in (1024, 2048) for seats in (2, 3)
    ]
    assert all(one["low"] <= one["payoff"] <= one["high"] for one in told)
    pool = json.loads((league / "pool" / "pool.json").read_text())
    members = [Snapshot.read(one) for one in pool["members"] if one]
    assert [(one.steps, one.exploiter) for one in members] == [(1024, False), (1024, True), (2048, False), (2048, True)]
    assert len({(league / "pool" / one.file).read_bytes() for one in members}) == 4
    assert Snapshot.read(members[1].saved()) == members[1]
    assert not (league / "league").exists(), "nothing is left of their training"


def test_every_second_exploiter_continues_the_rival(tmp_path, monkeypatch):
    train, met = ppo_selfplay.train_exploiter, []

    def trained(training, begins):
        began = {name: one.clone() for name, one in begins.state_dict().items()}
        learnt = train(training, begins)
        met.append((began, learnt.state_dict()))
        return learnt

    monkeypatch.setattr(ppo_selfplay, "train_exploiter", trained)
    config = tiny(**LEAGUE | {"steps": 4_200, "advised_by": "simple", "hidden": [4]})
    trainer.train(config, tmp_path / "run")
    (first, _), (rival, left), (third, _), (again, learnt) = met
    turns = [one["rival"] for one in run.read(tmp_path / "run")[1]["exploiters"][::2]]
    assert turns == [False, True, False, True]
    assert _same(rival, first_rival(config, load_game(config), None).state_dict()), "it begins as who advises"
    assert _same(again, left), "and then from where it was left"
    for one, other in ((left, rival), (learnt, again), (third, first)):
        assert not _same(one, other)
    monkeypatch.setattr(ppo_selfplay, "train_exploiter", _until(3, train))
    trainer.train(config, tmp_path / "stopped")
    assert len(run.read(tmp_path / "stopped")[1]["exploiters"]) == 6, "stopped between two turns of the rival"
    monkeypatch.undo()
    trainer.resume(tmp_path / "stopped")
    assert last_checkpoint(tmp_path / "stopped").read_bytes() == last_checkpoint(tmp_path / "run").read_bytes()
    assert _pool(tmp_path / "stopped") == _pool(tmp_path / "run"), "the rival went on from where it was left"


def test_long_updates_train_one_exploiter_each(tmp_path):
    """A run that goes on does what is due once more, at the same steps."""
    config = tiny(**LEAGUE | {"league_every": 50, "league_steps": 64})
    training = ppo_selfplay.Training(config, tmp_path, None)
    training.writer, training._written = SummaryWriter(str(tmp_path)), 0.0
    for _ in range(3):
        training.update()
        training.run_scheduled_work()
        training.run_scheduled_work()
    told = training.ledger.record["exploiters"][::2]
    assert [one["rival"] for one in told] == [False, True, False]
    assert len({one["at"] for one in told}) == 3


def _until(turns, train):
    """Return `train` but for a run that is asked to stop at the turn after so many."""
    calls = []

    def trained(training, begins):
        calls.append(1)
        training.stopping = training.stopping or len(calls) > turns
        return train(training, begins)

    return trained


def _pool(folder):
    return {path.name: path.read_bytes() for path in (folder / "pool").glob("*.safetensors")}


def test_where_nobody_advises_the_rival_begins_as_the_learner():
    config = tiny(**LEAGUE)
    learner = PolicyNet(load_game(config), **policy_parts(config))
    assert _same(first_rival(config, load_game(config), learner).state_dict(), learner.state_dict())


def _same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_that_was_stopped_meets_the_same_exploiters(league, tmp_path):
    folder = train_tiny(tmp_path / "run", interrupt_at(3), **LEAGUE)
    assert run.read(folder)[1]["status"] == "interrupted"
    trainer.resume(folder)
    assert run.read(folder)[1]["exploiters"] == run.read(league)[1]["exploiters"]
    assert last_checkpoint(folder).read_bytes() == last_checkpoint(league).read_bytes()


def test_an_interrupted_exploiter_is_trained_after_a_resume(league, tmp_path, monkeypatch):
    monkeypatch.setattr(ppo_selfplay, "train_exploiter", _until(0, ppo_selfplay.train_exploiter))
    folder = train_tiny(tmp_path / "run", **LEAGUE)
    record = run.read(folder)[1]
    assert (record["status"], record["steps"], record.get("exploiters")) == ("interrupted", 1024, None)
    assert not (folder / "league").exists()
    monkeypatch.undo()
    trainer.resume(folder)
    assert run.read(folder)[1]["exploiters"] == run.read(league)[1]["exploiters"]
    assert last_checkpoint(folder).read_bytes() == last_checkpoint(league).read_bytes()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"opponents": {"self": 1.0}}, "unless `snapshots` are among the opponents"),
        ({"game": "bandido_alcatraz", "setup": {}}, "bandido_alcatraz is cooperative"),
    ],
)
def test_a_league_that_could_not_be_met_is_refused(changes, told, tmp_path):
    check_refused(tiny, {"league_every": 100, **changes}, told, tmp_path)


# By counterfactual rollouts


def test_counterfactual_exploiters_meet_only_the_learner(tmp_path):
    league = {"league_every": 200, "league_steps": 400, "snapshots": 3, "past": 0.75, "choice": "sample"}
    config = tiny_toro(steps=3_000, tables=8, evaluate_every=10**6, checkpoint_every=10**6, learn_after=1_000, **league)
    training, met = counterfactual.Training(config, tmp_path, None), []

    class Watched(counterfactual.Training):
        def update(self):
            if self is not training and not self.steps:
                same = [_same(getattr(self, one).state_dict(), getattr(training, one).state_dict()) for one in PARTS]
                alone = (self._seating() == 0).sum(1)
                met.append((same, alone.max(), (self.pool == training.player.numbers_of(training.policy)).all()))
            return super().update()

    training.__class__ = Watched
    training.writer = SummaryWriter(str(tmp_path))
    while not training.over:
        training.update()
        training.run_scheduled_work()
        training.run_scheduled_work()  # as a run that goes on does; no exploiter is met twice
    assert training.joined >= 3
    assert len(met) == len({one["at"] for one in training.ledger.record["exploiters"]})
    assert met[0] == ([True, True], 1, True)
    assert len(met) == training.joined
    told = training.ledger.record["exploiters"]
    assert len(told) == 2 * training.joined, "at two seats and at three"
    assert all(one["low"] <= one["payoff"] <= one["high"] for one in told)
    members = np.concatenate([training.pool[:1], training.pool[3:][: training.joined]])
    assert len(np.unique(members, axis=0)) == 1 + training.joined, "they have learnt, at first before the learner has"
    assert not (tmp_path / "league").exists()


def test_exploiters_are_met_beside_snapshots(tmp_path):
    config = tiny_toro(league_every=100, league_steps=2000, snapshots=4, tables=2000, past=1.0, setup={"seats": [2]})
    training = counterfactual.Training(config, tmp_path, None)
    for taken, joined, members in ((1, 0, {1}), (2, 1, {1, 2, 5}), (9, 2, {1, 2, 3, 4, 5, 6})):
        training.taken, training.joined = taken, joined
        others = training._seating()[:, :2].max(1)
        assert set(others.tolist()) == members
        assert np.bincount(others)[1] == pytest.approx(2000 / len(members), rel=0.2)
