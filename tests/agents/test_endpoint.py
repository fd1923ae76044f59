"""The endpoint of a language model, against a server that misbehaves: time, size, retries, and the key."""

import json
import pickle
import socket
import time
from email.utils import formatdate
from types import SimpleNamespace

import endpoint as servers
import pytest
from endpoint import KEY, completion, serving, status

from sobremesa import agents
from sobremesa.agents.language import endpoint
from sobremesa.agents.language.endpoint import TRIES, Completion, Endpoint, EndpointFailed, _key, _wait
from sobremesa.envs.core.errors import MissingExtra

MESSAGES = [{"role": "user", "content": "LEGAL ACTIONS (1)\npass\n\n"}]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)
    monkeypatch.setenv("SOBREMESA_LLM_KEY", KEY)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def fresh(server):
    server.faults.clear()
    server.bodies.clear()
    server.headers.clear()
    return server


def ask(server, timeout=5.0, limit=60.0, **parameters):
    """Return the answer to one prompt."""
    given = {"model": "tiny", "max_tokens": 8, **parameters}
    return Endpoint(server.url, given, timeout).complete(MESSAGES, time.monotonic() + limit)


PASSING = {
    "429": status(429),
    "429 with a time": status(429, {"error": "slow down"}, Retry_After="0"),
    "500": status(500, b"oops"),
    "503 with a date": status(503, Retry_After=formatdate(0)),
    "cut off in mid-body": servers.cut_in_body,
    "no answer": servers.hang_up,
    "wrong JSON": status(200, b"<html>busy</html>"),
    "half of the JSON": status(200, b'{"choices": [{"message": {"content": "ACTION'),
    "bytes that are no text": status(200, b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    "a deep nest": status(200, b"[" * 500_000),
    "another shape": status(200, {"answer": "pass"}),
    "a list": status(200, [1, 2]),
    "no choice": status(200, {"choices": []}),
    "a number": status(200, {"choices": [{"message": {"content": 5}}]}),
    "an error": status(200, {"error": {"message": "overloaded"}}),
    "endless": servers.endless,
    "huge headers": servers.huge_headers,
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_failure_that_passes_is_tried_again(fault, fresh):
    fresh.faults.append(PASSING[fault])
    assert ask(fresh) == Completion("ACTION: pass", False, 100, 10)
    assert len(fresh.bodies) == 2
    assert fresh.bodies[0] == fresh.bodies[1]


@pytest.mark.parametrize("fault", PASSING)
def test_a_failure_that_stays_is_an_error(fault, fresh):
    fresh.faults.extend([PASSING[fault]] * TRIES)
    with pytest.raises(EndpointFailed, match=rf"{fresh.url}: .*\({TRIES} requests\)") as failed:
        ask(fresh)
    assert failed.value.passing
    assert str(failed.value).isprintable()
    assert len(str(failed.value)) < 800
    assert not fresh.faults


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (status(401, {"error": f"the key \x1b[31m{KEY} is wrong"}), r"status 401: .*\[key\] is wrong"),
        (status(404, b"no such model"), "status 404: no such model"),
        (status(400, b"\x1b]0;title\x07"), "status 400"),
        (status(302, Location="http://192.0.2.1/v1"), "redirects to http://192.0.2.1/v1; name that URL"),
        (servers.streaming, "it streams its answer"),
        (servers.compressed, "compressed answer, which was not requested"),
    ],
)
def test_a_failure_that_does_not_pass_is_an_error_at_once(fault, why, fresh):
    fresh.faults.append(fault)
    with pytest.raises(EndpointFailed, match=why) as failed:
        ask(fresh)
    assert not failed.value.passing
    assert str(failed.value).isprintable()
    assert KEY not in str(failed.value)
    assert len(fresh.bodies) == 1


def test_a_redirect_is_not_followed(fresh):
    with serving() as other:
        for number in (301, 302, 307, 308):
            fresh.faults.append(status(number, Location=f"{other.url}/chat/completions"))
            with pytest.raises(EndpointFailed, match="redirects"):
                ask(fresh)
        assert other.headers == []


@pytest.mark.parametrize("fault", [servers.slow(2), servers.dripping, servers.dripping_headers])
def test_the_time_of_a_request_is_limited(fault, fresh):
    fresh.faults.append(fault)
    began = time.monotonic()
    assert ask(fresh, timeout=0.3).text == "ACTION: pass"
    assert 0.25 < time.monotonic() - began < 2


def test_the_time_of_a_decision_is_limited(fresh):
    fresh.faults.extend([servers.slow(0.4)] * TRIES)
    began = time.monotonic()
    with pytest.raises(EndpointFailed, match=r"no answer within 0.2 s \(\d requests, no time for more\)"):
        ask(fresh, timeout=0.2, limit=0.3)
    assert time.monotonic() - began < 1


def test_a_server_that_is_not_there_is_a_failure():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/v1", f"http://{'a' * 70}.invalid/v1", "http://a.invalid/v1"):
        with pytest.raises(EndpointFailed, match="the connection failed"):
            Endpoint(url, {}, 1.0).complete(MESSAGES, time.monotonic() + 9)


def test_pauses_grow_and_follow_the_server(fresh, monkeypatch):
    slept = []
    monkeypatch.setattr(endpoint, "PAUSE", 1.0)
    clock = SimpleNamespace(monotonic=time.monotonic, time=time.time, sleep=slept.append)
    monkeypatch.setattr(endpoint, "time", clock)  # the threads of servers sleep too
    fresh.faults.extend([status(500), status(429, Retry_After="7"), status(429, Retry_After="9999"), status(500)])
    assert ask(fresh, limit=1e6).text
    assert slept == [1.0, 7.0, endpoint.LONGEST_PAUSE, 8.0]


def test_the_header_retry_after_is_read():
    later = _wait(formatdate(time.time() + 30, usegmt=True))
    assert [_wait(text) for text in ("3", "-5", "soon", "nan", "1e999", "")] == [3, 0, None, None, None, None]
    assert 25 < later < 31


def test_answers_are_read_in_all_their_forms(fresh):
    parts = [{"type": "text", "text": "ACTION: "}, {"type": "text", "text": "pass"}, {"type": "image"}]
    shapes = {
        "parts": completion(parts),
        "none": completion(None),
        "cut": completion("ACTION: pa", finish="length"),
        "no tokens": completion("pass") | {"usage": None},
        "odd tokens": completion("pass") | {"usage": {"prompt_tokens": -1, "completion_tokens": "9"}},
    }
    fresh.faults.extend(status(200, body) for body in shapes.values())
    assert [tuple(ask(fresh)) for _ in shapes] == [
        ("ACTION: pass", False, 100, 10),
        ("", False, 100, 10),
        ("ACTION: pa", True, 100, 10),
        ("pass", False, 0, 0),
        ("pass", False, 0, 0),
    ]


def test_the_other_name_of_the_token_limit_is_tried(fresh):
    fresh.faults.append(status(400, {"error": "max_tokens is not supported; use max_completion_tokens"}))
    asked = Endpoint(fresh.url, {"model": "tiny", "max_tokens": 8}, 5.0)
    for _ in range(2):
        assert asked.complete(MESSAGES, time.monotonic() + 9).text
    assert [("max_tokens" in one, one.get("max_completion_tokens")) for one in fresh.bodies] == [
        (True, None),
        (False, 8),
        (False, 8),
    ]


# The key.


def test_the_key_is_sent_and_not_kept(fresh, monkeypatch):
    agent = agents.load(fresh.spec())
    assert agent.endpoint.complete(MESSAGES, time.monotonic() + 9).text
    assert fresh.headers[0]["Authorization"] == f"Bearer {KEY}"
    kept = [pickle.dumps(agent), repr(agent), repr(vars(agent)), repr(vars(agent.endpoint)), agent.content]
    assert not [one for one in kept if KEY in str(one)]
    monkeypatch.delenv("SOBREMESA_LLM_KEY")
    assert agent.endpoint.complete(MESSAGES, time.monotonic() + 9).text
    assert "Authorization" not in fresh.headers[1]


def test_an_answer_that_contains_the_key_is_cleaned(fresh):
    fresh.faults.append(status(200, completion(f"my key is {KEY}")))
    assert ask(fresh).text == "my key is [key]"


def test_the_key_of_another_service_stays_on_this_machine(monkeypatch):
    monkeypatch.delenv("SOBREMESA_LLM_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    urls = ("https://a.org/v1", "http://localhost:1/v1", "http://[::1]/v1", "http://a.org/v1", "http://10.0.0.1/v1")
    assert [_key(url) for url in urls] == [KEY, KEY, KEY, "", ""]
    monkeypatch.setenv("SOBREMESA_LLM_KEY", "mine")
    assert {_key(url) for url in urls} == {"mine"}


@pytest.mark.parametrize("key", ["sk/do+not/show=me", 'sk"do\\not/show', KEY])
def test_a_key_that_json_escapes_is_not_shown(key, fresh, monkeypatch):
    monkeypatch.setenv("SOBREMESA_LLM_KEY", key)
    for written in (json.dumps(key), json.dumps(key).replace("/", "\\/")):
        faults = (status(401, f'{{"bad key": {written}}}'.encode()), status(200, f'{{"bad key": {written}}}'.encode()))
        for fault in faults:
            fresh.faults.extend([fault] * TRIES)
            with pytest.raises(EndpointFailed, match=r'"bad key": "\[key\]"'):
                ask(fresh)
            fresh.faults.clear()
    fresh.faults.extend([status(200, b" " * 790 + json.dumps({"key": KEY}).encode())] * TRIES)
    monkeypatch.setenv("SOBREMESA_LLM_KEY", KEY)
    with pytest.raises(EndpointFailed) as failed:
        ask(fresh)
    assert KEY[:5] not in str(failed.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_proxy_gets_no_request_to_this_machine(host, fresh, monkeypatch):
    with serving() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        here = Endpoint(fresh.url.replace("127.0.0.1", host), {}, 5.0)
        assert here.complete(MESSAGES, time.monotonic() + 9).text
        assert (len(fresh.headers), proxy.headers) == (1, [])
        proxy.faults.append(status(404))
        with pytest.raises(EndpointFailed, match="status 404"):
            Endpoint("http://a.invalid/v1", {}, 5.0).complete(MESSAGES, time.monotonic() + 9)
        with pytest.raises(EndpointFailed, match="the connection failed"):
            Endpoint("http://[::1]:1/v1", {}, 5.0).complete(MESSAGES, time.monotonic() + 0.1)
        assert len(proxy.headers) == 1


@pytest.mark.parametrize("key", [f"{KEY}\nX-Evil: 1", f"{KEY}é"])
def test_a_key_with_odd_signs_is_refused_and_not_shown(key, fresh, monkeypatch):
    monkeypatch.setenv("SOBREMESA_LLM_KEY", key)
    with pytest.raises(ValueError, match="SOBREMESA_LLM_KEY is not allowed") as refused:
        agents.load(fresh.spec())
    assert KEY not in str(refused.value)
    assert fresh.headers == []


def test_an_endpoint_needs_an_extra(monkeypatch):
    monkeypatch.setattr(endpoint, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"run pip install '\.\[language\]'"):
        agents.load("llm:tiny@http://127.0.0.1:1/v1")
