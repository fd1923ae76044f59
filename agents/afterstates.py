"""Agents that weigh what each of their choices would leave (afterstates: Sutton & Barto, 6.8), by a learnt worth.

A scripted agent lists its choices and puts what each would leave into numbers (`Afterstates`); a network says what
those are worth. Letters: `n` views, `D` numbers in an observation, `A` actions, `r` choices of all views, `f` numbers
about a choice.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.envs.core.agent import Afterstates
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game

SETTLED = 1e4  # worth of a deal that is won, as a logarithm of odds; less where it is lost
NEVER = -1e8
_ROOM = 64  # choices a view to make room for at first
_OFF_THE_EDGES = 0.37  # plain fractions are not rounded this way on one machine and that way on another
_FEATURE_PLIES = 60  # of random play at 16 tables, from which it follows what features mean


class Choices(NamedTuple):
    """The choices of `n` views, one view's after another's."""

    view: np.ndarray  # (r,) int64, the view whose choice it is
    actions: np.ndarray  # (r,) int64, that begins it
    features: np.ndarray  # (r, f) float32, what it would leave
    settled: np.ndarray  # (r,) int8: 1 won, -1 lost, 0 open
    whole: np.ndarray  # (r,) int8: 1 if the action is all of it

    def worths(self, value: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the worth of each choice `(r,)` float32, by `value` of features unless it is settled."""
        if not len(self.view):
            return np.zeros(0, np.float32)
        return np.where(self.settled == 0, value(self.features), SETTLED * self.settled).astype(np.float32)


def list_choices(afterstates: Afterstates, observations: np.ndarray, masks: np.ndarray) -> Choices:
    """Return what can be chosen in `observations` `(n, D)` float32 and `masks` `(n, A)` int8."""
    room = _ROOM * len(observations) + afterstates.most
    counts = np.zeros(len(observations), np.int64)
    look_all = _looking(afterstates.look, afterstates.most)
    while True:
        actions, settled, whole = np.zeros(room, np.int64), np.zeros(room, np.int8), np.zeros(room, np.int8)
        features = np.zeros((room, afterstates.size), np.float32)
        found = look_all(observations, masks, actions, features, settled, whole, counts)
        if found >= 0:
            view = np.repeat(np.arange(len(observations)), counts)
            return Choices(view, actions[:found], features[:found], settled[:found], whole[:found])
        room *= 2


@cache
def _looking(look: Any, most: int) -> Any:
    @kernel
    def look_all(observations, masks, actions, features, settled, whole, counts):
        """Return how many choices there are, -1 if they might not fit in."""
        row = 0
        for i in range(observations.shape[0]):
            if row + most > actions.shape[0]:
                return -1
            counts[i] = look(observations[i], masks[i], actions[row:], features[row:], settled[row:], whole[row:])
            row += counts[i]
        return row

    return look_all


def best_choices(choices: Choices, worths: np.ndarray, count: int) -> np.ndarray:
    """Return the row of the best choice of each of `count` views, -1 where there is none; the first of equals."""
    best = np.full(count, -1)
    order = np.lexsort((-np.arange(len(worths)), worths))  # the best comes last, and stays
    best[choices.view[order]] = order
    return best


def action_worths(choices: Choices, worths: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the worth of each action `(n, A)` float32: of the best choice that it begins, else very little.

    Where a view has no choice, its first legal action is worth most.
    """
    found = np.full(masks.shape, NEVER, np.float32)
    np.maximum.at(found, (choices.view, choices.actions), worths)
    none = np.bincount(choices.view, minlength=len(masks)) == 0
    found[none, (masks > 0).argmax(1)[none]] = 0
    return found


@cache
def features_digest(game: Game, afterstates: Afterstates) -> str:
    """Return a digest of what `afterstates` makes of some positions: a network fits those that it was trained with."""
    tables = VectorEnv(game, 16, seed=7, threads=1)
    digest = hashlib.sha256(f"{afterstates.size}".encode())
    for _ in range(_FEATURE_PLIES):
        seen = tables.step(tables.sample())
        choices = list_choices(afterstates, seen.observations, seen.masks)
        open_ones = choices.settled == 0
        digest.update(np.stack([choices.view, choices.actions, choices.settled]).astype("<i4").tobytes())
        hundredths = np.floor(100 * choices.features[open_ones].astype(np.float64) + _OFF_THE_EDGES)
        digest.update(hundredths.astype("<i8").tobytes())
    return digest.hexdigest()[:16]
