"""Tournaments: schedules that any number of processes play piece by piece, with their rows in a folder.

A folder has `arena.json`, the schedule, and a file of rows for each piece. The content of a piece follows from the
schedule alone (with a language model also from its answers), and a file is complete or missing. So an interrupted
tournament resumes with the missing pieces and gives the same rows, except for the time used.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from sobremesa import envs
from sobremesa.agents.arena import replay, results
from sobremesa.agents.arena.apart import Course, Keep
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.parcels import bot_folders
from sobremesa.agents.arena.play import agent_keys, play_out
from sobremesa.agents.arena.results import Played, Results, ResultsError, join
from sobremesa.agents.arena.schedule import Piece, Schedule, check, pieces
from sobremesa.agents.arena.workers import Alone, Engine, Executor, Pool, Queue, TaskFiles
from sobremesa.agents.builtin import scripted_names
from sobremesa.agents.external.agent import ExternalAgent
from sobremesa.agents.language import transcript
from sobremesa.agents.loading import load
from sobremesa.agents.named import check_allowed
from sobremesa.agents.stored import LARGEST, LONGEST_PROBLEM, misfit, read_object, structured
from sobremesa.envs.core.deal import deal_by
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import read_inside, write_whole
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
    cluster: Executor | None = None,
) -> None:
    """Play the missing pieces of the tournament in `folder`.

    Args:
        folder: as made by `begin_tournament`.
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
    missing = [number for number, piece in every.items() if not is_played(folder, schedule, piece)]
    if missing and not allow_commands:
        check_allowed(schedule.specs, folder)
    _check_unchanged(folder, schedule)
    total = sum(len(piece.deals) for piece in every.values())
    done = total - sum(len(every[number].deals) for number in missing)

    def count(number: int) -> None:
        nonlocal done
        done += len(every[number].deals)
        if progress is not None:
            progress(done, total)

    if progress is not None:
        progress(done, total)
    if missing:
        processes = min(processes, len(missing))
        with closing(engine_for(folder, schedule, every, processes if processes > 1 else None, cluster)) as engine:
            Queue(engine, missing).do(missing, count)


def engine_for(
    folder: Path, schedule: Schedule, every: Mapping[int, Piece], processes: int | None, cluster: Executor | None
) -> Engine:
    """Return an engine that plays the pieces `every`, by number; this process plays without the other two."""
    if cluster is not None:
        return cluster.engine(play_piece, str(folder), carried(folder, schedule))
    if processes is not None:
        return Pool(play_piece, str(folder), processes)
    return Alone(lambda _, number: _play_piece(folder, schedule, every[number], None), str(folder))


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
    keep = _replay_writer(folder, schedule, piece)
    played = play_out(game, taking_part, seeds, seating, setup, threads=threads, keys=keys, keep=keep)
    found = played.results(game, taking_part, seeds, seating)
    names = tuple(identity(agent) for agent in taking_part)
    for number, name in zip(numbers, names, strict=True):
        if name != schedule.agents[number]:
            raise TournamentError(f"{folder}: {schedule.agents[number]} changed to {name} during the tournament")
    results.write(_path(folder, piece), found._replace(agents=names), _key(schedule, piece))


def _replay_writer(folder: Path, schedule: Schedule, piece: Piece) -> Keep:
    """Return a function that writes a replay of each deal with language models, and next to it the transcripts."""
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


def carried(folder: Path, schedule: Schedule) -> TaskFiles:
    """Return the files and bots that pieces of the tournament in `folder` need; ValueError for an external agent."""
    bots = bot_folders(schedule.specs, envs.load(schedule.game))
    return TaskFiles({SCHEDULE: read_inside(folder, SCHEDULE, LARGEST)}, bots, (schedule.game,), prepare)


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


def is_played(folder: Path, schedule: Schedule, piece: Piece) -> bool:
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
