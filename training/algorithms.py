"""The algorithms, behind one door: the same configuration, run folder, evaluation and export for each."""

from pathlib import Path
from typing import Any

from sobremesa.training.config import MASKABLE_PPO, TrainConfig
from sobremesa.training.evaluation import Progress


def train(config: TrainConfig, folder: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Train by the algorithm that `config` names, in a new `folder`, and return the run's record.

    Raises:
        ConfigError: something that `config` names does not exist; nothing has been written then.
        RunError: `folder` holds something already.
    """
    if config.algorithm == MASKABLE_PPO:
        from sobremesa.training import maskable_ppo

        return maskable_ppo.train(config, folder, progress)
    from sobremesa.training import ppo_selfplay

    return ppo_selfplay.train(config, folder, progress)


def resume(folder: Path, progress: Progress | None = None) -> tuple[TrainConfig, dict[str, Any]]:
    """Go on with the run in `folder` from its last whole checkpoint; return its configuration and its record.

    Raises RunError if it cannot go on: it has finished, has no checkpoint, or its algorithm cannot resume.
    """
    from sobremesa.training import ppo_selfplay

    return ppo_selfplay.resume(folder, progress)
