"""The benchmark of training: what it measures, and that its parts add up. How fast anything is, no test says."""

import dataclasses
import re

import numpy as np
import pytest
from kuhn import GAME as KUHN
from rooms import ALL, TORO
from runs import GAME, tiny

from sobremesa import agents, cli, envs
from sobremesa.agents.arena.score import Score
from sobremesa.bench import arena as bench_arena
from sobremesa.bench import beating, fresh_process, limit, peers, tutorials
from sobremesa.bench import search as bench_search
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


@pytest.mark.thorough
def test_algorithms_are_measured_as_the_benchmark_has_them(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_training, "LONG_ROUND", 300)
    measures = bench_training.algorithms("kuhn", tmp_path)
    assert {"ppo_selfplay", "dmc", "dqn", "nfsp"} <= set(measures)
    assert not {"maskable_ppo", "afterstates"} & set(measures)  # has a loop of its own; is for another game
    assert measures["dmc"]() > 0
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("game", ["kuhn", "bandido_alcatraz"])  # against each other, and all together
def test_an_algorithm_trains_for_an_update_and_tells_its_decisions(game, tmp_path):
    burst = tutorials.ours(game, "ppo_selfplay", tmp_path)
    assert burst() == 64 * 32  # of the benchmark's configuration
    told = []
    assert tutorials.warmed(lambda: told.append(1) or 300, 1_000) is not None
    assert len(told) == 4
    assert tutorials.rate(lambda: burst() + 10**9, 0.0, repeats=True) > 10**7
    assert not any(tmp_path.iterdir())


def test_tutorials_are_told_beside_ours_and_libraries_that_are_not_there(monkeypatch, capsys):
    def absent():
        raise ImportError("No module named 'cards'")

    made = tutorials.Tutorial("Theirs", "dqn", lambda: lambda: 500), tutorials.Tutorial("Absent", "nfsp", absent)
    monkeypatch.setattr(tutorials, "TUTORIALS", made)
    monkeypatch.setattr(tutorials, "ours", lambda game, name, folder: lambda: 1_000)
    monkeypatch.setattr(tutorials, "rate", lambda burst, seconds, repeats: burst() / seconds)
    assert tutorials.main(["kuhn", "leduc_poker", "--seconds", "2"]) == 1
    head, *rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert head == "| tutorial | decisions/s | ours | `kuhn` | ratio | `leduc_poker` | ratio |"
    assert rows[0] == "| Theirs | 250 | `dqn` | 500 | 2.0 | 500 | 2.0 |"
    assert rows[1] == "| Absent | not installed: No module named 'cards' |"
    with pytest.raises(SystemExit):
        tutorials.main(["chess"])
    assert "chess" in capsys.readouterr().err


def beat(monkeypatch, capsys, folder, *words, **keys):
    """Return the lines that measuring a tiny run in Kuhn poker against `random` prints, rows kept in `folder`."""
    config = tiny(setup={}, steps=1500, **keys)
    plain = dataclasses.asdict(config) | {"game": "kuhn", "algorithm": config.algorithm}
    monkeypatch.setattr(beating, "default_for", lambda game: plain)
    fixed = ("--agent", "random", "--every", "512", "--deals", "4", "--out", str(folder))
    beating.main(["kuhn", *fixed, *words])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("beats", [False, True])
def test_a_run_ends_when_its_agent_is_beaten_and_else_with_its_decisions(beats, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Score, "beats", beats)
    *_, last, all_of_them = beat(monkeypatch, capsys, tmp_path, "--seeds", "3")
    assert last.startswith("seed 3: beaten after 512 " if beats else "seed 3: not beaten after 1,500 ")
    assert "CPU minutes" in last
    assert all_of_them.startswith("beaten by 1 of 1 seeds" if beats else "beaten by 0 of 1 seeds, in 0.")


def test_seeds_that_never_came_there_took_longer():
    found = [
        beating.Beaten("kuhn", "random", seed, seed != 1, 100 * seed, 60.0 * seed, [], 1, 0, "") for seed in (1, 2, 3)
    ]
    assert beating.summary(found) == (
        "beaten by 2 of 3 seeds; median 3.00 CPU minutes (2.00 to never), 300 decisions (200 to never)"
    )


def test_a_lead_must_hold_on_twice_as_many_other_deals(tmp_path, monkeypatch, capsys):
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


def test_a_seed_that_was_measured_is_not_measured_again_and_a_damaged_row_is(tmp_path, monkeypatch, capsys):
    first = beat(monkeypatch, capsys, tmp_path, "--seeds", "3", "4")
    kept = {path: path.read_bytes() for path in tmp_path.glob("kuhn/*.json")}
    assert len(kept) == 2
    monkeypatch.setattr(beating, "time_to_beat", None)
    assert beat(monkeypatch, capsys, tmp_path, "--seeds", "3", "4") == first
    next(iter(kept)).write_bytes(b"{")
    with pytest.raises(TypeError):
        beat(monkeypatch, capsys, tmp_path, "--seeds", "3", "4")


@pytest.mark.parametrize("algorithm", ["ppo_selfplay", "maskable_ppo"])
def test_ctrl_c_stops_the_command_and_keeps_no_half_of_a_run(algorithm, tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Score, "beats", False)
    monkeypatch.setattr(beating, "evaluate", interrupted)
    with pytest.raises(SystemExit) as stopped:
        beat(monkeypatch, capsys, tmp_path, "--seeds", "3", algorithm=algorithm)
    assert stopped.value.code == 130
    assert "the same command goes on" in capsys.readouterr().out
    assert not list(tmp_path.glob("kuhn/*"))


def test_another_configuration_can_be_measured():
    config = beating.configure("erase_una_vez", "strong", 3, "erase_una_vez_advised", steps=5_000)
    assert (config.advised_by, config.seed, config.steps, config.threads) == ("strong", 3, 5_000, 1)
    assert config.evaluate_against == ["strong"]


@pytest.mark.parametrize(
    ("named", "why"),
    [("nothing.toml", "No such file or directory"), ("corre_el_encierro_champion", "a configuration of corre_el_enc")],
)
def test_a_configuration_that_is_not_there_or_of_another_game_is_refused(named, why, capsys):
    with pytest.raises(SystemExit):
        beating.main(["erase_una_vez", "--config", named])
    assert why in capsys.readouterr().err


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
    buffers, grown = fresh_process.memory(GAME, "uint8")
    assert buffers > fresh_process.MANY_TABLES * TORO.layout.width
    assert grown is None or grown > 0


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_65536_tables_with_their_buffers_take_less_than_a_gigabyte(game):
    tables = envs.make_vec(game.name, 64, copy=False, dtype="uint8")
    kept = [array for array in (*vars(tables).values(), *tables.reset()) if isinstance(array, np.ndarray)]
    assert sum(array.nbytes for array in kept) * fresh_process.MANY_TABLES // 64 < 10**9


def test_parts_of_a_step_are_measured_beside_the_speed_of_copying(monkeypatch, capsys):
    monkeypatch.setattr(limit, "COPIED", 2**20)
    numbers, codes = (limit.measure("kuhn", dtype, tables=64, settle=3) for dtype in ("float32", "uint8"))
    assert numbers.size - codes.size == 3 * KUHN.layout.size
    for one in (numbers, codes):
        assert one.whole > 0
        assert min(one.rules, one.drawing, one.observing) >= 0
        assert one.copying > 0
        assert one.reachable == one.rules + one.drawing + one.size / one.copying
    monkeypatch.setattr(fresh_process, "first_step", lambda game: 1.0)
    monkeypatch.setattr(fresh_process, "memory", lambda game, dtype: (7_000_000, None))
    monkeypatch.setattr(limit, "measure", lambda game, dtype: limit.Limit(2e-7, 1e-7, 1e-7, 5e-7, 1000, 1e10))
    for name in ("vector_burst", "game_burst"):
        monkeypatch.setattr(command, name, lambda *_: lambda: 1)
    assert cli.main(["bench", "kuhn", "--seconds", "0.001", "--limit"]) == 0
    out = capsys.readouterr().out
    for row in (
        "rules and mask +200 ns", "observing +100 ns", "times the limit +5.0", "times rules, drawing and copying +1.2",
        "written, GB/s +2.0", "the machine copies, GB/s +10.0", "bytes a step +1,000",
    ):  # fmt: skip
        assert re.search(row, out)


def test_aims_are_told_of_the_game_they_were_set_for(monkeypatch, capsys):
    monkeypatch.setattr(fresh_process, "first_step", lambda game: 1.0)
    monkeypatch.setattr(fresh_process, "memory", lambda game, dtype: (7_000_000, None))
    for name in ("vector_burst", "game_burst"):
        monkeypatch.setattr(command, name, lambda *_: lambda: 1)
    for game, told in ((peers.AIMED_AT, True), ("kuhn", False)):
        assert cli.main(["bench", game, "--seconds", "0.001"]) == 0
        out = capsys.readouterr().out
        assert "7 MB  in buffers (aim under 1,000 MB)" in out
        assert "1.00 s  of processor time" in out
        assert ("(aim under 2 s)" in out) == told
    aims = {peer.title: peer.aims for peer in peers.BESIDE_VECTOR}
    assert aims["Pgx sparrow mahjong"].keys() == {peers.AIMED_AT, "bandido_alcatraz", "erase_una_vez"}


def test_what_a_decision_costs_is_of_the_same_deals_and_counts_rollouts(monkeypatch):
    monkeypatch.setattr(bench_search, "BESIDE", "random")
    found = bench_search.take(bench_search.our_decisions(KUHN, "ismcts(simulations=20)"), 5)
    assert [one.rollouts for one in found] == [20] * 5
    found = bench_search.take(bench_search.our_decisions(KUHN, "search(random, worlds=8, gate=0)"), 5)
    assert {one.rollouts for one in found} == {16}  # two actions in each world
    monkeypatch.setattr(bench_search, "LONGEST", 0)
    assert len(bench_search.take(bench_search.our_decisions(KUHN, "ismcts(simulations=20)"), 5)) == 1
    some = [bench_search.Decision(seconds, 10) for seconds in (1.0, 2.0, 6.0)]
    assert bench_search._cost(some) == (3, 2.0, 3.0, 30 / 9)


def test_agents_that_think_ahead_are_measured_in_all_games(monkeypatch, capsys):
    monkeypatch.setattr(envs, "games", lambda: ["kuhn"])
    monkeypatch.setattr(bench_search, "BESIDE", "random")
    searches = (("ismcts(simulations=20)", "median", 0.25), ("search(trained)", "mean", 0.1))
    monkeypatch.setattr(bench_search, "SEARCHES", searches)
    monkeypatch.setattr(bench_search, "PEERS", ("leduc_poker",))
    assert cli.main(["bench", "--search", "--decisions", "5"]) == 0
    out = capsys.readouterr().out
    assert "(aim: median under 0.25 s)" in out
    assert "kuhn, search(trained)" in out.partition("not there")[0]
    assert "OpenSpiel leduc_poker, ISMCTSBot" in out
    assert cli.main(["bench"]) == 2
    assert "say which game to measure: kuhn" in capsys.readouterr().err
