"""The gain of search: stored cells, tables and the picture."""

import sys

import msgspec
import pytest
import search_strength as strength
from rooms import TORO
from scale import PLAIN

from sobremesa import agents, envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.search import published

ROW = published.Row(
    "kuhn", 1, 2, "search(strong)", "strong", "", 0, 40, 0, 0.6, 0.55, 0.65, 0.5, 0.1, 0.05, 0.15, "search(strong)#0",
    1.0, "abc",
)  # fmt: skip


def measure(monkeypatch, tmp_path, *words):
    monkeypatch.setattr(sys, "argv", ["strength", TORO.name, "--folder", str(tmp_path), *words])
    strength.main()


def test_cells_are_played_once_and_kept(monkeypatch, tmp_path, capsys):
    asked = ("--tables", "--seats", "2", "--bases", "strong", "--played", "2", "--again")
    measure(monkeypatch, tmp_path, *asked)
    first = capsys.readouterr().out
    assert "seats 2: search(strong)" in first
    (file,) = tmp_path.rglob("*.json")
    written = file.stat().st_mtime_ns
    measure(monkeypatch, tmp_path, *asked)
    assert (capsys.readouterr().out, file.stat().st_mtime_ns) == (first, written)
    (row,) = msgspec.json.decode(file.read_bytes(), type=list[published.Row])
    assert (row.deals, row.seed, row.baseline, row.value - row.baseline) == (1, 0, 0.5, pytest.approx(row.lead))


def test_what_is_published_is_kept_and_not_played_again(monkeypatch, tmp_path):
    name = "search(strong, worlds=8)"
    who, _ = strength.Cell(TORO, name, "strong", 2, 240, 8).who
    toro = msgspec.structs.replace(ROW, game=TORO.name, candidate=name, identity=who, worlds=8, deals=240)
    kept, played = tmp_path / "strength.json", []
    kept.write_bytes(msgspec.json.encode([ROW, toro, msgspec.structs.replace(toro, version=toro.version - 1)]))
    monkeypatch.setattr(published, "FILE", kept)
    monkeypatch.setattr(strength, "FILE", kept)

    def play(cell):
        played.append(cell.worlds)
        return [
            msgspec.structs.replace(
                toro, candidate=cell.candidate, worlds=cell.worlds, reference=cell.reference, seed=7
            )
        ]

    monkeypatch.setattr(strength, "measure", play)
    measure(monkeypatch, tmp_path, "--budgets", "--bases", "strong")
    assert played == [worlds for worlds in strength.WORLDS if worlds != 8]
    measure(monkeypatch, tmp_path, "--budgets", "--bases", "strong", "--publish")
    found = published.rows()
    assert [row.worlds for row in found] == [*strength.WORLDS, 0]
    assert [row.seed for row in found if row.game == TORO.name] == [
        0 if worlds == 8 else 7 for worlds in strength.WORLDS
    ]
    assert (tmp_path / "strength.svg").read_text().count("worlds a decision") == 1
    assert published.rows("kuhn") == [ROW]
    measure(monkeypatch, tmp_path, "--budgets", "--bases", "strong", "--again")
    measure(monkeypatch, tmp_path, "--budgets", "--bases", "strong", "--publish")
    assert {row.seed for row in published.rows(TORO.name)} == {7}
    played.clear()
    measure(monkeypatch, tmp_path / "more", "--budgets", "--bases", "strong", "--played", "1000")
    assert played == [*strength.WORLDS]


def test_rows_of_another_agent_are_not_reused():
    cell = strength.Cell(TORO, "search(strong)", "strong", 2, 40)
    row = msgspec.structs.replace(ROW, game=TORO.name, version=TORO.version, identity=cell.who[0])
    assert cell.made(row)
    assert not cell.made(msgspec.structs.replace(row, identity="search(strong)#0"))
    assert not cell.made(msgspec.structs.replace(row, deals=39))


@pytest.mark.skipif(PLAIN, reason="NUMBA_DISABLE_JIT=1: who an agent is tells how it runs, and results are compiled")
@pytest.mark.thorough
def test_what_is_published_was_measured_of_the_agents_of_today():
    """Whoever changes what searches do measures anew what is told of them."""
    today = [row for row in published.rows() if row.version == envs.load(row.game).version]
    rows = {(row.game, row.candidate, row.identity) for row in today}
    assert len({row.game for row in today}) > 4
    assert {identity(agents.load(name, envs.load(game))) for game, name, _ in rows} == {who for *_, who in rows}


def test_champions_are_asked_where_there_is_one():
    both = [(cell.game.name, cell.candidate) for name in (TORO.name, "kuhn_poker")
            for cell in strength.cells(envs.load(name), ["strong", "champion"], 240, tables=True, budgets=False)
            if cell.seats == 2]  # fmt: skip
    assert both == [
        (TORO.name, "search(strong)"), (TORO.name, "search(champion)"), ("kuhn_poker", "search(strong)"),
    ]  # fmt: skip


def test_tables_tell_tables_and_roles_apart_and_leave_curves_out():
    fox = msgspec.structs.replace(ROW, role="Fox", reference="trained", candidate="search(trained)", lead=-0.02)
    curve = msgspec.structs.replace(ROW, worlds=8)
    head, cells = published.summary_table([ROW, fox, curve])
    assert head == ("game", "seats", "`search(strong)` adds", "`search(trained)` adds")
    assert cells == [
        ("`kuhn`", "2", "+0.100 (+0.050 to +0.150)", ""),
        ("`kuhn`", "2, Fox", "", "-0.020 (+0.050 to +0.150)"),
    ]
    assert [row[:3] for row in published.table([ROW, fox, curve])] == [
        ("2", "`search(strong)`", "`strong`"),
        ("2, Fox", "`search(trained)`", "`trained`"),
    ]
