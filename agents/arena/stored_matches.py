"""Matches whose rows are kept in a folder, each as a tournament of its own.

The folder of a match is named by all data that its rows follow from. So with another agent, another number of seats or
more deals only the missing rows are played.
"""

import json
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sobremesa.agents.arena import tournament
from sobremesa.agents.arena.meetings import Progress
from sobremesa.agents.arena.play import secret_for
from sobremesa.agents.arena.results import Results, join
from sobremesa.agents.arena.schedule import Piece, Schedule, pieces, plan
from sobremesa.agents.arena.workers import Alone, Pool, Queue
from sobremesa.agents.named import Model, is_search, named
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.files import read_file, text_of, write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import check_secret

PIECE, SEARCH_PIECE = 100, 4  # deals in a file: a search or a language model may take a minute for one
MOST_PIECES = 1_000  # of a match
SECRET = "secret.txt"  # in the folder of the matches, if a secret was drawn
LONGEST_SECRET = 100  # bytes of that file


class Match(NamedTuple):
    """One agent among copies of another one, or copies of one agent at all seats."""

    seats: int
    specs: tuple[str, ...]  # one agent or two, by name
    deals: int  # wanted, the first ones of the seed


class _Place(NamedTuple):
    folder: Path
    schedule: Schedule
    wanted: list[Piece]


def stored_secret(folder: Path, agents: Sequence[Agent], secret: str | None) -> str:
    """Return the secret of deals between `agents`, as `play.secret_for`.

    A secret that is drawn is written to `folder` and used there again, so that the same call resumes. Raises
    TournamentError for a damaged file, and ValueError for a malformed `secret`.
    """
    found = secret_for(agents, secret)
    if secret is not None or not found:
        return found
    path = folder / SECRET
    try:
        if kept := check_secret(text_of(read_file(path, LONGEST_SECRET)).strip()):
            return kept
        raise ValueError("it is empty")
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, found)
    except ValueError as error:
        raise tournament.TournamentError(f"{path}: {error}; remove the file to draw another secret") from None
    return found


def is_slow(spec: str) -> bool:
    """Return whether the agent `spec` is a search or a language model."""
    return is_search(spec) or isinstance(named(spec), Model)


def play_stored(
    game: Game,
    matches: Sequence[Match],
    folder: Path,
    *,
    seed: int,
    secret: str,
    processes: int | None,
    progress: Progress,
    setup: dict[str, Any],
) -> list[Results]:
    """Play the missing rows of `matches` in folders below `folder`, and return the results of each match.

    `processes` workers play; None plays in this process. The deals follow from `seed` and `secret` (`play.secret_for`),
    and `setup` has the other setup fields. Raises TournamentError for a damaged folder, ValueError for an unknown agent
    or setup, and otherwise as `workers.run_tasks`.
    """
    places = [_placed(game, match, folder, seed, secret, setup) for match in matches]
    missing = [
        (number, piece)
        for number, place in enumerate(places)
        for piece in place.wanted
        if not tournament.is_played(place.folder, place.schedule, piece)
    ]
    total = sum(len(piece.deals) for place in places for piece in place.wanted)
    played = total - sum(len(piece.deals) for _, piece in missing)

    def done(task: int) -> None:
        nonlocal played
        number, piece = missing[task]
        played += len(piece.deals)
        progress(played, total, f"{' among '.join(matches[number].specs)}, {matches[number].seats} seats")

    progress(played, total, "")
    if missing:
        listed = json.dumps([[str(places[number].folder), piece.number] for number, piece in missing])
        engine = Alone(_play_task, listed) if processes is None else Pool(_play_task, listed, processes)
        with closing(engine):
            Queue(engine, range(len(missing))).do(range(len(missing)), done)
    return [_read(place, match) for place, match in zip(places, matches, strict=True)]


def _placed(game: Game, match: Match, folder: Path, seed: int, secret: str, setup: dict[str, Any]) -> _Place:
    """Return the place of `match`, and make its folder if it is new."""
    size = SEARCH_PIECE if any(map(is_slow, match.specs)) else PIECE
    dealt: dict[str, Any] = {
        "seed": seed,
        "secret": secret,
        "piece": size,
        "external_piece": size,
        "deals": size * MOST_PIECES,
    }
    mixed = game.cooperative and len(match.specs) > 1
    schedule = plan(game, match.specs, seats=[match.seats], mixed=mixed, **dealt, **setup)
    place = folder / schedule.key()
    if not (place / tournament.SCHEDULE).exists():
        tournament.begin(place, schedule)
    elif tournament.read_schedule(place).key() != schedule.key():
        raise tournament.TournamentError(
            f"{place}: its schedule was changed; remove the folder to play its deals again"
        )
    met = tuple(range(len(match.specs)))
    own = [piece for piece in pieces(schedule) if tuple(dict.fromkeys(piece.seated)) == met]
    return _Place(place, schedule, [piece for piece in own if piece.deals.start < match.deals])


def _play_task(listed: str, number: int) -> None:
    """Play one piece: the work of a worker. `listed` is a JSON list of folders and numbers of pieces."""
    folder, piece = _tasks(listed)[number]
    tournament.play_piece(folder, piece)


@lru_cache(maxsize=1)
def _tasks(listed: str) -> list[tuple[str, int]]:
    return [(folder, piece) for folder, piece in json.loads(listed)]


def _read(place: _Place, match: Match) -> Results:
    """Return the results of `match`, of its wanted deals only."""
    found = join([tournament.read_piece(place.folder, place.schedule, piece) for piece in place.wanted])
    rows = match.deals * len(place.wanted[0].seatings())
    kept = found.where(np.arange(len(found.seeds)) < rows)
    return kept._replace(agents=match.specs)
