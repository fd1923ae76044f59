"""The folder of a run; every file is written atomically.

config.toml         the configuration
run.json            status, steps, evaluations, the best evaluation, versions
best.safetensors    the weights of the best evaluation
last.safetensors    the weights at the last checkpoint
average.safetensors the mean of the weights, with `average` (averaging.py)
tensorboard/        losses, payoffs, scores and speed
lock                held by the training process
checkpoints/        the state to resume from (checkpoint.py); maskable_ppo has none
pool/               snapshots of the learner, of ppo_selfplay (data/opponents.py)
"""

import dataclasses
import importlib.metadata
import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import tomli_w
from safetensors import SafetensorError
from safetensors.numpy import load

from sobremesa.agents.arena.score import Score, read_score
from sobremesa.agents.stored import LARGEST, Whole, structured
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import locked, naming, read_inside, text_of, toml_of, write_whole
from sobremesa.training.config.classes import TrainConfig, from_dict

CONFIG, RECORD, TENSORBOARD, LOCK = "config.toml", "run.json", "tensorboard", "lock"
CHECKPOINTS = ("best", "last", "average")
LARGEST_RECORD = 2**26  # bytes of `run.json`
PACKAGES = ("sobremesa", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


class RunError(ValueError):
    """An unusable run folder; the message has the reason."""


class _Evaluation(msgspec.Struct):
    steps: Whole
    mean_share: float
    scores: list[dict[str, Any]]


class _Record(msgspec.Struct):
    status: str
    steps: Whole
    seconds: float
    evaluations: list[_Evaluation]
    best: _Evaluation | None
    versions: dict[str, str]


def new_record() -> dict[str, Any]:
    """Return the record of a new run."""
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "status": "running",
        "steps": 0,
        "seconds": 0.0,
        "evaluations": [],
        "best": None,
        "versions": versions | {"python": platform.python_version()},
    }


def check_free(folder: Path) -> None:
    """Raise RunError unless `folder` is free for a new run."""
    if folder.exists() and (not folder.is_dir() or any(file.name != LOCK for file in folder.iterdir())):
        if (folder / LOCK).is_file():  # raises if another process trains there
            with held(folder):
                pass
        raise RunError(f"{folder}: not empty; choose another folder with --out, or remove this one")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder, which is created; raise RunError if another process trains there."""
    with locked(folder / LOCK, RunError(f"{folder}: another process trains there")), naming(folder):
        yield


@contextmanager
def begun(folder: Path, config: TrainConfig) -> Iterator[None]:
    """Create and lock the folder of a new run; raise RunError as `create` and `held` do."""
    check_free(folder)
    with held(folder):
        create(folder, config)
        yield


def create(folder: Path, config: TrainConfig) -> None:
    """Create the folder of a new run; raise RunError if it is not free."""
    check_free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / CONFIG, tomli_w.dumps(dataclasses.asdict(config)))


def read(folder: Path) -> tuple[TrainConfig, dict[str, Any]]:
    """Return configuration and record of the run in `folder`; raise RunError if there is none."""
    try:
        config = from_dict(toml_of(read_inside(folder, CONFIG, LARGEST)))
        record = json.loads(text_of(read_inside(folder, RECORD, LARGEST_RECORD)))
    except OSError as error:
        name = Path(error.filename).name
        raise RunError(f"{folder}: no run there, {name} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise RunError(f"{folder}: damaged: {error}") from None
    if not config.game:
        raise RunError(f"{folder}: damaged: {CONFIG} names no game")
    return config, check_record(folder, record)


def check_record(folder: Path, record: Any) -> dict[str, Any]:
    """Return `record`, as read from JSON; raise RunError if it is invalid."""
    found = structured(record, _Record, f"{folder}: damaged: {RECORD}", RunError)
    for evaluation in (*found.evaluations, *([found.best] if found.best else [])):
        for score in evaluation.scores:
            try:
                structured(list(read_score(score)), Score, "a score", ValueError)
            except (ValueError, TypeError, KeyError, ZeroDivisionError) as error:
                raise RunError(f"{folder}: damaged: {RECORD} holds an invalid score: {error}") from None
    return dict(record)


def arrays_of(content: bytes) -> dict[str, np.ndarray]:
    """Return the arrays of the safetensors file `content`; raise ValueError if it is damaged."""
    try:
        return load(content)
    except (SafetensorError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"no safetensors file: {one_line(str(error), 300)}") from None


def checkpoint(folder: Path, name: str) -> Path:
    """Return the path of the weights `name` (of CHECKPOINTS) of a run; raise RunError if there are none."""
    if name not in CHECKPOINTS:
        raise RunError(f"no checkpoint {name!r}; there are {', '.join(CHECKPOINTS)}")
    path = folder / f"{name}.safetensors"
    if not path.exists() and not path.is_symlink():
        before = "its mean began, or trained without `average`" if name == "average" else "its first evaluation"
        raise RunError(f"{folder}: it has no {path.name}; was it stopped before {before}?")
    return path
