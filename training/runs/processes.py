"""Processes of one run, as torchrun starts them: each plays a part of the tables, and all take the same gradient steps.

Without torchrun, or in a process group that the caller has made, there is one process, and each function returns its
argument.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import distributed

from sobremesa.envs.core.seeds import seed_of
from sobremesa.training.config.keys import TORCHRUN

LONGEST_WAIT = timedelta(hours=12)  # for the first process, which evaluates alone
_BEGUN = "begun"  # key in the store
_store: Any = None  # of torchrun, for the run that this process has joined; restarted processes find it as it was


def started() -> int:
    """Return the number of processes that torchrun started for a run, 0 without it; others set WORLD_SIZE, too."""
    return int(os.environ["WORLD_SIZE"]) if TORCHRUN in os.environ and not distributed.is_initialized() else 0


@contextmanager
def joined(folder: Path, device: str) -> Iterator[Path]:
    """Join the processes that torchrun started, and yield the folder to write to.

    It is `folder` in the first process, and a temporary folder in the others.
    """
    global _store
    if not started():
        yield folder
        return
    on_gpu = device.startswith("cuda")
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    whole, rank, size = next(distributed.rendezvous("env://", timeout=LONGEST_WAIT))  # type: ignore[attr-defined]
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    store = distributed.PrefixStore(attempt, whole)  # type: ignore[attr-defined]  # it has old addresses of gloo
    backend = "cpu:gloo,cuda:nccl" if on_gpu else "gloo"
    distributed.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=LONGEST_WAIT)
    _store = distributed.PrefixStore(str(folder.resolve()), whole)  # type: ignore[attr-defined]
    try:
        with TemporaryDirectory() as own:
            yield Path(own) if number() else folder
        distributed.destroy_process_group()  # not after an error: other processes may be waiting for this one
    finally:
        _store = None


def begun() -> bool:
    """Return whether the first process began this run before torchrun started the processes again."""
    return bool(gather(_store is not None and _store.check([_BEGUN]))[0])


def note_begun() -> None:
    """Note that this run, whose folder is accepted, is begun."""
    if _store is not None and number() == 0:
        _store.set(_BEGUN, "")


def count() -> int:
    """Return the number of processes of the run."""
    return 1 if _store is None else distributed.get_world_size()


def number() -> int:
    """Return the number of this process, from 0."""
    return distributed.get_rank() if count() > 1 else 0


def part_of(whole: int) -> range:
    """Return which of the numbers below `whole`, such as those of tables, are of this process."""
    return range(whole * number() // count(), whole * (number() + 1) // count())


def seed_here(seed: int) -> int:
    """Return the seed of this process in a run of `seed`, which is that of the first process."""
    return seed_of("worker", seed, number()) if number() else seed


def gather(value: Any) -> list[Any]:
    """Return the `value` of each process, which is for JSON."""
    return [json.loads(one) for one in gather_bytes(json.dumps(value).encode())] if count() > 1 else [value]


def gather_bytes(content: bytes) -> list[bytes]:
    """Return the `content` of each process."""
    sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(count())]
    distributed.all_gather(sizes, torch.tensor([len(content)]))
    padded = content.ljust(max(int(size) for size in sizes))
    found = [torch.zeros(len(padded), dtype=torch.uint8) for _ in sizes]
    distributed.all_gather(found, torch.frombuffer(bytearray(padded), dtype=torch.uint8))
    return [one.numpy().tobytes()[: int(size)] for one, size in zip(found, sizes, strict=True)]


def mean_metrics(metrics: dict[str, float]) -> dict[str, float]:
    """Return the mean of each metric over the processes that have it."""
    every = gather(metrics)
    names = dict.fromkeys(name for one in every for name in one)
    return {name: float(np.mean([one[name] for one in every if name in one])) for name in names}


def moments(mean: Any, deviation: Any, size: int) -> tuple[Any, Any]:
    """Return mean and standard deviation of the numbers of all processes, given those of the `size` numbers here."""
    if count() == 1:
        return mean, deviation
    sizes, means, deviations = np.array(gather([size, float(mean), float(deviation)])).T
    whole = sizes @ means / sizes.sum()
    return whole, np.sqrt(sizes @ (deviations**2 + (means - whole) ** 2) / sizes.sum())


def average_gradients(weights: Sequence[torch.Tensor], losses: torch.Tensor, size: int) -> torch.Tensor:
    """Set the gradients to their mean over the minibatches of all processes, and return the mean of `losses` `(k,)`.

    This minibatch has `size` decisions. A weight without a gradient in all processes is left without one.
    """
    if count() == 1:
        return losses
    given = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
    have = torch.tensor([weight.grad is not None for weight in weights], device=losses.device)
    numbers = [size * one.flatten() for one in (*given, losses.float())]
    sums = torch.cat([*numbers, have, torch.tensor([size], device=losses.device)])
    distributed.all_reduce(sums)
    sizes = [*map(torch.numel, given), len(losses), len(weights)]
    *found, mean_losses, had = torch.split(sums[:-1] / sums[-1], sizes)
    for weight, gradient, one in zip(weights, found, had.tolist(), strict=True):
        if one:
            weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
            weight.grad.copy_(gradient.view_as(weight))  # in place, since CUDA graphs read it there
    return mean_losses
