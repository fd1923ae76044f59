"""What the clients at one address may ask for, so that nobody takes the server from the others.

Tables fill the store and call for agents; forms and sockets cost the event loop. The numbers leave room for a party
that shares one address. Who asks from this very machine is not counted: it is whoever runs the server, or a proxy
before it, which is to pass the addresses of its clients on (`X-Forwarded-For`).
"""

import contextlib
import ipaddress
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from sobremesa.serve.guard import Bucket
from sobremesa.serve.table import Refused

FORMS = (1.0, 60)  # that may be sent a second in the long run, and at once
TABLES = (1 / 60, 30)  # that may be opened: one a minute
SOCKETS = 100  # open at once
MOST = 10_000  # addresses that are remembered
_NETWORK = 64  # bits of an IPv6 address that a provider gives to one customer


@dataclass
class _Client:
    forms: Bucket = field(default_factory=lambda: Bucket(*FORMS))
    tables: Bucket = field(default_factory=lambda: Bucket(*TABLES))
    sockets: int = 0


class Limits:
    """Counts by address; used in the event loop alone."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def form(self, connection: HTTPConnection) -> None:
        """Count a form; raise Refused where there were too many."""
        client = self._client(connection)
        if client and not client.forms.take():
            raise Refused("many forms")

    def table(self, connection: HTTPConnection) -> None:
        """Count a table that is about to be opened; raise Refused where there were too many."""
        client = self._client(connection)
        if client and not client.tables.take():
            raise Refused("many tables")

    @contextlib.contextmanager
    def socket(self, connection: HTTPConnection) -> Iterator[None]:
        """Count a socket while it is open; raise Refused where there are too many."""
        client = self._client(connection) or _Client()
        if client.sockets >= SOCKETS:
            raise Refused("many sockets")
        client.sockets += 1
        try:
            yield
        finally:
            client.sockets -= 1

    def _client(self, connection: HTTPConnection) -> _Client | None:
        """Return what is counted of whoever asks; None for this machine itself."""
        address = counted(connection.client.host if connection.client else "")
        if address is None:
            return None
        client = self._clients.pop(address, None) or _Client()
        self._clients[address] = client
        if len(self._clients) > MOST:
            self._clients.pop(next(one for one, seen in self._clients.items() if not seen.sockets or seen is client))
        return client


def counted(host: str) -> str | None:
    """Return under which address `host` is counted, the network of an IPv6 one; None for this machine itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return None if address.is_loopback else str(ipaddress.ip_network((int(address), _NETWORK), strict=False))
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
