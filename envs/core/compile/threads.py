"""Threads over slices of a batch; kernels release the GIL, so plain Python threads are enough."""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from numba.core import config

SMALLEST_SLICE = 512  # tables; below this a thread costs more than it saves
HEAD_START = 128  # tables that the calling thread plays while the others start


GROUPS, MINE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")  # of Linux


def cores() -> int:
    """Return the number of processors that this process may use, at least 1."""
    given = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(given, quota())))


def quota() -> float:
    """Return the processors' time that the control groups of this process allow, 0.5 for half of one; inf for all."""
    try:
        lines = [line.split(":", 2) for line in MINE.read_text(encoding="utf-8").splitlines()]
    except OSError:  # another system
        return math.inf
    found = [math.inf]
    for _, controllers, path in (line for line in lines if len(line) == 3):
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = GROUPS / "cpu" if controllers else GROUPS  # version 1 has a folder for each controller
        inner = Path(path.lstrip("/"))
        for folder in (top / inner, *(top / outer for outer in inner.parents)):
            found += _limits(folder)
    return min(found)


def _limits(folder: Path) -> Iterator[float]:
    """Yield the limit of a control group in processors, of version 2 or 1."""
    for names in (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"]):
        try:
            time, period = " ".join((folder / name).read_text(encoding="utf-8") for name in names).split()
        except (OSError, ValueError):  # no such file, or another format
            continue
        if time not in ("max", "-1"):
            yield int(time) / int(period)


@lru_cache(maxsize=1)
def _cores(process: int) -> int:  # reading the limits takes as long as a step of a hundred tables
    return cores()


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:  # one per process: a forked child makes its own
    return ThreadPoolExecutor(max(1, _cores(process) - 1), thread_name_prefix="sobremesa")


def run(kernel: Callable[..., Any], count: int, threads: int | None, *arguments: Any) -> None:
    """Call `kernel(*arguments, low, high)` for slices that cover 0..count; the slices must be independent.

    `threads` is the most threads to use; None chooses by `count` and the processors.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"threads={threads!r} is not allowed; it takes None or a whole number from 1")
    slices = max(1, count // SMALLEST_SLICE)
    if slices > 1:
        slices = min(slices, threads or _cores(os.getpid()))
    if slices == 1 or config.DISABLE_JIT:
        kernel(*arguments, 0, count)
        return
    edges = [0, *(HEAD_START + (count - HEAD_START) * part // slices for part in range(1, slices + 1))]
    waiting = [_pool(os.getpid()).submit(kernel, *arguments, low, high) for low, high in pairwise(edges[1:])]
    kernel(*arguments, 0, edges[1])
    for future in waiting:
        future.result()
