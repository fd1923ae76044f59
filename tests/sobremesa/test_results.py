"""Published results: rows, marks of stale ones, `sobremesa results check` and `sobremesa results rerun`."""

import argparse
import dataclasses
import json
import re

import msgspec
import pytest
from command_line import sobremesa
from fresh import ROOT, measured_tables

from sobremesa import envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.commands import results as command
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.report import results
from sobremesa.report.results import ResultsError, Table
from sobremesa.training.benchmark import tasks

KUHN, TORO = envs.load("kuhn_poker"), envs.load("ese_toro_enamorado")
NOW = {KUHN.id: rules_hash(KUHN)}
RATE = "sobremesa rate kuhn_poker strong --against simple --deals 20 --seed 3"
PAGES = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "results").glob("*.md")]
PUBLISHED = dict(results.every(ROOT / "docs" / "results"))


def table(*rows, **fields):
    """Return a table of two columns, with rows of today's rules unless they state others."""
    shared = {"games": NOW, "agents": {"strong": results.digest_of("strong", KUHN)}, "commit": "abc"} | fields
    return Table(head=["agent", "wins"], forms=["", ",.3f"], shared=shared, rows=list(rows))


def first_row(**fields):
    return table({"cells": ["`strong`", 0.5]} | fields).whole("page/one")[0]


def test_changes_since_a_ladder_are_found():
    ladder = leaderboard_file.frozen(TORO)
    assert command.changes(ladder) == []
    old = dataclasses.replace(ladder, builds=ladder.builds | {"champion": "0"})
    assert command.changes(old) == ["measured with an earlier `champion`"]
    assert command.changes(dataclasses.replace(old, version=0))[0] == "measured with version 0"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a page of a row of today and a row of version 0."""
    old = {"cells": ["`simple`", [0.25, None, 0.5]], "games": {"kuhn_poker-v0": "0"}, "read": {"wins": "value"}}
    old["command"] = "sobremesa rate kuhn_poker command:touch --against simple"
    results.write(tmp_path / "page.json", {"one": table({"cells": ["`strong`", 0.5]}, old)})
    return tmp_path


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_rows_are_whole(name):
    for row in PUBLISHED[name].whole(name):
        assert row.commit or not row.games
        assert not row.read or row.command.startswith("sobremesa ")


@pytest.mark.parametrize("name", PUBLISHED)
def test_stale_rows_are_marked_on_their_page(name):
    (page,) = (page for page in PAGES if f"<!-- results:{name} -->" in page)
    text = page.partition(f"<!-- results:{name} -->")[2].partition(f"<!-- /results:{name} -->")[0]
    for row in PUBLISHED[name].whole(name):
        assert all(reason in text for reason in results.stale(row))


def test_published_win_rates_of_0_and_1_are_explained():
    assert not [one for name, found in PUBLISHED.items() for one in results.odd(found, name)]


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, []),
        ({"games": {}}, []),
        ({"agents": {"strong": ""}}, []),
        ({"games": {"kuhn_poker-v0": "0"}}, ["measured with version 0"]),
        ({"games": {KUHN.id: "0"}}, ["measured with other rules"]),
        ({"games": {"chess-v1": "0"}}, ["measured with a game that is gone"]),
        ({"games": NOW | {"estafado-v0": "0"}}, ["measured with version 0 of estafado"]),
        ({"games": {"kuhn_poker-v0": "0", "estafado-v0": "0"}}, ["measured with version 0"]),
        ({"agents": {"strong": "0"}}, ["measured with an earlier `strong`"]),
        ({"agents": {"gone": "0"}}, ["measured with an earlier `gone`"]),
    ],
)
def test_changes_since_a_row_are_found(fields, reasons):
    assert results.stale(first_row(**fields)) == reasons


def test_digests_of_agents_change_with_their_play():
    names = ["random", "simple", "strong", "champion", "trained", "sampled(champion, temperature=2)"]
    names += ["search(champion)", "search(champion, worlds=8)", "search(trained)"]
    digests = [results.digest_of(name, TORO) for name in names]
    assert len(set(digests)) == len(names)


def test_a_stale_row_is_marked_and_the_figures_are_shown(folder):
    (text,) = (make() for make in measured_tables(folder).values())
    assert "| `strong` | 0.500 |" in text
    assert "| `simple` (measured with version 0) | 0.250 (up to 0.500) |" in text
    both = table({"cells": ["a", -0.5]}, {"cells": ["b", "none"]}, games={"kuhn_poker-v0": "0"})
    assert results.shown(both, "page/one") == (
        [["agent", "wins"], ["a", "−0.500"], ["b", "none"]], "All rows: measured with version 0.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"cells": ["a"]}, "page/one/1: it takes 2 cells"),
        ({"cells": ["a", 1], "read": {"losses": "a"}}, "`read` takes heads of columns"),
        ({"cells": ["a", 1], "seed": 0}, "page/one/1: .*`seed`"),
        ({"cells": ["a", {}]}, r"page/one/1: .*cells\[1\]"),
        ({"cells": ["a", [1.0]]}, r"page/one/1: .*cells\[1\]"),
    ],
)
def test_rows_that_do_not_fit_are_refused(fields, problem):
    with pytest.raises(ResultsError, match=problem):
        table(fields).whole("page/one")


def test_check_lists_stale_rows_and_odd_cells(folder, capsys, monkeypatch):
    older = msgspec.structs.replace(tasks.load("estafado-fox"), version=0)
    monkeypatch.setattr(command, "suite", lambda: (older,))
    assert sobremesa("results", "check", "--folder", folder) == 1
    out = capsys.readouterr().out
    assert "page/one/2: measured with version 0\nbenchmark task estafado-fox: measured with version 0\n" in out
    monkeypatch.setattr(command, "stale_of_library", dict)
    results.write(folder / "page.json", {"one": table({"cells": ["`strong`", 0.5]})})
    assert sobremesa("results", "check", "--folder", folder) == 0
    results.write(folder / "page.json", {"one": table({"cells": ["`strong`", 1.0]}, {"cells": ["`random`", 0.0]})})
    assert sobremesa("results", "check", "--folder", folder) == 1
    assert "page/one/1, wins: 1.000\nstale rows: 0, odd cells: 1" in capsys.readouterr().out


def test_places_in_figures_are_found():
    figures = {"scores": [{"seats": 2, "role": "", "value": 0.5}, {"seats": 3, "role": "", "value": 0.25}]}
    places = ("scores[1].value", "scores[seats=3,role=].value")
    assert [results.found_at(figures, place) for place in places] == [0.25, 0.25]
    for place in ("scores[2].value", "scores[role=].value", "scores[wins=1]", "lead", "scores[0].value.mean"):
        with pytest.raises(ResultsError, match="has no"):
            results.found_at(figures, place)


def test_a_row_is_measured_again(folder, capfd):
    assert sobremesa(*RATE.split()[1:], "--json", folder / "now") == 0
    value = json.loads((folder / "now").read_text(encoding="utf-8"))["scores"][0]["value"]
    how = {"command": RATE, "read": {"wins": "scores[seats=2].value"}, "tolerance": 0.0005}
    rows = [{"cells": ["a", [value, 0.0, 1.0]]}, {"cells": ["b", value + 0.001]}, {"cells": ["c", "none"]}]
    results.write(folder / "page.json", {"one": table(*rows, **how)})
    for number, code, told in ((1, 0, ""), (2, 1, ", more than 0.0005 away")):
        assert sobremesa("results", "rerun", f"page/one/{number}", "--folder", folder) == code
        line = capfd.readouterr().out.splitlines()[-1]
        assert line == f"wins: {value + 0.001 * (number - 1):g} at commit abc, now {value:g}{told}"
    assert sobremesa("results", "rerun", "page/one/3", "--folder", folder) == 2
    assert "'none' and" in capfd.readouterr().err


def test_a_figure_that_was_rounded_fits():
    row = first_row(cells=["`strong`", 0.362], read={"wins": "value"}, tolerance=0.0005)
    fits = [next(results.compared(row, ["agent", "wins"], {"value": value}))[-1] for value in (0.3625, 0.3615, 0.3626)]
    assert fits == [True, True, False]


def test_rows_without_a_command_of_today_are_not_measured(folder, capsys):
    for words, told in (
        (["rerun", "page/one/1"], "page/one/1 can only be measured by hand: no command, commit abc"),
        (["rerun", "page/one/2"], "can only be measured by hand: sobremesa rate kuhn_poker command:touch"),
        (["rerun", "page/one/9"], "has no row 'page/one/9'"),
        (["rerun"], "takes `check`, or `rerun` and a row"),
        (["check", "page/one/1"], "takes `check`, or `rerun` and a row"),
    ):
        assert sobremesa("results", *words, "--folder", folder) == 2
        assert told in capsys.readouterr().err
    assert sobremesa("results", "check", "--folder", folder / "none") == 2
    assert "no files of results" in capsys.readouterr().err


def test_rows_that_the_help_and_the_page_name_can_be_measured():
    command.add_arguments(parser := argparse.ArgumentParser())
    text = parser.format_help() + (ROOT / "docs" / "results" / "README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\b[a-z_-]+/[a-z-]+/\d+\b", text))
    rows = dict(command._rows(ROOT / "docs" / "results"))
    assert names
    assert all(rows[name].read for name in names)
