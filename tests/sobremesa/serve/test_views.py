"""Pages at the usual sizes of windows: how large pictures are, what stays whole, what covers what, and what moves."""

import random
from functools import partial

import pytest
from browsing import PHONE, Visitor
from scale import COMPILED_ONLY

from sobremesa import envs
from sobremesa.envs.core.game import LANGUAGES

pytestmark = [COMPILED_ONLY, pytest.mark.filterwarnings("ignore::ResourceWarning")]
GAMES = envs.games()
LAPTOP, DESKTOP, SMALL_PHONE = (1366, 768), (1920, 1080), (320, 640)
WINDOWS = pytest.mark.parametrize(
    "size",
    [LAPTOP, *(pytest.param(one, marks=pytest.mark.thorough) for one in (DESKTOP, (1280, 900)))],
    ids=lambda size: f"{size[0]}x{size[1]}",
)
FRAME = {"offset", "computedOffset", "easing", "composite"}  # of every animation
BRIEF = 4000  # milliseconds that an animation of an idle page may take
MOST_COVERED = 0.15  # of a phone's window, by a lesson
LEAST_USED = 0.7  # of the width of the room for a picture
BOX = """() => {
    const {width, height} = document.querySelector("#scene svg").getBoundingClientRect();
    const room = document.querySelector(".board").clientWidth;
    return [Math.round(width), Math.round(height), room];
}"""
MOVING = """() => document.getAnimations().map(({effect}) => [
    effect.getComputedTiming().endTime,
    Object.keys(effect.getKeyframes()[0]),
])"""
CLIPPED = """() => {
    const node = document.querySelector("#explain"), panel = document.querySelector("#panel"), found = [];
    for (const one of document.querySelectorAll("#scene [aria-label], #scene title, #list button")) {
        const thing = one.matches("title") ? one.parentNode : one;
        thing.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
        const {top, bottom} = node.getBoundingClientRect(), frame = panel.getBoundingClientRect();
        const least = getComputedStyle(node).position === "fixed" ? 0 : frame.top;
        const whole = node.scrollHeight <= node.clientHeight && top >= least && bottom <= innerHeight;
        if (node.textContent && !whole) found.push(node.textContent);
    }
    return found;
}"""
COVERED = """() => {
    const node = document.querySelector("#guide");
    if (!node.getClientRects().length) return [0, 0];
    const {top, bottom} = node.getBoundingClientRect();
    const under = one => { const box = one.getBoundingClientRect(); return box.top < bottom && box.bottom > top; };
    return [(bottom - top) / innerHeight, [...document.querySelectorAll("#scene .can .mark")].filter(under).length];
}"""


@WINDOWS
@pytest.mark.parametrize("game", GAMES)
def test_a_wide_picture_is_large_keeps_its_size_and_stands_still(browser, home, game, size):
    lot, visitor = random.Random(game), Visitor(browser, home, size)
    visitor.page.emulate_media(reduced_motion="no-preference")
    visitor.sit_down(game)
    for end, properties in visitor.page.evaluate(MOVING):
        assert end is not None  # infinite
        assert end <= BRIEF
        assert set(properties) - FRAME in ({"opacity"}, {"transform"})  # which need no drawing
    visitor.page.wait_for_function("() => document.getAnimations().length === 0")
    boxes = [visitor.page.evaluate(BOX)]
    card = visitor.page.locator("#scene .point .mark").first.bounding_box()
    for _ in range(3):
        visitor.play(partial(visitor.point, lot), moves=1)
        boxes.append(visitor.page.evaluate(BOX))
    width, height, room = boxes[0]
    assert width >= LEAST_USED * room
    if visitor.page.locator("#tale").count():  # next to the pen is the picture of a phone, which scrolls
        assert all(box[0] == width for box in boxes)
        assert 0 < card["y"] < card["y"] + card["height"] <= size[1]
    else:
        assert all(box == boxes[0] for box in boxes)
        assert height <= size[1] - 100  # pixels of the head of the page and the latest event
    assert not visitor.page.evaluate(CLIPPED)
    visitor.context.close()


@pytest.mark.parametrize("size", [SMALL_PHONE, pytest.param(PHONE, marks=pytest.mark.thorough)], ids=["320", "390"])
@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_covers_little_of_a_phone(browser, home, game, size):
    lot, visitor = random.Random(game), Visitor(browser, home, size, LANGUAGES[size == PHONE])
    visitor.sit_down(game, "guided")
    lesson, button = visitor.page.locator("#guide p"), visitor.page.locator("#got")
    for _ in range(2):
        share, hidden = visitor.page.evaluate(COVERED)
        assert share <= MOST_COVERED
        assert not hidden  # of what can be pointed at
        parts = 1
        while button.is_visible():
            assert lesson.evaluate("one => one.scrollHeight <= one.clientHeight")
            button.click()
            parts += 1
        assert parts <= 6
        visitor.play(partial(visitor.press, lot), moves=1)
        visitor.wait()
    visitor.context.close()


@pytest.mark.thorough
def test_the_last_lesson_leaves_room_for_the_review(browser, home):
    lot, visitor = random.Random(4), Visitor(browser, home, LAPTOP)
    visitor.sit_down("ese_toro_enamorado", "guided")
    visitor.play(partial(visitor.press, lot))
    visitor.page.locator("#over").scroll_into_view_if_needed()
    assert visitor.page.locator("#panel #guide").count() == 1  # it scrolls with the review
    assert visitor.page.locator("#panel").evaluate("one => one.clientHeight") > 0.8 * LAPTOP[1]
    visitor.context.close()
