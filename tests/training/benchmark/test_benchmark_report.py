"""Benchmark reports: statistics, the page, published rows and tables."""

import json
import re
from types import SimpleNamespace

import fresh
import interval_coverage
import msgspec
import numpy as np
import pytest

from sobremesa import cli
from sobremesa.report import benchmark_page, curves
from sobremesa.training.benchmark import cells, comparison, exactness, published, statistics, tasks
from sobremesa.training.benchmark.candidates import AGENT, LIBRARY, Candidate
from sobremesa.training.benchmark.cells import CellError, Record, Row

NAMES = ("estafado-fox", "estafado-crow")


def row(decisions, score):
    """Return a point of a curve."""
    return Row(decisions=decisions, cpu=decisions / 100, seconds=1.0, score=score, low=score - 0.1, high=score + 0.1,
               value=score, against={"": score}, plies=50.0, forfeits=0)  # fmt: skip


def record(name, task, seed, scores, kind=LIBRARY, games=(), budget=1000, **made):
    """Return a finished cell whose curve has `scores`."""
    one = Candidate(name=name, kind=kind, spec=name, games=games)
    cell = cells.asked(Candidate(name="random", kind=AGENT, spec="random"), tasks.load(task), 0, 0)
    budget = budget if kind == LIBRARY else 0
    cell = msgspec.structs.replace(cell, candidate=one, seed=seed, budget=budget)
    part = budget // len(scores)
    rows = [row(part * number, score) for number, score in enumerate(scores, 1)]
    made = {"commit": "abc123", "command": "sobremesa benchmark run --out mine --budget 1000", **made}
    found = Record(cell=cell, made=made, status="finished", rows=rows)
    found.seal = found.sealed()
    return found


@pytest.fixture
def found():
    """Have two learners in two seeds, one that lacks a task, and an agent."""
    return [
        *(record("good", task, seed, [0.2, 0.6, 0.9 + seed / 10]) for task in NAMES for seed in (0, 1)),
        *(record("poor", task, seed, [0.0, 0.1, 0.3]) for task in NAMES for seed in (0, 1)),
        record("half", "estafado-fox", 0, [0.5, 0.5]),
        *(record("simple", task, 0, [0.5], AGENT) for task in NAMES),
    ]


@pytest.fixture
def short(monkeypatch):
    """Have a suite of two tasks."""
    suite = tuple(map(tasks.load, NAMES))
    monkeypatch.setattr(tasks, "suite", lambda: suite)


# Statistics.


def test_the_interquartile_mean_is_that_of_the_middle_half():
    runs = [np.array([0.0, 9.0]), np.array([1.0, 2.0]), np.array([3.0]), np.array([-5.0, 2.5, 4.0])]
    assert statistics.interquartile_mean(runs) == (1 + 2 + 2.5 + 3) / 4  # of 8 the two lowest and highest are left out


def test_a_profile_is_the_part_of_runs_above():
    runs = [np.array([0.0, 0.5]), np.array([0.5, 1.0])]
    assert statistics.profile(runs, np.array([-1, 0.0, 0.5, 1.0])).tolist() == [1.0, 0.75, 0.25, 0.0]


def test_probability_of_improvement_counts_ties_half():
    mine, theirs = [np.array([1.0, 2.0]), np.array([0.0])], [np.array([1.0, 1.5, 3.0]), np.array([5.0])]
    assert statistics.improvement(mine, theirs) == (2.5 / 6 + 0) / 2


def test_an_interval_leaves_out_each_seed_in_turn():
    runs = [np.array([0.0, 1.0, 5.0]), np.array([100.0, 101.0, 105.0])]
    mean = statistics.figure(lambda of: np.mean([scores.mean(-1) for scores in of], axis=0), runs)
    assert mean.value == 52
    error = np.std([0, 1, 5], ddof=1) / 3**0.5  # the jackknife of a mean is its standard error
    assert (mean.low, mean.high) == pytest.approx((52 - 4.303 * error, 52 + 4.303 * error))
    assert not statistics.figure(statistics.interquartile_mean, [np.array([1.0]), np.array([3.0])]).known


def test_an_interval_of_two_candidates_has_the_spread_of_both():
    one, other = [np.array([1.0, 2.0, 3.0, 4.0])], [np.array([2.0, 3.0])]
    both = statistics.figure(lambda a, b: np.mean(a) - np.mean(b), one, other)
    error = (np.var(one, ddof=1) / 4 + np.var(other, ddof=1) / 2) ** 0.5
    assert both.high == pytest.approx(0 + 12.706 * error)  # of the fewer seeds


@pytest.mark.parametrize("drawn", interval_coverage.DRAWS)
@pytest.mark.parametrize("seeds", [3, 5])
def test_intervals_over_few_seeds_cover_the_true_value(drawn, seeds):
    covered = interval_coverage.coverage(drawn, seeds, trials=250)
    assert all(0.90 <= of <= 1 for of in covered.values()), covered


# Comparison.


def test_candidates_are_set_side_by_side(found):
    compared = comparison.compare(found)
    assert [entry.label for entry in compared.entries] == ["good", "simple", "poor", "half"]
    assert compared.tasks == list(NAMES)
    assert set(compared.means) == {"good", "simple", "poor"}
    assert compared.means["good"].value == pytest.approx(0.95)
    assert not compared.means["simple"].known
    assert compared.improvements["good", "poor"].value == 1.0
    assert not compared.improvements["good", "poor"].known  # all pairs are alike: an interval would have no width
    lower = [record("poor", task, 2, [0.6]) for task in NAMES]
    assert comparison.compare([*found, *lower]).improvements["poor", "simple"].known
    reached = compared.entries[0].reached("estafado-fox", 0.5)
    assert reached == (2, 2, 666.0, 6.66)
    assert compared.entries[2].reached("estafado-fox", 0.5)[:2] == (2, 0)


def test_a_seed_that_some_tasks_lack_counts_at_its_task_alone(found):
    more = record("good", NAMES[0], 2, [9.0])
    compared = comparison.compare([*found, more])
    assert compared.means["good"] == comparison.compare(found).means["good"]
    assert compared.entries[0].scores[NAMES[0]].tolist() == [0.9, 1.0, 9.0]


def test_a_figure_rounded_to_zero_has_no_sign():
    one = statistics.Figure(-0.001, -0.004, 0.0)
    assert one.interval(2) == "0.00 to 0.00"
    assert published._means([entry := SimpleNamespace(label="mine")], {entry.label: one}) == ["0.00 (0.00 to 0.00)"]


def test_one_seed_has_no_interval(found):
    compared = comparison.compare([one for one in found if one.cell.seed == 0])
    assert not compared.means["good"].known
    assert not compared.improvements["good", "poor"].known


def test_budgets_of_one_candidate_are_told_apart(found):
    other = [record("good", task, 0, [0.1]) for task in NAMES]
    for one in other:
        one.cell = msgspec.structs.replace(one.cell, budget=500)
    labels = [entry.label for entry in comparison.compare([*found, *other]).entries]
    assert {"good, 1,000", "good, 500"} <= set(labels)


def test_configurations_of_one_name_are_told_apart(found):
    other = [record("good", task, 2, [0.1]) for task in NAMES]
    for one in other:
        one.cell = msgspec.structs.replace(
            one.cell, candidate=msgspec.structs.replace(one.cell.candidate, keys={"epochs": 9})
        )
    entries = comparison.compare([*found, *other]).entries
    assert [entry.seeds for entry in entries if entry.label.startswith("good, 1,000, ")] == [[0, 1], [2]]


def test_nothing_finished_and_other_suites_are_refused(found):
    with pytest.raises(CellError, match="no cell is finished"):
        comparison.compare([])
    found[0].cell = msgspec.structs.replace(found[0].cell, task_digest="0")
    with pytest.raises(tasks.TaskError, match="was made with another estafado-fox"):
        comparison.compare(found)


def test_means_leave_out_the_tasks_of_teams():
    team = "bandido_alcatraz-2"
    found = [record(name, task, seed, [score]) for name, score in (("good", 0.6), ("poor", 0.2))
             for task in NAMES for seed in (0, 1)]  # fmt: skip
    found += [record(name, team, seed, [0.0]) for name in ("good", "poor") for seed in (0, 1)]
    found.append(record("teams_alone", team, 0, [0.5]))
    compared = comparison.compare(found)
    assert compared.counted == list(NAMES)
    assert compared.means["good"].value == pytest.approx(0.6)
    assert {name: one.value for name, one in compared.team_means.items()} == {"good": 0, "poor": 0, "teams_alone": 0.5}
    assert "teams_alone" not in compared.means
    rows = {row[0]: row[1:] for row in published.table(compared)}
    assert list(rows)[1:6] == [*(f"`{name}`" for name in NAMES), "interquartile mean", f"`{team}`",
                               "interquartile mean of the teams"]  # fmt: skip
    alone = comparison.compare([one for one in found if one.cell.task == team])
    assert alone.counted == [team]  # of teams alone, means are over these


def test_the_table_shows_wins_against_simple_and_strong():
    one = record("good", NAMES[0], 0, [0.4])
    one.rows[-1] = msgspec.structs.replace(one.rows[-1], against={"simple": 0.25, "strong": 0.0})
    head, row, *_ = published.table(comparison.compare([one]))
    assert head == ["task", "`good`"]
    assert row == [f"`{NAMES[0]}`", "0.40 (0.25, 0.00)"]


def test_the_held_out_pool_stands_beside_the_panel():
    found = [record("good", task, seed, [0.8]) for task in NAMES for seed in (0, 1, 2)]
    for one in found:
        task = tasks.load(one.cell.task)
        low, high = (task.pool_anchors[name] for name in (tasks.LOWEST, tasks.HIGHEST))
        half = dict.fromkeys(task.pool, (low + high) / 2 + one.cell.seed / 10 * (high - low))
        one.rows[-1] = msgspec.structs.replace(one.rows[-1], pool=half)
    compared = comparison.compare(found)
    assert compared.pool_means["good"].value == pytest.approx(0.6)
    assert compared.drops["good"].value == pytest.approx(0.2)
    assert compared.drops["good"].known
    rows = {row[0]: row[1] for row in published.table(compared)}
    assert rows["less among the pool by"].startswith("0.20 (")
    found[0].rows[-1] = msgspec.structs.replace(found[0].rows[-1], pool={})
    assert not comparison.compare(found).pool_means  # no mean over some of the runs


def test_two_builds_of_an_agent_are_not_averaged():
    one, other = (record("champion", NAMES[0], 0, [score], AGENT) for score in (0.9, 0.1))
    with pytest.raises(CellError, match="two results of champion at estafado-fox with one seed"):
        comparison.compare([one, other])


def test_the_table_names_whom_training_met():
    alone, taught = record("alone", NAMES[0], 0, [0.4]), record("taught", NAMES[0], 0, [0.5])
    taught.met = ["strong"]
    rows = {row[0]: row[1:] for row in published.table(comparison.compare([alone, taught]))}
    assert rows["met in training"] == ["strong", "-"]


def test_a_score_of_equal_deals_has_an_interval_with_a_width():
    task = tasks.load("bandido_alcatraz-4")
    low, high = tasks.interval_of(task, 0.0, 0.0, 0.0)
    assert low == 0
    assert high == pytest.approx((1 - 0.025 ** (1 / task.deals)) / task.anchors["strong"], rel=0.1)
    assert tasks.interval_of(task, 0.5, 0.4, 0.6) == (0.4, 0.6)


def test_an_own_candidate_comes_first_and_is_placed(found):
    own = record("mine", NAMES[1], 0, [0.45])
    compared = comparison.compare([*(one for one in found if one.cell.task == NAMES[1]), own], [own])
    assert [entry.label for entry in compared.entries] == ["mine", "good", "simple", "poor"]
    assert compared.own == ["mine"]
    assert "mine" in compared.means  # and so in the first chart
    assert published.placed(compared) == ["mine at estafado-crow: 0.45 (0.35 to 0.55), 3rd of 4"]
    assert published.by_candidate(compared)[:2] == [["candidate", NAMES[1], "decisions"], ["mine", "0.45", "1,000"]]
    assert published.by_candidate(compared)[3] == ["simple", "0.50", ""]
    page = benchmark_page.page(compared, 0, "as here")
    assert page.index("mine at estafado-crow: 0.45") < page.index("Interquartile mean") < page.index(">mine</span>")


def test_candidates_with_the_same_score_share_a_place():
    records = [record(name, NAMES[1], 0, [score]) for name, score in (("a", 0.5), ("b", 0.0), ("c", 0.0), ("d", 0.0))]
    told = [published.placed(comparison.compare(some, some[1:2]))[0] for some in (records, records[:3], records[:2])]
    assert [line.partition("), ")[2] for line in told] == [
        "2nd of 4, level with 2 others", "2nd of 3, level with 1 other", "2nd of 2",
    ]  # fmt: skip


def test_own_results_are_reported_beside_published_ones(tmp_path, capsys):
    one = record("mine", NAMES[0], 0, [0.1])
    (tmp_path / one.cell.name).mkdir(parents=True)
    cells._write(tmp_path / one.cell.name, one)
    assert cli.main(["benchmark", "report", "--published", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["candidate", NAMES[0], "decisions"]
    assert printed[1].split() == ["mine", "0.10", "1,000"]
    placed = next(line for line in printed if line.startswith(f"mine at {NAMES[0]}: 0.10 (0.00 to 0.20), "))
    assert int(re.search(r"(\d+)\w\w of ", placed)[1]) > 1
    assert max(map(len, printed[:-1])) <= 100


# The page.


def test_the_page_says_all_and_the_table_too(found, tmp_path):
    found[-1].made["commit"] = "<script>"
    unfinished = Record(cell=found[0].cell, made={})
    benchmark_page.write(tmp_path, [*found, unfinished], "sobremesa benchmark report")
    page, table = ((tmp_path / name).read_text() for name in (benchmark_page.PAGE, benchmark_page.TABLE))
    assert page.count("<svg") == 3
    assert "<script>" not in page
    assert "Without results on some tasks, and so without a mean over all: half." in page
    assert "1 more cells are not finished" in page
    assert "seeds 0, 1; commit abc123; sobremesa benchmark run --budget 1000" in table
    assert "| good      | poor   | 1.00 " in table
    assert "666, 6.7 s (2 of 2)" in table
    assert "http" not in page.replace("http://www.w3.org", "").replace("https://matplotlib.org", "").replace(
        "http://purl.org", ""
    ).replace("http://creativecommons.org", "")


def test_without_matplotlib_there_are_tables_and_no_page(found, tmp_path, monkeypatch):
    monkeypatch.setattr(benchmark_page, "has_curves", lambda: False)
    benchmark_page.write(tmp_path, found, "as here")
    assert "interquartile mean" in (tmp_path / benchmark_page.TABLE).read_text()
    assert not (tmp_path / benchmark_page.PAGE).exists()


def test_exact_figures_stand_beside_what_was_found_of_them(tmp_path):
    bound = {"by": "training", "steps": 9, "deals": 5, "payoff": 0.3, "low": 0.2, "high": 0.4, "seconds": 1.0}
    one = {"bot": "simple", "game": "kuhn_poker-v1", "setup": {"seats": 2}, "exploitability": 0.4, "bounds": [bound]}
    one["made"] = {"commit": "abc", "command": "sobremesa exploit simple --json elsewhere/it.json"}
    (tmp_path / "one.json").write_text(json.dumps(one))
    found = exactness.records(tmp_path)
    told = ["kuhn_poker-v1 (default setup)", "`simple`", "0.400", "+0.300 (+0.200 to +0.400)", "75%", "", ""]
    assert exactness.table(found) == [list(exactness.HEAD), told]
    assert exactness.made(found) == ["sobremesa exploit simple (commit abc)"]
    for content in ("{", "[]", json.dumps({**one, "bounds": 3})):
        (tmp_path / "one.json").write_text(content)
        with pytest.raises(CellError, match=r"one\.json"):
            exactness.records(tmp_path)


def test_the_command_reports_and_publishes(found, tmp_path, capsys):
    for one in found:
        folder = tmp_path / "out" / one.cell.name
        folder.mkdir(parents=True)
        cells._write(folder, one)
    assert cli.main(["benchmark", "report", "--out", str(tmp_path / "out")]) == 0
    assert "interquartile mean" in capsys.readouterr().out
    assert cli.main(["benchmark", "publish", "--out", str(tmp_path / "out"), "--to", str(tmp_path / "rows")]) == 0
    assert "left out: good has no finished cell of ese_toro_enamorado-2" in capsys.readouterr().out
    assert published.records(tmp_path / "rows") == []


def test_what_is_not_finished_hides_no_published_row(tmp_path, monkeypatch):
    theirs, told = published.records()[0], []
    folder = tmp_path / theirs.cell.name
    folder.mkdir(parents=True)
    cells._write(folder, Record(cell=theirs.cell, made=theirs.made))

    def write(folder, records, command, own):
        told.extend(records)
        return comparison.compare([theirs])

    monkeypatch.setattr(benchmark_page, "write", write)
    assert cli.main(["benchmark", "report", "--published", "--out", str(tmp_path)]) == 0
    assert [one.status for one in told if one.cell == theirs.cell] == ["running", "finished"]


# Published rows.


def test_published_results_do_not_name_their_folder(found, short, tmp_path):
    extra = record("good", "estafado-fox", 2, [1.0])
    loose = [record("loose", task, 0, [1.0], commit="abc123 with changes") for task in NAMES]
    told = published.publish([*found, extra, *loose], tmp_path)
    assert sorted(told) == [
        "good lacks tasks in seed 2",
        "half has no finished cell of estafado-crow",
        "loose was made at commit 'abc123 with changes', which is not published",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.json", "poor.json", "simple.json"]
    read = published.records(tmp_path)
    assert {one.cell.seed for one in read if one.cell.candidate.name == "good"} == {0, 1}
    assert {one.made["command"] for one in read} == {"sobremesa benchmark run --budget 1000"}
    assert {one.seal for one in read} == {one.seal for one in found if one.cell.candidate.name != "half"}


def test_more_lines_than_colours_are_distinct():
    looks = {tuple(curves._look(number).items()) for number in range(30)}
    assert len(looks) == 30
    panel = curves.Panel("all", [curves.Line(f"{one:,}", [1e6], [0.5], [0.4], [0.6]) for one in range(12)])
    drawn = str(curves.grid([panel], "decisions", "score"))
    assert drawn.count("stroke-dasharray") == 2 * 2  # the last two, in the chart and beside their names
    assert ">1M<" in drawn.replace(" ", "")
    assert curves._columns(["short"] * 9) == 5
    assert curves._columns(["ppo_selfplay, 1,000,000"] * 9) == 3


def test_names_in_many_rows_take_no_room_from_the_chart():
    def inches(count):
        panel = curves.Panel("all", [curves.Line(f"{one}", [1, 2], [0, 1], [0, 1], [0, 1]) for one in range(count)])
        drawn = str(curves.grid([panel], "decisions", "score"))
        return float(re.search(r'height="([0-9.]+)pt"', drawn)[1]) / 72

    assert inches(5) == pytest.approx(curves._PANEL + 2 * curves._LABEL)
    assert inches(15) == pytest.approx(curves._PANEL + 4 * curves._LABEL)


def test_publishing_a_budget_leaves_the_rows_of_others(found, short, tmp_path):
    published.publish(found, tmp_path)
    longer = [record("good", task, 0, [0.8], budget=9000) for task in NAMES]
    assert published.publish(longer, tmp_path) == []
    again = [record("good", task, seed, [0.7], budget=9000) for task in NAMES for seed in (0, 4)]
    assert published.publish(again, tmp_path) == []
    assert _rows_of("good", tmp_path) == [
        *((1000, seed, score) for _ in NAMES for seed, score in ((0, 0.9), (1, 1.0))),
        *((9000, seed, 0.7) for _ in NAMES for seed in (0, 4)),
    ]
    tables = list(fresh.by_budget(published.records(tmp_path)))
    assert [head for head, _ in tables] == [
        ["task", "`good`", "`simple`"],
        ["task", "`good`", "`simple`", "`poor`"],
    ]
    assert [{row[0]: row[1] for row in rows}["decisions"] for _, rows in tables] == ["9,000", "1,000"]


def test_publishing_a_seed_keeps_the_rows_of_other_seeds(found, short, tmp_path):
    published.publish(found, tmp_path)
    assert published.publish([record("good", task, 1, [0.4]) for task in NAMES], tmp_path) == []
    assert _rows_of("good", tmp_path) == [(1000, 0, 0.9), (1000, 1, 0.4)] * len(NAMES)
    other = [record("good", task, 2, [0.3]) for task in NAMES]
    for one in other:
        candidate = msgspec.structs.replace(one.cell.candidate, keys={"epochs": 9})
        one.cell = msgspec.structs.replace(one.cell, candidate=candidate)
        one.seal = one.sealed()
    assert published.publish(other, tmp_path) == []
    assert _rows_of("good", tmp_path) == [(1000, 2, 0.3)] * len(NAMES)


def _rows_of(name, folder):
    """Return budget, seed and last score of each published row of the candidate `name`."""
    rows = [one for one in published.records(folder) if one.cell.candidate.name == name]
    return [(one.cell.budget, one.cell.seed, one.last.score) for one in rows]


def test_a_damaged_file_lets_nothing_be_published(found, short, tmp_path):
    published.publish(found, tmp_path)
    (tmp_path / "poor.json").write_text("{}")
    good = (tmp_path / "good.json").read_bytes()
    later = [record(name, task, 0, [0.8], budget=9000) for name in ("good", "poor") for task in NAMES]
    with pytest.raises(CellError, match=r"poor.json"):
        published.publish(later, tmp_path)
    assert (tmp_path / "good.json").read_bytes() == good


def test_published_rows_that_were_changed_are_refused(found, short, tmp_path):
    published.publish(found, tmp_path)
    path = tmp_path / "poor.json"
    whole = path.read_text()
    path.write_text(whole.replace('"score": 0.3', '"score": 1.3'))
    with pytest.raises(CellError, match=r"poor.json: record 0: changed or damaged: its seal does not fit it"):
        published.records(tmp_path)
    path.write_text(json.dumps({"format": 1, "records": {}}))
    with pytest.raises(CellError, match="it takes format and records, a list"):
        published.records(tmp_path)


def test_shipped_results_belong_to_the_suite():
    for one in published.records():
        assert cells.task_of(one.cell).name == one.cell.task
        assert one.status == "finished"
        assert one.made["commit"].isalnum()
        assert "/" not in one.made["command"]
    for exact in exactness.records():
        assert cells.without_places(exact.made) == exact.made  # where a file was put is nothing to others
