"""Benchmark: tasks, scores, counted environments and cells."""

import copy
import json
import os
import pickle
import re
import shutil
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import dataset, replay
from sobremesa.agents.arena.workers import WorkerExit, run_tasks
from sobremesa.configs import benchmark as configs
from sobremesa.envs.core import home
from sobremesa.envs.core.chance import STREAM
from sobremesa.training.benchmark import (
    Practice,
    TaskError,
    cells,
    library,
    load,
    sandbox,
    score,
    sweep,
    tasks,
    version,
)
from sobremesa.training.benchmark.candidates import CandidateError, agents_in, candidate, learning, resolved
from sobremesa.training.benchmark.practice import BudgetSpent, NotCounted

LEARNER = """
import numpy as np


class Guess:
    name = "guess"

    def act(self, view):
        return int(view.mask.argmax())

    def act_batch(self, observations, masks, streams):
        return masks.argmax(1)


def learn(task, budget, seed):
    tables = task.tables(4, seed)
    while task.left >= tables.num_envs:
        tables.step(tables.sample())
        yield task.spent, Guess()


def liar(task, budget, seed):
    next(learn(task, budget, seed))
    yield 1, Guess()


def spendthrift(task, budget, seed):
    env = task.seat_env("random")
    env.reset(seed=seed)
    while True:
        _, _, over, _, _ = env.step(int(env.action_masks().argmax()))
        if over:
            env.reset()
        yield task.spent, Guess()


def careless(task, budget, seed):
    tables = task.tables(4, seed)
    yield np.int64(0), Guess()
    for _ in range(10):
        tables.step(tables.sample())


def vague(task, budget, seed):
    yield 4.5, Guess()


def leaver(task, budget, seed):
    yield 0, Guess()
    raise SystemExit("bye")


def silent(task, budget, seed):
    yield from ()
"""
MADE = {"python": "3", "commit": "abc", "command": "as here"}


@pytest.fixture
def tiny(monkeypatch):
    """Have a suite of one task, scored over four deals."""
    task = tasks.stamped(msgspec.structs.replace(load("estafado-crow"), deals=4))
    monkeypatch.setattr(tasks, "suite", lambda: (task,))
    tasks._problem.cache_clear()
    yield task
    tasks._problem.cache_clear()


@pytest.fixture
def learner(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(LEARNER)
    return path


def asked(spec, budget=100, points=5):
    return cells.asked(candidate(str(spec)), tasks.load("estafado-crow"), 1, budget, points)


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


# Cells.


def run(folder, cell, made=MADE):
    """Run `cell`, whose function the test has written."""
    return cells.run(folder, cell, made, allow_commands=True)


@pytest.fixture
def unconfined(monkeypatch):
    """Have verified cells run in this process, where the suite is `tiny`; test_sandbox.py tests the sandbox."""

    def here(folder, cell, made):
        return sandbox.Ran(run(folder / "cell", cell, made), cells.rebuilt(cell), ("as a test",))

    monkeypatch.setattr(sandbox, "run", here)


def test_a_finished_cell_of_a_function_is_returned_as_it_is(tiny, learner, tmp_path):
    cell, folder = asked(f"{learner}:learn"), tmp_path / "cell"
    record = run(folder, cell, MADE)
    assert (record.status, record.why) == ("finished", "")
    assert [row.decisions for row in record.rows] == [20, 40, 60, 80, 100]
    assert cells.read(folder) == record
    before = (folder / cells.FILE).read_bytes()
    assert run(folder, cell, {"python": "4"}) == record
    assert (folder / cells.FILE).read_bytes() == before
    assert run(tmp_path / "again", cell, {"python": "4"}).seal == record.seal


def test_decisions_after_the_last_agent_count(tiny, learner, tmp_path):
    record = run(tmp_path / "cell", asked(f"{learner}:careless"), MADE)
    assert (record.status, record.last.decisions) == ("finished", 40)


def test_the_learning_function_of_the_readme_runs_a_cell(tiny, tmp_path):
    page = Path(__file__).resolve().parents[3] / "training" / "benchmark" / "README.md"
    text = page.read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text(text.partition("```python\n")[2].partition("```")[0])
    record = run(tmp_path / "cell", asked(f"{tmp_path}/mine.py:learn", budget=1_000, points=1), MADE)
    assert (record.status, record.why, record.last.decisions) == ("finished", "", 992)


def test_cloning_learns_a_dataset_and_counts_its_decisions(tiny, tmp_path, monkeypatch):
    game, file = tiny.rules, tmp_path / "deals.npz"
    strong = [agents.load("strong", game)] * 2
    arrays = dataset.write(file, [replay.record(game, strong, seed) for seed in range(8)])
    cloning = Path(__file__).parents[2] / "clients" / "learn_by_cloning.py"
    monkeypatch.delenv("DATASET", raising=False)
    with pytest.raises(CandidateError, match="learn has an attribute `content` that fails: DATASET is not set"):
        asked(f"{cloning}:learn")
    monkeypatch.setenv("DATASET", str(file))
    cell, known = asked(f"{cloning}:learn", budget=1_000), len(arrays["action"])
    record = run(tmp_path / "cell", cell, MADE)
    assert (record.status, record.last.decisions) == ("finished", min(known, 1_000))
    *_, (_, cloned) = learning(resolved(cell.candidate))(Practice(tiny, 1_000), 1_000, 1)
    seen, masks = arrays["observation"][:1_000], arrays["mask"][:1_000]
    said = cloned.act_batch(seen, masks, np.zeros(len(seen), STREAM))
    assert (said == arrays["action"][:1_000]).mean() > 2 * (1 / masks.sum(1)).mean()
    _another_dataset_is_another_cell(cell, tmp_path, strong, monkeypatch)


def _another_dataset_is_another_cell(cell, tmp_path, strong, monkeypatch):
    same, other = tmp_path / "same.npz", tmp_path / "other.npz"
    for file, seeds in ((same, range(8)), (other, range(7))):
        dataset.write(file, [replay.record(tasks.load(cell.task).rules, strong, seed) for seed in seeds])
    monkeypatch.setenv("DATASET", str(same))
    assert asked(cell.candidate.spec, budget=1_000) == cell
    monkeypatch.setenv("DATASET", str(other))
    another = asked(cell.candidate.spec, budget=1_000)
    assert another.candidate == cell.candidate
    with pytest.raises(cells.CellError, match="holds a cell with another identity"):
        run(tmp_path / "cell", another, MADE)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("liar", "reported 1 decisions; 4 were counted, of 100"),
        ("spendthrift", "BudgetSpent: estafado-crow: 1 decisions are asked for, 0 of 100 are left"),
        ("silent", "returned no agent"),
        ("missing", "has no function 'missing'"),
        ("vague", "TypeError"),
        ("leaver", "SystemExit: bye"),
    ],
)
def test_an_error_in_a_learning_function_fails_only_its_cell(tiny, learner, tmp_path, name, why):
    record = run(tmp_path / "cell", asked(f"{learner}:{name}"), MADE)
    assert record.status == "failed"
    assert why in record.why
    assert "Traceback" in (tmp_path / "cell" / cells.ERROR).read_text()


def test_a_cell_that_failed_and_was_begun_again_keeps_no_error(tiny, learner, tmp_path):
    cell, folder = asked(f"{learner}:learn"), tmp_path / "cell"
    sound = learner.read_text()
    learner.write_text(sound.replace("def learn(", "def learns("))
    assert run(folder, cell, MADE).status == "failed"
    assert (folder / cells.ERROR).exists()
    learner.write_text(sound)
    assert run(folder, cell, MADE).status == "finished"
    assert not (folder / cells.ERROR).exists()


def test_a_worker_that_is_told_to_end_fails_no_cell(tiny, learner, tmp_path, monkeypatch):
    def told(*_):
        raise WorkerExit(1)

    monkeypatch.setattr(tasks, "score", told)
    with pytest.raises(WorkerExit):
        run(tmp_path / "cell", asked(f"{learner}:learn"), MADE)
    assert cells.read(tmp_path / "cell").status == "running"


def test_folders_of_others_and_damaged_ones_are_refused(tiny, learner, tmp_path):
    cell, folder = asked(f"{learner}:learn"), tmp_path / "cell"
    with pytest.raises(cells.CellError, match=r"holds 'mine.py' and no cell; choose another folder"):
        run(tmp_path, cell, MADE)
    run(folder, cell, MADE)
    with pytest.raises(cells.CellError, match="holds a cell with another budget; choose another folder"):
        run(folder, msgspec.structs.replace(cell, budget=200), MADE)
    whole = (folder / cells.FILE).read_text()
    for broken, why in {
        whole[:-20]: "not JSON, or cut short",
        "{}": "this JSON is no benchmark cell",
        whole.replace('"format": 1', '"format": 2'): "it has format 2; this version of Sobremesa reads 1",
        whole.replace('"decisions": 20', '"decisions": 21'): "changed or damaged: its seal does not fit it",
        whole.replace('"seed": 1', '"seed": "one"'): r"Expected `int`, got `str` - at `\$.cell.seed`",
        whole.replace('"seed": 1', '"seed": 1, "wheel": 2'): "unknown field `wheel`",
        whole.replace('"name": "mine-learn"', '"name": "../mine"'): "matching regex",
    }.items():
        (folder / cells.FILE).write_text(broken)
        with pytest.raises(cells.CellError, match=why):
            cells.read(folder)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "apart"), [("ppo_magnet", 0), ("ppo_magnet", 999), ("nfsp", 0), ("maskable_ppo", 0)])
def test_a_cell_that_was_stopped_comes_to_the_same(tiny, tmp_path, monkeypatch, name, apart):
    monkeypatch.setattr(library, "CHECKPOINTS_APART", apart)
    cell = asked(name, budget=6_200, points=3)
    whole = run(tmp_path / "whole", cell, MADE)
    assert whole.status == "finished"
    written = cells._write

    def full(folder, record):
        if len(record.rows) == 2:
            raise OSError(28, "No space left on device")
        written(folder, record)

    monkeypatch.setattr(cells, "_write", full)
    with pytest.raises(OSError, match="No space left"):
        run(tmp_path / "cut", cell, MADE)
    monkeypatch.setattr(cells, "_write", written)
    assert len(cells.read(tmp_path / "cut").rows) == 1
    found = run(tmp_path / "cut", cell, MADE)
    assert (found.seal, found.weights) == (whole.seal, whole.weights)
    assert sweep.verify(found, MADE).same


def test_a_cell_resumes_only_with_the_same_versions(tiny, learner, tmp_path):
    cell = asked(f"{learner}:learn")
    record = cells.Record(cell=cell, made=MADE)
    for name in ("same", "other"):
        (tmp_path / name).mkdir()
        cells._write(tmp_path / name, record)
    assert cells._begun(tmp_path / "same", cell, {**MADE, "command": "another"}).made == MADE
    assert cells._begun(tmp_path / "other", cell, {**MADE, "python": "4"}).made["python"] == "4"


def test_a_cell_that_somebody_is_at_is_left_alone(tiny, learner, tmp_path):
    with cells.locked(tmp_path / "cell"), pytest.raises(cells.CellError, match="another process is at work"):
        run(tmp_path / "cell", asked(f"{learner}:learn"), MADE)


def test_verify_sees_past_a_missing_pool_alone(tiny, unconfined, learner, tmp_path, monkeypatch):
    record = run(tmp_path / "cell", asked(f"{learner}:learn"), MADE)
    changed = msgspec.structs.replace(record, weights="0")
    changed.seal = changed.sealed()
    monkeypatch.setattr(tasks, "pool_of", lambda _: [])
    same, told, *_ = sweep.verify(record, MADE, allow_commands=True)
    assert (same, told) == (True, ("the held-out pool was missing here; all else is the same",))
    assert not sweep.verify(changed, MADE, allow_commands=True).same


def claimed(record, **fields):
    """Return `record` with other results at its end, and a seal that fits."""
    fields["score"] = fields.get("value", record.last.value) / load("estafado-crow").anchors["strong"]
    last = msgspec.structs.replace(record.last, **fields)
    changed = msgspec.structs.replace(record, rows=[*record.rows[:-1], last])
    changed.seal = changed.sealed()
    return changed


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"value": 0.9}, "does not follow from its values"),
        ({"value": 9.0, "against": {"simple": 9.0, "strong": 9.0}}, "are not win rates against simple, strong"),
        ({"against": {"random": 1.0}}, "are not win rates against simple, strong"),
        ({"pool": {"zzz": 0.5}}, "are not values from 0 to 1 for olivo, quince"),
        ({"pool": {"olivo": 1.5, "quince": 0.5}}, "are not values from 0 to 1 for olivo, quince"),
    ],
)
def test_verify_refuses_results_that_cannot_be(tiny, learner, tmp_path, fields, why):
    record = claimed(run(tmp_path / "cell", asked(f"{learner}:learn"), MADE), **fields)
    with pytest.raises(cells.CellError, match=why):
        sweep.verify(record, MADE, allow_commands=True)


def test_with_other_versions_results_may_differ_a_little(tiny, unconfined, learner, tmp_path):
    record, other = run(tmp_path / "cell", asked(f"{learner}:learn"), MADE), {**MADE, "python": "4"}
    pool = record.last.pool
    near, far = ({name: value + apart for name, value in pool.items()} for apart in (0.05, 0.2))
    assert sweep.verify(claimed(record, pool=near), other, allow_commands=True).same
    assert not sweep.verify(claimed(record, pool=near), MADE, allow_commands=True).same
    assert not sweep.verify(claimed(record, pool=far), other, allow_commands=True).same
    met = msgspec.structs.replace(record, met=["strong"])
    met.seal = met.sealed()
    same, told, *_ = sweep.verify(met, other, allow_commands=True)
    assert not same
    assert "met no agent, then strong" in told


def test_verify_tells_what_came_to_other_numbers(tiny, unconfined, learner, tmp_path):
    record = run(tmp_path / "cell", asked(f"{learner}:learn"), MADE)
    assert sweep.verify(record, MADE, allow_commands=True)[:2] == (True, ())
    changed = claimed(record, value=1.0, against={"simple": 1.0, "strong": 1.0}, low=-9.0, high=9.0)
    same, told, *_ = sweep.verify(changed, MADE, allow_commands=True)
    assert not same
    assert told[0].startswith("first at 100 decisions (then 100): ")
    same, told, *_ = sweep.verify(changed, {**MADE, "python": "4"}, allow_commands=True)
    assert not same
    assert told[0] == "made with other versions: python 3 and 4"
    learner.write_text(f"{LEARNER}\n# another one\n")
    assert sweep.verify(record, MADE, allow_commands=True)[:2] == (
        True,
        (f"{learner}:learn has changed since then",),
    )
    assert not sweep.verify(changed, {**MADE, "python": "4"}, allow_commands=True).same


def test_a_failing_candidate_stops_no_other_cell(tiny, learner, tmp_path):
    learner.write_text(f"{LEARNER}\n\ndef lost(task, budget, seed):\n    yield 1, open('/nowhere/else')\n")
    record = run(tmp_path / "cell", asked(f"{learner}:lost"), MADE)
    assert record.why.startswith("FileNotFoundError")
    for seed in (2**31, tiny.seed, tiny.seed + 1):
        with pytest.raises(ValueError, match=rf"seed={seed} is not allowed"):
            cells.asked(candidate("random"), tiny, seed, 10)


def test_a_cluster_overwrites_no_other_cell(tiny, tmp_path):
    cell = asked("random")
    run(tmp_path / cell.name, cell, MADE)
    before = (tmp_path / cell.name / cells.FILE).read_bytes()
    other = msgspec.structs.replace(cell, points=2)
    with pytest.raises(cells.CellError, match="holds a cell with another points"):
        sweep.play(tmp_path, [other], "abc", "as here", cluster=object())
    assert (tmp_path / cell.name / cells.FILE).read_bytes() == before


def test_where_a_folder_lay_is_told_to_nobody():
    for words in ("run --out my/cells --budget 5", "run --out=my/cells --budget 5", "run --budget 5"):
        assert cells.without_places({"command": words})["command"] == "run --budget 5"
    assert cells.without_places({"command": "it's mine"}) == {"command": "it's mine"}


# The command.


def test_names_of_nothing_are_refused(tmp_path):
    with pytest.raises(CandidateError, match="no algorithm 'ppo'; there are afterstates, "):
        candidate("ppo")
    with pytest.raises(CandidateError, match=r"no algorithm 'nowhere.toml'; there are afterstates, .* TOML files"):
        candidate("nowhere.toml")
    with pytest.raises(CandidateError, match=r"no file or module of a learning function"):
        candidate(f"{tmp_path}/nothing.py:learn")
    for spec in ("mine.py:", "mine.py:learn()", "a.module:"):
        with pytest.raises(CandidateError, match=r"names no function; write FILE.py:FUNCTION"):
            candidate(spec)
    path = tmp_path / "mine.toml"
    path.write_text('algorithm = "ppo_selfplay"\nsteps = 5\n')
    with pytest.raises(CandidateError, match="steps belong to the cell: task, seed and budget"):
        candidate(str(path))


def test_candidates_are_put_to_the_tasks_that_they_fit():
    found = sweep.plan(["afterstates", "random"], seeds=[0, 1], budget=50)
    assert len(found) == 2 * 2 + len(tasks.playable())
    learnt = {cell.task for cell in found if cell.candidate.name == "afterstates"}
    assert learnt == {"bandido_alcatraz-2", "bandido_alcatraz-4"}


def test_the_command_runs_tells_and_verifies(tiny, unconfined, learner, tmp_path, capsys, monkeypatch):
    def here(work, given, numbers, processes, done, **_):
        for number in numbers:
            work(given, number)
            done(number)

    monkeypatch.setattr(sweep, "run_tasks", here)
    named = ["--algorithms", f"{learner}:learn", f"{learner}:liar", "--seeds", "0", "--out", str(tmp_path / "out")]
    assert cli.main(["benchmark", "plan", *named, "--budget", "100"]) == 0
    assert "2 cells of sobremesa-v2" in capsys.readouterr().out
    assert cli.main(["benchmark", "run", *named, "--budget", "100"]) == 1
    out = capsys.readouterr().out
    assert "mine-liar/estafado-crow/seed-0-of-100 failed: CandidateError: " in out
    assert re.search(r"^mine-learn at estafado-crow: -?[0-9.]+ \(-?[0-9.]+ to -?[0-9.]+\)$", out, re.MULTILINE)
    assert out.endswith(f"next: sobremesa benchmark report --published --out {tmp_path / 'out'}\n")
    assert cli.main(["benchmark", "status", "--out", str(tmp_path / "out")]) == 0
    assert [line.split()[:4] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["mine-learn", "1", "0", "0"], ["mine-liar", "0", "0", "1"],
    ]  # fmt: skip
    verify = ["benchmark", "verify", "mine-learn/estafado-crow/seed-0-of-100", "--out", str(tmp_path / "out")]
    assert cli.main(verify) == 2
    assert "allow it with --allow-commands" in capsys.readouterr().err
    assert cli.main([*verify, "--allow-commands"]) == 0
    assert capsys.readouterr().out == (
        "mine-learn/estafado-crow/seed-0-of-100: identical\n  it ran in the sandbox, as a test\n"
    )
    assert cli.main(["benchmark", "status", "--out", str(tmp_path / "none")]) == 2
    assert "no folder of a benchmark" in capsys.readouterr().err


@pytest.mark.thorough
def test_cells_are_run_by_worker_processes(tmp_path):
    asked = sweep.plan(["random"], ["estafado-fox", "estafado-crow"])
    found = sweep.play(tmp_path, asked, "abc", "as here", 2)
    assert [record.last.score for record in found] == [0, 0]
    assert found[0].made == sweep.provenance("abc", "as here")
    assert sweep.run_tasks is run_tasks


def test_what_is_given_to_workers_fits_another_machine(tiny, learner, tmp_path, monkeypatch):
    told = {}
    monkeypatch.setattr(sweep, "run_tasks", lambda *given, **more: told.update(given=given, **more))
    monkeypatch.setattr(cells, "read", lambda _: None)
    asked = sweep.plan(["random", "ppo_selfplay"], seeds=[0], budget=50)
    sweep.play(tmp_path, asked, "abc", "as here", 4, cluster="a cluster")
    assert told["given"][1:4] == (str(tmp_path), [0, 1], 2)
    assert told["along"].games == ("estafado",)
    assert told["along"].files == {sweep.SWEEP: (tmp_path / sweep.SWEEP).read_bytes()}
    with pytest.raises(ValueError, match=r"mine.py:learn is not allowed on a cluster: it runs where its files are"):
        sweep.play(tmp_path, sweep.plan([f"{learner}:learn"]), "abc", "as here", cluster="a cluster")
    with cells.locked(tmp_path), pytest.raises(cells.CellError, match="another process is at work there"):
        sweep.play(tmp_path, asked, "abc", "as here")


def test_a_record_is_json_that_anybody_reads(tiny, learner, tmp_path):
    record = run(tmp_path / "cell", asked(f"{learner}:learn"), MADE)
    found = json.loads(Path(tmp_path / "cell" / cells.FILE).read_text())
    assert found["rows"][-1]["score"] == record.last.score
    assert found["cell"]["candidate"]["digest"] == record.cell.identity


def test_progress_is_shown_inside_a_cell(tiny, learner, tmp_path, monkeypatch):
    told, looked = [], threading.Event()

    def here(work, given, numbers, processes, done, **_):
        work(given, numbers[0])
        record = cells.read(tmp_path / asked[0].name)
        record.status, record.seal = "running", ""
        cells._write(tmp_path / asked[0].name, record)  # as a worker in the middle of its cell
        looked.wait(20)

    def progress(done, total, doing):
        told.append((done, total, doing))
        if "decisions" in doing:
            looked.set()

    monkeypatch.setattr(sweep, "run_tasks", here)
    monkeypatch.setattr(sweep, "LOOK_EVERY", 0.05)
    asked = sweep.plan([f"{learner}:learn"], seeds=[0], budget=100)
    sweep.play(tmp_path, asked, "abc", "as here", 1, progress)
    inside = [one for one in told if one[2].startswith(f"{asked[0].name}: ")]
    assert inside
    assert all(0 < done <= 100 and total == 100 for done, total, _ in inside)
