"""Threads over slices of a batch; kernels release the GIL, so plain Python threads are enough."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

from numba.core import config

SMALLEST_SLICE = 512  # tables; below this a thread costs more than it saves
HEAD_START = 128  # tables that the calling thread plays while the others start


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:  # one per process: a forked child makes its own
    return ThreadPoolExecutor(max(1, cores() - 1), thread_name_prefix="sobremesa")


def run(kernel: Callable[..., Any], count: int, threads: int | None, *arguments: Any) -> None:
    """Call `kernel(*arguments, low, high)` for slices that cover 0..count; the slices must be independent.

    `threads` is the most threads to use; None chooses by `count` and the processors.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"threads={threads!r} is not allowed; it takes None or a whole number from 1")
    slices = min(threads or cores(), max(1, count // SMALLEST_SLICE))
    if slices == 1 or config.DISABLE_JIT:
        kernel(*arguments, 0, count)
        return
    edges = [0, *(HEAD_START + (count - HEAD_START) * part // slices for part in range(1, slices + 1))]
    waiting = [_pool(os.getpid()).submit(kernel, *arguments, low, high) for low, high in pairwise(edges[1:])]
    kernel(*arguments, 0, edges[1])
    for future in waiting:
        future.result()
