"""Replays: one deal as a file that can be replayed ply by ply, and is refused where it does not fit.

A replay is a JSON object. It is tied to the game's version, rules and action table, and has a digest for each ply, of
the state, all observations, and the action. So a damaged file or a changed rule is found at its ply. The digests are no
signature: anyone can compute them for a changed file.
"""

import dataclasses
import itertools
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from reprlib import repr as brief
from typing import Annotated, Any

import msgspec
import numpy as np

from sobremesa import envs
from sobremesa.agents.stored import ACTIONS, Setup, Whole, misfit, name_problem, read_object, setup_problem, structured
from sobremesa.envs.core.agent import Agent, BatchAgent, CompiledAgent
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.api.vector import check_seed
from sobremesa.envs.core.deal import Move, Ply, deal_between, deal_by, digest, payoffs
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.sayings import Saying, say
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import action_digest, rules_hash

FORMAT = 1


class ReplayError(ValueError):
    """A replay that cannot be read or does not fit the game; the message has the reason and the ply."""


@dataclasses.dataclass(frozen=True)
class Replay:
    """One deal, as in its file."""

    game: str  #: its name
    version: int
    rules_hash: str
    action_digest: str  #: digest of the names of the actions
    setup: Setup  #: every option of the game
    seed: Whole
    agents: tuple[str, ...]  #: names by seat
    actions: tuple[int, ...]  #: by ply
    digests: tuple[str, ...]  #: eight hex digits of state, observations and action at each ply, and of the end
    payoffs: tuple[Annotated[float, msgspec.Meta(ge=-1, le=1)], ...]  #: by seat
    sayings: tuple[tuple[Whole, Saying], ...] = ()  #: sentences in players' own words, with their plies
    file: str = dataclasses.field(default="", compare=False)  #: path, for messages; not in the file


def record(game: Game, seated: Sequence[Agent], seed: int, **setup: Any) -> Replay:
    """Play one deal between the agents `seated`, one per seat, and return it; raise IllegalAction for one of them."""
    names = [agent.name for agent in seated]
    return from_plies(game, deal_between(game, seated, check_seed(seed), **setup), names, seed)


def record_many(game: Game, seated: Sequence[Agent], seeds: Sequence[int], **setup: Any) -> list[Replay]:
    """Return the replays that `record` returns for each of `seeds`.

    Agents that choose for many tables in one call play all deals side by side, which takes much less time.
    """
    if not all(isinstance(agent, (CompiledAgent, BatchAgent)) for agent in seated):
        return [record(game, seated, seed, **setup) for seed in seeds]
    tables = game.new_tables(len(seeds), {**setup, "seats": len(seated)})
    match, given = Match(game, seated, tables, stepwise=True), [list[int]() for _ in seeds]
    match.seating[:, : len(seated)] = range(len(seated))
    match.deal(np.arange(len(seeds)), np.array([check_seed(seed) for seed in seeds], np.int64))
    while len(rows := np.flatnonzero(~match.over)):
        actions = match.decide(rows)
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            given[row].append(action)
        match.step(rows, actions)
    names, setup = [agent.name for agent in seated], {**setup, "seats": len(seated)}
    return [
        from_plies(game, deal_by(game, seed, setup, _in_turn(actions)), names, seed)
        for seed, actions in zip(seeds, given, strict=True)
    ]


def _in_turn(actions: Iterable[int]) -> Callable[[np.ndarray, int, np.ndarray], Move]:
    """Return a function for `deal_by` that returns `actions` one after the other."""
    left = iter(actions)
    return lambda states, seat, mask: next(left)


def from_plies(game: Game, plies: Iterable[Ply], names: Sequence[str], seed: int) -> Replay:
    """Return the finished deal of `plies` from `seed`; `names` are those of the agents by seat.

    Raises IllegalAction for an illegal action, and ValueError for plies that do not reach the end of a deal or for
    names that no replay can contain.
    """
    seed = check_seed(seed)
    for problem in filter(None, map(name_problem, names)):
        raise ValueError(problem)
    actions: list[int] = []
    digests, sayings, end = [], [], None
    for ply in plies:
        if ply.seat == OVER:
            end = ply.states
        elif not is_allowed(ply.mask, ply.action):
            raise IllegalAction.at(game, ply.states, ply.action, ply.mask)
        else:
            if ply.saying is not None:
                sayings.append((len(actions), ply.saying))
            actions.append(int(ply.action))
        digests.append(digest(game, ply.states, ply.action, ply.saying))
    if end is None or len(digests) != len(actions) + 1:
        raise ValueError(f"{game.id}: the plies are not a whole deal; give all plies, from the first to the end")
    return Replay(
        game=game.name,
        version=game.version,
        rules_hash=rules_hash(game),
        action_digest=action_digest(game),
        setup=game.setup(end),
        seed=seed,
        agents=tuple(names),
        actions=tuple(actions),
        digests=tuple(digests),
        payoffs=tuple(payoffs(game, end).tolist()),
        sayings=tuple(sayings),
    )


def write(path: Path, replay: Replay) -> None:
    """Write `replay` to `path`, a line per field."""
    write_whole(path, text_of(replay))


def text_of(replay: Replay) -> str:
    """Return the text of the file of `replay`."""
    fields = {"format": FORMAT, **dataclasses.asdict(replay)}
    del fields["file"]
    if not replay.sayings:
        del fields["sayings"]
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> Replay:
    """Return the replay in the file `path`, without replaying it; raise ReplayError if there is none."""
    found = read_object(path, "replay", FORMAT, ReplayError) | {"file": str(path)}
    replay = structured(found, Replay, path, ReplayError)
    if len(replay.digests) != len(replay.actions) + 1 or len(replay.payoffs) != len(replay.agents):
        raise ReplayError(
            f"{path}: its lists differ in length: it takes one digest more than actions, and as many payoffs as agents"
        )
    for problem in filter(None, map(name_problem, replay.agents)):
        raise ReplayError(f"{path}: {problem}")
    told = [ply for ply, _ in replay.sayings]
    if len(set(told)) != len(told) or max(told, default=-1) >= len(replay.actions):
        raise ReplayError(f"{path}: its sentences are of the same ply, or of plies that are not there")
    return replay


def game_of(replay: Replay) -> Game:
    """Return the game of `replay`; raise ReplayError if there is no game of that name."""
    if not envs.is_game(replay.game):
        raise _misfit(replay, f"it is of {brief(replay.game)}, which is not among {', '.join(envs.all_games())}")
    return envs.load(replay.game)


def plies(replay: Replay, game: Game | None = None) -> Iterator[Ply]:
    """Replay `replay` and yield its plies, each once it is verified, the end last.

    Raises ReplayError immediately if it was made for another game, version, rules or actions than those of `game`
    (None: the game that it names), and later at the first ply that does not fit.
    """
    game = game_of(replay) if game is None else game
    check_fit(replay, game)
    return _played_again(replay, game)


def verify(replay: Replay, game: Game | None = None) -> None:
    """Replay `replay`; raise ReplayError if it does not fit `game`, by default the game that it names."""
    deque(plies(replay, game), maxlen=0)


def _played_again(replay: Replay, game: Game) -> Iterator[Ply]:
    numbers, sayings = itertools.count(), dict(replay.sayings)

    def choose(states: np.ndarray, seat: int, mask: np.ndarray) -> Move:
        number = next(numbers)
        if number == len(replay.actions):
            raise _misfit(replay, f"ply {number}: the replay ends here, but the deal goes on")
        action = replay.actions[number]
        if not is_allowed(mask, action):
            raise _misfit(replay, f"ply {number}: {_named(game, action)} is not allowed to seat {seat}")
        saying = sayings.get(number)
        if saying is not None:
            try:
                say(game, states.copy(), action, saying)
            except ValueError as error:
                raise _misfit(replay, f"ply {number}: {error}") from None
        if digest(game, states, action, saying) != replay.digests[number]:
            raise _misfit(replay, f"ply {number}: {_difference(replay, game, number, states, mask)}")
        return (action, saying) if saying else action

    for ply in deal_by(game, replay.seed, replay.setup, choose):
        if ply.seat == OVER:
            _check_end(replay, game, next(numbers), ply.states)
        yield ply


def _check_end(replay: Replay, game: Game, number: int, states: np.ndarray) -> None:
    if number < len(replay.actions):
        raise _misfit(replay, f"ply {number}: the deal is over, but the replay has {len(replay.actions)} actions")
    if digest(game, states, OVER) != replay.digests[number]:
        raise _misfit(replay, f"ply {number}: the end differs from the recorded one")
    paid = payoffs(game, states).tolist()
    if paid != list(replay.payoffs):
        raise _misfit(replay, f"ply {number}: the deal pays {paid}, not {list(replay.payoffs)}")


def _difference(replay: Replay, game: Game, number: int, states: np.ndarray, mask: np.ndarray) -> str:
    """Return why a digest differs from the recorded one, by trying all legal actions."""
    for action in np.flatnonzero(mask).tolist():
        if digest(game, states, action) == replay.digests[number]:
            now, then = _named(game, replay.actions[number]), _named(game, action)
            return f"the file has {now}, but {then} was recorded"
    return "the table differs from the recorded one"


def check_fit(replay: Replay, game: Game) -> None:
    """Raise ReplayError if `replay` was made for another game, version, rules or actions than those of `game`."""
    if problem := misfit(replay, game, ACTIONS) or setup_problem(replay.setup, game):
        raise _misfit(replay, problem)
    if len(replay.agents) != replay.setup["seats"]:
        raise _misfit(replay, f"{len(replay.agents)} agents at a table of {replay.setup['seats']}")


def is_allowed(mask: np.ndarray, action: Any) -> bool:
    """Return whether `action` is a whole number that `mask` allows."""
    whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
    return whole and 0 <= action < len(mask) and bool(mask[action])


def _named(game: Game, action: int) -> str:
    """Return an action for a message: its number, and its name if it has one."""
    known = 0 <= action < game.num_actions
    return f"action {brief(action)}" + (f" ({game.words.action_name(action, 'en')})" if known else "")


def _misfit(replay: Replay, reason: str) -> ReplayError:
    return ReplayError(f"{replay.file}: {reason}" if replay.file else reason)
