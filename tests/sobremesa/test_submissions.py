"""Submissions: the page is followed literally, and a submission that is changed is refused with the row or the file."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from command_line import RULES as TORO, sobremesa
from fresh import BOARD, ROOT, SUBMISSIONS

from sobremesa import agents
from sobremesa.envs.core.files import write_whole
from sobremesa.report import results, submissions
from sobremesa.report.submissions import FILE, SubmissionError
from sobremesa.training.benchmark import cells, published, sweep, tasks

PAGE = ROOT / "docs" / "submissions.md"
STATED = ["--name", "mine", "--author", "A. Player", "--licence", "MIT", "--made", "by hand", "--budget", "0"]
STATED += ["--cpu-minutes", "0", "--gpu-minutes", "0", "--tokens", "0"]
ACCEPTED = sorted(path.name for path in SUBMISSIONS.iterdir())


def console(page):
    """Return the console blocks of a page, without those marked as not run."""
    found = re.findall(
        r"(<!-- not run -->\n+)?^```console\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [code for skipped, code in found if not skipped]


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """Run the console blocks of the page in an empty folder; return the folder and the output."""
    folder = tmp_path_factory.mktemp("empty")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e"], input="".join(console(PAGE)), cwd=folder, env=os.environ | {"PATH": path}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


@pytest.fixture
def folder(followed, tmp_path):
    """Return a copy of the submission that the page makes."""
    return Path(shutil.copytree(followed[0] / "submissions" / "first", tmp_path / "first"))


def changed(folder, **fields):
    """Replace fields of the manifest; a function gets the old value."""
    content = json.loads((folder / FILE).read_text(encoding="utf-8"))
    for name, value in fields.items():
        content[name] = value(content[name]) if callable(value) else value
    (folder / FILE).write_text(json.dumps(content), encoding="utf-8")


def row_with(**fields):
    """Return a function that replaces fields of the first row of a table."""
    return lambda table: table | {"rows": [table["rows"][0] | fields]}


def test_the_page_leads_to_a_verified_submission(followed):
    folder, out = followed
    assert "row 1: sobremesa rate kuhn_poker AGENT --against strong" in out
    assert out.endswith("submissions/first: verified 1 of 1 rows, --rows 3 --seed 0\n")
    content = json.loads((folder / "submissions/first/submission.json").read_text(encoding="utf-8"))
    assert content["files"].keys() == {"agent/bot.py", "agent/README.md"}
    assert re.fullmatch("[0-9a-f]{32}", content["secret"])


def test_a_tampered_figure_is_refused_with_its_row(folder, capsys):
    row = submissions.read(folder).rows()[0]
    changed(folder, table=row_with(cells=[*row.cells[:4], row.cells[4] + 0.2, *row.cells[5:]]))
    assert sobremesa("verify", folder) == 1
    out = capsys.readouterr().out
    assert "more than 0 away" in out
    assert out.splitlines()[-1] == f"refused: {folder}: row 1: not the figures of the manifest"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"format": 2}, "submission.json: it has format 2; this version of Sobremesa reads 1"),
        ({"colour": "red"}, "unknown field `colour`"),
        ({"author": "a | b"}, "author takes 1 to 300 printable characters without"),
        ({"name": "../mine"}, "`$.name`"),
        ({"cpu_minutes": -1}, "`$.cpu_minutes`"),
        ({"spec": "python:../bot.py:act"}, "its folder needs the file ../bot.py"),
        ({"spec": "python:README.md.x:act"}, "needs the file README/md/x.py or README/md/x/__init__.py"),
        ({"spec": "command:python3 bot.py"}, "its folder needs the file Containerfile"),
        ({"spec": "llm:model@http://127.0.0.1:1"}, "or an agent of the library"),
        ({"spec": "search(python:bot.py:act)"}, "or an agent of the library"),
        ({"spec": "strong"}, "an agent of the library has no files"),
        ({"spec": "python:bot.py:other"}, "row 1: it was measured with another agent"),
        ({"table": row_with(agents={"AGENT": "0", "strong": "0"})}, "row 1: it was measured with another agent ('0')"),
        ({"table": row_with(command="sobremesa rate kuhn_poker strong")}, "row 1: its command is 'sobremesa rate"),
        ({"table": row_with(read={"result": "seed"})}, "row 1: its read is"),
        ({"table": row_with(setup={"seats": 3})}, "row 1: its setup is"),
        ({"table": row_with(deals=10**9)}, "row 1: a row takes 2 to 20,000 deals"),
        ({"table": row_with(tolerance=1)}, "row 1: a row takes"),
        ({"table": row_with(games={"leduc_poker-v1": "0"})}, "row 1: it takes one game"),
        ({"table": row_with(cells=["kuhn_poker-v1", 2, "python:x.py:f", "", 0, 0, 0])}, "row 1: it takes one game"),
        ({"table": row_with(cells=["kuhn_poker-v1", 2, "strong", "<b>", 0, 0, 0])}, "row 1: it takes one game"),
        ({"table": row_with(cells=["kuhn_poker-v<b>", 2, "strong", "", 0, 0, 0], games={"kuhn_poker-v<b>": "0"})},
         "row 1: it takes one game"),
        ({"table": row_with(cells=["kuhn_poker-v1", 2, "strong", "", "good", 0, 0])}, "row 1: result, low, high are"),
        ({"table": lambda table: table | {"rows": []}}, "there are neither rows nor cells"),
        ({"table": lambda table: table | {"head": ["x", *table["head"][1:]]}}, "the columns of the table are game"),
    ],
)  # fmt: skip
def test_a_manifest_that_is_changed_is_refused(fields, problem, folder, capsys):
    changed(folder, **fields)
    assert sobremesa("verify", folder) == 1
    assert problem in capsys.readouterr().out


def link_to(path):
    def change(folder):
        (folder / "agent" / "bot.py").unlink()
        (folder / "agent" / "bot.py").symlink_to(path)

    return change


def listed(name):
    """Return a change that adds a file outside to the manifest."""
    return lambda folder: changed(folder, files=lambda files: files | {name: "0" * 64})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda folder: (folder / "agent/bot.py").write_text("act = None"),
            "agent/bot.py is not the file of the manif",
        ),
        (lambda folder: (folder / "agent/bot.py").unlink(), "'agent/bot.py': No such file or directory"),
        (lambda folder: (folder / "agent/more.py").touch(), "agent/more.py is not in the manifest"),
        (lambda folder: os.mkfifo(folder / "pipe"), "pipe is not in the manifest"),
        (link_to("README.md"), "'agent/bot.py': it is a link"),
        (link_to("/etc/passwd"), "'agent/bot.py': it is a link"),
        (lambda folder: (folder / "agent/up").symlink_to(".."), "agent/up is a link"),
        (listed("../outside"), "'../outside': the name leads out of the folder"),
        (listed("/etc/passwd"), "'/etc/passwd': the name leads out of the folder"),
    ],
)
def test_files_that_are_changed_are_refused_by_name(change, problem, folder, capsys):
    change(folder)
    assert sobremesa("verify", folder) == 1
    assert problem in capsys.readouterr().out


def test_a_row_of_other_rules_is_refused(folder, capsys):
    changed(folder, table=row_with(games={"kuhn_poker-v1": "0"}))
    assert sobremesa("verify", folder) == 1
    assert "row 1: measured with other rules; submit it again" in capsys.readouterr().out


def test_a_program_writes_no_figures(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot").mkdir()
    tries = "import os\nup = os.path.dirname(os.environ['TMPDIR'])\nopen(f'{up}/figures.json', 'w')\n"
    write_whole(tmp_path / "bot" / "bot.py", f"{tries}\ndef act(view):\n    return view.legal[0]\n")
    words = ["python:bot.py:act", "--folder", "bot", "--game", "kuhn_poker", "--against", "strong", "--deals", "2"]
    code = sobremesa("submit", *words, *STATED)
    if code == 0:
        pytest.skip("this kernel lets no process drop its rights")
    assert "Permission" in capsys.readouterr().err
    assert not (tmp_path / "submissions" / "mine").exists()


def test_a_bot_from_elsewhere_is_submitted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(agents.bot_folders(TORO)["trained"], "theirs")
    assert sobremesa("submit", "theirs", *STATED, "--against", "simple", "--deals", "2", "--tolerance", "0.01") == 0
    one = submissions.read(Path("submissions/mine"))
    assert (one.spec, [*one.files]) == (".", ["agent/bot.json", "agent/policy.onnx"])
    assert one.rows()[0].tolerance == 0.01


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (STATED[:-2], "a submission needs --tokens, tokens of language models that it took"),
        (STATED, "takes AGENT, or --cells DIR"),
        (["python:bot.py:act", *STATED], "needs --folder, the folder of its files, and --game"),
        (["strong", *STATED], "strong is no folder of a bot; add --game"),
        (["strong", "--game", "kuhn_poker", "--folder", ".", *STATED], "--folder needs python:"),
        (["strong", "--game", "kuhn_poker", "--against", "champion", *STATED], "--against champion is not allowed"),
        (["strong", "--game", "kuhn_poker", "--deals", "1", *STATED], "a row takes 2 to 20,000 deals"),
        (["strong", "--game", "kuhn_poker", "--out", ".", *STATED], ". already exists"),
        (["strong", "--game", "kuhn_poker", *STATED, "--name", "../up"], "the submission: Expected `str` matching"),
        (["strong", "--game", "kuhn_poker", *STATED, "--licence", "a|b"], "licence takes 1 to 300 printable"),
        (["strong", "--cells", ".", "--game", "kuhn_poker", *STATED], "--cells and AGENT cannot be combined"),
        (["command:ls", "--folder", ".", "--game", "kuhn_poker", *STATED], "its folder needs the file Containerfile"),
    ],
)  # fmt: skip
def test_an_incomplete_submission_is_refused(words, problem, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert sobremesa("submit", *words) == 2
    assert problem in capsys.readouterr().err
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def cell_of(spec):
    """Return a finished cell that nobody has run."""
    names, wins = ("cpu", "seconds", "low", "high", "plies"), {"simple": 0.5, "strong": 0.5}
    score = 0.5 / tasks.load("estafado-crow").anchors["strong"]  # `random` wins no deal there
    point = cells.Row(decisions=0, against=wins, value=0.5, score=score, forfeits=0, **dict.fromkeys(names, 0.5))
    cell = sweep.plan([spec], ["estafado-crow"])[0]
    record = cells.Record(cell=cell, made={"commit": "abc", "command": ""}, status="finished", rows=[point])
    return msgspec.structs.replace(record, seal=record.sealed())


@pytest.fixture
def of_cells(folder):
    """Return a submission of a cell of the scripted agent `simple`."""
    shutil.rmtree(folder / "agent")
    record = cell_of("simple")
    changed(folder, spec="simple", files={}, secret="", table=None, cells=[published.stored(record)])
    return folder, record


def test_cells_of_another_candidate_or_damaged_are_refused(of_cells):
    folder, record = of_cells
    assert submissions.read(folder).records() == [record]
    changed(folder, cells=[published.stored(cell_of("strong"))])
    with pytest.raises(SubmissionError, match="cell 1, strong/estafado-crow/as-it-is: it takes a finished cell of sim"):
        submissions.read(folder)
    changed(folder, cells=[published.stored(record) | {"seal": "0"}])
    with pytest.raises(SubmissionError, match="cell 1: changed or damaged"):
        submissions.read(folder)


@pytest.mark.thorough
def test_a_cell_with_a_false_score_is_refused(of_cells, capsys):
    assert sobremesa("verify", of_cells[0]) == 1
    assert "cell 1: not the figures of the manifest" in capsys.readouterr().out


@pytest.mark.thorough
def test_cells_of_a_learning_function_are_submitted_and_verified(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = "class First:\n    name = 'first'\n    def act(self, view):\n        return int(view.mask.argmax())\n\n\n"
    write_whole(tmp_path / "mine.py", code + "def learn(task, budget, seed):\n    yield 0, First()\n")
    words = (
        "--algorithms",
        "mine.py:learn",
        "--tasks",
        "estafado-crow",
        "--seeds",
        "1",
        "--budget",
        "10",
        "--out",
        "c",
    )
    assert sobremesa("benchmark", "run", *words) == 0
    shutil.move(tmp_path / "c", tmp_path.parent / "c")
    assert sobremesa("submit", "--cells", tmp_path.parent / "c", "--folder", ".", *STATED) == 0
    assert sobremesa("verify", "submissions/mine") == 0
    assert "verified 1 of 1 rows" in capsys.readouterr().out
    write_whole(tmp_path / "mine.py", code + "def learn(task, budget, seed):\n    yield 1, First()\n")
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree("submissions")
    assert sobremesa("submit", "--cells", tmp_path.parent / "c", "--folder", ".", *STATED) == 2
    assert "it was made with another mine.py:learn" in capsys.readouterr().err


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_accepted_submission_is_whole(name):
    assert submissions.read(SUBMISSIONS / name).name == name


def test_the_board_is_made_of_the_accepted_manifests():
    assert results.read(BOARD) == submissions.board(SUBMISSIONS), "run `make fresh`"


def test_the_board_puts_the_best_first_and_marks_stale_rows(folder):
    changed(folder, table=row_with(games={"kuhn_poker-v1": "0"}))
    (_, line), note = results.shown(submissions.board(folder.parent)["agents"], "board/agents")
    assert line[:5] == ["kuhn_poker-v1", "2", "strong", "", "first"]
    assert note.endswith("All rows: measured with other rules.")
