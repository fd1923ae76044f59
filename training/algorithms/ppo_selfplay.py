"""PPO with self-play: the learner plays at least one seat of every table and learns from all of its seats.

Each update plays a batch, computes advantages and runs PPO epochs. Where the tables, the batch and the networks that
learn are depends on `device`: on the processor (data/tables.py, data/rollout_buffer.py, ppo_learner.py), or on a device
(device/rollout.py, device/learner.py), from which weights are fetched for evaluations and files. Scheduled work
follows: snapshots for the pool (data/opponents.py), evaluations and checkpoints (runs/loop.py).
"""

from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.agent import value_estimate_of
from sobremesa.envs.core.game import Game
from sobremesa.training.algorithms.ppo_learner import Learner, Losses
from sobremesa.training.config.classes import SNAPSHOTS, ConfigError, SelfPlayConfig
from sobremesa.training.config.keys import require
from sobremesa.training.data import opponents
from sobremesa.training.data.opponents import OpponentPool
from sobremesa.training.data.rollout_buffer import RolloutBuffer
from sobremesa.training.data.tables import Tables
from sobremesa.training.league import check_league, first_rival, record_exploiter, train_exploiter
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.runs import checkpoint, processes
from sobremesa.training.runs.evaluation import check_networks, load_agent
from sobremesa.training.runs.loop import Loop, weights_of

# Keys that only the processor has, with the values that leave them unused.
PROCESSOR_ONLY = {"memory": 0, "advised_by": "", "teacher": "", "shaping": 0.0}


class Training(Loop):
    """A run: the learner, its opponents, the tables and the rollout buffer.

    Raises ConfigError for a device that is not there, or keys that only work on the processor.
    """

    config: SelfPlayConfig
    in_parallel = True
    rival: PolicyNet | None = None

    def begin(self, new: bool) -> None:
        config, game = self.config, self.game
        self.device = config.torch_device()
        _check_device(config)
        check_networks(config, game)
        _check_potential(config, game)
        fine = config.value_first < config.steps or not new
        require(fine, "value_first", config.value_first, f"less than steps={config.steps}, or the policy never learns")
        self.pool = OpponentPool(config, game)
        self._make(new)
        self.optimizer, self.rng = self.learner.optimizer, self.tables.rng
        self.next["snapshot"] = config.snapshot_every
        meets = bool(config.opponents.get(SNAPSHOTS))
        check_league(config, game, meets, f"`{SNAPSHOTS}` are among the opponents")
        if config.league_every:
            self.rival = first_rival(config, game, self.learned)
            self.next["league"] = config.league_every

    def _make(self, new: bool) -> None:
        """Make the learner, the tables and the buffer, which have the same methods on the processor and on a device."""
        config, game = self.config, self.game
        self.learner: Any
        self.tables: Any
        self.buffer: Any
        if config.device != "cpu":
            from sobremesa.training.algorithms.device.learner import DeviceLearner  # which compiles for GPUs
            from sobremesa.training.algorithms.device.rollout import DeviceBuffer, DeviceTables

            self.learner = DeviceLearner(config, game, self.device, new)
            self.tables = DeviceTables(config, game, self.pool, self.learner.reader)
            self.buffer = DeviceBuffer(self.tables.env, config.horizon)
            return
        self.learner = Learner(config, game, new)
        try:
            self.tables = Tables(config, game, self.pool, self.learner.memory)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        advisor = self.learner.policy.advisor
        seen = game if advisor is None else advisor.game
        self.buffer = RolloutBuffer(seen, len(self.tables.deals), config.horizon, self.learner.memory)

    @property
    def learned(self) -> PolicyNet:  # type: ignore[override]  # fetched from the device
        """The policy that learns, on the processor."""
        policy: PolicyNet = self.learner.fetched()["policy"]
        return policy

    def update(self) -> Losses:
        """Play a batch and learn from it; on the processor the last batch is shortened to the budget of steps."""
        config, buffer = self.config, self.buffer
        if self.steps < config.steps:
            left, tables = config.steps - self.steps, processes.part_of(config.tables)
            buffer.limit(max(1, left * tables.stop // config.tables - left * tables.start // config.tables))
        self.tables.play(self.learner.look, buffer)
        self.pool.share_win_rates()
        buffer.close(config.gamma, config.gae_lambda)
        losses: Losses = self.learner.learn(buffer, self.done, self.rng, self.steps < config.value_first)
        buffer.carry()
        self.steps += sum(processes.gather(buffer.decisions))
        return losses

    def metrics(self, losses: Losses) -> dict[str, float]:
        """Return losses, explained variance, payoffs and win rates against snapshots."""
        metrics: dict[str, float] = {f"loss/{name}": value for name, value in losses._asdict().items()}
        ready = self.buffer.ready
        if ready.any():
            advantages = self.buffer.advantages[ready]
            spread = (advantages + self.buffer.values[ready]).var()
            metrics["value/explained"] = float(1 - advantages.var() / spread) if spread > 0 else 0.0
        metrics |= self.tables.metrics()
        return metrics | self.pool.win_rates()

    def add_to_pool(self, net: PolicyNet, exploiter: bool = False) -> None:
        """Add a copy of `net` to the pool."""
        self.pool.add(self.folder, self.steps, net, self.rng, exploiter)
        self.tables.seat_snapshots(self.learner.policy)

    def run_scheduled_work(self) -> None:
        """Take snapshots and train exploiters when they are due, too."""
        if self.steps >= self.next["snapshot"]:
            self.add_to_pool(self.learner.policy)
            self.next["snapshot"] += self.config.snapshot_every
        if self.rival is not None and self.steps >= self.next["league"]:
            self._meet_an_exploiter(self.rival)
            self.postpone("league", self.config.league_every)
        super().run_scheduled_work()

    def _meet_an_exploiter(self, rival: PolicyNet) -> None:
        """Train an exploiter (every second time the rival), record its payoff, and add it to the pool."""
        self.ledger.tell(self.steps, "training an exploiter")
        before = {one["at"] for one in self.ledger.record.get("exploiters", [])}
        its_turn = len(before) % 2 == 1
        gpus = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices=gpus):  # on a device the exploiter begins from its own seed
            exploiter = train_exploiter(self, rival if its_turn else self.learner.policy)
        record_exploiter(self, exploiter, rival=its_turn)
        if its_turn:  # nothing can interrupt from here on, so a resumed run trains the same exploiter
            rival.load_state_dict(exploiter.state_dict())
        self.add_to_pool(exploiter, exploiter=True)

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return the weights of all networks, the tables and the carried decisions, by their names in files."""
        nets = self.learner.fetched() | ({"rival": self.rival} if self.rival else {})
        parts = {part: weights_of(net) for part, net in nets.items()}
        return parts | {"tables": self.tables.arrays(), "streams": self.buffer.arrays()}

    def numbers(self) -> dict[str, Any]:
        """Return the state of the pool."""
        return {"pool": self.pool.state()}

    def beside(self) -> list[str]:
        """Return the files of the snapshots in the pools of all processes."""
        names = {name for files in processes.gather([*self.pool.files()]) for name in files}
        return [f"{opponents.FOLDER}/{name}" for name in names]

    def write_checkpoint(self) -> None:
        """Write a checkpoint, and delete snapshots that no checkpoint needs."""
        super().write_checkpoint()
        wanted = {*self.beside()}.union(*(old["beside"] for old in checkpoint.kept(self.folder)))
        for file in (self.folder / opponents.FOLDER).glob("*.safetensors"):
            if f"{opponents.FOLDER}/{file.name}" not in wanted:
                file.unlink()

    def accept(self, state: dict[str, dict[str, np.ndarray]]) -> None:
        """Send the restored weights and tables to the device."""
        self.learner.send()
        self.tables.restore(state["tables"])

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore the pool too."""
        super().restore(arrays, numbers)
        self.pool.restore(self.folder, numbers["pool"])
        self.tables.seat_snapshots(self.learner.policy)


def _check_device(config: SelfPlayConfig) -> None:
    """Raise ConfigError for keys that only the processor has."""
    if config.device != "cpu":
        for name, unused in PROCESSOR_ONLY.items():
            allowed = f"{unused!r} with device={config.device!r}; device='cpu' has this key"
            require(getattr(config, name) == unused, name, getattr(config, name), allowed)


def _check_potential(config: SelfPlayConfig, game: Game) -> None:
    """Raise ConfigError unless `shaping_by` is an agent with a value estimate."""
    if config.shaping and not config.shaping_by:
        raise ConfigError(f"shaping={config.shaping} is not allowed without shaping_by, an agent of {game.name}")
    if config.shaping_by and value_estimate_of(load_agent("shaping_by", config.shaping_by, game)) is None:
        raise ConfigError(
            f"shaping_by={config.shaping_by!r} is not allowed; that agent of {game.name} has no value estimate"
        )
