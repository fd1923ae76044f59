"""Sentences in a person's own words at the table of *Érase una vez*."""

import pytest
from erase_tables import action
from rooms import ERASE
from serving import HOME, LONG, opening, play_on, seen
from starlette.testclient import TestClient

from sobremesa.agents.arena import replay as replays
from sobremesa.serve.app import make_app
from sobremesa.serve.table import Refused, Table, continued, open_table
from sobremesa.serve.tables import Tables

WOOD = "Una princesa muy alegre se perdió en el bosque."
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
    heard, offers = table.hear(0, 0, WOOD, "es")
    assert "Princesa" in heard
    assert (action("tell Bosque"), "contar Bosque") in offers
    assert not table.deal.plies
    with pytest.raises(Refused, match="late"):
        table.hear(1, 0, WOOD, "es")


def test_a_sentence_is_in_the_log_the_tale_and_the_replay(store, tmp_path):
    table = told(store)
    assert any(WOOD in line for line in seen(table, 0)["told"])
    assert WOOD in " ".join(seen(table, 0, "en")["text"].split())
    play_on(table)
    assert WOOD in seen(table, 1)["over"]["tale"]
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
            heard = socket.receive_json()
            assert heard["what"] == "heard"
            assert [action("tell Bosque"), "contar Bosque"] in heard["offers"]
            socket.send_json({"do": "tell", "moment": 0, "action": action("tell Bosque"), "text": "x" * 400})
            assert socket.receive_json()["kind"] == "own words"
            socket.send_json({"do": "tell", "moment": 0, "action": action("tell Bosque"), "text": WOOD})
            while WOOD not in " ".join(socket.receive_json().get("told", ())):
                pass
    assert len(table.deal.sayings()) == 1
