"""Speed measurements of `sobremesa bench`, and the time to beat an agent."""

import dataclasses

import numpy as np
import pytest
import time_to_beat as beating
from kuhn import GAME as KUHN
from rooms import ALL, TORO
from runs import GAME, tiny

from sobremesa import cli, envs
from sobremesa.agents.arena.score import Score
from sobremesa.bench import fresh_process
from sobremesa.commands import bench as command


@pytest.fixture(autouse=True)
def kuhn(monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, "kuhn", KUHN)


def beat(monkeypatch, capsys, folder, *words, **keys):
    """Return the lines that measuring a tiny run in Kuhn poker against `random` prints, rows kept in `folder`."""
    config = tiny(setup={}, steps=1500, **keys)
    plain = dataclasses.asdict(config) | {"game": "kuhn", "algorithm": config.algorithm}
    monkeypatch.setattr(beating, "default_for", lambda game: plain)
    fixed = ("--agent", "random", "--every", "512", "--deals", "4", "--out", str(folder))
    beating.main(["kuhn", *fixed, *words])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("beats", [False, True])
def test_a_run_ends_when_its_agent_is_beaten_or_at_its_steps(beats, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Score, "beats", beats)
    *_, last, all_of_them = beat(monkeypatch, capsys, tmp_path, "--seeds", "3")
    assert last.startswith("seed 3: beaten after 512 " if beats else "seed 3: not beaten after 1,500 ")
    assert "CPU minutes" in last
    assert all_of_them.startswith("beaten by 1 of 1 seeds" if beats else "beaten by 0 of 1 seeds, in 0.")


def test_seeds_without_a_win_count_as_longer():
    found = [
        beating.Beaten("kuhn", "random", seed, seed != 1, 100 * seed, 60.0 * seed, [], 1, 0, "") for seed in (1, 2, 3)
    ]
    assert beating.summary(found) == (
        "beaten by 2 of 3 seeds; median 3.00 CPU minutes (2.00 to never), 300 decisions (200 to never)"
    )


def test_a_lead_must_hold_on_twice_as_many_new_deals(tmp_path, monkeypatch, capsys):
    met = []

    def evaluated(config, game, agent, teams=None, seed=0):
        met.append((config.evaluate_deals, seed))
        return evaluate(config, game, agent, teams, seed)

    leads = iter([True, False, False, True, True])  # no lead after the second look; one that holds after the third
    evaluate = beating.evaluate
    monkeypatch.setattr(beating, "evaluate", evaluated)
    monkeypatch.setattr(Score, "beats", property(lambda _: next(leads)))
    *_, last, _ = beat(monkeypatch, capsys, tmp_path, "--seeds", "3")
    assert last.startswith("seed 3: beaten after 1,500 ")
    (row,) = [beating._read(path) for path in tmp_path.glob("kuhn/*.json")]
    assert (row.looks, row.undone, row.scores[0].deals) == (3, 1, 8)
    assert [deals for deals, _ in met] == [4, 8, 4, 4, 8]
    seeds = [seed for deals, seed in met if deals == 8]
    assert seeds[0] != seeds[1]
    assert min(abs(seed - met[0][1]) for seed in seeds) >= 8


def test_a_stored_seed_is_reused_unless_damaged(tmp_path, monkeypatch, capsys):
    first = beat(monkeypatch, capsys, tmp_path, "--seeds", "3", "4")
    kept = {path: path.read_bytes() for path in tmp_path.glob("kuhn/*.json")}
    assert len(kept) == 2
    monkeypatch.setattr(beating, "time_to_beat", None)
    assert beat(monkeypatch, capsys, tmp_path, "--seeds", "3", "4") == first
    next(iter(kept)).write_bytes(b"{")
    with pytest.raises(TypeError):
        beat(monkeypatch, capsys, tmp_path, "--seeds", "3", "4")


@pytest.mark.parametrize("algorithm", ["ppo_selfplay", "maskable_ppo"])
def test_ctrl_c_stops_and_keeps_no_partial_row(algorithm, tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Score, "beats", False)
    monkeypatch.setattr(beating, "evaluate", interrupted)
    with pytest.raises(SystemExit) as stopped:
        beat(monkeypatch, capsys, tmp_path, "--seeds", "3", algorithm=algorithm)
    assert stopped.value.code == 130
    assert "repeat the command" in capsys.readouterr().out
    assert not list(tmp_path.glob("kuhn/*"))


def test_another_configuration_can_be_measured():
    config = beating.configure("erase_una_vez", "strong", 3, "erase_una_vez_advised", steps=5_000)
    assert (config.advised_by, config.seed, config.steps, config.threads) == ("strong", 3, 5_000, 1)
    assert config.evaluate_against == ["strong"]


@pytest.mark.parametrize(
    ("named", "why"),
    [("nothing.toml", "No such file or directory"), ("corre_el_encierro_champion", "a configuration of corre_el_enc")],
)
def test_an_unknown_or_foreign_configuration_is_refused(named, why, capsys):
    with pytest.raises(SystemExit):
        beating.main(["erase_una_vez", "--config", named])
    assert why in capsys.readouterr().err


def test_first_step_and_memory_are_measured():
    assert 0 < fresh_process.first_step(GAME) < 1000
    buffers, grown = fresh_process.memory(GAME, "uint8")
    assert buffers > fresh_process.MANY_TABLES * TORO.layout.width
    assert grown is None or grown > 0


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_65536_tables_take_less_than_a_gigabyte(game):
    tables = envs.make_vec(game.name, 64, copy=False, dtype="uint8")
    kept = [array for array in (*vars(tables).values(), *tables.reset()) if isinstance(array, np.ndarray)]
    assert sum(array.nbytes for array in kept) * fresh_process.MANY_TABLES // 64 < 10**9


def test_the_command_prints_rates_and_memory(monkeypatch, capsys):
    monkeypatch.setattr(fresh_process, "first_step", lambda game: 1.0)
    monkeypatch.setattr(fresh_process, "memory", lambda game, dtype: (7_000_000, None))
    for name in ("vector_burst", "game_burst"):
        monkeypatch.setattr(command, name, lambda *_: lambda: 1)
    assert cli.main(["bench", "kuhn", "--seconds", "0.001"]) == 0
    out = capsys.readouterr().out
    assert "vector, 4,096 tables, 1 thread, uint8" in out
    assert "7 MB  in buffers" in out
    assert "1.00 s  of processor time" in out
