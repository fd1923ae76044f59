"""Agents of a game at tables of an obfuscated reading of it: views and answers are translated in both directions."""

from typing import Any

import numpy as np

from sobremesa.envs.core.agent import Agent, BatchAgent, DealAgent, KernelAgent, View, memory_size
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.game import Game


class Mapped:
    """The agent `base` of a game, which is given the permutations of `game`, a reading of it.

    It plays the same deals as at tables of its own game, and has the same abilities as an agent.
    """

    def __init__(self, base: Agent, game: Game) -> None:
        self.base, self.game, self.name = base, game, base.name
        reading = game.reading
        self._places, self._here, self._of = reading.places, reading.here, reading.base
        if isinstance(base, BatchAgent):
            self.act_batch = self._act_batch
        if isinstance(base, DealAgent):
            self.forget = base.forget
        if memory_size(base):
            self.memory = memory_size(base)

    def act(self, view: View) -> int:
        seen, allowed = view.observation[self._places], view.mask[self._here]
        return int(self._here[self.base.act(view._replace(game=self._of, observation=seen, mask=allowed))])

    def _act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray, *memory: Any) -> np.ndarray:
        base: Any = self.base
        actions = base.act_batch(observations[:, self._places], masks[:, self._here], streams, *memory)
        return np.asarray(self._here[actions])

    def __repr__(self) -> str:
        return f"Mapped({self.base!r}, {self.game!r})"


def mapped(agent: Agent, game: Game) -> Agent:
    """Return `agent`, of the base of the reading `game`, as an agent of `game`; a kernel remains one."""
    if not isinstance(agent, KernelAgent):
        return Mapped(agent, game)
    estimate = None if agent.value_estimate is None else _translated(agent.value_estimate, game, answers=False)
    return KernelAgent(agent.name, _translated(agent.kernel, game, answers=True), estimate)


def _translated(function: Any, game: Game, answers: bool) -> Any:
    """Return a kernel over observation and mask, and perhaps a stream, of the base as one of the reading `game`."""
    places, here = game.reading.places, game.reading.here
    size, count, inner = game.layout.size, game.num_actions, shared(function)

    @kernel
    def translate(observation, mask, seen, allowed):
        for place in range(size):
            seen[place] = observation[places[place]]
        for action in range(count):
            allowed[action] = mask[here[action]]

    @kernel
    def act(observation, mask, stream):
        seen, allowed = scratch(size, np.float32), scratch(count, np.int8)
        translate(observation, mask, seen, allowed)
        return here[inner(seen, allowed, stream)]

    @kernel
    def estimate(observation, mask):
        seen, allowed = scratch(size, np.float32), scratch(count, np.int8)
        translate(observation, mask, seen, allowed)
        return inner(seen, allowed)

    return act if answers else estimate
