"""Train by rollout policy iteration: learn how much more each action brings than what a scripted agent would do.

Deals are played, and some decisions are drawn by lot, of each kind as many as it is worth (`shares`). There each of
some actions is played, in the world that the deal is in or in others that the seat holds possible, and an agent plays
on for all seats to the end (rollouts: Tesauro and Galperin 1996). The policy network learns how much more each brings
on average than what the agent itself would do, and so, by regression, what holds for views that are alike (approximate
policy iteration by rollouts, Lagoudakis and Parr 2003; costs to go of an expert, Ross and Bagnell 2014). It begins as
the agent, which advises it (agents/advice.py), and plays what it thinks brings most: the gain of thinking ahead with
that agent, without thinking ahead at the table.

What a network thinks that it gains is too much, as it takes the largest of many estimates. So of each kind of decisions
(`kinds`) the policy leaves what is advised by a doubt of its own: one by which it gains on lessons that it was never
taught, more than by chance (`surely`), or else not at all.

Each seat plays by the policy or by the agent in a deal, by lot, so that it learns where either leads (Ross et al.
2011). Where a game can be turned and mirrored each view is, by lot. Read top to bottom: a run deals a table for each of
`tables`, plays all to the end, and takes gradient steps on lessons that are kept. Letters: `n` views, `k` lessons, `D`
numbers in an observation, `W` bytes that they are kept as, `A` actions, `C` candidates, `K` kinds.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.agents.search.rollouts import CHANCE, WORLD, Rollouts
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.envs.core.table import table_kernels
from sobremesa.training.algorithms.action_values import ActionValues, descend, mostly_best
from sobremesa.training.algorithms.override_threshold import ENOUGH, NEVER, doubts_of
from sobremesa.training.config.classes import REDEAL, ConfigError, RolloutIterationConfig
from sobremesa.training.config.keys import require
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.data.sample_buffer import SampleBuffer, shares_of
from sobremesa.training.networks.policy import Trunk
from sobremesa.training.runs.evaluation import (
    Progress,
    check_networks,
    load_agent,
    policy_parts,
    setup_per_table,
    symmetries_of,
)
from sobremesa.training.runs.loop import Loop, weights_of

WEIGHT_DECAY = 0.02
FOLLOW = 0.5  # chance that a seat plays as the scripted agent in a deal
HELD = 0.2  # share of the deals whose lessons are held back, to find doubts on
AT_ONCE = 1024  # lessons in one look of the network
NOBODY = -1  # instead of an action: no candidate


class Lessons(NamedTuple):
    """Decisions of which is known what some actions bring."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8, what the seat saw
    candidates: np.ndarray  # (k, C) int16: first what was advised, NOBODY where there are fewer
    gains: np.ndarray  # (k, C) float32: how much more each brought than the first


class Training(Loop):
    """A run: the network, the tables, and the lessons that are kept."""

    config: RolloutIterationConfig

    def __init__(
        self, config: RolloutIterationConfig, folder: Path, progress: Progress | None, record: Any = None
    ) -> None:
        least = int(np.ceil(ENOUGH / HELD))
        require(config.window >= least, "window", config.window, f"{least} or more: with fewer no doubt is ever less")
        super().__init__(config, folder, progress, record)
        game = self.game
        check_networks(config, game)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.learned = self.net = ActionValues(game, **policy_parts(config))
        self.trunks = [trunk for trunk in self.net.trunks if isinstance(trunk, Trunk)]
        for trunk in self.trunks:
            assert trunk.trust is not None
            trunk.trust.data.fill_(config.margin)  # logits are payoffs here
        self.first, self.count = self.trunks[0].kinds
        self.shares = shares_of(config.shares, config.share, max(1, self.count))
        self.doubts = np.full(max(1, self.count), NEVER, np.float32)
        self.doubt(self.doubts)
        if config.start and record is None:
            begin_as(self.net, config.start, config, game)
            self.doubts[:] = self.trunks[0].doubt
        assert self.net.advisor is not None
        self.advisor = self.net.advisor
        self.optimizer = torch.optim.AdamW(self.net.parameters(), 0.0, weight_decay=WEIGHT_DECAY, fused=True)
        self.rng = np.random.default_rng(config.seed)
        self.spent = False  # the budget of steps, but for less than a deal
        agent = load_agent("advised_by", config.advised_by, game)
        self.rollouts = [Rollouts(game, agent) for _ in range(config.workers)]
        self.pool = ThreadPoolExecutor(config.workers, thread_name_prefix="thinking")
        nothing = np.zeros((0, config.candidates))
        columns: dict[str, np.ndarray] = {
            "codes": np.zeros((0, game.layout.width), np.uint8), "candidates": nothing.astype(np.int16),
            "gains": nothing.astype(np.float32),
        }  # fmt: skip
        self.kept, self.held = (
            SampleBuffer(config.window, **columns),
            SampleBuffer(max(1, int(config.window * HELD)), **columns),
        )
        self.symmetries = symmetries_of(config, game)
        try:
            self.tables = VectorEnv(game, config.tables, copy=False, dtype="uint8", **setup_per_table(config))
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        self.kinds(game.layout.decode(self.tables.reset(config.seed).observations))

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from it, as far as the budget of steps reaches."""
        lessons, payoffs, lengths = self._play()
        within = np.cumsum(lengths) <= self.config.steps - self.steps
        self.spent = not within.all()
        if not within.any():
            return {}
        held = self.rng.random(len(within)) < HELD
        new = 0
        for kept, tables in ((self.kept, within & ~held), (self.held, within & held)):
            some = tables[lessons.table]
            kept.add(codes=lessons.codes[some], candidates=lessons.candidates[some], gains=lessons.gains[some])
            new += int(some.sum())
        told = self._learn(new)
        self.steps += int(lengths[within].sum())
        return told | {
            "lessons/new": new,
            "deals/payoff": float(payoffs[within, 0].mean()),
            "deals/plies": float(lengths[within].mean()),
        }

    def _play(self) -> tuple[Lessons, np.ndarray, np.ndarray]:
        """Play a deal at each table; return what there is to learn, payoffs `(N, seats)`, and plies `(N,)`."""
        seen = self.tables.reset(int(self.rng.integers(2**62)))
        count, seats = self.tables.num_envs, self.game.max_seats
        payoffs, plies = np.zeros((count, seats), np.float32), np.zeros(count, np.int64)
        following = self.rng.random((count, seats)) < FOLLOW
        playing, lessons = np.ones(count, bool), []
        while playing.any():
            rows = np.flatnonzero(playing)
            actions, learnt = self._decide(rows, seen, following)
            lessons.append(learnt)
            everybody = seen.masks.argmax(1)  # tables whose deal is over play on, unheeded
            everybody[rows] = actions
            plies[rows] += 1
            seen = self.tables.step(everybody)
            ended = playing & seen.dones
            payoffs[ended] = seen.payoffs[ended]
            playing &= ~seen.dones
        return Lessons(*(np.concatenate(part) for part in zip(*lessons, strict=True))), payoffs, plies

    def _decide(self, rows: np.ndarray, seen: VectorStep, following: np.ndarray) -> tuple[np.ndarray, Lessons]:
        """Return what is played at the tables `rows`, and what there is to learn there."""
        config, rng = self.config, self.rng
        codes, masks, seats = seen.observations[rows], seen.masks[rows], seen.seats[rows]
        observations = self.game.layout.decode(codes)
        told = self.advisor.advise(observations, masks)
        advised = told[:, -self.game.num_actions :].argmax(1)
        with torch.inference_mode():
            logits = self.net.value(told).numpy()
        thought = (rng.random(len(rows)) < self.shares[self.kinds(observations)]) & (masks.sum(1) > 1)
        candidates = self._candidates(logits[thought], masks[thought], advised[thought])
        seeds = rng.integers(2**62, size=len(candidates))
        gains = self.gains(self.tables.states[rows[thought]], seats[thought], candidates, seeds)
        played = mostly_best(logits, masks > 0, np.zeros(len(rows), bool), rng)
        follows = following[rows, seats]
        played[follows] = advised[follows]
        at_random = rng.random(len(rows)) < config.explore * (1 - self.done)
        played[at_random] = mostly_best(logits, masks > 0, at_random, rng)[at_random]
        return played, Lessons(rows[thought], codes[thought], candidates, gains)

    def _candidates(self, logits: np.ndarray, masks: np.ndarray, advised: np.ndarray) -> np.ndarray:
        """Return `(n, C)` int16: what is `advised` `(n,)`, and what else is promising by `logits` `(n, A)`."""
        found = np.full((len(logits), self.config.candidates), NOBODY, np.int16)
        if len(logits):
            found[:, 0] = advised
            others = masks > 0
            others[np.arange(len(found)), advised] = False
            policy = softmax(np.where(others, logits / self.config.margin, -1e9)) * others
            drawn = promising(policy, self.config.candidates - 1, self.rng)
            found[:, 1 : 1 + drawn.shape[1]] = drawn
        return found

    def gains(self, states: np.ndarray, seats: np.ndarray, candidates: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return how much more each candidate brings its seat than the first one, on average, `(n, C)` float32.

        Args:
            states: (n,) tables; where worlds are redealt nothing counts there that their seats cannot know.
            seats: (n,) who is asked there.
            candidates: (n, C) actions that are allowed, NOBODY behind them, of which nothing is gained.
            seeds: (n,) from which all chance follows, the same for all candidates of a decision.
        """
        gains, number = np.zeros(candidates.shape, np.float32), self.config.worlds
        redeal = table_kernels(self.game).redeal

        def think(rollouts: Rollouts, part: np.ndarray) -> None:
            for one in part:
                worlds = np.repeat(states[one : one + 1], number)
                if self.config.belief == REDEAL:
                    for world, seed in enumerate(seeds_of(WORLD, int(seeds[one]), range(number))):
                        redeal(worlds[world : world + 1], int(seats[one]), int(seed))
                there = candidates[one] != NOBODY
                actions = candidates[one][there].astype(np.int64)
                paid = rollouts.payoffs(worlds, actions, seeds_of(CHANCE, int(seeds[one]), range(number)))
                worth = paid[:, :, seats[one]].mean(0)
                gains[one, there] = worth - worth[0]

        list(self.pool.map(think, self.rollouts, np.array_split(np.arange(len(states)), len(self.rollouts))))
        return gains

    def _learn(self, new: int) -> dict[str, float]:
        """Take as many gradient steps as `new` lessons are worth; return the mean loss, if there was any."""
        config, losses = self.config, []
        for _ in range(-(-new * config.epochs // config.batch_size) if self.kept.count else 0):
            which = self.rng.integers(self.kept.count, size=config.batch_size)
            codes, candidates, gains = self.kept.take(which)
            thought, there = self.thought(codes, candidates, turned=True)
            off = (thought - torch.from_numpy(gains))[:, 1:]
            loss = off[torch.from_numpy(there[:, 1:])].square().mean()
            losses.append(descend(self.optimizer, loss, config.learning_rate, self.done))
        return {"loss/policy": float(np.mean(losses))} if losses else {}

    def thought(
        self, codes: np.ndarray, candidates: np.ndarray, turned: bool = False
    ) -> tuple[torch.Tensor, np.ndarray]:
        """Return what the network thinks that each candidate gains, without any doubt, and which there are.

        All `(k, C)`. With `turned` views are turned and mirrored by lot, and their candidates with them.
        """
        observations = self.game.layout.decode(codes)
        there, actions = candidates != NOBODY, np.maximum(candidates, 0).astype(np.int64)
        for some, symmetry in self._turns(len(codes)) if turned else ():
            observations[some] = observations[some][:, symmetry.seen]
            actions[some] = symmetry.actions[actions[some]]
        told = np.concatenate([observations, np.eye(self.game.num_actions, dtype=np.float32)[actions[:, 0]]], 1)
        worth = self.net.value(told).gather(1, torch.from_numpy(actions))
        doubts = torch.from_numpy(self.doubts[self.kinds(observations)])[:, None]
        return worth - worth[:, :1] + doubts, there

    def kinds(self, observations: np.ndarray) -> np.ndarray:
        """Return the kinds of the decisions `(n,)` int64, of their `observations` `(n, D)`.

        Raises ConfigError where the block that tells them apart does not.
        """
        if not self.count:
            return np.zeros(len(observations), np.int64)
        told = observations[:, self.first : self.first + self.count]
        if ((told != 0).sum(1) != 1).any() or (told.sum(1) != 1).any():
            raise ConfigError(
                f"kinds={self.config.kinds!r} is not allowed; it takes a block with one 1 and 0 elsewhere"
            )
        kinds: np.ndarray = told.argmax(1)
        return kinds

    def _turns(self, count: int) -> list[tuple[np.ndarray, Symmetry]]:
        """Return which of `count` views are turned and mirrored how, by lot; some are left as they are."""
        lots = self.rng.integers(1 + len(self.symmetries), size=count)
        return [(np.flatnonzero(lots == number), one) for number, one in enumerate(self.symmetries, 1)]

    def _evaluate(self) -> None:
        """Find what the policy is to doubt before it is measured."""
        self.settle()
        super()._evaluate()

    def settle(self) -> None:
        """Find what the policy is to doubt by the lessons that are held back."""
        found: list[list[np.ndarray]] = []
        for part in np.array_split(np.arange(self.held.count), -(-self.held.count // AT_ONCE) or 1):
            codes, candidates, gains = self.held.take(part)
            with torch.inference_mode():
                thought, there = self.thought(codes, candidates)
            kinds = self.kinds(self.game.layout.decode(codes))
            found.append([np.where(there, thought.numpy(), -NEVER), gains, kinds])
        hoped, brought, kinds = map(np.concatenate, zip(*found, strict=True))
        settled = doubts_of(hoped, brought, kinds, len(self.doubts), self.config.surely)
        self.doubt(np.where(self.shares > 0, settled, self.doubts))  # of others there are no lessons

    def doubt(self, doubts: np.ndarray) -> None:
        """Have the policy doubt so much, `(K,)`."""
        self.doubts[:] = doubts
        for trunk in self.trunks:
            assert trunk.doubt is not None
            trunk.doubt[0] = torch.from_numpy(doubts)

    @property
    def over(self) -> bool:
        """Whether the next deal would go beyond the budget, too."""
        return self.spent or super().over

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return the weights of the network, and the lessons that are kept."""
        return {"net": weights_of(self.net), "lessons": self.kept.arrays(), "held": self.held.arrays()}

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent, and how many lessons there have been."""
        return {"spent": self.spent, "lessons": self.kept.added, "held": self.held.added}

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore these, too."""
        super().restore(arrays, numbers)
        self.spent = bool(numbers["spent"])
        self.kept.added, self.held.added = int(numbers["lessons"]), int(numbers["held"])
        self.doubts[:] = self.trunks[0].doubt


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the softmax of `logits` `(n, A)`, float32."""
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), np.float32)


def promising(policy: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return candidates `(n, C)`, NOBODY where there are fewer: all actions that are allowed, or `most` of them.

    Those are drawn from `policy` `(n, A)` without putting back (Gumbel's top, Danihelka et al. 2022).
    """
    with np.errstate(divide="ignore"):
        worth = np.log(policy) + rng.gumbel(size=policy.shape)
    order = np.argsort(-worth, 1, kind="stable")[:, : min(most, policy.shape[1])]
    allowed = np.take_along_axis(policy, order, 1) > 0
    return np.where(allowed, order, NOBODY)[:, : max(1, int(allowed.sum(1).max()))]
