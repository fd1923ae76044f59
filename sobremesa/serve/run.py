"""Run the server by uvicorn."""

import os
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from sobremesa.envs.core.files import locked
from sobremesa.serve.app import make_app
from sobremesa.serve.tables import Tables
from sobremesa.serve.wire import LARGEST

LOCK = "serve.lock"  # in the folder of tables, held by the server that keeps them
INTERRUPTED = 130  # what the command returns after Ctrl-C


def serve(host: str, port: int, folder: Path, own: Sequence[str], names: Sequence[str], most: int) -> int:
    """Serve the tables of `folder` at `host` and `port` until interrupted; say where, once it listens.

    Raises ValueError where another server is at work in `folder`.
    """
    taken = f"{folder}: another server keeps its tables there; stop it, or name another --folder"
    try:
        with locked(folder / LOCK, ValueError(taken)):
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
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}/", flush=True)
    config = uvicorn.Config(
        make_app(Tables(folder, most), own, names),
        log_level="warning",
        access_log=False,  # addresses of seats are secrets
        ws_max_size=4 * LARGEST,  # the wire refuses what is larger than LARGEST in words
        ws_ping_interval=20,
        server_header=False,
        timeout_graceful_shutdown=1,
        limit_concurrency=2000,  # sockets and requests at once
    )
    uvicorn.Server(config).run([listening])
    return 0
