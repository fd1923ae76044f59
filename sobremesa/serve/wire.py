"""WebSocket handler: sends frames, validates and applies client requests, rejects malformed ones."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.report.thinking import HINT, Thinker, hint_spec
from sobremesa.serve.frames import encode, frame, step, steps
from sobremesa.serve.guard import Bucket
from sobremesa.serve.limits import Limits
from sobremesa.serve.store import StoreError
from sobremesa.serve.table import Refused, Table
from sobremesa.serve.tables import Seating, Tables
from sobremesa.serve.words import REFUSALS

LARGEST = 4096  # bytes of a message; a request has about 80
RATE, BURST = 10.0, 40  # messages a second, and in a burst
NEVER, LATER = 1008, 1013  # close codes; a page reconnects after LATER
PATIENCE = 200  # excess messages before the socket is closed
SEAT_SOCKETS, ONLOOKERS = 16, 64  # windows of one seat, and of all onlookers of a table

_Told = TypeVar("_Told")
_LOG = logging.getLogger("sobremesa.serve")


class Play(msgspec.Struct, tag_field="do", tag="play", forbid_unknown_fields=True):
    """Play an action at the seat's decision number `moment`."""

    moment: int
    action: int


class Hear(msgspec.Struct, tag_field="do", tag="hear", forbid_unknown_fields=True):
    """Ask what the table would hear in a sentence in own words, at the seat's decision number `moment`."""

    moment: int
    text: str


class Tell(msgspec.Struct, tag_field="do", tag="tell", forbid_unknown_fields=True):
    """As Play, with a sentence in own words that means the action."""

    moment: int
    action: int
    text: str


class Chat(msgspec.Struct, tag_field="do", tag="chat", forbid_unknown_fields=True):
    """Add a line to the chat of the table."""

    text: str


class Back(msgspec.Struct, tag_field="do", tag="back", forbid_unknown_fields=True):
    """Request to take back the seat's last decision, at its decision number `moment`."""

    moment: int


class Agree(msgspec.Struct, tag_field="do", tag="agree", forbid_unknown_fields=True):
    """Answer take-back request number `wish`."""

    wish: int
    yes: bool


class Name(msgspec.Struct, tag_field="do", tag="name", forbid_unknown_fields=True):
    """Rename the player."""

    name: str


class Hint(msgspec.Struct, tag_field="do", tag="hint", forbid_unknown_fields=True):
    """Request a hint of the search."""


class Retry(msgspec.Struct, tag_field="do", tag="retry", forbid_unknown_fields=True):
    """Retry a failed agent."""


Request = Play | Hear | Tell | Chat | Back | Agree | Name | Hint | Retry
_DECODER = msgspec.json.Decoder(Request)


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
        """Serve the socket until it closes; raise Refused if the seat has too many windows."""
        watchers = self._seating.watchers
        if list(watchers.values()).count(self._seat) >= (ONLOOKERS if self._seat == PUBLIC else SEAT_SOCKETS):
            raise Refused("connections")
        watchers[self._woken] = self._seat
        if self._seat != PUBLIC:
            self._seating.table.joined.add(self._seat)
        self._woken.set()
        self._tables.changed(self._seating)
        sending = asyncio.create_task(self._send_frames())
        try:
            await self._listen()
        except WebSocketDisconnect:
            pass
        finally:
            watchers.pop(self._woken)
            sending.cancel()
            if self._hinting is not None:
                self._hinting.cancel()

    async def _send_frames(self) -> None:
        """Send each new frame of the table, and those of the plies in between."""
        last, ply, lines = b"", None, 0
        try:
            while True:
                await self._woken.wait()
                self._woken.clear()
                if self._seating.closed:
                    await self._refuse(self._seating.closed, LATER if self._seating.closed == "again" else NEVER)
                    return
                between, ply = self._between(ply)
                for one in between:
                    if past := await self._tables.work(step, *self._view, one):
                        await self._send(past)
                shown = await self._tables.work(frame, *self._view)
                if shown != last:
                    last = shown
                    await self._send(shown)
                chat = self._seating.chat
                if chat.count != lines:
                    lines = chat.count
                    await self._send(encode({"what": "chat", "lines": list(chat.lines)}))
        except WebSocketDisconnect:
            pass
        except Exception:
            _LOG.exception("failed to send a frame of table %s", self._seating.table.name)
            with contextlib.suppress(WebSocketDisconnect):
                await self._refuse("failed", 1011)

    @property
    def _view(self) -> tuple[Table, int, str, bool]:
        return self._seating.table, self._seat, self._language, self._narrow

    def _between(self, seen: int | None) -> tuple[range, int]:
        """Return the plies to show one by one after `seen` (None: the page has just opened), and the current ply."""
        table = self._seating.table
        with table.lock:
            return range(0) if seen is None else steps(table, self._seat, seen), table.shown(self._seat)

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
                if self._patience % BURST == BURST - 1:  # one answer a burst
                    await self._refuse("fast")
                continue
            await self._handle(content)

    async def _handle(self, content: str | bytes) -> None:
        try:
            request = _DECODER.decode(content)
            if self._seat == PUBLIC:
                raise Refused("looks on")
            await self._apply(request)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            await self._refuse("message")
        except Refused as refused:
            await self._refuse(str(refused))
        except WebSocketDisconnect:
            raise
        except StoreError as error:
            _LOG.error("table %s: %s", self._seating.table.name, error)
            await self._refuse("store")
        except Exception:
            _LOG.exception("failed to handle a message of table %s", self._seating.table.name)
            self._tables.reload(self._seating)

    async def _apply(self, request: Request) -> None:
        table, work = self._seating.table, self._tables.work
        if isinstance(request, Play):
            await work(table.play, self._seat, request.moment, request.action)
        elif isinstance(request, Tell):
            await self._telling(table.play, request.moment, request.action, request.text)
        elif isinstance(request, Hear):
            preview, offers = await self._telling(table.hear, request.moment, request.text)
            heard = {"what": "heard", "moment": request.moment, "text": request.text, "offers": offers}
            await self._send(encode(heard | preview._asdict()))
            return
        elif isinstance(request, Chat):
            if not table.chats:
                raise Refused("no chat")
            self._seating.chat.add(self._seat, request.text)
            self._seating.wake()
            return
        elif isinstance(request, Back):
            await work(table.request_take_back, self._seat, request.moment)
        elif isinstance(request, Agree):
            await work(table.agree, self._seat, request.wish, request.yes)
        elif isinstance(request, Name):
            await work(table.rename, self._seat, request.name)
        elif isinstance(request, Retry):
            table.trouble = False
        else:
            self._begin_hint()
            return
        self._tables.changed(self._seating)
        if table.deal.over:
            await self._tables.try_write_replay(table)

    async def _telling(self, method: Callable[..., _Told], *arguments: Any) -> _Told:
        """Call a method of the table with a text in the language of the page; raise Refused with what is wrong."""
        try:
            if not arguments[-1].strip():
                raise Refused("own words")
            return await self._tables.work(method, self._seat, *arguments, self._language)
        except Refused:
            raise
        except ValueError:
            raise Refused("own words") from None

    def _begin_hint(self) -> None:
        if not self._seating.table.to_act(self._seat):
            raise Refused("turn")
        if self._hinting is not None and not self._hinting.done():
            raise Refused("busy")
        self._hinting = asyncio.create_task(self._hint())

    async def _hint(self) -> None:
        """Send the move values of a search on the seat's view.

        All windows of a seat share one cached search a decision.
        """
        table, seat, language = self._seating.table, self._seat, self._language
        moment = table.moment(seat)
        with contextlib.suppress(WebSocketDisconnect):
            try:
                with self._limits.hint(self._socket):
                    lines = await self._tables.hints.of((table.name, seat, moment), _think, self._seating, seat, moment)
            except Refused as refused:
                await self._refuse(str(refused))
            except Exception:  # the page waits for an answer in every case
                _LOG.exception("failed to compute a hint at table %s", table.name)
                await self._refuse("think")
            else:
                await self._send(encode({"what": "hint", "moment": moment, "lines": json.loads(lines)[language]}))

    async def _send(self, content: bytes) -> None:
        """Send a message; raise WebSocketDisconnect if the socket is closed."""
        async with self._sending:
            if self._socket.application_state == WebSocketState.DISCONNECTED:
                raise WebSocketDisconnect(1000)
            await self._socket.send_text(content.decode())

    async def _refuse(self, why: str, code: int = 0) -> None:
        """Send the reason of a rejection; close the socket with `code` unless it is 0."""
        words = REFUSALS[self._language]
        await self._send(encode({"what": "refused", "kind": why, "why": words[why]}))
        if code and self._socket.application_state != WebSocketState.DISCONNECTED:
            await self._socket.close(code)


def _think(seating: Seating, seat: int, moment: int) -> bytes:
    """Return the hint lines in each language; empty lists if the table has moved on from `moment`.

    Raises Refused if the seat has no open window any more.
    """
    if seat not in list(seating.watchers.values()):
        raise Refused("turn")
    table = seating.table
    thinker = Thinker(table.game, hint_spec(table.game, HINT))
    with table.lock:
        if not table.to_act(seat) or table.moment(seat) != moment:
            return encode({language: [] for language in LANGUAGES})
        view = table.view(seat)
    return encode(thinker.hints(view, LANGUAGES))
