"""A process that answers lines of JSON, with a time limit for each answer.

It has a keeper (keeper.py), so its child processes end with it. Its standard error is read, passed on line by line, and
its end is stored.
"""

import contextlib
import json
import math
import os
import secrets
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from sobremesa.agents.external import keeper as keeper_file
from sobremesa.agents.external.clock import Limit

GRACE = 0.5  # seconds to end by itself after its input is closed
LONGEST_LINE = 65_536  # bytes of an answer
_KEPT = 4_000  # bytes of standard error
_SHOWN = 200  # characters of an answer in an error
_PIECE = 65_536  # bytes read at once
_LONGEST_HEARD = 2_000  # bytes of a line of standard error; longer ones are split
_MARK = "SOBREMESA_AGENT"  # a variable of the environment
_KEEPER = 10.0  # seconds for the keeper to end all
_STOPPED = 0.2  # seconds after which a keeper that does not end may have been stopped


class Failure(Exception):
    """A failure of a conversation: `kind` is "timeout", "crash" or "protocol error"."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"{kind}: {why}")
        self.kind = kind


class Launch(NamedTuple):
    """The program to run, as arguments of runner.py."""

    kind: str  # "command" or "python"
    words: tuple[str, ...]

    def start(self, mark: str) -> tuple[subprocess.Popen[bytes], int]:
        """Start the keeper of the process; return it and its lifeline, a pipe whose closing ends all.

        All child processes have `mark` in their environment, unless they empty it.
        """
        ours, theirs = _pipe()
        # -P: the folder of the keeper would hide modules of the standard library from it.
        keeper = (sys.executable, "-P", str(Path(keeper_file.__file__)), str(theirs))
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                (*keeper, self.kind, *self.words), stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0,
                start_new_session=True, pass_fds=(theirs,), env=os.environ | {_MARK: mark},
            ), ours  # fmt: skip
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)


def _pipe() -> tuple[int, int]:
    """Return the end of a pipe to write to, and the one to read from."""
    theirs, ours = os.pipe()
    return ours, theirs


def _sweep(mark: str) -> None:
    """Kill all processes with `mark` in their environment, where the system shows environments."""
    wanted, until = f"{_MARK}={mark}".encode(), monotonic() + _KEEPER
    while monotonic() < until:
        found = []
        for place in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if wanted in place.read_bytes().split(b"\0"):
                    found.append(int(place.parent.name))
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


class Conversation:
    """A process started by `launch`; `hear` gets its standard error line by line."""

    def __init__(self, launch: Launch, hear: Callable[[str], None] = lambda line: None) -> None:
        self._mark = secrets.token_hex(16)
        self._process, self._lifeline = launch.start(self._mark)
        self._hear, self._heard = hear, bytearray()  # the unfinished line
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._in, self._out, self._err = (pipe.fileno() for pipe in (process.stdin, process.stdout, process.stderr))
        self._said, self._noise = bytearray(), bytearray()
        self._ended = False  # whether its standard output has
        self._selector = selectors.DefaultSelector()
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        for pipe in (self._out, self._err):
            self._selector.register(pipe, selectors.EVENT_READ)

    def ask(
        self, message: dict[str, Any], seconds: float, is_repeat: Callable[[dict[str, Any]], bool] = lambda _: False
    ) -> dict[str, Any]:
        """Send `message` and return the answer; raise Failure without a valid answer within `seconds`.

        Lines for which `is_repeat` is true are skipped; it raises Failure for a line that answers another message.
        """
        limit = self._limit(seconds)
        self._write(message, limit)
        while is_repeat(answer := self._read(self._next_line(limit))):
            pass
        return answer

    def tell(self, message: dict[str, Any]) -> None:
        """Send `message`, which has no answer; a process that ended or does not read misses it."""
        with contextlib.suppress(Failure):
            self._write(message, self._limit(GRACE))

    def _limit(self, seconds: float) -> Limit:
        return Limit(seconds, self._process.pid)

    def is_over(self) -> bool:
        """Return whether the process has ended or closed its output."""
        self._read_output(0)
        return self._ended

    def end(self, grace: float = GRACE) -> None:
        """End the process and all its children; it has `grace` seconds to end by itself."""
        process = self._process
        process.send_signal(signal.SIGCONT)  # an agent may stop its keeper
        with contextlib.suppress(OSError):
            process.stdin.close()  # type: ignore[union-attr]
        if grace and not self._ended:
            self._wait_for_exit(grace)
        os.close(self._lifeline)
        self._wait_for_keeper()
        if process.returncode < 0:  # it may have been the keeper that was killed
            _sweep(self._mark)
        while self._err in self._selector.get_map() and self._selector.select(0):
            if not self._read_output(0):
                break
        self._pass_errors()
        self._selector.close()
        for pipe in (process.stdout, process.stderr):
            pipe.close()  # type: ignore[union-attr]

    def _wait_for_keeper(self) -> None:
        """Wait until the keeper has ended all; continue a keeper that the agent stops."""
        process = self._process
        for _ in range(math.ceil(_KEEPER / _STOPPED)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STOPPED)
                return
            keeper_file.send(keeper_file.descendants(process.pid), signal.SIGSTOP)
            process.send_signal(signal.SIGCONT)
        keeper_file.send(keeper_file.descendants(process.pid), signal.SIGKILL)
        process.kill()
        process.wait()

    def _next_line(self, limit: Limit) -> bytes:
        """Return the next line, without its end."""
        searched = 0
        while (end := self._said.find(b"\n", searched)) < 0:
            searched = len(self._said)
            if self._ended:
                raise self._crash()
            self._wait(limit)
        line = bytes(self._said[:end])
        del self._said[: end + 1]
        return line

    def _write(self, message: dict[str, Any], limit: Limit) -> None:
        """Send `message`; raise Failure if it cannot be sent."""
        line = json.dumps(message).encode() + b"\n"
        while line:
            try:
                line = line[os.write(self._in, line) :]
            except BlockingIOError:  # it does not read
                self._selector.register(self._in, selectors.EVENT_WRITE)
                try:
                    self._wait(limit)
                finally:
                    self._selector.unregister(self._in)
            except OSError:
                raise self._crash() from None

    def _wait(self, limit: Limit) -> None:
        """Listen for a moment; raise Failure past the `limit`, or after more bytes than an answer may have."""
        if len(self._said) > LONGEST_LINE:
            raise Failure("protocol error", f"a line of more than {LONGEST_LINE:,} bytes: {self._shown(self._said)}")
        if limit.left <= 0:
            raise Failure("timeout", f"no answer within {limit.seconds:g} s{self._last_error_line()}")
        limit.wait(self._read_output)

    def _read_output(self, seconds: float) -> bool:
        """Read the available output, after waiting at most `seconds` for some or for room to write.

        Return whether anything was read.
        """
        found = False
        for key, _ in self._selector.select(seconds):
            if key.fd == self._in:
                continue
            with contextlib.suppress(BlockingIOError):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    self._selector.unregister(key.fd)
                    self._ended |= key.fd == self._out
                elif key.fd == self._out:
                    self._said += piece
                else:
                    self._noise = (self._noise + piece)[-_KEPT:]
                    self._heard += piece
                    while (end := self._heard.find(b"\n")) >= 0 or len(self._heard) > _LONGEST_HEARD:
                        self._pass_errors(end if 0 <= end <= _LONGEST_HEARD else _LONGEST_HEARD)
                found |= bool(piece)
        return found

    def _pass_errors(self, end: int = _LONGEST_HEARD) -> None:
        """Pass the first `end` bytes of unread standard error to `hear`."""
        if line := self._heard[:end].decode(errors="replace").rstrip():
            self._hear(line)
        del self._heard[: end + self._heard.startswith(b"\n", end)]

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Failure(
                "protocol error",
                f"{self._shown(line)} is no JSON object; standard output is for answers{self._last_error_line()}",
            )
        return answer

    def _crash(self) -> Failure:
        self._process.send_signal(signal.SIGCONT)  # the agent may have stopped its keeper
        code = self._wait_for_exit(GRACE)
        if code is None:
            return Failure("crash", f"it closed its input or output{self._last_error_line()}")
        how = f"exit status {code}" if code >= 0 else f"killed by signal {-code}"
        return Failure("crash", f"{how}{self._last_error_line()}")

    def _wait_for_exit(self, seconds: float) -> int | None:
        """Return the exit status of the process if it ends within the limit `seconds`."""
        limit = self._limit(seconds)
        while self._process.poll() is None and limit.left > 0:
            limit.wait(self._join)
        return self._process.returncode

    def _join(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _last_error_line(self) -> str:
        """Return the last line of standard error, to be put at the end of a message."""
        if self._err in self._selector.get_map():
            self._read_output(0)
        lines = self._noise.decode(errors="replace").strip().splitlines()
        return f"; standard error: {lines[-1].strip()[:_SHOWN]}" if lines else ""

    @staticmethod
    def _shown(said: bytes | bytearray) -> str:
        text = said[:_SHOWN].decode(errors="replace")
        return repr(text) + ("..." if len(said) > _SHOWN else "")
