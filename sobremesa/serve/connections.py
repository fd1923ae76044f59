"""Limits on the number of connections, by address and in total, and on the time for a request to arrive.

uvicorn has neither limit, so one client could use up the file descriptors with half-sent requests. A client at its
limit loses its own oldest idle connection. A full server drops the oldest idle connection of all, so new clients are
served during a flood.
"""

import asyncio
import ipaddress
from collections import Counter, OrderedDict
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from sobremesa.serve.limits import groups

HEADERS = 10.0  # seconds from the connection, or the last answer, until the next request's headers are complete
BODY = 30.0  # seconds until the body of the request is complete
STALLED = 30.0  # seconds within which a client must read part of an answer
EACH = 200  # connections of one address; a browser uses six, and one more for each open table
MOST = 2000  # connections in all
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Gate:
    """The open connections of a server; for use in its event loop only.

    It admits `most` connections, at most three quarters of them WebSockets. Connections from this machine and from the
    `proxies` (addresses and networks, separated by commas, or "*") count towards the total only.
    """

    def __init__(self, most: int = MOST, proxies: str = "") -> None:
        self.most = most
        self._proxies = [ipaddress.ip_network(one.strip()) for one in proxies.split(",") if _is_network(one.strip())]
        self._all_proxies = proxies.strip() == "*"
        self._groups: dict[asyncio.Transport, list[str]] = {}  # of each open connection; "" counts all
        self._counts: Counter[str] = Counter()
        self._waiting: OrderedDict[asyncio.Transport, None] = OrderedDict()  # for a request, the longest wait first
        self._sockets: set[asyncio.Transport] = set()

    def enter(self, transport: asyncio.Transport, host: str) -> bool:
        """Count a new connection, aborting an idle one if needed; return whether it may stay."""
        counted = [] if self._is_proxy(host) else groups(host)
        limits = {key: min(EACH, self.most // 4) * shares for key, shares in counted}
        limits[""] = self.most  # last, so a client at its own limit costs no other client a connection
        for key, limit in limits.items():
            if self._counts[key] >= limit and not self._drop(key):
                return False
        self._groups[transport] = list(limits)
        self._counts.update(limits.keys())
        self._waiting[transport] = None
        return True

    def leave(self, transport: asyncio.Transport) -> None:
        """Remove a closed connection from the counts."""
        for key in self._groups.pop(transport, []):
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]
        self._waiting.pop(transport, None)
        self._sockets.discard(transport)

    def wait(self, transport: asyncio.Transport) -> None:
        """Mark a connection as idle: it may be dropped for others."""
        if transport in self._groups:
            self._waiting[transport] = None

    def serve(self, transport: asyncio.Transport) -> None:
        """Mark a connection as busy: it may not be dropped until its request is answered."""
        self._waiting.pop(transport, None)

    def upgrade(self, transport: asyncio.Transport) -> bool:
        """Mark a connection as a WebSocket; return False if there are too many."""
        if transport not in self._groups or len(self._sockets) >= self.most * 3 // 4:
            return False
        self.serve(transport)
        self._sockets.add(transport)
        return True

    def _drop(self, key: str) -> bool:
        """Abort the longest idle connection of the group `key`; return whether there is one."""
        oldest = next((one for one in self._waiting if key in self._groups[one]), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.abort()
        return True

    def _is_proxy(self, host: str) -> bool:
        if not _is_network(host):
            return self._all_proxies
        return self._all_proxies or any(ipaddress.ip_address(host) in one for one in self._proxies)


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


class _Read(asyncio.Protocol):
    """A connection that is aborted when its client reads nothing for STALLED seconds."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _unread = 0  # unread bytes at the last check
    _look_again: asyncio.TimerHandle | None = None

    def __init__(self, gate: Gate, **uvicorns: Any) -> None:
        super().__init__(**uvicorns)
        self._gate = gate

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.set_write_buffer_limits(0)  # pauses writing whenever data is unread
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._gate.leave(self.transport)
        self._stop_looking()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        self._stop_looking()
        super().resume_writing()

    def _look(self) -> None:
        unread = self.transport.get_write_buffer_size()
        if self._look_again is not None and unread >= self._unread:
            self.transport.abort()
            return
        self._unread = unread
        self._look_again = self.loop.call_later(STALLED, self._look)

    def _stop_looking(self) -> None:
        if self._look_again is not None:
            self._look_again.cancel()
        self._look_again = None


class LimitedConnection(_Read, H11Protocol):
    """uvicorn's HTTP/1.1 connection with a limit on connections and deadlines for requests."""

    _requests = 0  # answered requests
    _step: tuple[int, str] | None = None  # number of the request, and the awaited part
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._gate.enter(transport, self.client[0] if self.client else ""):
            self._watch()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)
            self._watch()

    def on_response_complete(self) -> None:
        self._requests += 1
        super().on_response_complete()
        self._watch()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._stop()
        self._stop_looking()
        if self._gate.upgrade(self.transport):
            super().handle_websocket_upgrade(event)
        else:
            self.transport.write(_FULL)
            self.transport.close()

    def _watch(self) -> None:
        """Start the deadline of the awaited part; arriving bytes do not extend it."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._stop()
            return
        step = (self._requests, self._awaited())
        if step == self._step:
            return
        self._stop()
        self._step = step
        if step[1]:
            self._gate.wait(self.transport)
            self._deadline = self.loop.call_later(HEADERS if step[1] == "headers" else BODY, self.transport.abort)
        else:
            self._gate.serve(self.transport)

    def _awaited(self) -> str:
        """Return the awaited part of a request: "headers", "body", or "" while the server computes the answer."""
        if self.cycle is None or self.cycle.response_complete:
            return "headers"
        return "body" if self.cycle.more_body else ""

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self._step = None


class Socket(_Read, AutoWebSocketsProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's WebSocket connection, counted by the gate; uvicorn closes it when pings stay unanswered."""
