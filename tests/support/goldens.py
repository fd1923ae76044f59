"""Golden files: compared with the present output, or rewritten by `REGENERATE=1 pytest <test file>`."""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "golden"
REGENERATE = os.environ.get("REGENERATE") == "1"


def read(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def rewrite(name, text):
    """Write golden file `name` and fail: a run that rewrites what it compares with has tested nothing."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text(text, encoding="utf-8")
    pytest.fail(f"{name} was written anew; read what changed, and run again without REGENERATE=1")
