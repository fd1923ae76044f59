"""Speed measurements of `sobremesa bench`."""

import numpy as np
import pytest
import speed
from kuhn import GAME as KUHN
from rooms import ALL, TORO
from runs import GAME

from sobremesa import cli, envs
from sobremesa.bench import fresh_process
from sobremesa.commands import bench as command


@pytest.fixture(autouse=True)
def kuhn(monkeypatch):
    monkeypatch.setitem(envs._REGISTERED, "kuhn", KUHN)


def test_first_step_and_memory_are_measured():
    assert 0 < fresh_process.first_step(GAME) < 1000
    buffers, grown = fresh_process.memory(GAME, "uint8")
    assert buffers > fresh_process.MANY_TABLES * TORO.layout.width
    assert grown is None or grown > 0


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_65536_tables_take_less_than_a_gigabyte(game):
    tables = envs.make_vec(game.name, 64, copy=False, dtype="uint8")
    kept = [array for array in (*vars(tables).values(), *tables.reset()) if isinstance(array, np.ndarray)]
    assert sum(array.nbytes for array in kept) * fresh_process.MANY_TABLES // 64 < 10**9


def test_the_command_prints_rates_and_memory(monkeypatch, capsys):
    monkeypatch.setattr(fresh_process, "first_step", lambda game: 1.0)
    monkeypatch.setattr(fresh_process, "memory", lambda game, dtype: (7_000_000, None))
    for name in ("vector_burst", "game_burst"):
        monkeypatch.setattr(command, name, lambda *_: lambda: 1)
    assert cli.main(["bench", "kuhn", "--seconds", "0.001"]) == 0
    out = capsys.readouterr().out
    assert "vector, 4,096 tables, 1 thread, uint8" in out
    assert "7 MB  in buffers" in out
    assert "1.00 s  of processor time" in out


def test_the_tool_of_speeds_does_decisions(tmp_path):
    (update,) = speed.training("leduc_poker", tmp_path).values()
    assert update() > 0
    works = speed.search("ese_toro_enamorado", tmp_path)
    assert list(works) == list(speed.SEARCHES)
    assert works["search(strong)"]() == 1


def test_the_tool_of_speeds_compares_two_checkouts():
    [line] = speed.lines_of(GAME, [{"a": [2.0, 3.0, 10.0]}, {"a": [1.0, 1.0, 20.0], "gone": [1.0]}])
    assert line.split("  ")[-1].strip() == "2.00 (0.50 to 3.00)"
    assert "3.0 (2.0 to 10.0)" in line
