"""Members of the population of a game, and the matches that test a candidate over them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sobremesa.agents.arena.leaderboard import LOWEST
from sobremesa.agents.arena.score import nature
from sobremesa.agents.builtin import bot_folders, names, scripted_names
from sobremesa.agents.levels import levels
from sobremesa.envs.core import home
from sobremesa.envs.core.errors import ArgumentError
from sobremesa.envs.core.game import Game

FILE = "population.toml"  # in the folder `home` of a game
CHAMPION = "champion"

Pair = tuple[str, str]  # names of one agent and of the others; copies of one agent if both are the same


class Plan(NamedTuple):
    """The agents that play when a candidate is tested."""

    candidate: str
    predecessor: str  #: agent that the candidate would replace; "" without one
    references: list[str]  #: agents to compare with: `strong` and the predecessor
    members: list[str]  #: names
    levels: dict[str, str]  #: agents by level, from weak to strong
    agents: dict[str, str]  #: all of them, by name, as `agents.load` takes them


def members_of(game: Game) -> tuple[dict[str, str], str]:
    """Return the members of the population of `game`, agents by name, and the champion's predecessor or "".

    They are in `home/population.toml`; without that file they are all agents of the game but the random one. Raises
    ValueError if the file is unsound.
    """
    found, where = home.table(game, FILE), f"home/{FILE} of {game.name}"
    members = found.get("members", {name: name for name in names(game) if name != LOWEST})
    predecessor = found.get("predecessor", "")
    if unknown := sorted(set(found) - {"members", "predecessor"}):
        raise ValueError(f"{where} has {unknown[0]!r}; it takes members and predecessor")
    if not members or not isinstance(members, dict) or not all(isinstance(spec, str) for spec in members.values()):
        raise ValueError(f"{where}: members must be a table of names and agents")
    if predecessor != "" and predecessor not in list(members):
        raise ValueError(f"{where}: predecessor = {predecessor!r} is no member; there are {', '.join(members)}")
    return members, predecessor


def champion_of(game: Game) -> str:
    """Return the name of the champion of `game`: `champion`, or without such a bot the last one of its agents."""
    return CHAMPION if CHAMPION in bot_folders(game) else names(game)[-1]


def plan_population(game: Game, candidate: str | None, against: Sequence[str]) -> Plan:
    """Return the agents that test `candidate` over the members `against`; see `population.population`.

    Raises ArgumentError without a member.
    """
    champion = champion_of(game)
    candidate = champion if candidate is None else str(candidate)
    every, before = members_of(game)
    if candidate != champion:
        every, before = every | {champion: champion}, champion
    members = {name: every.get(name, name) for name in against} if against else every
    members = {name: spec for name, spec in members.items() if candidate not in (name, spec)}
    if not members:
        raise ArgumentError("{against} names no agent but {}; give another one", candidate, against=None)
    references = [name for name in dict.fromkeys((scripted_names(game)[-1], before)) if name not in ("", candidate)]
    of_levels = {level: candidate if agent == champion else agent for level, agent in levels(game).items()}
    called = [*members, *references, *of_levels.values()]
    agents = {candidate: candidate} | {name: every.get(name, name) for name in called if name != candidate}
    return Plan(candidate, before, references, list(members), of_levels, agents)


def pairs_of(game: Game, plan: Plan, seats: int) -> list[Pair]:
    """Return the matches of `plan` at a table of `seats`, each once."""
    found: list[Pair] = []
    if seats > 1:
        for member in plan.members:
            found += [(plan.candidate, member), (member, plan.candidate)]
            found += [(one, member) for one in plan.references if one != member]
        found += [(upper, lower) for lower, upper in pairwise(plan.levels.values()) if upper != lower]
    if nature(game).alone:
        found += [(name, name) for name in plan.agents]
    return list(dict.fromkeys(key_of(pair, seats) for pair in found))


def key_of(pair: Pair, seats: int) -> Pair:
    """Return the match that has the rows of `pair`: at a table of two it is the same one for both orders."""
    return min(pair, pair[::-1]) if seats == 2 else pair
