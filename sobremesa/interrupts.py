"""Ctrl-C at the command line: exit code 130, without a traceback, whatever is being imported."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

INTERRUPTED = 130  # the exit code of a command that Ctrl-C has ended


def end_at_once() -> None:
    """Have Ctrl-C end the process at once if it is the command `sobremesa`; change nothing in other programs."""
    name = Path(sys.argv[0]).stem if sys.argv else ""
    command = name == "sobremesa" or (name == "-m" and "sobremesa" in sys.orig_argv)
    if command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


@contextmanager
def interrupting() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt in the command while it runs, and end it at once again afterwards.

    While a module is imported Ctrl-C still ends the process at once: modules written in C print a KeyboardInterrupt,
    or raise another error in its place.
    """
    mine = signal.getsignal(signal.SIGINT) is _leave
    if mine:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGINT, _leave)


def _leave(*_: object) -> None:
    os._exit(INTERRUPTED)


def _interrupt(_: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            _leave()
        frame = frame.f_back
    raise KeyboardInterrupt
