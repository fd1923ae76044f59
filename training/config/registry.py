"""Registry of algorithms.

Call `register` to add one, or give your package an entry point in the group `sobremesa.algorithms` that is an
`Algorithm`. It then works with `sobremesa train --algorithm`, configuration files, evaluation, reports and export.
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
    """An algorithm; functions are given as such or as "package.module:function", imported on first use.

    Args:
        config: a dataclass that inherits `TrainConfig`; its `algorithm` is the name, the docstring's first line the
            description in `--help`.
        loop: a subclass of `runs.loop.Loop`, which brings checkpoints, resuming and the record; or
        train: `(config, folder, progress) -> record`, which makes the folder with `run.begun` and keeps the record with
            `evaluation.Ledger`, as maskable_ppo.py does. Such a run cannot resume.
        graph: `(config, game, path of weights) -> (ONNX bytes, entries of the manifest)`, for export.
        choice: default choice of an exported bot, "sample" or "greedy", or a function of the configuration.
    """

    config: type[Any]
    loop: str | Callable[..., Any] = ""
    train: str | Callable[..., dict[str, Any]] = ""
    graph: str | Callable[..., tuple[bytes, dict[str, Any]]] = "sobremesa.training.bots:policy_graph"
    choice: str | Callable[[Any], str] = "sample"

    @property
    def name(self) -> str:
        """The name that `algorithm` gives it in configurations."""
        return str(self.config.algorithm)


_KNOWN: dict[str, Algorithm] = {}


def register(algorithm: Algorithm) -> None:
    """Add `algorithm` under its name.

    Raises ValueError if the name is taken, if not exactly one of `loop` and `train` is given, or if a key has another
    shape (list, table or single value) than the same key of another algorithm: a key is one flag of the command line.
    """
    if algorithm.name in _KNOWN or not algorithm.name:
        raise ValueError(f"algorithm={algorithm.name!r} is not allowed; it takes a name that is not yet registered")
    if bool(algorithm.loop) == bool(algorithm.train):
        raise ValueError(f"algorithm {algorithm.name!r} takes one of loop and train")
    known = {key.name: key for one in _KNOWN.values() for key in dataclasses.fields(one.config)}
    for key in dataclasses.fields(algorithm.config):
        if _shape(key) != _shape(known.get(key.name, key)):
            raise ValueError(f"key {key.name!r} of algorithm {algorithm.name!r} has another shape in another algorithm")
    _KNOWN[algorithm.name] = algorithm


def _shape(key: "dataclasses.Field[Any]") -> object:
    """Return whether a key takes a list, a table or a single value."""
    return type(key.default_factory()) if key.default_factory is not dataclasses.MISSING else None


def registered() -> list[Algorithm]:
    """Return all algorithms, the library's first."""
    _discover()
    return list(_KNOWN.values())


def find(name: str) -> Algorithm:
    """Return the algorithm called `name`; raise KeyError if there is none."""
    _discover()
    return _KNOWN[name]


def resolved(work: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that "package.module:function" names; a function is returned as it is."""
    found: Callable[..., Any] = resolve_name(work) if isinstance(work, str) else work
    return found


def _discover() -> None:
    discover(GROUP, "algorithm", lambda entry: register(entry.load()))
