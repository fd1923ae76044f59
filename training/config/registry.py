"""Which algorithms there are: those of the library, those that a program registers, those that packages bring.

A program calls `register`; a package has an entry point of the group `sobremesa.algorithms` that is an `Algorithm`, and
needs nothing else for `sobremesa train --algorithm`, configuration files, evaluation, reports and export.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from sobremesa.envs.core.plugins import discover

GROUP = "sobremesa.algorithms"


@dataclass(frozen=True)
class Algorithm:
    """An algorithm. What it does is given as a function, or as "package.module:function", imported when it is used.

    Args:
        config: a dataclass that inherits `config.TrainConfig`: its fields are the keys, its `algorithm` is the name.
        loop: a subclass of `loop.Loop`, which gives checkpoints, resuming and the record; or
        train: a course of its own, `(config, folder, progress) -> record`: it makes the folder with `run.begun` and
            keeps the record with `evaluation.Ledger`, as maskable_ppo.py does. Such a run cannot resume.
        graph: what export makes of weights, `(config, game, path) -> (ONNX bytes, what the manifest says of it)`.
        choice: how an exported bot chooses if nothing is said, "sample" or "greedy", or what says so of a config.
    """

    config: type[Any]
    loop: str | Callable[..., Any] = ""
    train: str | Callable[..., dict[str, Any]] = ""
    graph: str | Callable[..., tuple[bytes, dict[str, Any]]] = "sobremesa.training.export:policy_graph"
    choice: str | Callable[[Any], str] = "sample"

    @property
    def name(self) -> str:
        """The name that `algorithm` gives it in configurations."""
        return str(self.config.algorithm)


_KNOWN: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> None:
    """Make `algorithm` known by its name.

    Raises ValueError if the name is taken, if it has not exactly one of `loop` and `train`, or if one of its keys means
    something else to another algorithm: a key is one flag of the command line.
    """
    if algorithm.name in _KNOWN or not algorithm.name:
        raise ValueError(f"an algorithm called {algorithm.name!r} is registered already, or it has no name")
    if bool(algorithm.loop) == bool(algorithm.train):
        raise ValueError(f"algorithm {algorithm.name!r} takes one of loop and train")
    known = {key.name: key for one in _KNOWN.values() for key in dataclasses.fields(one.config)}
    for key in dataclasses.fields(algorithm.config):
        other = known.get(key.name, key)
        if key.name != "algorithm" and (key.metadata, key.default) != (other.metadata, other.default):
            raise ValueError(f"key {key.name!r} of algorithm {algorithm.name!r} means something else to another one")
    _KNOWN[algorithm.name] = algorithm


def registered() -> list[Algorithm]:
    """Return all algorithms, those of the library first."""
    _discover()
    return list(_KNOWN.values())


def find(name: str) -> Algorithm:
    """Return the algorithm called `name`; raise KeyError if there is none."""
    _discover()
    return _KNOWN[name]


def resolved(work: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return what "package.module:function" names, or a function as it is."""
    found: Callable[..., Any] = resolve_name(work) if isinstance(work, str) else work
    return found


def _discover() -> None:
    discover(GROUP, "algorithm", lambda entry: register(entry.load()))
