"""Sentences in a person's own words at the table of *Érase una vez*."""

import time

import pytest
from erase_tables import action
from rooms import ERASE, TORO
from serving import HOME, LONG, heard, link, opening, play_on, seen, sitting
from starlette.testclient import TestClient

from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.game import PUBLIC
from sobremesa.envs.erase_una_vez.state import A_TELL
from sobremesa.envs.erase_una_vez.text.words import name_of
from sobremesa.serve.app import make_app
from sobremesa.serve.lobby import opening_of
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.table import Refused, Table, continued, open_table
from sobremesa.serve.tables import Tables

WOOD = "Una princesa muy alegre se perdió en el bosque."
SENTENCES = ("Un lobo llegó al bosque.", "A witch found a key.", "El rey dormía.", "Nobody answered.")
TELLING = {"telling": "words", "begins": "seat 0", "max_sentences": 20}


def told(store):
    """Return a table at which seat 0 has told of the wood."""
    table = open_table(store, opening(ERASE, people=2, **TELLING))
    table.play(0, 0, action("tell Bosque"), WOOD, "es")
    return table


def test_a_sentence_is_heard_before_it_is_told(store):
    table = open_table(store, opening(ERASE, people=2, **TELLING))
    assert seen(table, 0)["words"] == 300
    assert seen(table, 1)["words"] == 0
    preview, offers = table.hear(0, 0, WOOD, "es")
    assert "Princesa" in preview.heard
    assert preview.stands
    assert (action("tell Bosque"), "contar Bosque") in offers
    assert not table.deal.plies
    with pytest.raises(Refused, match="late"):
        table.hear(1, 0, WOOD, "es")


def test_a_sentence_is_in_the_log_the_tale_and_the_replay(store, tmp_path):
    table = told(store)
    assert any(WOOD in line for line in seen(table, 0)["told"])
    assert WOOD in " ".join(seen(table, 0, "en")["text"].split())
    play_on(table)
    assert WOOD in " ".join(text for _, text in seen(table, 1)["tale"])
    made = table.deal.replay(table.agents)
    replays.write(tmp_path / "deal.json", made)
    replays.verify(replays.read(tmp_path / "deal.json"))


def test_a_table_with_own_words_is_loaded_again(store):
    table = told(store)
    play_on(table, plies=6)
    again = Table(store, table.name)
    assert again.deal.states.tobytes() == table.deal.states.tobytes()
    assert seen(again, 0) == seen(table, 0)


def test_a_sentence_is_taken_back(store):
    table = open_table(store, opening(ERASE, people=1, seats=3, **TELLING))
    before = seen(table, 0)
    table.play(0, 0, action("tell Bosque"), WOOD, "es")
    table.deal.back(0)
    assert seen(table, 0)["text"] == before["text"]
    assert WOOD not in " ".join(seen(table, 0)["told"])
    assert not table.deal.states["words"].any()


def test_a_deal_is_continued_with_its_words(store):
    table = told(store)
    play_on(table)
    after = open_table(store, continued(table.opening, table.deal.plies[:4], 0, "", {}))
    assert after.deal.states.tobytes() == table.deal.at(4).tobytes()
    assert any(WOOD in line for line in seen(after, 0)["told"])
    assert seen(Table(store, after.name), 0) == seen(after, 0)


def test_what_is_heard_depends_on_the_view_alone(store, monkeypatch):
    table = open_table(store, opening(ERASE, people=2, **TELLING))
    telling, true, found = ERASE.words.telling, table.deal.states.copy(), set()
    preview = telling.preview

    def previewed(_, states, *rest):
        assert states.tobytes() != table.deal.states.tobytes()  # the hands of others are dealt anew
        return preview(states, *rest)

    monkeypatch.setattr(type(telling), "preview", previewed)
    for world in range(8):
        table.deal.states = true.copy()
        ERASE.redeal(table.deal.states[0], 0, world)
        said, offers = table.hear(0, 0, WOOD, "es")
        found.add((said, tuple(offers)))
    assert len(found) == 1


@pytest.mark.parametrize("text", ["", "x" * 301, "\x1b\x1b", "No hay nadie."])
def test_a_bad_sentence_changes_nothing(store, text):
    table = open_table(store, opening(ERASE, people=2, **TELLING))
    before = table.deal.states.copy()
    if text:
        with pytest.raises((Refused, ValueError)):
            table.play(0, 0, action("tell Bosque"), text, "es")
    with pytest.raises((Refused, ValueError)):
        table.play(0, 0, action("pass"), WOOD, "es")
    assert (table.deal.states == before).all()
    assert not table.deal.plies


def test_a_person_tells_by_the_socket(tmp_path):
    tables = Tables(tmp_path)
    table = tables.open(opening(ERASE, people=2, **TELLING))
    with TestClient(make_app(tables, patience=LONG), base_url=HOME) as client:
        address = f"{HOME.replace('http', 'ws')}/wire/{table.tokens[0]}?language=es"
        with client.websocket_connect(address, headers={"origin": HOME}) as socket:
            socket.receive_json()
            socket.send_json({"do": "hear", "moment": 0, "text": "<b>Una princesa</b> en el bosque."})
            found = socket.receive_json()
            assert found["what"] == "heard"
            assert found["stands"]
            assert [action("tell Bosque"), "contar Bosque"] in found["offers"]
            socket.send_json({"do": "tell", "moment": 0, "action": action("tell Bosque"), "text": "x" * 400})
            assert socket.receive_json()["kind"] == "own words"
            socket.send_json({"do": "tell", "moment": 0, "action": action("tell Bosque"), "text": WOOD})
            while WOOD not in " ".join(socket.receive_json().get("told", ())):
                pass
    assert len(table.deal.sayings()) == 1


# The pen is the default for people.


@pytest.mark.parametrize("form", [{"quick": "1"}, {"guided": "1"}, {"option.seats": "3", "seat0": "me"}])
def test_people_tell_in_their_own_words(form):
    form = {"game": "erase_una_vez", **form, "seat1": "agent:simple", "seat2": "agent:simple"}
    assert opening_of(form, Opponents()).setup["telling"] == "words"


def test_lists_are_one_option_away(client):
    page = client.get("/game/erase_una_vez?language=en").text
    assert 'value="words" selected' in page
    form = {"game": "erase_una_vez", "option.seats": "2", "option.telling": "sentences", "seat0": "me"}
    assert opening_of({**form, "seat1": "agent:simple"}, Opponents()).setup["telling"] == "sentences"


def test_a_page_has_a_pen_in_a_game_of_tales_alone(client, tables):
    found = {game: client.get(link(tables.open(opening(game, people=2)), 0)).text for game in (ERASE, TORO)}
    assert 'id="tale"' in found[ERASE]
    assert 'id="telling"' in found[ERASE]
    assert 'id="tale"' not in found[TORO]


def test_a_frame_has_the_turns_and_the_cards_in_hand(store):
    table = told(store)
    assert seen(table, 1)["tale"] == [[0, WOOD]]
    assert "cards" not in seen(table, 1)
    fresh = open_table(store, opening(ERASE, people=2, **TELLING))
    cards, state = dict(seen(fresh, 0, "es")["cards"]), fresh.deal.states[0]
    assert len(cards) == state.hand_size[0]
    assert all(ERASE.words.action_name(card, "es").endswith(name) for card, name in cards.items())


def test_a_verdict_says_what_would_be_nonsense(store):
    table = told(store)
    play_on(table, choose=lambda shown: shown["actions"][-1][0], plies=1)
    for _ in range(2):
        table.play(0, table.moment(0), action("tell Bosque"), "Siguió el bosque.", "es")
        while not table.to_act(0):
            play_on(table, choose=lambda shown: shown["actions"][0][0], plies=1)
    preview, offers = table.hear(0, table.moment(0), "Siguió el bosque.", "es")
    assert not preview.stands
    assert "divaga" in preview.verdict
    assert offers


def test_the_tale_has_a_page_in_both_languages(client, tables):
    table = tables.open(opening(ERASE, people=2, **TELLING))
    table.play(0, 0, action("tell Bosque"), f"<b>{WOOD}", "es")
    page = f"{link(table, PUBLIC)}/tale"
    assert client.get(page).status_code == 403
    play_on(table)
    assert seen(table, 0)["over"]["tale"] == page
    for language, other in (("es", "en"), ("en", "es")):
        answer = client.get(f"{page}?language={language}")
        assert answer.status_code == 200
        assert f"&lt;b&gt;{WOOD}" in answer.text
        assert f'href="?language={other}"' in answer.text
        assert "<script" not in answer.text
        assert "sha256-" in answer.headers["content-security-policy"]
        assert f'aria-label="{name_of(action("tell Bosque") - A_TELL, language).capitalize()}"' in answer.text
    toro = play_on(tables.open(opening(TORO, people=1, max_rounds=1)))
    assert client.get(f"{link(toro, PUBLIC)}/tale").status_code == 404
    assert not seen(toro, 0)["over"]["tale"]


def test_the_page_of_a_tale_outlives_its_table_in_memory(client, tables):
    table = play_on(tables.open(opening(ERASE, people=2, **TELLING)))
    page = f"{link(table, PUBLIC)}/tale"
    before = client.get(page).text
    tables._seatings.clear()
    tables.studies._kept.clear()
    assert client.get(page).text == before


def decide(socket, frame, text):
    """Tell `text` if the frame of the seat to act lets it, else make the first move; return whether it was told."""
    telling = {"do": "tell", "moment": frame["moment"], "text": text}
    offers = []
    if frame["words"]:
        socket.send_json({**telling, "do": "hear"})
        offers = heard(socket, "heard")["offers"]
    if offers:
        socket.send_json({**telling, "action": offers[0][0]})
    else:
        socket.send_json({"do": "play", "moment": frame["moment"], "action": frame["actions"][0][0]})
    return bool(offers)


def test_two_people_and_two_computers_tell_together(client, tables):
    table = tables.open(opening(ERASE, people=2, seats=4, max_sentences=14, telling="words", begins="seat 0"))
    told_by = [0, 0]
    with sitting(client, table, 0, "es") as (one, first), sitting(client, table, 1, "en") as (other, second):
        sockets, shown = (one, other), [first, second]
        while not table.deal.over:
            seat = table.deal.seat
            if seat > 1:
                time.sleep(0.005)  # a computer moves
                continue
            while not shown[seat]["mine"] or shown[seat]["moment"] != table.moment(seat):
                shown[seat] = heard(sockets[seat])
            moment = shown[seat]["moment"]
            told_by[seat] += decide(sockets[seat], shown[seat], SENTENCES[sum(told_by) % len(SENTENCES)])
            while not shown[seat]["over"] and shown[seat]["moment"] == moment:
                shown[seat] = heard(sockets[seat])
    assert sum(told_by) == len(table.deal.sayings())
    assert all(told_by)
