"""Policy improvement at the table: an agent that leaves its base's choice only where rollouts speak for it.

For a few promising actions the *same* redealt worlds are played on, and what each action gains over the base's own
choice is a mean of paired differences. Budgets are spent by sequential halving (Karnin, Koren and Somekh 2013; as in
Gumbel MuZero, Danihelka et al. 2022), and the base's choice stands unless the lower bound of the best gain is above
nothing: one-ply search over a good policy (SPARTA, Lerer et al. 2020) is ruined by the noise of rollouts without it.
What can hardly come to pass that gate any more is not played on.

Letters: `W` worlds, `C` candidates.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf, log2
from time import perf_counter
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from sobremesa.agents.search.belief import Belief
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.envs.core.agent import (
    Agent,
    LimitedAgent,
    PolicyAgent,
    StochasticAgent,
    View,
    forget_deals,
    memory_size,
    value_estimate_of,
)
from sobremesa.envs.core.compile.digest import digest
from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of

FEWEST = 4  # worlds in which two actions are set beside each other before either may be dropped
# What can hardly pass the gate any more is given up: first after a quarter of the worlds, or the nearer of these
# numbers of them, then each time that they have doubled. "Hardly" is even if its true gain were so many standard errors
# better than it seems, and what is left were so much luckier.
FIRST_LOOK = (8, 32)
HOPE, LUCK = 1.0, 1.645
MOST_WORLDS = 100_000
MOST_ACTIONS = 10_000
MOST_TRIES = 100_000
MOST_PLIES = 1_000_000
MOST_TABLES = 256  # that a search plays at once: batches are in its rollouts
_UNKNOWN = 1e9  # the standard error of what was tried once


@dataclass(frozen=True)
class Budget:
    """How much a search may do, and when it believes what it finds.

    Args:
        worlds: redealt worlds in which the last two candidates are played on.
        actions: the most candidates; where more are legal the most promising ones are taken.
        gate: standard errors that a paired gain must be above nothing; infinite: the base plays.
        tau: payoff that makes up for a factor of e in the base's policy. With `gate=0` the choice is that of
            `softmax(log prior + Q / tau)`, Q being mean payoffs (Sokota et al. 2023); infinite: the base plays.
        trust: the prior of a base's choice where its policy is not known; what else is tried shares the rest.
        belief: ways in which `rollout`, at the other seats, may have led to what is seen; worlds that are found so are
            played on before redealt ones (belief.py). 0: redealt ones alone.
        plies: cut rollouts off after so many, at what `rollout` then thinks of the deal. 0: they go to the end.
        seconds: stop after so long, for play at a table; 0 does not stop. Such a search does not repeat on a seed.
    """

    worlds: int = 32
    actions: int = 8
    gate: float = 2.0
    tau: float = 0.0
    trust: float = 0.9
    belief: int = 0
    plies: int = 0
    seconds: float = 0.0

    @property
    def believes_nothing(self) -> bool:
        """Whether no gain is large enough to leave the base's choice."""
        return inf in (self.gate, self.tau)

    def __post_init__(self) -> None:
        whole = (("worlds", 1, MOST_WORLDS), ("actions", 1, MOST_ACTIONS), ("belief", 0, MOST_TRIES))
        for name, least, most in (*whole, ("plies", 0, MOST_PLIES)):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= most:
                raise ValueError(f"{name}={value!r} is not allowed; it takes a whole number from {least} to {most}")
        if not self.gate >= 0:
            raise ValueError(f"gate={self.gate!r} is not allowed; it takes a number of standard errors from 0")
        if not self.tau >= 0:
            raise ValueError(f"tau={self.tau!r} is not allowed; it takes a payoff from 0")
        if not 0 < self.trust < 1:
            raise ValueError(f"trust={self.trust!r} is not allowed; it takes a share between 0 and 1")
        if not 0 <= self.seconds < inf:
            raise ValueError(f"seconds={self.seconds!r} is not allowed; it takes a number of seconds from 0")


# (low, high, left) -> what the seat is paid in worlds `low` to `high` - 1 by the candidates that are left; None to stop
Play = Callable[[int, int, np.ndarray], np.ndarray | None]


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

    def __init__(self, name: str, game: Game, base: Agent, rollout: Agent, budget: Budget | None = None) -> None:
        self.name = name
        self.base = base
        self.rollout = rollout
        self.tables = min(MOST_TABLES, base.tables) if isinstance(base, LimitedAgent) else MOST_TABLES
        self.budget = budget = budget or Budget()
        self._game = game
        self._rollouts = Rollouts(game, rollout, budget.plies) if budget.plies else None  # others once they are needed
        self._belief = Belief(game, rollout, self.budget.belief) if self.budget.belief else None

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.name, self._game, self.base, self.rollout, self.budget
        return type(self), made, {"_belief": self._belief}

    def forget(self, seeds: Iterable[int]) -> None:
        """Tell the base that deals begin in which the seats' streams begin at `seeds`."""
        seeds = list(seeds)
        forget_deals([self.base, self._belief], seeds)

    def act(self, view: View) -> int:
        """Return a legal action for `view.seat`."""
        return self.think(view).action

    def think(self, view: View) -> Thought:
        """Return the action for `view.seat` and what was found about each candidate."""
        began, seed = perf_counter(), seed_of(view)
        candidates, prior = candidates_of(self.base, view, self.budget, seed)
        if len(candidates) < 2 or self.budget.believes_nothing:
            return Thought(int(candidates[0]), int(candidates[0]), ())
        if self._rollouts is None:
            self._rollouts = Rollouts(self._game, self.rollout)
        rollouts, seconds = self._rollouts, self.budget.seconds

        def late() -> bool:
            return bool(seconds) and perf_counter() - began >= seconds

        held = view.state[:0] if self._belief is None else self._belief.worlds(view, seed, late)

        def play(low: int, high: int, left: np.ndarray) -> np.ndarray | None:
            if late():
                return None
            worlds = np.concatenate([held[low:high], sample_worlds(view, seed, max(low, min(len(held), high)), high)])
            paid = rollouts.payoffs(worlds, candidates[left], seeds_of(CHANCE, seed, range(low, high)))
            return paid[:, :, view.seat]

        thought = decide(candidates, prior, self.budget, play)
        if self._belief is not None:
            self._belief.keep(view, seed, held, thought.action)
        return thought

    @property
    def content(self) -> str:
        """A digest of how it searches, beside what its base and its rollouts are."""
        estimate = value_estimate_of(self.rollout) if self.budget.plies else None
        beside = () if estimate is None else (digest(as_python(estimate)),)
        return hashlib.sha256(repr((_FORMAT, self.budget, *beside)).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def decide(candidates: np.ndarray, prior: np.ndarray, budget: Budget, play: Play) -> Thought:
    """Return what to play of `candidates` `(C,)`, the base's choice first, and what was found about each.

    `prior` `(C,)` is how good each seems beforehand, as `candidates_of` tells it. `play(low, high, left)` returns what
    the seat is paid, `(high - low, len(left))`, if those of the candidates that are `left` are played in worlds number
    `low` to `high` - 1; None where time is up.
    """
    found = _Found(candidates, budget.worlds, budget.tau * (prior[0] - prior) if budget.tau else None)
    for low, high, halves in _rounds(len(candidates), budget.worlds):
        paid = play(low, high, found.left)
        if paid is None:
            break
        found.add(low, high, paid)
        if halves:
            found.halve(budget.gate)
        if _first_look(budget.worlds) <= high < budget.worlds:
            found.give_up(budget.gate, high)
        if len(found.left) == 1:
            break
    return found.thought(budget.gate)


_FORMAT = 2  # of the search: raised when the same budget would choose otherwise


class _Found:
    """Payoffs `(W, C)` of candidates in worlds, NaN where one was not played; the first is the base's choice.

    A candidate is taken for it only where it gains more than its one of the `margins` `(C,)`, none if there are none.
    """

    def __init__(self, candidates: np.ndarray, worlds: int, margins: np.ndarray | None = None) -> None:
        self._candidates = candidates
        self._margins = np.zeros(len(candidates)) if margins is None else margins
        self._paid = np.full((worlds, len(candidates)), np.nan)
        self.left = np.arange(len(candidates))  # those still in the running; the base's choice always is

    def add(self, low: int, high: int, paid: np.ndarray) -> None:
        self._paid[low:high, self.left] = paid

    def halve(self, gate: float) -> None:
        """Keep the base's choice and the better half of the others, none that can hardly gain."""
        gains, errors, _ = self._gains()
        worth, others = gains - self._margins, self.left[1:]
        others = others[np.argsort(-worth[others], kind="stable")][: ceil(len(others) / 2)]
        hopeful = worth[others] + max(gate, 1.0) * errors[others] > 0
        self.left = np.concatenate([self.left[:1], np.sort(others[hopeful])])

    def give_up(self, gate: float, played: int) -> None:
        """Keep those that may still pass the gate once all worlds are played, of which `played` are.

        They do if their gain in the worlds to come is HOPE standard errors above that so far, and LUCK more of what
        chance does to so many worlds: what a candidate has to fall short of is a bound on its conditional power.
        """
        gains, errors, _ = self._gains()
        worlds, others = len(self._paid), self.left[1:]
        spread = errors[others] * np.sqrt(played)  # of one world
        total = worlds * (gains - self._margins)[others] + (worlds - played) * HOPE * errors[others]
        short = total + spread * (LUCK * np.sqrt(worlds - played) - gate * np.sqrt(worlds)) < 0
        self.left = np.concatenate([self.left[:1], others[~short | (spread == 0)]])

    def _gains(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return each candidate's mean gain over the base's choice, its standard error, and in how many worlds."""
        return _means(self._paid - self._paid[:, :1])

    def thought(self, gate: float) -> Thought:
        gains, errors, counts = self._gains()
        base, worth = int(self._candidates[0]), gains - self._margins
        sure = (counts >= FEWEST) & (worth - gate * errors > 0)
        sure[np.setdiff1d(np.arange(len(sure)), self.left[1:])] = False  # one that was dropped was so in fewer worlds
        best = int(np.argmax(np.where(sure, worth, -np.inf))) if sure.any() else 0
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


def _rounds(candidates: int, worlds: int) -> list[tuple[int, int, bool]]:
    """Return the worlds `low` to `high` of each round, and whether the better half alone is kept after it.

    That is sequential halving, with as many rollouts between two halvings as can be; others are looks in between.
    """
    halvings = max(1, ceil(log2(max(candidates - 1, 1))) + 1)
    weights = np.array([2.0**number for number in range(halvings)])
    edges = np.maximum(np.round(np.cumsum(weights) / weights.sum() * worlds), FEWEST).astype(int)
    halved = set(np.minimum(edges, worlds).tolist())
    looks = {_first_look(worlds) << number for number in range(worlds.bit_length())}
    highs = sorted(halved | {look for look in looks if look < worlds})
    return [(low, high, high in halved) for low, high in pairwise([0, *highs])]


def _first_look(worlds: int) -> int:
    least, most = FIRST_LOOK
    return max(least, min(worlds // 4, most))


def candidates_of(base: Agent, view: View, budget: Budget, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return legal actions to be tried `(C,)`, the base's choice first, and how good each seems beforehand `(C,)`.

    Where more are legal than the budget allows, they are Gumbel's top of the base's own policy; where the base has no
    policy but a choice, the rest follow in an order drawn by lot.
    """
    legal = np.flatnonzero(view.mask)
    rng = np.random.default_rng(seed)
    noise = rng.gumbel(size=len(legal))
    logs = _policy(base, view, legal) if budget.tau or len(legal) > budget.actions else None
    worth = noise if logs is None else noise + logs
    choice = int(base.act(view))
    promising = [int(action) for action in legal[np.argsort(-worth, kind="stable")]]
    candidates = np.array([choice, *(action for action in promising if action != choice)][: budget.actions])
    if logs is None or not budget.tau:
        return candidates, prior_of(len(candidates), budget.trust)
    prior = logs[np.searchsorted(legal, candidates)]
    return candidates, _perturbed(prior, rng) if _draws(base, view) else prior


def prior_of(candidates: int, trust: float) -> np.ndarray:
    """Return logarithms `(C,)` of a prior of which the first has `trust` and the others share the rest."""
    others = candidates - 1
    logs: np.ndarray = np.log([trust, *[(1 - trust) / max(1, others)] * others])
    return logs


def _policy(base: Agent, view: View, legal: np.ndarray) -> np.ndarray | None:
    """Return the logits `(len(legal),)` that `base` has for the actions `legal`; None where it tells none."""
    if not tells_policy(base):
        return None
    found: np.ndarray = base.logits(view.observation[None], view.mask[None])[0, legal].astype(float)
    return found


def tells_policy(base: Agent) -> TypeGuard[PolicyAgent]:
    """Say whether `base` tells how good each action seems to it, and not its choice alone."""
    return isinstance(base, PolicyAgent) and not memory_size(base)


def _draws(base: Agent, view: View) -> bool:
    """Say whether `base` draws its choice by lot, which it tells by its `chances`."""
    if not isinstance(base, StochasticAgent):
        return False
    return bool(base.chances(view.observation[None], view.mask[None]).max() < 1)


def _perturbed(logs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return `logs` `(C,)` with Gumbel noise by which the first, which was drawn, is the largest.

    So the best after a gain is added is a draw from the softmax with it, and the base's own draw where nothing is.
    """
    logs = logs - np.logaddexp.reduce(logs)
    noise = logs + rng.gumbel(size=len(logs))
    top = rng.gumbel()
    return np.array([top, *-np.logaddexp(-top, -noise[1:])])
