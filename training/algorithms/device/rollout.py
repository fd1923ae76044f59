"""Rollouts on a device: the learner and its opponents play a batch, and its advantages follow.

Each table has one kind of opponent for the whole run: the learner itself, a scripted bot, or a snapshot. The weights of
the configuration divide the tables. In each deal of a table with another opponent the learner has one random seat.

Letters: `N` tables, `S` seats of the largest table, `T` decisions a table in a batch.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from sobremesa.envs.core.device.vector import TensorEnv
from sobremesa.training.algorithms.device.graphs import Recorded
from sobremesa.training.algorithms.device.networks import Reader, sample
from sobremesa.training.networks.policy import Net, PolicyNet


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
    plies: torch.Tensor  # decisions of all players


class Rollout:
    """A batch of T decisions at each of N tables, in tensors that stay on the device."""

    def __init__(
        self, env: TensorEnv, reader: Reader, blocks: Sequence[Block], counts: torch.Tensor, horizon: int,
        gamma: float, gae_lambda: float,
    ) -> None:  # fmt: skip
        self.env, self.reader, self.blocks, self.horizon = env, reader, blocks, horizon
        self.gamma, self.gae_lambda = gamma, gae_lambda
        device, tables, seats = env.device, env.num_envs, env.game.max_seats
        self.slots = env.new_slots(horizon + 1)  # slot T becomes slot 0 of the next batch
        env.observe(env.slot(self.slots, horizon))
        shape = (horizon, tables)
        self.actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self.log_probs, self.values, self.advantages = (torch.zeros(shape, device=device) for _ in range(3))
        # Decisions to learn from, and all decisions of the learner.
        self.ready, self.by_learner = (torch.zeros(shape, dtype=torch.bool, device=device) for _ in range(2))
        self.mine = torch.zeros(tables, seats, dtype=torch.bool, device=device)  # the learner's seats
        self.results = Results(*(torch.zeros(tables, device=device) for _ in Results._fields))
        self._counts = counts  # (N,) seats at each table
        self._shared = torch.ones(tables, dtype=torch.bool, device=device)  # tables with the learner at all seats
        for block in blocks:
            self._shared[block.low : block.high] = block.opponent is None
        self._there = torch.arange(seats, device=device) < counts[:, None]  # (N, S)
        self.mine.copy_(self._new_seats())
        self._nets: tuple[PolicyNet, Net] | None = None
        self._play = Recorded(self._fill, device)

    def play(self, policy: PolicyNet, value: Net) -> Results:
        """Play a batch with the networks as they are now; return its results, which the next call overwrites."""
        self._nets = policy, value
        self._play()
        return self.results

    @torch.no_grad()
    def _fill(self) -> None:
        for sums in self.results:
            sums.zero_()
        self.env.observe(self.env.slot(self.slots, 0))
        for step in range(self.horizon):
            self._decide(step)
            self.env.step(self.actions[step], self.env.slot(self.slots, step + 1))
            self._count(step)
        self._estimate()

    def _decide(self, step: int) -> None:
        """Choose the actions of one step: the learner's at every table, then those of the opponents."""
        assert self._nets is not None
        policy, value = self._nets
        seen = self.env.slot(self.slots, step)
        views = self.reader.views(seen.observations, seen.masks)
        log_chances = self.reader.log_chances(policy, views)
        actions = sample(log_chances)
        self.log_probs[step] = log_chances.gather(1, actions[:, None])[:, 0]
        self.values[step] = self.reader.run(value, views)[:, 0]
        mine = self.mine.gather(1, seen.seats.long()[:, None])[:, 0]
        self.by_learner[step] = self.ready[step] = mine
        for block in self.blocks:
            rows = slice(block.low, block.high)
            if isinstance(block.opponent, PolicyNet):
                theirs = self.reader.views(seen.observations[rows], seen.masks[rows])
                chosen = sample(self.reader.log_chances(block.opponent, theirs))
                actions[rows] = torch.where(mine[rows], actions[rows], chosen)
            elif block.opponent is not None:
                where = torch.zeros_like(mine)
                where[rows] = ~mine[rows]
                self.env.act(block.opponent, where, actions)
        self.actions[step] = actions

    def _count(self, step: int) -> None:
        """Add the results of the deals that ended with a step, and draw the learner's seats of the new deals."""
        after = self.env.slot(self.slots, step + 1)
        deals, paid, won, plies = self.results
        ended, mine, others = after.dones, self.mine, self._there & ~self.mine
        own = (after.payoffs * mine).sum(1) / mine.sum(1)
        theirs = (after.payoffs * others).sum(1) / others.sum(1).clamp(min=1)
        wins = own if self.env.game.cooperative else 0.5 + 0.5 * torch.sign(own - theirs)
        deals += ended
        paid += torch.where(ended, own, 0.0)
        won += torch.where(ended, wins, 0.0)
        plies += 1
        self.mine.copy_(torch.where(ended[:, None], self._new_seats(), mine))

    def _new_seats(self) -> torch.Tensor:
        """Return the learner's seats for a new deal at every table, `(N, S)` bool."""
        drawn = (torch.rand(len(self._counts), device=self._counts.device) * self._counts).long()
        one = torch.arange(self.mine.shape[1], device=drawn.device) == drawn[:, None]
        return torch.where(self._shared[:, None], self._there, one)

    def _estimate(self) -> None:
        """Compute advantages (generalised advantage estimation) along the decisions of each seat.

        A decision whose successor is beyond the batch is not learned from.
        """
        tables, seats = self.mine.shape
        blank = torch.zeros(tables, seats, device=self.mine.device)
        value, advantage, reward, known = blank, blank, blank, blank.bool()  # of each seat's next decision
        places = torch.arange(seats, device=self.mine.device)
        for step in reversed(range(self.horizon)):
            after = self.env.slot(self.slots, step + 1)
            ended = after.dones[:, None]
            value, advantage = torch.where(ended, 0.0, value), torch.where(ended, 0.0, advantage)
            reward, known = torch.where(ended, after.payoffs, reward), known | ended
            seat = self.env.slot(self.slots, step).seats.long()[:, None]
            acts = places == seat

            def of(numbers: torch.Tensor, seat: torch.Tensor = seat) -> torch.Tensor:
                return numbers.gather(1, seat)[:, 0]

            follows = of(known)
            delta = of(reward) + self.gamma * of(value) - self.values[step]
            here = torch.where(follows, delta + self.gamma * self.gae_lambda * of(advantage), 0.0)
            self.advantages[step] = here
            self.ready[step] &= follows
            value = torch.where(acts, self.values[step][:, None], value)
            advantage = torch.where(acts, here[:, None], advantage)
            reward, known = torch.where(acts, 0.0, reward), known | acts
