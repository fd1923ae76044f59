"""Hooks of sentences of *Érase una vez*; C, H and O numbers as in its RULES.md."""

import pytest
from erase_tables import (
    THINGS,
    after,
    asked,
    choices,
    context,
    do,
    last,
    log,
    narrator,
    seats_asked,
    table,
)

pytestmark = pytest.mark.kernels

QUIET = ("Ladrón", "Hacha", "Loco")  # hands that have no say in most tales below


# C3.3, H7: the hook


def hook(tale, name, **settings):
    """Return what a sentence about something hangs on after a tale."""
    return last(after(table(["Loco", "Hacha", "Ladrón"], tale=tale, **settings), f"tell {name}"))[2]


def test_c3_3_the_first_sentence_hangs_on_nothing():
    assert hook("", "Rey") is None
    assert log(after(table(QUIET), "tell Rey"))["hook"] is None


@pytest.mark.parametrize(
    ("tale", "found"),
    [
        ("Reina*, Reino*, Palacio*", "Palacio"),
        ("Reina*, Reino*, Palacio", "Reino"),
        ("Reina*, Reino, Palacio", "Reina"),
        ("Reina, Reino*, Palacio", "Reino"),
        ("Reina, Reino, Palacio*", "Palacio"),
        ("Reina, Reino, Palacio", "Palacio"),
    ],
)
def test_c3_3_the_hook_is_the_latest_tied_thing_on_the_table(tale, found):
    assert hook(tale, "Rey") == found


@pytest.mark.parametrize(
    ("tale", "found"),
    [
        ("bebé, Reino*, Palacio", "Reino"),
        ("Reino*, manto, Palacio", "manto"),
        ("bebé, Reino, Palacio", "bebé"),
        ("Reino*, Palacio, bebé", "bebé"),
    ],
)
def test_c3_3_a_concept_is_as_good_as_a_card_on_the_table(tale, found):
    assert hook(tale, "Rey") == found


@pytest.mark.parametrize(
    ("tale", "found"),
    [
        ("Reino*, Hoguera*, Río*", "Reino"),
        ("Reino, Hoguera*, Río*", "Reino"),
        ("Hoguera*, Reino, Río*", "Reino"),
        ("Palacio, Reino, Río*", "Reino"),
        ("Palacio, Reino, lago", "Reino"),
    ],
)
def test_c3_3_what_is_tied_comes_before_what_is_not(tale, found):
    assert hook(tale, "Rey") == found


@pytest.mark.parametrize("tale", ["Hoguera*, Río*, Montaña", "Hoguera, Río, Montaña", "bebé, Río*, Isla, Montaña"])
def test_c3_3_where_nothing_is_tied_the_latest_is_the_hook(tale):
    assert hook(tale, "Loco") == "Montaña"


def test_c3_3_what_has_left_the_context_is_no_hook():
    assert hook("Reina*, Hoguera, Río, Montaña", "Rey") == "Montaña"


def test_c3_3_a_thing_does_not_hang_on_itself():
    assert hook("Reina*, Rey", "Rey") == "Reina"
    assert hook("Reina, Rey*", "Rey") == "Reina"


def test_c3_3_a_card_hangs_on_its_hook_like_any_sentence():
    states = do(table(["Rey, Ladrón", *QUIET[1:]], tale="Reina*, Palacio"), "card Rey")
    assert last(states)[2] == "Reina"


def test_h7_nobody_is_asked_for_the_hook():
    states = table(["Rey, Ladrón", *QUIET[1:]], tale="Reina*, Palacio, Reino")
    assert asked(states) == (0, "tell")
    assert not {text for text in choices(states) if text.startswith("hook")}
    assert asked(do(states, "tell bebé")) == (0, "tell")


# O7: the narrator chooses the hook

MANUAL = {"hook": "manual"}


def test_o7_the_narrator_chooses_a_hook_before_each_sentence():
    states = table(["Rey, Ladrón", *QUIET[1:]], tale="Reina*, Palacio*, Reino*", setup=MANUAL)
    do(states, "tell bebé")
    assert asked(states) == (0, "hook")
    assert choices(states) == {"hook 1", "hook 2", "hook 3", "pass"}
    assert context(states) == ["bebé", "Reino", "Palacio"]
    before = states.copy()
    for number, name in enumerate(context(states), 1):
        do(states := before.copy(), f"hook {number}")
        assert asked(states) == (0, "tell")
        assert not choices(states) & {"pass", "hook 1"}
        assert choices(states) == {"card Rey", "card Ladrón", *(f"tell {name}" for name in THINGS)}
        do(states, "tell Princesa")
        assert last(states)[2] == log(states)["hook"] == name
        assert asked(states) == (0, "hook")


def test_o7_a_hook_holds_for_one_sentence():
    states = table(["Rey, Ladrón", *QUIET[1:]], tale="Reina*, Palacio*, Reino*", setup=MANUAL, stage=1)
    do(states, "hook 3", "card Rey")
    assert last(states)[2] == "Reina"
    do(states, "hook 1", "tell Palacio")
    assert last(states)[2] == "Rey"


def test_o7_what_stands_twice_in_the_context_is_offered_once():
    states = table(["Rey, Ladrón", *QUIET[1:]], tale="Reino*, Reina*, Reina*", setup=MANUAL, stage=1)
    assert choices(states) == {"hook 1", "hook 3", "pass"}


def test_o7_nobody_is_asked_where_there_is_one_thing_to_hang_on():
    states = do(table(["Rey, Ladrón", *QUIET[1:]], setup=MANUAL), "card Rey")
    assert asked(states) == (0, "tell")
    do(states, "tell Rey")
    assert (asked(states), last(states)[2]) == ((0, "tell"), "Rey")


def test_o7_a_chosen_hook_may_be_claimed():
    settings = {"tale": "Reina*, Reino, Rey*", "setup": MANUAL, "stage": 1}
    states = table(["Loco, Hacha", "Reino", "Ladrón"], **settings)
    assert seats_asked(after(states, "hook 1", "tell Princesa")) == []
    do(states, "hook 2", "tell Princesa")
    assert (asked(states), choices(states)) == ((1, "react"), {"nothing", "claim Reino"})
    assert narrator(do(states, "claim Reino")) == 1


def test_o7_sense_does_not_hang_on_the_hook():
    states = table(["Loco", "Hacha", "Ladrón"], tale="Reina*, Río*, Montaña*", setup=MANUAL, stage=1)
    assert last(after(states, "hook 1", "tell Rey")) == ("bridge", "Rey", "Montaña", 10)


def test_o7_passing_needs_no_hook():
    states = table(["Rey, Ladrón", *QUIET[1:]], tale="Reina*, Palacio*", setup=MANUAL, stage=1)
    assert asked(do(states, "pass")) == (0, "passing")
