"""The tool that measures how long training takes until it beats an agent."""

import pytest
import time_to_beat

LEDUC = ("leduc_poker", "--set", "steps=40000", "tables=32", "--every", "10_000", "--deals", "400", "--seeds", "3")


@pytest.fixture
def measured(tmp_path, monkeypatch, capsys):
    """Return what the tool prints for arguments; its results are kept between the calls of a test."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["time_to_beat.py", *arguments, "--out", str(tmp_path / "found.jsonl")])
        time_to_beat.main()
        return capsys.readouterr().out.splitlines()

    return run


def test_a_lead_on_new_deals_ends_a_run_and_is_kept(measured, monkeypatch):
    *lines, total = measured(*LEDUC, "--agent", "random")
    assert lines[0].startswith("seed 3: beaten after ")
    assert total.startswith("beaten by 1 of 1 seeds, ")
    assert "never" not in total
    monkeypatch.setattr(time_to_beat, "train", None)
    assert measured(*LEDUC, "--agent", "random") == [*lines, total]


def test_a_run_that_never_leads_takes_all_its_steps(measured):
    line, total = measured(*LEDUC, "--agent", "strong")
    assert line.startswith("seed 3: not beaten after ")
    assert total == "beaten by 0 of 1 seeds, never CPU s (never to never), never decisions (never to never)"


@pytest.mark.parametrize("word", ["epochs", "epoch=2", "epochs=0"])
def test_a_wrong_setting_is_refused_by_name(measured, word, capsys):
    with pytest.raises(SystemExit):
        measured("leduc_poker", "--set", word)
    assert word.partition("=")[0] in capsys.readouterr().err
