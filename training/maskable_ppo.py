"""Train one seat with sb3-contrib's MaskablePPO against scripted bots and snapshots of itself.

Read top to bottom: opponents, tables, model, and a callback that does at each update what a run needs. A transition
goes from a decision of the learner to its next decision, and carries what the game paid it in between: its own final
payoff, also when another seat ended the deal.
"""

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from sobremesa import agents, envs
from sobremesa.agents.arena import Score, compare
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.gym import SeatVectorEnv
from sobremesa.training import run
from sobremesa.training.config import SELF, ConfigError, TrainConfig, played_setups
from sobremesa.training.policy import PolicyAgent, PolicyNet, save_weights
from sobremesa.training.vec_env import SeatVecEnv

Progress = Callable[[int, int, str], None]  # (decisions so far, decisions in all, what is going on)

EVALUATION_SEED = 1_000_003  # deals to evaluate on are none that are trained on


def train(config: TrainConfig, folder: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Train as `config` says, in a new `folder`, and return the run's record.

    Interrupted by Ctrl-C, it saves what it has, marks the run "interrupted" and returns.

    Raises:
        ConfigError: the game, an opponent or a setup field does not exist; nothing has been written then.
        RunError: `folder` holds something already.
    """
    game = _game(config)
    if game.cooperative:
        raise ConfigError(f"game={config.game!r} is cooperative; evaluation here goes by shares of a win")
    opponents, weights, snapshots = _opponents(config, game)
    for name in config.evaluate_against:
        _agent("evaluate_against", name, game)
    try:
        setup = _setup_per_table(config)
        tables = SeatVectorEnv(game, config.tables, opponents, weights=weights, seed=config.seed, **setup)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"setup: {error}") from None
    run.create(folder, config)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(config.threads)
    model = _model(config, tables, folder)
    for snapshot in snapshots:  # before the first deals, in which they sit already
        snapshot.net.copy_from(model.policy)
    recorder = _Recorder(config, game, folder, snapshots, progress or (lambda *_: None))
    try:
        model.learn(config.steps, callback=recorder, tb_log_name="ppo")
        recorder.finish("finished")
    except KeyboardInterrupt:
        recorder.finish("interrupted")
    return recorder.record


def _game(config: TrainConfig) -> Game:
    try:
        return envs.load(config.game)
    except ValueError as error:
        raise ConfigError(f"game={config.game!r}: {error}") from None


def _agent(key: str, name: str, game: Game) -> Agent:
    try:
        return agents.load(name, game)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


def _opponents(config: TrainConfig, game: Game) -> tuple[list[Agent], list[float], list[PolicyAgent]]:
    """Return all opponents, their weights, and those of them that are snapshots (filled in as the learner learns)."""
    found: list[Agent] = []
    weights: list[float] = []
    for name, weight in config.opponents.items():
        if name != SELF:
            found.append(_agent(f"opponents.{name}", name, game))
            weights.append(weight)
    share = config.opponents.get(SELF, 0.0)
    count = config.snapshots if share > 0 else 0
    snapshots = [PolicyAgent(f"snapshot {number}", PolicyNet(game, config.hidden)) for number in range(count)]
    return found + list(snapshots), weights + [share / max(count, 1)] * count, snapshots


def _setup_per_table(config: TrainConfig) -> dict[str, Any]:
    """Deal out lists of values over the tables: `seats = [2, 3]` makes every other table one of three."""
    return {
        name: [value[table % len(value)] for table in range(config.tables)] if isinstance(value, list) else value
        for name, value in config.setup.items()
    }


def _model(config: TrainConfig, tables: SeatVectorEnv, folder: Path) -> MaskablePPO:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "You have specified a mini-batch size")
        return MaskablePPO(
            "MlpPolicy",
            SeatVecEnv(tables),
            learning_rate=lambda left: config.learning_rate * (0.1 + 0.9 * left),
            n_steps=config.horizon,
            batch_size=config.batch_size,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip,
            ent_coef=config.entropy,
            policy_kwargs={"net_arch": config.hidden, "activation_fn": torch.nn.ReLU},
            tensorboard_log=str(folder / run.TENSORBOARD),
            seed=config.seed,
            device="cpu",
        )


class _Recorder(BaseCallback):
    """At each update: progress, snapshots, evaluations, checkpoints."""

    def __init__(
        self, config: TrainConfig, game: Game, folder: Path, snapshots: list[PolicyAgent], progress: Progress
    ) -> None:
        super().__init__()
        self.config, self.game, self.folder = config, game, folder
        self.snapshots, self.progress = snapshots, progress
        self.net = PolicyNet(game, config.hidden)
        self.record = run.new_record()
        self._taken = 0
        self._next_snapshot = config.snapshot_every
        self._next_evaluation = config.evaluate_every
        self._began = time.perf_counter()

    def _on_training_start(self) -> None:
        self.net.copy_from(self.model.policy)
        self._save("running")

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.progress(self.num_timesteps, self.config.steps, "training")

    def _on_rollout_start(self) -> None:
        if self.num_timesteps == 0:
            return
        self.net.copy_from(self.model.policy)
        if self.num_timesteps >= self._next_snapshot and self.snapshots:
            self._next_snapshot += self.config.snapshot_every
            self.snapshots[self._taken % len(self.snapshots)].net.load_state_dict(self.net.state_dict())
            self._taken += 1
        if self.num_timesteps >= self._next_evaluation:
            self._next_evaluation += self.config.evaluate_every
            self.evaluate()
            self._save("running")

    def finish(self, status: str) -> None:
        """Take the last weights, evaluate them unless that was just done, and close the record."""
        self.net.copy_from(self.model.policy)
        evaluations = self.record["evaluations"]
        if status == "finished" and (not evaluations or evaluations[-1]["steps"] < self.num_timesteps):
            self.evaluate()
        self._save(status)

    def evaluate(self) -> None:
        """Meet the references over fixed deals; keep the weights if their mean share is the best so far."""
        self.progress(self.num_timesteps, self.config.steps, "evaluating")
        scores = evaluate(self.config, self.game, PolicyAgent("learner", self.net))
        mean = float(np.mean([score.share for score in scores]))
        entry = {"steps": self.num_timesteps, "mean_share": mean, "scores": [score._asdict() for score in scores]}
        self.record["evaluations"].append(entry)
        for score in scores:
            self.logger.record(f"share/{score.reference} at {score.seats}", score.share)
        best = self.record["best"]
        if best is None or mean >= best["mean_share"]:
            self.record["best"] = entry
            save_weights(self.folder / "best.safetensors", self.net)

    def _save(self, status: str) -> None:
        seconds = round(time.perf_counter() - self._began, 1)
        self.record |= {"status": status, "steps": self.num_timesteps, "seconds": seconds}
        save_weights(self.folder / "last.safetensors", self.net)
        write_whole(self.folder / run.RECORD, json.dumps(self.record, indent=1))


def evaluate(config: TrainConfig, game: Game, agent: Agent) -> list[Score]:
    """Score `agent` against each reference at each number of seats that `config` trains on."""
    return [
        compare(game, agent, agents.load(name, game), config.evaluate_deals, seed=EVALUATION_SEED, **setup)
        for setup in played_setups(config, game)
        for name in config.evaluate_against
    ]
