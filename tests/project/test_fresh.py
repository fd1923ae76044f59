"""Generated tables are fresh; the map of the house is drawn from the files, and says what imports what."""

from pathlib import Path

import pytest

from sobremesa import envs, fresh, house

ROOT = Path(__file__).resolve().parents[2]


def rows():
    cells = [line.strip("| \n").split(" | ") for line in house.import_map().splitlines()[2:]]
    return {row[0].strip("`"): set(row[2].replace("`", "").split(", ")) if len(row) > 2 else set() for row in cells}


def test_what_is_generated_in_documents_that_are_about_no_game_is_fresh():
    folders = [ROOT / one for one in ("docs", "envs", "agents", "training", "configs", "sobremesa", "tests")]
    pages = [ROOT / "README.md", *(page for folder in folders for page in folder.rglob("*.md"))]
    marked = [path for path in pages if "<!-- /" in path.read_text(encoding="utf-8")]
    others = [path for path in marked if path.parent.name not in envs.all_games()]
    assert {path.relative_to(ROOT).as_posix() for path in others} == set(fresh.pages())
    for path in others:
        text = path.read_text(encoding="utf-8")
        assert fresh.fresh_page(path.relative_to(ROOT).as_posix(), text) == text, "run `make fresh`"


def test_the_map_says_what_imports_what():
    found = rows()
    assert "envs/core" in found["envs/<game>"]
    assert all(name.startswith("envs/core") for name in found["envs/<game>"])
    assert {"envs", "envs/core"} <= found["agents/arena"]
    assert "training" in found["sobremesa/commands"]
    assert not any(
        {"training", "sobremesa/commands"} & found[name] for name in found if name.startswith(("envs", "agents"))
    )
    tops = ["envs/core", "envs/<game>", "envs"]
    assert [name for name in found if name in tops] == tops


def test_a_readme_without_marks_is_refused():
    with pytest.raises(ValueError, match="must hold <!-- sizes -->"):
        fresh.fresh_page("README.md", "# Nothing")
