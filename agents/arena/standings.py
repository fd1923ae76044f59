"""Tournaments in one call, and their standings: win rates of pairs and seats and ratings, or success of teams."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sobremesa import envs
from sobremesa.agents.arena import tournament as folders
from sobremesa.agents.arena.cluster import Cluster, joined
from sobremesa.agents.arena.leaderboard import PairRates, pair_rates, rate_apart, seat_values
from sobremesa.agents.arena.meetings import Progress, silent
from sobremesa.agents.arena.parcels import check_travels
from sobremesa.agents.arena.ratings import Rating
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.schedule import Schedule, plan
from sobremesa.agents.arena.score import Success, nature, success
from sobremesa.agents.arena.workers import THIS_PROCESS, Machines
from sobremesa.agents.builtin import scripted_names
from sobremesa.agents.named import Model, named
from sobremesa.envs.core.compile.threads import cores
from sobremesa.envs.core.errors import ArgumentError
from sobremesa.envs.core.game import Game


class Table(NamedTuple):
    """Win rates at tables of one size."""

    pairs: PairRates
    by_seat: list[list[float]]  #: of each agent of `pairs`


class Standings(NamedTuple):
    """The results of a tournament."""

    schedule: Schedule
    matches: list[Results]
    tables: Mapping[int, Table] = {}  #: by number of seats; empty in a cooperative game
    ratings: Sequence[Rating] = ()  #: over all tables, best first; empty in a cooperative game
    anchor: str = ""  #: the agent with a rating of 0; "" in a cooperative game
    teams: Sequence[Success] = ()  #: best first; only in a cooperative game

    def rate(self, matches: Sequence[Results]) -> Sequence[Rating]:
        """Return the ratings of `matches` with the same anchor."""
        return rate_apart(envs.load(self.schedule.game), matches, {self.anchor: 0.0})


def tournament(
    game: Game,
    specs: Sequence[str],
    folder: Path,
    *,
    machines: Machines = THIS_PROCESS,
    progress: Progress = silent,
    accepted: Callable[[], None] = silent,
    **schedule: Any,
) -> Standings:
    """Play a tournament between the agents `specs`, and return its standings.

    An interrupted tournament resumes by `resume_tournament`, with the same results.

    Args:
        game: the game.
        specs: the agents, by name as in `agents.load`.
        folder: new or empty; it gets the schedule and the rows.
        machines: where to play. Without processes and a cluster there is one process per core, but only one if all
            agents are kernels or one is a language model.
        progress: called with (deals done, deals in all, activity).
        accepted: called once, before the first deal, when the folder is made.
        schedule: arguments of `plan_tournament`: `seats`, `deals`, `seed`, `secret`, `mixed`, `time_limit`,
            `start_limit`, `piece` and `made`, and the game's setup fields.

    Raises ValueError for an unknown agent or a schedule that cannot be played, TournamentError if `folder` is not
    empty, and otherwise as `play_tournament`.
    """
    folder = Path(folder)
    if machines.piece is not None:
        schedule.setdefault("piece", machines.piece)
    check_travels(specs if machines.cluster else ())
    with joined(machines.cluster) as cluster:
        planned = plan(game, specs, **schedule)
        folders.begin(folder, planned)
        accepted()
        _play(folder, planned, machines.processes, cluster, progress, allow_commands=True)
    return standings(game, planned, folders.read(folder))


def resume_tournament(
    folder: Path,
    *,
    machines: Machines = THIS_PROCESS,
    progress: Progress = silent,
    accepted: Callable[[], None] = silent,
    allow_commands: bool = False,
) -> Standings:
    """Play the rest of the tournament in `folder`, and return its standings.

    External agents that the folder names start only with `allow_commands`. The other arguments and errors are those of
    `tournament`; NotAllowed is raised without `allow_commands`.
    """
    folder = Path(folder)
    if machines.piece is not None:
        raise ArgumentError("{piece} is fixed when the tournament begins; leave it out", piece=machines.piece)
    with joined(machines.cluster) as cluster:
        schedule = folders.read_schedule(folder)
        accepted()
        _play(folder, schedule, machines.processes, cluster, progress, allow_commands=allow_commands)
    return standings(envs.load(schedule.game), schedule, folders.read(folder))


def _play(
    folder: Path, schedule: Schedule, processes: int | None, cluster: Cluster | None, progress: Progress,
    allow_commands: bool,
) -> None:  # fmt: skip
    def moved(done: int, total: int) -> None:
        progress(done, total, cluster.told() if cluster else "")

    many = processes or (cores() if _plays_in_python(schedule) else 1)
    folders.play(folder, many, moved, allow_commands=allow_commands, cluster=cluster)


def _plays_in_python(schedule: Schedule) -> bool:
    """Return whether an agent is not a compiled kernel; with a language model, most of the time is waiting."""
    compiled = set(schedule.specs) <= set(scripted_names(envs.load(schedule.game)))
    return not compiled and not any(isinstance(named(spec), Model) for spec in schedule.specs)


def standings(game: Game, schedule: Schedule, matches: list[Results]) -> Standings:
    """Return the standings of the `matches` of a tournament by `schedule`."""
    kind = nature(game)
    if not kind.rated:
        return Standings(schedule, matches, teams=success(matches))
    tables = {}
    for seats in schedule.seats:
        played = [match for match in matches if match.seating.shape[1] == seats]
        pairs = pair_rates(played)
        by_seat = [[float(values.mean()) for values in seat_values(played, name)] for name in pairs.agents]
        tables[seats] = Table(pairs, by_seat)
    anchor = next((name for name in schedule.agents if name.startswith("random#")), schedule.agents[0])
    anchor = kind.called(anchor)[0]
    return Standings(schedule, matches, tables, rate_apart(game, matches, {anchor: 0.0}), anchor)
