"""Benchmark: tasks, the held-out pool and counted environments."""

import copy
import json
import os
import pickle
import re
import shutil

import msgspec
import numpy as np
import pytest
from benchmark_cells import MADE, asked, run

from sobremesa import agents, envs
from sobremesa.configs import benchmark as configs
from sobremesa.envs.core import home
from sobremesa.training.benchmark import Practice, TaskError, cells, load, score, sweep, tasks, version
from sobremesa.training.benchmark.candidates import agents_in, candidate
from sobremesa.training.benchmark.practice import BudgetSpent, NotCounted

# Tasks.


def test_the_suite_covers_games_seats_teams_and_roles():
    found = tasks.suite()
    assert {task.game for task in found} == {
        "bandido_alcatraz", "corre_el_encierro", "erase_una_vez", "ese_toro_enamorado", "estafado",
    }  # fmt: skip
    assert {task.seats for task in found} == {2, 4, 5}
    assert {task.role for task in found} == {"", "Fox", "Crow"}
    assert {len(task.pool) for task in found} == {2}
    meant = [task for name in envs.games() if home.matching(envs.load(name), "benchmark.toml")
             for task in version.tasks(envs.load(name))]  # fmt: skip
    assert sorted(task.name for task in meant) == sorted(tasks.names())
    there = {(one.name, one.deals, one.seed) for one in tasks.every()}
    assert {(task.name, task.deals, task.seed) for task in meant} == there


def test_settings_are_chosen_on_tasks_outside_the_suite():
    still_inside = {"maskable_ppo", "nfsp", "ppo_magnet"}  # as the README of the benchmark says
    for path in map(configs.path, {*configs.names()} - still_inside):
        chosen = re.search(r"--tasks ([\w -]+?) (--|\\\\)", path.read_text().replace("\n# ", " ")).group(1).split()
        assert len(chosen) == 2
        assert {*chosen} < {*tasks.names()} - {task.name for task in tasks.suite()}


def test_the_file_of_the_suite_is_what_is_measured_today():
    task = load("corre_el_encierro-5")
    assert tasks.stamped(task) == task


@pytest.mark.thorough
@pytest.mark.parametrize("name", [task.name for task in tasks.playable()])
def test_every_task_is_what_is_measured_today(name):
    assert tasks.stamped(load(name)) == load(name)


def test_tasks_of_an_older_version_of_a_game_are_refused(tiny, monkeypatch):
    assert [*tasks.playable()] == [tiny]
    older = msgspec.structs.replace(tiny, version=tiny.version - 1)
    monkeypatch.setattr(tasks, "suite", lambda: (older,))
    assert not tasks.playable()
    with pytest.raises(TaskError, match="version"):
        tasks.check(older)


def test_random_scores_0_and_strong_1(tiny):
    game = tiny.rules
    for name, worth in (("random", 0), ("strong", 1)):
        found = score(tiny, agents.load(name, game))
        assert found.score == worth
        assert tasks.pool_score(tiny, found.pool) == pytest.approx(worth)
    assert tiny.seat == 1
    assert tasks._seatings(tiny, met=2) == [[1, 0], [2, 0]]
    assert tasks._seatings(load("ese_toro_enamorado-3"), met=1) == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert tasks._seatings(load("bandido_alcatraz-2"), met=0) == [[0, 0]]


def test_other_rules_and_other_agents_are_refused(tiny):
    other = msgspec.structs.replace(tiny, rules_hash="0" * 16)
    with pytest.raises(TaskError, match="the rules have changed since it was made"):
        tasks.check(other)
    other = msgspec.structs.replace(tiny, panel={**tiny.panel, "simple": "0" * 12})
    with pytest.raises(TaskError, match="simple has changed"):
        tasks.check(other)
    with pytest.raises(TaskError, match=r"no task 'estafado'; sobremesa-v2 has estafado-crow"):
        load("estafado")


def test_a_result_of_another_task_is_refused(tiny, learner):
    cell = asked(f"{learner}:learn")
    old = msgspec.structs.replace(cell, task_digest="0" * 16)
    with pytest.raises(TaskError, match="was made with another estafado-crow"):
        cells.task_of(old)
    with pytest.raises(TaskError, match="is of the suite 'sobremesa-v0'; this version of Sobremesa has sobremesa-v2"):
        cells.task_of(msgspec.structs.replace(cell, suite="sobremesa-v0"))


# The held-out pool.


def test_the_score_among_the_pool_is_left_out_without_its_files(tiny, monkeypatch):
    monkeypatch.setattr(tasks, "pool_of", lambda _: [])
    found = score(tiny, agents.load("simple", tiny.rules))
    assert found.pool == {}
    assert np.isnan(tasks.pool_score(tiny, found.pool))


def test_another_pool_is_refused(tiny):
    other = msgspec.structs.replace(tiny, pool={**tiny.pool, "olivo": "0" * 8})
    with pytest.raises(TaskError, match="has another pool than the suite"):
        tasks.check(other)


def test_training_with_the_pool_is_refused(tiny):
    bot = tasks.POOL / "estafado" / "olivo"
    for name in (str(bot), f"sampled({bot}, temperature=2)", f"search({bot})", f"search(strong, rollout={bot})"):
        with pytest.raises(tasks.PoolError, match="is in the held-out pool of estafado: do not train with it"):
            Practice(tiny, 10).seat_env(name)
        with pytest.raises(tasks.PoolError, match="is in the held-out pool"):
            agents_in({"opponents": {name: 1.0}}, tiny)


def test_a_copy_of_a_pool_bot_that_chooses_otherwise_is_refused(tiny, tmp_path):
    shutil.copytree(tasks.POOL / "estafado" / "olivo", copied := tmp_path / "mine")
    manifest = json.loads((copied / "bot.json").read_text())
    manifest["choice"] = "greedy" if manifest["choice"] == "sample" else "sample"
    (copied / "bot.json").write_text(json.dumps(manifest))
    with pytest.raises(tasks.PoolError, match="is in the held-out pool"):
        Practice(tiny, 10).seat_env(str(copied))


def test_a_configuration_with_the_pool_makes_no_cell(tiny, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(f'algorithm = "ppo_selfplay"\n[opponents]\n"{tasks.POOL}/estafado/olivo" = 1.0\n')
    with pytest.raises(tasks.PoolError, match="is in the held-out pool"):
        sweep.plan([str(path)])


def test_partners_of_the_pool_are_met_in_a_team():
    task = msgspec.structs.replace(load("bandido_alcatraz-2"), deals=2)
    met = tasks.pool_of(task)
    assert len(met) == 2
    assert tasks._measure(task, agents.load("strong", task.rules), met, 1).against.keys() == {"olivo", "quince"}
    assert not tasks.pool_of(load("bandido_alcatraz-1-easy"))


def test_cells_name_whom_training_met(tiny, learner, tmp_path):
    met = run(tmp_path / "cell", asked(f"{learner}:spendthrift", budget=5), MADE).met
    assert met == ["random"]
    assert agents_in(candidate("ppo_selfplay").keys, tiny) == []
    assert agents_in({"teacher": "search(strong)", "opponents": {"simple": 0.5, "self": 0.5}}, tiny) == [
        "simple",
        "strong",
    ]


def test_folders_in_the_working_directory_are_no_opponents(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("self", "snapshots", "simple", "ppo_selfplay"):
        (tmp_path / name).mkdir()
    for name in ("self", "simple"):
        (tmp_path / name / "bot.json").touch()
    keys = candidate("ppo_selfplay").keys | {"teacher": "simple"}
    assert agents_in(keys, tiny) == ["simple"]


# Environments that count.


def test_every_environment_counts_decisions_and_so_do_copies():
    practice = Practice(load("estafado-crow"), 100)
    seat = practice.seat_env("random")
    seat.reset(seed=1)
    seat.step(int(seat.action_masks().argmax()))
    assert (practice.spent, seat.seat) == (1, 1)
    many = practice.seat_vec(4, "random")
    many.reset()
    many.step(many.action_masks.argmax(1))
    assert practice.spent == 5
    tables = practice.tables(3, 0)
    tables.step(tables.sample())
    assert practice.spent == 8
    table = practice.aec()
    table.reset(seed=0)
    for one in (table, table.clone()):
        one.step(int(one.observe(one.agent_selection)["action_mask"].argmax()))
    assert (practice.spent, practice.left) == (10, 90)


def test_a_step_beyond_the_budget_changes_nothing():
    practice = Practice(load("estafado-crow"), 7)
    tables = practice.tables(4, 0)
    tables.step(tables.sample())
    before = tables.states.copy()
    with pytest.raises(BudgetSpent, match="estafado-crow: 4 decisions are asked for, 3 of 7 are left"):
        tables.step(tables.sample())
    assert np.array_equal(tables.states, before)
    assert practice.spent == 4


def test_nothing_is_taken_back_and_no_copy_counts_for_itself(monkeypatch):
    practice = Practice(load("estafado-crow"), 10)
    with pytest.raises(ValueError, match="decisions=-1 is not allowed; it takes 0 or more"):
        practice.count(-1)
    assert copy.copy(practice) is copy.deepcopy(practice) is practice
    table = practice.aec()
    table.reset(seed=0)
    with pytest.raises(NotCounted, match="estafado-crow: decisions in a pickled copy are not counted"):
        pickle.dumps(table)
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with pytest.raises(NotCounted, match="decisions in another process are not counted"):
        table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
    assert practice.spent == 0
