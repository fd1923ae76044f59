"""Benchmark: verified cells, several cells, and the command."""

import json
import re
import threading
from pathlib import Path

import msgspec
import pytest
from benchmark_cells import LEARNER, MADE, asked, run

from sobremesa import cli
from sobremesa.agents.arena.workers import run_tasks
from sobremesa.training.benchmark import cells, load, sweep, tasks
from sobremesa.training.benchmark.candidates import CandidateError, candidate

# Verification.


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
