"""PPO with self-play on a GPU: the algorithm of ppo_selfplay.py with its tables, batches and updates on the device.

The differences: opponents are divided over the tables (device/rollout.py), a decision whose successor is beyond the
batch is not learned from, and matrix products are in bfloat16. Weights go to the processor for evaluations and files.
"""

import os
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sobremesa.envs.core.api.vector_state import named
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.training.algorithms.device.learner import DeviceLearner
from sobremesa.training.algorithms.device.networks import Reader
from sobremesa.training.algorithms.device.rollout import Block, Results, Rollout
from sobremesa.training.algorithms.ppo_learner import Learner, Losses
from sobremesa.training.algorithms.ppo_selfplay import PoolLoop
from sobremesa.training.config.classes import SELF, SNAPSHOTS, ConfigError, SelfPlayConfig
from sobremesa.training.config.keys import require
from sobremesa.training.data.opponents import OpponentPool
from sobremesa.training.networks.policy import Net, PolicyNet
from sobremesa.training.runs import checkpoint
from sobremesa.training.runs.evaluation import Progress, check_networks, setup_per_table
from sobremesa.training.runs.loop import weights_of

# Keys that only the processor has, with the values that leave them unused.
PROCESSOR_ONLY = {"memory": 0, "advised_by": "", "teacher": "", "shaping": 0.0}


class DeviceTraining(PoolLoop):
    """A run on a device. Raises ConfigError for keys that only work on the processor, or a device that is not there."""

    learner: DeviceLearner

    def __init__(
        self, config: SelfPlayConfig, folder: Path, progress: Progress | None, record: dict[str, Any] | None = None
    ) -> None:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # which deterministic matrix products need
        self.device = config.torch_device()
        super().__init__(config, folder, progress, record)
        game = self.game
        for name, unused in PROCESSOR_ONLY.items():
            require(
                getattr(config, name) == unused,
                name,
                getattr(config, name),
                f"{unused!r} with device={config.device!r}; device='cpu' has this key",
            )
        check_networks(config, game)
        self.pool = OpponentPool(config, game)
        learner = Learner(config, game, begins=record is None)  # the networks on the processor, for files
        self.learned, self._value, self._magnet = learner.policy, learner.value, learner.magnet
        self.rng = np.random.default_rng(config.seed)
        self.next["snapshot"] = config.snapshot_every
        self._begin_league()
        self._begin_random(config.seed)
        self.reader = Reader(game.layout, self.device)
        self.learner = DeviceLearner(config, learner.policy, learner.value, learner.magnet, self.reader)
        self.optimizer = self.learner.optimizer
        self.rivals = [net.to(self.device) for net in map(self._copy, self.pool.nets[: config.snapshots])]
        self.env = self._new_env()
        counts = torch.from_numpy(self._setups["seats"].astype(np.int64)).to(self.device)
        self.blocks = self._divided()
        self.rollout = Rollout(
            self.env, self.reader, self.blocks, counts, config.horizon, config.gamma, config.gae_lambda
        )
        self._paid: dict[str, float] = {}
        self.spent = 0.0  # seconds of updates, of this process

    def _begin_random(self, seed: int) -> None:
        if self.device.type == "cuda":
            torch.cuda.manual_seed(seed)
        else:
            torch.manual_seed(seed)

    def _new_env(self) -> TensorEnv:
        config, setup = self.config, setup_per_table(self.config)
        try:
            self._setups = self.game.new_tables(config.tables, setup)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        try:
            return TensorEnv(
                self.game, config.tables, config.seed, device=self.device, copy=False, dtype="uint8", **setup
            )
        except MemoryError as error:
            raise ConfigError(f"tables={config.tables}: {error}") from None

    def _copy(self, net: PolicyNet) -> PolicyNet:
        """Return a network like `net` that learns nothing."""
        with torch.random.fork_rng(devices=[]):
            made = self.pool.new_net()
        made.load_state_dict(net.state_dict())
        return made.requires_grad_(False)

    def _divided(self) -> list[Block]:
        """Divide the tables over the opponents by their weights; snapshots that are not there yet are the learner."""
        config = self.config
        shares: list[tuple[float, Any]] = [(config.opponents.get(SELF, 0.0), None)]
        named = [weight for name, weight in config.opponents.items() if name not in (SELF, SNAPSHOTS)]
        shares += zip(named, self.pool.named, strict=True)
        snapshots = config.opponents.get(SNAPSHOTS, 0.0)
        shares += [(snapshots / len(self.rivals), rival) for rival in self.rivals if snapshots]
        total, low, blocks, passed = sum(share for share, _ in shares), 0, [], 0.0
        for share, opponent in shares:
            passed += share
            high = round(config.tables * passed / total)
            if opponent is not None and not isinstance(opponent, PolicyNet) and not hasattr(opponent, "kernel"):
                raise ConfigError(
                    f"opponents.{opponent.name} has no kernel; on {config.device} it takes scripted agents"
                )
            if high > low:
                blocks.append(Block(low, high, opponent))
            low = high
        return blocks

    def update(self) -> Losses:
        """Play a batch and learn from it."""
        config, began = self.config, time.perf_counter()
        results = self.rollout.play(self.learner.policy, self.learner.value)
        losses = self.learner.learn(self.rollout, self.done, self.steps < config.value_first)
        self.steps += self._decisions(results)
        self.spent += time.perf_counter() - began
        if config.average and self.done > 1 - config.average:
            self.fetch()
        return losses

    def _decisions(self, results: Results) -> int:
        """Note the results of a batch; return the number of the learner's decisions in it."""
        mine = int(self.rollout.by_learner.sum())
        sums = torch.stack([torch.stack([one[b.low : b.high].sum() for one in results]) for b in self.blocks]).tolist()
        deals, paid = sum(row[0] for row in sums), sum(row[1] for row in sums)
        self._paid = {"deals/payoff": paid / deals} if deals else {}
        if deals:
            self._paid["deals/plies"] = self.config.horizon * self.config.tables / deals
        for block, (ended, _, won, _) in zip(self.blocks, sums, strict=True):
            if isinstance(block.opponent, PolicyNet) and ended:
                index = next(k for k, rival in enumerate(self.rivals) if rival is block.opponent)
                if index < len(self.pool.active):
                    self._met(self.pool.active[index], int(ended), won / ended)
        return mine

    def _met(self, index: int, deals: int, won: float) -> None:
        member = self.pool.members[index]
        assert member is not None
        member.add_results(deals, won)

    def fetch(self) -> None:
        """Copy the weights to the networks on the processor."""
        learner = self.learner
        pairs: list[tuple[Net, Net | None]] = [(learner.policy, self.learned), (learner.value, self._value)]
        if learner.magnet is not None:
            pairs.append((learner.magnet, self._magnet))
        with torch.no_grad():
            for here, there in pairs:
                assert there is not None
                there.load_state_dict(here.state_dict())

    def add_to_pool(self, net: PolicyNet, exploiter: bool = False) -> None:
        """Add a copy of `net`, and copy the active snapshots to the device."""
        super().add_to_pool(deepcopy(net).cpu(), exploiter)
        self.fetch()
        self._send_rivals()

    def _meet_an_exploiter(self, rival: PolicyNet) -> None:
        random = self._random()  # the exploiter begins from a seed of its own
        try:
            super()._meet_an_exploiter(rival)
        finally:
            self._set_random(random)

    def _send_rivals(self) -> None:
        """Copy the active snapshots to the device; a place without one holds the learner as it is."""
        for place, rival in enumerate(self.rivals):
            active = self.pool.active
            net = self.pool.nets[active[place]] if place < len(active) else self.learned
            rival.load_state_dict(net.state_dict())

    def metrics(self, losses: Losses) -> dict[str, float]:
        """Return losses, payoffs and win rates against snapshots."""
        found = {f"loss/{name}": value for name, value in losses._asdict().items()} | self._paid
        return found | self.pool.win_rates()

    def _evaluate(self) -> None:
        self.fetch()
        super()._evaluate()

    def _save(self, status: str, whole: bool = True) -> None:
        if whole:
            self.fetch()
        super()._save(status, whole)

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return copies of the weights of all networks, and of the tables, by their names in files."""
        self.fetch()
        nets = {"policy": self.learned, "value": self._value, "reference": self._magnet, "rival": self.rival}
        parts = {part: weights_of(net) for part, net in nets.items() if net is not None}
        state = self.env.get_state()
        tables = {name: one for name, one in state.items() if isinstance(one, np.ndarray)}
        tables |= {"mine": self.rollout.mine.cpu().numpy(), "random": self._random().numpy()}
        return parts | {"tables": tables}

    def _random(self) -> torch.Tensor:
        on_gpu = self.device.type == "cuda"
        return torch.cuda.get_rng_state(self.device) if on_gpu else torch.get_rng_state()

    def _set_random(self, state: torch.Tensor) -> None:
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(state, self.device)
        else:
            torch.set_rng_state(state)

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore the state of a checkpoint; raise RunError or ValueError if it does not fit."""
        self._prepare_optimizer()
        state = self._state()
        for part, held in state.items():
            checkpoint.write_back(held, arrays, part)
        self.steps, self.next = numbers["steps"], numbers["next"]
        self.rng.bit_generator.state = numbers["random"]
        self.mean.count = int(numbers["averaged"])
        self._send(state)
        self.pool.restore(self.folder, numbers["pool"])
        self._send_rivals()

    def _prepare_optimizer(self) -> None:
        """Give the optimizer a state of the right shapes, to write into."""
        for weight in self.learner.weights:
            weight.grad = torch.zeros_like(weight)
        self.optimizer.step()

    def _send(self, state: dict[str, dict[str, np.ndarray]]) -> None:
        """Copy a state to the device."""
        learner, tables = self.learner, dict(state["tables"])
        pairs: list[tuple[str, Net, Net | None]]
        pairs = [("policy", learner.policy, self.learned), ("value", learner.value, self._value)]
        if learner.magnet is not None:
            pairs.append(("reference", learner.magnet, self._magnet))
        for part, here, there in pairs:
            assert there is not None
            there.load_state_dict({name: torch.from_numpy(one) for name, one in state[part].items()})
            here.load_state_dict(there.state_dict())
        moments = self.optimizer.state_dict()["state"]
        for name, array in state["adam"].items():
            number, what = name.split(".")
            moments[int(number)][what].copy_(torch.from_numpy(array))
        self.rollout.mine.copy_(torch.from_numpy(tables.pop("mine")))
        random = torch.from_numpy(tables.pop("random"))
        numbers = {"seed": self.config.seed, "drawn": False, "sampling": False}
        self.env.set_state(named(self.game) | tables | numbers)
        self._set_random(random)
        if self.rival is not None:
            self.rival.load_state_dict({name: torch.from_numpy(one) for name, one in state["rival"].items()})
