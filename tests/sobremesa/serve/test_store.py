"""The store file: an unfit one is refused at the start; a full disk loses no move and stops no deal."""

import os
import shutil
import sqlite3
import time

import pytest
from rooms import ENCIERRO, ESTAFADO, TORO
from serving import HOME, LONG, opening, play_on, seen
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sobremesa import cli
from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve import run as runs, store as stores, tables as all_tables
from sobremesa.serve.app import make_app
from sobremesa.serve.deal import Deal
from sobremesa.serve.store import DAY, QUIET, UNTOUCHED, WEEK, Store, StoreError
from sobremesa.serve.table import Refused, Table, open_table, turned
from sobremesa.serve.tables import FILE, Tables
from sobremesa.serve.wire import LATER, NEVER

OURS = {"origin": HOME}


def another(path, statement):
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


def damaged(path):
    """Make a store whose later pages hold garbage."""
    store = Store(path)
    for number in range(100):
        store.open(f"deal {number}", {"game": "x" * 1000}, {f"token {number}": 0})
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[:20_000] + b"\xff" * 40_000 + content[60_000:])


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
UNFIT = {
    "no database": (lambda path: path.write_bytes(b"SQLite no more" * 500), "file is not a database"),
    "damaged": (damaged, "damaged|malformed"),
    "other columns": (lambda path: another(path, "CREATE TABLE deals (name TEXT)"), "not a store of tables"),
    "another's": (lambda path: another(path, "CREATE TABLE customers (name TEXT)"), "not a store of tables"),
    "another format": (lambda path: (Store(path).close(), another(path, "PRAGMA user_version = 9")), "format 9"),
    "folder": (lambda path: path.mkdir(), "not a regular file"),
    "pipe": (os.mkfifo, "not a regular file"),
    "pipe beside it": (lambda path: (path.touch(), os.mkfifo(f"{path}-journal")), "journal is not a regular file"),
    "link beside it": (lambda path: (path.touch(), os.symlink("/dev/zero", f"{path}-wal")), "wal is not a regular"),
    "endless view": (
        lambda path: (
            Store(path).close(),
            another(path, "DROP TABLE closed"),
            another(path, f"CREATE VIEW closed(deal, at) AS {ENDLESS} SELECT x, x FROM c"),
        ),
        "not a store of tables: it contains 'closed'",
    ),
    "trigger": (
        lambda path: (
            Store(path).close(),
            another(path, "CREATE TRIGGER odd AFTER INSERT ON events BEGIN DELETE FROM deals; END"),
        ),
        "not a store of tables: it contains 'odd'",
    ),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_unfit_store_file_is_rejected_unchanged(kind, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(runs._Server, "run", lambda *_: pytest.fail("it serves"))
    path, (make, why) = tmp_path / FILE, UNFIT[kind]
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    assert cli.main(["serve", "--port", "0", "--folder", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert len(told.err.splitlines()) == 1
    with pytest.raises(StoreError, match=f"{FILE}: .*({why}).*choose another --folder"):
        Store(path)
    assert (path.read_bytes() if path.is_file() else b"") == before


def fill(store):
    """Leave no room for new pages in the file, nor in those that it has."""
    database = store._database
    database.execute(f"PRAGMA max_page_count={database.execute('PRAGMA page_count').fetchone()[0]}")
    for length in (2000, 200, 20, 1):
        for number in range(1000):
            try:
                database.execute(
                    "INSERT INTO events VALUES ('', ?, 'x', ?, 0)", (length * 10_000 + number, "x" * length)
                )
            except sqlite3.OperationalError:
                break
    with pytest.raises(sqlite3.OperationalError, match="full"):
        database.execute("INSERT INTO events VALUES ('', -1, 'x', 'x', 0)")


def test_writing_an_event_is_not_shown_as_a_failure(store):
    table, writing = open_table(store, opening(ENCIERRO, people=1)), []
    store._database.set_trace_callback(lambda statement: writing.append((statement, table.unsaved)))
    play_on(table, plies=2)
    assert any(statement.startswith("INSERT INTO events") for statement, _ in writing)
    assert not any(unsaved for _, unsaved in writing)


def test_moves_are_saved_after_the_disk_was_full(store, caplog):
    table = play_on(open_table(store, opening(ENCIERRO, people=1)), plies=4)
    assert not seen(table, 0)["unsaved"]
    kept = store.opened(table.name)
    fill(store)
    play_on(table, plies=6)
    table.rename(0, "Ana")
    assert len(table.deal.plies) == 10
    assert seen(table, 0)["unsaved"]
    (logged,) = caplog.records
    assert "is full; make room on the disk; moves stay in memory" in logged.getMessage()
    assert store.opened(table.name)[:2] == kept[:2]
    assert store.opened(table.name)[2][:4] == kept[2]
    assert seen(Table(store, table.name), 0) == seen(table, 0)  # made anew while it is in memory alone
    with pytest.raises(StoreError, match="is full; make room on the disk"):
        open_table(store, opening(ENCIERRO, people=1))
    assert store.save() == 7
    store._database.execute("PRAGMA max_page_count=100000")
    assert store.save() == 0
    assert not seen(table, 0)["unsaved"]
    other = Store(store.path)
    assert seen(Table(other, table.name), 0) == seen(table, 0)
    other.close()


def test_so_many_events_are_kept_in_memory(store, monkeypatch):
    monkeypatch.setattr(stores, "MOST_UNSAVED", 3)
    table = open_table(store, opening(ESTAFADO, people=2))
    fill(store)
    play_on(table, plies=3)
    before = seen(table, 0)
    with pytest.raises(StoreError, match="3 events wait in memory"):
        play_on(table, plies=1)
    assert seen(table, 0) == before


@pytest.mark.parametrize("there", ["store", "rules"])
def test_an_unexpected_error_loses_no_move(tmp_path, monkeypatch, there):
    tables = Tables(tmp_path)
    table = tables.open(opening(ESTAFADO, people=2))
    seat = table.deal.seat

    def fails(*_):
        raise OSError(28, "No space left on device")

    with TestClient(make_app(tables, patience=LONG), base_url=HOME, raise_server_exceptions=False) as client:
        address = f"ws{HOME[4:]}/wire/{table.tokens[seat]}"
        with client.websocket_connect(address, headers=OURS) as socket:
            shown = socket.receive_json()
            wish = {"do": "play", "moment": shown["moment"], "action": shown["actions"][0][0]}
            with monkeypatch.context() as broken:
                broken.setattr(*((Store, "add", fails) if there == "store" else (Deal, "play", fails)))
                socket.send_json(wish)
                assert socket.receive_json()["kind"] == "again"
                with pytest.raises(WebSocketDisconnect) as closed:
                    socket.receive_json()
        assert closed.value.code == LATER
        with client.websocket_connect(address, headers=OURS) as socket:
            again = socket.receive_json()
            assert again["count"] == (0 if there == "store" else 1)  # the second was stored before it failed
            if again["mine"]:
                socket.send_json({**wish, "moment": again["moment"], "action": again["actions"][0][0]})
                assert socket.receive_json()["count"] > again["count"]
        with monkeypatch.context() as broken:
            broken.setattr(Store, "open", fails)
            answer = client.post("/tables", data={"game": ESTAFADO.name, "quick": "1"}, headers=OURS)
        assert (answer.status_code, "cannot save anything" in answer.text) == (503, True)
        with monkeypatch.context() as broken:
            broken.setattr(Tables, "open", lambda *_: 1 / 0)
            answer = client.post("/tables", data={"game": ESTAFADO.name, "quick": "1"}, headers=OURS)
        assert (answer.status_code, "nothing was changed" in answer.text) == (500, True)


def test_people_are_told_that_nothing_can_be_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(all_tables, "LOOK", 0.1)
    tables = Tables(tmp_path)
    table = tables.open(opening(ESTAFADO, people=2))
    seat = table.deal.seat
    with (
        TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client,
        client.websocket_connect(f"ws{HOME[4:]}/wire/{table.tokens[seat]}", headers=OURS) as socket,
    ):
        shown = socket.receive_json()
        fill(tables.store)
        socket.send_json({"do": "play", "moment": shown["moment"], "action": shown["actions"][0][0]})
        assert socket.receive_json()["unsaved"]
        refused = client.post("/tables?language=es", data={"game": TORO.name, "quick": "1"}, headers=OURS)
        assert refused.status_code == 503
        assert "no puede guardar" in refused.text
        assert str(tmp_path) not in refused.text
        tables.store._database.execute("PRAGMA max_page_count=100000")
        assert not socket.receive_json()["unsaved"]
    store = Store(tmp_path / FILE)
    assert len(store.opened(table.name)[2]) == 1
    store.close()


def test_a_file_that_is_damaged_meanwhile_is_no_traceback(tmp_path, caplog):
    tables = Tables(tmp_path)
    with TestClient(make_app(tables, patience=LONG), base_url=HOME) as client:
        with tables.store._lock:  # the application deletes old deals in a thread as it starts
            tables.store._database.execute("DROP TABLE tokens")
        assert client.get("/seat/x").status_code == 503
        with client.websocket_connect(f"ws{HOME[4:]}/wire/x", headers=OURS) as socket:
            assert socket.receive_json()["kind"] == "store"
    assert "no such table" in caplog.text
    assert not any(record.exc_info for record in caplog.records)


ODD = {
    "no JSON": ("deals", "opened", "x"),
    "no object": ("deals", "opened", "[]"),
    "no game": ("deals", "opened", '{"game": 1}'),
    "deep": ("deals", "opened", "[" * 100_000),
    "bytes": ("deals", "opened", b"\xff"),
    "no such deal": ("deals", "id", "another"),
    "illegal": ("events", "value", "1000000000"),
    "no action": ("events", "value", '"x"'),
    "no number": ("events", "value", "{"),
    "nobody": ("events", "kind", "back"),
}


@pytest.mark.parametrize("kind", ODD)
def test_damaged_table_is_reported_to_players(kind, tmp_path, caplog, capsys):
    tables, (place, column, value) = Tables(tmp_path), ODD[kind]
    table = play_on(open_table(tables.store, opening(TORO, people=1)), plies=1)
    tables.store._database.execute(f"UPDATE {place} SET {column} = ?", (value,))
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, raise_server_exceptions=False) as client:
        assert client.get(f"/seat/{table.tokens[0]}").status_code == (404 if column == "id" else 503)
        assert client.get("/").status_code == 200
    assert column == "id" or table.name in caplog.text
    assert not any(record.exc_info for record in caplog.records)
    if column == "opened":
        assert cli.main(["serve", "--list", "--folder", str(tmp_path)]) == 2
        assert f"the table {table.name!r} is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/b", "", "a\nb"])
def test_the_name_of_a_table_in_the_file_leads_nowhere_else(name, tmp_path):
    tables = Tables(tmp_path / "tables")
    table = open_table(tables.store, opening(TORO, people=1, board="small", max_rounds=1))
    for place, column in (("deals", "id"), ("tokens", "deal")):
        tables.store._database.execute(f"UPDATE {place} SET {column} = ?", (name,))
    with pytest.raises(StoreError, match="its name has invalid characters"):
        tables.find(table.tokens[0])
    tables.store.close()


@pytest.mark.parametrize("where", ["file", "folder"])
def test_a_replay_that_is_a_link_is_not_given_away(where, tmp_path):
    tables = Tables(tmp_path / "tables")
    table = play_on(tables.open(opening(TORO, people=1, board="small", max_rounds=1)))
    file = tables.replay_file(table)
    outside = tmp_path / "outside" / file.name
    outside.parent.mkdir()
    outside.write_text("secret")
    if where == "file":
        file.parent.mkdir()
        file.symlink_to(outside)
    else:
        file.parent.symlink_to(outside.parent)
    with TestClient(make_app(tables, patience=LONG), base_url=HOME) as client:
        answer = client.get(f"/seat/{table.tokens[0]}/replay.json")
        assert (answer.status_code, "secret" in answer.text) == (503, False)


def test_failed_replay_is_written_on_demand(tmp_path, caplog):
    tables = Tables(tmp_path)
    table = play_on(tables.open(opening(TORO, people=1, max_rounds=1)), plies=1)
    (tmp_path / "replays").write_text("in its way")
    with TestClient(make_app(tables, patience=LONG), base_url=HOME) as client:
        with client.websocket_connect(f"ws{HOME[4:]}/wire/{table.tokens[0]}", headers=OURS) as socket:
            while not (shown := socket.receive_json())["over"]:
                if shown["mine"]:
                    action = shown["actions"][0][0]
                    socket.send_json({"do": "play", "moment": shown["moment"], "action": action})
        address = f"/seat/{table.tokens[0]}/replay.json"
        assert client.get(address).status_code == 503
        (tmp_path / "replays").unlink()
        assert client.get(address).status_code == 200
    assert "failed to write the replay of table" in caplog.text


def test_unused_tables_are_removed(store, monkeypatch):
    now = [1e9]
    monkeypatch.setattr(stores.time, "time", lambda: now[0])
    untouched, used, over = (open_table(store, opening(TORO, people=2, max_rounds=1)) for _ in range(3))
    play_on(over)
    play_on(used, plies=1)
    assert len(store.running()) == 2
    now[0] += UNTOUCHED
    assert len(store.running()) == 1
    play_on(used, plies=1)
    now[0] += QUIET - 1
    assert len(store.running()) == 1
    now[0] += 1
    assert len(store.running()) == 0
    assert not store.delete_untouched(set())
    play_on(used, plies=1)
    assert len(store.running()) == 1
    now[0] += DAY
    assert not store.delete_untouched({untouched.name})  # somebody looks at it
    assert store.delete_untouched(set()) == [untouched.name]
    assert store.find(untouched.tokens[0]) is None
    assert len(store.opened(over.name)[2]) > 1
    now[0] += WEEK
    play_on(used, plies=1)
    assert len(store.running()) == 0


def test_deleted_next_deal_is_opened_again(store, monkeypatch):
    table = play_on(open_table(store, opening(TORO, people=1, max_rounds=1)))

    def follow(table):
        return table.follow(lambda: open_table(store, turned(table.opening, table.players)).name)

    first, now = follow(table), time.time()
    monkeypatch.setattr(stores.time, "time", lambda: now + DAY + 1)
    assert store.delete_untouched(set()) == [first]
    again = Table(store, table.name)
    assert not again.next
    assert follow(again) != first
    assert Table(store, table.name).next == again.next


def test_operator_lists_and_closes_tables_at_run_time(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(all_tables, "LOOK", 0.1)
    tables = Tables(tmp_path, most_running=2)
    table, other = (play_on(tables.open(opening(TORO, people=2)), plies=1) for _ in range(2))
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client:
        with client.websocket_connect(f"ws{HOME[4:]}/wire/{table.tokens[PUBLIC]}?language=es", headers=OURS) as socket:
            assert socket.receive_json()["what"] == "frame"
            assert cli.main(["serve", "--folder", str(tmp_path), f"--close={table.name}", "--list"]) == 0
            told = capsys.readouterr().out
            assert told.startswith(f"{table.name} is closed\n")
            assert other.name in told
            assert told.endswith("tables: 1\n")
            assert not any(token in told for token in (*table.tokens.values(), *other.tokens.values()))
            answer = socket.receive_json()
            assert (answer["kind"], "ha cerrado esta mesa" in answer["why"]) == ("closed", True)
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_json()
            assert closed.value.code == NEVER
        assert client.get(f"/seat/{table.tokens[0]}").status_code == 410
        assert client.get(f"/seat/{other.tokens[0]}").status_code == 200
        assert client.post("/tables", data={"game": TORO.name, "quick": "1"}, headers=OURS).status_code == 303
        assert cli.main(["serve", "--folder", str(tmp_path), "--close", "nothing"]) == 2
    assert "has no table 'nothing'" in capsys.readouterr().err


def test_closed_table_has_no_agent_moves(tmp_path):
    tables = Tables(tmp_path)
    table = tables.open(opening(TORO, people=1))
    tables.store.close_deals([table.name])
    with pytest.raises(Refused, match="closed"):
        tables.find(table.tokens[0])
    tables.store.close()


def test_copy_of_a_store_can_be_restored(tmp_path):
    tables = Tables(tmp_path / "one")
    table = play_on(tables.open(opening(TORO, people=1)), plies=3)
    tables.store.close()
    (tmp_path / "two").mkdir()
    shutil.copy(tmp_path / "one" / FILE, tmp_path / "two" / FILE)
    store = Store(tmp_path / "two" / FILE)
    assert seen(Table(store, table.name), 0) == seen(table, 0)
    store.close()
