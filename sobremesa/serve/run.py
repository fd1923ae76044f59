"""Run the web server with uvicorn."""

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
from sobremesa.serve.connections import MOST, Gate, LimitedConnection, Socket
from sobremesa.serve.tables import Tables
from sobremesa.serve.wire import LARGEST

LOCK = "serve.lock"  # lock file in the folder of tables
INTERRUPTED = 130  # exit code after Ctrl-C
DESCRIPTORS = 4096  # requested limit of open files; connections may use three quarters
AT_A_TIME = 32  # accepted connections before the gate counts them, at most
QUEUE = 2048  # connections that wait for acceptance
MINUTE = 60.0  # seconds between two log lines of the same kind


def serve(host: str, port: int, folder: Path, own: Sequence[str], names: Sequence[str], most: int) -> int:
    """Serve the tables of `folder` at `host` and `port` until interrupted; print the address once it listens.

    Raises ValueError if another server uses `folder`, if its store is unusable, or if the address is.
    """
    taken = f"{folder}: another server uses this folder; stop it, or choose another --folder"
    try:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(locked(folder / LOCK, ValueError(taken)))
            except OSError as error:
                raise ValueError(f"{folder}: {error.strerror}; choose a writable --folder") from None
            _serve(host, port, folder, own, names, most)
    except KeyboardInterrupt:
        _leave(INTERRUPTED)
        raise
    _leave(0)  # after SIGTERM as process 1 of a container; SIGTERM ends other processes in `_serve`
    return 0


def _leave(code: int) -> None:
    """Exit without waiting for threads, since all moves are stored and a compilation can take minutes."""
    if threading.active_count() > 1:
        for stream in filter(None, (sys.stdout, sys.stderr)):  # the shell may have closed one
            stream.flush()
        os._exit(code)


def _serve(host: str, port: int, folder: Path, own: Sequence[str], names: Sequence[str], most: int) -> None:
    app = make_app(Tables(folder, most), own, names)
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}/", flush=True)
    most_open = min(MOST, _descriptors() * 3 // 4)
    config = uvicorn.Config(
        app,
        log_level="warning",
        use_colors=sys.stderr is not None and sys.stderr.isatty(),  # by default it looks at standard output
        access_log=False,  # the addresses of seats are secret
        ws_max_size=4 * LARGEST,  # wire.py rejects messages above LARGEST with a reason
        ws_ping_interval=20,
        server_header=False,
        timeout_graceful_shutdown=1,
        backlog=max(1, min(AT_A_TIME, most_open // 16)),
    )
    gate = Gate(most_open, str(config.forwarded_allow_ips))
    config.http, config.ws = partial(LimitedConnection, gate), partial(Socket, gate)  # type: ignore[assignment]
    for name in ("asyncio", "sobremesa.serve", "uvicorn.error"):
        logging.getLogger(name).addFilter(Quiet())
    _Server(config).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise ValueError if the address is unusable."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = error.strerror or str(error)
        raise ValueError(
            f"--host {host} --port {port}: {why}; choose another address of this machine or another port"
        ) from None


def _descriptors() -> int:
    """Raise the limit of open files towards DESCRIPTORS; return the limit reached."""
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
            one.listen(QUEUE)  # asyncio uses the backlog for AT_A_TIME too


class Quiet(logging.Filter):
    """Log filter: one record of a kind a MINUTE, with the number of suppressed ones.

    Errors of clients and the system (an aborted upload, invalid UTF-8, no free descriptor) take one line; errors of the
    server keep their traceback.
    """

    _THEIRS = (OSError, UnicodeError)  # Starlette's and uvicorn's disconnections are OSErrors

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[
            tuple[str, object], tuple[float, int]
        ] = {}  # time of the last log line, and records suppressed since

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        kind = (str(record.msg).partition("\n")[0], type(error))
        now = time.monotonic()
        at, suppressed = self._seen.get(kind, (-MINUTE, 0))
        if now < at + MINUTE:
            self._seen[kind] = at, suppressed + 1
            return False
        if len(self._seen) > 1000:
            self._seen.clear()
        self._seen[kind] = now, 0
        text = record.getMessage()
        if isinstance(error, self._THEIRS):
            text, record.exc_info, record.exc_text = f"{text.partition(chr(10))[0]}: {one_line(str(error))}", None, None
        more = f" ({suppressed} similar messages suppressed)" if suppressed else ""
        record.msg, record.args = text.rstrip() + more, ()
        return True
