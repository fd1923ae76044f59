import os
from functools import cache

import numpy as np
import pytest
from scale import CHECKED, PLAIN

os.environ["SOBREMESA_QUIET"] = "1"  # here and in processes that tests start; what a command says is tested
MODE = "plain Python" if PLAIN else "compiled, every index checked" if CHECKED else "compiled"


@cache
def text_of(file):
    return file.read_text(encoding="utf-8")


def pytest_collection_modifyitems(items):
    """Refuse a test whose marker does not stand in its own file: `make` looks there for what a mode runs."""
    for item in items:
        for name in ("kernels", "walks"):
            if item.get_closest_marker(name) and f"mark.{name}" not in text_of(item.path):
                raise pytest.UsageError(f"{item.nodeid}: write pytest.mark.{name} in its file, where make looks for it")


def pytest_terminal_summary(terminalreporter):
    """Say which of the three modes this was: two of them write to one terminal."""
    terminalreporter.write_line(f"mode: {MODE}")


@pytest.fixture(autouse=True)
def _integer_overflow_raises_in_plain_mode():
    """Compiled kernels compute with wider integers than NumPy's scalars do: make plain mode say where they differ."""
    with np.errstate(over="raise" if PLAIN else "warn"):
        yield


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    """A finished run, so small that it has learnt nothing; read it, do not write."""
    from runs import train_tiny

    return train_tiny(tmp_path_factory.mktemp("tiny") / "run")


@pytest.fixture(scope="session")
def tiny_bot(tiny_run):
    """The bot of `tiny_run`; read it, do not write."""
    from sobremesa.training.bots import export

    export(tiny_run, tiny_run.parent / "bot")
    return tiny_run.parent / "bot"
