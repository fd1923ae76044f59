"""Times on a GPU, and lines of a log with the seconds since the start."""

import time
import timeit
from typing import Any

import numpy as np
import torch

BEGAN = time.time()


def say(text: str) -> None:
    """Print a line with the seconds since the start."""
    print(f"[{time.time() - BEGAN:6.1f}] {text}", flush=True)


def milliseconds(work: Any, times: int, rounds: int = 3) -> float:
    """Return the median time of one call of `work` on the GPU; without a GPU, on the processor."""
    found = []
    for _ in range(rounds if torch.cuda.is_available() else 0):
        before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        before.record()
        for _ in range(times):
            work()
        after.record()
        after.synchronize()
        found.append(before.elapsed_time(after) / times)
    if not found:
        return 1000 / times * timeit.timeit(work, number=times)
    return float(np.median(found))
