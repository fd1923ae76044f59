"""The socket between a page and its table: frames go out, wishes come in, and what is no wish changes nothing."""

import asyncio
import contextlib
import json
import logging

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.report.thinking import Thinker
from sobremesa.serve.frames import encode, frame
from sobremesa.serve.guard import Bucket
from sobremesa.serve.limits import Limits
from sobremesa.serve.store import StoreError
from sobremesa.serve.table import Refused
from sobremesa.serve.tables import Seating, Tables
from sobremesa.serve.words import REFUSALS

LARGEST = 4096  # bytes of a message; a wish takes a fiftieth of it
RATE, BURST = 10.0, 40  # messages a second, and at once; a person sends one a second at most
NEVER, LATER = 1008, 1013  # why a socket is closed: pages try again after the second
PATIENCE = 200  # messages too many before the socket is closed
SEAT_SOCKETS, ONLOOKERS = 16, 64  # windows of one seat, and of those who look on at a table: neither takes the other's
HINT = "search(strong, worlds=200, seconds=3)"

_LOG = logging.getLogger("sobremesa.serve")


class Play(msgspec.Struct, tag_field="do", tag="play", forbid_unknown_fields=True):
    """Play an action at the decision number `moment` of the seat."""

    moment: int
    action: int


class Back(msgspec.Struct, tag_field="do", tag="back", forbid_unknown_fields=True):
    """Wish to take back the seat's last decision."""


class Agree(msgspec.Struct, tag_field="do", tag="agree", forbid_unknown_fields=True):
    """Answer somebody's wish to take back."""

    yes: bool


class Name(msgspec.Struct, tag_field="do", tag="name", forbid_unknown_fields=True):
    """Be called something else."""

    name: str


class Hint(msgspec.Struct, tag_field="do", tag="hint", forbid_unknown_fields=True):
    """Ask what a search thinks."""


class Retry(msgspec.Struct, tag_field="do", tag="retry", forbid_unknown_fields=True):
    """Ask an agent again that has stopped."""


Wish = Play | Back | Agree | Name | Hint | Retry
_DECODER = msgspec.json.Decoder(Wish)


class Wire:
    """One socket of `seat` at a table."""

    def __init__(
        self, socket: WebSocket, tables: Tables, limits: Limits, seating: Seating, seat: int, language: str
    ) -> None:
        self._socket, self._tables, self._limits, self._seating = socket, tables, limits, seating
        self._seat, self._language = seat, language
        self._narrow = socket.query_params.get("narrow") == "1"  # a phone's window
        self._woken = asyncio.Event()
        self._bucket, self._patience = Bucket(RATE, BURST), PATIENCE
        self._hinting: asyncio.Task[None] | None = None
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Serve the socket until it is closed; raise Refused where the seat is open in too many windows."""
        watchers = self._seating.watchers
        if list(watchers.values()).count(self._seat) >= (ONLOOKERS if self._seat == PUBLIC else SEAT_SOCKETS):
            raise Refused("connections")
        watchers[self._woken] = self._seat
        self._woken.set()
        self._tables.changed(self._seating)
        telling = asyncio.create_task(self._tell())
        try:
            await self._listen()
        except WebSocketDisconnect:
            pass
        finally:
            watchers.pop(self._woken)
            telling.cancel()
            if self._hinting is not None:
                self._hinting.cancel()

    async def _tell(self) -> None:
        """Send a frame whenever there is another one to see."""
        last = b""
        try:
            while True:
                await self._woken.wait()
                self._woken.clear()
                if self._seating.closed:
                    await self._refuse("closed", NEVER)
                    return
                shown = await self._tables.work(frame, self._seating.table, self._seat, self._language, self._narrow)
                if shown != last:
                    last = shown
                    await self._send(shown)
        except WebSocketDisconnect:
            pass
        except Exception:
            _LOG.exception("a frame of table %s", self._seating.table.name)
            with contextlib.suppress(WebSocketDisconnect):
                await self._refuse("failed", 1011)

    async def _listen(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            content = message.get("text") or message.get("bytes") or ""
            if len(content) > LARGEST:
                await self._refuse("large", 1009)
                return
            if not self._bucket.take():
                self._patience -= 1
                if self._patience == 0:
                    await self._refuse("fast", NEVER)
                    return
                if self._patience % BURST == BURST - 1:  # said once, not to each of a flood
                    await self._refuse("fast")
                continue
            await self._hear(content)

    async def _hear(self, content: str | bytes) -> None:
        try:
            wish = _DECODER.decode(content)
            if self._seat == PUBLIC:
                raise Refused("looks on")
            await self._do(wish)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            await self._refuse("message")
        except Refused as refused:
            await self._refuse(str(refused))
        except StoreError as error:
            _LOG.error("table %s: %s", self._seating.table.name, error)
            await self._refuse("failed")

    async def _do(self, wish: Wish) -> None:
        table, work = self._seating.table, self._tables.work
        if isinstance(wish, Play):
            await work(table.play, self._seat, wish.moment, wish.action)
        elif isinstance(wish, Back):
            await work(table.wish_back, self._seat)
        elif isinstance(wish, Agree):
            await work(table.agree, self._seat, wish.yes)
        elif isinstance(wish, Name):
            await work(table.call, self._seat, wish.name)
        elif isinstance(wish, Retry):
            table.trouble = False
        else:
            self._begin_hint()
            return
        self._tables.changed(self._seating)
        if table.deal.over:
            await self._tables.try_to_keep(table)

    def _begin_hint(self) -> None:
        if not self._seating.table.asked(self._seat):
            raise Refused("turn")
        if self._hinting is not None and not self._hinting.done():
            raise Refused("busy")
        self._hinting = asyncio.create_task(self._hint())

    async def _hint(self) -> None:
        """Send what a search thinks of what the seat sees; it has its own chance and knows no more than the seat.

        One search is made for all windows of a seat at a moment, and what came of it is kept.
        """
        table, seat, language = self._seating.table, self._seat, self._language
        moment = table.moment(seat)
        with contextlib.suppress(WebSocketDisconnect):
            try:
                with self._limits.hint(self._socket):
                    lines = await self._tables.hints.of((table.name, seat, moment), _think, self._seating, seat, moment)
            except Refused as refused:
                await self._refuse(str(refused))
            except Exception:  # whatever it is, nothing is changed, and the page waits for an answer
                _LOG.exception("hint at table %s", table.name)
                await self._refuse("think")
            else:
                await self._send(encode({"what": "hint", "moment": moment, "lines": json.loads(lines)[language]}))

    async def _send(self, content: bytes) -> None:
        """Send a message; raise WebSocketDisconnect where the socket is closed, by whichever side."""
        async with self._sending:
            if self._socket.application_state == WebSocketState.DISCONNECTED:
                raise WebSocketDisconnect(1000)
            await self._socket.send_text(content.decode())

    async def _refuse(self, why: str, code: int = 0) -> None:
        """Send why something was not done; close the socket with `code` unless it is 0."""
        words = REFUSALS[self._language]
        await self._send(encode({"what": "refused", "kind": why, "why": words[why]}))
        if code and self._socket.application_state != WebSocketState.DISCONNECTED:
            await self._socket.close(code)


def _think(seating: Seating, seat: int, moment: int) -> bytes:
    """Return what a search thinks, in each language; nothing if the table has gone on from the `moment`.

    Raises Refused if the seat has no window open any more: a hint that was queued is not worked out for nobody.
    """
    if seat not in list(seating.watchers.values()):
        raise Refused("turn")
    table = seating.table
    thinker = Thinker(table.game, HINT)
    with table.lock:
        if not table.asked(seat) or table.moment(seat) != moment:
            return encode({language: [] for language in LANGUAGES})
        view = table.view(seat)
    return encode(thinker.lines_in(view, LANGUAGES))
