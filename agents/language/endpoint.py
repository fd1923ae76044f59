"""HTTP of a chat-completions endpoint, with limits of time and size, retries, and a key from the environment.

The key is read for each request and is not stored. It is removed from every text that the endpoint sends.
"""

import json
import math
import os
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cached_property
from threading import Timer
from typing import Any

from sobremesa.agents.language.completion import Completion, read_completion
from sobremesa.agents.language.connection import client, is_local
from sobremesa.agents.language.secret import redact
from sobremesa.envs.core.errors import MissingExtra, one_line

try:
    import httpx2
except ImportError:
    httpx2 = None  # type: ignore[assignment]

KEY, OTHER_KEY = "SOBREMESA_LLM_KEY", "OPENAI_API_KEY"  # environment variables; the second one without the first
TRIES = 5  # requests for one answer
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before the second request, doubled each time; most that Retry-After gets
LARGEST = 2**20  # bytes of an answer
_PATH = "/chat/completions"
_BUSY = (408, 409, 425, 429)  # these states pass, as those from 500 do
_REFUSED = (401, 403, 404)  # states about the key, the model or the address
_LIMITS = ("max_tokens", "max_completion_tokens")  # names of the limit of tokens: the usual one, and that of OpenAI
_SHOWN = 200  # characters of an endpoint's text in an error
_CONTEXT = r"context[ _-]?(?:length|size|window|limit)"
_TOO_LONG = re.compile(
    r"context_length_exceeded|string_above_max_length|exceed_context_size|(?:prompt|input) is too long"
    r"|request(?: entity|_entity)?[ _]too[ _]large|too many (?:input |prompt )?tokens|number of tokens allowed"
    rf"|\b(?:maximum|exceed\w*|longer|larger|only|not enough|reduce)\b.{{0,80}}\b{_CONTEXT}"
    rf"|{_CONTEXT}\b.{{0,80}}\b(?:exceed\w*|maximum|not enough|too (?:long|large))"
    r"|reduce the length of|`inputs` tokens|token limit exceeded|\btokens, (?:the )?model (?:only )?supports\b",
    re.IGNORECASE,
)  # of services and servers, about a prompt that is longer than the model takes
_SYSTEM = re.compile(
    r"\b(?:system|developer)\W+(?:role|message|prompt|instruction)|\brole\W.{0,80}\b(?:system|developer)\b", re.I
)


class EndpointFailed(ValueError):
    """An endpoint that gave no answer of its model; `passing` states that a later request may get one.

    `too_long` states that the prompt is longer than the model takes.
    """

    def __init__(self, reason: str, passing: bool = False, wait: float | None = None, too_long: bool = False) -> None:
        self.reason, self.passing, self.too_long = reason, passing and not too_long, too_long
        self.wait = wait  # seconds, as Retry-After gives them
        super().__init__(reason)


class Endpoint:
    """The endpoint at `url`, for example `http://localhost:8000/v1`; `parameters` are the fixed fields of a request.

    `timeout` is in seconds for a request. Raises MissingExtra without httpx2, ValueError for a URL that is not allowed.
    """

    def __init__(self, url: str, parameters: Mapping[str, Any], timeout: float) -> None:
        if httpx2 is None:
            raise MissingExtra("a language model as an agent", "language")
        self.url = _checked(url)
        self._parameters, self._timeout = dict(parameters), timeout
        _key(self.url)

    @cached_property
    def _client(self) -> "httpx2.Client":
        try:
            return client(self.url, self._timeout)
        except ValueError as error:
            raise EndpointFailed(f"{self.url}: {one_line(str(error))}") from None

    def complete(self, messages: Sequence[Mapping[str, str]], until: float) -> Completion:
        """Return the answer to `messages`; raise EndpointFailed after TRIES requests, or at `until` (monotonic)."""
        for number in range(1, TRIES + 1):
            try:
                return self._request(messages, min(time.monotonic() + self._timeout, until))
            except EndpointFailed as failure:
                pause = PAUSE * 2 ** (number - 1) if failure.wait is None else min(failure.wait, LONGEST_PAUSE)
                late = time.monotonic() + pause >= until
                if not failure.passing:
                    raise
                if number == TRIES or late:
                    why = f"{self.url}: {failure.reason} ({number} requests{', no time for more' if late else ''})"
                    raise EndpointFailed(why, passing=True) from None
            time.sleep(pause)
        raise AssertionError

    def _request(self, messages: Sequence[Mapping[str, str]], until: float) -> Completion:
        """Return the answer to one request, or to a second one in which the limit of tokens is written otherwise."""
        try:
            return self._post(messages, self._parameters, until)
        except EndpointFailed as failure:
            limit = next((name for name in _LIMITS if name in self._parameters), None)
            others = {name: value for name, value in self._parameters.items() if name != limit}
            if limit is not None and failure.too_long:  # the prompt may fit without room for the longest answer
                return self._post(messages, others, until)
            if limit != _LIMITS[0] or _LIMITS[1] not in failure.reason:
                raise
            self._parameters = {**others, _LIMITS[1]: self._parameters[limit]}  # it refuses the usual name
        return self._request(messages, until)

    def _post(self, messages: Sequence[Mapping[str, str]], parameters: Mapping[str, Any], until: float) -> Completion:
        key, began = _key(self.url), time.monotonic()
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        watch = _Watch(until)
        content = json.dumps({**parameters, "messages": list(messages)}).encode()
        asked = self._client.stream(
            "POST", self.url + _PATH, content=content, headers=headers, extensions={"trace": watch.trace}
        )  # fmt: skip
        try:
            with watch, asked as response:
                _check(response, self.url, key)
                got = _completion(_content(response, LARGEST), key)
        except (httpx2.HTTPError, OSError, UnicodeError, OverflowError) as error:
            if watch.late or isinstance(error, httpx2.TimeoutException):
                raise EndpointFailed(f"no answer within {self._timeout:g} s", passing=True) from None
            why = one_line(redact(str(error), key), _SHOWN) or type(error).__name__
            raise EndpointFailed(f"the connection failed: {why}", passing=True) from None
        return got._replace(seconds=time.monotonic() - began, request=dict(parameters))


class _Watch:
    """A limit of time for a whole request: it closes the connection at `until`.

    The limits of httpx2 apply for each read, so an endpoint that sends a byte now and then would exceed them.
    """

    def __init__(self, until: float) -> None:
        self.late = False
        self._socket: socket.socket | None = None
        self._timer = Timer(max(0.0, until - time.monotonic()), self._close)
        self._timer.daemon = True

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Note the socket of the request, as `trace` of httpcore2."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.late:
                self._close()

    def _close(self) -> None:
        self.late = True
        if self._socket is not None:
            with suppress(OSError):  # it is closed
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()


def _checked(url: str) -> str:
    """Return `url` without a slash at its end; raise ValueError if it is not the base of an endpoint."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise ValueError(f"{one_line(url, _SHOWN)} is not a URL: {one_line(str(error), _SHOWN)}") from None
    whole = parsed.scheme in ("http", "https") and parsed.host and 0 < (parsed.port or 80) < 65_536
    if not whole or parsed.fragment or parsed.query:
        raise ValueError(f"{one_line(url, _SHOWN)} is not allowed; give the base URL, as http://localhost:8000/v1")
    if parsed.userinfo:
        raise ValueError(f"a URL with a user or a password is not allowed; put the key into {KEY}")
    return str(parsed).rstrip("/").removesuffix(_PATH)


def _key(url: str) -> str:
    """Return the key for `url`, "" without one.

    The variable of another service is not sent without encryption, except to this machine.
    """
    for name in (KEY, OTHER_KEY):
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise EndpointFailed(f"{name} is not allowed; a key has printable ASCII characters only")
        if key and (name == KEY or url.startswith("https://") or is_local(url)):
            return key
    return ""


def _content(response: "httpx2.Response", most: int) -> bytes:
    """Return the body; raise EndpointFailed beyond `most` bytes."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise EndpointFailed("it sends a compressed answer, which was not requested")
    content = bytearray()
    for chunk in response.iter_raw():
        content += chunk
        if len(content) > most:
            raise EndpointFailed(f"its answer has more than {most:,} bytes", passing=True)
    return bytes(content)


def _check(response: "httpx2.Response", url: str, key: str) -> None:
    """Raise EndpointFailed for the failure that status and headers of `response` state."""
    status = response.status_code
    if 300 <= status < 400:
        where = one_line(redact(response.headers.get("location", "no address"), key), _SHOWN)
        raise EndpointFailed(f"{url}: status {status} redirects to {where}; name that URL if you trust it")
    if status == 200 and "text/event-stream" in response.headers.get("content-type", ""):
        raise EndpointFailed(f"{url}: it streams its answer (text/event-stream), which was not requested")
    if status == 200:
        return
    try:
        said = _redacted_body(_content(response, LARGEST), key)
    except EndpointFailed as failure:
        said = failure.reason
    too_long = status == 413 or (status not in _REFUSED and _TOO_LONG.search(said) is not None)
    passing = status in _BUSY or status >= 500
    where = "" if passing and not too_long else f"{url}: "  # `complete` adds it to the others
    shown = one_line(said, _SHOWN)
    why = f"{where}status {status}{f': {shown}' if shown else ''}{_advice(said) if status in (400, 422) else ''}"
    raise EndpointFailed(why, passing, _wait(response.headers.get("retry-after", "")), too_long)


def _redacted_body(content: bytes, key: str) -> str:
    """Return a body as text without the key: JSON is read and written again, so that no escapes are left."""
    text = content.decode(errors="replace")
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    return redact(text, key)


def _advice(said: str) -> str:
    """Return what to do about a model that refuses a part of a request; "" if `said` names none."""
    if _LIMITS[1] in said:
        return ""  # it is tried
    for option in ("temperature", "seed"):
        if option in said:
            return f"; leave the option {option} out"
    return "; try the option system_role=user or system_role=developer" if _SYSTEM.search(said) else ""


def _wait(header: str) -> float | None:
    """Return the seconds of a header Retry-After, a number or a date; None if it is neither."""
    readers: tuple[Callable[[str], float], ...] = (
        float, lambda text: parsedate_to_datetime(text).timestamp() - time.time()
    )  # fmt: skip
    for read in readers:
        try:
            seconds = read(header)
        except (ValueError, OverflowError, TypeError):
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    return None


def _completion(content: bytes, key: str) -> Completion:
    """Return the answer in the JSON text `content`; raise EndpointFailed if there is none."""
    try:
        return read_completion(content, lambda text: redact(text, key))
    except ValueError as error:
        said = _redacted_body(content, key)
        why = f"{one_line(redact(str(error), key), _SHOWN)}: {one_line(said, _SHOWN)}"
        too_long = '"error"' in said and _TOO_LONG.search(said) is not None
        raise EndpointFailed(f"its answer is no chat completion: {why}", passing=True, too_long=too_long) from None
