"""Load and run an ONNX graph within limits: `sandbox.py MEMORY SECONDS`, with the graph on standard input.

MEMORY is in bytes, on top of the memory of onnxruntime without a graph; SECONDS are processor time. Prints one line of
JSON: `{"problem": ""}` or the reason why the graph failed. The file is run by its path and imports no module of the
library, so it starts fast.
"""

import contextlib
import json
import math
import os
import sys
import time
from typing import Any

ROWS = (1, 64)  # batch sizes of the two runs
FORMAT = ("session.load_model_format", "ONNX")  # onnxruntime has another format, which onnx_file.py does not read
TYPES = {"tensor(float)": "float32", "tensor(int8)": "int8"}  # allowed dtypes of inputs


def main(memory: int, seconds: int) -> None:
    """Load and run the graph; print the result."""
    graph = sys.stdin.buffer.read()
    answer = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # messages of onnxruntime
    import numpy as np
    import onnxruntime

    _limit(memory, seconds)
    problem = ""
    try:
        session = open_session(onnxruntime, graph, one_thread=True)
        if all(node.type in TYPES for node in session.get_inputs()):  # other graphs are refused later
            for rows in ROWS:
                shapes = {node.name: [size if isinstance(size, int) else rows for size in node.shape]
                          for node in session.get_inputs()}  # fmt: skip
                types = {node.name: TYPES[node.type] for node in session.get_inputs()}
                session.run(None, {name: np.ones(shape, types[name]) for name, shape in shapes.items()})
    except BaseException as error:
        problem = str(error)[:4000] or type(error).__name__
    os.write(answer, json.dumps({"problem": problem}).encode())


def open_session(runtime: Any, graph: bytes, *, one_thread: bool, settings: tuple[tuple[str, str], ...] = ()) -> Any:
    """Return the session of `graph` in onnxruntime, which prints nothing; `settings` are further its own pairs."""
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    if one_thread:
        options.intra_op_num_threads = 1
    for pair in (FORMAT, *settings):
        options.add_session_config_entry(*pair)
    # The fallback would print the error and try again.
    return runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"], enable_fallback=0)


def _limit(memory: int, seconds: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        used = math.ceil(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, used + seconds + 1))  # SIGXCPU, then SIGKILL
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, taken + memory))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
