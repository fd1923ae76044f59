"""Measurements in a new process: memory, and the time from import to the first step."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import envs

MANY_TABLES = 65_536
STEPS = 5  # of many tables
SEED = 0


def first_step(game: str) -> float:
    """Return the CPU seconds from importing the library (after Numba) to the end of a first step."""
    return float(_in_fresh_process("_measure_first_step", game))


def memory(game: str, dtype: str) -> tuple[int, int | None]:
    """Return the bytes in the buffers of `MANY_TABLES` tables and the growth of resident memory, if known."""
    buffers, grown = _in_fresh_process("_measure_memory", game, dtype)
    return buffers, grown


def _in_fresh_process(measure: str, *given: str) -> Any:
    code = (
        "import json, numba, numpy, time; start = time.process_time(); from sobremesa.bench import fresh_process; "
        f"print(json.dumps(fresh_process.{measure}(start, *{given!r})))"
    )
    return json.loads(
        subprocess.run((sys.executable, "-c", code), stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    )


def _measure_first_step(start: float, game: str) -> float:
    env = envs.make(game)
    env.reset(seed=SEED)
    observation = env.last()[0]
    assert observation is not None
    env.step(int(observation["action_mask"].argmax()))
    return time.process_time() - start


def _measure_memory(_start: float, game: str, dtype: str) -> tuple[int, int | None]:
    small = envs.make_vec(game, 1, SEED, dtype=dtype)
    small.step(small.sample())
    before = _resident()
    tables = envs.make_vec(game, MANY_TABLES, SEED, copy=False, dtype=dtype)
    for _ in range(STEPS):
        out = tables.step(tables.sample())
    after = _resident()
    kept = [array for array in (*vars(tables).values(), *out) if isinstance(array, np.ndarray)]
    return sum(array.nbytes for array in kept), None if before is None or after is None else after - before


def _resident() -> int | None:
    """Return the resident bytes of this process, or None if `/proc` is missing."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
