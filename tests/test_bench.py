"""The benchmark of training: what it measures, and that its parts add up. How fast anything is, no test says."""

import pytest
from kuhn import GAME as KUHN
from rooms import TORO
from runs import GAME, tiny

from sobremesa import agents, cli, envs
from sobremesa.bench import arena as bench_arena
from sobremesa.bench import fresh_process, peers
from sobremesa.bench import training as bench_training
from sobremesa.commands import bench as command
from sobremesa.envs.core.seeds import DEAL, seeds_of


@pytest.fixture(autouse=True)
def kuhn(monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, "kuhn", KUHN)


def test_parts_of_the_time_add_up(tmp_path):
    config = tiny(game="kuhn", setup={}, opponents={"self": 0.5, "snapshots": 0.3, "random": 0.2})
    bench = bench_training.Bench(config, tmp_path)
    before = bench.training.steps
    assert bench.rate() > 0
    assert bench.training.steps - before == bench_training.ROUND * config.tables * config.horizon
    parts = dict(bench.profile())
    assert sum(parts.values()) == pytest.approx(1)
    assert {"acting", "snapshots", "dealing", "learning", "all else"} <= set(parts)
    assert all(share >= 0 for share in parts.values())
    assert parts["snapshots"] > 0


def test_the_ceiling_is_of_the_same_networks_and_passes():
    assert bench_training.ceiling(tiny(game="kuhn", setup={}), KUHN)() > 0


def test_what_is_measured_is_what_the_game_is_trained_with_on_the_default_network():
    config = bench_training.configuration(GAME)
    assert (config.game, config.hidden, config.epochs, config.memory) == (GAME, [128, 128], 4, 0)
    others = bench_training.variants(TORO, config)
    assert [(other.memory > 0, bool(other.grids)) for other in others.values()] == [(True, False), (False, True)]
    assert len(bench_training.variants(KUHN, bench_training.configuration("kuhn"))) == 1  # it has no grids


def test_the_plain_loop_beside_the_arena_plays_the_same_deals():
    seeds = seeds_of(DEAL, peers.SEED, range(3)).tolist()
    rows = agents.play(TORO, [agents.load(name, TORO) for name in ("simple", "strong")], 3, seed=peers.SEED)
    choose = [bench_arena.unpacked(agents.load(name, TORO)) for name in ("simple", "strong")]
    env = envs.make(GAME, seats=2)
    paid = [bench_arena.play_by_loop(env, seed, seated) for seed in seeds for seated in (choose, choose[::-1])]
    assert paid == rows.payoffs.tolist()
    assert bench_arena.arena_rate(TORO, ("simple", "random"), 2) > 0
    assert bench_arena.loop_rate(TORO, ("simple", "random"), 1) > 0


def test_fresh_processes_measure_the_first_step_and_the_memory():
    assert 0 < fresh_process.first_step(GAME) < 1000
    buffers, grown = fresh_process.memory(GAME)
    assert buffers > fresh_process.MANY_TABLES * TORO.layout.size
    assert grown is None or grown > 0


def test_aims_are_told_of_the_game_they_were_set_for(monkeypatch, capsys):
    monkeypatch.setattr(fresh_process, "first_step", lambda game: 1.0)
    monkeypatch.setattr(fresh_process, "memory", lambda game: (7_000_000, None))
    for name in ("vector_burst", "game_burst"):
        monkeypatch.setattr(command, name, lambda *_: lambda: 1)
    for game, told in ((peers.AIMED_AT, True), ("kuhn", False)):
        assert cli.main(["bench", game, "--seconds", "0.001"]) == 0
        out = capsys.readouterr().out
        assert "7 MB  in buffers" in out
        assert "1.00 s  of processor time" in out
        assert ("(aim under 2 s)" in out) == ("(aim under 1,000 MB)" in out) == told
