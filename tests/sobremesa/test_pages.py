"""Pages from templates: values are escaped, and Python contains no markup."""

import re
import weakref
from pathlib import Path

import pytest
from pages import pieces_and_sights

import sobremesa
from sobremesa.report import film
from sobremesa.report.page import Bar, render, scale

HOSTILE = "</script></style><script>alert('1')</script><!-- \"'&amp;"
MARKUP = re.compile(r"</?(html|head|body|style|script|main|div|span|p|h\d|table|t[rdh]|iframe|button|option)\b[^>]*>")


def test_no_markup_stands_in_python():
    files = [file for file in Path(sobremesa.__file__).parent.rglob("*.py") if "templates" not in file.parts]
    assert len(files) > 25
    assert [file.name for file in files if MARKUP.search(file.read_text(encoding="utf-8"))] == []


def test_names_cannot_break_out_of_a_film():
    sights = [film.ViewerFilm(HOSTILE, ["<svg><text>a</text></svg>"], [HOSTILE], [0]) for _ in range(2)]
    page = film.page(HOSTILE, sights)
    assert page.count("</script>") == 1  # a string in a script may hold anything but its end and a comment
    assert page.count("<!--") == 0
    assert "<script" not in page.partition("<script>")[0]
    assert page.count("<option>") == 2
    pieces, shown = pieces_and_sights(page)
    assert "".join(pieces) == "<svg><text>a</text></svg>"
    assert [one["captions"] for one in shown] == [[HOSTILE]] * 2


def test_the_scenes_of_a_film_are_not_held_all_at_once():
    class Scene(str):
        __slots__ = ("__weakref__",)

    held = weakref.WeakSet()

    def draw(number):
        assert len(held) < 2  # the one before
        scene = Scene(f"<svg><text>{number}</text></svg>")
        held.add(scene)
        return scene

    page = film.page("deal", [film.ViewerFilm("open", film.Scenes(draw, range(5)), [""] * 5, list(range(5)))])
    _, (shown,) = pieces_and_sights(page)
    assert len(shown["frames"]) == 5


def test_names_cannot_break_out_of_the_report_of_a_run():
    names = ("title", "language", "beside", "summary", "method", "replay", "config", "versions")
    page = render("run", curve=None, scores=[[HOSTILE, "seats"], [HOSTILE, "2"]], **dict.fromkeys(names, HOSTILE))
    assert "<script" not in page
    assert "alert('1')" not in page


def test_a_value_that_no_page_was_given_is_an_error():
    with pytest.raises(Exception, match="'curve' is undefined"):
        render("run", title="", language="en", summary="")


def test_a_scale_holds_what_is_finite():
    rows = [Bar("", 2.0, float("-inf"), 3.0, ""), Bar("", 1.0, 0.0, float("inf"), "")]
    low, high = scale(rows, 5.0)
    assert (low, high) == pytest.approx((-0.2, 5.2))
