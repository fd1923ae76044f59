"""Agents that choose by learnt values of afterstates (Sutton and Barto, 6.8).

A scripted agent lists its choices and the features of the position after each (`Afterstates`); a network estimates the
value of these features. Letters: `n` views, `D` numbers in an observation, `A` actions, `r` choices of all views, `f`
features of a choice.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.builtin import scripted
from sobremesa.envs.core.agent import Afterstates, KernelAgent
from sobremesa.envs.core.api.vector import VectorEnv
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game

SETTLED = 1e4  # value of a won deal, as log odds; negative for a lost one
NEVER = -1e8
_ROOM = 64  # choices per view in the first buffer
_OFF_THE_EDGES = 0.37  # so that simple fractions round alike on all machines
_FEATURE_PLIES = 60  # of random play at 16 tables, on which the digest is computed


class Choices(NamedTuple):
    """The choices of `n` views, grouped by view."""

    view: np.ndarray  # (r,) int64, the view of the choice
    actions: np.ndarray  # (r,) int64, the action that begins it
    features: np.ndarray  # (r, f) float32, of the position after it
    settled: np.ndarray  # (r,) int8: 1 won, -1 lost, 0 open
    whole: np.ndarray  # (r,) int8: 1 if the action completes it

    def worths(self, value: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the value of each choice `(r,)` float32: `value` of its features, or fixed if it is resolved."""
        if not len(self.view):
            return np.zeros(0, np.float32)
        return np.where(self.settled == 0, value(self.features), SETTLED * self.settled).astype(np.float32)


def list_choices(afterstates: Afterstates, observations: np.ndarray, masks: np.ndarray) -> Choices:
    """Return the choices in `observations` `(n, D)` float32 and `masks` `(n, A)` int8."""
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
        """Return the number of choices, -1 if they might not fit."""
        row = 0
        for i in range(observations.shape[0]):
            if row + most > actions.shape[0]:
                return -1
            counts[i] = look(observations[i], masks[i], actions[row:], features[row:], settled[row:], whole[row:])
            row += counts[i]
        return row

    return look_all


def afterstates_named(name: str, game: Game) -> Afterstates | None:
    """Return the afterstates `name` of `game`, None if there are none.

    `strong` are those of the scripted agent `strong`, `strong.cells` those with its features `cells`.
    """
    agent_name, _, features = name.partition(".")
    agent = scripted(game).get(agent_name)
    if not isinstance(agent, KernelAgent):
        return None
    return agent.detailed.get(features) if features else agent.afterstates


def best_choices(choices: Choices, worths: np.ndarray, count: int) -> np.ndarray:
    """Return the row of the best choice of each of `count` views; the first of equals, -1 without a choice."""
    best = np.full(count, -1)
    order = np.lexsort((-np.arange(len(worths)), worths))  # the best comes last and overwrites the others
    best[choices.view[order]] = order
    return best


def action_worths(choices: Choices, worths: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the value of each action `(n, A)` float32: that of its best choice, very low without one.

    Without a choice, the first legal action has the highest value.
    """
    found = np.full(masks.shape, NEVER, np.float32)
    np.maximum.at(found, (choices.view, choices.actions), worths)
    none = np.bincount(choices.view, minlength=len(masks)) == 0
    found[none, (masks > 0).argmax(1)[none]] = 0
    return found


@cache
def features_digest(game: Game, afterstates: Afterstates) -> str:
    """Return a digest of the features at some positions: a network needs the features that it was trained with."""
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
