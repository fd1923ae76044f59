"""Cells of the library's algorithms: training runs whose evaluations score the task."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sobremesa.agents.arena.score import Score
from sobremesa.envs.core.agent import Agent
from sobremesa.training import trainer
from sobremesa.training.benchmark import tasks
from sobremesa.training.benchmark.tasks import Task
from sobremesa.training.config.classes import TrainConfig, algorithms_with, from_dict, keys
from sobremesa.training.data import opponents
from sobremesa.training.runs import checkpoint, run
from sobremesa.training.runs.evaluation import measured_by

CHECKPOINTS_APART = 20.0  # seconds that a cell may lose: writing a replay buffer is slow

Look = Callable[[int, Agent], tasks.Score]


def configured(given: dict[str, Any], task: Task, points: int) -> TrainConfig:
    """Return the configuration of a run at `task`, evaluated at `points` points; raise ConfigError if it is invalid.

    `given` are keys and values, with `steps` and `seed`.
    """
    values = {
        "threads": 1,
        "evaluate_every": max(1, given["steps"] // points),
        "evaluate_deals": task.deals,
        "evaluate_against": [tasks.LOWEST],
        **given,
        "game": task.game,
        "setup": dict(task.setup),
    }
    if "checkpoint_every" in keys() and values.get("algorithm") in algorithms_with("checkpoint_every"):
        values["checkpoint_every"] = max(1, given["steps"])  # each evaluation writes one
    return from_dict(values)


def train(config: TrainConfig, task: Task, folder: Path, look: Look) -> str:
    """Train by `config` in `folder`, or resume, with `look` at each evaluation; return a digest of the last weights.

    Raises KeyboardInterrupt on an interrupt, with the run saved.
    """

    def measure(decisions: int, agent: Agent) -> list[Score]:
        return [_as_score(task, look(decisions, agent))]

    with measured_by(measure), checkpoint.spaced(CHECKPOINTS_APART):
        if _can_resume(config, folder):
            if run.read(folder)[1]["status"] != "finished":
                trainer.resume(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
            trainer.train(config, folder)
    if run.read(folder)[1]["status"] != "finished":
        raise KeyboardInterrupt
    digest = hashlib.sha256(run.checkpoint(folder, "last").read_bytes()).hexdigest()
    for past in (checkpoint.FOLDER, opponents.FOLDER):  # only needed to resume
        shutil.rmtree(folder / past, ignore_errors=True)
    return digest


def _can_resume(config: TrainConfig, folder: Path) -> bool:
    """Return whether `folder` has a run by `config` that is finished or can resume."""
    try:
        found, record = run.read(folder)
    except run.RunError:
        return False
    if found != config:
        return False
    return record["status"] == "finished" or (trainer.resumes(config) and bool(checkpoint.kept(folder)))


def _as_score(task: Task, found: tasks.Score) -> Score:
    """Return a score at a task in the form of a run's record; the reference is `strong`."""
    reference = task.anchors[tasks.HIGHEST]
    scale = reference - task.anchors[tasks.LOWEST]
    low, high = (task.anchors[tasks.LOWEST] + scale * end for end in (found.low, found.high))
    lead = found.value - reference
    return Score(
        candidate="learner",
        reference=tasks.HIGHEST,
        seats=task.seats,
        deals=found.deals,
        value=found.value,
        low=low,
        high=high,
        baseline=reference,
        lead=lead,
        lead_low=low - reference,
        lead_high=high - reference,
        plies=found.plies,
        forfeits=found.forfeits,
    )
