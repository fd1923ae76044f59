"""The gain of search: stored cells, published rows and the picture."""

import json
import sys
from math import nan

import pytest
import search_strength as strength
from rooms import TORO

from sobremesa import envs
from sobremesa.agents.arena.score import Score
from sobremesa.report import results

CELL = strength.Cell(TORO, "search(strong)", "strong", 2, 40)
SCORE = Score("search(strong)", "strong", 2, 40, 0.6, 0.55, 0.65, 0.5, 0.1, 0.05, 0.15, 30.0)


def measure(monkeypatch, tmp_path, *words):
    monkeypatch.setattr(sys, "argv", ["strength", TORO.name, "--folder", str(tmp_path), *words])
    strength.main()


def test_cells_are_played_once_and_kept(monkeypatch, tmp_path, capsys):
    asked = ("--tables", "--seats", "2", "--bases", "strong", "--played", "2")
    measure(monkeypatch, tmp_path, *asked)
    first = capsys.readouterr().out
    assert "2 seats: search(strong)" in first
    (file,) = tmp_path.rglob("*.json")
    written = file.stat().st_mtime_ns
    measure(monkeypatch, tmp_path, *asked)
    assert (capsys.readouterr().out, file.stat().st_mtime_ns) == (first, written)
    ((table, row),) = json.loads(file.read_text(encoding="utf-8"))
    score, gain = row["cells"][-3:-1]
    assert (table, row["deals"], row["seeds"], score[0] - 0.5) == (TORO.name, 1, [0], pytest.approx(gain[0]))


def test_stored_cells_are_published_in_place_of_older_ones(monkeypatch, tmp_path):
    file, picture = tmp_path / "gains.json", tmp_path / "strength.svg"
    monkeypatch.setattr(strength, "FILE", file)
    monkeypatch.setattr(strength, "PICTURE", picture)
    results.write(file, {name: results.Table(head=["seats"], rows=[]) for name in (strength.BUDGETS, TORO.name)})
    for made in ("abc", "def"):

        def play(cell, made=made):
            return [strength.row_of(cell, SCORE._replace(candidate=cell.candidate), made)]

        monkeypatch.setattr(strength, "measure", play)
        for more in ([], ["--publish"]):
            measure(monkeypatch, tmp_path / made, "--bases", "strong", "--seats", "2", *more)
        found = results.read(file)
        assert {row["cells"][3] for row in found[strength.BUDGETS].rows} == set(strength.WORLDS)
        (row,) = found[TORO.name].rows
        assert (row["cells"][:3], row["commit"]) == (["2", "`search(strong)`", "`strong`"], made)
    assert picture.read_text().count("worlds a decision") == 1
    assert results.stale(results.Row(cells=[], games=row["games"], agents=row["agents"])) == []


def test_champions_are_asked_where_there_is_one():
    both = [(cell.game.name, cell.candidate) for name in (TORO.name, "kuhn_poker")
            for cell in strength.cells(envs.load(name), ["strong", "champion"], 240, tables=True, budgets=False)
            if cell.seats == 2]  # fmt: skip
    assert both == [
        (TORO.name, "search(strong)"), (TORO.name, "search(champion)"), ("kuhn_poker", "search(strong)"),
    ]  # fmt: skip


def test_rows_tell_tables_and_roles_apart():
    fox = SCORE._replace(role="Fox", candidate="search(trained)", low=nan, high=nan)
    name, row = strength.row_of(CELL._replace(game=envs.load("estafado")), fox, "abc")
    assert (name, row["cells"][0], row["cells"][4]) == ("estafado", "2, Fox", [0.6, None, None])
    assert results.text_of(row["cells"][4], ".3f") == "0.600 (no interval)"
