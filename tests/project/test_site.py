"""The site: its contents name every page, and its configuration finds pages, films and figures."""

import inspect
import json
import pydoc
import re
import runpy
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest
from browsing import chromium
from fresh import ROOT, documents

from sobremesa import cli, envs
from sobremesa.training import LoopConfig

SITE = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "conf.py")))


def completed(page):
    """Return the text of a page as Sphinx parses it."""
    source = [page.read_text(encoding="utf-8")]
    SITE.complete(SimpleNamespace(env=SimpleNamespace(doc2path=lambda name: page)), SITE.document(page), source)
    return source[0]


def test_the_contents_name_every_page_once():
    notebooks = (ROOT / "docs" / "notebooks").glob("*.ipynb")
    wanted = [*documents(), ROOT / "CHANGELOG.md", *SITE.REFERENCE, *notebooks]
    assert sorted(SITE.pages()) == sorted(wanted)
    assert SITE.include_patterns == [page.relative_to(ROOT).as_posix() for page in SITE.pages()]


@pytest.mark.parametrize("page", SITE.REFERENCE, ids=lambda page: page.stem)
def test_the_reference_documents_each_name(page):
    text, public = page.read_text(encoding="utf-8"), import_module(page.stem).__all__
    assert f".. automodule:: {page.stem}\n" in text
    assert set() < set(public) <= set(dir(import_module(page.stem))), "Sphinx asks `dir` for members"
    named = re.findall(r"^\.\. auto(?:class|exception|data):: (.+)$", text, re.MULTILINE)
    found = [pydoc.locate(name) for name in [*named, *(f"{page.stem}.{name}" for name in public)]]
    assert None not in found
    plain = re.compile(r"^    (?:# |[a-z]\w*(?:: | = ).*  # (?!noqa))", re.MULTILINE)  # Sphinx reads `#:`
    assert [one for one in found if inspect.isclass(one) and plain.search(inspect.getsource(one))] == []


def test_the_reference_shows_comments_on_fields_and_help_of_keys():
    comment, alias, keys = ["None: no limit"], ["Alias for field number 0"], ["Keys."]
    for what, lines in (("attribute", comment), ("attribute", alias), ("class", keys)):
        SITE.describe(None, what, "", LoopConfig, None, lines)
    assert (comment, alias) == (["..", "", "None: no limit"], [])
    assert ":param minutes: time limit of the run; 0: no limit" in keys


def test_the_reference_shows_all_arguments_and_short_types():
    asks, start = envs.Words.asks, envs.Layout.start
    assert SITE.signature(None, "method", "Words.asks", asks, None, "", "") == ("(state, seat, language)", "")
    assert SITE.signature(None, "method", "Layout.start", start, None, "", "") is None
    assert SITE.signature(None, "class", "A", None, None, "(b: ~typing.Any = <c>)", "") == ("(b: Any = <c>)", "")


def test_the_first_page_plays_five_games():
    text = completed(ROOT / "README.md")
    assert sorted(re.findall(r'src="films/(\w+)\.html#play"', text)) == sorted(SITE.tabletop()) == envs.games()
    assert all(f":caption: {heading}\n" in text for heading in SITE.sections())
    assert "board.svg" not in text


@pytest.mark.parametrize("name", envs.games())
def test_the_page_of_a_game_has_live_figures(name):
    text = completed(ROOT / "envs" / name / "README.md")
    game = envs.load(name)
    assert f"\naction       Discrete({game.num_actions})" in text
    assert game.words.help("es") in text
    assert re.search(r"^champion.* \d", text, re.MULTILINE)
    assert f"/envs/{name}/RULES\n" in text


def test_a_notebook_is_a_page_with_its_outputs(tmp_path):
    printed = {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]}
    drawn = {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}}
    cells = [
        {"cell_type": "markdown", "source": ["# A title\n", "A sentence."]},
        {"cell_type": "code", "source": ["print(1)\n", "print(2)"], "outputs": [printed, drawn]},
    ]
    text = SITE.notebook_page(json.dumps({"cells": cells}))
    code = "```python\nprint(1)\nprint(2)\n```\n\n```text\n1\n2\n```"
    assert text.startswith(f"# A title\nA sentence.\n\n{code}\n\n<img ")
    assert 'src="data:image/png;base64,AAAA"' in text
    assert "<Figure>" not in text


def test_links_to_folders_are_plain_text():
    assert "[`core/`](core)" in (ROOT / "envs" / "README.md").read_text(encoding="utf-8")
    assert "\n`core/` is everything" in completed(ROOT / "envs" / "README.md")


@pytest.mark.parametrize(("motion", "number"), [("no-preference", "2"), ("reduce", "1")])
def test_a_small_film_plays_by_itself_without_buttons(motion, number, tmp_path):
    assert cli.main(["watch", "kuhn_poker", "--seed", "1", "--out", str(tmp_path / "film.html")]) == 0
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 358, "height": 328}, reduced_motion=motion)
        page.goto((tmp_path / "film.html").as_uri() + "#play")
        page.wait_for_function(f"document.querySelector('#count').textContent.startsWith('{number} /')")
        assert not page.locator(".bar").is_visible()


@pytest.mark.thorough
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("furo", reason="Sphinx is not installed: make setup")
    words = ["-q", "-W", "--keep-going", "-d", tmp_path / "trees", "-c", ROOT / "docs", ROOT, tmp_path / "site"]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site" / "llms.txt").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    assert len(targets) > 40
    assert [one for one in targets if not (tmp_path / "site" / one).is_file()] == []
    reference = (tmp_path / "site/docs/reference/sobremesa.envs.html").read_text(encoding="utf-8")
    assert "the short rules in plain Markdown: the aim" in reference
    first = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert all((tmp_path / "site" / film).is_file() for film in re.findall(r'href="(films/\w+\.html)"', first))
    assert "https://" not in "".join(re.findall(r"<(?:script|link|img|iframe)\b[^>]*", first))
