"""Clicks and keys at the table in a real browser: each plays at most one move, and the focus stays with the moves."""

import json

import pytest
from browsing import PHONE, WIDE, Visitor
from scale import COMPILED_ONLY

pytestmark = [COMPILED_ONLY, pytest.mark.filterwarnings("ignore::ResourceWarning")]
HELD = 12  # repeats of a held key
APART = 120  # milliseconds between the clicks of a double click; the agents answer sooner


def watched(browser, home, size=WIDE):
    """Return a visitor and the list of its sent moves, which grows."""
    visitor, sent = Visitor(browser, home, size), []

    def send(content):
        sent.extend([wish] if (wish := json.loads(content))["do"] == "play" else [])

    visitor.page.on("websocket", lambda wire: wire.on("framesent", send))
    return visitor, sent


def middle(thing):
    thing.scroll_into_view_if_needed()
    box = thing.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def double_click(page, thing):
    page.mouse.move(*middle(thing))
    for count in (1, 2):
        page.mouse.down(click_count=count)
        page.mouse.up(click_count=count)
        page.wait_for_timeout(APART)


def double_tap(page, thing):
    at = middle(thing)
    for _ in range(2):
        page.touchscreen.tap(*at)
        page.wait_for_timeout(APART)


@pytest.mark.parametrize(
    ("size", "twice"),
    [(WIDE, double_click), pytest.param(PHONE, double_tap, marks=pytest.mark.thorough)],
    ids=["click", "tap"],
)
def test_double_click_plays_one_move(browser, home, size, twice):
    visitor, sent = watched(browser, home, size)
    visitor.sit_down("bandido_alcatraz")
    for made in range(3):
        assert visitor.wait()
        visitor.page.wait_for_timeout(300)  # else the next click continues the last double click
        twice(visitor.page, visitor.page.locator("#list button:visible").first)
        assert len(sent) == made + 1
    assert not visitor.complaints


@pytest.mark.thorough
def test_double_click_on_the_board_plays_one_move(browser, home):
    visitor, sent = watched(browser, home)
    visitor.sit_down("ese_toro_enamorado")
    for _ in range(2):
        assert visitor.wait()
        before = len(sent)
        double_click(visitor.page, visitor.page.locator("#scene .point.can .touch").first)
        assert len(sent) <= before + 1
        visitor.finish()
        assert len(sent) == before + 1


def test_a_held_key_plays_one_move_and_the_focus_stays(browser, home):
    visitor, sent = watched(browser, home)
    visitor.sit_down("bandido_alcatraz")
    page, keys = visitor.page, visitor.page.keyboard
    page.locator("#list button").first.focus()
    for made in range(3):
        assert visitor.wait()
        for _ in range(HELD):  # the later ones arrive as repeats
            keys.down("Enter")
            page.wait_for_timeout(30)
        keys.up("Enter")
        assert len(sent) == made + 1
        visitor.wait()
        assert page.evaluate("document.activeElement === document.querySelector('#list button')")
    page.locator("#scene .point.can").first.focus()
    for made in range(3, 5):
        while len(sent) == made:
            page.wait_for_timeout(450)
            keys.press("Enter")
        visitor.wait()
        assert page.evaluate("document.activeElement.matches('.point.can, #list button, #confirm')")


@pytest.mark.thorough
def test_input_for_an_earlier_state_changes_nothing(browser, home):
    visitor, sent = watched(browser, home)
    visitor.sit_down("estafado")
    page = visitor.page
    first = visitor.state()
    page.mouse.move(*middle(page.locator("#list button:visible").first))
    page.evaluate("document.querySelector('#list button').click()")  # as another window of the seat
    page.mouse.down()  # before the next choices appear
    visitor.moved(first)
    page.wait_for_timeout(500)
    before = len(sent)
    page.mouse.up()
    page.wait_for_timeout(100)
    assert len(sent) == before
    second = visitor.state()
    page.evaluate("document.querySelector('#back').click(); document.querySelector('#back').click()")
    visitor.moved(second)
    page.wait_for_function("() => document.querySelector('#refusal').innerText.includes('earlier state')")
    assert visitor.state().split()[1] == first.split()[1]  # one move is taken back
