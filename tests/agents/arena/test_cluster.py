"""The cluster engine over a fake Ray: parcels, refused nodes, failures. test_ray.py has the real one."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from fake_ray import FakeRay
from foreigners import GOOD, SHORT, function
from matches import assert_same_rows
from rooms import TORO

from sobremesa import agents, cli
from sobremesa.agents import named
from sobremesa.agents.arena import cluster as clusters, identity, parcels, tournament
from sobremesa.agents.arena.cluster import DIED, Cluster, ClusterError, joined
from sobremesa.agents.arena.meetings import Rounds
from sobremesa.agents.arena.parcels import ParcelError
from sobremesa.agents.arena.schedule import plan
from sobremesa.agents.arena.workers import TaskFiles, WorkerRefused, run_tasks
from sobremesa.training.benchmark import cells, sweep


@pytest.fixture
def ray(monkeypatch, tmp_path):
    """Put a Ray of one process in the place of the real one, with three nodes."""
    fake = FakeRay("a", "b", "c")
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(clusters, "_LOOK", 1e-6)
    monkeypatch.setattr(parcels, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(named, "_RECEIVED", {})
    return fake


WORDS = {"given": b"words"}


def copy(folder, task):
    """Do `task` of a test: write down what was taken along; task 3 never succeeds."""
    if task == 3:
        raise KeyError("of task 3")
    text = (Path(folder) / "given").read_text()
    (Path(folder) / f"{task}").mkdir()
    (Path(folder) / f"{task}" / "rows").write_text(f"{text} {task}")


@pytest.fixture
def given(tmp_path):
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "stays").write_text("here")
    return folder


def test_a_cluster_does_what_a_pool_does_and_its_files_come_back(ray, given):
    lines, done = [], []
    cluster = Cluster(ray, lines.append)
    run_tasks(copy, str(given), [0, 1, 2, 4], 1, done.append, cluster=cluster, along=TaskFiles(WORDS))
    assert sorted(done) == [0, 1, 2, 4]
    assert [(given / str(task) / "rows").read_text() for task in done] == [f"words {task}" for task in done]
    assert sum(cluster.done.values()) == 4
    playing = sum("plays, processors: 2" in line for line in lines)
    assert 1 <= playing <= 3  # the others had not been asked yet
    assert re.fullmatch(rf"{playing} nodes?, [\d.e+]+ tasks/s", cluster.told())
    assert all("tasks in 0.0" in line for line in cluster.summary())
    assert {path.name for path in given.iterdir()} == {"stays", "0", "1", "2", "4"}


def test_what_fails_three_times_is_told_and_stops_nothing_else(ray, given):
    lines, done = [], []
    told = "1 of 6 tasks failed, the others are done and kept: task 3 failed 3 times, at last by RayError: KeyError"
    with pytest.raises(WorkerRefused, match=told):
        run_tasks(
            copy, str(given), range(6), 1, done.append, cluster=Cluster(ray, lines.append), along=TaskFiles(WORDS)
        )
    assert sorted(done) == [0, 1, 2, 4, 5]
    assert sum("task 3 failed 3 times" in line for line in lines) == 1


@pytest.mark.parametrize("seed", range(6))
def test_nodes_that_go_and_come_lose_and_double_no_task(ray, given, seed):
    ray.rng.seed(seed)
    cluster, done = Cluster(ray, list[str]().append), Counter()
    engine = cluster.engine(copy, str(given), TaskFiles(WORDS))
    tasks = [task for task in range(25) if task != 3]
    for task in tasks:
        engine.submit(task)
    for number in range(len(tasks)):
        ended = engine.take()
        assert ended.failure is None
        done[ended.task] += 1
        if number % 4 == 1:  # also the last one that is there
            ray.vanish(ray.rng.choice(ray.nodes_there))
        if number % 4 == 3 or not ray.nodes_there:
            ray.nodes_there.append(f"n{number}")
    engine.close()
    assert done == Counter(tasks)


def test_a_node_that_differs_is_refused_and_told_in_what(ray, given):
    lines = []
    ours = identity.described(("ese_toro_enamorado",))
    ray.looks = {"a": ours | {"numba": "0.1"}, "b": {"Sobremesa": "not installed (No module named 'sobremesa')"}}
    run_tasks(copy, str(given), range(4, 40), 1, str, cluster=Cluster(ray, lines.append), along=TaskFiles(WORDS))
    refused = [line for line in lines if "refused" in line]
    assert f"cluster: a (a) is refused: it has numba 0.1 (here {ours['numba']})" in refused
    why = "Sobremesa not installed (No module named 'sobremesa')"
    assert f"cluster: b (b) is refused: it has {why} (here {ours['Sobremesa']})" in refused
    ray.looks |= {"c": ours | {"rules of ese_toro_enamorado": "other", "Sobremesa": "0 of source 1"}}
    games = TaskFiles(WORDS, games=("ese_toro_enamorado",))
    with pytest.raises(ClusterError, match="no node of the cluster can play"):
        run_tasks(copy, str(given), range(3), 1, str, cluster=Cluster(ray, lines.append), along=games)
    rules = f"rules of ese_toro_enamorado other (here {ours['rules of ese_toro_enamorado']})"
    assert any(line.startswith("cluster: c (c) is refused: it has Sobremesa 0") and rules in line for line in lines)


def test_each_node_is_prepared_once_before_its_first_task(ray, given):
    before = []

    def prepare(folder):
        before.append((ray.now, (Path(folder) / "given").read_text()))

    def work(folder, task):
        assert (ray.now, "words") in before

    run_tasks(work, str(given), range(40), 1, str, cluster=Cluster(ray, print), along=TaskFiles(WORDS, prepare=prepare))
    assert len(before) == len(set(before)) > 1


def tiny(specs=("random", "simple", "strong")):
    return plan(TORO, specs, deals=5, seed=3, piece=2, **SHORT)


def test_a_cluster_gives_the_rows_of_one_process_and_resumes(ray, tmp_path):
    folders = [tmp_path / "here", tmp_path / "there", tmp_path / "both"]
    for folder in folders:
        tournament.begin(folder, tiny())
    cluster = Cluster(ray, print)
    tournament.play(folders[0])
    tournament.play(folders[1], cluster=cluster)
    tournament.play(folders[2], cluster=cluster)
    for file in sorted(folders[2].glob("rows-*"))[::2]:
        file.unlink()
    tournament.play(folders[2])
    files = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders]
    assert files[0] == files[1] == files[2]


def test_benchmark_cells_run_on_a_cluster_and_name_the_machine(ray, tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "run", lambda folder, cell, made, **_: write_cell(folder, cell, made))

    def write_cell(folder, cell, made):
        folder.mkdir(parents=True)
        cells._write(folder, cells.Record(cell=cell, made=made))

    asked = sweep.plan(["random", "strong"], ["estafado-fox"])
    told = []
    cluster = Cluster(ray, print)
    found = sweep.play(tmp_path, asked, "commit", "command", 1, lambda *words: told.append(words), cluster)
    assert [record.cell for record in found] == asked
    assert {record.made["machine"] for record in found} == {sweep._machine()}
    assert told[-1][:2] == (20_000, 20_000)
    (tmp_path / "mine.py").write_text("def learn(task, budget, seed): ...")
    own = sweep.plan([f"{tmp_path / 'mine.py'}:learn"], ["estafado-fox"])
    with pytest.raises(ValueError, match="is not allowed on a cluster: it runs where its files are"):
        sweep.play(tmp_path / "own", own, "", "", cluster=cluster)


def test_rounds_play_what_is_asked_for_and_a_little_ahead(ray, tmp_path):
    folder = tmp_path / "t"
    tournament.begin(folder, plan(TORO, ["random", "simple", "strong"], deals=400, seed=3, piece=4, **SHORT))
    rounds = Rounds(folder, ["r", "s", "t"], [(0, 1), (0, 2)], cluster=Cluster(ray, print))
    parts = [rounds.results(range(5)), rounds.results(range(5, 11))]
    rounds.close()
    assert len(list(folder.glob("rows-*"))) < 40
    game_agents = [agents.load(name, TORO) for name in ("random", "simple", "strong")]
    for match, other in enumerate((1, 2)):
        whole = agents.play(TORO, [game_agents[0], game_agents[other]], 11, seed=3, **SHORT)
        for part, low, high in ((parts[0], 0, 10), (parts[1], 10, 22)):
            kept = whole.where((np.arange(22) >= low) & (np.arange(22) < high))
            assert part[match].agents == ("r", "st"[match])
            assert_same_rows(part[match]._replace(agents=kept.agents), kept)


# What travels.


def test_bots_are_sent_by_content_and_found_by_name(ray, tmp_path):
    bot = shutil.copytree(agents.bot_folders(TORO)["trained"], tmp_path / "bot")
    spec = f"search({bot}, worlds=2, rollout=random)"
    assert parcels.bot_folders(["strong", spec, str(bot)], TORO) == {str(bot): bot}
    parcel = parcels.pack_bot(bot)
    assert parcels.pack_bot(bot) == parcel
    fetched = []
    for _ in range(2):
        folder = parcels.unpacked(parcels.digest(parcel), lambda: fetched.append(1) or parcel)
    assert fetched == [1]
    named.receive_bots({"nowhere/bot": folder / "bot"})
    assert agents.load("nowhere/bot", TORO).manifest == agents.load(bot, TORO).manifest
    with pytest.raises(ParcelError, match="does not have the digest 00"):
        parcels.unpacked("00", lambda: parcel)


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", "", ".", "a\\b", "a\0b"])
def test_a_file_that_would_lie_elsewhere_is_refused(tmp_path, name, ray):
    with pytest.raises(ParcelError, match="is not the name of a file in the folder"):
        parcels.write_all(tmp_path / "in", [(name, b"x")])
    bad = msgspec.msgpack.encode([(name, b"x")])
    with pytest.raises(ParcelError, match="is not the name of a file in the folder"):
        parcels.unpacked(parcels.digest(bad), lambda: bad)
    assert not list(tmp_path.rglob("*out*"))


def test_external_agents_are_refused_before_joining_a_cluster(tmp_path, capsys):
    spec = function(tmp_path, GOOD)
    for words in (("arena", TORO.name, "random", spec), ("ladder", TORO.name, spec), ("rate", TORO.name, spec)):
        assert cli.main([*words, "--cluster", "127.0.0.1:1"]) == 2
        assert "is not allowed on a cluster: it plays where its files are" in capsys.readouterr().err


def test_without_ray_the_extra_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    words = ("arena", TORO.name, "random", "simple", "--out", str(tmp_path / "t"), "--cluster", "auto")
    assert cli.main(words) == 2
    assert "needs the 'cluster' extra; run pip install '.[cluster]' in a clone" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()
    with joined(None) as cluster:
        assert cluster is None


def test_differences_are_told_of_what_counts_here():
    ours = identity.described()
    assert identity.differences(ours, ours | {"more": "there"}) == ""
    assert identity.differences(ours, ours | {"Python": "2.7"}) == f"Python 2.7 (here {ours['Python']})"


@pytest.mark.parametrize(("ends", "words"), [("os._exit(1)", DIED + "\n"), ("pass", ""), ("sys.exit(3)", "")])
def test_a_driver_that_ray_ends_without_a_word_is_reported(ends, words):
    code = "import os, sys\nfrom sobremesa.agents.arena.cluster import report_death\nwith report_death():\n    "
    code += ends
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == words  # read to its end: until the shell has ended, too


def test_each_node_that_the_files_begin_shows_its_token():
    folder = Path(__file__).parents[3] / "configs" / "cluster"
    texts = [file.read_text(encoding="utf-8") for file in folder.glob("*.yaml")]
    starts = [line.strip() for text in texts for line in text.splitlines() if "ray start" in line]
    assert len(starts) == 4
    assert all(line.startswith("- RAY_AUTH_MODE=token ray start ") for line in starts)  # else Ray 2.60 joins no cluster
