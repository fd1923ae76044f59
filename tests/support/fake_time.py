"""An event loop whose clock jumps, and a WebSocket without a network, to run a server for a day in seconds."""

import asyncio
import json


class FastLoop(asyncio.SelectorEventLoop):
    """A loop that never waits: when only timers are left, its clock jumps to the next one. Threads do not exist."""

    def __init__(self):
        super().__init__()
        self._now = 0.0

    def time(self):
        return self._now

    def _run_once(self):
        timers = [timer.when() for timer in self._scheduled if not timer.cancelled()]
        if not self._ready and timers:
            self._now = max(self._now, min(timers))
        super()._run_once()

    def run_in_executor(self, executor, func, *args):
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


class Socket:
    """A client's end of a WebSocket to an ASGI application that runs in the same loop."""

    def __init__(self, app, path="/ws"):
        self._to, self._from = asyncio.Queue(), asyncio.Queue()
        scope = {
            "type": "websocket", "asgi": {"version": "3.0"}, "path": path, "raw_path": path.encode(), "headers": [],
            "query_string": b"", "scheme": "ws", "subprotocols": [], "client": ("test", 1), "server": ("test", 2),
        }  # fmt: skip
        self._to.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.ensure_future(app(scope, self._to.get, self._from.put))

    async def send(self, message):
        await self._to.put({"type": "websocket.receive", "text": json.dumps(message)})

    async def ask(self, message):
        await self.send(message)
        while True:
            answer = await self._from.get()
            if answer["type"] in ("websocket.send", "websocket.close"):
                return answer

    def drop(self):
        self._to.put_nowait({"type": "websocket.disconnect", "code": 1006})

    async def ended(self):
        await self._task
