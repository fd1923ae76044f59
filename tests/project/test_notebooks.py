"""The notebooks run without an error and print what is stored, and the tool that runs them detects both."""

import json
import os
import subprocess
import sys

import notebooks
import pytest
from fresh import ROOT

FOLDER = ROOT / "docs" / "notebooks"


def code(*lines, tags=()):
    source = [f"{line}\n" for line in lines]
    return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": source, "outputs": [],
            "execution_count": None}  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a notebook of cells and returns its file."""

    def write(*cells):
        (tmp_path / "some.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
        return str(tmp_path / "some.ipynb")

    return write


def outputs(file):
    with open(file, encoding="utf-8") as text:
        return [cell["outputs"] for cell in json.load(text)["cells"]]


def test_outputs_are_stored_and_compared(written, capsys):
    file = written(code("x = 3", "print('one')", "x + 1"), code("x += 1", "None"), code("x;"))
    assert notebooks.main([file]) == 0
    (printed, value), nothing, quiet = outputs(file)
    assert (printed["text"], value["data"]["text/plain"], nothing, quiet) == (["one\n"], ["4"], [], [])
    assert notebooks.main(["--check", file]) == 0
    with open(file, encoding="utf-8") as text:
        changed = text.read().replace('"4"', '"5"')
    with open(file, "w", encoding="utf-8") as text:
        text.write(changed)
    assert notebooks.main(["--check", file]) == 1
    assert "-5\n+4" in capsys.readouterr().err


def test_outputs_that_vary_are_not_compared(written):
    file = written(code("import time", "time.time_ns()", tags=["varies"]))
    assert notebooks.main([file]) == 0
    assert notebooks.main(["--check", file]) == 0
    assert notebooks.main([written(code("import time", "time.time_ns()"))]) == 0
    assert notebooks.main(["--check", file]) == 1


def test_a_cell_that_raises_is_named(written, capsys):
    assert notebooks.main(["--check", written(code("x = 1"), code("x / 0"))]) == 1
    assert "some.ipynb, cell 2: ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_a_figure_is_stored(written):
    file = written(code("from matplotlib import pyplot", "pyplot.plot([1, 2]);"))
    assert notebooks.main([file]) == 0
    ((figure,),) = outputs(file)
    assert figure["data"]["image/png"].startswith("iVBOR")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.ipynb")), ids=lambda file: file.stem)
def test_a_notebook_is_complete(file):
    cells = [cell for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert all(" at 0x" not in notebooks.text_of(cell) for cell in cells)  # an address is another one in each run
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"])


SLOW = [pytest.param(name, marks=pytest.mark.thorough) for name in ("benchmark", "train")]


@pytest.mark.parametrize("name", ["evaluate", *SLOW])
def test_a_notebook_prints_what_is_stored(name):
    words = [sys.executable, ROOT / "tests" / "tools" / "notebooks.py", "--check", FOLDER / f"{name}.ipynb"]
    quiet = os.environ | {"SOBREMESA_QUIET": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=quiet, check=False)
    assert done.returncode == 0, done.stderr
