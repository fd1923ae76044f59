"""Run the notebooks of docs/notebooks, and store or compare their outputs.

    python tests/tools/notebooks.py docs/notebooks/train.ipynb            # runs it and stores outputs and figures
    python tests/tools/notebooks.py --check docs/notebooks/train.ipynb    # runs it and compares the texts

The cells run in order in this process, in an empty folder, as in a fresh kernel of Jupyter. Their outputs are printed
text, the value of a last expression without a semicolon, and open figures. `--check` returns 1 if a text differs.
Outputs of a cell with the tag `varies`, whose numbers depend on the processor, are not compared, and figures never are.
"""

import argparse
import ast
import base64
import contextlib
import difflib
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sobremesa.envs.core.files import write_whole

os.environ["MPLBACKEND"] = "agg"
VARIES = "varies"
DPI = 80


class CellError(RuntimeError):
    """A cell that raised."""


def text_of(cell: dict[str, Any]) -> str:
    """Return the text outputs of a code cell."""
    found = []
    for output in cell["outputs"]:
        found += output.get("text", []) or output.get("data", {}).get("text/plain", []) * (
            output["output_type"] == "execute_result"
        )
    return "".join(found)


def run_cell(source: str, names: dict[str, Any], where: str) -> list[dict[str, Any]]:
    """Run a cell with the variables `names` and return its outputs; raise CellError if it raises."""
    tree, last = ast.parse(source), None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(tree, where, "exec"), names)
            value = None if last is None else eval(compile(last, where, "eval"), names)
        except Exception as error:
            raise CellError(f"{where}: {type(error).__name__}: {error}") from error
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": repr(value).splitlines(True)}
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs + list(map(shown, figures()))


def figures() -> list[bytes]:
    """Return the open figures as PNG, and close them."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot

    found = []
    for number in pyplot.get_fignums():
        content = io.BytesIO()
        pyplot.figure(number).savefig(content, dpi=DPI, bbox_inches="tight", metadata={"Software": None})
        found.append(content.getvalue())
    pyplot.close("all")
    return found


def shown(picture: bytes) -> dict[str, Any]:
    """Return the output that shows a figure."""
    data = {"image/png": base64.b64encode(picture).decode(), "text/plain": ["<Figure>"]}
    return {"data": data, "metadata": {}, "output_type": "display_data"}


def run(notebook: dict[str, Any], name: str) -> None:
    """Run the code cells of `notebook` and replace their outputs; raise CellError if one raises."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        cell["outputs"] = run_cell("".join(cell["source"]), names, f"{name}, cell {number}")
        cell["execution_count"] = number
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = number


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the lines of text outputs that differ, without those of cells that vary."""
    found: list[str] = []
    for one, other in zip(before["cells"], after["cells"], strict=True):
        if one["cell_type"] == "code" and VARIES not in one["metadata"].get("tags", ()):
            was, now = text_of(one).splitlines(), text_of(other).splitlines()
            found += difflib.unified_diff(was, now, "stored", "printed now", lineterm="")
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Run the notebooks; return 1 if one raised or differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--check", action="store_true", help="compare the outputs with the stored ones")
    arguments = parser.parse_args(words)
    for file in [file.resolve() for file in arguments.files]:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        stored = json.loads(json.dumps(notebook))
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            try:
                run(notebook, file.name)
            except CellError as error:
                print(error, file=sys.stderr)
                return 1
        if not arguments.check:
            write_whole(file, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        elif lines := differences(stored, notebook):
            print(f"{file.name} differs", *lines, sep="\n", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
