"""What every answer carries and every request must: security headers, a host that is ours, an origin that is ours.

A page of another site may send forms and open sockets to a server on this machine; a name that an attacker owns may
lead here too. So a request must name this machine by its address, as localhost, or by a name that was allowed; what
changes something must come from a page of this server; and pages run no script but our own files.
"""

import base64
import hashlib
import ipaddress
import re
import time
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = {
    "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
    "connect-src": "'self'", "form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
}  # fmt: skip
_FEATURES = (  # of browsers, that no page here uses
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb",
)  # fmt: skip
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # addresses of seats are secrets
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _FEATURES),
}
_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def policy(**instead: str) -> str:
    """Return the Content-Security-Policy of pages, with the sources `script` and `style` where they differ."""
    parts = _POLICY | {f"{name}-src": sources for name, sources in instead.items()}
    return "; ".join(f"{name} {sources}" for name, sources in parts.items())


def policy_of(page: str) -> str:
    """Return the policy of a self-contained `page` (HTML): its own scripts and styles, by their digests."""
    found: dict[str, list[str]] = {"script": [], "style": []}
    for kind, body in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        found[kind].append(f"'sha256-{digest}'")
    return policy(**{kind: " ".join(sources) or "'none'" for kind, sources in found.items()})


def host_allowed(host: str, names: Iterable[str]) -> bool:
    """Say whether `host`, as a request names it, can only be this machine: an address, localhost, or one of `names`."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name in names:
        return True
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def same_origin(headers: Mapping[str, str]) -> bool:
    """Say whether a request comes from a page of the host that it is sent to."""
    origin = headers.get("origin", "")
    return origin in (f"http://{headers.get('host')}", f"https://{headers.get('host')}")


class Guard:
    """Wraps an app: refuses hosts that are not ours, and changes that come from elsewhere; adds the headers."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        problem = ""
        if not host_allowed(headers.get("host", ""), self._names):
            problem = "This server does not go by that name; start it with --allow-host NAME."
        elif changes and not same_origin(headers):
            problem = "That came from another site."
        if not problem:
            await self._app(scope, receive, _to_socket(send) if scope["type"] == "websocket" else _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": problem})  # before it is accepted: 403
        else:
            await PlainTextResponse(problem, 403)(scope, receive, _with_headers(send))


def _to_socket(send: Send) -> Send:
    async def sending(message: Message) -> None:
        try:
            await send(message)
        except (
            RuntimeError
        ):  # uvicorn's, after the client has closed the socket; Starlette checks the order of messages
            raise OSError("the client has closed the WebSocket") from None

    return sending


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", policy())
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


class Bucket:
    """Lets through `rate` things a second, `burst` at once."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        """Say whether one more may come through now."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
