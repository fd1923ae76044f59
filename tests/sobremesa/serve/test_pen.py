"""Writing at the table of *Érase una vez* in a real browser: the pen, the book, the chat and the page of the tale."""

import pytest
from browsing import PHONE, WIDE, Visitor
from scale import COMPILED_ONLY

from sobremesa.serve.chat import BURST

LINE = "<b>Bravo</b>"
FIRST = "One day a card was told: {}."
# What a book marks of the turns of a tale that grows; one is left out before the third, and two before the rest.
MARKS = """async tales => {
    const {Book} = await import("../static/book.js"), node = document.createElement("ol"), book = new Book(node);
    return tales.map((turns, number) => {
        book.show(turns.map(text => [0, text]), [0, 0, 1, 2, 2][number], ["A"]);
        return [...node.querySelectorAll("mark")].map(one => one.textContent);
    });
}"""
ANSWERED = "() => !document.querySelector('#chat form input').value || document.querySelector('#refusal').textContent"


def seated(browser, home, people=1, size=WIDE):
    """Return the visitors at a new table of three, where the first one begins."""
    host = Visitor(browser, home, size, pen=True)
    host.page.goto(f"{home}/game/erase_una_vez?language=en")
    host.page.locator("form.setup details summary").click()
    host.page.locator('select[name="option.begins"]').select_option("seat 0")
    for seat in range(1, people):
        host.page.locator(f'select[name="seat{seat}"]').select_option("person")
    host.page.locator("form.setup button.main").click()
    host.wait()
    guests = []
    for link in host.page.locator("#waiting a").all():
        guests.append(Visitor(browser, home, PHONE, "es", pen=True))
        guests[-1].page.goto(link.evaluate("one => one.href") + "?language=es")
        guests[-1].page.wait_for_selector("#scene svg")
    return [host, *guests]


def write(visitor, text):
    """Write a sentence and wait for its verdict."""
    visitor.page.locator("#telling textarea").fill(text)
    visitor.page.wait_for_function("() => document.querySelector('.verdict').textContent")


@COMPILED_ONLY
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_card_lights_up_while_one_writes_and_enter_tells_it(browser, home, size):
    (host,) = seated(browser, home, size=size)
    page = host.page
    assert page.locator("#tale li").count() == 0
    assert not page.locator("#list").is_visible()
    name = page.locator("#telling .cards li").first.inner_text()
    text = FIRST.format(f"the {name.lower()}")
    write(host, text)
    assert name in page.locator("#telling .heard").inner_text()
    assert page.locator("#telling .verdict.stands").count()
    assert page.locator("#telling .lit").all_inner_texts() == [name]
    assert page.locator("#scene .hinted").count()
    assert host.fits
    assert not host.barriers()
    page.locator("#telling textarea").press("Enter")
    page.wait_for_selector("#tale li")
    assert text in page.locator("#tale li").first.inner_text()
    assert page.locator("#tale mark").count()
    assert not host.complaints


@COMPILED_ONLY
def test_the_list_of_moves_is_one_tap_away_and_remembered(browser, home):
    (host,) = seated(browser, home)
    host.page.locator("#listed summary").click()
    assert host.page.locator("#list button").first.is_visible()
    host.page.reload()
    host.wait()
    first = host.page.locator("#list button").first
    stood = first.bounding_box()
    first.hover()
    host.page.wait_for_function("() => document.querySelector('#explain').textContent")
    assert first.bounding_box() == stood  # else a click would miss it
    host.page.locator("#scene .point.can .touch").last.click(force=True)
    assert host.page.locator("#choice").is_visible()  # nothing is played by a single tap while one may write
    assert not host.complaints


@COMPILED_ONLY
def test_two_people_chat_and_one_switches_it_off(browser, home):
    host, guest = seated(browser, home, people=2)
    host.page.locator("#chat form input").fill(LINE)
    host.page.locator("#chat form button").click()
    guest.page.wait_for_selector("#chat li")
    assert LINE in guest.page.locator("#chat li").inner_text()
    guest.page.locator("#chat .emotes button").first.click()
    host.page.wait_for_function("() => document.querySelectorAll('#chat li').length === 2")
    guest.page.locator("#chat > label").click()
    assert not guest.page.locator("#chat li").first.is_visible()
    guest.page.reload()
    guest.page.wait_for_selector("#scene svg")
    assert not guest.page.locator("#chat form").is_visible()
    field = host.page.locator("#chat form input")
    for number in range(2 * BURST):  # beyond the rate
        field.fill(f"line {number}")
        field.press("Enter")
        host.page.wait_for_function(ANSWERED)
        if field.input_value():
            break
    assert field.input_value() == f"line {number}"
    assert host.page.locator("#refusal").inner_text()
    write(host, FIRST.format("a king"))
    host.page.locator("#telling textarea").press("Enter")
    guest.page.wait_for_selector("#tale li")  # the guest is asked in the fourth deal of this server, and so sees it
    assert FIRST.format("a king") in guest.page.locator("#tale li").first.inner_text()
    assert guest.fits
    assert not host.complaints + guest.complaints


@COMPILED_ONLY
def test_the_book_marks_what_is_new_in_a_long_tale(browser, home):
    (host,) = seated(browser, home)
    marked = host.page.evaluate(MARKS, [["a", "b"], ["a", "b c"], ["b c", "d"], ["d", "e", "f"], ["d", "x"]])
    assert marked == [["", ""], ["", " c"], ["", "d"], ["", "e", "f"], ["", ""]]
