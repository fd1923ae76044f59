"""Run ONNX graphs of unknown origin within limits on time and memory.

A graph is a program: it may loop, allocate any amount of memory and return arrays of any size. A graph that does not
come with the library is therefore first loaded and run in a child process (sandbox.py), limited to TRIAL_SECONDS and
TRIAL_MEMORY; a crash there does not affect this process. Here each call is limited to RUN_SECONDS, and all graphs of a
process together to ARENA_MEMORY. The shape, dtype and finiteness of each output are checked before use. The seconds are
processor time, so a graph loads and runs on a busy machine too.

Limits: a single operator that computes for long within its memory is not interrupted, and a graph that behaves
differently on other observations than in the sandbox may still crash the process inside onnxruntime.
"""

import functools
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.networks import sandbox
from sobremesa.agents.networks.onnx_file import drawing_nodes, outside_weights
from sobremesa.envs.core.errors import MissingExtra, one_line

TRIAL_SECONDS = 60.0  # of processor time, and RUN_SECONDS too
TRIAL_WALL = 20.0  # most time by the clock, in times of TRIAL_SECONDS
TRIAL_MEMORY = 5 * 2**30  # bytes of address space
RUN_SECONDS = 60.0
ARENA_MEMORY = 4 * 2**30  # bytes
KEPT_GRAPH = 2**24  # bytes
MASK = "mask"  # the only input that may be int8
_LONGEST_REASON = 300  # characters
_TICK = 0.25  # seconds per tick; a tick costs no more, so a suspended process loses one at most
_WORDS = {"Exiting due to terminate flag": f"it used more than {RUN_SECONDS:g} s of processor time",
          "Available memory of": f"it asked for more than {ARENA_MEMORY / 2**30:g} GiB",
          "Failed to allocate memory": f"it asked for more than {TRIAL_MEMORY / 2**30:g} GiB"}  # fmt: skip

Shapes = Mapping[str, tuple[int, ...]]  # of arrays by name, after the rows


class BotError(ValueError):
    """A bot that cannot be played; the message has the reason."""


class Graph:
    """An ONNX graph with float32 inputs and outputs of shape `(n, *shape)`; a mask, 0 or 1, may be int8.

    A graph that draws random numbers is refused, because no seed of the library would reach them. Errors call the graph
    `name`; `plays` is the id of its game. A `trusted` graph is neither run in the sandbox first nor inspected.
    `content` is the file, for other ways to compute it; b"" for a large one. Raises BotError, as does `run`, and
    MissingExtra without onnxruntime.
    """

    def __init__(
        self, graph: bytes, takes: Shapes, gives: Shapes, *, name: str, plays: str, trusted: bool = False
    ) -> None:
        self.name = name
        self.content = graph if len(graph) <= KEPT_GRAPH else b""
        self._gives = gives
        runtime = _runtime()
        if not trusted and (problem := _problem(graph)):
            raise BotError(f"{name} {problem}")
        self._session = _open(runtime, name, graph)
        nodes = (*self._session.get_inputs(), *self._session.get_outputs())
        found = {
            node.name: [node.type, *(size if isinstance(size, int) else "n" for size in node.shape)] for node in nodes
        }
        wanted = {part: ["tensor(float)", "n", *shape] for part, shape in (*takes.items(), *gives.items())}
        self._takes: dict[str, Any] = dict.fromkeys(takes, np.float32)
        if MASK in wanted and found.get(MASK, [""])[0] == "tensor(int8)":
            wanted[MASK][0], self._takes[MASK] = "tensor(int8)", np.int8
        if found != wanted:
            shown = one_line(str(found), _LONGEST_REASON)
            raise BotError(f"{name} takes and gives {shown}; a bot for {plays} takes and gives {wanted}")

    def run(self, **feed: np.ndarray) -> list[np.ndarray]:
        """Return the outputs of the graph for `feed`, arrays of equally many rows and of the declared shapes.

        The mask is 1 for legal actions, of any dtype; other arrays are float32. Raises BotError if the graph fails,
        takes too long, or returns other arrays.
        """
        rows = len(next(iter(feed.values())))
        feed = {part: array.astype(self._takes[part], copy=False) for part, array in feed.items()}
        try:
            with _WATCH.over() as options:
                found = self._session.run(list(self._gives), feed, options)
        except Exception as error:
            raise BotError(f"{self.name} failed: {_reason(error)}") from None
        for (part, shape), array in zip(self._gives.items(), found, strict=True):
            wanted = (rows, *shape)
            if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape != wanted:
                what = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                raise BotError(f"{self.name} gave {part} as {what}, not as float32 {wanted}")
        return list(found)

    def check_finite(self, name: str, array: np.ndarray, where: np.ndarray | None = None) -> np.ndarray:
        """Return `array`; raise BotError if a number in it (only `where` true) is not finite."""
        fine = np.isfinite(array)
        if not (fine if where is None else fine | ~where).all():
            raise BotError(f"{self.name} gave {name} that are not all finite numbers")
        return array


def _runtime() -> Any:
    """Return onnxruntime; raise MissingExtra if it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra("playing an exported bot", "bots") from None
    return onnxruntime


def _open(runtime: Any, name: str, graph: bytes) -> Any:
    settings = (("session.use_env_allocators", "1"),) if _bound_memory(runtime) else ()
    one_thread = os.environ.get("OMP_NUM_THREADS") == "1"  # onnxruntime has its own threads and ignores this variable
    try:
        return sandbox.open_session(runtime, graph, one_thread=one_thread, settings=settings)
    except Exception as error:
        raise BotError(f"{name} does not load: {_reason(error)}") from None


@functools.cache
def _bound_memory(runtime: Any) -> bool:
    """Give all graphs of this process one allocator with a limit; return whether that worked."""
    where = runtime.OrtMemoryInfo("Cpu", runtime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, runtime.OrtMemType.DEFAULT)
    try:
        runtime.create_and_register_allocator(where, runtime.OrtArenaCfg({"max_mem": ARENA_MEMORY}))
    except Exception:  # another user of onnxruntime has set an allocator
        return False
    return True


def _reason(error: Exception) -> str:
    """Return a short line about an `error` of onnxruntime."""
    text = str(error)
    return next((words for sign, words in _WORDS.items() if sign in text), one_line(text, _LONGEST_REASON))


def _problem(graph: bytes) -> str:
    """Return why `graph`, of unknown origin, is refused; "" if it is not.

    It is if it names other files, which onnxruntime would read, if it fails in the sandbox, which says more than the
    reader about a file that is no graph, or if it draws random numbers.
    """
    unread = ""
    try:
        outside, drawing = outside_weights(graph), drawing_nodes(graph)
    except ImportError:
        raise MissingExtra("playing an exported bot", "bots") from None
    except ValueError as error:
        outside, drawing, unread = [], [], one_line(str(error), _LONGEST_REASON)
    if outside:
        return "keeps weights outside the graph, which is refused"
    if problem := _tried(graph) or unread:
        return f"does not load: {problem}"
    shown = one_line(", ".join(drawing), _LONGEST_REASON)
    why = f"does not load: it draws random numbers of its own ({shown}), which follow from no seed; export it without"
    return why if drawing else ""


# The sandbox run.

_PASSED: set[bytes] = set()  # digests of graphs that passed


def _tried(graph: bytes) -> str:
    """Return the reason why `graph` failed in the sandbox; "" if it passed."""
    key = hashlib.sha256(graph).digest()
    if key in _PASSED:
        return ""
    limits = [str(TRIAL_MEMORY), str(math.ceil(TRIAL_SECONDS))]
    command = [sys.executable, "-P", str(Path(sandbox.__file__)), *limits]
    few = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each thread reserves address space
    ended = _run(command, graph, few)
    if ended is None:
        return f"in the sandbox it was not done within {TRIAL_WALL * TRIAL_SECONDS:g} s"
    if ended.returncode == -getattr(signal, "SIGXCPU", 0):
        return f"in the sandbox it used more than {TRIAL_SECONDS:g} s of processor time"
    try:
        problem = str(json.loads(ended.stdout.rpartition(b"\n")[2])["problem"])
    except (ValueError, KeyError, TypeError):
        how = f"signal {-ended.returncode}" if ended.returncode < 0 else f"exit status {ended.returncode}"
        last = one_line(ended.stderr.decode(errors="replace").strip().rpartition("\n")[2], _LONGEST_REASON)
        return f"in the sandbox it ended the process by {how}{': ' if last else ''}{last}"
    if not problem:
        _PASSED.add(key)
    return _reason(Exception(problem)) if problem else ""


def _run(command: list[str], given: bytes, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes] | None:
    """Run `command` with `given` as its input and return the completed process; None after TRIAL_WALL."""
    pipe, said = subprocess.PIPE, list[bytes]()
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        # `communicate` with a timeout does not write the rest of its input when it is called again.
        talk = threading.Thread(target=lambda: said.extend(process.communicate(given)), daemon=True)
        talk.start()
        try:
            for _ in range(math.ceil(TRIAL_WALL * TRIAL_SECONDS / _TICK)):
                talk.join(_TICK)
                if not talk.is_alive():
                    return subprocess.CompletedProcess(command, process.returncode, *said)
            return None
        finally:
            process.kill()
            talk.join()


# Time.


class _Watch:
    """A thread that terminates calls of graphs that take too long."""

    def __init__(self) -> None:
        self._calls: dict[int, _Call] = {}  # by their ids
        self._thread: threading.Thread | None = None

    def over(self) -> "_Call":
        """Return the context manager of one call."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, daemon=True, name="sobremesa graphs")
            self._thread.start()
        return _Call(self._calls)

    def _look(self) -> None:
        used = time.process_time()
        while True:
            time.sleep(_TICK)
            before, used = used, time.process_time()
            for call in list(self._calls.values()):
                call.left -= min(_TICK, used - before)
                if call.left < 0:
                    call.options.terminate = True


class _Call:
    """One call that is watched."""

    def __init__(self, calls: "dict[int, _Call]") -> None:
        import onnxruntime

        self._calls, self.options = calls, onnxruntime.RunOptions()
        self.options.log_severity_level = 4
        self.left = RUN_SECONDS

    def __enter__(self) -> Any:
        self._calls[id(self)] = self
        return self.options

    def __exit__(self, *_: object) -> None:
        del self._calls[id(self)]


_WATCH = _Watch()
