"""Agents that come with the library: the random agent, and the scripted agents and exported bots of each game."""

from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import envs
from sobremesa.agents.mapped import mapped
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent, BatchAgent, KernelAgent, Restricted, View, memory_size
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel, shared
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
