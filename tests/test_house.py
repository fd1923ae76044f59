"""The map of the house in the README is drawn from the files, and says what imports what."""

from pathlib import Path

import pytest

from sobremesa import house
from sobremesa.fresh import fresh_front

README = Path(__file__).resolve().parents[1] / "README.md"


def rows():
    cells = [line.strip("| \n").split(" | ") for line in house.import_map().splitlines()[2:]]
    return {row[0].strip("`"): set(row[2].replace("`", "").split(", ")) if len(row) > 2 else set() for row in cells}


def test_what_is_generated_in_the_readme_is_fresh():
    text = README.read_text(encoding="utf-8")
    assert fresh_front(text) == text, "run `make fresh`"


def test_the_map_says_what_imports_what():
    found = rows()
    assert found["envs/<game>"] == {"envs/core"}
    assert {"envs", "envs/core"} <= found["agents/arena"]
    assert "training" in found["sobremesa/commands"]
    assert not any(
        {"training", "sobremesa/commands"} & found[name] for name in found if name.startswith(("envs", "agents"))
    )
    assert list(found)[:3] == ["envs/core", "envs/<game>", "envs"]


def test_a_readme_without_marks_is_refused():
    with pytest.raises(ValueError, match="must hold <!-- house -->"):
        house.with_map("# Nothing")
