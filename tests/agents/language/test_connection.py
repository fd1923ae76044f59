"""Proxies and certificates of the environment, in every spelling: endpoints here need none, others name a wrong one."""

import itertools
import time
from pathlib import Path

import pytest
from endpoint import KEY, serving, status

from sobremesa.agents.language import connection, endpoint
from sobremesa.agents.language.endpoint import Endpoint, EndpointFailed

MESSAGES = [{"role": "user", "content": "LEGAL ACTIONS (1)\npass\n\n"}]
SECRET = "hunter2"
SCHEMES = ("http", "https", "socks4", "socks5", "socks5h", "ftp", "HTTP", "")
VALUES = [f"{scheme}{scheme and '://'}user:{SECRET}@127.0.0.1:9" for scheme in SCHEMES]
VALUES += ["::", "://", "http://", "http:///x", f"http://user:{SECRET}@h:999999", f"no url {SECRET}", "http://[::1"]
PROXIES = [f(name) for name in ("http_proxy", "https_proxy", "all_proxy") for f in (str, str.upper)]
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _clean(monkeypatch):
    monkeypatch.setattr(endpoint, "TRIES", 1)
    monkeypatch.setenv("SOBREMESA_LLM_KEY", KEY)
    for name in (*PROXIES, *CERTIFICATES, "NO_PROXY", "no_proxy", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def places(tmp_path):
    """Return values of a variable for certificates that cannot be used."""
    (tmp_path / "empty.pem").touch()
    (tmp_path / "text.pem").write_text("no certificate")
    return [str(tmp_path / name) for name in ("nowhere", "", "empty.pem", "text.pem")]


def ask(url):
    return Endpoint(url, {"model": "tiny"}, 5.0).complete(MESSAGES, time.monotonic() + 60).text


def test_this_machine_is_reached_whatever_the_environment_names(server, places, monkeypatch):
    for one in PROXIES:
        for value in VALUES:
            with monkeypatch.context() as patch:
                patch.setenv(one, value)
                assert ask(server.url) == "ACTION: pass"
    for value, place in itertools.product(VALUES, places):
        for name in PROXIES:
            monkeypatch.setenv(name, value)
        for name in CERTIFICATES:
            monkeypatch.setenv(name, place)
        for host in ("127.0.0.1", "localhost", "LOCALHOST", "0.0.0.0"):
            assert ask(server.url.replace("127.0.0.1", host)) == "ACTION: pass"


@pytest.mark.parametrize("name", PROXIES)
def test_an_unusable_proxy_is_named_without_its_password(name, monkeypatch):
    for value in VALUES:
        monkeypatch.setenv(name, value)
        for scheme in ("http", "https"):
            with pytest.raises(EndpointFailed) as failed:
                ask(f"{scheme}://a.invalid/v1")
            message = str(failed.value)
            assert SECRET not in message
            assert message.isprintable()
            matters = name.lower() in ("all_proxy", f"{scheme}_proxy")
            usable = value.lower().startswith(("http://user:hunter2@127", "https://user", "user:"))
            assert (f"{name} " in message) == (matters and not usable), message
            if matters and value.startswith("socks5"):
                assert "needs a package; run pip install socksio, or unset it" in message


def test_a_proxy_is_used_for_other_machines_unless_excepted(server, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        with monkeypatch.context() as patch:
            patch.setenv(name, server.url.removesuffix("/v1"))
            assert ask("http://a.invalid/v1") == "ACTION: pass"
            for excepted, host in (
                ("*", "a.invalid"), ("invalid", "a.invalid"), (".invalid", "a.invalid"), ("x, a.invalid", "a.invalid"),
                ("203.0.113.0/24", "203.0.113.7"), ("x,203.0.113.7", "203.0.113.7"), ("2001:db8::/32", "[2001:db8::7]"),
            ):  # fmt: skip
                for no in ("no_proxy", "NO_PROXY"):
                    with patch.context() as inner:
                        inner.setenv(no, excepted)
                        assert connection._proxy(f"http://{host}:8000/v1") is None


def test_an_excepted_host_needs_no_package_for_its_proxy(server, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "a.invalid")
    with pytest.raises(EndpointFailed, match="the connection failed"):
        ask("http://a.invalid/v1")


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_that_cannot_be_read_are_named(name, server, places, monkeypatch):
    for place in places:
        monkeypatch.setenv(name, place)
        if name == "SSL_CERT_FILE" or not Path(place).is_dir():
            with pytest.raises(EndpointFailed, match=rf"https://a\.invalid/v1: {name}={place}: .*unset the variable$"):
                ask("https://a.invalid/v1")
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        server.faults.append(status(404))
        with pytest.raises(EndpointFailed, match="status 404"):  # without encryption there is nothing to read
            ask("http://a.invalid/v1")
