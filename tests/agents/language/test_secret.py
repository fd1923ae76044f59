"""The key of an endpoint is in no text that is kept or shown in any form that the endpoint gives it."""

import json
import time
from base64 import b64encode

import pytest
from endpoint import KEY, completion, serving, status

from sobremesa.agents.language import endpoint
from sobremesa.agents.language.endpoint import Endpoint, EndpointFailed
from sobremesa.agents.language.secret import HIDDEN, redact

MESSAGES = [{"role": "user", "content": "LEGAL ACTIONS (1)\npass\n\n"}]


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


ECHOES = {
    "as it is": lambda key: key,
    "JSON": lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key),
    "JSON of one sign": lambda key: f"\\u{ord(key[0]):04X}{key[1:]}",
    "JSON twice": lambda key: "".join(f"\\\\u{ord(sign):04x}" for sign in key),
    "JavaScript": lambda key: "".join(f"\\u{{{ord(sign):x}}}" for sign in key),
    "Python": lambda key: "".join(f"\\x{ord(sign):02x}" for sign in key),
    "octal": lambda key: "".join(f"\\{ord(sign):03o}" for sign in key),
    "a URL": lambda key: "".join(f"%{ord(sign):02X}" for sign in key),
    "a URL twice": lambda key: "".join(f"%25{ord(sign):02X}" for sign in key),
    "HTML": lambda key: "".join(f"&#{ord(sign)};" for sign in key),
    "HTML in hexadecimal": lambda key: "".join(f"&#x{ord(sign):x};" for sign in key),
    "quoted-printable": lambda key: "".join(f"={ord(sign):02X}" for sign in key),
    "spaces": " ".join,
    "lines": "\n".join,
    "an invisible sign": "\u200b".join,
    "signs": "-*-".join,
    "wide letters": lambda key: "".join(chr(ord(sign) + 0xFEE0) for sign in key),
    "escapes within escapes": lambda key: "".join(f"\\\\u{ord(sign):04x}" for sign in key),
    "capitals": str.upper,
    "backwards": lambda key: key[::-1],
    "the second half": lambda key: key[len(key) // 4 :],
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal with colons": lambda key: key.encode().hex(":"),
    "numbers": lambda key: str(list(key.encode())),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of a user": lambda key: b64encode(f"a:{key}".encode()).decode(),
}


def places(echo):
    """Yield answers of an endpoint that have `echo` at each place whose text is kept or shown, and whether raw."""
    for body in (echo.encode(), f'{{"error": "{echo}"}}'.encode(), json.dumps({"error": echo}).encode()):
        yield status(400, body)
        yield status(500, body)
        yield status(200, body)
        yield status(200, b'{"choices": [' + body + b"]}")
    if echo.isprintable() and echo.isascii():
        yield status(302, Location=f"http://a.org/{echo}")
    yield status(200, completion(f"my key is {echo}", finish=echo, reasoning=echo) | {"model": echo})
    yield status(200, completion(None, tool_calls=[{"function": {"name": echo}}], refusal=[echo]))


@pytest.mark.parametrize("form", ECHOES)
def test_a_key_is_not_shown_in_any_known_form(form, server, monkeypatch):
    monkeypatch.setattr(endpoint, "TRIES", 1)
    monkeypatch.setenv("SOBREMESA_LLM_KEY", KEY)
    echo, asked = ECHOES[form](KEY), Endpoint(server.url, {"model": "tiny"}, 5.0)
    for place in places(echo):
        server.faults.append(place)
        try:
            shown = str(asked.complete(MESSAGES, time.monotonic() + 9))
        except EndpointFailed as failure:
            shown = str(failure)
        assert not [part for part in (echo, echo[4:24], KEY, KEY[4:]) if part in shown]
        assert echo[4:24] not in json.loads(json.dumps(shown).replace("\\\\", "\\").replace("\\x", "\\u00"))
        assert "[key]" in shown or HIDDEN in shown


def test_texts_without_the_key_stay_as_they_are():
    masked = f"Incorrect API key provided: {KEY[:6]}****{KEY[-4:]}"
    plain = ("ACTION: bull left 1", "100 % (x=23) \\u00e1 &#233; <tag> " * 9, masked, "x" * 10**6)
    assert [redact(text, KEY) for text in plain] == list(plain)
    assert redact("EMPTY pass", "EMPTY") == "EMPTY pass"  # a placeholder is no secret
    assert redact("sk-proj-abc", "sk-proj-XyZ0123456789") == "sk-proj-abc"


@pytest.mark.parametrize("sign", ["x", "\\u0073", "=a", "%25", "&#0", "\\", "0", "\\u{0", "\\n", "\u00e1"])
def test_a_key_is_looked_for_in_linear_time(sign):
    times = []
    for count in (20_000, 200_000):
        began = time.process_time()
        redact(f"&#{sign * count}", f"sk-proj-{KEY * 5}")
        times.append(time.process_time() - began)
    assert times[1] < 40 * times[0] + 0.1
