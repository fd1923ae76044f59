"""Rollout policy iteration: learn from rollouts how much more each action brings than a scripted agent's choice.

At sampled decisions (`shares`) the run plays each of some candidates in the deal itself or in determinizations, and the
scripted agent plays on for all seats to the end (rollouts: Tesauro and Galperin 1996). The network learns the mean
gains by regression (approximate policy iteration by rollouts, Lagoudakis and Parr 2003; Ross and Bagnell 2014). It is a
residual policy: it starts as the scripted agent (agents/advice.py) and plays the action with the largest estimate.

For each kind of decisions (`kinds`) the policy overrides the scripted agent only above a threshold, which is given
(`thresholds`) or fitted on held-out samples (override_threshold.py). Each seat plays by the policy or by the scripted
agent, at random for each deal, so that the network learns where either leads (Ross et al. 2011). Samples are turned and
mirrored at random by the symmetries of the game.

On a GPU all rollouts of an update are played side by side there; the network plays and learns on the processor. From
the same seeds the gains are those of the processor, to the bit, unless the scripted agent takes logarithms,
exponentials or powers (envs/core/compile/elementary.py).

Letters: `n` views, `k` samples, `D` numbers in an observation, `W` bytes of its uint8 form, `A` actions, `C`
candidates, `K` kinds.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch

from sobremesa.agents.search.rollouts import CHANCE, WORLD, Rollouts
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.envs.core.device.rollouts import AS_IT_IS
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.symmetry import Symmetry
from sobremesa.envs.core.table import table_kernels
from sobremesa.training.algorithms.action_values import ActionValues, descend, mostly_best
from sobremesa.training.algorithms.override_threshold import ENOUGH, NEVER, override_thresholds
from sobremesa.training.config.classes import REDEAL, ConfigError, RolloutIterationConfig
from sobremesa.training.config.keys import require
from sobremesa.training.data.deals import play_deals
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.data.sample_buffer import SampleBuffer, shares_of
from sobremesa.training.networks.policy import Trunk
from sobremesa.training.runs.evaluation import (
    check_networks,
    load_agent,
    policy_parts,
    setup_per_table,
    symmetries_of,
)
from sobremesa.training.runs.loop import DealsLoop, weights_of

WEIGHT_DECAY = 0.02
FOLLOW = 0.5  # chance that a seat plays as the scripted agent in a deal
HELD = 0.2  # part of the deals whose samples are held out, to fit thresholds
AT_ONCE = 1024  # samples in one forward pass
NOBODY = -1  # no candidate


class Sampled(NamedTuple):
    """Sampled decisions, before their rollouts."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8 observations
    candidates: np.ndarray  # (k, C) int16: the scripted choice first, then others, NOBODY behind them
    states: np.ndarray  # (k,) tables
    seats: np.ndarray  # (k,) int8 seats to act
    seeds: np.ndarray  # (k,) int64, of all chance in the rollouts


class Samples(NamedTuple):
    """Decisions with the measured gains of some actions."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8 observations
    candidates: np.ndarray  # (k, C) int16
    gains: np.ndarray  # (k, C) float32 over the first candidate


class ThreadedWorlds:
    """Rollouts in `workers` threads of the processor; any number gives the same payoffs."""

    def __init__(self, game: Game, agent: Agent, workers: int) -> None:
        self._redeal = table_kernels(game).redeal
        self._rollouts = [Rollouts(game, agent) for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="thinking")

    def payoffs(
        self, states: np.ndarray, seats: np.ndarray, candidates: np.ndarray, worlds: np.ndarray, chances: np.ndarray
    ) -> np.ndarray:
        """Return the payoffs of `seats` `(n,)` after each of `candidates` `(n, C)`, `(W, n, C)` float32.

        They are 0 where there is no candidate. `worlds` `(n, W)` are the seeds of determinizations of `states` `(n,)`,
        or AS_IT_IS; `chances` `(n, W)` those of all chance, the same for all candidates.
        """
        found = np.zeros((worlds.shape[1], *candidates.shape), np.float32)

        def think(rollouts: Rollouts, part: np.ndarray) -> None:
            for one in part:
                tables, seat, there = (
                    np.repeat(states[one : one + 1], len(found)),
                    seats[one],
                    candidates[one] != NOBODY,
                )
                for world, seed in enumerate(worlds[one]):
                    if seed != AS_IT_IS:
                        self._redeal(tables[world : world + 1], seat, int(seed))
                paid = rollouts.payoffs(tables, candidates[one][there].astype(np.int64), chances[one])
                found[:, one, there] = paid[:, :, seat]

        list(self._pool.map(think, self._rollouts, np.array_split(np.arange(len(states)), len(self._rollouts))))
        return found


class DeviceWorlds:
    """Rollouts on a device; see `ThreadedWorlds`."""

    def __init__(self, game: Game, agent: Agent, device: torch.device) -> None:
        from sobremesa.agents.search.device.rollouts import DeviceRollouts  # which compiles for GPUs

        self._rollouts = DeviceRollouts(game, agent, device)

    def payoffs(
        self, states: np.ndarray, seats: np.ndarray, candidates: np.ndarray, worlds: np.ndarray, chances: np.ndarray
    ) -> np.ndarray:
        found = np.zeros((worlds.shape[1], *candidates.shape), np.float32)
        one, place = np.nonzero(candidates != NOBODY)
        position, actions = (np.repeat(column, len(found)) for column in (one, candidates[one, place].astype(np.int64)))
        paid = self._rollouts.payoffs(states, position, worlds[one].ravel(), chances[one].ravel(), actions)
        found[:, one, place] = paid[np.arange(len(paid)), seats[position]].reshape(len(one), len(found)).T
        return found


class Training(DealsLoop):
    """A run: the network, the tables, training and held-out samples.

    Raises ConfigError for a device that is not there.
    """

    config: RolloutIterationConfig

    def begin(self, new: bool) -> None:
        config, game = self.config, self.game
        device, least = config.torch_device(), int(np.ceil(ENOUGH / HELD))
        require(config.window >= least, "window", config.window, f"{least} or more, which a threshold needs")
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
        self.thresholds = np.full(max(1, self.count), NEVER, np.float32)
        kinds = [str(kind) for kind in range(len(self.thresholds))]
        require(config.thresholds.keys() <= set(kinds), "thresholds", config.thresholds, f"kinds from 0 to {kinds[-1]}")
        self.given = np.array([config.thresholds.get(kind, np.nan) for kind in kinds], np.float32)
        self.set_thresholds(self.thresholds)
        if config.start and new:
            begin_as(self.net, config.start, config, game)
            assert self.trunks[0].doubt is not None
            self.set_thresholds(self.trunks[0].doubt[0].numpy())
        assert self.net.advisor is not None
        self.advisor = self.net.advisor
        self.optimizer = torch.optim.AdamW(self.net.parameters(), 0.0, weight_decay=WEIGHT_DECAY, fused=True)
        self.rng = np.random.default_rng(config.seed)
        agent = load_agent("advised_by", config.advised_by, game)
        self.worlds = (
            ThreadedWorlds(game, agent, config.workers) if config.device == "cpu" else DeviceWorlds(game, agent, device)
        )
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
        """Play a deal at each table and learn from the deals within the budget of steps."""
        samples, payoffs, lengths = self._play()
        within = self.within(lengths)
        if not within.any():
            return {}
        held = self.rng.random(len(within)) < HELD
        new = 0
        for kept, tables in ((self.kept, within & ~held), (self.held, within & held)):
            some = tables[samples.table]
            kept.add(codes=samples.codes[some], candidates=samples.candidates[some], gains=samples.gains[some])
            new += int(some.sum())
        metrics = self._learn(new)
        self.steps += int(lengths[within].sum())
        return metrics | {
            "samples/new": new,
            "deals/payoff": float(payoffs[within, 0].mean()),
            "deals/plies": float(lengths[within].mean()),
        }

    def _play(self) -> tuple[Samples, np.ndarray, np.ndarray]:
        """Play a deal at each table; return samples, payoffs `(N, seats)` and lengths `(N,)`."""
        seed = int(self.rng.integers(2**62))
        following = self.rng.random((self.tables.num_envs, self.game.max_seats)) < FOLLOW
        sampled: list[Sampled] = []

        def choose(rows: np.ndarray, seen: VectorStep) -> np.ndarray:
            actions, found = self._decide(rows, seen, following)
            sampled.append(found)
            return actions

        payoffs, lengths = play_deals(self.tables, seed, choose)
        every = Sampled(*(np.concatenate(part) for part in zip(*sampled, strict=True)))
        gains = self.gains(every.states, every.seats, every.candidates, every.seeds)
        return Samples(every.table, every.codes, every.candidates, gains), payoffs, lengths

    def _decide(self, rows: np.ndarray, seen: VectorStep, following: np.ndarray) -> tuple[np.ndarray, Sampled]:
        """Return the actions at the tables `rows`, and the sampled decisions among them."""
        config, rng = self.config, self.rng
        codes, masks, seats = seen.observations[rows], seen.masks[rows], seen.seats[rows]
        observations = self.game.layout.decode(codes)
        views = self.advisor.advise(observations, masks)
        advised = views[:, -self.game.num_actions :].argmax(1)
        with torch.inference_mode():
            logits = self.net.value(views).numpy()
        sampled = (rng.random(len(rows)) < self.shares[self.kinds(observations)]) & (masks.sum(1) > 1)
        candidates = self._candidates(logits[sampled], masks[sampled], advised[sampled])
        seeds = rng.integers(2**62, size=len(candidates))
        states = self.tables.states[rows[sampled]]
        played = mostly_best(logits, masks > 0, np.zeros(len(rows), bool), rng)
        follows = following[rows, seats]
        played[follows] = advised[follows]
        at_random = rng.random(len(rows)) < config.explore * (1 - self.done)
        played[at_random] = mostly_best(logits, masks > 0, at_random, rng)[at_random]
        return played, Sampled(rows[sampled], codes[sampled], candidates, states, seats[sampled], seeds)

    def _candidates(self, logits: np.ndarray, masks: np.ndarray, advised: np.ndarray) -> np.ndarray:
        """Return `(n, C)` int16: the action `advised` `(n,)`, then others drawn by `logits` `(n, A)`."""
        found = np.full((len(logits), self.config.candidates), NOBODY, np.int16)
        if len(logits):
            found[:, 0] = advised
            others = masks > 0
            others[np.arange(len(found)), advised] = False
            policy = softmax(np.where(others, logits / self.config.margin, -1e9)) * others
            drawn = candidate_actions(policy, self.config.candidates - 1, self.rng)
            found[:, 1 : 1 + drawn.shape[1]] = drawn
        return found

    def gains(self, states: np.ndarray, seats: np.ndarray, candidates: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Return the mean gain of each candidate over the first one, for its seat, `(n, C)` float32.

        Args:
            states: (n,) tables; with `redeal` the seats' hidden information is resampled.
            seats: (n,) seats to act.
            candidates: (n, C) legal actions, padded with `NOBODY`, which gains 0.
            seeds: (n,) of all chance, the same for all candidates of a decision.
        """
        chances = self._seeds(CHANCE, seeds)
        worlds = self._seeds(WORLD, seeds) if self.config.belief == REDEAL else np.full_like(chances, AS_IT_IS)
        worth = self.worlds.payoffs(states, seats, candidates, worlds, chances).mean(0)
        return np.where(candidates != NOBODY, worth - worth[:, :1], np.float32(0))

    def _seeds(self, label: str, seeds: np.ndarray) -> np.ndarray:
        """Return the seeds of the worlds of each decision, `(n, W)` int64."""
        number = self.config.worlds
        return np.array([seeds_of(label, int(seed), range(number)) for seed in seeds], np.int64).reshape(-1, number)

    def _learn(self, new: int) -> dict[str, float]:
        """Take gradient steps for `new` samples, each `epochs` times on average; return the mean loss, if any."""
        config, losses = self.config, []
        for _ in range(-(-new * config.epochs // config.batch_size) if self.kept.count else 0):
            which = self.rng.integers(self.kept.count, size=config.batch_size)
            codes, candidates, gains = self.kept.take(which)
            estimates, there = self.gain_estimates(codes, candidates, turned=True)
            off = (estimates - torch.from_numpy(gains))[:, 1:]
            loss = off[torch.from_numpy(there[:, 1:])].square().mean()
            losses.append(descend(self.optimizer, loss, config.learning_rate, self.done))
        return {"loss/policy": float(np.mean(losses))} if losses else {}

    def gain_estimates(
        self, codes: np.ndarray, candidates: np.ndarray, turned: bool = False
    ) -> tuple[torch.Tensor, np.ndarray]:
        """Return the estimated gains of candidates without thresholds, and which candidates there are, both `(k, C)`.

        With `turned` views and candidates are turned and mirrored at random.
        """
        observations = self.game.layout.decode(codes)
        there, actions = candidates != NOBODY, np.maximum(candidates, 0).astype(np.int64)
        for some, symmetry in self._turns(len(codes)) if turned else ():
            observations[some] = observations[some][:, symmetry.seen]
            actions[some] = symmetry.actions[actions[some]]
        views = np.concatenate([observations, np.eye(self.game.num_actions, dtype=np.float32)[actions[:, 0]]], 1)
        worth = self.net.value(views).gather(1, torch.from_numpy(actions))
        thresholds = torch.from_numpy(self.thresholds[self.kinds(observations)])[:, None]
        return worth - worth[:, :1] + thresholds, there

    def kinds(self, observations: np.ndarray) -> np.ndarray:
        """Return the kinds of decisions `(n,)` int64 from their `observations` `(n, D)`.

        Raises ConfigError if the block `kinds` is not one-hot.
        """
        if not self.count:
            return np.zeros(len(observations), np.int64)
        block = observations[:, self.first : self.first + self.count]
        if ((block != 0).sum(1) != 1).any() or (block.sum(1) != 1).any():
            raise ConfigError(
                f"kinds={self.config.kinds!r} is not allowed; it takes a block with one 1 and 0 elsewhere"
            )
        kinds: np.ndarray = block.argmax(1)
        return kinds

    def _turns(self, count: int) -> list[tuple[np.ndarray, Symmetry]]:
        """Draw a symmetry or the identity for each of `count` views; return the views of each symmetry."""
        lots = self.rng.integers(1 + len(self.symmetries), size=count)
        return [(np.flatnonzero(lots == number), one) for number, one in enumerate(self.symmetries, 1)]

    def _evaluate(self) -> None:
        """Fit the thresholds, then evaluate."""
        self.finalize_weights()
        super()._evaluate()

    def finalize_weights(self) -> None:
        """Fit the thresholds on the held-out samples."""
        found: list[list[np.ndarray]] = []
        for part in np.array_split(np.arange(self.held.count), -(-self.held.count // AT_ONCE) or 1):
            codes, candidates, gains = self.held.take(part)
            with torch.inference_mode():
                estimates, there = self.gain_estimates(codes, candidates)
            kinds = self.kinds(self.game.layout.decode(codes))
            found.append([np.where(there, estimates.numpy(), -NEVER), gains, kinds])
        estimated, measured, kinds = map(np.concatenate, zip(*found, strict=True))
        settled = override_thresholds(estimated, measured, kinds, len(self.thresholds), self.config.surely)
        self.set_thresholds(np.where(self.shares > 0, settled, self.thresholds))  # other kinds have no samples

    def set_thresholds(self, thresholds: np.ndarray) -> None:
        """Override the scripted agent above these thresholds `(K,)`, or those that the configuration gives."""
        self.thresholds[:] = np.where(np.isnan(self.given), thresholds, self.given)
        for trunk in self.trunks:
            assert trunk.doubt is not None
            trunk.doubt[0] = torch.from_numpy(self.thresholds)

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return weights and samples."""
        return {"net": weights_of(self.net), "samples": self.kept.arrays(), "held": self.held.arrays()}

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent, and the numbers of samples so far."""
        return super().numbers() | {"samples": self.kept.added, "held": self.held.added}

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore the numbers of samples and the thresholds, too."""
        super().restore(arrays, numbers)
        self.kept.added, self.held.added = int(numbers["samples"]), int(numbers["held"])
        self.thresholds[:] = self.trunks[0].doubt


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the softmax of `logits` `(n, A)`, float32."""
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), np.float32)


def candidate_actions(policy: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return candidates `(n, C)`, padded with `NOBODY`: all legal actions, or `most` of them.

    They are drawn from `policy` `(n, A)` without replacement (Gumbel top-k, Danihelka et al. 2022).
    """
    with np.errstate(divide="ignore"):
        worth = np.log(policy) + rng.gumbel(size=policy.shape)
    order = np.argsort(-worth, 1, kind="stable")[:, : min(most, policy.shape[1])]
    allowed = np.take_along_axis(policy, order, 1) > 0
    return np.where(allowed, order, NOBODY)[:, : max(1, int(allowed.sum(1).max()))]
