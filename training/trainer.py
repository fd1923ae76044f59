"""The algorithms, behind one door: the same configuration, run folder, evaluation and export for each (registry.py)."""

import sys
from pathlib import Path
from typing import Any

from sobremesa.agents.named import check_allowed
from sobremesa.envs.core.errors import one_line
from sobremesa.training.config.classes import ConfigError, TrainConfig, named_agents
from sobremesa.training.config.registry import find, resolved
from sobremesa.training.runs import checkpoint, run
from sobremesa.training.runs.evaluation import Progress
from sobremesa.training.runs.loop import Loop


def train(
    config: TrainConfig, folder: Path, progress: Progress | None = None, *, allow_commands: bool = False
) -> dict[str, Any]:
    """Train by the algorithm that `config` names, in a new `folder`, and return the run's record.

    Foreign agents that `config` names are started where `allow_commands` says so.

    Interrupted by Ctrl-C, it finishes the update that it is at, saves what it has, marks the run "interrupted" and
    returns.

    Raises:
        ConfigError: something that `config` names does not exist; nothing has been written then.
        RunError: `folder` holds something already, or another process trains there.
        NotAllowed: `config` names a foreign agent, and `allow_commands` is not given.
    """
    if not allow_commands:
        check_allowed(named_agents(config), "the configuration")
    algorithm = find(config.algorithm)
    if algorithm.train:
        record: dict[str, Any] = resolved(algorithm.train)(config, folder, progress)
        return record
    training = _training(config, folder, progress)
    with run.begun(folder, config):
        return training.go_on()


def resumes(config: TrainConfig) -> bool:
    """Say whether a run of `config` can go on once it was stopped."""
    return bool(find(config.algorithm).loop)


def resume(
    folder: Path, progress: Progress | None = None, *, allow_commands: bool = False
) -> tuple[TrainConfig, dict[str, Any]]:
    """Go on with the run in `folder` from its last whole checkpoint; return its configuration and its record.

    A later checkpoint that was cut short or damaged is told on stderr, and passed over. Raises RunError if it cannot
    go on: it has finished, has no checkpoint, its algorithm cannot resume, or another process trains there; NotAllowed
    if it names a foreign agent and `allow_commands` is not given.
    """
    config, record = run.read(folder)
    if not resumes(config):
        raise run.RunError(f"{folder}: was trained by {config.algorithm}, which cannot resume; train it anew")
    if record["status"] == "finished":
        raise run.RunError(f"{folder}: has finished its {record['steps']:,} decisions; there is nothing to resume")
    if not allow_commands:
        check_allowed(named_agents(config), folder)
    with run.held(folder):
        return config, _restored(config, folder, progress).go_on()


def _restored(config: TrainConfig, folder: Path, progress: Progress | None) -> Loop:
    """Return the run in `folder` as its last whole checkpoint has it; raise RunError if that does not fit."""
    arrays, numbers, told = checkpoint.read_latest(folder)
    for line in told:
        print(f"sobremesa: {one_line(line)}", file=sys.stderr, flush=True)
    training = _training(config, folder, progress, run.check_record(folder, numbers["record"]))
    try:
        training.restore(arrays, numbers)
    except (KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
        raise run.RunError(f"{folder}: the checkpoint does not fit this run: {error!r}") from None
    return training


def _training(
    config: TrainConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
) -> Loop:
    """Return the run that `config` asks for; raise ConfigError where it takes more memory than there is."""
    try:
        training: Loop = resolved(find(config.algorithm).loop)(config, folder, progress, record)
    except RuntimeError as error:  # as PyTorch says it
        if "alloc" not in str(error):
            raise
        raise ConfigError(f"hidden={config.hidden}: such networks take more memory than there is") from None
    return training
