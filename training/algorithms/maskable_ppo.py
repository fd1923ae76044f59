"""MaskablePPO of sb3-contrib for one seat, against scripted agents and snapshots of the learner.

A transition runs from one decision of the learner to its next decision; the reward is its payoff in between,
also when another seat ended the deal.
"""

import warnings
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.gym_vector import SeatVectorEnv
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.game import Game
from sobremesa.training.config.classes import SELF, SNAPSHOTS, ConfigError, MaskablePPOConfig
from sobremesa.training.data.vec_env import SeatVecEnv
from sobremesa.training.networks.policy import PolicyAgent, PolicyNet
from sobremesa.training.runs import run
from sobremesa.training.runs.evaluation import Ledger, Progress, load_agent, load_game, references, setup_per_table


def train(config: MaskablePPOConfig, folder: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Train by `config` in a new `folder` and return the run's record.

    On Ctrl-C it saves the weights, marks the run "interrupted" and returns.

    Raises:
        ConfigError: the game, an opponent or a setup field does not exist; no file has been written.
        RunError: `folder` is not empty.
    """
    game, rounds = load_game(config), _rounds(config)
    opponents, weights, snapshots = _opponents(config, game)
    references(config, game)
    try:
        setup = setup_per_table(config)
        tables = SeatVectorEnv(
            game, config.tables, opponents, weights=weights, seed=config.seed, copy=False, illegal="raise", **setup
        )
    except (TypeError, ValueError) as error:
        raise ConfigError(f"setup: {error}") from None
    with run.begun(folder, config):
        torch.use_deterministic_algorithms(True)
        torch.set_num_threads(config.threads)
        model = _model(config, tables, folder, rounds)
        return _learn(config, model, Ledger(config, game, folder, progress), snapshots, tables.match)


def _learn(
    config: MaskablePPOConfig, model: "_Budgeted", ledger: Ledger, snapshots: list[PolicyAgent], match: Match
) -> dict[str, Any]:
    """Train `model` at the tables of `match`, against `snapshots` among others, and return the run's record."""
    for snapshot in snapshots:  # before the first deals, where they already play
        snapshot.net.copy_from(model.policy)
    recorder = _Recorder(config, ledger, snapshots, match)
    try:
        model.learn(model.rounds * config.tables, callback=recorder, tb_log_name="ppo")
        recorder.finish("finished")
    except KeyboardInterrupt:
        recorder.finish("interrupted")
    return recorder.ledger.record


def _opponents(config: MaskablePPOConfig, game: Game) -> tuple[list[Agent], list[float], list[PolicyAgent]]:
    """Return all opponents, their weights, and those opponents that are snapshots, which are filled in later."""
    found: list[Agent] = []
    weights: list[float] = []
    for name, weight in config.opponents.items():
        if name not in (SELF, SNAPSHOTS):
            found.append(load_agent(f"opponents.{name}", name, game))
            weights.append(weight)
    weight = config.opponents.get(SELF, 0.0) + config.opponents.get(SNAPSHOTS, 0.0)
    count = config.snapshots if weight > 0 else 0
    snapshots = [PolicyAgent(f"snapshot {number}", PolicyNet(game, config.hidden)) for number in range(count)]
    return found + list(snapshots), weights + [weight / max(count, 1)] * count, snapshots


class _Budgeted(MaskablePPO):
    """MaskablePPO whose last rollout is shortened to the budget of steps, in whole rounds of the tables."""

    rounds = 0  # decisions at each table in the whole run

    def train(self) -> None:
        """Learn from a rollout, and shorten the next one to the rest of the run."""
        super().train()
        left = self.rounds - self.num_timesteps // self.n_envs
        if 0 < left < self.n_steps:
            self.n_steps = self.rollout_buffer.buffer_size = left


def _model(config: MaskablePPOConfig, tables: SeatVectorEnv, folder: Path, rounds: int) -> _Budgeted:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "You have specified a mini-batch size")
        model = _Budgeted(
            "MlpPolicy",
            SeatVecEnv(tables),
            learning_rate=lambda left: config.learning_rate * (0.1 + 0.9 * left),
            n_steps=min(config.horizon, rounds),
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
    model.rounds = rounds
    return model


def _rounds(config: MaskablePPOConfig) -> int:
    """Return the decisions at each table in the budget; raise ConfigError if they are too few to learn from.

    It is one less where a gradient step would have a single decision, which makes every weight NaN.
    """
    rounds = config.steps // config.tables
    if (rounds % config.horizon) * config.tables % config.batch_size == 1:
        rounds -= 1
    least = 1 if config.tables > 1 else 2
    if rounds < least:
        raise ConfigError(
            f"steps={config.steps} is not allowed; it takes {least * config.tables} or more with tables={config.tables}"
        )
    return rounds


class _Recorder(BaseCallback):
    """Callback for progress, snapshots, evaluations and weights at each update."""

    def __init__(self, config: MaskablePPOConfig, ledger: Ledger, snapshots: list[PolicyAgent], match: Match) -> None:
        super().__init__()
        self.config, self.ledger, self.snapshots, self.match = config, ledger, snapshots, match
        self.net = PolicyNet(ledger.game, self.config.hidden)
        self._taken = 0
        self._next_snapshot = self.config.snapshot_every
        self._next_evaluation = self.config.evaluate_every

    def _on_training_start(self) -> None:
        self.net.copy_from(self.model.policy)
        self.ledger.save("running", 0, self.net)

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.ledger.tell(self.num_timesteps, "training")

    def _on_rollout_start(self) -> None:
        if self.num_timesteps == 0:
            return
        self.net.copy_from(self.model.policy)
        if self.num_timesteps >= self._next_snapshot and self.snapshots:
            self._next_snapshot += self.config.snapshot_every
            self._take_snapshot(self.snapshots[self._taken % len(self.snapshots)])
            self._taken += 1
        if self.num_timesteps >= self._next_evaluation:
            self._next_evaluation += self.config.evaluate_every
            self.evaluate()
            self.ledger.save("running", self.num_timesteps, self.net)

    def _take_snapshot(self, agent: PolicyAgent) -> None:
        """Make `agent` a copy of the current learner; a copy of its old weights finishes the deals that it is in."""
        with torch.random.fork_rng(devices=[]):  # the learner samples from PyTorch's global stream
            was = PolicyNet(self.ledger.game, self.config.hidden)
        was.load_state_dict(agent.net.state_dict())
        self.match.replace_agent(self.match.agents.index(agent), PolicyAgent(agent.name, was))
        agent.net.load_state_dict(self.net.state_dict())

    def finish(self, status: str) -> None:
        """Take the last weights, evaluate them unless they were just evaluated, and close the record."""
        self.net.copy_from(self.model.policy)
        if status == "finished" and not self.ledger.evaluated(self.num_timesteps):
            self.evaluate()
        self.ledger.save(status, self.num_timesteps, self.net)

    def evaluate(self) -> None:
        """Evaluate the current weights, and log the scores."""
        for score in self.ledger.evaluate(self.num_timesteps, self.net):
            self.logger.record(f"share/{score.reference} at {score.seats}", score.value)
