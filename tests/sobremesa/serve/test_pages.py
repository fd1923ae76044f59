"""Pages and sockets of the server: answers, refusals, and secrets."""

import html
import math
import re
import time

import pytest
from rooms import BANDIDO, ENCIERRO, ESTAFADO, TORO
from serving import (
    HOME,
    LONG,
    OURS,
    connect,
    landed,
    link,
    opening,
    play_on,
    refused,
    seen,
    send_replay,
)
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sobremesa import agents, cli, envs
from sobremesa.agents.arena import leaderboard_file, replay as replays
from sobremesa.agents.levels import LEVELS, levels as level_agents
from sobremesa.envs.core import files
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.words import blocks
from sobremesa.serve import limits, lobby, words
from sobremesa.serve.app import make_app
from sobremesa.serve.forms import file_of
from sobremesa.serve.guard import host_allowed
from sobremesa.serve.opponents import Opponents, levels_of
from sobremesa.serve.run import LOCK
from sobremesa.serve.store import Event
from sobremesa.serve.tables import Tables


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
    made = lobby.opening_of(form, Opponents())
    assert (made.seated[1].name, made.seated[1].level, made.seated[1].spec) == ("", "hard", level_agents(TORO)["hard"])
    for wrong in ("level:devilish", "level:"):
        with pytest.raises(ValueError, match="has no level"):
            lobby.opening_of({**form, "seat1": wrong}, Opponents())


def test_what_a_form_asks_for_is_dealt(client, tables):
    form = {"game": ENCIERRO.name, "option.seats": "3", "option.deck": "conflict", "seat0": "agent:simple"}
    form |= {"seat1": "me", "seat2": "person", "name": "<b>Ana</b>"}
    answer = client.post("/tables?language=es", data=form, headers=OURS)
    assert answer.status_code == 303
    seat, _, language = landed(answer).partition("?")
    assert language == "language=es"
    seating, mine = tables.find(seat.removeprefix("/seat/"))
    assert mine == 1
    assert seating.table.names("es") == ["simple", "<b>Ana</b>", "jugador 3"]
    assert seating.table.game.setup(seating.table.deal.states) == {"seats": 3, "deck": "conflict"}
    assert [one for one, *_ in seen(seating.table, 1)["links"]] == [2, PUBLIC]
    assert not seen(seating.table, 2)["links"]


def test_agents_are_called_by_what_they_are(client, tables):
    form = {"game": TORO.name, "seat0": "agent:strong", "seat1": "agent:trained", "think": "5"}
    watching = landed(client.post("/tables", data=form, headers=OURS)).partition("?")[0]
    seating, seat = tables.find(watching.removeprefix("/watch/"))
    assert seat == PUBLIC
    assert seating.table.names("en") == ["strong + 5 s", "trained"]
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
    assert len(tables.store.running()) == 0


def test_a_full_server_opens_no_more(tmp_path):
    tables, quick = Tables(tmp_path, most_running=1), {"game": TORO.name, "quick": "1"}
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client:
        codes = [client.post("/tables", data=quick, headers=OURS).status_code]
        tables.store.add(tables.store.running()[0].name, 0, Event("name", [0, "Ana"]))  # no longer untouched
        codes.append(client.post("/tables", data=quick, headers=OURS).status_code)
    assert codes == [303, 503]


def test_address_is_limited_in_tables_and_forms(client, tables, monkeypatch):
    monkeypatch.setattr(limits, "TABLES", (0.0, 2))
    monkeypatch.setattr(limits, "FORMS", (0.0, 5))
    quick, wrong = {"game": TORO.name, "quick": "1"}, {"game": "chess"}
    answers = [client.post("/tables?language=es", data=form, headers=OURS) for form in (*[quick] * 3, *[wrong] * 3)]
    assert [one.status_code for one in answers] == [303, 303, 429, 400, 400, 429]
    assert "demasiadas mesas" in answers[2].text
    assert "demasiados formularios" in answers[5].text
    assert len(tables.store.running()) == 2
    table = play_on(tables.open(opening(TORO, people=1, max_rounds=1)))
    for what in ("next", "again"):
        assert client.post(f"{link(table, 0)}/{what}", data={"ply": "1"}, headers=OURS).status_code == 429


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
    assert len(tables.store.running()) == 1


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


def test_hostile_form_is_parsed_fast():
    begun = time.process_time()
    for header in (b"Content-Type: text/plain;" + b"a=b;" * 60_000, b"Content-Transfer-Encoding: " + b"(" * 200_000):
        body = b"--cut\r\n" + header + b"\r\n\r\n{}\r\n--cut--\r\n"
        assert file_of("multipart/form-data; boundary=cut", body) == b"{}"
    assert time.process_time() - begun < 5  # it was 11


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


def test_allowed_host_ignores_case(tmp_path):
    with TestClient(make_app(Tables(tmp_path), names=["Mesa.example"]), base_url="http://mesa.example") as client:
        assert client.get("/static/look.css").status_code == 200


def test_own_agents_are_offered_for_their_games():
    own = "command:true"
    offers = Opponents([own, str(agents.bot_folders(TORO)["trained"])]).offers
    assert [one.spec for one in offers(TORO)[-2:]] == [own, str(agents.bot_folders(TORO)["trained"])]
    assert offers(ESTAFADO)[-1].spec == own
    for nobody, why in (("nobody", "no agent 'nobody'"), ("python:nowhere.py:act", "there is no file nowhere.py")):
        with pytest.raises(ValueError, match=why):
            Opponents([nobody])


def test_bots_without_their_graphs_are_not_offered(monkeypatch):
    monkeypatch.setattr("sobremesa.serve.opponents.has_graph", lambda folder: folder.name != "champion")
    levels_of.cache_clear()
    offered = [one.spec for one in Opponents().offers(TORO)]
    levels_of.cache_clear()
    assert "trained" in offered
    assert not [one for one in offered if "champion" in one]


def test_the_best_search_on_the_ladder_is_offered():
    opponents = Opponents()
    rated = [one.spec for one in opponents.offers(BANDIDO) if one.points is not None]
    assert rated[-2:] == ["champion", "search(strong)"]
    assert opponents.spec(BANDIDO, "search(strong)", 5) == "search(strong)"
    for name in envs.games():
        points = [one.points for one in opponents.offers(envs.load(name))]
        assert points == sorted(points, key=lambda one: math.inf if one is None else one)  # unrated ones come last
        assert opponents.fair(envs.load(name)) in agents.scripted_names(envs.load(name))


def test_paths_and_arguments_of_own_agents_stay_secret(tmp_path):
    trained = str(agents.bot_folders(TORO)["trained"])
    own = ["command:true --key hush", trained, trained]
    with TestClient(make_app(Tables(tmp_path), own, patience=LONG), base_url=HOME) as client:
        page = client.get(f"/game/{TORO.name}").text
    assert "hush" not in page
    assert trained not in page
    assert re.findall(r'value="agent:(.*?)"', page)[-3:] == ["true", "trained 2", "trained 3"]
    assert [Opponents(own).spec(TORO, name, 0) for name in ("true", "trained 2")] == own[:2]


def test_only_strong_agent_uses_thinking_time():
    opponents = Opponents()
    assert opponents.spec(TORO, "strong", 5) == "search(strong, worlds=1000, seconds=5)"
    assert opponents.spec(TORO, "simple", 5) == "simple"
    for name, seconds in (("strong", 3), ("search(strong)", 0)):
        with pytest.raises(ValueError, match="offered"):
            opponents.spec(TORO, name, seconds)


def test_a_second_server_in_one_folder_is_refused(capsys, tmp_path):
    with files.locked(tmp_path / LOCK, AssertionError()):
        assert cli.main(["serve", "--port", "0", "--folder", str(tmp_path)]) == 2
    assert f"{tmp_path}: another server uses this folder; stop it" in capsys.readouterr().err
    with files.locked(tmp_path / LOCK, AssertionError()):
        pass  # it was given back
