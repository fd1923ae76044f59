"""What people see and hear of the moves of others: one event after the other, with its picture."""

from itertools import pairwise

import pytest
from browsing import ASKED, Visitor, chromium, running
from rooms import BANDIDO, ENCIERRO, ERASE, ESTAFADO
from scale import COMPILED_ONLY
from serving import opening, play_on

from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve.frames import MOST_STEPS, step, steps
from sobremesa.serve.store import Store
from sobremesa.serve.table import open_table
from sobremesa.serve.tables import FILE

PAUSE = 400  # milliseconds, one of the speeds
RECORD = """() => {
    window.seen = [];
    const event = document.querySelector('#event'), scene = document.querySelector('#scene');
    const watch = (node, what, look) => new MutationObserver(() => seen.push([what, performance.now(), look()]))
        .observe(node, {childList: true});
    watch(event, 'event', () => event.innerText);
    watch(scene, 'scene', () => scene.querySelectorAll('.new').length);
}"""


EVENTS = "() => seen.filter(([what]) => what === 'event').length"
MOVED = "document.querySelector('#table').dataset.shown !== before"


@pytest.fixture
def table(tmp_path):
    store = Store(tmp_path / FILE)
    yield lambda game, people=1: open_table(store, opening(game, people=people))
    store.close()


def test_plies_between_are_shown_one_by_one(table):
    played = play_on(table(BANDIDO), plies=12)
    assert list(steps(played, 0, 8)) == [9, 10, 11]
    assert list(steps(played, 0, 12)) == []
    assert list(steps(played, PUBLIC, 10)) == [11]
    past = step(played, 0, "en", False, 9)
    assert b'"mine":false' in past
    assert b'"actions":[]' in past
    assert step(played, 0, "en", False, 12) == b""  # taken back meanwhile
    assert len(steps(play_on(table(ESTAFADO), plies=MOST_STEPS + 9), 0, 0)) <= MOST_STEPS


def test_a_past_frame_equals_the_one_of_its_time(table):
    live = table(BANDIDO, people=2)
    play_on(live, plies=5)
    before = live.view(0)
    play_on(live, plies=4)
    after = live.view(0, 5)
    assert before.state.tobytes() == after.state.tobytes()


def test_secret_turns_have_no_steps(table):
    for game in (ERASE, ENCIERRO):
        played = play_on(table(game, people=2), plies=30)
        assert all(not steps(played, viewer, 0) for viewer in (0, 1, PUBLIC))


@COMPILED_ONLY
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_events_follow_one_another_at_the_chosen_speed(tmp_path):
    with chromium() as browser, running(tmp_path) as (home, _):
        visitor = Visitor(browser, home, pause=PAUSE)
        page = visitor.page
        page.add_init_script(
            "window.tones = 0; AudioContext.prototype.createOscillator = new Proxy("
            "AudioContext.prototype.createOscillator, {apply: (...of) => (tones++, Reflect.apply(...of))})"
        )
        page.goto(f"{home}/game/corre_el_encierro?language=en")
        page.locator("#seats").select_option("5")
        page.locator("form.setup button.main").click()
        visitor.wait()
        name = page.locator("#seats li").nth(1).inner_text().removeprefix("2").strip()
        assert page.locator("#scene text", has_text=name[:10]).count()  # players by name on the board
        assert not page.locator("#scene text", has_text="Runner 2").count()
        page.evaluate(RECORD)
        page.locator("#sound").check()
        while page.evaluate(EVENTS) < 6:
            visitor.wait()
            assert page.title().startswith("● Your move")
            page.evaluate("seen.length = 0")
            before = visitor.state()
            visitor.choices().first.click()
            page.wait_for_function(
                f"before => {MOVED} && ({ASKED} || {EVENTS.removeprefix('() => ')} >= 6)", arg=before
            )
        seen = page.evaluate("seen")
        assert page.locator("#moves").is_hidden()  # the move waits for the last event
        assert page.locator("#status").inner_text() == "Showing what happened …"
        page.locator("#skip").click()
        page.wait_for_selector("#skip", state="hidden")
        visitor.wait()
        times = [at for what, at, _ in seen if what == "event"]
        assert min(after - before for before, after in pairwise(times)) > PAUSE * 0.8
        told = page.locator("#told li").all_inner_texts()[::-1]
        first = told.index(next(text for what, _, text in seen if what == "event"))
        assert [text for what, _, text in seen if what == "event"] == told[first : first + len(times)]
        assert page.locator("#scene .new").count()
        assert page.evaluate("tones") >= 2  # when it was switched on, and at each move
        page.locator("#speed").select_option("2200")
        page.reload()
        assert visitor.wait()
        assert page.locator("#speed").input_value() == "2200"
        assert page.locator("#sound").is_checked()
        assert not visitor.complaints
