"""Generated tables and pictures in the documents are up to date."""

import re

import fresh
import pytest
from kuhn import GAME as KUHN
from tests.gpu import page as gpu

from sobremesa import envs

MARKED = [page for page in fresh.documents() if "<!-- /" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", MARKED, ids=lambda page: page.relative_to(fresh.ROOT).as_posix())
def test_tables_of_a_page_are_fresh(page):
    assert fresh.fresh_page(page) == page.read_text(encoding="utf-8"), "run `make fresh`"


def report_of(card, speed, quick=True):
    """Return a report of `make gpu` with the speed of one game."""
    versions = {"card": card, "driver": "1", "commit": "abc", "torch": "2"}
    rows = [{"game": "estafado", "tables": 65_536, "million_turns": speed, "bytes": 9, "million_copies": 2 * speed}]
    return {"quick": quick, "versions": versions, "rules": {"estafado-v1": "0"}, "checks": [], "speed": rows}


def test_a_quick_report_is_the_row_of_its_card():
    kept = gpu.keep(report_of("one", 20.0, quick=False), {})
    for speed in (20.4, 31.2):
        kept = gpu.keep(report_of("another", speed), kept)
    assert kept.keys() == {"speed", "cards"}  # a part that was not measured replaces no table
    (row,) = kept["cards"].whole("gpu/cards")
    assert row.cells[:2] == ["another, driver 1", 0]
    assert row.cells[-1] == 31.2
    assert kept["speed"].whole("gpu/speed")[0].cells == ["`estafado`", 20.0, 9, 40, 50]


def test_a_report_with_a_failed_check_is_not_kept():
    failed = report_of("one", 20.0) | {"checks": [{"game": "estafado", "passed": False}]}
    with pytest.raises(SystemExit, match="the checks of estafado fail"):
        gpu.keep(failed, {})


def test_every_table_stands_in_one_page():
    placed = [table for page in MARKED for table in fresh.marks(page, page.read_text(encoding="utf-8")).values()]
    assert sorted(placed) == sorted(fresh.all_tables())


def test_only_the_text_between_marks_changes():
    page = "# Kuhn\n\n" + "\n\nbetween\n\n".join(f"<!-- {mark} -->\n{{}}<!-- /{mark} -->" for mark in fresh.GAME)
    tables, empty = fresh.tables_of(KUHN), page.replace("{}", "")
    done = fresh.fresh(page.replace("{}", "| stale |\n"), tables, "kuhn")
    assert done == fresh.fresh(empty, tables, "kuhn") == fresh.fresh(done, tables, "kuhn")
    assert "stale" not in done
    assert "| 0 | `pass` | `pasar` | 1 |" in done
    assert f"| `seats` | `2` | {KUHN.options[0].allowed()} |" in done
    assert re.sub(r"^\|.*\n", "", done, flags=re.MULTILINE) == empty


def test_a_page_without_a_mark_is_refused():
    with pytest.raises(ValueError, match=r"README\.md must hold <!-- sizes -->"):
        fresh.fresh("# No table", {"sizes": fresh.size_table}, "README.md")


def test_an_unknown_mark_is_refused(tmp_path):
    (tmp_path / "page.md").write_text("<!-- speed -->\n<!-- /speed -->\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has the mark speed; tables are actions:"):
        fresh.fresh_page(tmp_path / "page.md")


def test_a_page_of_results_names_the_game():
    page = fresh.ROOT / "docs" / "results" / "estafado.md"
    assert fresh.marks(page, "<!-- /ladder:estafado -->\n") == {"ladder:estafado": "ladder:estafado"}
    readme = fresh.ROOT / "envs" / "estafado" / "README.md"
    assert fresh.marks(readme, "<!-- /layout -->\n") == {"layout": "layout:estafado"}
    assert "ladder:estafado" in fresh.all_tables()
    assert envs.games()[0] in {table.partition(":")[2] for table in fresh.all_tables()}
