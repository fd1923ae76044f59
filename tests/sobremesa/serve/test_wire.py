"""The socket of a table: moves, refusals, hints and slow agents."""

import contextlib
import json
import threading

import pytest
from rooms import ENCIERRO, ESTAFADO, TORO
from serving import (
    LONG,
    SEED,
    connect,
    heard,
    link,
    opening,
    refused,
    seen,
    sitting,
)
from starlette.websockets import WebSocketDisconnect

from sobremesa import agents
from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve import limits, wire
from sobremesa.serve.guard import Bucket
from sobremesa.serve.table import Refused
from sobremesa.serve.tables import STUDENTS
from sobremesa.serve.wire import LARGEST, LATER


def test_an_address_has_so_many_sockets_open(client, tables, monkeypatch):
    monkeypatch.setattr(limits, "SOCKETS", 2)
    table = tables.open(opening(ESTAFADO, people=2))
    with sitting(client, table, 0), sitting(client, table, 1):
        with connect(client, table.tokens[0]) as third:
            assert refused(third) == "many sockets"
            with pytest.raises(WebSocketDisconnect) as closed:
                third.receive_json()
        assert closed.value.code == LATER
    with sitting(client, table, 0) as (_, shown):
        assert shown["what"] == "frame"


def test_a_person_plays_an_agent_by_the_socket(client, tables):
    table = tables.open(opening(ENCIERRO, people=1))
    with sitting(client, table, 0, "es") as (socket, shown):
        while not shown["over"]:
            if shown["mine"]:
                wish = {"do": "play", "moment": shown["moment"], "action": shown["actions"][0][0]}
                socket.send_json(wish)
            shown = heard(socket)
    assert client.get(f"{link(table, 0)}/replay.json").json()["seed"] == SEED
    replays.verify(replays.read(tables.replay_file(table)))


def test_two_tabs_and_a_reload_see_the_same_and_play_once(client, tables):
    table = tables.open(opening(ESTAFADO, people=2))
    seat = table.deal.seat
    with sitting(client, table, seat) as (one, first), sitting(client, table, seat) as (two, second):
        assert first == second
        wish = {"do": "play", "moment": first["moment"], "action": first["actions"][0][0]}
        one.send_json(wish)
        after = heard(one)
        assert heard(two) == after
        two.send_json(wish)  # the same once more is no error
        two.send_json({**wish, "action": first["actions"][1][0]})
        assert refused(two) == "late"
    with sitting(client, table, seat) as (_, again):
        assert again == after
    assert len(table.deal.plies) == 1


def test_whatever_comes_gets_a_refusal_and_changes_nothing(client, tables):
    table = tables.open(opening(ESTAFADO, people=2))
    seat, before = table.deal.seat, seen(table, table.deal.seat)
    forbidden = next(action for action in range(ESTAFADO.num_actions) if not table.deal.mask[action])
    play = {"do": "play", "moment": 0, "action": forbidden}
    wrong = {
        "message": [
            "", "[", "null", "{}", "[1]", "é", "\0", "[" * 2000, json.dumps({**play, "action": "1"}),
            json.dumps({**play, "action": 1.5}), json.dumps({**play, "action": True}), json.dumps({**play, "seat": 1}),
            '{"do":"play","moment":0,"action":1e99}', json.dumps({"do": "seed"}), json.dumps({"do": ["play"]}),
        ],
        "illegal": [json.dumps(play), json.dumps({**play, "action": -1}), json.dumps({**play, "action": 2**60})],
        "late": [json.dumps({**play, "moment": moment}) for moment in (1, -5, 2**62)],
        "nothing": ['{"do":"back","moment":0}'],
        "no wish": ['{"do":"agree","wish":1,"yes":true}'],
    }  # fmt: skip
    with sitting(client, table, seat) as (socket, _):
        for why, messages in wrong.items():
            for message in messages:
                socket.send_text(message)
                assert refused(socket) == why, message
        socket.send_bytes(b"\xff\xfe")
        assert refused(socket) == "message"
    with sitting(client, table, 1 - seat) as (socket, _):
        socket.send_json({"do": "play", "moment": 0, "action": 0})
        assert refused(socket) == "turn"
        socket.send_json({"do": "hint"})
        assert refused(socket) == "turn"
    with sitting(client, table, PUBLIC) as (socket, _):
        socket.send_json({"do": "name", "name": "me"})
        assert refused(socket) == "looks on"
    with sitting(client, table, seat) as (socket, _):
        socket.send_text("x" * 1_000_000)
        assert refused(socket) == "large"
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()
    assert LARGEST < 1_000_000
    assert seen(table, seat) | {"links": []} == before | {"links": []}  # but that a guest has come
    assert not tables.store.opened(table.name)[2]


def test_a_flood_is_refused_and_ended(client, tables):
    table = tables.open(opening(ESTAFADO, people=2))
    kinds = []
    with sitting(client, table, table.deal.seat) as (socket, _), contextlib.suppress(WebSocketDisconnect):
        for _ in range(300):
            socket.send_text("{}")
        while True:
            kinds.append(refused(socket))
    assert set(kinds) == {"message", "fast"}
    assert len(kinds) < 80  # a flood is not answered by a flood
    assert not table.deal.plies


def test_a_bucket_fills_again(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("sobremesa.serve.guard.time.monotonic", lambda: now[0])
    bucket = Bucket(rate=2.0, burst=3)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def test_windows_of_a_seat_share_one_hint(client, tables, monkeypatch):
    asked, go = [], threading.Event()

    def think(seating, seat, moment):
        asked.append((seat, moment))
        assert go.wait(LONG)
        return b'{"en": [[1, "so"]], "es": [[1, "as\xc3\xad"]]}'

    monkeypatch.setattr(wire, "_think", think)
    table = tables.open(opening(TORO, people=2))
    seat = table.deal.seat
    with sitting(client, table, seat) as (one, shown), sitting(client, table, seat, "es") as (two, _):
        for socket in (one, two):
            socket.send_json({"do": "hint"})
        one.send_json({"do": "hint"})
        assert heard(one, "refused")["kind"] == "busy"
        go.set()
        assert [heard(socket, "hint")["lines"] for socket in (one, two)] == [[[1, "so"]], [[1, "así"]]]
        one.send_json({"do": "hint"})  # kept
        assert heard(one, "hint")["lines"] == [[1, "so"]]
    assert asked == [(seat, shown["moment"])]


def test_a_hint_whose_windows_are_closed_is_not_worked_out(tables, monkeypatch):
    monkeypatch.setattr(wire, "Thinker", lambda *_: pytest.fail("it is worked out"))
    table = tables.open(opening(TORO, people=2))
    seating, seat = tables.find(table.tokens[table.deal.seat])
    with pytest.raises(Refused, match="turn"):
        wire._think(seating, seat, table.moment(seat))


def test_an_address_awaits_so_many_hints(client, tables, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(limits, "HINTS", 1)
    monkeypatch.setattr(wire, "_think", lambda *_: go.wait(LONG) and b'{"en": []}')
    first, second = (tables.open(opening(TORO, people=2)) for _ in range(2))
    with sitting(client, first, first.deal.seat) as (one, _), sitting(client, second, second.deal.seat) as (two, _):
        one.send_json({"do": "hint"})
        one.send_json({"do": "nothing"})  # answered after the hint has begun
        assert refused(one) == "message"
        two.send_json({"do": "hint"})
        assert refused(two) == "many hints"
        go.set()
        heard(one, "hint")
        two.send_json({"do": "hint"})
        heard(two, "hint")


def test_onlookers_and_seats_have_places_of_their_own(client, tables, monkeypatch):
    monkeypatch.setattr(wire, "ONLOOKERS", 2)
    monkeypatch.setattr(wire, "SEAT_SOCKETS", 2)
    table = tables.open(opening(ESTAFADO, people=2))
    with contextlib.ExitStack() as windows:
        for seat in (PUBLIC, 0, 1):
            for _ in range(2):
                assert windows.enter_context(sitting(client, table, seat))[1]["what"] == "frame"
            with connect(client, table.tokens[seat]) as third:
                assert refused(third) == "connections"
                with pytest.raises(WebSocketDisconnect) as closed:
                    third.receive_json()
                assert closed.value.code == LATER


def test_a_hint_does_not_wait_for_films(client, tables, monkeypatch):
    monkeypatch.setattr(wire, "_think", lambda *_: b'{"en": [[1, "so"]]}')
    table, shown = tables.open(opening(TORO, people=2)), threading.Event()
    for _ in range(STUDENTS):
        tables._students.submit(shown.wait, LONG)
    with sitting(client, table, table.deal.seat) as (socket, _):
        socket.send_json({"do": "hint"})
        assert heard(socket, "hint")["lines"] == [[1, "so"]]
    shown.set()


def test_a_hint_says_what_a_search_thinks(client, tables, monkeypatch):
    monkeypatch.setattr("sobremesa.serve.wire.HINT", "search(simple, worlds=16, actions=2)")
    table = tables.open(opening(ESTAFADO, people=2))
    before = table.deal.states.tobytes()
    with sitting(client, table, table.deal.seat) as (socket, shown):
        socket.send_json({"do": "hint"})
        hint = heard(socket, "hint")
    assert hint["moment"] == shown["moment"]
    legal = {action for action, *_ in shown["actions"]}
    assert hint["lines"]
    assert all(action in legal and " – " in text and "%" not in text for action, text in hint["lines"])
    assert table.deal.states.tobytes() == before


class Slow:
    """An agent that thinks until it is let go."""

    name = "slow"

    def __init__(self):
        self.asked, self.go = threading.Event(), threading.Event()

    def act(self, view):
        self.asked.set()
        assert self.go.wait(20)
        return int(view.mask.nonzero()[0][0])


def test_a_slow_agent_delays_no_other_table(client, tables, monkeypatch):
    slow, load = Slow(), agents.load
    monkeypatch.setattr(
        agents, "load", lambda spec, game=None: slow if getattr(spec, "spec", spec) == "slow" else load(spec, game)
    )
    late = tables.open(opening(ENCIERRO, people=0, agent="slow"))
    with sitting(client, late, PUBLIC):
        assert slow.asked.wait(20)
        table = tables.open(opening(TORO, people=1))
        with sitting(client, table, 0) as (socket, shown):
            for _ in range(5):
                while not shown["mine"]:
                    shown = heard(socket)
                socket.send_json({"do": "play", "moment": shown["moment"], "action": shown["actions"][0][0]})
                shown = heard(socket)
        assert not late.deal.plies
        slow.go.set()


@pytest.mark.parametrize("error", [ValueError, IndexError])
def test_an_agent_that_fails_is_told_of_and_asked_again(client, tables, monkeypatch, error):
    load, broken = agents.load, [True]

    class Broken:
        name = "broken"

        def act(self, view):
            if broken:
                raise error("out of order")
            return int(view.mask.nonzero()[0][0])

    monkeypatch.setattr(
        agents,
        "load",
        lambda spec, game=None: Broken() if getattr(spec, "spec", spec) == "broken" else load(spec, game),
    )
    table = tables.open(opening(TORO, people=1, agent="broken"))
    with sitting(client, table, 0) as (socket, shown):
        while not shown["trouble"]:
            if shown["mine"]:
                socket.send_json({"do": "play", "moment": shown["moment"], "action": shown["actions"][0][0]})
            shown = heard(socket)
        assert "out of order" not in str(shown)  # its words may hold what its seat sees
        broken.clear()
        socket.send_json({"do": "retry"})
        while not shown["mine"]:
            shown = heard(socket)
        assert not shown["trouble"]
