"""An ASGI wrapper that closes idle WebSockets, on which a server would otherwise wait forever."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

GOING_AWAY = 1001


def close_idle(app: App, seconds: float) -> App:
    """Return `app` with a limit on silence: a WebSocket without a message from its client for `seconds` is closed.

    `app` receives a disconnect, as if the client had left. A client that does not read for so long is treated alike.
    Time is that of the event loop.
    """

    async def limited(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await app(scope, receive, send)
            return

        async def receive_in_time() -> Message:
            try:
                async with asyncio.timeout(seconds):
                    return await receive()
            except TimeoutError:
                return {"type": "websocket.disconnect", "code": GOING_AWAY, "reason": "idle"}

        async def send_in_time(message: Message) -> None:
            try:
                async with asyncio.timeout(seconds):
                    await send(message)
            except TimeoutError:
                raise OSError("the client does not read") from None

        await app(scope, receive_in_time, send_in_time)

    return limited
