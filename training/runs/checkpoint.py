"""Checkpoints: the complete state of a run, as pairs of files.

checkpoints/<decisions>.safetensors   arrays: weights, optimizer, tables, carried decisions
checkpoints/<decisions>.json          numbers, digests of the arrays' file and of snapshots, and a digest of all these;
                                      written last, so a checkpoint with this file is complete

The first of several processes writes them: arrays `<number>/...` and `others` are the state that only another process
has. The latest two are kept. If the latest is damaged, a run resumes from the other.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec
import numpy as np
from safetensors.numpy import save

from sobremesa.agents.stored import Whole, structured
from sobremesa.envs.core.files import digest_inside, read_inside, text_of, write_whole
from sobremesa.training.networks import LARGEST_WEIGHTS
from sobremesa.training.runs import processes
from sobremesa.training.runs.run import LARGEST_RECORD, RunError, arrays_of

FOLDER, FORMAT, KEPT = "checkpoints", 3, 2
MOST_STEPS = 10**15
LARGEST_ARRAYS = 2**34  # bytes; most of them are of a replay buffer


_apart: ContextVar[float] = ContextVar("apart", default=0.0)


@contextmanager
def spaced(seconds: float) -> Iterator[None]:
    """Within this context runs write checkpoints at least so many seconds apart, without those at the start and end.

    For short runs with a large replay buffer.
    """
    token = _apart.set(seconds)
    try:
        yield
    finally:
        _apart.reset(token)


def apart() -> float:
    """Return the least time between two checkpoints in seconds (default: 0)."""
    return _apart.get()


class _Head(msgspec.Struct):
    steps: Annotated[int, msgspec.Meta(ge=0, le=MOST_STEPS)]
    sha256: str
    next: dict[str, Whole]
    random: dict[str, Any]
    record: dict[str, Any]
    beside: dict[str, str] = {}
    others: list[dict[str, Any]] = []


_SHARED = frozenset(_Head.__struct_fields__) - {"random"}  # numbers that no process has for itself


def write(
    folder: Path,
    steps: int,
    arrays: Mapping[str, np.ndarray],
    numbers: dict[str, Any],
    beside: Iterable[str] = (),
) -> None:
    """Write a checkpoint of the run in `folder`, and delete all but the latest two.

    Structured arrays are stored as bytes. `numbers` is for JSON; `beside` names other files in `folder` that a resumed
    run needs.
    """
    where = folder / FOLDER
    where.mkdir(exist_ok=True)
    content = save({name: _plain(array) for name, array in arrays.items()})
    write_whole(where / f"{steps:012}.safetensors", content)
    head = {"format": FORMAT, "steps": steps, "sha256": hashlib.sha256(content).hexdigest()}
    digests = {name: digest_inside(folder, name, LARGEST_WEIGHTS) for name in sorted(beside)}
    head |= {"beside": digests, **numbers}
    write_whole(where / f"{steps:012}.json", json.dumps(head | {"seal": _seal(head)}))
    for old in sorted(where.glob("*.json"))[:-KEPT]:
        old.unlink()  # first: without it there is no checkpoint
    kept = {one.stem for one in where.glob("*.json")}
    for file in where.glob("*.safetensors"):
        if file.stem not in kept:
            file.unlink()


def of_all(
    arrays: dict[str, np.ndarray], here: dict[str, Any], parts: Iterable[str]
) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]]:
    """Return `arrays` with those of the other processes in `parts`, and the numbers `here` of each of these."""
    if processes.count() == 1:
        return arrays, []
    mine = save({name: _plain(one) for name, one in arrays.items() if name.partition(".")[0] in parts})
    every = dict(arrays)
    for number, content in enumerate(processes.gather_bytes(mine)[1:], 1):
        every |= {f"{number}/{name}": one for name, one in arrays_of(content).items()}
    return every, processes.gather(here)[1:]


def of_process(
    folder: Path, arrays: dict[str, np.ndarray], numbers: dict[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and numbers of this process; raise RunError if there were more or fewer processes."""
    every, number = [{}, *numbers.get("others", [])], processes.number()
    if len(every) != processes.count():
        raise RunError(f"{folder}: was trained by {len(every)} processes, not {processes.count()}; start as many")
    prefix = f"{number}/"
    mine = {name.removeprefix(prefix): one for name, one in arrays.items() if name.startswith(prefix)}
    own = {name: one for name, one in every[number].items() if name not in _SHARED}
    return arrays | mine, numbers | own


def read_latest(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any], list[str]]:
    """Return arrays and numbers of the latest intact checkpoint of the run in `folder`, and why later ones are refused.

    Raises RunError, with the reasons, if there is none.
    """
    refused: list[str] = []
    for path in sorted((folder / FOLDER).glob("*.json"), reverse=True):
        try:
            arrays, numbers = _read(path)
            return arrays, numbers, [f"{line}; resuming from the previous one" for line in refused]
        except (OSError, ValueError, RecursionError) as error:
            reason = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else error
            refused.append(f"{path.with_suffix('')}: refused, {reason}")
    why = "; ".join(refused) or "it has written none yet"
    raise RunError(f"{folder}: no checkpoint to resume from: {why}")


def kept(folder: Path) -> list[dict[str, Any]]:
    """Return the numbers of the readable checkpoints."""
    found = []
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            found.append(_read(path)[1])
        except (OSError, ValueError, RecursionError):
            continue
    return found


def write_back(into: Mapping[str, np.ndarray], arrays: Mapping[str, np.ndarray], prefix: str) -> None:
    """Copy the saved arrays `prefix.<name>` into those of `into`; raise RunError where they do not fit."""
    for name, array in into.items():
        saved = arrays.get(f"{prefix}.{name}")
        plain = _plain(array)
        if saved is None or saved.shape != plain.shape or saved.dtype != plain.dtype:
            found = "no array" if saved is None else f"{saved.dtype} {saved.shape}"
            raise RunError(f"the checkpoint holds {found} for {prefix}.{name}, not {plain.dtype} {plain.shape}")
        plain_view = array.view(np.uint8).reshape(plain.shape) if array.dtype.names else array
        plain_view[...] = saved


def _plain(array: np.ndarray) -> np.ndarray:
    """Return `array`; a structured one as its bytes, `(..., bytes)`."""
    if array.dtype.names is None:
        return np.ascontiguousarray(array)
    whole = np.ascontiguousarray(array)
    return np.ascontiguousarray(whole.view(np.uint8).reshape(*whole.shape, whole.dtype.itemsize))


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return arrays and numbers of the checkpoint `path`; raise ValueError or OSError if it is damaged."""
    folder, name = path.parents[1], f"{FOLDER}/{path.name}"
    numbers = json.loads(text_of(read_inside(folder, name, LARGEST_RECORD)))
    if not isinstance(numbers, dict) or numbers.get("format") != FORMAT:
        raise ValueError(f"{path.name} is of another format; this version of Sobremesa reads {FORMAT}")
    if numbers.pop("seal", None) != _seal(numbers):
        raise ValueError(f"{path.name} was changed or damaged: its seal does not fit it")
    head = structured(numbers, _Head, path.name, ValueError)
    if path.stem != f"{head.steps:012}":
        raise ValueError(f"{path.name} is of {head.steps:,} decisions by its content")
    content = read_inside(folder, str(PurePosixPath(name).with_suffix(".safetensors")), LARGEST_ARRAYS)
    if hashlib.sha256(content).hexdigest() != head.sha256:
        raise ValueError(f"{path.with_suffix('.safetensors').name} was cut short or damaged")
    for name, digest in head.beside.items():
        if digest_inside(folder, name, LARGEST_WEIGHTS) != digest:
            raise ValueError(f"{name}, which goes with it, was changed or damaged")
    return arrays_of(content), numbers


def _seal(numbers: dict[str, Any]) -> str:
    """Return a digest of the numbers of a checkpoint."""
    return hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
