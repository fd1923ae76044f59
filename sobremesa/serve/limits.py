"""Rate limits by client address and network.

The numbers leave room for a group that shares one address. An IPv6 customer has a /64 and often a /48, so the /48 has
its own limit, like an IPv4 /24. Requests from this machine are not counted: they come from the operator, or from a
reverse proxy, which must pass on the addresses of its clients (`X-Forwarded-For`).
"""

import contextlib
import ipaddress
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from starlette.requests import HTTPConnection

from sobremesa.serve.guard import Bucket
from sobremesa.serve.table import Refused

FORMS = (1.0, 60)  # forms a second in the long run, and at once
TABLES = (1 / 60, 30)  # tables that may be opened: one a minute, and 30 at once
SOCKETS = 100  # windows open at once
HINTS = 4  # hints being computed at once
WIDER = 3  # how much more a network may have at once than one address; its long-run rates are the same
MOST = 10_000  # addresses and networks that are remembered


class Group(NamedTuple):
    """An address or a network whose requests are counted together."""

    key: str
    shares: int  # how many times the limits of one address it has


class _Client:
    def __init__(self, shares: int) -> None:
        self.shares = shares
        self.forms = Bucket(FORMS[0], shares * FORMS[1])
        self.tables = Bucket(TABLES[0], shares * TABLES[1])
        self.sockets = self.hints = 0


class Limits:
    """Counters by group; for use in the event loop only."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def form(self, connection: HTTPConnection) -> None:
        """Count a form; raise Refused("many forms") above the limit."""
        self._take(connection, "many forms", lambda client: client.forms)

    def table(self, connection: HTTPConnection) -> None:
        """Count a table that is about to be opened; raise Refused("many tables") above the limit."""
        self._take(connection, "many tables", lambda client: client.tables)

    @contextlib.contextmanager
    def socket(self, connection: HTTPConnection) -> Iterator[None]:
        """Count a window while it is open; raise Refused("many sockets") above the limit."""
        with self._held(connection, "sockets", SOCKETS):
            yield

    @contextlib.contextmanager
    def hint(self, connection: HTTPConnection) -> Iterator[None]:
        """Count a hint while it is awaited; raise Refused("many hints") above the limit."""
        with self._held(connection, "hints", HINTS):
            yield

    @contextlib.contextmanager
    def _held(self, connection: HTTPConnection, kind: str, most: int) -> Iterator[None]:
        clients = self._of(connection)
        if any(getattr(client, kind) >= client.shares * most for client in clients):
            raise Refused(f"many {kind}")
        for client in clients:
            setattr(client, kind, getattr(client, kind) + 1)
        try:
            yield
        finally:
            for client in clients:
                setattr(client, kind, getattr(client, kind) - 1)

    def _take(self, connection: HTTPConnection, refusal: str, bucket: Callable[[_Client], Bucket]) -> None:
        # The address comes first, so an address above its limit does not use up the limit of its network.
        if not all(bucket(client).take() for client in self._of(connection)):
            raise Refused(refusal)

    def _of(self, connection: HTTPConnection) -> list[_Client]:
        """Return the counters of a client, its address first; [] for this machine."""
        found = []
        for group in groups(connection.client.host if connection.client else ""):
            client = self._clients.pop(group.key, None) or _Client(group.shares)
            self._clients[group.key] = client
            found.append(client)
        while len(self._clients) > MOST:
            unused = (one for one, seen in self._clients.items() if not seen.sockets or seen in found)
            self._clients.pop(next(unused))
        return found


def network_of(connection: HTTPConnection) -> str:
    """Return the network of a client, as a key; "" for this machine."""
    found = groups(connection.client.host if connection.client else "")
    return found[-1].key if found else ""


def groups(host: str) -> list[Group]:
    """Return the address (IPv6: the /64) and the wider network (/24, /48) that `host` belongs to; [] for this machine.

    A text that is not an address forms its own group.
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return [Group(host, 1)]
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback:
        return []
    return [
        Group(str(ipaddress.ip_network(f"{address}/{bits}", strict=False)), shares)
        for bits, shares in (((64, 1), (48, WIDER)) if address.version == 6 else ((32, 1), (24, WIDER)))
    ]
