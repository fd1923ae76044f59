"""Agents that come with the library: the random agent, and the scripted agents and exported bots of each game.

At tables of an obfuscated reading, views and answers of these agents are translated in both directions.
"""

from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import envs
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent, BatchAgent, DealAgent, KernelAgent, Restricted, View, memory_size
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.core.game import Game

SCRIPTED = ("simple", "strong")


@kernel
def uniform(observation: Any, mask: Any, stream: Any) -> Any:
    """Return a random legal action."""
    return pick(stream, mask)


RANDOM = KernelAgent("random", uniform)


def scripted(game: Game) -> dict[str, Agent]:
    """Return the random agent and the scripted agents of `game` by name, from weak to strong."""
    if game.reading is not None:
        return {name: mapped(agent, game) for name, agent in scripted(game.reading.base).items()}
    return {agent.name: agent for agent in (RANDOM, *envs.registered_bots(game))}


def scripted_names(game: Game) -> list[str]:
    """Return the names of the random agent and the scripted agents of `game`, from weak to strong.

    These agents need no extra.
    """
    return list(scripted(game))


def names(game: Game) -> list[str]:
    """Return the names of all agents that come with `game`: the scripted agents, then the bots.

    Bots need the extra `bots`.
    """
    return scripted_names(game) + list(bot_folders(game))


def rivals(game: Game) -> dict[str, Agent | Restricted | Path]:
    """Return the agents of `game` that only test others, by name: scripts, and folders of bots in `home/rivals`.

    They are no agents of its ladder, so `names` leaves them out.
    """
    found: dict[str, Agent | Restricted | Path] = {one.name: one for one in home.rivals(game)}
    return found | {file.parent.name: file.parent for file in home.matching(game, "rivals/*/bot.json")}


def bot_folders(game: Game) -> dict[str, Path]:
    """Return the folders of the exported bots that come with `game`, by name; none has the name of a scripted agent."""
    found = {file.parent.name: file.parent for file in home.matching(game, "*/bot.json")}
    taken = scripted(game)
    return {name: path for name, path in found.items() if name.isidentifier() and name not in taken}


class RestrictedAgent:
    """The agent `base`, without the actions that `restrict` takes away; see `Restricted`.

    Raises ValueError for a base that does not choose for many tables at a time, or is recurrent.
    """

    def __init__(self, name: str, base: Agent, restrict: Any) -> None:
        if not isinstance(base, BatchAgent) or memory_size(base):
            raise ValueError(f"{name}: {base.name} cannot be restricted; take a bot without a memory")
        self.name, self.base, self.restrict = name, base, restrict
        self._restrict_all, self._choose = _restricting(restrict), base.act_batch

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Return one action for each row, as `BatchAgent`."""
        allowed = np.array(masks, np.int8)
        self._restrict_all(np.ascontiguousarray(observations, np.float32), allowed)
        return self._choose(observations, allowed, streams)

    def act(self, view: View) -> int:
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def _restricting(restrict: Any) -> Any:
    restrict = shared(restrict)

    @kernel
    def restrict_all(observations: Any, masks: Any) -> None:
        for row in range(masks.shape[0]):
            restrict(observations[row], masks[row])

    return restrict_all


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
    def translate(observation: Any, mask: Any, seen: Any, allowed: Any) -> None:
        for place in range(size):
            seen[place] = observation[places[place]]
        for action in range(count):
            allowed[action] = mask[here[action]]

    @kernel
    def act(observation: Any, mask: Any, stream: Any) -> Any:
        seen, allowed = scratch(size, np.float32), scratch(count, np.int8)
        translate(observation, mask, seen, allowed)
        return here[inner(seen, allowed, stream)]

    @kernel
    def estimate(observation: Any, mask: Any) -> Any:
        seen, allowed = scratch(size, np.float32), scratch(count, np.int8)
        translate(observation, mask, seen, allowed)
        return inner(seen, allowed)

    return act if answers else estimate
