"""Policy improvement by rollouts: an agent that deviates from its base only if rollouts show a gain.

Rollouts of a few promising actions start from the *same* worlds, so the gain of an action over the base's choice is a
mean of paired differences. Sequential halving spends the budget (Karnin, Koren and Somekh 2013; as in Gumbel MuZero,
Danihelka et al. 2022). The base's choice remains unless the lower bound of the best gain is above zero: without this
gate, noise ruins one-ply search over a good policy (SPARTA, Lerer et al. 2020). Candidates unlikely to pass the gate
are dropped early.

Letters: `W` worlds, `C` candidates.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf, log2
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from sobremesa.agents.search.belief import Belief
from sobremesa.agents.search.rollouts import Rollouts, seed_of
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
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.game import Game

if TYPE_CHECKING:
    from sobremesa.agents.search.device.rollouts import DeviceRollouts

FEWEST = 4  # worlds in which two actions are compared before one may be dropped
# Candidates unlikely to pass the gate are dropped: first after a quarter of the worlds, or the nearer of these
# numbers of them, then each time that they have doubled. "Unlikely" means: even if the true gain were HOPE standard
# errors higher than observed, and the remaining worlds LUCK standard errors luckier.
FIRST_LOOK = (8, 32)
HOPE, LUCK = 1.0, 1.645
FIRST_PART = 8  # of two rounds the first has this part of the worlds
MOST_WORLDS = 100_000
MOST_ACTIONS = 10_000
MOST_TRIES = 100_000
MOST_PLIES = 1_000_000
MOST_TABLES = 256  # that a search plays at once; its rollouts are batched themselves
_UNKNOWN = 1e9  # standard error of a single trial


def check_whole(name: str, value: Any, least: int, most: int) -> None:
    """Raise ValueError unless the setting `name` has a whole number from `least` to `most` as its `value`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name}={value!r} is not allowed; it takes a whole number from {least} to {most}")


@dataclass(frozen=True)
class Budget:
    """The budget of a search, and its threshold for deviating from the base.

    Args:
        worlds: worlds in which the last two candidates are played.
        actions: the most candidates; the most promising ones if more are legal.
        gate: standard errors by which a paired gain must exceed zero; infinite: always the base's choice.
        tau: payoff that offsets a factor of e in the base's policy. With `gate=0` the agent chooses from
            `softmax(log prior + Q / tau)`, Q being mean payoffs (Sokota et al. 2023). Infinite: the base's choice.
        trust: the prior of the base's choice if its policy is unknown; the other candidates share the rest.
        belief: simulations of the past in which the other seats play as `rollout` (belief.py); worlds found so come
            before resampled ones. 0: resampled worlds only.
        plies: cut rollouts off after this many plies, at the value estimate of `rollout`. 0: no cut.
        seconds: stop after this time, for play at a table; 0: no limit. Such a search does not repeat on a seed.
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
        """Whether no gain is large enough to deviate from the base."""
        return inf in (self.gate, self.tau)

    def __post_init__(self) -> None:
        whole = (("worlds", 1, MOST_WORLDS), ("actions", 1, MOST_ACTIONS), ("belief", 0, MOST_TRIES))
        for name, least, most in (*whole, ("plies", 0, MOST_PLIES)):
            check_whole(name, getattr(self, name), least, most)
        if not self.gate >= 0:
            raise ValueError(f"gate={self.gate!r} is not allowed; it takes a number of standard errors from 0")
        if not self.tau >= 0:
            raise ValueError(f"tau={self.tau!r} is not allowed; it takes a payoff from 0")
        if not 0 < self.trust < 1:
            raise ValueError(f"trust={self.trust!r} is not allowed; it takes a share between 0 and 1")
        if not 0 <= self.seconds < inf:
            raise ValueError(f"seconds={self.seconds!r} is not allowed; it takes a number of seconds from 0")


# (low, high, left) -> payoffs of the seat in worlds `low` to `high` - 1 for the candidates `left`; None to stop
Play = Callable[[int, int, np.ndarray], np.ndarray | None]


class Line(NamedTuple):
    """The result of a search for one action."""

    action: int
    payoff: float  #: mean over its trials
    error: float  #: standard error of that; NaN where trials are not independent, as in a tree
    gain: float  #: mean gain over the base's choice in the same worlds; 0 in a tree
    trials: int  #: worlds in which it was played, or visits


class SearchResult(NamedTuple):
    """The result of a search: the action and the candidates, the action first, then those that stayed longest."""

    action: int
    base: int  #: the choice of the base
    lines: tuple[Line, ...]


class Improve:
    """An agent that plays as `base`, unless rollouts by `rollout` show that another action is better.

    Decisions follow from the view and the stream of the seat. The base draws from that stream as usual, the search does
    not draw from it. With another `device` than "cpu" rollouts run there (device/rollouts.py); ValueError is raised for
    one that is not there, and for an agent that cannot play there.
    """

    def __init__(
        self, name: str, game: Game, base: Agent, rollout: Agent, budget: Budget | None = None, device: str = "cpu"
    ) -> None:
        self.name = name
        self.base = base
        self.rollout = rollout
        self.tables = min(MOST_TABLES, base.tables) if isinstance(base, LimitedAgent) else MOST_TABLES
        self.budget = budget = budget or Budget()
        self._game = game
        self._device = device
        at_once = budget.plies or device != "cpu"  # others once they are needed
        self._rollouts = self._new_rollouts() if at_once else None
        self._belief = Belief(game, rollout, self.budget.belief) if self.budget.belief else None

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.name, self._game, self.base, self.rollout, self.budget, self._device
        return type(self), made, {"_belief": self._belief}

    def _new_rollouts(self) -> "Rollouts | DeviceRollouts":
        if self._device == "cpu":
            return Rollouts(self._game, self.rollout, self.budget.plies)
        if self.budget.belief:
            raise ValueError(f"belief={self.budget.belief} is not allowed with device={self._device}; it takes 0")
        device_of(self._device)
        from sobremesa.agents.search.device.rollouts import DeviceRollouts

        return DeviceRollouts(self._game, self.rollout, self._device, self.budget.plies)

    def forget(self, seeds: Iterable[int]) -> None:
        """Drop stored information of streams with these `seeds`: their deals begin."""
        seeds = list(seeds)
        forget_deals([self.base, self._belief], seeds)

    def act(self, view: View) -> int:
        """Return a legal action for `view.seat`."""
        return self.think(view).action

    def think(self, view: View) -> SearchResult:
        """Return the action for `view.seat` and the result for each candidate; for a vote, the fair one."""
        began, seed = perf_counter(), seed_of(view)
        candidates, prior = candidates_of(self.base, view, self.budget, seed)  # a base with memory sees votes too
        if (vote := self._game.fair_vote(view.observation, view.mask)) is not None:
            return SearchResult(vote, vote, ())
        if len(candidates) < 2 or self.budget.believes_nothing:
            return SearchResult(int(candidates[0]), int(candidates[0]), ())
        if self._rollouts is None:
            self._rollouts = self._new_rollouts()
        rollouts, seconds = self._rollouts, self.budget.seconds

        def late() -> bool:
            return bool(seconds) and perf_counter() - began >= seconds

        held = view.state[:0] if self._belief is None else self._belief.worlds(view, seed, late)

        def play(low: int, high: int, left: np.ndarray) -> np.ndarray | None:
            if late():
                return None
            return rollouts.from_view(view, seed, low, high, candidates[left], held)[:, :, view.seat]

        thought = decide(candidates, prior, self.budget, play, self._device != "cpu")
        if self._belief is not None:
            self._belief.keep(view, seed, held, thought.action)
        return thought

    @property
    def content(self) -> str:
        """A digest of the search apart from its base and its rollout agent."""
        estimate = value_estimate_of(self.rollout) if self.budget.plies else None
        beside: tuple[str, ...] = () if estimate is None else (digest(as_python(estimate)),)
        beside += () if self._game.fair_votes is None else (repr(self._game.fair_votes),)
        beside += () if self._device == "cpu" else (self._device.partition(":")[0],)
        return hashlib.sha256(repr((_FORMAT, self.budget, *beside)).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def decide(
    candidates: np.ndarray, prior: np.ndarray, budget: Budget, play: Play, at_once: bool = False
) -> SearchResult:
    """Return the choice among `candidates` `(C,)`, the base's choice first, and the result for each.

    `prior` `(C,)` is the prior of each, from `candidates_of`. `play(low, high, left)` returns the payoffs of the seat,
    `(high - low, len(left))`, for the candidates `left` in worlds number `low` to `high` - 1; None when time is up.
    With `at_once` there are two rounds at most, for a GPU, where many rollouts take as long as one.
    """
    found = _Found(candidates, budget.worlds, budget.tau * (prior[0] - prior) if budget.tau else None)
    for low, high, halves in _two_rounds(budget.worlds) if at_once else _rounds(len(candidates), budget.worlds):
        paid = play(low, high, found.left)
        if paid is None:
            break
        found.add(low, high, paid)
        if halves:
            found.halve(budget.gate)
        if _first_look(budget.worlds) <= high < budget.worlds:
            found.drop_unlikely(budget.gate, high)
        if len(found.left) == 1:
            break
    return found.thought(budget.gate)


_FORMAT = 2  # of the search: raised when the same budget chooses differently


class _Found:
    """Payoffs `(W, C)` of candidates in worlds, NaN where not played; the first is the base's choice.

    A candidate replaces it only if it gains more than its margin, of `margins` `(C,)`; without margins, more than zero.
    """

    def __init__(self, candidates: np.ndarray, worlds: int, margins: np.ndarray | None = None) -> None:
        self._candidates = candidates
        self._margins = np.zeros(len(candidates)) if margins is None else margins
        self._paid = np.full((worlds, len(candidates)), np.nan)
        self.left = np.arange(len(candidates))  # candidates still in the running; the base's choice always is

    def add(self, low: int, high: int, paid: np.ndarray) -> None:
        self._paid[low:high, self.left] = paid

    def halve(self, gate: float) -> None:
        """Keep the base's choice and the better half of the others, except those unlikely to gain."""
        gains, errors, _ = self._gains()
        worth, others = gains - self._margins, self.left[1:]
        others = others[np.argsort(-worth[others], kind="stable")][: ceil(len(others) / 2)]
        hopeful = worth[others] + max(gate, 1.0) * errors[others] > 0
        self.left = np.concatenate([self.left[:1], np.sort(others[hopeful])])

    def drop_unlikely(self, gate: float, played: int) -> None:
        """Keep the candidates that may still pass the gate after all worlds, of which `played` were played.

        They may if their gain in the remaining worlds is HOPE standard errors above the gain so far, and LUCK standard
        errors more by chance: a bound on the conditional power.
        """
        gains, errors, _ = self._gains()
        worlds, others = len(self._paid), self.left[1:]
        spread = errors[others] * np.sqrt(played)  # of one world
        total = worlds * (gains - self._margins)[others] + (worlds - played) * HOPE * errors[others]
        short = total + spread * (LUCK * np.sqrt(worlds - played) - gate * np.sqrt(worlds)) < 0
        self.left = np.concatenate([self.left[:1], others[~short | (spread == 0)]])

    def _gains(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return each candidate's mean gain over the base's choice, its standard error, and its number of worlds."""
        return _means(self._paid - self._paid[:, :1])

    def thought(self, gate: float) -> SearchResult:
        gains, errors, counts = self._gains()
        base, worth = int(self._candidates[0]), gains - self._margins
        sure = (counts >= FEWEST) & (worth - gate * errors > 0)
        sure[np.setdiff1d(np.arange(len(sure)), self.left[1:])] = False  # dropped candidates have fewer worlds
        best = int(np.argmax(np.where(sure, worth, -np.inf))) if sure.any() else 0
        payoffs, spreads, _ = _means(self._paid)
        order = sorted(np.flatnonzero(counts).tolist(), key=lambda c: (c != best, -counts[c], -gains[c]))
        lines = [
            Line(int(self._candidates[c]), float(payoffs[c]), float(spreads[c]), float(gains[c]), int(counts[c]))
            for c in order
        ]
        return SearchResult(int(self._candidates[best]), base, tuple(lines))


def _means(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means, standard errors and counts of the columns of `values`, without NaN."""
    counts = (~np.isnan(values)).sum(0)
    played = np.maximum(counts, 1)
    means = np.nansum(values, 0) / played
    spread = np.nansum((values - means) ** 2, 0) / np.maximum(counts - 1, 1)
    return means, np.where(counts > 1, np.sqrt(spread / played), _UNKNOWN), counts


def _rounds(candidates: int, worlds: int) -> list[tuple[int, int, bool]]:
    """Return the worlds `low` to `high` of each round, and whether it ends with a halving.

    This is sequential halving with as many rollouts as possible between two halvings; other rounds end with a look.
    """
    halvings = max(1, ceil(log2(max(candidates - 1, 1))) + 1)
    weights = np.array([2.0**number for number in range(halvings)])
    edges = np.maximum(np.round(np.cumsum(weights) / weights.sum() * worlds), FEWEST).astype(int)
    halved = set(np.minimum(edges, worlds).tolist())
    looks = {_first_look(worlds) << number for number in range(worlds.bit_length())}
    highs = sorted(halved | {look for look in looks if look < worlds})
    return [(low, high, high in halved) for low, high in pairwise([0, *highs])]


def _two_rounds(worlds: int) -> list[tuple[int, int, bool]]:
    """Return the same for two rounds, or one if there are few worlds."""
    first = worlds // FIRST_PART
    return [(0, first, True), (first, worlds, False)] if first >= FEWEST else [(0, worlds, False)]


def _first_look(worlds: int) -> int:
    least, most = FIRST_LOOK
    return max(least, min(worlds // 4, most))


def candidates_of(base: Agent, view: View, budget: Budget, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the candidates `(C,)`, the base's choice first, and their prior `(C,)`.

    If more actions are legal than the budget allows, they are the Gumbel top of the base's policy; for a base without a
    policy the rest follow in random order.
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
    """Return the logarithms `(C,)` of a prior that gives `trust` to the first and equal shares to the others."""
    others = candidates - 1
    logs: np.ndarray = np.log([trust, *[(1 - trust) / max(1, others)] * others])
    return logs


def _policy(base: Agent, view: View, legal: np.ndarray) -> np.ndarray | None:
    """Return the logits `(len(legal),)` of `base` for the actions `legal`; None without a policy."""
    if not tells_policy(base):
        return None
    found: np.ndarray = base.logits(view.observation[None], view.mask[None])[0, legal].astype(float)
    return found


def tells_policy(base: Agent) -> TypeGuard[PolicyAgent]:
    """Return whether `base` has a policy that can be evaluated at a single view."""
    return isinstance(base, PolicyAgent) and not memory_size(base)


def _draws(base: Agent, view: View) -> bool:
    """Return whether `base` draws its choice at random, by its `chances`."""
    if not isinstance(base, StochasticAgent):
        return False
    return bool(base.chances(view.observation[None], view.mask[None]).max() < 1)


def _perturbed(logs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return `logs` `(C,)` with Gumbel noise under which the first, the drawn action, is the largest.

    So the best after adding gains is a draw from the softmax with them, and without gains the base's own draw.
    """
    logs = logs - np.logaddexp.reduce(logs)
    noise = logs + rng.gumbel(size=len(logs))
    top = rng.gumbel()
    return np.array([top, *-np.logaddexp(-top, -noise[1:])])
