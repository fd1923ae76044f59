"""Agents that come with the library: the random agent, the scripted agents of each game, and the folder of its bots."""

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.envs.core.agent import Agent, KernelAgent
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game

SCRIPTED = ("simple", "strong")
PRETRAINED = Path(__file__).parent / "pretrained"  # a folder of bots for each game


@kernel
def uniform(observation: Any, mask: Any, stream: Any) -> Any:
    """Return a random legal action."""
    return pick(stream, mask)


RANDOM = KernelAgent("random", uniform)


def scripted(game: Game) -> dict[str, Agent]:
    """Return the random agent and the scripted agents of `game` by name, from weak to strong."""
    found: dict[str, Agent] = {agent.name: agent for agent in (RANDOM, *envs.registered_bots(game))}
    package = f"sobremesa.agents.scripted.{game.name}"
    if len(found) > 1 or importlib.util.find_spec(package) is None:
        return found
    bots = vars(importlib.import_module(f"{package}.bots"))
    for name in SCRIPTED:
        if name in bots:
            estimate, afterstates = bots.get(f"{name}_outlook"), bots.get(f"{name}_afterstates")
            found[name] = KernelAgent(name, bots[name], estimate, afterstates)
    return found


def scripted_names(game: Game) -> list[str]:
    """Return the names of the random agent and the scripted agents of `game`, from weak to strong.

    These agents need no extra.
    """
    return list(scripted(game))


def names(game: Game) -> list[str]:
    """Return the names of all agents that come with `game`: the scripted agents, then the bots.

    Bots need the extra `bots`.
    """
    return scripted_names(game) + sorted(file.parent.name for file in (PRETRAINED / game.name).glob("*/bot.json"))
