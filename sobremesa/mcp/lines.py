"""Standard input and output for a protocol: other code cannot write to it, and its end ends the process."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TextIO

GRACE = 1.0  # seconds between the end of the input and that of the process: a call under way has no reader any more
_AHEAD = 256  # lines that are read before they are used


@contextmanager
def claimed() -> Iterator[tuple[TextIO, TextIO]]:
    """Return standard input and output as files, for a protocol.

    Inside the block everything else that is printed, from Python or C, goes to standard error, and everything else that
    reads gets the end of a file. Enter it before code of other packages runs.
    """
    sys.stdout.flush()
    kept = [os.dup(0), os.dup(1)]
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    try:
        with (
            os.fdopen(kept[0], encoding="utf-8", errors="replace", closefd=False) as given,
            os.fdopen(kept[1], "w", encoding="utf-8", closefd=False) as answers,
        ):
            yield given, answers
    finally:
        sys.stdout.flush()
        for number, one in enumerate(kept):
            os.dup2(one, number)
            os.close(one)


class Lines:
    """The lines of `file`, to iterate over once in an event loop.

    A thread reads them, so their end is seen during a call that takes long. The process exits GRACE seconds after the
    end, if it has not done so before.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[str]:
        lines: asyncio.Queue[str] = asyncio.Queue(_AHEAD)
        threading.Thread(target=self._read, args=(asyncio.get_running_loop(), lines), daemon=True).start()
        while line := await lines.get():
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[str]") -> None:
        while True:
            line = self._file.readline()
            if not line:
                last = threading.Timer(GRACE, os._exit, (0,))
                last.daemon = True
                last.start()
            try:
                asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
            except (RuntimeError, CancelledError):  # the loop has ended
                return
            if not line:
                return
