"""Commands that are refused: one line that says what is allowed, exit code 2, and nothing written."""

import shlex

import goldens
import pytest
from command_line import one_line, sobremesa

LINES = goldens.read("refused.txt").split("\n")
REFUSED = [(line.removeprefix("$ "), LINES[number + 1]) for number, line in enumerate(LINES) if line.startswith("$ ")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with a damaged bot, run, replay, configurations and graph."""
    for name in ("empty", "bad", "run"):
        (tmp_path / name).mkdir()
    (tmp_path / "bad" / "bot.json").write_text("{")
    (tmp_path / "run" / "run.json").write_text("{}")
    (tmp_path / "cut.json").write_text('{\n "format": 1,\n "ga')
    (tmp_path / "unknown.toml").write_text("stepps = 1\n")
    (tmp_path / "other.toml").write_text('game = "kuhn"\n')
    (tmp_path / "mine.onnx").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("command", "told"), REFUSED, ids=[command for command, _ in REFUSED])
def test_a_refusal_is_one_line_that_names_what_is_allowed(command, told, folder, capsys):
    before = sorted(folder.rglob("*"))
    assert sobremesa(*shlex.split(command)[1:]) == 2
    out, err = capsys.readouterr()
    assert told.strip() in one_line(err)
    assert err.startswith("sobremesa")
    assert "Searching" not in out
    assert command.startswith("sobremesa serve") or sorted(folder.rglob("*")) == before  # it opens its tables first


def test_every_command_is_listed_once():
    assert len(REFUSED) == len({command for command, _ in REFUSED}) > 150
