"""The mean of the networks of several runs, each of which began as the bot of another (`start`).

Who learns from itself goes around what it learns: each run beats what was before it, and leaves something open that
another did not. The mean of their weights plays between them, as the mean of strategies does that fictitious play
rests at (Heinrich et al. 2015), in one network, and is often better than each (stochastic weight averaging, Izmailov et
al. 2018; model soups, Wortsman et al. 2022). Networks that did not begin alike have nothing to do with each other, and
their mean plays like nobody.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from sobremesa.training import run
from sobremesa.training.evaluation import PARTS


def mean_weights(folders: Sequence[Path], checkpoint: str) -> bytes:
    """Return the mean of the weights called `checkpoint` of the runs in `folders`, as a file of weights.

    Raises run.RunError if there is no such run or checkpoint, or if one is of another game, algorithm or network than
    the first.
    """
    first = run.read(folders[0])[0]
    total: dict[str, np.ndarray] = {}
    for folder in folders:
        config = run.read(folder)[0]
        for name in ("game", "algorithm", "afterstates", *PARTS):
            ours, theirs = getattr(first, name, None), getattr(config, name, None)
            if theirs != ours:
                raise run.RunError(
                    f"{folder}: has {name}={theirs!r}, where {folders[0]} has {ours!r}: they have no mean"
                )
        found = _weights(run.checkpoint(folder, checkpoint))
        total = total or {name: np.zeros(one.shape) for name, one in found.items()}
        if {name: one.shape for name, one in found.items()} != {name: one.shape for name, one in total.items()}:
            raise run.RunError(f"{folder}: its network has another shape than that of {folders[0]}")
        for name, one in found.items():
            total[name] += one
    return save({name: (one / len(folders)).astype(np.float32) for name, one in total.items()})


def _weights(path: Path) -> dict[str, np.ndarray]:
    try:
        return load(path.read_bytes())
    except (OSError, SafetensorError) as error:
        raise run.RunError(f"{path}: cannot be read: {error}") from None
