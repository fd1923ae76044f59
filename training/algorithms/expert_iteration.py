"""Train by expert iteration: the policy learns what thinking ahead makes of it, the value network how deals end.

As AlphaZero does (Silver et al. 2017; "expert iteration", Anthony et al. 2017), in games of hidden information and of
any number of seats: some decisions of self-play, drawn by lot, are thought about, the networks playing on for all seats
(lookahead.py), and the policy is drawn to `softmax(log policy + gain / tau)` there, a step of mirror descent on what
rollouts say (Sokota et al. 2023). All other decisions are played by the policy at once, so that there are many
deals to learn values from ("playout cap randomisation", Wu 2019). Read top to bottom: a run deals a table for each of
`tables`, plays all to the end, and learns `epochs` times from what was decided. Letters: `n` views, `r` decisions of a
batch, `D` numbers in an observation, `W` bytes that they are kept as, `A` actions, `C` candidates.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from sobremesa.agents.search.network import Untakeable
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.training.algorithms.ppo_learner import ADAM_FLOOR, LARGEST_GRADIENT, LAST_RATE, VALUE_WEIGHT
from sobremesa.training.config.classes import ConfigError, ExpertIterationConfig
from sobremesa.training.data.initial_weights import begin_as
from sobremesa.training.data.lookahead import Thinker
from sobremesa.training.data.sample_buffer import Kept
from sobremesa.training.data.teacher import Teacher
from sobremesa.training.networks.policy import Net, PolicyNet, forbid
from sobremesa.training.networks.views import Views
from sobremesa.training.runs.evaluation import Progress, check_networks, policy_parts, setup_per_table
from sobremesa.training.runs.loop import Loop, weights_of

REDEAL = "redeal"  # as `belief`
NOBODY = -1  # instead of an action: no candidate, or no advice


class Decided(NamedTuple):
    """What was decided in a batch of deals, in the order of time."""

    table: np.ndarray  # (r,) int64
    seat: np.ndarray  # (r,) int64
    codes: np.ndarray  # (r, W) uint8, what the seat saw
    value: np.ndarray  # (r,) float32, what the value network made of it


class Lessons(NamedTuple):
    """Decisions of which is known what the policy had better be."""

    table: np.ndarray  # (k,) int64
    codes: np.ndarray  # (k, W) uint8
    better: np.ndarray  # (k, A) float32, 0 for what is not allowed


class Training(Loop):
    """A run: the networks, the tables where all seats play by them, and the lessons that are kept."""

    config: ExpertIterationConfig

    def __init__(
        self, config: ExpertIterationConfig, folder: Path, progress: Progress | None, record: Any = None
    ) -> None:
        super().__init__(config, folder, progress, record)
        game, parts = self.game, policy_parts(config)
        check_networks(config, game)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.policy, self.value = PolicyNet(game, **parts), Net(game, "value", **parts)
        self.learned = self.policy
        self.weights = [*self.policy.parameters(), *self.value.parameters()]
        self.optimizer = torch.optim.Adam(self.weights, config.learning_rate, eps=ADAM_FLOOR, fused=True)
        for weight in self.weights:  # all have a gradient from the first step on, as when a run is gone on with
            weight.grad = torch.zeros_like(weight)
        self.rng = np.random.default_rng(config.seed)
        self.teacher = Teacher(config, game) if config.teacher else None
        self.spent = False  # the budget of steps, but for less than a deal
        codes, better = np.zeros((0, game.layout.width), np.uint8), np.zeros((0, game.num_actions), np.float32)
        self.kept = Kept(config.window, codes=codes, better=better)
        try:
            self.thinker = Thinker(game, parts, config.ahead, config.belief == REDEAL, config.workers)
            self.thinker.take_over(self.policy, self.value)
            self.tables = VectorEnv(game, config.tables, copy=False, dtype="uint8", **setup_per_table(config))
        except Untakeable as error:
            raise ConfigError(f"hidden={config.hidden}: such networks cannot play inside kernels: {error}") from None
        except (TypeError, ValueError) as error:
            raise ConfigError(f"setup: {error}") from None
        if config.start and record is None:
            begin_as(self.policy, config.start, config, game)

    def update(self) -> dict[str, float]:
        """Play a deal at each table and learn from them, as far as the budget of steps reaches."""
        self.thinker.take_over(self.policy, self.value)
        decided, lessons, payoffs, lengths = self._play()
        within = np.cumsum(lengths) <= self.config.steps - self.steps
        self.spent = not within.all()
        if not within.any():
            return {}
        decided = Decided(*(column[within[decided.table]] for column in decided))
        lessons = Lessons(*(column[within[lessons.table]] for column in lessons))
        self.kept.add(codes=lessons.codes, better=lessons.better)
        targets = targets_of(decided, payoffs, self.config.gae_lambda)
        told = self._learn(decided.codes, targets)
        self.steps += int(lengths[within].sum())
        spread = targets.var()
        return told | {
            "value/explained": 1 - float((targets - decided.value).var() / spread) if spread > 0 else 0.0,
            "lessons/new": len(lessons.table),
            "deals/payoff": float(payoffs[within, 0].mean()),
            "deals/plies": float(lengths[within].mean()),
        }

    def _play(self) -> tuple[Decided, Lessons, np.ndarray, np.ndarray]:
        """Play a deal at each table; return decisions, lessons, payoffs `(N, seats)`, and the plies of each `(N,)`."""
        seen = self.tables.reset(int(self.rng.integers(2**62)))
        count = self.tables.num_envs
        payoffs, plies = np.zeros((count, self.game.max_seats), np.float32), np.zeros(count, np.int64)
        taught = self.rng.random(count) < (self.teacher.weight(self.done) if self.teacher else 0.0)
        playing, decided, lessons = np.ones(count, bool), [], []
        while playing.any():
            rows = np.flatnonzero(playing)
            actions, values, learnt = self._decide(rows, seen, taught)
            decided.append(Decided(rows, seen.seats[rows].astype(np.int64), seen.observations[rows], values))
            lessons.append(learnt)
            everybody = seen.masks.argmax(1)  # tables whose deal is over play on, unheeded
            everybody[rows] = actions
            plies[rows] += 1
            seen = self.tables.step(everybody)
            ended = playing & seen.dones
            payoffs[ended] = seen.payoffs[ended]
            playing &= ~seen.dones
        all_decided, all_lessons = ([np.concatenate(part) for part in zip(*many, strict=True)]
                                    for many in (decided, lessons))  # fmt: skip
        return Decided(*all_decided), Lessons(*all_lessons), payoffs, plies

    def _decide(self, rows: np.ndarray, seen: VectorStep, taught: np.ndarray) -> tuple[np.ndarray, np.ndarray, Lessons]:
        """Return what is played at the tables `rows`, what the views are worth, and what there is to learn there."""
        config, game, rng = self.config, self.game, self.rng
        codes, masks = seen.observations[rows], seen.masks[rows]
        observations = game.layout.decode(codes)
        with torch.inference_mode():
            views = Views(torch.from_numpy(observations), torch.from_numpy(masks))
            nothing = torch.zeros(len(rows), 0)
            logits, values = (net.run(views, nothing)[0].numpy() for net in (self.policy, self.value))
        policy = softmax(np.where(masks > 0, logits, -np.inf))
        choices, guided = masks.sum(1) > 1, taught[rows]
        thought = (rng.random(len(rows)) < config.share) & choices & ~guided & (self.steps >= config.think_after)
        better = policy.copy()
        if thought.any():
            better[thought] = self._think(rows[thought], policy[thought])
        if self.teacher and guided.any():
            advice = np.zeros(len(rows), np.int64)
            self.teacher.advise(np.flatnonzero(guided), observations, masks, rng, advice)
            better[guided] = np.eye(game.num_actions, dtype=np.float32)[advice[guided]]
        known = thought | (guided & choices)
        played = draw(better, rng)
        return played, values[:, 0].copy(), Lessons(rows[known], codes[known], better[known])

    def _think(self, tables: np.ndarray, policy: np.ndarray) -> np.ndarray:
        """Return what thinking makes of `policy` `(n, A)` where these `tables` stand."""
        config, rng = self.config, self.rng
        candidates = promising(policy, config.candidates, rng)
        seeds = rng.integers(2**62, size=len(tables))
        paid = self.thinker.payoffs(self.tables.states[tables], seeds, candidates, config.worlds)
        return improved(policy, candidates, paid, config.tau, config.gate)

    def _learn(self, codes: np.ndarray, targets: np.ndarray) -> dict[str, float]:
        """Fit the value network to `targets` `(r,)` of the views `codes`, and the policy to all lessons that are kept.

        Returns the mean losses of the last epoch. Raises FloatingPointError, with the weights as they are by then, if
        one is not finite.
        """
        config, kept = self.config, self.kept
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * (1 + (LAST_RATE - 1) * self.done)
        losses: list[tuple[float, float]] = []
        for _ in range(config.epochs):
            losses = []
            parts = max(1, -(-len(codes) // config.batch_size), -(-kept.count // config.batch_size))
            values, lessons = (np.array_split(self.rng.permutation(count), parts) for count in (len(codes), kept.count))
            for some, learnt in zip(values, lessons, strict=True):
                value = self._value_loss(codes[some], targets[some])
                policy = self._policy_loss(*kept.take(learnt))
                self.optimizer.zero_grad(set_to_none=False)
                (policy + VALUE_WEIGHT * value).backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.weights, LARGEST_GRADIENT)
                self.optimizer.step()
                losses.append((policy.item(), value.item()))
        means = np.mean(losses, 0)
        if not np.isfinite(means).all():
            raise FloatingPointError(f"the losses are {means}; lower learning_rate={config.learning_rate}")
        return {"loss/policy": float(means[0]), "loss/value": float(means[1])}

    def _value_loss(self, codes: np.ndarray, targets: np.ndarray) -> torch.Tensor:
        """Return the mean square of what the value network is off `targets`; 0 where there are none."""
        if not len(codes):
            return torch.zeros((), requires_grad=True)
        views = Views(torch.from_numpy(self.game.layout.decode(codes)))
        values = self.value.run(views, torch.zeros(len(codes), 0))[0][:, 0]
        return (values - torch.from_numpy(targets)).square().mean()

    def _policy_loss(self, codes: np.ndarray, better: np.ndarray) -> torch.Tensor:
        """Return the mean divergence of the policy from what is `better` `(k, A)`; 0 where there are no lessons."""
        if not len(codes):
            return torch.zeros((), requires_grad=True)
        wanted = torch.from_numpy(better)
        allowed = wanted > 0
        views = Views(torch.from_numpy(self.game.layout.decode(codes)), allowed)
        logs = forbid(self.policy.run(views, torch.zeros(len(codes), 0))[0], allowed).log_softmax(1)
        return (wanted * (wanted.clamp(min=1e-30).log() - logs)).sum(1).mean()

    @property
    def over(self) -> bool:
        """Whether the next deal would go beyond the budget, too."""
        return self.spent or super().over

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """Return the weights of both networks, and the lessons that are kept."""
        return {"policy": weights_of(self.policy), "value": weights_of(self.value), "lessons": self.kept.arrays()}

    def numbers(self) -> dict[str, Any]:
        """Return whether the budget is spent, and how many lessons there have been."""
        return {"spent": self.spent, "lessons": self.kept.added}

    def restore(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restore these, too."""
        super().restore(arrays, numbers)
        self.spent, self.kept.added = bool(numbers["spent"]), int(numbers["lessons"])


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the softmax of `logits` `(n, A)`, float32."""
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), np.float32)


def draw(policy: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an action for each line of `policy` `(n, A)`, drawn from it; what is 0 there is never drawn."""
    with np.errstate(divide="ignore"):
        drawn: np.ndarray = (np.log(policy) + rng.gumbel(size=policy.shape)).argmax(1)
    return drawn


def promising(policy: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return candidates `(n, C)`, NOBODY where there are fewer: all actions that are allowed, or `most` of them.

    Those are drawn from `policy` `(n, A)` without putting back (Gumbel's top, Danihelka et al. 2022).
    """
    with np.errstate(divide="ignore"):
        worth = np.log(policy) + rng.gumbel(size=policy.shape)
    order = np.argsort(-worth, 1, kind="stable")[:, : min(most, policy.shape[1])]
    allowed = np.take_along_axis(policy, order, 1) > 0
    return np.where(allowed, order, NOBODY)[:, : max(1, int(allowed.sum(1).max()))]


def improved(policy: np.ndarray, candidates: np.ndarray, paid: np.ndarray, tau: float, gate: float) -> np.ndarray:
    """Return `softmax(log policy + gain / tau)` `(n, A)`: what is better than `policy` by what was `paid` `(n, C, W)`.

    The gain of a candidate is its mean over what the policy would be paid on average in the same worlds; as far as it
    is within `gate` of its standard errors of nothing it counts for nothing. What is no candidate gains nothing.
    """
    there, index = candidates != NOBODY, np.maximum(candidates, 0)
    prior = np.where(there, np.take_along_axis(policy, index, 1), 0)
    whole = prior.sum(1, keepdims=True)
    worlds = paid.shape[2]
    gains = paid - np.einsum("nc,ncw->nw", prior / whole, paid)[:, None]
    means = gains.mean(2)
    errors = gains.std(2, ddof=1) / np.sqrt(worlds) if worlds > 1 else np.zeros_like(means)
    sure = np.sign(means) * np.maximum(np.abs(means) - gate * errors, 0)
    odds = prior * np.exp(np.clip(sure / tau, -50, 50))
    better = policy.copy()
    odds *= whole / odds.sum(1, keepdims=True)
    row, place = np.nonzero(there)
    better[row, candidates[row, place]] = odds[row, place]
    return better


def targets_of(decided: Decided, payoffs: np.ndarray, decay: float) -> np.ndarray:
    """Return what the value of each decision is to be fitted to, `(r,)` float32: TD(lambda) with lambda = `decay`.

    It is the payoff after a seat's last decision; else the value of its next one and what came of that, mixed.
    """
    targets = np.zeros(len(decided.table), np.float32)
    after: dict[tuple[int, int], int] = {}
    for row in range(len(targets) - 1, -1, -1):
        whose = int(decided.table[row]), int(decided.seat[row])
        later = after.get(whose)
        targets[row] = payoffs[whose] if later is None else (1 - decay) * decided.value[later] + decay * targets[later]
        after[whose] = row
    return targets
