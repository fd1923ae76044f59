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
from sobremesa.agents.language.endpoint import TRIES, Endpoint, EndpointFailed, _key, _wait
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
    assert ask(fresh)[:4] == ("ACTION: pass", False, 100, 10)
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


@pytest.mark.parametrize("fault", [servers.slow(60), servers.dripping, servers.dripping_headers])
def test_the_time_of_a_request_is_limited(fault, fresh):
    fresh.faults.append(fault)
    began = time.monotonic()
    assert ask(fresh, timeout=1.0).text == "ACTION: pass"
    assert 0.9 < time.monotonic() - began < 55


def test_the_time_of_a_decision_is_limited(fresh):
    fresh.faults.extend([servers.slow(60)] * TRIES)
    began = time.monotonic()
    with pytest.raises(EndpointFailed, match=r"no answer within 0.2 s \(\d requests, no time for more\)"):
        ask(fresh, timeout=0.2, limit=0.3)
    assert len(fresh.bodies) < TRIES
    assert time.monotonic() - began < 55


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
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, *parts]
    call = {"name": "act", "arguments": '{"action": "pass"}'}
    shapes = {
        "parts": completion(parts),
        "none": completion(None),
        "cut": completion("ACTION: pa", finish="length"),
        "no tokens": completion("pass") | {"usage": None},
        "odd tokens": completion("pass") | {"usage": {"prompt_tokens": -1, "completion_tokens": "9"}},
        "filtered": completion("ACTION: pa", finish="content_filter"),
        "filtered whole": {"choices": [{"finish_reason": "content_filter"}]},
        "refusal": completion(None, refusal="I cannot help."),
        "refusal in parts": completion([{"type": "refusal", "refusal": "No."}]),
        "tools": completion(None, finish="tool_calls", tool_calls=[{"id": "1", "function": call}]),
        "function": completion("", finish="function_call", function_call=call),
        "tools and text": completion("I pass.", finish="tool_calls", tool_calls=[{"id": "1", "function": call}]),
        "odd tools": completion(None, tool_calls=[1, {"function": 2}], function_call="x"),
        "thinking": completion(thinking),
        "reasoning": completion("pass", reasoning_content="Hm."),
        "reasoning only": completion("", reasoning="Hm.", finish="length"),
        "odd reasoning": completion("pass", reasoning=7, reasoning_content={"a": 1}),
    }
    fresh.faults.extend(status(200, body) for body in shapes.values())
    got = [ask(fresh) for _ in shapes]
    assert [one[:4] for one in got] == [
        ("ACTION: pass", False, 100, 10),
        ("", False, 100, 10),
        ("ACTION: pa", True, 100, 10),
        ("pass", False, 0, 0),
        ("pass", False, 0, 0),
        ("ACTION: pa", True, 100, 10),
        ("", True, 0, 0),
        ("I cannot help.", False, 100, 10),
        ("No.", False, 100, 10),
        (json.dumps(call), False, 100, 10),
        (json.dumps(call), False, 100, 10),
        (f"I pass.\n{json.dumps(call)}", False, 100, 10),
        ("", False, 100, 10),
        ("ACTION: pass", False, 100, 10),
        ("pass", False, 100, 10),
        ("", True, 100, 10),
        ("pass", False, 100, 10),
    ]
    assert [one.reasoning for one in got[-4:]] == ["Hm.", "Hm.", "Hm.", ""]


def test_an_answer_has_what_was_requested_and_who_answered(fresh):
    fresh.faults.append(status(200, completion("pass", finish="stop") | {"model": "tiny-0711"}))
    got = ask(fresh, temperature=0.5)
    assert (got.model, got.finish) == ("tiny-0711", "stop")
    assert got.request == {"model": "tiny", "max_tokens": 8, "temperature": 0.5}
    assert 0 < got.seconds < 60


TOO_LONG = {
    "OpenAI": (400, {"error": {"message": "too much", "code": "context_length_exceeded"}}),
    "OpenAI, a text": (400, {"error": {"message": "Invalid 'messages[0].content'", "code": "string_above_max_length"}}),
    "OpenAI, reasoning": (400, {"error": {"message": "Your input exceeds the context window of this model."}}),
    "OpenAI, a minute": (
        429,
        {"error": {"message": "Request too large for gpt on tokens per min: Limit 9, Requested 20"}},
    ),
    "Anthropic and max_tokens": (
        400,
        {"message": "input length and `max_tokens` exceed context limit: 9 + 8 > 10"},
    ),
    "a proxy": (400, {"message": "Prompt contains 9000 tokens, model supports 8192"}),
    "vLLM": (400, {"message": "This model's maximum context length is 512 tokens. However, your prompt has 900."}),
    "SGLang": (400, {"message": "The input (900 tokens) is longer than the model's context length (512 tokens)."}),
    "llama.cpp": (400, {"error": {"message": "the request exceeds the available context size", "n_ctx": 512}}),
    "llama.cpp, in mid-answer": (500, {"error": {"message": "Context size has been exceeded."}}),
    "LM Studio": (400, {"error": "the model is loaded with context length of only 512 tokens, which is not enough"}),
    "TGI": (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 512. Given: 900"}),
    "Anthropic": (400, {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
    "Gemini": (400, {"error": {"message": "The input token count exceeds the maximum number of tokens allowed (9)."}}),
    "Groq": (400, {"error": {"message": "Please reduce the length of the messages or completion."}}),
    "Cohere": (400, {"message": "too many tokens: total number of tokens cannot exceed 9"}),
    "OpenRouter": (200, {"error": {"code": 400, "message": "This endpoint's maximum context length is 512 tokens."}}),
    "a gateway": (413, b"<html>Payload</html>"),
}


@pytest.mark.parametrize("service", TOO_LONG)
def test_a_prompt_that_is_too_long_is_recognised(service, fresh):
    number, body = TOO_LONG[service]
    fresh.faults.extend([status(number, body)] * 2)
    with pytest.raises(EndpointFailed) as failed:
        ask(fresh)
    assert failed.value.too_long
    assert not failed.value.passing
    assert [one.get("max_tokens") for one in fresh.bodies] == [8, None]  # the second time without room for an answer
    fresh.faults.append(status(number, body))
    assert ask(fresh).request == {"model": "tiny"}
    assert ask(fresh).request == {"model": "tiny", "max_tokens": 8}


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (400, "the model tiny does not exist"),
        (400, "max_tokens is too large: 8192. This model supports at most 4096 completion tokens"),
        (404, "no such model; models with a context length of 9 and more: maximum 9"),
        (401, "the key exceeds the context length"),
        (429, "Rate limit reached for requests per minute"),
        (500, "context canceled"),
        (503, "the queue is too long"),
    ],
)
def test_other_failures_are_no_prompt_that_is_too_long(number, said, fresh):
    fresh.faults.extend([status(number, {"error": {"message": said}})] * TRIES)
    with pytest.raises(EndpointFailed, match=f"status {number}") as failed:
        ask(fresh)
    assert not failed.value.too_long


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("Unsupported value: 'temperature' does not support 0 with this model", "leave the option temperature out"),
        ("System role not supported", "try the option system_role=user or system_role=developer"),
        ("Unexpected role 'system' after role 'user'", "try the option system_role=user or system_role=developer"),
        ("Developer instruction is not enabled for models/gemma", "try the option system_role=user"),
    ],
)
def test_a_model_that_refuses_a_part_of_a_request_gets_advice(said, advice, fresh):
    fresh.faults.append(status(400, {"error": {"message": said}}))
    with pytest.raises(EndpointFailed, match=rf"status 400: .*; {advice}"):
        ask(fresh)


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
