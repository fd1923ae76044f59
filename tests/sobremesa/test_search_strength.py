"""The gain of search: stored cells, published rows and the picture."""

import sys

import msgspec
import pytest
import search_strength as strength
from rooms import TORO

from sobremesa import envs
from sobremesa.report import results

ROW = strength.Row(
    TORO.name, 2, "search(strong)", "strong", "", 0, 40, 0, 0.6, 0.55, 0.65, 0.5, 0.1, 0.05, 0.15, 1.0, "abc"
)


def measure(monkeypatch, tmp_path, *words):
    monkeypatch.setattr(sys, "argv", ["strength", TORO.name, "--folder", str(tmp_path), *words])
    strength.main()


def test_cells_are_played_once_and_kept(monkeypatch, tmp_path, capsys):
    asked = ("--tables", "--seats", "2", "--bases", "strong", "--played", "2")
    measure(monkeypatch, tmp_path, *asked)
    first = capsys.readouterr().out
    assert "seats 2: search(strong)" in first
    (file,) = tmp_path.rglob("*.json")
    written = file.stat().st_mtime_ns
    measure(monkeypatch, tmp_path, *asked)
    assert (capsys.readouterr().out, file.stat().st_mtime_ns) == (first, written)
    (row,) = msgspec.json.decode(file.read_bytes(), type=list[strength.Row])
    assert (row.deals, row.seed, row.baseline, row.value - row.baseline) == (1, 0, 0.5, pytest.approx(row.lead))


def test_stored_cells_are_published_in_place_of_older_ones(monkeypatch, tmp_path):
    file, picture = tmp_path / "gains.json", tmp_path / "strength.svg"
    monkeypatch.setattr(strength, "FILE", file)
    monkeypatch.setattr(strength, "PICTURE", picture)
    results.write(file, {name: results.Table(head=["seats"], rows=[]) for name in (strength.BUDGETS, TORO.name)})
    for seed in (7, 8):

        def play(cell, seed=seed):
            return [msgspec.structs.replace(ROW, candidate=cell.candidate, worlds=cell.worlds, seed=seed)]

        monkeypatch.setattr(strength, "measure", play)
        for more in ([], ["--publish"]):
            measure(monkeypatch, tmp_path / str(seed), "--bases", "strong", "--seats", "2", *more)
        found = results.read(file)
        assert {row["cells"][3] for row in found[strength.BUDGETS].rows} == set(strength.WORLDS)
        (row,) = found[TORO.name].rows
        assert (row["cells"][:3], row["seeds"]) == (["2", "`search(strong)`", "`strong`"], [seed])
    assert picture.read_text().count("worlds a decision") == 1
    whole = results.structured(
        {"cells": [], **{key: row[key] for key in ("games", "agents")}}, results.Row, "", ValueError
    )
    assert results.stale(whole) == []


def test_champions_are_asked_where_there_is_one():
    both = [(cell.game.name, cell.candidate) for name in (TORO.name, "kuhn_poker")
            for cell in strength.cells(envs.load(name), ["strong", "champion"], 240, tables=True, budgets=False)
            if cell.seats == 2]  # fmt: skip
    assert both == [
        (TORO.name, "search(strong)"), (TORO.name, "search(champion)"), ("kuhn_poker", "search(strong)"),
    ]  # fmt: skip


def test_rows_tell_tables_and_roles_apart():
    fox = msgspec.structs.replace(ROW, game="estafado", role="Fox", candidate="search(trained)", low=None, high=None)
    name, row = fox.published()
    assert (name, row["cells"][0], row["cells"][4]) == ("estafado", "2, Fox", [0.6, None, None])
    assert (
        fox.line() == "estafado, seats 2, Fox: search(trained) 0.600 (no interval), +0.100 (+0.050 to +0.150), 40 deals"
    )
