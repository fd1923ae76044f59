"""Ctrl-C handling for the command line: exit code 130 without a traceback, also during imports."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

INTERRUPTED = 130  # exit code after Ctrl-C


def exit_on_interrupt() -> None:
    """Make Ctrl-C exit the command `sobremesa` immediately; leave other programs unchanged."""
    name = Path(sys.argv[0]).stem if sys.argv else ""
    command = name == "sobremesa" or (name == "-m" and "sobremesa" in sys.orig_argv)
    if command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave)


@contextmanager
def interrupting() -> Iterator[None]:
    """Make Ctrl-C raise KeyboardInterrupt inside the block, and exit immediately after it.

    During an import Ctrl-C still exits immediately, since C extensions may print or replace a KeyboardInterrupt.
    """
    mine = signal.getsignal(signal.SIGINT) is leave
    if mine:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGINT, leave)


def leave(*_: object) -> None:
    """Exit immediately; a signal handler."""
    os._exit(INTERRUPTED)


def _interrupt(_: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            leave()
        frame = frame.f_back
    raise KeyboardInterrupt
