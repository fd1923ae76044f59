"""Limits of one client: connections, time, windows, forms and log lines."""

import contextlib
import logging
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from functools import partial
from socket import SO_LINGER, SOL_SOCKET
from types import SimpleNamespace

import pytest
import uvicorn
from rooms import TORO
from scale import COMPILED_ONLY
from serving import HOME, LONG, OURS, connect, landed, opening
from starlette.testclient import TestClient

from sobremesa import cli
from sobremesa.serve import connections, limits, run as runs, store as stores, tables as all_tables
from sobremesa.serve.app import make_app
from sobremesa.serve.connections import Gate, LimitedConnection, Socket
from sobremesa.serve.limits import Limits, groups
from sobremesa.serve.run import Quiet
from sobremesa.serve.store import Event
from sobremesa.serve.table import Refused
from sobremesa.serve.tables import Tables

SOON = 20.0  # seconds until something is given up
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
WHOLE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def client(host):
    return SimpleNamespace(client=SimpleNamespace(host=host))


def keys(host):
    return [group.key for group in groups(host)]


def test_local_requests_are_not_counted():
    assert groups("127.0.0.1") == groups("::1") == groups("::ffff:127.0.0.1") == []
    assert keys("2001:db8::1") == keys("2001:db8::ffff:2") == ["2001:db8::/64", "2001:db8::/48"]
    assert keys("2001:db8:0:1::1")[1:] == keys("2001:db8::1")[1:]
    assert keys("::ffff:192.0.2.7") == keys("192.0.2.7") == ["192.0.2.7/32", "192.0.2.0/24"]
    assert keys("fe80::1%eth0") == ["fe80::/64", "fe80::/48"]
    assert keys("no address") == ["no address"]


def test_address_at_its_limit_spares_its_network(monkeypatch):
    monkeypatch.setattr(limits, "TABLES", (0.0, 2))
    book = Limits()
    for _ in range(2):
        book.table(client("2001:db8::1"))
    for _ in range(50):
        with pytest.raises(Refused, match="many tables"):
            book.table(client("2001:db8::1"))
    for number in range(1, 5):
        book.table(client(f"2001:db8:0:{number}::1"))
    with pytest.raises(Refused, match="many tables"):
        book.table(client("2001:db8:0:9::1"))  # a /48 has three times as many as one /64
    book.table(client("2001:db8:1::1"))
    book.table(client("127.0.0.1"))


def test_windows_and_hints_are_counted_while_open(monkeypatch):
    monkeypatch.setattr(limits, "SOCKETS", 1)
    monkeypatch.setattr(limits, "HINTS", 1)
    book = Limits()
    for count, refusal in ((book.socket, "many sockets"), (book.hint, "many hints")):
        with contextlib.ExitStack() as stack:
            for number in range(limits.WIDER):
                stack.enter_context(count(client(f"192.0.2.{number}")))
            for host in ("192.0.2.0", "192.0.2.9"):
                with pytest.raises(Refused, match=refusal), count(client(host)):
                    pass
        with count(client("192.0.2.9")):
            pass


def test_the_oldest_clients_are_forgotten(monkeypatch):
    monkeypatch.setattr(limits, "MOST", 4)
    monkeypatch.setattr(limits, "FORMS", (0.0, 1))
    book = Limits()
    for network in (1, 2, 3):
        book.form(client(f"192.0.{network}.1"))
    with pytest.raises(Refused, match="many forms"):
        book.form(client("192.0.3.1"))
    book.form(client("192.0.1.1"))


class Transport:
    aborted = False

    def abort(self):
        self.aborted = True


def entered(gate, host):
    transport = Transport()
    return transport if gate.enter(transport, host) else None


def test_client_at_its_limit_loses_oldest_connection(monkeypatch):
    monkeypatch.setattr(connections, "EACH", 2)
    gate = Gate(100)
    other, first, second = (entered(gate, host) for host in ("192.0.9.1", "192.0.2.1", "192.0.2.1"))
    third = entered(gate, "192.0.2.1")
    assert [one.aborted for one in (other, first, second, third)] == [False, True, False, False]
    for one in (second, third):
        gate.serve(one)
    assert entered(gate, "192.0.2.1") is None  # both are being served
    gate.leave(second)
    assert entered(gate, "192.0.2.1")
    for number in range(2, 6):
        assert entered(gate, f"192.0.2.{number}")
    assert third.aborted is False
    assert gate._counts["192.0.2.0/24"] == 6


def test_a_full_server_drops_whoever_has_waited_longest():
    gate = Gate(4, proxies="10.0.0.0/8, 192.0.2.1")
    ones = [entered(gate, host) for host in ("127.0.0.1", "10.1.2.3", "10.1.2.3", "192.0.2.1")]
    gate.serve(ones[0])
    fifth = entered(gate, "127.0.0.1")
    assert [one.aborted for one in ones] == [False, True, False, False]
    for one in (ones[2], ones[3], fifth):
        gate.serve(one)
    assert entered(gate, "127.0.0.1") is None
    gate.wait(ones[2])
    assert entered(gate, "192.0.9.9")
    assert ones[2].aborted


def test_client_at_its_limit_spares_other_clients():
    gate = Gate(4)
    *others, own = (entered(gate, host) for host in (*["127.0.0.1"] * 3, "192.0.2.1"))
    gate.serve(own)
    assert entered(gate, "192.0.2.1") is None
    assert not any(one.aborted for one in others)


def test_websockets_use_at_most_three_quarters():
    gate = Gate(4)
    ones = [entered(gate, "127.0.0.1") for _ in range(4)]
    assert [gate.upgrade(one) for one in ones] == [True, True, True, False]
    gate.leave(ones[0])
    assert gate.upgrade(ones[3])
    assert not gate.upgrade(Transport())  # one that was dropped


async def echo(scope, receive, send):
    assert scope["type"] == "http"
    while (await receive()).get("more_body"):
        pass
    body = b"x" * (50_000_000 if scope["path"] == "/large" else 2)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@contextlib.contextmanager
def serving(gate, app=echo):
    """Serve `app` in a thread; gives a function that connects."""
    config = uvicorn.Config(
        app,
        http=partial(LimitedConnection, gate),
        ws=partial(Socket, gate),
        lifespan="on" if app is not echo else "off",
        log_config=None,
    )
    server, listening = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield lambda: socket.create_connection(listening.getsockname(), timeout=SOON)
    finally:
        server.should_exit = True
        thread.join(SOON)
        listening.close()


def ended(connection):
    """Return whether the server has closed a connection, which is waited for."""
    try:
        while connection.recv(2**20):
            pass
    except ConnectionError:
        pass
    return True


def test_slow_request_is_dropped_at_its_deadline(monkeypatch):
    monkeypatch.setattr(connections, "HEADERS", 1.0)
    monkeypatch.setattr(connections, "BODY", 1.0)
    gate = Gate()
    body = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
    with serving(gate) as connect:
        silent, dripping, uploading, second = (connect() for _ in range(4))
        second.sendall(WHOLE)
        answer = b""
        while not answer.endswith(b"xx"):
            answer += second.recv(1000)
        for one, part in ((dripping, HALF), (uploading, body), (second, HALF)):
            one.sendall(part)
        with contextlib.suppress(ConnectionError):
            for _ in range(int(SOON / 0.05)):
                dripping.sendall(b"x")
                time.sleep(0.05)
            pytest.fail("bytes that drip prolong the time")
        assert all(map(ended, (silent, uploading, second)))
        while gate._counts:
            time.sleep(0.01)
        with connect() as one:
            one.sendall(body + b"x" * 1000)
            assert one.recv(1000).startswith(b"HTTP/1.1 200")
        for one in (silent, dripping, uploading, second):
            one.close()


def test_client_that_does_not_read_is_dropped(monkeypatch):
    monkeypatch.setattr(connections, "STALLED", 0.3)
    gate = Gate()
    with serving(gate) as connect, connect() as slow:
        slow.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert slow.recv(4).startswith(b"HTTP")
        began = time.monotonic()
        while gate._counts:
            assert time.monotonic() < began + SOON
            time.sleep(0.01)


def test_client_errors_log_no_traceback(tmp_path, caplog):
    tables = Tables(tmp_path)
    token = tables.open(opening(TORO, people=2)).tokens[0]
    head = "Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n"
    upload = f"POST /tables HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\nhalf".encode()
    bad_utf8, close = b"\x81\x82\0\0\0\0\xff\xfe", b"\x88\x80\0\0\0\0"
    with serving(Gate(), make_app(tables, patience=LONG)) as connect:
        for place in (token, "guess"):
            upgrade = f"GET /wire/{place} HTTP/1.1\r\n{head}Connection: Upgrade\r\nUpgrade: websocket\r\n"
            upgrade += f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'x' * 22}==\r\n\r\n"
            for content in (upload, HALF, b"\xff\r\n\r\n", *(upgrade.encode() + one for one in (b"", bad_utf8, close))):
                for abrupt in (0, 1):
                    with connect() as one:
                        one.sendall(content)
                        time.sleep(0.05)
                        one.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", abrupt, 0))
        with connect() as one:
            one.sendall(WHOLE)
            assert one.recv(1000).startswith(b"HTTP/1.1 200")
    assert not [record.getMessage() for record in caplog.records if Quiet().filter(record) and record.exc_info]


def test_half_sent_requests_give_way_to_whole_ones():
    with serving(Gate(8)) as connect:
        half = [connect() for _ in range(30)]
        for one in half:
            with contextlib.suppress(ConnectionError):
                one.sendall(HALF)
        with connect() as one:
            one.sendall(WHOLE)
            assert one.recv(1000).startswith(b"HTTP/1.1 200")
        for one in half:
            one.close()


@COMPILED_ONLY
def test_half_sent_requests_do_not_exhaust_descriptors(tmp_path):
    command = 'ulimit -n 128; exec "$0" -m sobremesa serve --port 0 --folder "$1"'
    with open(tmp_path / "log", "w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            ["sh", "-c", command, sys.executable, tmp_path / "tables"], stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            home = server.stdout.readline().strip()
            port = int(home.rstrip("/").rpartition(":")[2])
            half = [socket.create_connection(("127.0.0.1", port), timeout=SOON) for _ in range(300)]
            for one in half:
                with contextlib.suppress(ConnectionError):
                    one.sendall(HALF)
            with urllib.request.urlopen(f"{home}static/look.css", timeout=SOON) as page:
                assert page.status == 200
            for one in half:
                one.close()
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
        log.seek(0)
        assert "Traceback" not in log.read()


def test_one_line_of_a_kind_is_logged_in_a_minute(monkeypatch, caplog):
    now = [1000.0]
    monkeypatch.setattr(runs.time, "monotonic", lambda: now[0])
    log, quiet = logging.getLogger("sobremesa.serve"), Quiet()
    log.addFilter(quiet)
    try:
        for error in (*[OSError("no room\n[31m")] * 3, *[KeyError("ours")] * 2):
            try:
                raise error
            except Exception:
                log.exception("a request\nsocket 7")
        now[0] += runs.MINUTE
        log.error("a request")
        log.error("table %s", "a")
        log.error("table %s", "b")
    finally:
        log.removeFilter(quiet)
    said = [(record.getMessage(), bool(record.exc_info)) for record in caplog.records]
    assert said == [
        ("a request: no room [31m", False),
        ("a request\nsocket 7", True),  # a fault of the server's own keeps its traceback
        ("a request", False),
        ("table a", False),
    ]
    assert quiet._seen[("a request", OSError)] == (1000.0, 2)


# A full server.

FULL, NETWORKS = 40, 17  # tables, and networks that open three each


def seat_opened(client):
    """Open a table by the form; return the path of its seat, "" if the server is full."""
    answer = client.post("/tables", data={"game": TORO.name, "quick": "1", "level": "easy"}, headers=OURS)
    assert answer.status_code in (303, 503)
    return landed(answer) if answer.status_code == 303 else ""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A server of few tables at which no agent moves."""
    monkeypatch.setattr(Tables, "_agent_to_act", lambda *_: None)
    monkeypatch.setattr(limits, "TABLES", (0.0, 3 * FULL))
    monkeypatch.setattr(limits, "FORMS", (0.0, 3 * FULL))
    monkeypatch.setattr(all_tables, "LOOK", 0.05)
    return Tables(tmp_path, most_running=FULL)


@pytest.fixture
def browser_of(small):
    """Return the client of an address; the server has one client at a time."""
    with TestClient(make_app(small, patience=LONG), base_url=HOME, follow_redirects=False) as client:

        def of(host):
            client._transport.client = (host, 50_000)
            return client

        yield of


def fill(browser_of):
    """Return the seats of more tables than the server may have, opened from many networks, without a move."""
    return [seat_opened(browser_of(f"10.{number}.0.1")) for number in range(NETWORKS) for _ in range(3)]


def of_seat(tables, seat):
    """Return the table of the page `seat`."""
    return tables.find(seat.partition("?")[0].rpartition("/")[2])[0]


def test_a_newcomer_finds_a_table_on_a_full_server(small, browser_of):
    assert all(fill(browser_of))
    assert len(small.store.running()) == FULL
    newcomer = browser_of("192.0.2.7")
    seat = seat_opened(newcomer)
    assert seat
    assert all(fill(browser_of))  # they replace their own tables
    assert newcomer.get(seat).status_code == 200
    assert len(small.store.running()) == FULL


def test_played_tables_and_open_windows_do_not_give_way(small, browser_of):
    newcomer = browser_of("192.0.2.7")
    seats = [seat_opened(newcomer) for _ in range(FULL)]
    shown, played = of_seat(small, seats[0]), of_seat(small, seats[1])
    shown.watchers[object()] = 0
    small.store.add(played.table.name, 0, Event("play", int(played.table.deal.mask.argmax())))
    assert all(fill(browser_of))
    assert [newcomer.get(seat).status_code for seat in seats[:3]] == [200, 200, 404]


def test_quiet_tables_stop_counting_on_a_full_server(small, browser_of, monkeypatch):
    now = [1e9]
    monkeypatch.setattr(stores.time, "time", lambda: now[0])
    client = browser_of("192.0.2.7")
    seats = [seat_opened(client) for _ in range(FULL)]
    for seat in seats:
        table = of_seat(small, seat).table
        small.store.add(table.name, 0, Event("name", [0, "a"]))
    assert not seat_opened(client)
    now[0] += stores.UNTOUCHED
    assert seat_opened(client)
    assert client.get(seats[0]).status_code == 200  # its links work on


def test_an_open_window_stays_while_quiet_tables_do_not_count(small, browser_of, monkeypatch):
    now = [1e9]
    monkeypatch.setattr(stores.time, "time", lambda: now[0])
    client = browser_of("192.0.2.7")
    seats = [seat_opened(client) for _ in range(FULL)]
    for seat in seats[1:]:
        small.store.add(of_seat(small, seat).table.name, 0, Event("name", [0, "a"]))
    of_seat(small, seats[0]).watchers[object()] = 0
    now[0] += stores.UNTOUCHED
    assert seat_opened(browser_of("10.0.0.1"))
    assert client.get(seats[0]).status_code == 200


def test_the_page_of_a_table_that_gave_way_says_so(browser_of):
    client = browser_of("192.0.2.7")
    seats = [seat_opened(client) for _ in range(FULL)]
    tokens = [seat.partition("?")[0].rpartition("/")[2] for seat in seats]
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(connect(client, token)) for token in tokens]
        assert {socket.receive_json()["what"] for socket in sockets} == {"frame"}
        assert seat_opened(client)
        assert sockets[0].receive_json()["kind"] == "gave way"
    assert client.get(seats[0]).status_code == 404


def test_the_operator_closes_many_tables_at_once(small, browser_of, tmp_path, capsys):
    client = browser_of("192.0.2.7")
    names = [of_seat(small, seat_opened(client)).table.name for _ in range(6)]
    small.store.add(names[0], 0, Event("name", [0, "a"]))
    serve = ["serve", "--folder", str(tmp_path)]
    assert cli.main([*serve, *(f"--close={name}" for name in names[1:3])]) == 0
    assert cli.main([*serve, "--close", "untouched", "--list"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("tables: 1\n")
    assert f"{names[5]} is closed" in out
    assert cli.main([*serve, "--close", "nothing", "all"]) == 2
    assert len(small.store.running()) == 1
    assert cli.main([*serve, "--close", "all"]) == 0
    assert not small.store.running()
    assert cli.main([*serve, "--close", "all"]) == 0
    assert capsys.readouterr().out.endswith(f"there are no such tables in {tmp_path}\n")
