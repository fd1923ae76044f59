"""A table that people come back to: games under way, results for each seat, and rematches."""

import pytest
from browsing import PHONE, Visitor, chromium, running
from rooms import BANDIDO, ESTAFADO, TORO
from scale import COMPILED_ONLY
from serving import HOME, SEED, landed, opening, play_on, seen

from sobremesa.envs.core.deal import payoffs
from sobremesa.serve.table import seat_link

OURS = {"origin": HOME}


def path(table, seat):
    return seat_link(seat, table.tokens[seat])


def test_brief_state_of_a_table(client, tables):
    table = play_on(tables.open(opening(ESTAFADO, people=2)), plies=3)
    seat = table.deal.seat
    known = {"title": ESTAFADO.words.title["en"], "players": ["person 0", "person 1"], "over": False}
    assert client.get(f"{path(table, seat)}/brief.json").json() == known | {"mine": True}
    assert client.get(f"{path(table, 1 - seat)}/brief.json").json() == known | {"mine": False}
    assert client.get("/seat/nothing/brief.json").status_code == 404
    tables._seatings.clear()
    assert client.get(f"{path(table, seat)}/brief.json").json() == known | {"mine": None}
    assert not tables._seatings  # the lobby loads no table


@pytest.mark.parametrize("game", [BANDIDO, TORO], ids=["team", "rivals"])
def test_each_seat_gets_its_result(tables, game):
    setup = {"max_rounds": 1} if game is TORO else {}
    table = play_on(tables.open(opening(game, people=2, **setup)))
    paid = payoffs(game, table.deal.states)
    for seat in (0, 1):
        outcome = seen(table, seat)["over"]["outcome"]
        if game is BANDIDO:
            assert outcome == ("You have won together!" if paid.any() else "You have lost together.")
        else:
            best = paid[seat] == paid.max()
            shared = paid[0] == paid[1]
            assert outcome == ("You share the win." if shared else "You have won!" if best else "You have lost.")
    assert seen(table, -1)["over"]["outcome"] == ""
    tables.store.close()


def test_rematch_deals_anew_and_the_same_deal_does_not(client, tables):
    for form, same in (({"new": "1"}, False), ({}, True)):
        table = play_on(tables.open(opening(TORO, people=2, max_rounds=1)))
        answer = client.post(f"{path(table, 0)}/next", data=form, headers=OURS)
        following, seat = tables.find(landed(answer).partition("?")[0].removeprefix("/seat/"))
        assert seat == 1
        assert following.table.names("en") == table.names("en")[::-1]
        assert (following.table.opening.seed == SEED) == same
        second = client.post(f"{path(table, 1)}/next", data={"new": "1"}, headers=OURS)  # one next deal for all
        assert tables.find(landed(second).partition("?")[0].removeprefix("/seat/"))[0] is following


@pytest.mark.thorough
@COMPILED_ONLY
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_lobby_lists_the_games_under_way(tmp_path):
    with chromium() as browser, running(tmp_path) as (home, _):
        visitor = Visitor(browser, home, PHONE, "es")
        page = visitor.page
        page.goto(f"{home}/?language=es")
        assert page.locator("#mine").is_hidden()
        page.goto(f"{home}/game/ese_toro_enamorado?language=es")
        page.locator("form.setup details summary").click()
        page.locator('select[name="option.max_rounds"]').select_option("1")
        page.locator('select[name="option.mountains"]').select_option("by_night")
        page.locator("form.setup button.main").click()
        visitor.wait()
        page.goto(f"{home}/?language=es")
        page.wait_for_selector("#mine li .due")
        assert "Te toca" in page.locator("#mine li").inner_text()
        assert visitor.fits
        assert not visitor.barriers()
        page.locator("#mine li a").click()
        while visitor.wait():
            before = visitor.state()
            visitor.choices().last.click()
            visitor.moved(before)
        assert page.locator(".result").inner_text() in ("¡Has ganado!", "Has perdido.", "Compartes la victoria.")
        over = page.url
        page.get_by_role("button", name="Revancha").click()
        page.wait_for_url(lambda address: "/seat/" in address and address != over)
        visitor.wait()
        page.goto(f"{home}/?language=es")
        page.wait_for_selector("#mine li")
        assert page.locator("#mine li").count() == 1  # the rematch; the first one is over
        page.locator("#mine li button").click()
        page.wait_for_selector("#mine", state="hidden")
        assert not visitor.complaints
