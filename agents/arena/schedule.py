"""The schedule of a tournament: its matches and deals, cut into pieces that can be played in any order."""

import hashlib
import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from sobremesa import envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.pairings import matchups, pairs
from sobremesa.agents.arena.play import secret_for
from sobremesa.agents.arena.score import nature
from sobremesa.agents.external.agent import DEALS, START_LIMIT, TIME_LIMIT
from sobremesa.agents.loading import load
from sobremesa.agents.named import External, Model, named
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import check_secret
from sobremesa.envs.core.testing.check import rules_hash

PIECE, EXTERNAL_PIECE = 2_000, DEALS  # deals of a match in a piece
MODEL_PIECE = 4  # with a language model, whose answers cost time and money: a piece is played whole or again
MOST_DEALS = 10_000_000
MOST_PIECES = 2_000_000  # of a tournament
LONGEST_LIMIT = 86_400  # seconds


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All data that the rows of a tournament follow from, and the versions that made it."""

    game: str
    version: int  #: of the game
    rules_hash: str
    specs: tuple[str, ...]  #: names of the agents
    agents: tuple[str, ...]  #: identities of `specs`
    seats: tuple[int, ...]  #: numbers of seats, each its own tournament with the same deals
    setup: dict[str, Any]  #: the other setup fields that were given
    deals: int  #: of each match, each in all cyclic seatings
    seed: int
    secret: str = ""  #: text that is mixed into the seeds of the deals, with an external agent; "" for none
    mixed: bool  #: also play tables at which all agents differ
    time_limit: int | float  #: seconds for a move of an external agent; stored as given, since the key follows from it
    start_limit: int | float  #: seconds for an external agent to start
    piece: int  #: deals in a piece
    external_piece: int  #: deals in a piece of a match with an external agent or a language model
    made: dict[str, str]  #: names and versions; rows do not depend on them

    def key(self) -> str:
        """Return a digest of all data that rows follow from."""
        fields = msgspec.structs.asdict(self) | {"made": None}
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


class Piece(NamedTuple):
    """Some deals of one match."""

    number: int
    match: int
    seated: tuple[int, ...]  # the first seating, as indices into the schedule's agents
    deals: range

    def seatings(self) -> list[tuple[int, ...]]:
        """Return the different cyclic seatings: a team of copies has one."""
        return list(dict.fromkeys(tuple(np.roll(self.seated, turn).tolist()) for turn in range(len(self.seated))))


def plan(
    game: Game,
    specs: Sequence[str],
    *,
    seats: Sequence[int] | None = None,
    deals: int = 1000,
    seed: int = 0,
    secret: str | None = None,
    mixed: bool = False,
    time_limit: float = TIME_LIMIT,
    start_limit: float = START_LIMIT,
    piece: int = PIECE,
    external_piece: int | None = None,
    made: dict[str, str] | None = None,
    **setup: Any,
) -> Schedule:
    """Return the schedule of a tournament, in which each agent plays among copies of each other one.

    Args:
        game: the game.
        specs: two agents or more, by name as in `agents.load`; in a cooperative game one is enough.
        seats: numbers of seats; None takes the game's own.
        deals: of each match, each in all cyclic seatings.
        seed: of the deals, which are the same in all matches.
        secret: second source of the deals; None draws one with an external agent (`play.secret_for`).
        mixed: also play tables at which all agents differ (in a cooperative game teams of two agents).
        time_limit: seconds for a move of an external agent.
        start_limit: seconds for its start.
        piece: deals of a match in one file.
        external_piece: the same with an external agent, which meets no deal twice within such a piece, or a language
            model; None chooses.
        made: versions to be stored with the tournament.
        setup: the game's other setup fields.

    Raises:
        ValueError, TypeError: an unknown agent or setup, two equal agents, or a bad number.
    """
    met = [load(spec, game) for spec in specs]
    if external_piece is None:
        external_piece = MODEL_PIECE if any(isinstance(named(one), Model) for one in specs) else EXTERNAL_PIECE
    schedule = Schedule(
        game=game.name,
        version=game.version,
        rules_hash=rules_hash(game),
        specs=tuple(map(str, specs)),
        agents=tuple(map(identity, met)),
        seats=tuple(dict.fromkeys([game.default_seats] if seats is None else seats)),
        setup=setup,
        deals=deals,
        seed=seed,
        secret=secret_for(met, secret),
        mixed=mixed,
        time_limit=float(time_limit),
        start_limit=float(start_limit),
        piece=piece,
        external_piece=external_piece,
        made=made or {},
    )
    check(schedule)
    return schedule


def check(schedule: Schedule) -> None:
    """Raise ValueError or TypeError, with the allowed values, if `schedule` cannot be played."""
    game, names = envs.load(schedule.game), schedule.agents
    if not schedule.seats or "seats" in schedule.setup:
        raise ValueError(f"{game.name}: give one or more numbers of players as seats, not in setup")
    for count in schedule.seats:
        game.new_tables(1, {**schedule.setup, "seats": count})
    for field in ("deals", "piece", "external_piece"):
        number = getattr(schedule, field)
        if type(number) is not int or not 1 <= number <= MOST_DEALS:
            raise ValueError(f"{field}={number!r} is not allowed; it takes a whole number from 1 to {MOST_DEALS:,}")
    check_seed(schedule.seed)
    check_secret(schedule.secret)
    for field in ("time_limit", "start_limit"):
        limit = getattr(schedule, field)
        if not 0 < limit <= LONGEST_LIMIT:
            raise ValueError(f"{field}={limit!r} is not allowed; it takes seconds above 0, up to {LONGEST_LIMIT:,}")
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{name} is named {times} times; name each agent once")
    _check_size(schedule)
    if len(names) != len(schedule.specs) or not all(matches(schedule, count) for count in schedule.seats):
        raise ValueError(f"not enough agents for {game.name}: give two or more, got {', '.join(names) or 'none'}")


def _check_size(schedule: Schedule) -> None:
    """Raise ValueError for more pieces than MOST_PIECES, before they are listed."""
    count = len(schedule.agents)
    most = sum(count**2 + (math.comb(count, max(seats, 0)) if schedule.mixed else 0) for seats in schedule.seats)
    pieces_of_one = -(-schedule.deals // min(schedule.piece, schedule.external_piece))
    if most * pieces_of_one > MOST_PIECES:
        raise ValueError(
            f"{count} agents and {schedule.deals:,} deals make more than {MOST_PIECES:,} pieces; give fewer agents, "
            "fewer deals or larger pieces"
        )


def matches(schedule: Schedule, seats: int) -> list[tuple[int, ...]]:
    """Return the first seating of each match at tables of `seats`, as indices into the schedule's agents.

    These are the matches of `pairings.matchups`. `mixed` adds every table of n different agents; in a cooperative game
    every agent with n - 1 copies of every other one.
    """
    game, everybody = envs.load(schedule.game), range(len(schedule.agents))
    found = [(one, *(others or [one]) * (seats - 1)) for one, *others in matchups(game, len(everybody), seats)]
    if schedule.mixed and not nature(game).rated:
        found += [(one, *[other] * (seats - 1)) for one, other in pairs(len(everybody), seats)]
    elif schedule.mixed and seats > 2:
        found += list(itertools.combinations(everybody, seats))
    return found


def pieces(schedule: Schedule) -> list[Piece]:
    """Return the pieces of the schedule, in order."""
    numbers = itertools.count()
    every_match = [seated for seats in schedule.seats for seated in matches(schedule, seats)]
    external = [isinstance(named(spec), External | Model) for spec in schedule.specs]
    found = []
    for match, seated in enumerate(every_match):
        size = schedule.external_piece if any(external[agent] for agent in seated) else schedule.piece
        for low in range(0, schedule.deals, size):
            found.append(Piece(next(numbers), match, seated, range(low, min(low + size, schedule.deals))))
    return found
