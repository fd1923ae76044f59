"""HTTP of a chat-completions endpoint, with limits of time and size, retries, and a key from the environment.

The key is read for each request and is not stored. It is removed from every text that the endpoint sends.
"""

import json
import math
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cached_property
from threading import Timer
from typing import Any, NamedTuple

import msgspec

from sobremesa.agents.language.connection import client, is_here
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
_CUT = ("length", "max_tokens")  # finish reasons of an answer that a limit ended
_LIMITS = ("max_tokens", "max_completion_tokens")  # names of the limit of tokens: the usual one, and that of OpenAI
_SHOWN = 200  # characters of an endpoint's text in an error
_MOST_TOKENS = 2**40


class EndpointFailed(ValueError):
    """An endpoint that gave no answer of its model; `passing` states that a later request may get one."""

    def __init__(self, reason: str, passing: bool = False, wait: float | None = None) -> None:
        self.reason, self.passing = reason, passing
        self.wait = wait  # seconds, as Retry-After gives them
        super().__init__(reason)


class Completion(NamedTuple):
    """An answer of a model. `cut` states that a limit of length ended it; tokens are 0 if they are not reported."""

    text: str
    cut: bool
    prompt_tokens: int
    completion_tokens: int


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
        key = _key(self.url)
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        sent = {**self._parameters, "messages": list(messages)}
        watch = _Watch(until)
        content, extensions = json.dumps(sent).encode(), {"trace": watch.trace}
        asked = self._client.stream(
            "POST", self.url + _PATH, content=content, headers=headers, extensions=extensions
        )  # fmt: skip
        try:
            with watch, asked as response:
                failure = _failure(response, self.url, key)
                if failure is None:
                    return _completion(_content(response, LARGEST), key)
        except (httpx2.HTTPError, OSError, UnicodeError, OverflowError) as error:
            if watch.late or isinstance(error, httpx2.TimeoutException):
                raise EndpointFailed(f"no answer within {self._timeout:g} s", passing=True) from None
            why = one_line(_without(str(error), key), _SHOWN) or type(error).__name__
            raise EndpointFailed(f"the connection failed: {why}", passing=True) from None
        if _LIMITS[1] in failure.reason and _LIMITS[0] in sent:  # it refuses the usual name
            self._parameters[_LIMITS[1]] = sent[_LIMITS[0]]
            self._parameters.pop(_LIMITS[0], None)
            return self._request(messages, until)
        raise failure


class _Watch:
    """A limit of time for a whole request: it closes the connection at `until`.

    The limits of httpx2 hold for each read, so an endpoint that sends a byte now and then would exceed them.
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
        if key and (name == KEY or url.startswith("https://") or is_here(url)):
            return key
    return ""


def _without(text: str, key: str) -> str:
    """Return `text` without `key`, also as JSON escapes it."""
    if key:
        for form in (key, escaped := json.dumps(key)[1:-1], escaped.replace("/", "\\/")):
            text = text.replace(form, "[key]")
    return text


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


def _failure(response: "httpx2.Response", url: str, key: str) -> EndpointFailed | None:
    """Return the failure that status and headers of `response` state; None for an answer."""
    status = response.status_code
    if 300 <= status < 400:
        where = one_line(_without(response.headers.get("location", "no address"), key), _SHOWN)
        return EndpointFailed(f"{url}: status {status} redirects to {where}; name that URL if you trust it")
    if status == 200 and "text/event-stream" in response.headers.get("content-type", ""):
        return EndpointFailed(f"{url}: it streams its answer (text/event-stream), which was not requested")
    if status == 200:
        return None
    try:
        said = one_line(_without(_content(response, LARGEST).decode(errors="replace"), key), _SHOWN)
    except EndpointFailed as failure:
        said = failure.reason
    passing = status in _BUSY or status >= 500
    where = "" if passing else f"{url}: "  # `complete` adds it to the others
    wait = _wait(response.headers.get("retry-after", ""))
    return EndpointFailed(f"{where}status {status}{f': {said}' if said else ''}", passing, wait)


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


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: Any = None


class _Body(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None


def _completion(content: bytes, key: str) -> Completion:
    """Return the answer in the JSON text `content`; raise EndpointFailed if there is none."""
    try:
        body = msgspec.json.decode(content, type=_Body)
        choice = body.choices[0]
    except (msgspec.DecodeError, UnicodeError, RecursionError, IndexError) as error:
        said = one_line(_without(content.decode(errors="replace"), key), _SHOWN)
        why = f"{one_line(str(error), _SHOWN)}: {said}"
        raise EndpointFailed(f"its answer is no chat completion: {why}", passing=True) from None
    text = choice.message.content or ""
    if isinstance(text, list):
        text = "".join(str(part.get("text", "")) for part in text)
    usage = body.usage if isinstance(body.usage, dict) else {}
    tokens = (_tokens(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    return Completion(_without(text, key), choice.finish_reason in _CUT, *tokens)


def _tokens(value: Any) -> int:
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else 0
