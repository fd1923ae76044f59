"""Benchmark: cells."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from benchmark_cells import MADE, asked, run

from sobremesa import agents
from sobremesa.agents.arena import dataset, replay
from sobremesa.agents.arena.workers import WorkerExit
from sobremesa.envs.core.chance import STREAM
from sobremesa.training.benchmark import Practice, cells, library, sweep, tasks
from sobremesa.training.benchmark.candidates import CandidateError, learning, resolved


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
