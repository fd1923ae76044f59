"""Policy improvement at the table: an agent that leaves its base's choice only where rollouts speak for it.

For a few promising actions the *same* redealt worlds are played on, and what each action gains over the base's own
choice is a mean of paired differences. Budgets are spent by sequential halving (Karnin, Koren and Somekh 2013; as in
Gumbel MuZero, Danihelka et al. 2022), and the base's choice stands unless the lower bound of the best gain is above
nothing: one-ply search over a good policy (SPARTA, Lerer et al. 2020) is ruined by the noise of rollouts without it.

Letters: `W` worlds, `C` candidates.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, inf, log2
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.envs.core.agent import Agent, View, forget_deals, memory_size
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of

FEWEST = 4  # worlds in which two actions are set beside each other before either may be dropped
MOST_WORLDS = 100_000
MOST_ACTIONS = 10_000
_UNKNOWN = 1e9  # the standard error of what was tried once


@dataclass(frozen=True)
class Budget:
    """How much a search may do, and when it believes what it finds.

    Args:
        worlds: redealt worlds in which the last two candidates are played on.
        actions: the most candidates; where more are legal the most promising ones are taken.
        gate: standard errors that a paired gain must be above nothing; infinite: the base plays.
        seconds: stop after so long, for play at a table; 0 does not stop. Such a search does not repeat on a seed.
    """

    worlds: int = 32
    actions: int = 8
    gate: float = 2.0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name, most in (("worlds", MOST_WORLDS), ("actions", MOST_ACTIONS)):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 1 <= value <= most:
                raise ValueError(f"{name}={value!r} is not allowed; it takes a whole number from 1 to {most}")
        if not self.gate >= 0:
            raise ValueError(f"gate={self.gate!r} is not allowed; it takes a number of standard errors from 0")
        if not 0 <= self.seconds < inf:
            raise ValueError(f"seconds={self.seconds!r} is not allowed; it takes a number of seconds from 0")


class Line(NamedTuple):
    """What a search thinks of one action."""

    action: int
    payoff: float  # mean of what was played on
    error: float  # standard error of that; NaN where trials are not independent, as in a tree
    gain: float  # mean over what the base's choice is paid in the same worlds; 0 in a tree
    trials: int  # worlds in which it was played on, or visits


class Thought(NamedTuple):
    """What came of a search: the action and the candidates, first that action, then those that were kept longest."""

    action: int
    base: int  # what the base agent would play
    lines: tuple[Line, ...]


class Improve:
    """An agent that plays as `base` does unless rollouts by `rollout` show that another action is better.

    Its `name` says all of it. Decisions follow from the view and the seat's stream; the base draws from that stream as
    it would alone, the search draws nothing.
    """

    tables = 256  # the most that it plays at once: batches are in its rollouts

    def __init__(self, name: str, game: Game, base: Agent, rollout: Agent, budget: Budget | None = None) -> None:
        self.name = name
        self.base = base
        self.rollout = rollout
        self.budget = budget or Budget()
        self._game = game
        self._rollouts: Rollouts | None = None

    def forget(self, seeds: Iterable[int]) -> None:
        """Tell the base that deals begin in which the seats' streams begin at `seeds`."""
        forget_deals([self.base], seeds)

    def act(self, view: View) -> int:
        """Return a legal action for `view.seat`."""
        return self.think(view).action

    def think(self, view: View) -> Thought:
        """Return the action for `view.seat` and what was found about each candidate."""
        began, seed = perf_counter(), seed_of(view)
        promising = _candidates(self.base, view, self.budget.actions, seed)
        base = int(self.base.act(view))
        candidates = np.array([base, *(action for action in promising if action != base)][: self.budget.actions])
        if len(candidates) < 2 or self.budget.gate == inf:
            return Thought(base, base, ())
        if self._rollouts is None:
            self._rollouts = Rollouts(self._game, self.rollout)
        found = _Found(candidates, self.budget.worlds)
        for low, high in _rounds(len(candidates), self.budget.worlds):
            if self.budget.seconds and perf_counter() - began >= self.budget.seconds:
                break
            left = found.left
            worlds = sample_worlds(view, seed, low, high)
            paid = self._rollouts.payoffs(worlds, candidates[left], seeds_of(CHANCE, seed, range(low, high)))
            found.add(low, high, paid[:, :, view.seat])
            found.halve(self.budget.gate)
            if len(found.left) == 1:
                break
        return found.thought(self.budget.gate)

    @property
    def content(self) -> str:
        """A digest of how it searches, beside what its base and its rollouts are."""
        return hashlib.sha256(repr((_FORMAT, self.budget)).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


_FORMAT = 1  # of the search: raised when the same budget would choose otherwise


class _Found:
    """Payoffs `(W, C)` of candidates in worlds, NaN where one was not played; the first is the base's choice."""

    def __init__(self, candidates: np.ndarray, worlds: int) -> None:
        self._candidates = candidates
        self._paid = np.full((worlds, len(candidates)), np.nan)
        self.left = np.arange(len(candidates))  # those still in the running; the base's choice always is

    def add(self, low: int, high: int, paid: np.ndarray) -> None:
        self._paid[low:high, self.left] = paid

    def halve(self, gate: float) -> None:
        """Keep the base's choice and the better half of the others, none that can hardly gain."""
        gains, errors, _ = self._gains()
        others = self.left[1:]
        others = others[np.argsort(-gains[others], kind="stable")][: ceil(len(others) / 2)]
        hopeful = gains[others] + max(gate, 1.0) * errors[others] > 0
        self.left = np.concatenate([self.left[:1], np.sort(others[hopeful])])

    def _gains(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return each candidate's mean gain over the base's choice, its standard error, and in how many worlds."""
        return _means(self._paid - self._paid[:, :1])

    def thought(self, gate: float) -> Thought:
        gains, errors, counts = self._gains()
        base = int(self._candidates[0])
        sure = (counts >= FEWEST) & (gains - gate * errors > 0)
        sure[np.setdiff1d(np.arange(len(sure)), self.left[1:])] = False  # one that was dropped was so in fewer worlds
        best = int(np.argmax(np.where(sure, gains, -np.inf))) if sure.any() else 0
        payoffs, spreads, _ = _means(self._paid)
        order = sorted(np.flatnonzero(counts).tolist(), key=lambda c: (c != best, -counts[c], -gains[c]))
        lines = [
            Line(int(self._candidates[c]), float(payoffs[c]), float(spreads[c]), float(gains[c]), int(counts[c]))
            for c in order
        ]
        return Thought(int(self._candidates[best]), base, tuple(lines))


def _means(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means, their standard errors and counts of the columns of `values`, without what is NaN."""
    counts = (~np.isnan(values)).sum(0)
    played = np.maximum(counts, 1)
    means = np.nansum(values, 0) / played
    spread = np.nansum((values - means) ** 2, 0) / np.maximum(counts - 1, 1)
    return means, np.where(counts > 1, np.sqrt(spread / played), _UNKNOWN), counts


def _rounds(candidates: int, worlds: int) -> list[tuple[int, int]]:
    """Return the worlds `low` to `high` of each round of sequential halving; as many rollouts a round as can be."""
    rounds = max(1, ceil(log2(max(candidates - 1, 1))) + 1)
    weights = np.array([2.0**number for number in range(rounds)])
    edges = np.maximum(np.round(np.cumsum(weights) / weights.sum() * worlds), FEWEST).astype(int)
    edges = np.minimum(np.maximum.accumulate(edges), worlds)
    return [(int(low), int(high)) for low, high in zip([0, *edges[:-1]], edges, strict=True) if high > low]


def _candidates(base: Agent, view: View, most: int, seed: int) -> list[int]:
    """Return legal actions to be tried, the most promising first: Gumbel's top `most` of the base's own policy.

    Where the base has no policy but a choice, or all legal actions fit, the rest follow in an order drawn by lot.
    """
    legal = np.flatnonzero(view.mask)
    noise = np.random.default_rng(seed).gumbel(size=len(legal))
    logits: Any = getattr(base, "logits", None)
    if logits is None or len(legal) <= most or memory_size(base):
        worth = noise
    else:
        worth = noise + logits(view.observation[None], view.mask[None])[0, legal].astype(float)
    return [int(action) for action in legal[np.argsort(-worth, kind="stable")][:most]]
