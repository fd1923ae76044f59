"""Train by self-play: the learner sits at one seat or more of every table and learns from all of its seats at once.

Read top to bottom: a run plays a batch (play.py), closes its streams (streams.py), learns from it (learner.py), and
then does what is due: a snapshot for the pool (pool.py), an evaluation, a checkpoint (checkpoint.py). Between two
updates a run is nothing but arrays and numbers, and those are what a checkpoint holds; so a run that was stopped, or
killed, goes on from its last checkpoint to the very weights that it would have come to (on the same machine, with the
same versions and number of threads, and without `minutes`).
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from sobremesa.envs.core.game import Game
from sobremesa.training import checkpoint, pool, run
from sobremesa.training.config import MASKABLE_PPO, ConfigError, TrainConfig
from sobremesa.training.evaluation import Ledger, Progress, load_game, policy_parts, references
from sobremesa.training.learner import Learner, Losses
from sobremesa.training.play import Tables
from sobremesa.training.pointers import pointing
from sobremesa.training.policy import PolicyNet
from sobremesa.training.pool import Pool
from sobremesa.training.streams import Streams


def train(config: TrainConfig, folder: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Train as `config` says, in a new `folder`, and return the run's record.

    Interrupted by Ctrl-C, it finishes the update that it is at, saves what it has, marks the run "interrupted" and
    returns.

    Raises:
        ConfigError: the game, an opponent, a setup field or a block does not exist; nothing has been written then.
        RunError: `folder` holds something already.
    """
    training = Training(config, folder, progress)
    run.create(folder, config)
    return training.go_on()


def resume(folder: Path, progress: Progress | None = None) -> tuple[TrainConfig, dict[str, Any]]:
    """Go on with the run in `folder` from its last whole checkpoint; return its configuration and its record.

    A later checkpoint that was cut short or damaged is told on stderr, and passed over. Raises RunError if it cannot
    go on: it has finished, has no checkpoint, or was made by another algorithm.
    """
    config, record = run.read(folder)
    if config.algorithm == MASKABLE_PPO:
        raise run.RunError(f"{folder}: was trained by {MASKABLE_PPO}, which cannot resume; train it anew")
    if record["status"] == "finished":
        raise run.RunError(f"{folder}: has finished its {record['steps']:,} decisions; there is nothing to resume")
    arrays, numbers, refused = checkpoint.read_latest(folder)
    for line in refused:
        print(f"sobremesa: {line}; going on from the one before it", file=sys.stderr, flush=True)
    training = Training(config, folder, progress, numbers["record"])
    training.restore(arrays, numbers)
    return config, training.go_on()


class Training:
    """A run: everything between two updates is arrays and numbers.

    Raises ConfigError for what does not exist, before anything is written.
    """

    def __init__(
        self, config: TrainConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
    ) -> None:
        self.config, self.folder = config, folder
        game = load_game(config)
        references(config, game)
        _check_blocks(config, game)
        torch.use_deterministic_algorithms(True)
        torch.set_num_threads(config.threads)
        self.pool = Pool(config, game)
        self.learner = Learner(config, game)
        try:
            self.tables = Tables(config, game, self.pool, self.learner.memory)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        self.streams = Streams(game, config.tables, config.horizon, self.learner.memory)
        self.ledger = Ledger(config, game, folder, progress, record)
        self.steps = 0
        self.next = {name: getattr(config, f"{name}_every") for name in ("snapshot", "evaluate", "checkpoint")}
        self.stopping = False

    @property
    def done(self) -> float:
        """The part of the run that is over, 0 to 1."""
        limit = 60 * self.config.minutes
        part = self.ledger.seconds / limit if limit else 0.0
        return min(1.0, max(part, self.steps / self.config.steps))

    def go_on(self) -> dict[str, Any]:
        """Train to the end, or until interrupted; return the record."""
        self.writer = SummaryWriter(str(self.folder / run.TENSORBOARD), purge_step=self.steps)
        self.ledger.save("running", self.steps, self.learner.policy)
        if self.steps == 0:
            self._checkpoint()
        status, whole = "finished", True
        try:
            with self._finishing_updates():
                self._do_what_is_due()
                while self.done < 1:
                    whole = False
                    losses = self.update()
                    whole = True
                    self._log(losses)
                    total = int(self.steps / self.done) if self.config.minutes else self.config.steps
                    self.ledger.progress(self.steps, total, "training")
                    if self.stopping:
                        raise KeyboardInterrupt
                    self._do_what_is_due()
                if not self.ledger.evaluated(self.steps):
                    self._evaluate()
        except KeyboardInterrupt:
            status = "interrupted"
        if whole:
            self._checkpoint()
        self.ledger.save(status, self.steps, self.learner.policy)
        self.writer.close()
        return self.ledger.record

    def update(self) -> Losses:
        """Play a batch and learn from it."""
        config, streams = self.config, self.streams
        self.tables.play(self.learner.look, streams)
        streams.close(config.gamma, config.gae_lambda)
        losses = self.learner.learn(streams, self.done, self.tables.rng)
        streams.carry()
        self.steps += config.tables * config.horizon
        return losses

    def _do_what_is_due(self) -> None:
        if self.steps >= self.next["snapshot"]:
            self.pool.add(self.folder, self.steps, self.learner.policy, self.tables.rng)
            self.next["snapshot"] += self.config.snapshot_every
        evaluated = self.steps >= self.next["evaluate"]
        if evaluated:
            self._evaluate()
            self.next["evaluate"] += self.config.evaluate_every
        if evaluated or self.steps >= self.next["checkpoint"]:
            while self.steps >= self.next["checkpoint"]:
                self.next["checkpoint"] += self.config.checkpoint_every
            self._checkpoint()
            self.ledger.save("running", self.steps, self.learner.policy)

    def _evaluate(self) -> None:
        for score in self.ledger.evaluate(self.steps, self.learner.policy):
            self.writer.add_scalar(f"share/{score.reference} at {score.seats}", score.share, self.steps)

    def _log(self, losses: Losses) -> None:
        told: dict[str, float] = {f"loss/{name}": value for name, value in losses._asdict().items()}
        ready = self.streams.ready
        if ready.any():
            advantages = self.streams.advantages[ready]
            spread = (advantages + self.streams.values[ready]).var()
            told["value/explained"] = 1 - advantages.var() / spread if spread > 0 else 0.0
        if self.tables.paid:
            told |= {"deals/payoff": float(np.mean(self.tables.paid)), "deals/plies": float(np.mean(self.tables.plies))}
        told["speed/decisions a second"] = self.steps / self.ledger.seconds
        for member in self.pool.members:
            if member is not None and member.meetings:
                told[f"snapshots/{member.steps:012}"] = member.share
        for name, value in told.items():
            self.writer.add_scalar(name, value, self.steps)

    def _state(self) -> dict[str, dict[str, np.ndarray]]:
        """Return every array of the run, by part and name."""
        learner, adam = self.learner, self.learner.optimizer.state_dict()["state"]
        nets = {"policy": learner.policy, "value": learner.value, "reference": learner.reference}
        parts = {
            part: {name: weight.numpy() for name, weight in net.state_dict().items()}
            for part, net in nets.items()
            if net is not None
        }
        parts["adam"] = {f"{number}.{name}": one.numpy() for number in adam for name, one in adam[number].items()}
        return parts | {"tables": self.tables.arrays(), "streams": self.streams.arrays()}

    def _checkpoint(self) -> None:
        arrays = {f"{part}.{name}": array for part, named in self._state().items() for name, array in named.items()}
        self.ledger.record |= {"steps": self.steps, "seconds": round(self.ledger.seconds, 1)}
        numbers = {
            "next": self.next,
            "random": self.tables.rng.bit_generator.state,
            "pool": self.pool.state(),
            "record": self.ledger.record,
        }
        checkpoint.write(self.folder, self.steps, arrays, numbers)
        wanted = self.pool.files().union(
            *({one["file"] for one in _members(old)} for old in checkpoint.kept(self.folder))
        )
        for file in (self.folder / pool.FOLDER).glob("*.safetensors"):
            if file.name not in wanted:
                file.unlink()

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Take over the state of a checkpoint; raise RunError or ValueError where it does not fit."""
        for weight in self.learner.weights:  # Adam has no state before its first step: make it, and fill it in
            weight.grad = torch.zeros_like(weight)
        self.learner.optimizer.step()
        for part, named in self._state().items():
            if part == "adam" and not any(name.startswith("adam.") for name in arrays):
                self.learner.optimizer.state.clear()  # the checkpoint is older than the first step
                continue
            checkpoint.write_back(named, arrays, part)
        self.steps, self.next = numbers["steps"], numbers["next"]
        self.tables.rng.bit_generator.state = numbers["random"]
        self.pool.restore(self.folder, numbers["pool"])

    @contextmanager
    def _finishing_updates(self) -> Iterator[None]:
        """Have the first Ctrl-C stop after the update in hand, and a second one at once."""

        def ask(*_: Any) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _members(numbers: dict[str, Any]) -> list[dict[str, str]]:
    return [{"file": pool.Snapshot(**one).file} for one in numbers["pool"]["members"] if one is not None]


def _check_blocks(config: TrainConfig, game: Game) -> None:
    """Raise ConfigError unless the blocks that the networks are to treat apart exist and are fit for it."""
    for name in [*config.grids, *([config.roles] if config.roles else [])]:
        try:
            game.layout.start(name)
        except KeyError as error:
            raise ConfigError(f"{'roles' if name == config.roles else 'grids'}: {error.args[0]}") from None
    if config.pointers and not pointing(game):
        raise ConfigError(f"pointers=True is not allowed; no block of {game.name} is about actions")
    try:
        PolicyNet(game, **policy_parts(config))
    except ValueError as error:
        raise ConfigError(f"grids: {error}") from None
