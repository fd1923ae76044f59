"""Plain prose: short READMEs, short test names, few of the habits that `prose.py` counts."""

import pytest
from prose import ANCHORS, counts, density, habits_of
from structure import ROOT, long_test_names, packages, readmes

# Upper limits, which only fall. The goal is twice the anchor.
RATES = {
    "what/who as a noun": 10,
    "code that tells or says": 6,
    "nobody, nothing, none": 5,
    "the one before, the latter": 1,
    "beside, lies, holds, goes on": 4,
}
LONGEST = 140  # lines of a README


@pytest.fixture(scope="module")
def rates():
    return density(habits_of(ROOT, packages(ROOT).values()).values())


@pytest.mark.parametrize("habit", RATES)
def test_habits_are_rare(rates, habit):
    assert rates[habit] <= max(RATES[habit], 2 * ANCHORS[habit]), "python tests/tools/structure.py --worst lists files"


def test_readmes_are_short():
    assert not [f"{name}: {size} lines" for size, name in readmes(ROOT) if size > LONGEST]


def test_test_names_are_short():
    assert not list(long_test_names(ROOT)), "at most 60 characters"


@pytest.mark.parametrize(
    ("habit", "text"),
    [
        ("what/who as a noun", "Return what a seat sees. It is for who played it; whoever drives decides."),
        ("code that tells or says", "The function tells the seat; the file says it; a command asks for more."),
        ("nobody, nothing, none", "Nothing is drawn, and none of them plays, where nobody looks."),
        ("the one before, the latter", "The latter is faster. Compare the one before. Such a one loses."),
        ("beside, lies, holds, goes on", "A card lies beside the deck and holds it. Hold a lock; a stand-in runs."),
    ],
)
def test_a_habit_is_counted(habit, text):
    assert counts(text) == dict.fromkeys(ANCHORS, 0) | {habit: 3}


def test_ordinary_sentences_count_nothing():
    text = "What does it cost? A player who passes does nothing. Return None or an array. See what is drawn."
    assert not any(counts(text).values())
    assert counts("The teller says a word.", tale=True)["code that tells or says"] == 0


def test_prose_after_a_table_or_an_indented_line_is_counted(tmp_path):
    (tmp_path / "page.md").write_text("| a | nobody |\n|---|---|\n\n    nobody\n\nNobody plays.\n")
    assert habits_of(tmp_path, [])["page.md"] == (2, dict.fromkeys(ANCHORS, 0) | {"nobody, nothing, none": 1})
