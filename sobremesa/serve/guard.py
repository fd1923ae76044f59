"""Security headers, and checks of the Host and Origin of requests.

Pages of other sites can send forms and open sockets to a local server, and a hostile domain name can resolve to it (DNS
rebinding). A request must therefore address the server by IP address, as localhost, or by an allowed name. A request
that changes something must come from a page of this server. Pages run only scripts of this server.

A reverse proxy that replaces the Host header names the received one in X-Forwarded-Host. Both must be allowed, since a
page of a hostile name can send that header too.
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
_FEATURES = (  # browser features that no page uses
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
    "payment", "usb",
)  # fmt: skip
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # the addresses of seats are secret
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _FEATURES),
}
_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def policy(**instead: str) -> str:
    """Return the Content-Security-Policy of pages; `script` and `style` override its sources."""
    parts = _POLICY | {f"{name}-src": sources for name, sources in instead.items()}
    return "; ".join(f"{name} {sources}" for name, sources in parts.items())


def policy_of(page: str) -> str:
    """Return the policy of a self-contained `page` (HTML), which allows its inline scripts and styles by digest."""
    found: dict[str, list[str]] = {"script": [], "style": []}
    for kind, body in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        found[kind].append(f"'sha256-{digest}'")
    return policy(**{kind: " ".join(sources) or "'none'" for kind, sources in found.items()})


def host_allowed(host: str, names: Iterable[str]) -> bool:
    """Return whether `host`, from a Host header, is an IP address, localhost, or one of `names`."""
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
    """Return whether the Origin header names the host of the request, or the one that a reverse proxy received."""
    return any(headers.get("origin", "") in (f"http://{host}", f"https://{host}") for host in _hosts(headers))


def _hosts(headers: Mapping[str, str]) -> list[str]:
    """Return the host of the request and, behind a reverse proxy, the host that the browser has asked."""
    asked = headers.get("x-forwarded-host", "").partition(",")[0].strip()
    return [headers.get("host", ""), *([asked] if asked else [])]


class Guard:
    """Middleware that rejects foreign hosts and cross-site changes, and adds the security headers."""

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
        if not all(host_allowed(host, self._names) for host in _hosts(headers)):
            problem = "This host name is not allowed; start the server with --allow-host NAME."
        elif changes and not same_origin(headers):
            problem = "This request came from another site; use the pages of this server."
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
        except RuntimeError:  # uvicorn raises it after the client has closed the socket
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
    """Token bucket: `rate` requests a second, `burst` immediately."""

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        """Take a token; return whether there was one."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
