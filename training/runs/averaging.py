"""The mean of what a network was over a run (`average`), or at the end of several runs that began as each other's bots.

Who learns from itself goes around what it learns: it comes to beat what it was, and leaves something open that it did
not before. The mean of its weights plays between all of that, as the mean of strategies does that fictitious play rests
at (Heinrich et al. 2015), in one network, and is often better than each (Polyak & Juditsky 1992; stochastic weight
averaging, Izmailov et al. 2018; model soups, Wortsman et al. 2022). Networks that did not begin alike have nothing to
do with each other, and their mean plays like nobody.
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
    """The mean of the weights of a network, `(weights by name, float64)`, over all times that `add` was called."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        self.weights = {name: np.zeros(one.shape) for name, one in weights.items()}
        self.count = 0

    def add(self, weights: Mapping[str, np.ndarray]) -> None:
        """Let the weights as they are count as much as each before."""
        self.count += 1
        for name, mean in self.weights.items():
            mean += (weights[name] - mean) / self.count

    def save(self, path: Path) -> None:
        """Write the mean to `path` as `save_weights` does; nothing as long as there is none."""
        if self.count:
            write_whole(path, _file(self.weights))


def file_of(source: Path, checkpoint: str) -> Path:
    """Return the file of weights that `source` stands for: itself, or the one called `checkpoint` of the run there.

    Raises run.RunError if there is no such run or file.
    """
    if source.is_file():
        return source
    run.read(source)
    return run.checkpoint(source, checkpoint)


def mean_weights(files: Sequence[Path]) -> bytes:
    """Return the mean of the weights in `files`, each in the folder of its run, as a file of weights.

    Raises run.RunError if one is damaged or lies in no run, or if it is of another game, algorithm or network than the
    first.
    """
    first, mean = run.read(files[0].parent)[0], Mean(_weights(files[0]))
    for file in files:
        config, found = run.read(file.parent)[0], _weights(file)
        for name in ("game", "algorithm", "afterstates", *PARTS):
            ours, theirs = getattr(first, name, None), getattr(config, name, None)
            if theirs != ours:
                raise run.RunError(f"{file}: has {name}={theirs!r}, {files[0]} has {ours!r}: they have no mean")
        if {name: one.shape for name, one in found.items()} != {name: one.shape for name, one in mean.weights.items()}:
            raise run.RunError(f"{file}: is of a network of another shape than {files[0]}")
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
