"""Weight averages: over a run (`average`), or over the last weights of several runs that start from each other.

Self-play may cycle around the strategy that it learns. The average of the weights is between those policies, as the
average strategy of fictitious play does (Heinrich et al. 2015), and is often better than each (Polyak and Juditsky
1992; stochastic weight averaging, Izmailov et al. 2018; model soups, Wortsman et al. 2022). This needs a common start:
the average of independent networks plays badly.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.training.networks import LARGEST_WEIGHTS
from sobremesa.training.runs import run
from sobremesa.training.runs.evaluation import PARTS


class Mean:
    """Running mean of the weights of a network, float64 by name."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        self.weights = {name: np.zeros(one.shape) for name, one in weights.items()}
        self.count = 0

    def add(self, weights: Mapping[str, np.ndarray]) -> None:
        """Add the current weights to the mean."""
        self.count += 1
        for name, mean in self.weights.items():
            mean += (weights[name] - mean) / self.count

    def save(self, path: Path) -> None:
        """Write the mean to `path` as `save_weights` does, unless it is empty."""
        if self.count:
            write_whole(path, _file(self.weights))


def file_of(source: Path, checkpoint: str) -> Path:
    """Return `source`, or the weights `checkpoint` if it is a run; raise RunError if there are none."""
    if source.is_file():
        return source
    run.read(source)
    return run.checkpoint(source, checkpoint)


def mean_weights(files: Sequence[Path]) -> bytes:
    """Return the mean of the weights in `files`, each in the folder of its run, as the bytes of a file of weights.

    Raises RunError for a damaged file, one outside a run, or another game, algorithm or network than the first.
    """
    first, mean = run.read(files[0].parent)[0], Mean(_weights(files[0]))
    for file in files:
        config, found = run.read(file.parent)[0], _weights(file)
        for name in ("game", "algorithm", "afterstates", *PARTS):
            ours, theirs = getattr(first, name, None), getattr(config, name, None)
            if theirs != ours:
                raise run.RunError(f"{file}: has {name}={theirs!r}, {files[0]} has {ours!r}: they have no mean")
        if {name: one.shape for name, one in found.items()} != {name: one.shape for name, one in mean.weights.items()}:
            raise run.RunError(f"{file}: has another network shape than {files[0]}")
        mean.add(found)
    return _file(mean.weights)


def _file(weights: Mapping[str, np.ndarray]) -> bytes:
    return save({name: one.astype(np.float32) for name, one in weights.items()})


def _weights(path: Path) -> dict[str, np.ndarray]:
    try:
        return run.arrays_of(read_inside(path.parent, path.name, LARGEST_WEIGHTS))
    except OSError as error:
        raise run.RunError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise run.RunError(f"{path}: cannot be read: {error}") from None
