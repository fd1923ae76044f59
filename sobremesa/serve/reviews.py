"""Cache of slow results, such as films and win chances: each is computed once for all clients."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Any

MOST_KEPT = 64 * 2**20  # bytes


class Studies:
    """LRU cache of at most `most` bytes over `work(call, *arguments)`; for use in the event loop only."""

    def __init__(self, work: Callable[..., Awaitable[bytes]], most: int = MOST_KEPT) -> None:
        self._work, self._most = work, most
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._begun: dict[Hashable, asyncio.Future[bytes]] = {}

    async def of(self, key: Hashable, call: Callable[..., bytes], *arguments: Any) -> bytes:
        """Return the cached result of `key`, or compute `call(*arguments)`."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._begun:
            self._begun[key] = asyncio.ensure_future(self._work(call, *arguments))
            self._begun[key].add_done_callback(partial(self._end, key))
        return await asyncio.shield(self._begun[key])  # a client that leaves does not cancel it for others

    def _end(self, key: Hashable, begun: asyncio.Future[bytes]) -> None:
        del self._begun[key]
        if begun.cancelled() or begun.exception() is not None:
            return
        self._kept[key] = begun.result()
        while sum(map(len, self._kept.values())) > self._most:
            self._kept.popitem(last=False)
