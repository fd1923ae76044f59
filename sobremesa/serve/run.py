"""Run the server by uvicorn."""

import contextlib
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import uvicorn

from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import locked
from sobremesa.serve.app import make_app
from sobremesa.serve.connections import MOST, Arriving, Gate, Socket
from sobremesa.serve.tables import Tables
from sobremesa.serve.wire import LARGEST

LOCK = "serve.lock"  # in the folder of tables, held by the server that keeps them
INTERRUPTED = 130  # what the command returns after Ctrl-C
DESCRIPTORS = 4096  # open files that the server asks the system for; a quarter of what it gets is not for connections
AT_A_TIME = 32  # connections that are accepted before any of them is counted, at most
QUEUE = 2048  # connections that wait in the system to be accepted
MINUTE = 60.0  # seconds in which one line of a kind is logged


def serve(host: str, port: int, folder: Path, own: Sequence[str], names: Sequence[str], most: int) -> int:
    """Serve the tables of `folder` at `host` and `port` until interrupted; print the address once it listens.

    Raises ValueError where another server is at work in `folder`, where its store cannot be used, or for an address
    that cannot be listened at.
    """
    taken = f"{folder}: another server keeps its tables there; stop it, or name another --folder"
    try:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(locked(folder / LOCK, ValueError(taken)))
            except OSError as error:
                raise ValueError(f"{folder}: {error.strerror}; name a --folder that can be written") from None
            return _serve(host, port, folder, own, names, most)
    except KeyboardInterrupt:
        _leave()
        raise


def _leave() -> None:
    """End the process, now that all is kept, even if a thread is still at work: one that compiles can take minutes."""
    if threading.active_count() > 1:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)


def _serve(host: str, port: int, folder: Path, own: Sequence[str], names: Sequence[str], most: int) -> int:
    app = make_app(Tables(folder, most), own, names)
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}/", flush=True)
    most_open = min(MOST, _descriptors() * 3 // 4)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses of seats are secrets
        ws_max_size=4 * LARGEST,  # the wire refuses what is larger than LARGEST in words
        ws_ping_interval=20,
        server_header=False,
        timeout_graceful_shutdown=1,
        backlog=max(1, min(AT_A_TIME, most_open // 16)),
    )
    gate = Gate(most_open, str(config.forwarded_allow_ips))
    config.http, config.ws = partial(Arriving, gate), partial(Socket, gate)  # type: ignore[assignment]
    for name in ("asyncio", "sobremesa.serve", "uvicorn.error"):
        logging.getLogger(name).addFilter(Quiet())
    _Server(config).run([listening])
    return 0


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; raise ValueError, naming it, where that cannot be."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = error.strerror or str(error)
        raise ValueError(f"--host {host} --port {port}: {why}; name another address of this machine, or port") from None


def _descriptors() -> int:
    """Raise the limit of open files to DESCRIPTORS, as far as the system allows; return the limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limit on sockets
        return DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or []:
            one.listen(QUEUE)  # asyncio takes uvicorn's backlog for both


class Quiet(logging.Filter):
    """Lets through one record of a kind in a MINUTE, with the number of those that were left out before.

    What a client or the system causes (an aborted upload, invalid UTF-8, no free descriptor) is logged in one line; a
    traceback is kept where the error is the server's own.
    """

    _THEIRS = (OSError, UnicodeError)  # Starlette's and uvicorn's disconnections are OSErrors

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, object], tuple[float, int]] = {}  # when a kind was logged, and how many since

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        kind = (str(record.msg).partition("\n")[0], type(error))
        now = time.monotonic()
        at, left_out = self._seen.get(kind, (-MINUTE, 0))
        if now < at + MINUTE:
            self._seen[kind] = at, left_out + 1
            return False
        if len(self._seen) > 1000:
            self._seen.clear()
        self._seen[kind] = now, 0
        said = record.getMessage()
        if isinstance(error, self._THEIRS):
            said, record.exc_info, record.exc_text = f"{said.partition(chr(10))[0]}: {one_line(str(error))}", None, None
        more = f" ({left_out} more like this were left out)" if left_out else ""
        record.msg, record.args = said.rstrip() + more, ()
        return True
