"""Replays as single-seat episodes (tests/clients/with_minari.py loads them with Minari)."""

import dataclasses
import sys

import numpy as np
import pytest
from in_words import InWords

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import dataset, replay
from sobremesa.agents.arena.dataset import episodes, write_minari

LEDUC = envs.load("leduc_poker")


@pytest.fixture(scope="module")
def replays():
    seated = [agents.load(name, LEDUC) for name in ("strong", "simple")]
    return [replay.record(LEDUC, seated, seed) for seed in range(12)]


@pytest.mark.kernels
def test_an_episode_is_a_deal_as_one_seat_lives_it(replays):
    found, rows = episodes(replays, LEDUC), dataset.rows(replays)
    assert sum(len(one.actions) for one in found) == len(rows["action"])
    for one in found:
        mine = (rows["deal"] == one.deal) & (rows["seat"] == one.seat)
        assert one.agent == ("strong", "simple")[one.seat]
        assert (one.observations[:-1] == rows["observation"][mine]).all()
        assert (one.masks[:-1] == rows["mask"][mine]).all()
        assert (one.actions == rows["action"][mine]).all()
        assert not one.masks[-1].any()
        assert not one.rewards[:-1].any()
        assert one.rewards[-1] == np.float32(replays[one.deal].payoffs[one.seat])


@pytest.mark.kernels
def test_the_last_observation_is_of_the_end(replays):
    shown = [LEDUC.layout.split(one.observations)["shown"] for one in episodes(replays, LEDUC)]
    assert not any(part[:-1].any() for part in shown)
    assert any(part[-1].any() for part in shown)


def test_a_seat_that_is_never_asked_has_no_episode(replays):
    folded = [number for number, one in enumerate(replays) if len(one.actions) == 1]
    alone = {number for number, one in enumerate(replays)} - set(folded)
    seats = {(one.deal, one.seat) for one in episodes(replays, LEDUC)}
    assert seats == {(deal, 0) for deal in folded} | {(deal, seat) for deal in alone for seat in (0, 1)}


@pytest.mark.parametrize("dataset_id", ["/deals-v0", "../deals-v0", "deals", "deals.npz", "deals-v", "my deals-v0", ""])
def test_a_bad_dataset_id_is_refused_before_minari_runs(replays, dataset_id):
    with pytest.raises(ValueError, match="is not a dataset id; give one such as toro/strong-v0"):
        write_minari(dataset_id, replays)


def test_a_relative_folder_is_refused_before_minari_runs(replays, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", "my/sets")
    with pytest.raises(ValueError, match="MINARI_DATASETS_PATH is my/sets, where Minari cannot write; give an abs"):
        write_minari("leduc/strong-v0", replays)


def test_without_minari_the_extra_is_named(replays, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(ImportError, match="needs the 'minari' extra"):
        write_minari("leduc/strong-v0", replays)
    replay.write(tmp_path / "deal.json", replays[0])
    assert cli.main(["dataset", str(tmp_path / "deal.json"), "--format", "minari", "-o", "leduc/strong-v0"]) == 2
    assert "needs the 'minari' extra" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"actions": lambda one: (7, *one.actions[1:])}, "ply 0: action 7 is not allowed"),
        ({"actions": lambda one: one.actions[:-1]}, "the replay ends here, but the deal goes on"),
        ({"actions": lambda one: (*one.actions, 0)}, "the deal is over, but the replay has"),
        ({"digests": lambda one: (*one.digests[:-1], "0" * 8)}, "the end differs from the recorded one"),
        ({"version": lambda one: one.version + 1}, "made with another version of the game"),
    ],
)
def test_a_replay_that_does_not_fit_is_refused(replays, fields, told):
    bad = dataclasses.replace(replays[3], **{name: change(replays[3]) for name, change in fields.items()})
    with pytest.raises(replay.ReplayError, match=told):
        episodes([*replays[:3], bad], LEDUC)


def test_replays_of_several_setups_and_batches_are_episodes(monkeypatch):
    game = envs.load("ese_toro_enamorado")
    agent = agents.load("simple", game)
    mixed = [replay.record(game, [agent] * seats, seats, max_rounds=seats) for seats in (2, 3, 4)]
    found = episodes(mixed, game)
    monkeypatch.setattr(dataset, "TABLES", 1)
    again = episodes(mixed, game)
    assert [(one.deal, one.seat) for one in found] == [(one.deal, one.seat) for one in again]
    rows = dataset.rows(mixed)
    for one, other in zip(found, again, strict=True):
        mine = (rows["deal"] == one.deal) & (rows["seat"] == one.seat)
        assert (one.observations[:-1] == rows["observation"][mine]).all()
        assert (one.observations == other.observations).all()


def test_episodes_of_tales_in_own_words_have_their_sentences():
    game = envs.load("erase_una_vez")
    seated = [InWords(agents.load("simple", game), "es")] * 3
    told = replay.record(game, seated, 1, telling="words", max_sentences=20)
    assert told.sayings
    rows, found = dataset.rows([told]), episodes([told], game)
    assert sum(len(one.actions) for one in found) == len(rows["action"])
    for one in found:
        assert (one.observations[:-1] == rows["observation"][rows["seat"] == one.seat]).all()
