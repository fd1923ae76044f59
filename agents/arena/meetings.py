"""Meetings: matches of loaded agents for `ladder` and `rate`, in this process, by worker processes or on a cluster.

Without an engine the matches are played in memory. An engine, and each language model, plays pieces of a tournament
whose rows are kept in a folder, so that the same call resumes there.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.cluster import Cluster, joined
from sobremesa.agents.arena.leaderboard_file import check_name
from sobremesa.agents.arena.pairings import check_plays, play_matches
from sobremesa.agents.arena.parcels import check_travels
from sobremesa.agents.arena.play import secret_for
from sobremesa.agents.arena.results import Results, join
from sobremesa.agents.arena.schedule import PIECE, Piece, pieces, plan
from sobremesa.agents.arena.workers import Executor, Machines, Queue
from sobremesa.agents.builtin import names, scripted_names
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.agents.loading import load
from sobremesa.agents.named import Model, named
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game

AHEAD = 2  # pieces submitted for each that is played at once
THINKING = 16  # deals in a piece of agents without a kernel: one may take minutes

Meet = Callable[[range], list[Results]]  # numbers of deals to the results of each match
Progress = Callable[[int, int, str], None]  # (deals or rows done, wanted, activity)


def silent(*_: Any) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class Meetings:
    """Agents, deals and the engine that plays them; `opened` makes one."""

    label: str  # of the folder of the rows
    game: Game
    specs: Sequence[str]
    met: Sequence[Agent]  # the agents of `specs`
    seed: int
    secret: str
    machines: Machines
    cluster: Cluster | None  # of `machines`
    tell: Callable[[str], None]  # gets a line with the folder of the rows

    @property
    def dealt(self) -> dict[str, Any]:
        """The sources of the deals, as `play` takes them."""
        return {"seed": self.seed, "secret": self.secret}

    @contextmanager
    def at(
        self, setup: dict[str, Any], wanted: Sequence[tuple[int, ...]], most: int, progress: Progress = silent,
        taking: Sequence[int] | None = None,
    ) -> Iterator[Meet]:  # fmt: skip
        """Yield a function that plays up to `most` deals of the `wanted` matches, as in `pairings.matchups`.

        `taking` are the indices of the agents that `wanted` counts; None takes all.
        """
        numbers = range(len(self.specs)) if taking is None else taking
        specs, met = [self.specs[one] for one in numbers], [self.met[one] for one in numbers]
        models = any(isinstance(named(spec), Model) for spec in specs)  # each of their deals is stored
        if not self.cluster and not self.machines.processes and not models:
            yield partial(play_matches, self.game, met, wanted=wanted, progress=progress, **self.dealt, **setup)
            return
        folder = self._folder(specs, setup, most)

        def moved(done: int, total: int) -> None:
            progress(done, total, self.cluster.told() if self.cluster else "")

        called, processes = [one.name for one in met], self.machines.processes
        with closing(Rounds(folder, called, wanted, processes, self.cluster, moved)) as rounds:
            yield rounds.results

    def _folder(self, specs: Sequence[str], setup: dict[str, Any], most: int) -> Path:
        """Return the folder of the rows, named by the label and all data that they follow from.

        Raises TournamentError if the schedule in it is another one.
        """
        kernels = set(specs) <= set(scripted_names(self.game))
        size = min(self.machines.piece or (PIECE if kernels else THINKING), most)
        options = {name: value for name, value in setup.items() if name != "seats"}
        given = {"seats": [setup["seats"]], "deals": most, "piece": size, **self.dealt, **options}
        schedule = plan(self.game, specs, **given)
        folder = Path("runs") / f"{self.label}-{schedule.key()}"
        if not (folder / tournament.SCHEDULE).exists():
            tournament.begin(folder, schedule)
        elif tournament.read_schedule(folder).key() != schedule.key():  # changed, and its agents may be programs
            raise tournament.TournamentError(
                f"{folder}: its schedule is another one; remove the folder to play its deals again"
            )
        also = f" with --secret {schedule.secret}" if schedule.secret else ""
        self.tell(f"Playing in {folder}; the same command{also} goes on there.")
        return folder


@contextmanager
def opened(
    label: str, game: Game, specs: Sequence[str], setups: Sequence[dict[str, Any]] = (), *,
    seed: int, secret: str | None, machines: Machines, tell: Callable[[str], None],
) -> Iterator[Meetings]:  # fmt: skip
    """Load the agents of `specs`, join the cluster, and yield their meetings.

    Raises ValueError for agents that no ladder can contain, CannotPlay for an external agent that forfeits all of its
    first deals at one of `setups`.
    """
    check_travels(specs if machines.cluster else ())
    met = load_named(game, specs)
    for agent in met:
        for setup in setups if isinstance(agent, ExternalAgent) else ():
            check_plays(game, agent, **setup)
    secret = secret_for(met, secret)
    with joined(machines.cluster) as cluster:
        yield Meetings(label, game, specs, met, seed, secret, machines, cluster, tell)


def load_named(game: Game, specs: Sequence[str]) -> list[Agent]:
    """Load the agents of `specs` under different names: a bot is named by its path if its name is taken.

    Raises ValueError for an agent that is given twice or has a name that no ladder can contain.
    """
    for spec in specs:
        if specs.count(spec) > 1:
            raise ValueError(f"{spec} is given twice; give each agent once")
    met = [load(spec, game) for spec in specs]
    called, known = [agent.name for agent in met], names(game)
    for spec, agent in zip(specs, met, strict=True):
        if spec not in known and (agent.name in known or called.count(agent.name) > 1):
            agent.name = str(spec)
        check_name(agent.name, str(spec))
    return met


class Rounds:
    """The `wanted` matches of the tournament in `folder`, as in `pairings.matchups`, played as far as needed.

    For callers that decide by the results so far whether to play more. An engine plays ahead; results call the agents
    by `names`. Without `processes` and `cluster` this process plays. Close it after use.
    """

    def __init__(
        self, folder: Path, names: Sequence[str], wanted: Sequence[tuple[int, ...]],
        processes: int | None = None, cluster: Executor | None = None,
        progress: Callable[[int, int], None] = silent,
    ) -> None:  # fmt: skip
        schedule = self._schedule = tournament.read_schedule(folder)
        self._folder, self._progress = folder, progress
        self._names = dict(zip(schedule.agents, names, strict=True))
        self._matches: list[list[Piece]] = [[] for _ in wanted]
        for piece in pieces(schedule):
            met = tuple(dict.fromkeys(piece.seated))
            if met in wanted:
                self._matches[wanted.index(met)].append(piece)
        every = sorted((piece for match in self._matches for piece in match), key=lambda one: one.deals.start)
        self._there = {piece.number for piece in every if tournament.is_played(folder, schedule, piece)}
        by_number = {piece.number: piece for piece in every}
        self._engine = tournament.engine_for(folder, schedule, by_number, processes, cluster)
        self._queue = Queue(self._engine, [number for number in by_number if number not in self._there], AHEAD)

    def results(self, deals: range) -> list[Results]:
        """Return the results of `deals`, by their numbers, in each match; raise WorkerFailed if a piece failed."""
        wanted = [[one for one in match if _overlap(one.deals, deals)] for match in self._matches]
        every = [one for match in wanted for one in match]

        def done(number: int | None = None) -> None:
            if number is not None:
                self._there.add(number)
            played = sum(len(one.deals) for one in every if one.number in self._there)
            self._progress(played, sum(len(one.deals) for one in every))

        done()
        self._queue.do([one.number for one in every if one.number not in self._there], done)
        return [join([self._read(piece, deals) for piece in match]) for match in wanted]

    def close(self) -> None:
        """End the engine; the pieces played ahead are kept."""
        self._engine.close()

    def _read(self, piece: Piece, deals: range) -> Results:
        """Return the results of `piece` in those of its deals that are among `deals`."""
        found = tournament.read_piece(self._folder, self._schedule, piece)
        numbers = np.repeat(piece.deals, len(piece.seatings()))
        kept = found.where((numbers >= deals.start) & (numbers < deals.stop))
        return kept._replace(agents=tuple(self._names[name] for name in kept.agents))


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop
