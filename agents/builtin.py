"""Agents that come with the library: the random agent, and the scripted agents and exported bots of each game."""

from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent, KernelAgent
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game

SCRIPTED = ("simple", "strong")


@kernel
def uniform(observation: Any, mask: Any, stream: Any) -> Any:
    """Return a random legal action."""
    return pick(stream, mask)


RANDOM = KernelAgent("random", uniform)


def scripted(game: Game) -> dict[str, Agent]:
    """Return the random agent and the scripted agents of `game` by name, from weak to strong."""
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


def bot_folders(game: Game) -> dict[str, Path]:
    """Return the folders of the exported bots that come with `game`, by name; none has the name of a scripted agent."""
    found = {file.parent.name: file.parent for file in home.matching(game, "*/bot.json")}
    taken = scripted(game)
    return {name: path for name, path in found.items() if name.isidentifier() and name not in taken}
