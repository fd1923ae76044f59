"""Templates of external agents: the first version, its dry run, and errors of bots that do not play."""

import re
import shlex

import pytest
from command_line import sobremesa
from foreigners import function
from rooms import TORO

from sobremesa.agents.external import agent as foreign

QUICK = ("--setup", "board=small", "max_rounds=1")


@pytest.fixture(autouse=True)
def nothing_heard_yet(monkeypatch):
    monkeypatch.setattr(foreign, "_HEARD", foreign.Counter())


@pytest.mark.parametrize("form", ["python", "command"])
def test_a_new_bot_plays_as_its_readme_says(form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert sobremesa("new-bot", TORO.name, "my bots/first", "--form", form) == 0
    told = re.findall(r"^ +(sobremesa .*)$", capsys.readouterr().out, re.MULTILINE)
    readme = (tmp_path / "my bots" / "first" / "README.md").read_text()
    assert len(told) == 3
    assert all(f"    {line}\n" in readme for line in told)
    assert all(f"| `{block.name}` |" in readme for block in TORO.layout)
    assert sobremesa(*shlex.split(told[0])[1:], *QUICK) == 0
    out = capsys.readouterr().out
    assert "6 deals of ese_toro_enamorado-v1 at 2 seats, 0 forfeited" in out
    assert sobremesa("new-bot", TORO.name, "my bots/first") == 2
    assert "already exists and is not an empty folder" in capsys.readouterr().err


def test_a_dry_run_says_what_goes_wrong_and_where(tmp_path, capsys):
    code = "def act(view):\n    print('deal', view.deal, '\\x1b[2J')\n    if view.deal == 2:\n"
    spec = function(tmp_path, f"{code}        return view.legl[0]\n    return view.legal[0]\n")
    assert sobremesa("rate", TORO.name, spec, "--dry-run", *QUICK) == 1
    out, err = capsys.readouterr()
    assert re.search(r"6 deals of .* at 2 seats, [1-9] forfeited", out)
    assert "error: AttributeError: " in out
    assert "(agent_0.py, line 4)" in out
    assert r"agent_0.py:act, seat 0: deal 1 \x1b[2J" in err  # what it prints, and the traceback
    assert "runner.py" not in err
    assert re.search(r"^.*agent_0\.py:act, seat \d:     +return view\.legl\[0\]$", err, re.MULTILINE)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_module\ndef act(view): pass\n", "No module named 'no_such_module' (agent_0.py, line 1)"),
        ("def act(view)\n    pass\n", "SyntaxError: expected ':' (agent_0.py, line 1)"),
        ("def act(view):\n    return -1\n", "illegal: "),
    ],
)
def test_who_forfeits_all_of_the_first_deals_is_not_rated(code, told, tmp_path, capsys):
    spec = function(tmp_path, code)
    assert sobremesa("rate", TORO.name, spec, "--deals", 50, *QUICK) == 2
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert "agent_0.py:act is not rated: it forfeited all of its first 6 deals at 2 seats, the first with " in last
    assert told in last


def test_who_forfeits_some_is_rated(tmp_path, capsys):
    spec = function(tmp_path, "def act(view):\n    return view.legal[0] if view.deal != 2 else -1\n")
    assert sobremesa("rate", TORO.name, spec, "--deals", 3, "--against", "random", *QUICK) == 0
    assert "results were forfeited" in capsys.readouterr().out


def test_what_it_writes_is_shown_up_to_a_limit(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(foreign, "LINES", 3)
    spec = function(tmp_path, "def act(view):\n    print('a\\n' * 9, 'x' * 9_999)\n    return view.legal[0]\n")
    assert sobremesa("rate", TORO.name, spec, "--dry-run", *QUICK) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["a", "a", "a", "what else this agent writes is not shown"]


def test_a_dry_run_of_a_kernel_says_nothing_of_its_time(capsys):
    assert sobremesa("rate", TORO.name, "random", "--dry-run", *QUICK) == 0
    assert capsys.readouterr().out.endswith(" 0 forfeited\n")
