"""Self-play on a device: the learner and its opponents play a batch, and its advantages follow.

Each table has one kind of opponent for the whole run: the learner itself, a scripted bot, or a snapshot. The weights of
the configuration divide the tables. In each deal of a table with another opponent the learner has one random seat. A
decision whose successor is beyond the batch is not learned from, and matrix products are in bfloat16 on a GPU.

Letters: `N` tables, `S` seats of the largest table, `T` decisions a table in a batch.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.envs.core.api.vector_state import named
from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.envs.core.game import Game
from sobremesa.training.algorithms.device.graphs import Recorded
from sobremesa.training.config.classes import SELF, SNAPSHOTS, ConfigError, SelfPlayConfig
from sobremesa.training.data.opponents import OpponentPool
from sobremesa.training.networks.policy import PolicyNet
from sobremesa.training.networks.reader import Reader, sample
from sobremesa.training.runs import processes
from sobremesa.training.runs.evaluation import setup_per_table

# (observations (N, W) uint8, masks (N, A)) -> log probabilities (N, A), values (N,)
Look = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


class Block(NamedTuple):
    """The tables `low..high`, and the opponent there: an agent with a kernel, a network, or None for the learner."""

    low: int
    high: int
    opponent: Any


class Results(NamedTuple):
    """Results of the deals that ended in a batch, by table; tensors of shape `(N,)`."""

    deals: torch.Tensor  # their number
    paid: torch.Tensor  # the sum of the mean payoffs of the learner's seats
    won: torch.Tensor  # the sum of wins, ties by half (the payoff, in a cooperative game)


class DeviceBuffer:
    """A batch of T decisions at each of N tables, in tensors that stay on the device; see `RolloutBuffer`."""

    def __init__(self, env: TensorEnv, horizon: int) -> None:
        self.env, self.horizon = env, horizon
        shape, device = (horizon, env.num_envs), env.device
        self.slots = env.new_slots(horizon + 1)  # slot T becomes slot 0 of the next batch
        env.observe(env.slot(self.slots, horizon))
        self.actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probs, self.values, self.advantages = (torch.zeros(shape, device=device) for _ in range(3))
        # Decisions to learn from, and all decisions of the learner.
        self.ready, self.by_learner = (torch.zeros(shape, dtype=torch.bool, device=device) for _ in range(2))
        self._close = Recorded(self._estimate, device)

    @property
    def decisions(self) -> int:
        """The number of the learner's decisions in a batch."""
        return int(self.by_learner.sum())

    def limit(self, decisions: int) -> None:
        """Play on: batches on a device are whole, so the last one of a run may exceed its budget."""

    def carry(self) -> None:
        """Drop the decisions without a successor."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what the next batch needs of this one: nothing."""
        return {}

    def close(self, gamma: float, gae_lambda: float) -> None:
        """Compute advantages (generalised advantage estimation) along the decisions of each seat."""
        self._discounts = gamma, gae_lambda
        self._close()

    def _estimate(self) -> None:
        (gamma, gae_lambda), env = self._discounts, self.env
        blank = torch.zeros(env.num_envs, env.game.max_seats, device=env.device)
        value, advantage, reward, known = blank, blank, blank, blank.bool()  # of each seat's next decision
        places = torch.arange(env.game.max_seats, device=env.device)
        for step in reversed(range(self.horizon)):
            after = env.slot(self.slots, step + 1)
            ended = after.dones[:, None]
            value, advantage = torch.where(ended, 0.0, value), torch.where(ended, 0.0, advantage)
            reward, known = torch.where(ended, after.payoffs, reward), known | ended
            seat = env.slot(self.slots, step).seats.long()[:, None]
            acts = places == seat

            def of(numbers: torch.Tensor, seat: torch.Tensor = seat) -> torch.Tensor:
                return numbers.gather(1, seat)[:, 0]

            follows = of(known)
            delta = of(reward) + gamma * of(value) - self.values[step]
            here = torch.where(follows, delta + gamma * gae_lambda * of(advantage), 0.0)
            self.advantages[step] = here
            self.ready[step] &= follows
            value = torch.where(acts, self.values[step][:, None], value)
            advantage = torch.where(acts, here[:, None], advantage)
            reward, known = torch.where(acts, 0.0, reward), known | acts


class DeviceTables:
    """The N tables of this process, on a device; see `Tables`.

    Raises ConfigError for opponents or setup fields that do not fit, or tables that need more memory than there is.
    """

    def __init__(self, config: SelfPlayConfig, game: Game, pool: OpponentPool, reader: Reader) -> None:
        self.config, self.game, self.pool, self.reader = config, game, pool, reader
        self.device = device = reader.device
        numbers, seed = processes.part_of(config.tables), processes.seed_here(config.seed)
        self.count = count = len(numbers)
        self.rng = np.random.default_rng(seed)  # draws the active snapshots
        (torch.cuda if device.type == "cuda" else torch).manual_seed(seed)
        self.rivals = [pool.copied(net).to(device) for net in pool.nets[: config.snapshots]]
        setup = setup_per_table(config)
        try:
            seats = game.new_tables(count, setup)["seats"].astype(np.int64)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        try:
            self.env = TensorEnv(
                game, count, config.seed, device=device, copy=False, dtype="uint8", first_table=numbers.start, **setup
            )
        except MemoryError as error:
            raise ConfigError(f"tables={config.tables}: {error}") from None
        self.blocks = self._divided()
        self._counts = torch.from_numpy(seats).to(device)  # (N,) seats at each table
        self._there = torch.arange(game.max_seats, device=device) < self._counts[:, None]  # (N, S)
        self._shared = torch.ones(count, dtype=torch.bool, device=device)  # with the learner at all seats
        for block in self.blocks:
            self._shared[block.low : block.high] = block.opponent is None
        self.mine = self._new_seats()  # (N, S) bool, the learner's seats
        self.results = Results(*(torch.zeros(count, device=device) for _ in Results._fields))
        self._play = Recorded(self._fill, device)

    def _divided(self) -> list[Block]:
        """Divide the tables over the opponents by their weights; snapshots that are not there yet are the learner."""
        config = self.config
        shares: list[tuple[float, Any]] = [(config.opponents.get(SELF, 0.0), None)]
        named = [weight for name, weight in config.opponents.items() if name not in (SELF, SNAPSHOTS)]
        shares += zip(named, self.pool.named, strict=True)
        snapshots = config.opponents.get(SNAPSHOTS, 0.0)
        shares += [(snapshots / len(self.rivals), rival) for rival in self.rivals if snapshots]
        total, low, blocks, passed = sum(share for share, _ in shares), 0, [], 0.0
        numbers = processes.part_of(config.tables)  # rounded over all processes, so that small shares are not lost
        for share, opponent in shares:
            passed += share
            high = max(low, round(numbers.stop * passed / total) - round(numbers.start * passed / total))
            if opponent is not None and not isinstance(opponent, PolicyNet) and not hasattr(opponent, "kernel"):
                raise ConfigError(
                    f"opponents.{opponent.name} has no kernel; on {config.device} it takes scripted agents"
                )
            if high > low:
                blocks.append(Block(low, high, opponent))
            low = high
        return blocks

    def seat_snapshots(self, learner: PolicyNet) -> None:
        """Copy the active snapshots to the device; a place without one gets the weights of `learner`."""
        for place, rival in enumerate(self.rivals):
            active = self.pool.active
            rival.load_state_dict((self.pool.nets[active[place]] if place < len(active) else learner).state_dict())

    def play(self, look: Look, buffer: DeviceBuffer) -> None:
        """Fill `buffer`; `look` and `buffer` are the same at each call."""
        self._look, self._buffer = look, buffer
        self._play()
        self._count_results()

    @torch.no_grad()
    def _fill(self) -> None:
        env, buffer = self.env, self._buffer
        for sums in self.results:
            sums.zero_()
        env.observe(env.slot(buffer.slots, 0))
        for step in range(buffer.horizon):
            self._decide(step)
            env.step(buffer.actions[step], env.slot(buffer.slots, step + 1))
            self._count(step)

    def _decide(self, step: int) -> None:
        """Choose the actions of one step: the learner's at every table, then those of the opponents."""
        env, buffer = self.env, self._buffer
        seen = env.slot(buffer.slots, step)
        log_chances, buffer.values[step] = self._look(seen.observations, seen.masks)
        actions = sample(log_chances)
        buffer.log_probs[step] = log_chances.gather(1, actions[:, None])[:, 0]
        mine = self.mine.gather(1, seen.seats.long()[:, None])[:, 0]
        buffer.by_learner[step] = buffer.ready[step] = mine
        for block in self.blocks:
            rows = slice(block.low, block.high)
            if isinstance(block.opponent, PolicyNet):
                theirs = self.reader.views(seen.observations[rows], seen.masks[rows])
                chosen = sample(self.reader.log_chances(block.opponent, theirs))
                actions[rows] = torch.where(mine[rows], actions[rows], chosen)
            elif block.opponent is not None:
                where = torch.zeros_like(mine)
                where[rows] = ~mine[rows]
                env.act(block.opponent, where, actions)
        buffer.actions[step] = actions

    def _count(self, step: int) -> None:
        """Add the results of the deals that ended with a step, and draw the learner's seats of the new deals."""
        after = self.env.slot(self._buffer.slots, step + 1)
        deals, paid, won = self.results
        ended, mine, others = after.dones, self.mine, self._there & ~self.mine
        own = (after.payoffs * mine).sum(1) / mine.sum(1)
        theirs = (after.payoffs * others).sum(1) / others.sum(1).clamp(min=1)
        wins = own if self.game.cooperative else 0.5 + 0.5 * torch.sign(own - theirs)
        deals += ended
        paid += torch.where(ended, own, 0.0)
        won += torch.where(ended, wins, 0.0)
        self.mine.copy_(torch.where(ended[:, None], self._new_seats(), mine))

    def _new_seats(self) -> torch.Tensor:
        """Return the learner's seats for a new deal at every table, `(N, S)` bool."""
        drawn = (torch.rand(len(self._counts), device=self.device) * self._counts).long()
        one = torch.arange(self.game.max_seats, device=self.device) == drawn[:, None]
        return torch.where(self._shared[:, None], self._there, one)

    def _count_results(self) -> None:
        """Add the results of a batch to the win rates of the pool, and keep its metrics."""
        sums = torch.stack([torch.stack([one[b.low : b.high].sum() for one in self.results]) for b in self.blocks])
        rows = sums.tolist()
        deals, paid = sum(row[0] for row in rows), sum(row[1] for row in rows)
        decisions = self._buffer.horizon * self.count
        self._metrics = {"deals/payoff": paid / deals, "deals/plies": decisions / deals} if deals else {}
        for block, (ended, _, won) in zip(self.blocks, rows, strict=True):
            if isinstance(block.opponent, PolicyNet) and ended:
                index = next(k for k, rival in enumerate(self.rivals) if rival is block.opponent)
                if index < len(self.pool.active):
                    member = self.pool.members[self.pool.active[index]]
                    assert member is not None
                    member.add_results(int(ended), won / ended)

    def metrics(self) -> dict[str, float]:
        """Return the mean payoff of the learner's seats in the deals that ended in this batch, and their plies."""
        return self._metrics

    def arrays(self) -> dict[str, np.ndarray]:
        """Return copies of all arrays that a checkpoint needs, apart from `rng` and the pool."""
        tables = {name: one for name, one in self.env.get_state().items() if isinstance(one, np.ndarray)}
        random = torch.cuda.get_rng_state(self.device) if self.device.type == "cuda" else torch.get_rng_state()
        return tables | {"mine": self.mine.cpu().numpy(), "random": random.numpy()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue from `arrays`, as `arrays` returned them."""
        tables = dict(arrays)
        self.mine.copy_(torch.from_numpy(tables.pop("mine")))
        random = torch.from_numpy(tables.pop("random"))
        numbers = {"seed": self.config.seed, "drawn": False, "sampling": False}
        self.env.set_state(named(self.game) | tables | numbers)
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(random, self.device)
        else:
            torch.set_rng_state(random)
