"""Chat and emotes: bounded, for the players of tables that allow them, and never stored."""

import json

import pytest
from rooms import ERASE
from serving import heard, opening, play_on, refused, seen, sitting

from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve.chat import BURST, KEPT, LONGEST, RATE, Chat
from sobremesa.serve.lobby import opening_of
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.table import Refused, Table, turned

LINE = "¡Qué bien! <b>😀</b>"


def say(socket, text=LINE):
    socket.send_json({"do": "chat", "text": text})


def test_players_and_onlookers_see_a_line(client, tables):
    table = tables.open(opening(ERASE, people=2))
    assert seen(table, 0)["chat"]
    with sitting(client, table, 0) as (one, _), sitting(client, table, 1) as (other, _):
        say(one, f"  {LINE}\n\u202e ")
        for socket in (one, other):
            assert heard(socket, "chat")["lines"] == [[0, LINE]]
        with sitting(client, table, PUBLIC) as (onlooker, _):
            assert heard(onlooker, "chat")["lines"] == [[0, LINE]]
            say(onlooker)
            assert refused(onlooker) == "looks on"


def test_a_line_is_in_no_frame_event_or_replay(client, tables):
    table = tables.open(opening(ERASE, people=2, max_sentences=10))
    before = seen(table, 1)
    with sitting(client, table, 0) as (socket, _):
        say(socket)
        heard(socket, "chat")
        assert seen(table, 1) == before
        play_on(table)
    assert not [event for event in tables.store.opened(table.name)[2] if event.kind not in ("play", "over")]
    assert LINE not in json.dumps(seen(table, 0), ensure_ascii=False)
    assert LINE.encode() not in tables.replay(table)


@pytest.mark.parametrize("text", ["", "  \n", "x" * (LONGEST + 1), "\x00"])
def test_an_empty_or_long_line_is_refused(text):
    chat = Chat()
    with pytest.raises(Refused, match="message"):
        chat.add(0, text)
    assert not chat.count


def test_the_lines_of_each_seat_are_bounded(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("sobremesa.serve.guard.time.monotonic", lambda: clock[0])
    chat = Chat()
    for _ in range(BURST):
        chat.add(0, "a")
    with pytest.raises(Refused, match="fast"):
        chat.add(0, "a")
    chat.add(1, "b")
    clock[0] += 1 / RATE
    chat.add(0, "c")
    for _ in range(2 * KEPT):
        clock[0] += 1 / RATE
        chat.add(0, "d")
    assert len(chat.lines) == KEPT


@pytest.mark.parametrize(("people", "form"), [(1, "yes"), (2, "no")])
def test_a_table_of_one_person_or_without_chat_has_none(client, tables, people, form):
    places = {"seat0": "me", "seat1": "person" if people > 1 else "agent:simple", "seat2": "agent:simple"}
    settings = opening_of({"game": "erase_una_vez", "option.seats": "3", "chat": form, **places}, Opponents())
    table = tables.open(settings)
    assert not seen(table, 0)["chat"]
    assert Table(tables.store, table.name).opening.chat == (form == "yes")
    assert turned(table.opening, table.players).chat == (form == "yes")
    with sitting(client, table, 0) as (socket, _):
        say(socket)
        assert refused(socket) == "no chat"


def test_onlookers_read_the_finished_turns_of_a_tale(tables):
    table = tables.open(opening(ERASE, people=2, seats=3, max_sentences=40))
    counts = set()
    while not table.deal.over:
        play_on(table, plies=1)
        shown, whole = seen(table, PUBLIC), ERASE.words.paragraphs(table.deal.states, "en")
        turns = [[one.seat, one.text] for one in whole]
        assert shown["tale"] == (turns if table.deal.over else turns[:-1])
        assert bool(shown["scene"]) == bool(shown["text"]) == table.deal.over
        counts.add(len(turns))
    assert len(counts) > 4


def test_a_long_tale_says_how_many_turns_are_left_out(tables, monkeypatch):
    table = play_on(tables.open(opening(ERASE, people=2, seats=3, max_sentences=40)))
    whole = seen(table, 0)
    assert whole["earlier"] == 0
    monkeypatch.setattr("sobremesa.serve.frames.TURNS", 3)
    short = seen(table, 0)
    assert short["tale"] == whole["tale"][-3:]
    assert short["earlier"] == len(whole["tale"]) - 3
