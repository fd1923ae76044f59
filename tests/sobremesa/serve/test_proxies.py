"""The server behind reverse proxies with a path prefix: one in the test, and the documented nginx and Caddy."""

import contextlib
import http.client
import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import urlencode, urljoin

import pytest
from browsing import Visitor, chromium, running
from rooms import TORO
from scale import COMPILED_ONLY
from serving import HOME, LONG
from starlette.testclient import TestClient
from websockets.sync.client import connect

import sobremesa.serve
from sobremesa.report.film import PLAYER
from sobremesa.serve.app import make_app
from sobremesa.serve.tables import Tables

NAME, PREFIX = "games.example.org", "/table"
SERVE = Path(sobremesa.serve.__file__).parent
QUICK = {"game": TORO.name, "quick": "1"}
NGINX = (
    "pid {folder}/pid; error_log {folder}/log; daemon off; events {{}} http {{ access_log off; {temporary} {server} }}"
)
CADDY = "{{\nadmin off\nauto_https off\nstorage file_system {folder}\n}}\n{server}"


def documented(language):
    """Return the example of the README for a proxy."""
    return re.search(rf"```{language}\n(.*?)```", (SERVE / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.fixture
def client(tmp_path):
    app = make_app(Tables(tmp_path), names=[NAME], patience=LONG)
    with TestClient(app, base_url=HOME, follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("host", [NAME, "127.0.0.1:8642"], ids=["kept", "replaced"])
def test_forms_and_sockets_work_behind_a_proxy(client, host):
    headers = {
        "host": host,
        "origin": f"https://{NAME}",
        "x-forwarded-host": f"{NAME}, inner",
        "x-forwarded-proto": "https",
    }
    answer = client.post("/tables", data=QUICK, headers=headers)
    assert answer.status_code == 303
    there = urljoin(f"https://{NAME}{PREFIX}/tables", answer.headers["location"])
    assert there.startswith(f"https://{NAME}{PREFIX}/seat/")
    token = there.rpartition("/")[2].partition("?")[0]
    with client.websocket_connect(f"ws{HOME[4:]}/wire/{token}", headers=headers) as opened:
        assert opened.receive_json()["what"] == "frame"


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "https://evil.example"},
        {"x-forwarded-host": "evil.example", "origin": "https://evil.example"},
        {"host": "evil.example", "x-forwarded-host": NAME},  # a page of a name that resolves to this machine
    ],
)
def test_other_sites_are_still_rejected(client, change):
    headers = {"host": "127.0.0.1:8642", "x-forwarded-host": NAME, "origin": f"https://{NAME}"}
    assert client.post("/tables", data=QUICK, headers=headers).status_code == 303
    assert client.post("/tables", data=QUICK, headers=headers | change).status_code == 403


def test_pages_have_relative_addresses_only(client):
    seat = client.post("/tables", data=QUICK, headers={"origin": HOME}).headers["location"].removeprefix(".")
    for path in ("/", f"/game/{TORO.name}", seat, "/seat/nothing", "/a/b/c"):
        page = client.get(path).text
        found = re.findall(r'(?:href|src|action)="([^"#?]+)', page)
        assert found
        assert not [one for one in found if one.startswith("/")]
        for one in found:
            assert urljoin(f"{HOME}{PREFIX}{path}", one).startswith(f"{HOME}{PREFIX}/")
    for script in (*SERVE.glob("static/*.js"), *PLAYER.glob("*.js")):
        assert not re.findall(r"(?:from|fetch\() ?[\"'`]/", script.read_text(encoding="utf-8"))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def proxied(program, folder, upstream):
    """Run the documented proxy in front of a server; yield its address."""
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}; tests/browser/install.sh proxies brings it")
    port, server = free_port(), documented(program).replace("127.0.0.1:8642", upstream)
    if program == "nginx":
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
        server = re.sub(r"listen [^;]*;", f"listen 127.0.0.1:{port};", server)
        (folder / "conf").write_text(NGINX.format(folder=folder, temporary=temporary, server=server))
        command = ["nginx", "-c", str(folder / "conf"), "-e", str(folder / "log")]
    else:
        server = server.replace(NAME, f"http://:{port}", 1)
        (folder / "conf").write_text(CADDY.format(folder=folder, server=server))
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "conf")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def asked(proxy, method, path, headers):
    """Return the status and the redirection of an answer."""
    connection = http.client.HTTPConnection(proxy.removeprefix("http://"), timeout=LONG)
    with contextlib.closing(connection):
        content = urlencode(QUICK) if method == "POST" else None
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("location", "")


@COMPILED_ONLY
@pytest.mark.parametrize("program", ["nginx", "caddy"])
def test_documented_proxy_serves_a_table(tmp_path, program):
    with running(tmp_path / "tables", names=[NAME]) as (home, _), proxied(program, tmp_path, home[7:]) as proxy:
        named = {"host": NAME, "origin": f"http://{NAME}"}
        assert asked(proxy, "GET", f"{PREFIX}/", named)[0] == 200
        assert asked(proxy, "GET", PREFIX, named)[1].endswith(f"{PREFIX}/")
        assert asked(proxy, "POST", f"{PREFIX}/tables", {**named, "origin": "http://evil.org"})[0] == 403
        code, there = asked(proxy, "POST", f"{PREFIX}/tables", named)
        page = urljoin(f"{PREFIX}/tables", there)
        while (code, there) != (200, ""):  # a cold server shows the page that waits
            code, there = asked(proxy, "GET", page, named)
            page = urljoin(page, there)
        address = f"ws://{NAME}{PREFIX}/wire/{page.rpartition('/')[2].partition('?')[0]}"
        host, _, port = proxy[7:].partition(":")
        with connect(address, sock=socket.create_connection((host, int(port))), origin=f"http://{NAME}") as opened:
            assert json.loads(opened.recv())["what"] == "frame"


@pytest.mark.thorough
@COMPILED_ONLY
def test_a_browser_plays_and_copies_below_a_prefix(tmp_path):
    with (
        running(tmp_path / "tables") as (home, _),
        proxied("nginx", tmp_path, home[7:]) as proxy,
        chromium() as browser,
    ):
        visitor = Visitor(browser, f"{proxy}{PREFIX}")
        page = visitor.page
        page.add_init_script("delete Navigator.prototype.clipboard")  # as over plain http from another machine
        page.goto(f"{visitor.home}/game/estafado?language=en")
        page.locator('select[name="seat1"]').select_option("person")
        page.locator("form.setup button.main").click()
        page.wait_for_selector("#table[data-ready=yes] #waiting li")
        assert "waiting" in page.locator("#waiting").inner_text()
        invitation = page.locator("#waiting a").inner_text()
        page.locator("#waiting button").click()
        page.wait_for_selector('#waiting [role=status]:text("Copied.")')
        guest = Visitor(browser, visitor.home)
        guest.page.goto(invitation)
        page.wait_for_function("() => document.querySelector('#links').textContent.includes('is at the table')")
        page.locator("#find, #rename input").last.focus()
        page.keyboard.press("Control+V")
        assert (
            page.locator("#rename input").input_value()
            == invitation[: len(page.locator("#rename input").input_value())]
        )
        both = (visitor, guest)
        mover = visitor if page.locator("#moves").is_visible() else guest
        before = [one.state() for one in both]
        mover.wait()
        mover.page.locator("#list button:visible").first.click()
        for one, state in zip(both, before, strict=True):
            one.page.wait_for_function("before => document.querySelector('#table').dataset.shown !== before", arg=state)
        assert not visitor.complaints + guest.complaints
