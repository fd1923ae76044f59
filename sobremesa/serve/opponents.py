"""Agents that people can choose as opponents: the agents of each game and the operator's own ones.

Agents compute their moves in threads, so a slow one delays only its own table.
"""

import importlib.util
import logging
import shlex
import threading
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sobremesa import agents, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena.score import nature
from sobremesa.agents.exported import has_graph
from sobremesa.agents.language.model import load_model
from sobremesa.agents.levels import levels
from sobremesa.agents.named import (
    COMMAND,
    PYTHON,
    BotFolder,
    Command,
    Model,
    Named,
    NotAllowed,
    Python,
    Sampled,
    Search,
    named,
    programs,
)
from sobremesa.envs.core.agent import (
    Agent,
    History,
    HistoryAgent,
    ProcessAgent,
    agent_seed,
    forget_deals,
    make_view,
    memory_size,
    new_stream,
)
from sobremesa.envs.core.game import Game
from sobremesa.serve.seated import BOT, Seated
from sobremesa.serve.table import Table, TableChanged

THINKING = (0, 1, 5)  # allowed thinking times, in seconds a move
STRONG = "strong"
_LOG = logging.getLogger("sobremesa.serve")


class Offer(NamedTuple):
    """An agent that the lobby offers."""

    spec: str  # for agents.load; secret for own agents, since it may contain folders and keys
    name: str  # shown to people
    points: float | None  # mean over its roles on the ladder; None if unrated
    shown: str  # the points as text
    level: str | None = None  # by `agents.levels`


class Opponents:
    """The agents that a server offers: those of each game, and the agents `own` of the command line."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        """Check `own`; raise ValueError, with the reason, for an agent that plays no game."""
        taken = {name for game in envs.games() for name in agents.names(envs.load(game))} if own else set()
        self._own: dict[str, str] = {}  # specs by name
        for spec in own:
            if not any(_loads(spec, name) for name in envs.games()):
                agents.load(spec)  # raises the reason
                raise ValueError(f"{spec} plays none of the games {', '.join(envs.games())}")
            names = chain([_called(spec)], (f"{_called(spec)} {number}" for number in count(2)))
            self._own[next(name for name in names if name not in taken | self._own.keys())] = spec

    def offers(self, game: Game) -> list[Offer]:
        """Return the agents of `game`, the weakest on the ladder first, the operator's own ones last.

        A search that tops the ladder is included, and each agent that has a level.
        """
        names = [name for name in agents.names(game) if _can_run(name, game.name)]
        searches = [_offer(f"search({name})", game.name) for name in names]
        found = [_offer(name, game.name) for name in names]
        best = max((one for one in searches if one.points is not None), key=_points, default=None)
        if best is not None and _points(best) > max(map(_points, found)):
            found.append(best)
        found += [one for one in (_offer(agent, game.name) for agent in levels_of(game).values()) if one not in found]
        found.sort(key=lambda one: (one.points is None, _points(one)))
        return found + [Offer(spec, name, None, "") for name, spec in self._own.items() if _loads(spec, game.name)]

    def fair(self, game: Game) -> str:
        """Return the agent nearest to the middle of the ladder, which a beginner can beat."""
        offered = [one for one in self.offers(game) if one.points is not None]
        rated = [one for one in offered if one.spec in agents.names(game)]  # a search would shift the middle
        if not rated:
            return agents.scripted_names(game)[-1]
        points = [_points(one) for one in rated]
        middle = (min(points) + max(points)) / 2
        return min(rated, key=lambda one: abs(_points(one) - middle)).spec

    def seat(self, game: Game, spec: str) -> Seated:
        """Return a seat for the agent `spec`, named for its level if it has one."""
        level = _level_of(spec, game)
        return Seated(BOT, "" if level else spec, spec, level or "")

    def spec(self, game: Game, name: str, seconds: int) -> str:
        """Return the spec of the agent `name` that thinks for `seconds` a move; raise ValueError if it is not offered.

        Only the strong scripted agent uses the time, as the base of a search.
        """
        specs = {one.name: one.spec for one in self.offers(game)}
        if name not in specs:
            raise ValueError(f"{name[:60]!r} is not offered; choose one of {', '.join(specs)}")
        if seconds not in THINKING:
            raise ValueError(f"{seconds} seconds are not offered; choose one of {', '.join(map(str, THINKING))}")
        thinks = seconds and name == STRONG
        return f"search({STRONG}, worlds=1000, seconds={seconds})" if thinks else specs[name]


def _points(offer: Offer) -> float:
    return offer.points or 0.0


def _called(spec: str) -> str:
    """Return the public name of an own agent: its model, file or program, without URL, folders or arguments."""
    match one := named(spec):
        case Model():
            return load_model(one).name
        case Command():
            return Path(shlex.split(spec.removeprefix(COMMAND))[0]).name
        case Python() | BotFolder():
            return Path(spec.removeprefix(PYTHON)).name
    return spec


@lru_cache(maxsize=256)
def _loads(spec: str, name: str) -> bool:
    """Return whether the agent `spec` loads for the game `name` on this machine."""
    try:
        agents.load(spec, envs.load(name))
    except (ValueError, ImportError):
        return False
    return True


def _innermost(spec: str, game: Game) -> str:
    """Return the name of the agent that a search or a sampled bot is made from; another name as it is."""
    one: Named | None = named(spec, agents.names(game))
    while isinstance(one, Search | Sampled):
        one = one.base
    return one.spec if one else spec


def _can_run(name: str, game: str) -> bool:
    """Return whether the shipped agent `name` can run on this machine.

    The bot is not loaded, since that runs the rules of its game; tests check that shipped bots fit them.
    """
    loaded = envs.load(game)
    if name in agents.scripted_names(loaded):
        return True
    folder = agents.bot_folders(loaded).get(name)
    return importlib.util.find_spec("onnxruntime") is not None and (folder is None or has_graph(folder))


@lru_cache(maxsize=256)
def levels_of(game: Game) -> dict[str, str]:
    """Return the agent of each level of `game` that can run on this machine.

    Returns no level, with a line in the log, if the file of the game's package is damaged.
    """
    try:
        found = levels(game)
        return {level: one for level, one in found.items() if _can_run(_innermost(one, game), game.name)}
    except ValueError as error:
        _LOG.warning("%s", error)
        return {}


def _level_of(agent: str, game: Game) -> str | None:
    return next((level for level, name in levels_of(game).items() if name == agent), None)


@lru_cache(maxsize=256)
def _offer(name: str, game: str) -> Offer:
    """Return what is offered of an agent that comes with a game; without points if the ladder is damaged or old."""
    kind = nature(envs.load(game))
    try:
        ladder = leaderboard_file.frozen(envs.load(game), ("game", "version"))
    except leaderboard_file.LadderError:
        ladder = None
    points = [one.value for one in ladder.rungs if one.agent in kind.called(name)] if ladder else []
    mean = sum(points) / len(points) if points else None
    level = _level_of(name, envs.load(game))
    return Offer(name, name, mean, "" if mean is None else f"{mean:{kind.form}}", level)


class Bench:
    """The agents of one table, loaded on their first move."""

    def __init__(self, table: Table, own: Collection[str] = ()) -> None:
        """`own` are the agents of the command line; no other program is started and no other server contacted."""
        self._table, self._own = table, own
        self._agents: dict[int, Agent] = {}
        self._lock = threading.Lock()

    def ask(self, seat: int, version: int) -> int:
        """Return the action of the agent at `seat` in the table's state number `version`.

        Raises TableChanged if the table is in another state by now, and the agent's own errors.
        """
        with self._lock:
            if seat not in self._agents:
                self._agents[seat] = self._load(self._table.opening.seated[seat].spec)
            agent = self._agents[seat]
            with self._table.lock:
                if self._table.version != version or not self._table.to_act(seat):
                    raise TableChanged
                if not memory_size(agent):
                    view = self._table.view(seat)
                    if isinstance(agent, HistoryAgent):
                        view = view._replace(history=self._history(seat, agent.history_language))
                plies = self._table.deal.plies
                states = [ply.states for ply in plies if ply.seat == seat] + [self._table.deal.states.copy()]
            if memory_size(agent):
                return self._with_memory(agent, seat, states)
            try:
                return int(agent.act(view))
            finally:  # each decision has its own stream, so its memory is never used again
                forget_deals([agent], [int(view.stream["seed"][0])])

    def _load(self, spec: str) -> Agent:
        """Load the agent `spec`; raise NotAllowed for a program or server that only the store names."""
        one = named(spec, agents.names(self._table.game))
        if spec not in self._own and programs(one):
            what = "language model" if isinstance(one, Model) else "program"
            raise NotAllowed(f"the table uses the {what} {spec!r:.200}; offer it with --bot to allow that")
        return agents.load(one, self._table.game)

    def _history(self, seat: int, language: str) -> tuple[tuple[str, ...], ...]:
        deal = self._table.deal
        history = History(deal.game, seat, language)
        for number, ply in enumerate(deal.plies):
            history.add(ply.states, ply.action, deal.at(number + 1))
        return history.groups()

    def _with_memory(self, agent: Agent, seat: int, states: Sequence[np.ndarray]) -> int:
        """Replay all decisions of an agent with memory; return its last action."""
        table = self._table
        seed = agent_seed(table.opening.seed, seat)
        forget_deals([agent], [seed])
        stream = new_stream(seed)
        return int([agent.act(make_view(table.game, one, seat, stream)) for one in states][-1])

    def close(self) -> None:
        """Stop the processes of external agents; a later move starts them again."""
        for agent in self._agents.values():
            if isinstance(agent, ProcessAgent):
                agent.stop()
