"""A machine without compiled kernels: the lobby opens at once, and a new table shows a waiting page."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from rooms import ENCIERRO, TORO
from scale import COMPILED_ONLY
from serving import HOME, LONG, landed, opening, seen
from starlette.testclient import TestClient

from sobremesa import envs
from sobremesa.envs.core import files
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.serve import ready
from sobremesa.serve.app import make_app
from sobremesa.serve.run import INTERRUPTED, LOCK
from sobremesa.serve.store import Store
from sobremesa.serve.tables import Tables

OURS = {"origin": HOME}
QUICK = {"game": TORO.name, "quick": "1"}
LOBBY = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from sobremesa import envs
from sobremesa.envs.core.compile import kernel
from sobremesa.serve import ready
from sobremesa.serve.app import make_app
from sobremesa.serve.tables import Tables

def made(part, name):
    raise AssertionError(f"{name} is compiled")

kernel.make_whole, ready.prepare = made, lambda name: None
with TestClient(make_app(Tables(Path(sys.argv[1]))), base_url=sys.argv[2]) as client:
    for language in ("en", "es"):
        pages = ["/", *(page for name in envs.games() for page in (f"/game/{name}", f"/picture/{name}.svg"))]
        assert [client.get(page, params={"language": language}).status_code for page in pages] == [200] * len(pages)
"""

NEVER = """
import signal
import sys
import threading
from sobremesa import cli
from sobremesa.serve import ready

def make(name):
    print("preparing", flush=True)
    threading.Event().wait()

ready.prepare = make
signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background may ignore it
signal.signal(signal.SIGTERM, lambda *_: None)  # process 1 of a container does not end by it
sys.exit(cli.main())
"""


@pytest.fixture
def slow(monkeypatch):
    """Have *Ese Toro enamorado* be ready only when what this gives is set."""
    done, make = threading.Event(), ready.prepare

    def made(name):
        assert name != TORO.name or done.wait(LONG)
        make(name)

    monkeypatch.setattr(ready, "prepare", made)
    yield done
    done.set()


@pytest.mark.parametrize("game", envs.games())
def test_every_game_can_be_made_ready(game, monkeypatch):
    drawn, draw = [], ready.pointable_scene
    monkeypatch.setattr(
        ready, "pointable_scene", lambda one, *more, **how: drawn.append(one) or draw(one, *more, **how)
    )
    ready.prepare(game)
    assert {one.name for one in drawn} == {game}


@COMPILED_ONLY
def test_the_lobby_compiles_nothing(tmp_path):
    cold = {**os.environ, "SOBREMESA_CACHE_DIR": str(tmp_path / "kernels"), "SOBREMESA_QUIET": "1"}
    told = subprocess.run([sys.executable, "-c", LOBBY, tmp_path, HOME], env=cold, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


def test_every_game_has_its_picture_in_each_language(tmp_path):
    with TestClient(make_app(Tables(tmp_path)), base_url=HOME) as client:
        shown = [client.get(f"/picture/{ENCIERRO.name}.svg?language={one}").text for one in LANGUAGES]
    assert all(one.startswith("<svg") for one in shown)
    assert shown[0] != shown[1]


def test_opening_an_unprepared_game_shows_waiting_page(tmp_path, slow):
    with TestClient(make_app(Tables(tmp_path), patience=0.01), base_url=HOME, follow_redirects=False) as client:
        there = landed(client.post("/tables?language=es", data=QUICK, headers=OURS))
        waits = client.get(there)
        assert there.startswith("/opening/")
        assert (waits.status_code, "una vez en este ordenador" in waits.text) == (202, True)
        assert client.get("/").status_code == 200
        slow.set()
        seat = landed(until(client, there))
        assert seat.startswith("/seat/")
        assert seat.endswith("?language=es")
        assert landed(client.get(there)) == seat  # asked again: no second table
        assert until(client, seat).status_code == 200
        assert client.get("/opening/nothing").status_code == 404


def until(client, address):
    """Return the answer that is no page to wait on."""
    end = time.monotonic() + LONG
    while (answer := client.get(address)).status_code == 202:
        assert time.monotonic() < end
    return answer


def test_form_errors_are_shown_after_the_wait(tmp_path, slow):
    with TestClient(make_app(Tables(tmp_path), patience=0.01), base_url=HOME, follow_redirects=False) as client:
        form = {"game": TORO.name, "option.seats": "9"}
        there = landed(client.post("/tables", data=form, headers=OURS))
        slow.set()
        answer = until(client, there)
    assert answer.status_code == 400
    assert "seats" in answer.text


def test_preparing_a_game_delays_no_other_table(tmp_path, slow):
    """So it is where a server goes on with the tables of another one."""
    tables = Tables(tmp_path)
    slowed, other = tables.open(opening(TORO)), tables.open(opening(ENCIERRO, people=3))
    with TestClient(make_app(tables, patience=0.01), base_url=HOME) as client:
        waits = f"/seat/{slowed.tokens[0]}"
        assert client.get(waits).status_code == 202
        with client.websocket_connect(f"{HOME.replace('http', 'ws')}/wire/{other.tokens[0]}", headers=OURS) as socket:
            shown = socket.receive_json()
            assert shown["what"] == "frame"
            seat = other.deal.seat
            other.play(seat, 0, seen(other, seat)["actions"][0][0])
            socket.send_json({"do": "name", "name": "Ana"})
            while not any(one["name"] == "Ana" for one in socket.receive_json()["seats"]):
                pass
        assert client.get(waits).status_code == 202
        slow.set()
        assert until(client, waits).status_code == 200


def test_failed_preparation_is_retried_later(tmp_path, monkeypatch, caplog):
    make, tried, now = ready.prepare, [], [100.0]
    monkeypatch.setattr(ready, "prepare", lambda name: tried.append(now[0]) or 1 / 0)
    monkeypatch.setattr(ready.time, "monotonic", lambda: now[0])
    tables = Tables(tmp_path)
    seat = f"/seat/{tables.open(opening(TORO)).tokens[0]}?language=es"
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client:
        for _ in range(64):
            answer = client.post("/tables?language=es", data=QUICK, headers=OURS)
            assert (answer.status_code, "No se ha podido preparar" in answer.text) == (503, True)
            now[0] += 5.0
        assert client.get(seat).status_code == 503
        with client.websocket_connect(f"{HOME.replace('http', 'ws')}/wire/{seat[6:]}", headers=OURS) as socket:
            assert socket.receive_json()["kind"] == "not ready"
        assert [later - before for before, later in itertools.pairwise(tried)] == [10, 20, 40, 80, 160]
        assert "ZeroDivisionError" in caplog.text
        assert len(tables.store.running()) == 1
        monkeypatch.setattr(ready, "prepare", make)
        now[0] += ready.LONGEST_WAIT
        assert client.post("/tables", data=QUICK, headers=OURS).status_code == 303
        assert client.get(seat).status_code == 200


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 0)])
def test_interrupted_server_exits_during_compilation(tmp_path, sent, code):
    """Nothing is timed: were the compiler waited for, this would not end."""
    folder = tmp_path / "tables"
    command = [sys.executable, "-c", NEVER, "serve", "--port", "0", "--folder", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        home = server.stdout.readline().strip().rstrip("/")
        with urllib.request.urlopen(f"{home}/game/{TORO.name}") as page:
            assert page.status == 200
        assert server.stdout.readline() == "preparing\n"
        server.send_signal(sent)
        assert server.wait(LONG) == code
    finally:
        server.kill()
        server.stdout.close()
        server.wait()
    assert sorted(one.name for one in folder.iterdir()) == [LOCK, "tables.sqlite"]  # no journal: it was closed
    with files.locked(folder / LOCK, AssertionError("the lock is held")):
        store = Store(folder / "tables.sqlite")
        assert len(store.running()) == 0
        store.close()
