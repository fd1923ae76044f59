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


def test_the_page_of_the_gpu_is_fresh():
    assert gpu.page(gpu.stored()) == gpu.PAGE.read_text(encoding="utf-8"), "run `python -m tests.gpu.page`"
    assert "Not measured yet" in gpu.page(None)


def test_a_failed_check_heads_the_page_of_the_gpu():
    found = gpu.stored()
    found["checks"][0]["passed"], found["training"] = False, [{"game": "kuhn_poker", "decisions": 10_000}]
    assert "the checks of bandido_alcatraz fail" in gpu.page(found)
    assert "| kuhn_poker | 10,000 |" in gpu.page(found)


def test_a_quick_report_is_the_row_of_its_card():
    kept = gpu.stored()
    versions = kept["versions"] | {"card": "Card of a stranger"}
    report = {"quick": True, "versions": versions, "checks": [{"passed": True}, {"passed": False}]}
    for speed in (20.4, 31.2):
        report["speed"] = [{"game": "kuhn_poker", "million_turns": speed}]
        kept = gpu.keep(report, kept)
    assert [row["kuhn_poker"] for row in kept["cards"]] == ["31"]
    assert "| Card of a stranger |" in gpu.page(kept)
    assert "| 1 of 2 | 31 |" in gpu.page(kept)
    assert gpu.keep(gpu.stored() | {"quick": False}, kept)["cards"] == kept["cards"]


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
    assert fresh.marks(page, "<!-- /search:estafado -->\n") == {"search:estafado": "search:estafado"}
    readme = fresh.ROOT / "envs" / "estafado" / "README.md"
    assert fresh.marks(readme, "<!-- /layout -->\n") == {"layout": "layout:estafado"}
    assert "search:estafado" in fresh.all_tables()
    assert envs.games()[0] in {table.partition(":")[2] for table in fresh.all_tables()}
