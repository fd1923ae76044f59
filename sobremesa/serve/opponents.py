"""Agents that people may choose to sit with: those of the game with their points on its ladder, and own ones.

They are asked away from the event loop, one call at a time each, so that one that thinks for long delays its own table
alone.
"""

import importlib.util
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
from sobremesa.agents.external.agent import COMMAND, PYTHON, NotAllowed, is_external
from sobremesa.agents.named import named
from sobremesa.envs.core.agent import Agent, ProcessAgent, agent_seed, forget_deals, make_view, memory_size, new_stream
from sobremesa.envs.core.game import Game
from sobremesa.serve.table import GoneOn, Table

THINKING = (0, 1, 5)  # seconds a move that an agent may be given
STRONG = "strong"


class Offer(NamedTuple):
    """An agent that the lobby offers."""

    spec: str  # as agents.load takes it; of own ones no client is told, it may name folders and hold keys
    name: str  # as people are told it
    points: float | None  # on the ladder, the mean of its roles; None where it stands on none
    shown: str  # the points, in words


class Opponents:
    """What a server offers: the agents that come with a game, and the `own` ones that it was started with."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        """Raise ValueError for one of `own` that plays no game, with the reason."""
        taken = {name for game in envs.games() for name in agents.names(envs.load(game))} if own else set()
        self._own: dict[str, str] = {}  # specs by name
        for spec in own:
            if not any(_loads(spec, name) for name in envs.games()):
                agents.load(spec)  # says why
                raise ValueError(f"{spec} plays none of the games")
            names = chain([_called(spec)], (f"{_called(spec)} {number}" for number in count(2)))
            self._own[next(name for name in names if name not in taken | self._own.keys())] = spec

    def offers(self, game: Game) -> list[Offer]:
        """Return the agents of `game`, weakest first by the ladder, those of the server's operator last.

        Among them is the search that tops the ladder of the game, where one does.
        """
        names = [name for name in agents.names(game) if _comes_with(name, game.name)]
        searches = [_offer(f"search({name})", game.name) for name in names]
        found = [_offer(name, game.name) for name in names]
        best = max((one for one in searches if one.points is not None), key=_points, default=None)
        if best is not None and _points(best) > max(map(_points, found)):
            found.append(best)
        found.sort(key=lambda one: (one.points is None, _points(one)))
        return found + [Offer(spec, name, None, "") for name, spec in self._own.items() if _loads(spec, game.name)]

    def fair(self, game: Game) -> str:
        """Return the agent whose points lie nearest to the middle of the ladder: one that a newcomer can beat."""
        offered = [one for one in self.offers(game) if one.points is not None]
        rated = [one for one in offered if one.spec in agents.names(game)]  # a search would move the middle
        if not rated:
            return agents.scripted_names(game)[-1]
        points = [_points(one) for one in rated]
        middle = (min(points) + max(points)) / 2
        return min(rated, key=lambda one: abs(_points(one) - middle)).spec

    def spec(self, game: Game, name: str, seconds: int) -> str:
        """Return the agent called `name` that thinks for so many `seconds`; raise ValueError if it is not offered.

        Those who think ahead play as the strong scripted agent does and try what else there is.
        """
        specs = {one.name: one.spec for one in self.offers(game)}
        if name not in specs:
            raise ValueError(f"{name[:60]!r} is not offered")
        if seconds not in THINKING:
            raise ValueError(f"{seconds} seconds are not offered")
        thinks = seconds and name == STRONG
        return f"search({STRONG}, worlds=1000, seconds={seconds})" if thinks else specs[name]


def _points(offer: Offer) -> float:
    return offer.points or 0.0


def _called(spec: str) -> str:
    """Return what people are told of an own agent: its file or program, no folders and nothing that it is given."""
    if spec.startswith(COMMAND):
        return Path(shlex.split(spec.removeprefix(COMMAND))[0]).name
    return Path(spec.removeprefix(PYTHON)).name if is_external(spec) or Path(spec).is_dir() else spec


@lru_cache(maxsize=256)
def _loads(spec: str, name: str) -> bool:
    """Say whether the agent `spec` can be had for the game called `name` on this machine."""
    try:
        agents.load(spec, envs.load(name))
    except (ValueError, ImportError):
        return False
    return True


def _comes_with(name: str, game: str) -> bool:
    """Say whether the agent called `name` that comes with a game can be had on this machine.

    Nothing of it is read, as that runs the rules of its game; tests hold that it goes with them.
    """
    return name in agents.scripted_names(envs.load(game)) or importlib.util.find_spec("onnxruntime") is not None


@lru_cache(maxsize=256)
def _offer(name: str, game: str) -> Offer:
    """Return what is offered of an agent that comes with a game; of the ladder there tests hold that it fits."""
    kind = nature(envs.load(game))
    ladder = leaderboard_file.frozen(envs.load(game), ("game", "version"))
    points = [one.value for one in ladder.rungs if one.agent in kind.called(name)] if ladder else []
    mean = sum(points) / len(points) if points else None
    return Offer(name, name, mean, "" if mean is None else f"{mean:{kind.form}}")


class Bench:
    """The agents of one table, loaded when they are first asked."""

    def __init__(self, table: Table, own: Collection[str] = ()) -> None:
        """`own` are the agents that the server was started with: no other program is started for a table."""
        self._table, self._own = table, own
        self._agents: dict[int, Agent] = {}
        self._lock = threading.Lock()

    def ask(self, seat: int, version: int) -> int:
        """Return what the agent at `seat` does in the table's state number `version`.

        Raises whatever the agent raises, and GoneOn where the table has gone on meanwhile.
        """
        with self._lock:
            if seat not in self._agents:
                self._agents[seat] = self._load(self._table.opening.seated[seat].spec)
            agent = self._agents[seat]
            with self._table.lock:
                if self._table.version != version or not self._table.asked(seat):
                    raise GoneOn
                if not memory_size(agent):
                    view = self._table.view(seat)
                plies = self._table.deal.plies
                states = [ply.states for ply in plies if ply.seat == seat] + [self._table.deal.states.copy()]
            if memory_size(agent):
                return self._remembering(agent, seat, states)
            try:
                return int(agent.act(view))
            finally:  # each decision has a stream of its own, so nothing that was kept of this one is found again
                forget_deals([agent], [int(view.stream["seed"][0])])

    def _load(self, spec: str) -> Agent:
        """Return the agent `spec` of the table; raise NotAllowed where the store alone names a program to start."""
        if spec not in self._own and named(spec).programs():
            raise NotAllowed(f"the table names {spec!r:.200}, which is not started unless it is offered by --bot")
        return agents.load(spec, self._table.game)

    def _remembering(self, agent: Agent, seat: int, states: Sequence[np.ndarray]) -> int:
        """Ask an agent that carries something from one decision to the next at all its decisions of the deal again."""
        table = self._table
        seed = agent_seed(table.opening.seed, seat)
        forget_deals([agent], [seed])
        stream = new_stream(seed)
        return int([agent.act(make_view(table.game, one, seat, stream)) for one in states][-1])

    def close(self) -> None:
        """End the processes of foreign agents; one that is asked again begins anew."""
        for agent in self._agents.values():
            if isinstance(agent, ProcessAgent):
                agent.stop()
