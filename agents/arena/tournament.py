"""Tournaments: schedules that any number of processes play piece by piece, with their rows in a folder.

A folder holds `arena.json`, the schedule, and a file of rows for each piece. The content of a piece follows from the
schedule alone (with a language model also from its answers), and a file is complete or missing. So an interrupted
tournament resumes with the missing pieces and gives the same rows, except for the time used.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sobremesa import envs
from sobremesa.agents.arena import replay, results
from sobremesa.agents.arena.apart import Course, Keep
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.parcels import bot_folders
from sobremesa.agents.arena.play import agent_keys, play_out
from sobremesa.agents.arena.results import Played, Results, ResultsError, join
from sobremesa.agents.arena.schedule import PIECE, Piece, Schedule, check, pieces, plan
from sobremesa.agents.arena.workers import NOTHING, Alone, Along, Elsewhere, Pool, WorkerFailed, all_of, do_all
from sobremesa.agents.builtin import scripted_names
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.agents.language import transcript
from sobremesa.agents.loading import load
from sobremesa.agents.named import check_allowed
from sobremesa.agents.stored import LARGEST, LONGEST_PROBLEM, misfit, read_object, structured
from sobremesa.envs.core.deal import deal_by
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import DEAL, seeds_of

FORMAT = 2
TRANSCRIPTS = "transcripts"  # folder of replays and transcripts of deals with language models
SCHEDULE = "arena.json"


class TournamentError(ValueError):
    """A folder without a tournament, or with one that cannot resume; the message has the reason."""


def begin(folder: Path, schedule: Schedule) -> None:
    """Make `folder`, which must be new or empty, for a tournament by `schedule`."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        going_on = "; resume its tournament with --resume" if (folder / SCHEDULE).exists() else ""
        raise TournamentError(f"{folder} exists and is not an empty folder{going_on}")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / SCHEDULE, json.dumps({"format": FORMAT, **msgspec.structs.asdict(schedule)}, indent=1))


def play(
    folder: Path,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
    *,
    allow_commands: bool = False,
    cluster: Elsewhere | None = None,
) -> None:
    """Play the missing pieces of the tournament in `folder`.

    Args:
        folder: as made by `begin`.
        processes: number of processes; 1 plays in this one, and external agents still have their own.
        progress: called with (deals done, deals in all), without seatings, now and then.
        allow_commands: whether external agents named in the folder may be started.
        cluster: machines that play instead of processes of this one; see `cluster.joined`.

    Raises:
        ValueError: an external agent would play on a cluster.
        EndpointFailed: the endpoint of a language model failed again and again; the pieces before are kept.
        TournamentError, ResultsError: the folder is damaged, or the game or an agent has changed.
        NotAllowed: an external agent would play without `allow_commands`.
        WorkerFailed: a piece raised in its worker process, or killed several of them.
    """
    schedule = read_schedule(folder)
    if problem := misfit(schedule, envs.load(schedule.game)):
        raise TournamentError(f"{folder}: {problem}")
    every = {piece.number: piece for piece in pieces(schedule)}
    missing = [number for number, piece in every.items() if not is_there(folder, schedule, piece)]
    if missing and not allow_commands:
        check_allowed(schedule.specs, folder)
    _check_unchanged(folder, schedule)
    along = carried(folder, schedule) if cluster is not None else NOTHING
    total = sum(len(piece.deals) for piece in every.values())
    done = total - sum(len(every[number].deals) for number in missing)

    def count(number: int) -> None:
        nonlocal done
        done += len(every[number].deals)
        if progress is not None:
            progress(done, total)

    if progress is not None:
        progress(done, total)
    if missing and (cluster is not None or (processes > 1 and len(missing) > 1)):
        do_all(play_piece, str(folder), missing, min(processes, len(missing)), count, cluster=cluster, along=along)
    else:
        for number in missing:
            _play_piece(folder, schedule, every[number], None)
            count(number)


def read(folder: Path) -> list[Results]:
    """Return the results of each match of the tournament in `folder`; raise TournamentError if it is not finished."""
    schedule = read_schedule(folder)
    by_match: dict[int, list[Results]] = {}
    for piece in pieces(schedule):
        if not _path(folder, piece).exists():
            raise TournamentError(f"{folder}: the tournament is not finished; continue with --resume {folder}")
        by_match.setdefault(piece.match, []).append(read_piece(folder, schedule, piece))
    return [join(parts) for parts in by_match.values()]


def read_schedule(folder: Path) -> Schedule:
    """Return the schedule of the tournament in `folder`; raise TournamentError if it is missing or unsound."""
    path = folder / SCHEDULE
    found = read_object(path, "tournament", FORMAT, TournamentError, inside=True)
    del found["format"]
    schedule = structured(found, Schedule, path, TournamentError)
    try:
        check(schedule)
    except (ValueError, TypeError) as error:
        raise TournamentError(f"{path}: damaged, or changed by hand: {one_line(str(error), LONGEST_PROBLEM)}") from None
    return schedule


def _check_unchanged(folder: Path, schedule: Schedule) -> None:
    """Raise TournamentError if an agent has changed."""
    game = envs.load(schedule.game)
    for spec, then in zip(schedule.specs, schedule.agents, strict=True):
        now = identity(load(spec, game))
        if then != now:
            was = one_line(f"the agent {spec} is {now}; when the tournament began it was {then}")
            raise TournamentError(f"{folder}: {was}")


# Pieces.


def play_piece(folder: str, number: int) -> None:
    """Play piece `number` of the tournament in `folder` on one thread and write its results: the work of a worker."""
    schedule, every = _opened(folder)
    _play_piece(Path(folder), schedule, every[number], 1)


@lru_cache(maxsize=1)
def _opened(folder: str) -> tuple[Schedule, list[Piece]]:
    schedule = read_schedule(Path(folder))
    return schedule, pieces(schedule)


def _play_piece(folder: Path, schedule: Schedule, piece: Piece, threads: int | None) -> None:
    game = envs.load(schedule.game)
    numbers = list(dict.fromkeys(piece.seated))
    taking_part = [load(schedule.specs[number], game) for number in numbers]
    for agent in taking_part:
        if isinstance(agent, ExternalAgent):
            agent.time_limit, agent.start_limit = schedule.time_limit, schedule.start_limit
    seeds, seating = _dealt(schedule, piece)
    setup = {**schedule.setup, "seats": len(piece.seated)}
    keys = agent_keys(schedule.seed, piece.deals, schedule.secret, len(seeds) // len(piece.deals))
    keep = _keeping(folder, schedule, piece)
    played = play_out(game, taking_part, seeds, seating, setup, threads=threads, keys=keys, keep=keep)
    found = played.results(game, taking_part, seeds, seating)
    names = tuple(identity(agent) for agent in taking_part)
    for number, name in zip(numbers, names, strict=True):
        if name != schedule.agents[number]:
            raise TournamentError(f"{folder}: {schedule.agents[number]} changed to {name} during the tournament")
    results.write(_path(folder, piece), found._replace(agents=names), _key(schedule, piece))


def _keeping(folder: Path, schedule: Schedule, piece: Piece) -> Keep:
    """Return a function that writes a replay of each deal with language models, and beside it the transcripts."""
    game, (seeds, seating) = envs.load(schedule.game), _dealt(schedule, piece)
    setup = {**schedule.setup, "seats": len(piece.seated)}
    taking_part = [schedule.agents[number] for number in dict.fromkeys(piece.seated)]

    def keep(row: int, course: Course, played: Played) -> None:
        if not course.transcripts:
            return
        deal, turn = divmod(row, len(seeds) // len(piece.deals))
        file = folder / TRANSCRIPTS / f"{piece.match:03}-{piece.deals[deal]:06}-{turn}.jsonl"
        file.parent.mkdir(exist_ok=True)
        names, seed = [taking_part[index] for index in seating[row]], int(seeds[row])
        end = {"payoffs": played.payoffs[row].tolist(), "forfeit": played.reasons[row]}
        transcript.write(file, game, seed, game.setup(played.ends[row : row + 1]), names, course.transcripts, end)
        if played.reasons[row]:
            file.with_suffix(".json").unlink(missing_ok=True)  # of a piece that was interrupted
        else:
            actions = iter(course.actions)
            plies = deal_by(game, seed, setup, lambda *_: next(actions))
            replay.write(file.with_suffix(".json"), replay.from_plies(game, plies, names, seed))

    return keep


def carried(folder: Path, schedule: Schedule) -> Along:
    """Return the files and bots that pieces of the tournament in `folder` need; ValueError for an external agent."""
    bots = bot_folders(schedule.specs, envs.load(schedule.game))
    return Along({SCHEDULE: read_inside(folder, SCHEDULE, LARGEST)}, bots, (schedule.game,), prepare)


def prepare(folder: str) -> None:
    """Compile the kernels of the tournament in `folder`: play a deal of each match of kernels, or with a new agent."""
    schedule, every = _opened(folder)
    game = envs.load(schedule.game)
    compiled, met = set(scripted_names(game)), set[tuple[int, int]]()
    for piece in {piece.match: piece for piece in reversed(every)}.values():
        new = {(agent, len(piece.seated)) for agent in piece.seated} - met
        if new or {schedule.specs[agent] for agent in piece.seated} <= compiled:
            met |= new
            _play_piece(Path(folder), schedule, piece._replace(deals=piece.deals[:1]), 1)
            _path(Path(folder), piece).unlink()


def _dealt(schedule: Schedule, piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """Return seeds and seating of a piece, with its agents numbered in the order of the first seating."""
    taking_part = list(dict.fromkeys(piece.seated))
    seatings = [[taking_part.index(agent) for agent in seating] for seating in piece.seatings()]
    seeds = np.repeat(seeds_of(DEAL, schedule.seed, piece.deals, schedule.secret), len(seatings))
    return seeds, np.tile(np.array(seatings), (len(piece.deals), 1))


def read_piece(folder: Path, schedule: Schedule, piece: Piece) -> Results:
    """Return the results of a piece that was played; raise ResultsError if its file is damaged."""
    path = _path(folder, piece)
    seeds, seating = _dealt(schedule, piece)
    found = results.read(path, _key(schedule, piece), len(seeds))
    names = tuple(schedule.agents[number] for number in dict.fromkeys(piece.seated))
    same = (found.agents == names, np.array_equal(found.seeds, seeds), np.array_equal(found.seating, seating))
    if not all(same):
        raise ResultsError(f"{path}: these are not the agents, deals and seatings of piece {piece.number}")
    return found._replace(secret=schedule.secret)


def is_there(folder: Path, schedule: Schedule, piece: Piece) -> bool:
    """Return whether a piece was played; raise ResultsError if its file is damaged."""
    if not _path(folder, piece).exists():
        return False
    try:
        read_piece(folder, schedule, piece)
    except ResultsError as error:
        raise ResultsError(f"{error} (remove this file to play its deals again)") from None
    return True


def _key(schedule: Schedule, piece: Piece) -> str:
    return f"{schedule.key()}/{piece.number}"


def _path(folder: Path, piece: Piece) -> Path:
    return folder / f"rows-{piece.number:06}.npz"


AHEAD = 2  # pieces submitted for each that is played at once
THINKING = 16  # deals in a piece of agents without a kernel: one may take minutes

Meet = Callable[[range], list[Results]]  # numbers of deals to the results of each match
Progress = Callable[[int, int], None]  # (deals done, deals wanted)


class Rounds:
    """The `wanted` matches of the tournament in `folder`, as in `pairings.who_meets`, played as far as needed.

    For callers that decide by the results so far whether to play more. An engine plays ahead; results call the agents
    by `names`. Without `processes` and `cluster` this process plays. Close it after use.
    """

    def __init__(
        self, folder: Path, names: Sequence[str], wanted: Sequence[tuple[int, ...]], *,
        processes: int | None = 1, cluster: Elsewhere | None = None, progress: Progress | None = None,
    ) -> None:  # fmt: skip
        schedule = self._schedule = read_schedule(folder)
        along = carried(folder, schedule) if cluster else NOTHING
        given = play_piece, str(folder)
        here = Pool(*given, processes) if processes else Alone(*given)
        self._engine = cluster.engine(*given, along) if cluster else here
        self._folder, self._progress = folder, progress
        self._names = dict(zip(schedule.agents, names, strict=True))
        self._matches: list[list[Piece]] = [[] for _ in wanted]
        for piece in pieces(schedule):
            met = tuple(dict.fromkeys(piece.seated))
            if met in wanted:
                self._matches[wanted.index(met)].append(piece)
        every = sorted((piece for match in self._matches for piece in match), key=lambda one: one.deals.start)
        self._there = {piece.number for piece in every if is_there(folder, schedule, piece)}
        self._waiting = [piece.number for piece in reversed(every) if piece.number not in self._there]
        self._given_away = 0
        self._failed: dict[int, WorkerFailed] = {}

    def results(self, deals: range) -> list[Results]:
        """Return the results of `deals`, by their numbers, in each match; raise WorkerFailed if a piece failed."""
        wanted = [[one for one in match if _overlap(one.deals, deals)] for match in self._matches]
        every = [one for match in wanted for one in match]
        self._report(every)
        while not (self._there | self._failed.keys()).issuperset(one.number for one in every):
            while self._waiting and self._given_away < AHEAD * self._engine.width:
                self._engine.submit(self._waiting.pop())
                self._given_away += 1
            task, failure = self._engine.take()
            self._given_away -= 1
            if failure is None:
                self._there.add(task)
            elif self._engine.goes_on:
                self._failed[task] = failure
            else:
                raise failure
            self._report(every)
        if failed := [self._failed[one.number] for one in every if one.number in self._failed]:
            raise all_of(failed, len(every))
        return [join([self._read(piece, deals) for piece in match]) for match in wanted]

    def close(self) -> None:
        """End the engine; the pieces played ahead are kept."""
        self._engine.close()

    def _report(self, every: Sequence[Piece]) -> None:
        if self._progress is not None:
            done = sum(len(one.deals) for one in every if one.number in self._there)
            self._progress(done, sum(len(one.deals) for one in every))

    def _read(self, piece: Piece, deals: range) -> Results:
        """Return the results of `piece` in those of its deals that are among `deals`."""
        found = read_piece(self._folder, self._schedule, piece)
        numbers = np.repeat(piece.deals, len(piece.seatings()))
        kept = found.where((numbers >= deals.start) & (numbers < deals.stop))
        return kept._replace(agents=tuple(self._names[name] for name in kept.agents))


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


@contextmanager
def meeting(
    game: Game, specs: Sequence[str], names: Sequence[str], wanted: Sequence[tuple[int, ...]], most: int, *,
    label: str, piece: int | None = None, processes: int | None = None, cluster: Elsewhere | None = None,
    progress: Progress | None = None, tell: Callable[[str], None] = print, **given: Any,
) -> Iterator[Meet]:  # fmt: skip
    """Yield a function that plays the `wanted` matches of `specs`, up to `most` deals, by processes, a cluster or here.

    The rows are kept in a folder named by `label` and all data that they follow from, so the same call resumes there.
    `given` are arguments of `schedule.plan`. Raises TournamentError if the schedule in the folder is another one.
    """
    kernels = set(specs) <= set(scripted_names(game))
    size = piece or (PIECE if kernels else THINKING)
    schedule: Schedule = plan(game, specs, deals=most, piece=min(size, most), **given)
    folder = Path("runs") / f"{label}-{schedule.key()}"
    if not (folder / SCHEDULE).exists():
        begin(folder, schedule)
    elif read_schedule(folder).key() != schedule.key():  # changed, and its agents may be programs
        raise TournamentError(f"{folder}: its schedule is another one; remove the folder to play its deals again")
    also = f" with --secret {schedule.secret}" if schedule.secret else ""
    tell(f"Playing in {folder}; the same command{also} goes on there.")
    rounds = Rounds(folder, names, wanted, processes=processes, cluster=cluster, progress=progress)
    with closing(rounds):
        yield rounds.results
