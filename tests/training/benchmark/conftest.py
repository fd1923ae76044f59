"""A suite of one small task, and cells without the sandbox."""

import msgspec
import pytest
from benchmark_cells import LEARNER, run

from sobremesa.training.benchmark import cells, load, sandbox, tasks


@pytest.fixture
def tiny(monkeypatch):
    """Have a suite of one task, scored over four deals."""
    task = tasks.stamped(msgspec.structs.replace(load("estafado-crow"), deals=4))
    monkeypatch.setattr(tasks, "suite", lambda: (task,))
    tasks._problem.cache_clear()
    yield task
    tasks._problem.cache_clear()


@pytest.fixture
def learner(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(LEARNER)
    return path


@pytest.fixture
def unconfined(monkeypatch):
    """Have verified cells run in this process, where the suite is `tiny`; test_sandbox.py tests the sandbox."""

    def here(folder, cell, made):
        return sandbox.Ran(run(folder / "cell", cell, made), cells.rebuilt(cell), ("as a test",))

    monkeypatch.setattr(sandbox, "run", here)
