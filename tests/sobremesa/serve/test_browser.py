"""The table in a real browser: whole deals by mouse and keyboard, two people, a reload, and a killed server."""

import random

import pytest
from browsing import PHONE, WIDE, Visitor, running
from scale import COMPILED_ONLY

from sobremesa import agents, envs
from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.game import LANGUAGES

GAMES = envs.games()
SIZES = pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])


@COMPILED_ONLY
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_play_reload_and_second_window(browser, home):
    lot, visitor = random.Random(1), Visitor(browser, home, PHONE, "es")
    visitor.sit_down("estafado")
    assert visitor.page.locator("html").get_attribute("lang") == "es"
    assert visitor.fits
    assert visitor.play(lambda: visitor.point(lot), moves=2) == 2
    assert visitor.play(lambda: visitor.press(lot), moves=2) == 2
    told = visitor.page.locator("#told").inner_text()
    visitor.page.reload()
    visitor.wait()
    visitor.told(told)
    other = Visitor(browser, home, WIDE, "es")
    other.open(visitor.page.url.removeprefix(home))  # a second window goes on where the first one is
    other.told(told)
    before = visitor.state()
    other.point(lot)
    visitor.moved(before)
    visitor.told(other.page.locator("#told").inner_text())
    assert not visitor.complaints + other.complaints


@COMPILED_ONLY
@pytest.mark.parametrize("size", [(320, 640), PHONE], ids=["320", "390"])
def test_lobby_and_forms_fit_a_narrow_window(browser, home, size):
    visitor = Visitor(browser, home, size)
    for language in LANGUAGES:
        for path in ("/", *(f"/game/{game}" for game in GAMES)):
            visitor.page.goto(f"{home}{path}?language={language}")
            for more in visitor.page.locator("details").all():
                more.evaluate("one => { one.open = true }")
            assert visitor.fits, path


@COMPILED_ONLY
@pytest.mark.parametrize("size", [(320, 640), PHONE], ids=["320", "390"])
def test_the_hand_is_on_the_screen_of_a_phone(browser, home, size):
    visitor = Visitor(browser, home, size)
    visitor.sit_down("corre_el_encierro")
    cards = visitor.page.locator("#scene [data-piece^=card-]")
    assert cards.count() > 2
    for box in (card.bounding_box() for card in cards.all()):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1] - 60  # the status line covers the foot of the window
        assert box["width"] >= size[0] / 6  # five in a row
    assert visitor.fits


@COMPILED_ONLY
def test_guided_deal_shows_lessons_and_what_is_next(browser, home):
    lot, visitor = random.Random(4), Visitor(browser, home, PHONE, "es")
    visitor.sit_down("ese_toro_enamorado", "guided")
    lesson, usual = visitor.page.locator("#guide p"), visitor.page.locator("#guide form button")
    parts = [lesson.inner_text()]
    while visitor.page.locator("#got").inner_text() == "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}":
        visitor.page.locator("#got").click()
        parts.append(lesson.inner_text())
    assert "Elige tu monte" in " ".join(parts)
    assert not usual.is_visible()
    visitor.play(lambda: visitor.press(lot))
    assert "fácil" in lesson.inner_text()
    assert visitor.fits
    usual.click()
    visitor.wait()
    assert not visitor.page.locator("#guide").count()
    assert not visitor.over
    assert not visitor.complaints


@pytest.mark.thorough
@COMPILED_ONLY
@SIZES
@pytest.mark.parametrize("game", GAMES)
def test_whole_deal_by_pointing(browser, home, game, size):
    lot, visitor = random.Random(game), Visitor(browser, home, size)
    visitor.sit_down(game)
    assert visitor.play(lambda: visitor.point(lot)) > 1
    assert visitor.over
    assert visitor.fits
    visitor.page.wait_for_selector(".course svg")
    assert not visitor.complaints


@pytest.mark.thorough
@COMPILED_ONLY
@SIZES
def test_whole_deal_by_keyboard(browser, home, size):
    lot, visitor = random.Random(2), Visitor(browser, home, size)
    visitor.sit_down("estafado")
    assert visitor.play(lambda: visitor.press(lot)) > 1
    assert visitor.over
    assert not visitor.complaints


@pytest.mark.thorough
@COMPILED_ONLY
def test_pages_reconnect_after_server_is_killed(browser, tmp_path):
    with running(tmp_path) as (home, server):
        host, guest = Visitor(browser, home), Visitor(browser, home)
        host.page.goto(f"{home}/game/estafado?language=en")
        host.page.locator('select[name="seat1"]').select_option("person")
        host.page.locator("form.setup button.main").click()
        host.page.wait_for_selector("#waiting a")
        guest.page.goto(host.page.locator("#waiting a").first.evaluate("one => one.href"))
        for _ in range(8):
            for one in (host, guest):
                if one.page.locator("#moves").is_visible():
                    before = one.state()
                    one.choices().first.click()
                    one.page.wait_for_function(
                        "before => document.querySelector('#table').dataset.shown !== before", arg=before
                    )
        told = host.page.locator("#told").inner_text()
        assert told
        server.kill()
        host.page.wait_for_selector(".lost")
    with running(tmp_path, home.rpartition(":")[2]):
        host.page.wait_for_selector(".lost", state="detached")
        assert host.page.locator("#told").inner_text() == told
        before = [one.state() for one in (host, guest)]
        mine = host if host.page.locator("#moves").is_visible() else guest
        mine.choices().first.click()
        for one, state in zip((host, guest), before, strict=True):
            one.page.wait_for_function("before => document.querySelector('#table').dataset.shown !== before", arg=state)


def moving(visitors):
    """Return who is to move of those at a table."""
    return next(one for one in visitors if one.page.locator("#moves").is_visible())


def together(visitors, act):
    """Do something and wait until all at a table see that it has gone on."""
    before = [one.state() for one in visitors]
    act()
    for one, state in zip(visitors, before, strict=True):
        one.page.wait_for_function("before => document.querySelector('#table').dataset.shown !== before", arg=state)


@pytest.mark.thorough
@COMPILED_ONLY
def test_take_back_by_agreement_and_rematch(browser, home):
    lot, host, guest = random.Random(9), Visitor(browser, home), Visitor(browser, home, PHONE, "es")
    host.page.goto(f"{home}/game/ese_toro_enamorado?language=en")
    host.page.locator('select[name="seat1"]').select_option("person")
    host.page.locator("form.setup details summary").click()
    host.page.locator('select[name="option.max_rounds"]').select_option("1")
    host.page.locator("form.setup button.main").click()
    host.page.wait_for_selector("#waiting a")
    guest.page.goto(host.page.locator("#waiting a").first.evaluate("one => one.href") + "?language=es")
    for one in (host, guest):
        one.page.wait_for_selector("#scene svg")
    both = (host, guest)
    mine = moving(both)
    other = guest if mine is host else host
    together(both, mine.choices().first.click)
    mine.choices()
    mine.page.locator("#back").click()
    other.page.wait_for_selector("#table[data-ready=yes] #agree:visible")
    together(both, other.page.locator("#agree").click)
    for one in both:
        one.page.wait_for_selector("#wish", state="hidden")
    while not host.over:
        choices = moving(both).choices()
        together(both, choices.nth(lot.randrange(choices.count())).click)
    for one in both:
        one.page.wait_for_selector("#table[data-ready=yes] .course svg")
    host.page.get_by_role("button", name="Rematch").click()
    host.page.wait_for_selector("#scene svg")
    guest.page.get_by_role("link", name="A la partida siguiente").click()
    guest.page.wait_for_selector("#scene svg")
    assert "2 you" in host.page.locator("#seats li").nth(1).inner_text()
    assert guest.page.locator("#seats li").first.inner_text().startswith("1")
    assert not host.complaints + guest.complaints


@pytest.mark.thorough
@COMPILED_ONLY
@SIZES
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_serious_barriers(browser, home, size, scheme):
    lot, visitor = random.Random(4), Visitor(browser, home, size)
    visitor.page.emulate_media(color_scheme=scheme)
    visitor.page.set_content("<html lang=en><title>A</title><main><h1>A</h1><img src=a.png></main>")
    assert [what for what, _ in visitor.barriers()] == ["image-alt"]  # axe-core looks
    found = {}
    for address in ("/", "/game/erase_una_vez", "/nothing"):
        visitor.page.goto(home + address)
        found[address] = visitor.barriers()
    for game in GAMES:
        visitor.sit_down(game)
        found[game] = visitor.barriers()
    visitor.sit_down("corre_el_encierro")
    visitor.play(lambda: visitor.press(lot))
    visitor.page.wait_for_selector(".course svg")
    found["over"] = visitor.barriers()
    assert not {place: what for place, what in found.items() if what}


@pytest.mark.thorough
@COMPILED_ONLY
def test_pieces_move_from_where_they_stood(browser, home):
    lot, visitor = random.Random(8), Visitor(browser, home)
    visitor.page.emulate_media(reduced_motion="no-preference")
    visitor.sit_down("ese_toro_enamorado")
    visitor.page.evaluate("""() => {
        window.moves = [];
        const animate = Element.prototype.animate, middle = one => {
            const {x, y, width, height} = one.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
        };
        Element.prototype.animate = function (...how) {
            const moving = animate.apply(this, how);
            moving.pause();
            const from = middle(this);
            moving.finish();
            window.moves.push([this.dataset.piece, from, middle(this)]);
            return moving;
        };
    }""")
    where = "() => Object.fromEntries([...document.querySelectorAll('[data-piece]')].map(one => {"
    where += "const {x, y, width, height} = one.getBoundingClientRect();"
    where += "return [one.dataset.piece, [x + width / 2, y + height / 2]]}))"
    seen = {}
    for _ in range(6):
        for name, middle in visitor.page.evaluate(where).items():
            seen.setdefault(name, []).append(middle)
        visitor.play(lambda: visitor.press(lot), moves=1)
        visitor.page.wait_for_timeout(600)
    moves = visitor.page.evaluate("window.moves")
    assert moves
    for _, start, end in moves:
        assert max(abs(one - other) for one, other in zip(start, end, strict=True)) > 4
    own = next(name for name, *_ in moves)
    first = next(start for name, start, _ in moves if name == own)
    assert any(max(abs(one - other) for one, other in zip(first, middle, strict=True)) < 2 for middle in seen[own])
    assert not visitor.complaints


@pytest.mark.thorough
@COMPILED_ONLY
def test_replay_is_opened_analysed_and_continued(browser, home, tmp_path):
    game, file, visitor = envs.load("ese_toro_enamorado"), tmp_path / "deal.json", Visitor(browser, home, PHONE)
    replays.write(file, replays.record(game, [agents.load(name, game) for name in ("random", "strong")], 2))
    page = visitor.page
    page.goto(f"{home}/?language=en")
    page.locator("form.replays input").set_input_files(str(file))
    page.locator("form.replays button").click()
    visitor.wait()
    page.locator(".costly button").click()
    page.wait_for_selector(".costly li")
    assert visitor.fits
    assert not visitor.barriers()
    page.locator(".over a").first.click()
    page.wait_for_selector("#scene svg")
    assert page.locator("#count").inner_text().startswith("1 /")
    page.keyboard.press("ArrowRight")
    assert page.locator("#count").inner_text().startswith("2 /")
    assert visitor.fits
    assert not visitor.barriers()
    page.locator("#up").click()
    visitor.wait()
    change = page.locator(".course li a").first
    ply = int(change.get_attribute("href").split("#")[1])
    change.click()
    page.wait_for_selector("#scene svg")
    assert page.locator("#count").inner_text().startswith(f"{ply + 1} /")
    page.go_back()
    visitor.wait()
    page.locator(".costly button").click()
    page.locator(".costly li button").first.click()
    assert visitor.wait()
    assert not visitor.complaints


@pytest.mark.thorough
@COMPILED_ONLY
def test_onlookers_see_the_table_change(browser, home):
    lot, player, onlooker = random.Random(3), Visitor(browser, home), Visitor(browser, home, PHONE)
    player.sit_down("estafado")
    onlooker.page.goto(player.page.locator("#links a").last.evaluate("one => one.href"))
    onlooker.page.wait_for_selector("#scene svg")
    before = onlooker.page.locator("#scene").inner_html()
    player.play(lambda: player.press(lot), moves=1)
    onlooker.page.wait_for_function("before => document.querySelector('#scene').innerHTML !== before", arg=before)
    assert not onlooker.page.locator("#scene .point").count()
    assert onlooker.fits
    assert not player.complaints + onlooker.complaints
