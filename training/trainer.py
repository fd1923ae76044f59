"""Train and resume runs of any registered algorithm.

Started by torchrun, several processes train one run (runs/processes.py), and resume it if torchrun starts them again.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sobremesa.agents.named import check_allowed
from sobremesa.envs.core.errors import one_line
from sobremesa.training.config.classes import ConfigError, TrainConfig, named_agents
from sobremesa.training.config.keys import require
from sobremesa.training.config.registry import find, resolved
from sobremesa.training.runs import checkpoint, processes, run
from sobremesa.training.runs.evaluation import Progress
from sobremesa.training.runs.loop import Loop


def _nothing() -> None:
    pass


def train(
    config: TrainConfig, folder: Path, progress: Progress | None = None, *, allow_commands: bool = False,
    accepted: Callable[[], None] = _nothing,
) -> dict[str, Any]:  # fmt: skip
    """Train by `config` in a new `folder` and return the run's record.

    On Ctrl-C it finishes the current update, saves the run as "interrupted" and returns. `progress` is called with
    (decisions so far, total, activity). External agents in `config` start only with `allow_commands`. `accepted` is
    called once, before the first decision, when the configuration fits.

    Raises:
        ConfigError: an agent, a block or another name in `config` does not exist; no file has been written.
        RunError: `folder` is not empty, or another process trains there.
        NotAllowed: `config` names an external agent, and `allow_commands` is false.
    """
    if not allow_commands:
        check_allowed(named_agents(config), "the configuration")
    _check_processes(config)
    algorithm = find(config.algorithm)
    if algorithm.train:
        accepted()
        record: dict[str, Any] = resolved(algorithm.train)(config, folder, progress)
        return record
    with processes.joined(folder, getattr(config, "device", "cpu")) as own:
        if processes.begun():
            return _resumed(config, folder, own, progress, accepted)
        training = _training(config, own, progress)
        with run.begun(own, config):
            processes.note_begun()
            accepted()
            return training.go_on()


def resumes(config: TrainConfig) -> bool:
    """Return whether a run of `config` can resume."""
    return bool(find(config.algorithm).loop)


def resume(
    folder: Path, progress: Progress | None = None, *, allow_commands: bool = False,
    accepted: Callable[[], None] = _nothing,
) -> tuple[TrainConfig, dict[str, Any]]:  # fmt: skip
    """Resume the run in `folder` from its last intact checkpoint; return its configuration and its record.

    A damaged checkpoint is reported on stderr and skipped; `accepted` is called as in `train`. Raises RunError if the
    run is finished, has no checkpoint, its algorithm cannot resume, or another process trains there; NotAllowed as
    `train`.
    """
    config, record = run.read(folder)
    if not resumes(config):
        raise run.RunError(f"{folder}: was trained by {config.algorithm}, which cannot resume; start a new run")
    if record["status"] == "finished":
        raise run.RunError(f"{folder}: has finished its {record['steps']:,} decisions and cannot resume")
    if not allow_commands:
        check_allowed(named_agents(config), folder)
    _check_processes(config)
    with processes.joined(folder, getattr(config, "device", "cpu")) as own:
        return config, _resumed(config, folder, own, progress, accepted)


def _resumed(
    config: TrainConfig, folder: Path, own: Path, progress: Progress | None, accepted: Callable[[], None]
) -> dict[str, Any]:
    """Train the run in `folder` on from its last checkpoint, writing to `own`; return the record."""
    with run.held(own):
        training = _restored(config, folder, own, progress)
        accepted()
        return training.go_on()


def _check_processes(config: TrainConfig) -> None:
    """Raise ConfigError for a configuration that several processes cannot train."""
    count, algorithm = processes.started(), find(config.algorithm)
    if count <= 1:
        return
    for name, fine, allowed in (
        ("algorithm", algorithm.loop and getattr(resolved(algorithm.loop), "in_parallel", False), "'ppo_selfplay'"),
        ("minutes", not getattr(config, "minutes", 0), "0, since their clocks differ"),
        ("tables", config.tables >= count, f"{count} or more"),
        ("device", getattr(config, "device", "cpu") in ("cpu", "cpu:0", "cuda"), "'cuda', a card for each, or 'cpu'"),
    ):
        require(fine, name, getattr(config, name, None), f"{allowed} in a run of {count} processes")


def _restored(config: TrainConfig, folder: Path, own: Path, progress: Progress | None) -> Loop:
    """Return the run in `folder` at its last checkpoint, which writes to `own`; raise RunError if it does not fit."""
    arrays, numbers, refused = checkpoint.read_latest(folder)
    if len(set(processes.gather(numbers["sha256"]))) > 1:
        raise run.RunError(f"{folder}: the processes find different checkpoints there; name a folder that all can see")
    arrays, numbers = checkpoint.of_process(folder, arrays, numbers)
    if own != folder:
        for name in numbers["beside"]:
            (own / name).parent.mkdir(exist_ok=True)
            shutil.copy(folder / name, own / name)
    for line in refused:
        print(f"sobremesa: {one_line(line)}", file=sys.stderr, flush=True)
    training = _training(config, own, progress, run.check_record(folder, numbers["record"]))
    try:
        training.restore(arrays, numbers)
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
        raise run.RunError(f"{folder}: the checkpoint does not fit this run: {error!r}") from None
    return training


def _training(
    config: TrainConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
) -> Loop:
    """Return a run of `config`; raise ConfigError if its device is not there, or its networks do not fit in memory."""
    config.check_machine()  # before the imports and kernels of the algorithm
    try:
        training: Loop = resolved(find(config.algorithm).loop)(config, folder, progress, record)
    except RuntimeError as error:
        if "alloc" not in str(error):
            raise
        raise ConfigError(f"hidden={config.hidden}: these networks need more memory than there is") from None
    return training
