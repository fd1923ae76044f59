"""Pages and sockets of the server: answers, refusals, and secrets."""

import contextlib
import dataclasses
import html
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pages import pieces_and_sights
from rooms import BANDIDO, ENCIERRO, ESTAFADO, TORO
from serving import HOME, LONG, SEED, landed, opening, play_on, seen
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena import replay as replays
from sobremesa.agents.levels import LEVELS
from sobremesa.envs.core import files
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.words import blocks
from sobremesa.serve import app, limits, lobby, wire, words
from sobremesa.serve.app import make_app
from sobremesa.serve.forms import file_of
from sobremesa.serve.guard import Bucket, host_allowed
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.run import LOCK
from sobremesa.serve.table import Refused
from sobremesa.serve.tables import STUDENTS, Tables
from sobremesa.serve.wire import LARGEST, LATER

OURS = {"origin": HOME}


@pytest.fixture
def tables(tmp_path):
    return Tables(tmp_path)


@pytest.fixture
def client(tables):
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client:
        yield client


def link(table, seat):
    return f"/{'watch' if seat == PUBLIC else 'seat'}/{table.tokens[seat]}"


def connect(client, token, headers=OURS):
    return client.websocket_connect(f"{HOME.replace('http', 'ws')}/wire/{token}", headers=headers)


@contextlib.contextmanager
def sitting(client, table, seat, language="en"):
    """Open the socket of a seat; gives it and its first frame."""
    with connect(client, f"{table.tokens[seat]}?language={language}") as socket:
        yield socket, socket.receive_json()


def refused(socket):
    answer = socket.receive_json()
    assert answer["what"] == "refused", answer
    return answer["kind"]


def heard(socket, what="frame"):
    """Return the next message of a kind."""
    while (answer := socket.receive_json())["what"] != what:
        pass
    return answer


def test_the_languages_say_the_same_things():
    for said in (words.WORDS, words.REFUSALS):
        assert set(said) == set(LANGUAGES)
        assert said["en"].keys() == said["es"].keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_lobby_shows_games_rules_and_opponents(client, language):
    page = client.get("/", params={"language": language}).text
    for name in envs.games():
        title = envs.load(name).words.title[language]
        assert f">{title}<" in page
    game = client.get(f"/game/{TORO.name}", params={"language": language}).text
    for name in envs.games():
        page = html.unescape(client.get(f"/game/{name}", params={"language": language}).text)
        rules = page.partition('<section class="rules" id="rules">')[2].partition("</section>")[0]
        shown = re.findall(r"<(p|li)>(.*?)</(?:p|li)>", rules)
        told = blocks(envs.load(name).words.help(language))
        assert shown == [("li" if mark else "p", text) for mark, text in told]
        assert "deck=" not in rules
    assert all(f'name="option.{option.name}"' in game for option in TORO.options)
    points = leaderboard_file.frozen(TORO).ladder.frozen["trained"]
    assert re.search(rf'value="agent:trained".*\({points:.0f}', game)


def test_rules_are_split_by_their_markdown():
    told = """Play a card,
then draw one. Whoever has none left wins the deal.
You may:
- pass, which no
  one may forbid
- draw 2
  Zapatillas
Then the next one plays on.
 1. First
    this.
 2. Then that.

The end."""
    assert lobby._blocks(told) == [
        ("p", ["Play a card, then draw one. Whoever has none left wins the deal. You may:"]),
        ("ul", ["pass, which no one may forbid", "draw 2 Zapatillas"]),
        ("p", ["Then the next one plays on."]),
        ("ol", ["First this.", "Then that."]),
        ("p", ["The end."]),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", envs.games())
def test_every_card_of_the_rules_is_one_item(name, language):
    items = [text for mark, text in blocks(envs.load(name).words.help(language)) if mark]
    assert not any(re.search(r"[a-z] \d+ [A-Z]\w+:|\w+: [^:]*\. [A-Z]\w+ ×\d", one) for one in items), items
    assert all(not one.endswith(":") for one in items)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", envs.games())
def test_options_are_questions_with_answers(client, name, language):
    game, page = envs.load(name), html.unescape(client.get(f"/game/{name}", params={"language": language}).text)
    form = page.partition('<form class="setup"')[2].partition("</form>")[0]
    asked = re.findall(r"<span>(.*?)</span>\s*<select name=.option", form)
    assert len(asked) == len(game.options) - 1
    assert all(one[-1] == "?" and not re.search(r"\([OV]\d|_", one) for one in asked), asked
    texts = re.findall(r"<option value=\"[^\"]*\"[^>]*>(.*?)</option>", form.partition("<details>")[2])
    assert not any("_" in one or one in ("True", "False") for one in texts), texts
    for option in game.options[1:]:
        if not isinstance(option.choices, range) and True not in option.choices:
            said = game.words.setup[language][option.name]
            assert {"asks", *map(str, option.choices)} == set(said)


def test_a_table_against_a_level_names_it(client, tables):
    page = client.get(f"/game/{TORO.name}", params={"language": "es"}).text
    levels = re.findall(r'<option value="level:(\w+)"', page)
    assert levels[: len(LEVELS)] == list(LEVELS)
    assert "ordenador (difícil)" in page
    form = {"game": TORO.name, "option.seats": "2", "seat0": "me", "seat1": "level:hard"}
    made = lobby.opening_of(form, Opponents(), "es")
    assert made.seated[1].name == "ordenador (difícil)"
    assert made.seated[1].spec == "trained"
    for wrong in ("level:devilish", "level:"):
        with pytest.raises(ValueError, match="has no level"):
            lobby.opening_of({**form, "seat1": wrong}, Opponents(), "es")


def test_what_a_form_asks_for_is_dealt(client, tables):
    form = {"game": ENCIERRO.name, "option.seats": "3", "option.deck": "conflict", "seat0": "agent:simple"}
    form |= {"seat1": "me", "seat2": "person", "name": "<b>Ana</b>"}
    answer = client.post("/tables?language=es", data=form, headers=OURS)
    assert answer.status_code == 303
    seat, _, language = landed(answer).partition("?")
    assert language == "language=es"
    seating, mine = tables.find(seat.removeprefix("/seat/"))
    assert mine == 1
    assert seating.table.names == ["simple", "<b>Ana</b>", "invitado"]
    assert seating.table.game.setup(seating.table.deal.states) == {"seats": 3, "deck": "conflict"}
    assert [one for one, *_ in seen(seating.table, 1)["links"]] == [2, PUBLIC]
    assert not seen(seating.table, 2)["links"]


def test_agents_are_called_by_what_they_are(client, tables):
    form = {"game": TORO.name, "seat0": "agent:strong", "seat1": "agent:trained", "think": "5"}
    watching = landed(client.post("/tables", data=form, headers=OURS)).partition("?")[0]
    seating, seat = tables.find(watching.removeprefix("/watch/"))
    assert seat == PUBLIC
    assert seating.table.names == ["strong + 5 s", "trained"]
    assert client.get(watching).status_code == 200


def test_one_click_begins_a_deal(client, tables):
    answer = client.post("/tables", data={"game": TORO.name, "quick": "1"}, headers=OURS)
    seating, mine = tables.find(landed(answer).partition("?")[0].removeprefix("/seat/"))
    assert seating.table.people == [mine]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"game": "chess"}, "chess"),
        ({"option.seats": "9"}, "9"),
        ({"option.deck": "<script>"}, "&lt;script&gt;"),
        ({"seat1": "me"}, "two seats"),
        ({"seat0": "person"}, "take a seat yourself"),
        ({"seat2": "agent:/etc"}, "/etc"),
        ({"seat2": "agent:command:sh"}, "command:sh"),
        ({"think": "999"}, "999"),
    ],
)
def test_a_form_for_what_cannot_be_is_refused(client, tables, fields, why):
    form = {"game": ENCIERRO.name, "seat0": "me", "seat1": "agent:simple", "seat2": "agent:simple"}
    answer = client.post("/tables", data=form | fields, headers=OURS)
    assert answer.status_code == 400
    assert why in answer.text
    assert "<script>" not in answer.text
    assert tables.store.running() == 0


def test_a_full_server_opens_no_more(tmp_path):
    app = make_app(Tables(tmp_path, most_running=1), patience=LONG)
    with TestClient(app, base_url=HOME, follow_redirects=False) as client:
        codes = [client.post("/tables", data={"game": TORO.name, "quick": "1"}, headers=OURS).status_code for _ in "ab"]
    assert codes == [303, 503]


def test_address_is_limited_in_tables_and_forms(client, tables, monkeypatch):
    monkeypatch.setattr(limits, "TABLES", (0.0, 2))
    monkeypatch.setattr(limits, "FORMS", (0.0, 5))
    quick, wrong = {"game": TORO.name, "quick": "1"}, {"game": "chess"}
    answers = [client.post("/tables?language=es", data=form, headers=OURS) for form in (*[quick] * 3, *[wrong] * 3)]
    assert [one.status_code for one in answers] == [303, 303, 429, 400, 400, 429]
    assert "demasiadas mesas" in answers[2].text
    assert "demasiados formularios" in answers[5].text
    assert tables.store.running() == 2
    table = play_on(tables.open(opening(TORO, people=1, max_rounds=1)))
    for what in ("next", "again"):
        assert client.post(f"{link(table, 0)}/{what}", data={"ply": "1"}, headers=OURS).status_code == 429


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


def test_no_other_site_opens_tables_or_sockets(client, tables):
    table = tables.open(opening(ESTAFADO, people=2))
    data = {"game": TORO.name, "quick": "1"}
    for headers in ({}, *({"origin": one} for one in ("null", "http://[", "https://evil.example", HOME + "0"))):
        assert client.post("/tables", data=data, headers=headers).status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            connect(client, table.tokens[0], headers),
        ):
            pass
    rebound = {"host": "evil.example", "origin": "http://evil.example"}
    assert client.get("/", headers=rebound).status_code == 403
    assert client.post("/tables", data=data, headers=rebound).status_code == 403
    assert tables.store.running() == 1


def test_hosts_are_addresses_or_names_that_were_allowed():
    for host in ("127.0.0.1", "localhost:80", "[::1]:8642", "192.168.1.7:8642", "mesa.example:1"):
        assert host_allowed(host, ["mesa.example"])
    for host in ("", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[::1", "mesa.example.com"):
        assert not host_allowed(host, ["mesa.example"])


def test_pages_run_only_own_scripts(client, tables):
    table = play_on(tables.open(opening(TORO, people=1, max_rounds=1)))
    for address in ("/", f"/game/{TORO.name}", link(table, 0), "/nothing", "/static/look.css"):
        answer = client.get(address)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*(src|application/json))", answer.text)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "camera=()" in answer.headers["permissions-policy"]
    film = client.get(f"{link(table, 0)}/film")
    plain = client.get(f"{link(table, 0)}/film", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == film.text
    assert film.headers["content-encoding"] == "gzip"
    assert len(re.findall(r"'sha256-", film.headers["content-security-policy"])) == 2
    assert "unsafe" not in film.headers["content-security-policy"]


def test_who_has_no_link_sees_nothing(client):
    assert client.get("/seat/guess").status_code == 404
    with connect(client, "guess") as socket:
        assert refused(socket) == "no table"


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


def send_replay(client, content, kind=None):
    body = b'--cut\r\nContent-Disposition: form-data; name="replay"; filename="x.json"\r\n'
    body += b"Content-Type: application/json\r\n\r\n" + content + b"\r\n--cut--\r\n"
    headers = OURS | {"content-type": kind or "multipart/form-data; boundary=cut"}
    return client.post("/replays?language=en", content=body, headers=headers)


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
    assert table.names[0] == "María <b>é</b> ñ"
    assert client.get(f"{watch}/replay.json").content == recorded
    assert "María" in client.get(f"{watch}/film").text
    assert tables.store.running() == 0
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
        monkeypatch.setattr(f"sobremesa.serve.blunders.{name}", value)
    replays.write(tmp_path / "deal.json", replays.record(ENCIERRO, [agents.load("random", ENCIERRO)] * 3, 1))
    watch = landed(send_replay(client, (tmp_path / "deal.json").read_bytes())).partition("?")[0]
    table = tables.find(watch.removeprefix("/watch/"))[0].table
    decisions = client.get(f"{watch}/costly.json").json()["decisions"]
    assert 0 < len(decisions) <= 3
    for one in decisions:
        assert table.deal.plies[one["ply"]].seat == one["seat"]
        assert one["played"]["es"] == ENCIERRO.words.action_name(table.deal.plies[one["ply"]].action, "es")
        assert 0 < one["low"] <= one["gain"] <= one["high"]
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


def test_hostile_form_is_parsed_fast():
    begun = time.process_time()
    for header in (b"Content-Type: text/plain;" + b"a=b;" * 60_000, b"Content-Transfer-Encoding: " + b"(" * 200_000):
        body = b"--cut\r\n" + header + b"\r\n\r\n{}\r\n--cut--\r\n"
        assert file_of("multipart/form-data; boundary=cut", body) == b"{}"
    assert time.process_time() - begun < 5  # it was 11


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


@pytest.mark.parametrize("game", envs.reference_games())
def test_games_that_have_no_page_are_not_opened(client, tables, game, tmp_path):
    assert client.get(f"/game/{game}").status_code == 404
    for form in ({"quick": "1"}, {"seat0": "me", "seat1": "agent:random"}):
        answer = client.post("/tables", data={"game": game, **form}, headers=OURS)
        assert (answer.status_code, f"{game} is not offered here" in answer.text) == (400, True)
    loaded = envs.load(game)
    replays.write(tmp_path / "deal.json", replays.record(loaded, [agents.load("random", loaded)] * 2, 1))
    assert send_replay(client, (tmp_path / "deal.json").read_bytes()).status_code == 400
    assert not tables.store.listed()


def test_a_hint_does_not_wait_for_films(client, tables, monkeypatch):
    monkeypatch.setattr(wire, "_think", lambda *_: b'{"en": [[1, "so"]]}')
    table, shown = tables.open(opening(TORO, people=2)), threading.Event()
    for _ in range(STUDENTS):
        tables._students.submit(shown.wait, LONG)
    with sitting(client, table, table.deal.seat) as (socket, _):
        socket.send_json({"do": "hint"})
        assert heard(socket, "hint")["lines"] == [[1, "so"]]
    shown.set()


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


def test_allowed_host_ignores_case(tmp_path):
    with TestClient(make_app(Tables(tmp_path), names=["Mesa.example"]), base_url="http://mesa.example") as client:
        assert client.get("/static/look.css").status_code == 200


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

    monkeypatch.setattr(agents, "load", lambda spec, game=None: Process() if spec == "process" else load(spec, game))
    table = tables.open(opening(TORO, people=0, agent="process", max_rounds=1))
    with sitting(client, table, PUBLIC) as (socket, shown):
        while not shown["over"]:
            shown = heard(socket)
        assert stopped.wait(20)


def test_a_hint_says_what_a_search_thinks(client, tables, monkeypatch):
    monkeypatch.setattr("sobremesa.serve.wire.HINT", "search(simple, worlds=4, actions=2)")
    table = tables.open(opening(ESTAFADO, people=2))
    before = table.deal.states.tobytes()
    with sitting(client, table, table.deal.seat) as (socket, shown):
        socket.send_json({"do": "hint"})
        hint = heard(socket, "hint")
    assert hint["moment"] == shown["moment"]
    legal = {action for action, *_ in shown["actions"]}
    assert hint["lines"]
    assert all(action in legal and "%" in text for action, text in hint["lines"])
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
    monkeypatch.setattr(agents, "load", lambda spec, game=None: slow if spec == "slow" else load(spec, game))
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

    monkeypatch.setattr(agents, "load", lambda spec, game=None: Broken() if spec == "broken" else load(spec, game))
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


def test_own_agents_are_offered_for_their_games():
    own = "command:true"
    offers = Opponents([own, str(agents.PRETRAINED / TORO.name / "trained")]).offers
    assert [one.spec for one in offers(TORO)[-2:]] == [own, str(agents.PRETRAINED / TORO.name / "trained")]
    assert offers(ESTAFADO)[-1].spec == own
    for nobody, why in (("nobody", "no agent 'nobody'"), ("python:nowhere.py:act", "there is no file nowhere.py")):
        with pytest.raises(ValueError, match=why):
            Opponents([nobody])


def test_the_best_search_on_the_ladder_is_offered():
    opponents = Opponents()
    assert [one.spec for one in opponents.offers(BANDIDO)][-2:] == ["champion", "search(strong)"]
    assert opponents.spec(BANDIDO, "search(strong)", 5) == "search(strong)"
    for name in envs.games():
        points = [one.points for one in opponents.offers(envs.load(name))]
        assert points == sorted(points)
        assert opponents.fair(envs.load(name)) in agents.scripted_names(envs.load(name))


def test_paths_and_arguments_of_own_agents_stay_secret(tmp_path):
    trained = str(agents.PRETRAINED / TORO.name / "trained")
    own = ["command:true --key hush", trained, trained]
    with TestClient(make_app(Tables(tmp_path), own, patience=LONG), base_url=HOME) as client:
        page = client.get(f"/game/{TORO.name}").text
    assert "hush" not in page
    assert str(agents.PRETRAINED) not in page
    assert re.findall(r'value="agent:(.*?)"', page)[-3:] == ["true", "trained 2", "trained 3"]
    assert [Opponents(own).spec(TORO, name, 0) for name in ("true", "trained 2")] == own[:2]


def test_only_strong_agent_uses_thinking_time():
    opponents = Opponents()
    assert opponents.spec(TORO, "strong", 5) == "search(strong, worlds=1000, seconds=5)"
    assert opponents.spec(TORO, "simple", 5) == "simple"
    for name, seconds in (("strong", 3), ("search(strong)", 0)):
        with pytest.raises(ValueError, match="offered"):
            opponents.spec(TORO, name, seconds)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--port", "99999"], "--port 99999 is not allowed; it takes 0 to 65535"),
        (["--host", ""], "--host '' is not allowed; it takes an address"),
        (["--host", "192.0.2.1"], "--host 192.0.2.1 --port 0: Cannot assign requested address"),
        (["--list"], "tables.sqlite: no such file"),
        (["--bot", "nobody"], "no agent 'nobody'"),
        (["--tables", "0"], "it takes a whole number from 1"),
    ],
)
def test_command_rejects_invalid_arguments(words, problem, capsys, tmp_path):
    with contextlib.suppress(SystemExit):
        assert cli.main(["serve", "--port", "0", "--folder", str(tmp_path), *words]) == 2
    assert problem in capsys.readouterr().err


def test_a_second_server_in_one_folder_is_refused(capsys, tmp_path):
    with files.locked(tmp_path / LOCK, AssertionError()):
        assert cli.main(["serve", "--port", "0", "--folder", str(tmp_path)]) == 2
    assert f"{tmp_path}: another server uses this folder; stop it" in capsys.readouterr().err
    with files.locked(tmp_path / LOCK, AssertionError()):
        pass  # it was given back
