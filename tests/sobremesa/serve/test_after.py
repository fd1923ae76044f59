"""What a finished deal offers: replay, film, win chances and blunders."""

import dataclasses
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pages import pieces_and_sights
from rooms import ENCIERRO, TORO
from serving import (
    OURS,
    SEED,
    heard,
    landed,
    link,
    opening,
    play_on,
    send_replay,
    sitting,
)

from sobremesa import agents
from sobremesa.agents.arena import replay as replays
from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve import app
from sobremesa.serve.forms import file_of
from sobremesa.serve.table import Refused


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A replay as a file, whose first agent has a name of two lines' worth of letters beyond ASCII."""
    weak, file = agents.load("simple", ENCIERRO), tmp_path_factory.mktemp("deals") / "deal.json"
    replay = replays.record(ENCIERRO, [weak] * 3, 5)
    replays.write(file, dataclasses.replace(replay, agents=("María <b>é</b> ñ", "simple", "simple")))
    return file.read_bytes()


def test_uploaded_replay_is_shown_and_continued(client, tables, recorded):
    watch = landed(send_replay(client, recorded)).partition("?")[0]
    seating, seat = tables.find(watch.removeprefix("/watch/"))
    table = seating.table
    assert seat == PUBLIC
    assert table.names("en")[0] == "María <b>é</b> ñ"
    assert client.get(f"{watch}/replay.json").content == recorded
    assert "María" in client.get(f"{watch}/film").text
    assert len(tables.store.running()) == 0
    with sitting(client, table, PUBLIC) as (_, shown):
        assert shown["over"]["link"] == watch
        assert "María" in shown["seats"][0]["name"]
    again = landed(client.post(f"{watch}/again", data={"ply": "4"}, headers=OURS))
    after, mine = tables.find(again.partition("?")[0].removeprefix("/seat/"))
    assert after.table.deal.actions[:4] == table.deal.actions[:4]
    assert mine == table.deal.plies[4].seat
    assert [one.kind for one in after.table.opening.seated].count("person") == 1


def test_what_cost_most_is_told_and_can_be_played_on_from(client, tables, monkeypatch, tmp_path):
    for name, value in {"ROLLOUTS": 1500, "SECOND": 24, "WORLDS": 80, "WITHIN": 0.5}.items():
        monkeypatch.setattr(f"sobremesa.agents.arena.blunders.{name}", value)
    replays.write(tmp_path / "deal.json", replays.record(ENCIERRO, [agents.load("random", ENCIERRO)] * 3, 1))
    watch = landed(send_replay(client, (tmp_path / "deal.json").read_bytes())).partition("?")[0]
    table = tables.find(watch.removeprefix("/watch/"))[0].table
    decisions = client.get(f"{watch}/costly.json").json()["decisions"]
    assert 0 < len(decisions) <= 3
    for one in decisions:
        assert table.deal.plies[one["ply"]].seat == one["seat"]
        assert one["played"]["es"] == ENCIERRO.words.action_name(table.deal.plies[one["ply"]].action, "es")
        assert "partidas" in one["more"]["es"]
    form = {"ply": str(decisions[0]["ply"]), "asked": "1"}
    other = (decisions[0]["seat"] + 1) % 3
    again = landed(client.post(f"{link(table, other)}/again", data=form, headers=OURS))
    seating, mine = tables.find(again.partition("?")[0].removeprefix("/seat/"))
    assert mine == decisions[0]["seat"]
    assert seating.table.to_act(mine)


def test_what_is_no_replay_is_refused_clearly(client, tables, recorded):
    replay = json.loads(recorded)
    wrong = {
        "not JSON": b"[",
        "this JSON is no replay": b"{}",
        "format 9": json.dumps({**replay, "format": 9}).encode(),
        "which is not among": json.dumps({**replay, "game": "chess"}).encode(),
        "the file has": json.dumps({**replay, "actions": [replay["actions"][1], *replay["actions"][1:]]}).encode(),
        "the replay ends here": json.dumps(
            {**replay, "actions": replay["actions"][:-1], "digests": replay["digests"][:-1]}
        ).encode(),
    }
    for why, content in wrong.items():
        answer = send_replay(client, content)
        assert answer.status_code == 400
        assert "This replay cannot be shown" in answer.text, why
        assert "tmp" not in answer.text
    assert send_replay(client, recorded + b" " * 2**18).status_code == 413
    for kind in ("application/json", "multipart/form-data", "multipart/form-data; boundary=other", ""):
        assert send_replay(client, recorded, kind or "x").status_code == 400
    for parts in (b"", b"--cut\r\n\r\n{}", b"x\r\n\r\n{}\r\n--cut--", b"--cut\r\n\r\n{}\r\n--cut\r\n\r\n{}\r\n--cut--"):
        with pytest.raises(Refused, match="message"):
            file_of("multipart/form-data; boundary=cut", parts)
    assert client.post("/replays", content=recorded).status_code == 403  # from another site
    assert not list(tables.store._database.execute("SELECT * FROM deals"))


def test_nothing_of_a_deal_can_be_had_before_its_end(client, tables):
    table = tables.open(opening(ENCIERRO, people=2))
    for seat in (0, PUBLIC):
        for what in ("replay.json", "film", "course.json", "costly.json"):
            answer = client.get(f"{link(table, seat)}/{what}")
            assert answer.status_code == 403
            assert str(SEED) not in answer.text
        for what in ("next", "again"):
            assert client.post(f"{link(table, seat)}/{what}", data={"ply": "1"}, headers=OURS).status_code == 403
    assert not tables.replay_file(table).exists()


def test_after_the_end_everything_can_be_had(client, tables):
    table = play_on(tables.open(opening(ENCIERRO, people=2)))
    watching, sitting_there = link(table, PUBLIC), link(table, 1)
    course = client.get(f"{watching}/course.json").json()
    assert len(course["plies"]) == len(course["chances"])
    assert course["plies"][-1] == len(table.deal.plies)
    assert max(course["chances"][-1]) == 1.0
    assert all(abs(sum(chances) - 1) < 0.01 for chances in course["chances"])
    assert table.deal.game.words.title["es"] in client.get(f"{watching}/film", params={"language": "es"}).text
    assert client.post(f"{watching}/next", headers=OURS).status_code == 403
    follows = landed(client.post(f"{sitting_there}/next", headers=OURS))
    assert tables.find(follows.partition("?")[0].removeprefix("/seat/"))[1] == 2
    again = landed(client.post(f"{sitting_there}/again", data={"ply": "3"}, headers=OURS))
    seating, mine = tables.find(again.partition("?")[0].removeprefix("/seat/"))
    assert mine == 1
    assert seating.table.deal.actions[:3] == table.deal.actions[:3]
    assert client.post(f"{sitting_there}/again", data={"ply": "9999"}, headers=OURS).status_code == 400
    assert client.post(f"{sitting_there}/again", data={"ply": "9" * 5000}, headers=OURS).status_code == 400


def test_film_of_very_long_deal_has_no_seat_views(client, tables, monkeypatch):
    table = play_on(tables.open(opening(ENCIERRO, people=1)))
    assert "<select" in client.get(f"{link(table, 0)}/film").text
    monkeypatch.setattr(app, "LONGEST_SEEN", 3)
    assert "<select" not in client.get(f"{link(table, 0)}/film", params={"language": "es"}).text


def test_film_for_a_phone_has_its_pictures(client, tables):
    table = play_on(tables.open(opening(TORO, people=1, max_rounds=1)))
    wide, narrow = (client.get(f"{link(table, 0)}/film", params={"narrow": kind}).text for kind in (0, 1))
    assert any('viewBox="0 0 390 ' in piece for piece in pieces_and_sights(narrow)[0])
    assert not any('viewBox="0 0 390 ' in piece for piece in pieces_and_sights(wide)[0])


def test_the_course_of_a_deal_is_studied_once(client, tables, monkeypatch):
    table, studied = play_on(tables.open(opening(TORO, people=1, max_rounds=1))), []
    monkeypatch.setattr("sobremesa.serve.app.course", lambda *_: time.sleep(0.2) or studied.append(1) or {})
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(client.get, [f"{link(table, 0)}/course.json"] * 3))
    client.get(f"{link(table, PUBLIC)}/course.json")
    assert studied == [1]


def test_agents_of_deals_that_are_over_are_stopped(client, tables, monkeypatch):
    load, stopped = agents.load, threading.Event()

    class Process:
        name = "process"

        def act(self, view):
            return int(view.mask.nonzero()[0][0])

        def ready(self, game, seat):
            pass

        def stop(self):
            stopped.set()

    monkeypatch.setattr(
        agents,
        "load",
        lambda spec, game=None: Process() if getattr(spec, "spec", spec) == "process" else load(spec, game),
    )
    table = tables.open(opening(TORO, people=0, agent="process", max_rounds=1))
    with sitting(client, table, PUBLIC) as (socket, shown):
        while not shown["over"]:
            shown = heard(socket)
        assert stopped.wait(20)
