"""Tasks of the suite, and scores of agents.

The value of an agent at a task is its mean win rate among copies of `simple` and of `strong` (the panel), over
held-out deals in all cyclic seatings; with roles, in one role; in a cooperative game, the success rate of a team of
copies. The score is the value, scaled to 0 for `random` and 1 for `strong`, so that games can be averaged.

The held-out pool has opponents, or partners in a cooperative game, that are trained for this alone. Their files are in
a clone (`tests/pool`) and not in the installed library; without them there is no score against the pool.

`home/benchmark.json` of a game, written by `version.py`, fixes rules, agents, pool and deals of its tasks; others are
refused. `sobremesa-v2.json` names the tasks of the suite.

Letters: `K` deals, `S` seats.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from sobremesa import agents, envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.pairings import copies
from sobremesa.agents.arena.play import play_seated
from sobremesa.agents.arena.score import LANGUAGE, bootstrap, interval, nature
from sobremesa.agents.exported import Bot, load_bot
from sobremesa.agents.stored import RULES, Count, Setup, Whole, misfit
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash

SUITE = "sobremesa-v2"
FILE = "benchmark.json"  # in the folder `home` of a game
LOWEST, HIGHEST = "random", "strong"  # whose scores are 0 and 1
PANEL = ("simple", "strong")
POOL = Path(__file__).resolve().parents[2] / "tests" / "pool"  # of a clone; by game
ROUNDING = 1e-6  # of payoffs, which are float32
_HASHED_DEALS = 8  # in the digest of an agent of the panel


class TaskError(ValueError):
    """An unknown task, or rules or panel that differ from the suite; the message has the reason."""


class PoolError(ValueError):
    """Training was to meet a bot of the held-out pool, or values among the pool are not of its bots."""


class Task(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game at one kind of table, with all that a score depends on."""

    name: str
    game: str
    version: int  #: of the game
    rules_hash: str
    setup: Setup  #: fields that differ from the default, and `seats`
    role: str  #: English name of the scored role; "" without roles
    deals: Annotated[int, Meta(ge=1, le=100_000)]  #: each in all seatings, against each opponent
    seed: Whole  #: of the deals
    panel: dict[str, str]  #: opponents and the two anchors, with a digest of their play
    anchors: dict[str, float]  #: values of `random` and `strong`, whose scores are 0 and 1
    pool: dict[str, str] = {}  #: bots of the held-out pool, with their digests
    pool_anchors: dict[str, float] = {}  #: the same among the pool

    @property
    def seats(self) -> Count:
        """The number of seats."""
        return int(self.setup["seats"])

    @property
    def seat(self) -> int | None:
        """The seat of the scored role; None without roles."""
        return nature(self.rules).roles[LANGUAGE].index(self.role) if self.role else None

    @property
    def rules(self) -> Game:
        """The game."""
        return envs.load(self.game)

    @property
    def team(self) -> bool:
        """Whether a team plays. Means leave out its scores, which are 0 for nearly all learners."""
        return not nature(self.rules).rated

    def digest(self) -> str:
        """Return a digest of the task: scores with the same digest are comparable."""
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()[:16]


class Score(NamedTuple):
    """Score of an agent at a task."""

    score: float  #: 0 is `random`, 1 `strong`
    low: float  #: lower end of the percentile interval of `score` over deals; no width for equal deals
    high: float  #: upper end
    value: float  #: mean win rate, or success rate
    against: dict[str, float]  #: values by opponent; of a team {"": value}
    pool: dict[str, float]  #: values by bot of the held-out pool; {} where its files are missing
    deals: int  #: each in all seatings, against each of the panel
    plies: float  #: mean length of a deal
    forfeits: int  #: deals that the agent forfeited


@cache
def suite() -> tuple[Task, ...]:
    """Return the tasks of the suite."""
    listed = msgspec.json.decode(Path(__file__).with_name(f"{SUITE}.json").read_bytes(), type=dict[str, list[str]])
    return tuple(task for game, called in listed.items() for task in tasks_of(game) if task.name in called)


@cache
def tasks_of(game: str) -> tuple[Task, ...]:
    """Return the tasks that come with the game called `game`; raise TaskError if its file is damaged."""
    for path in home.matching(envs.load(game), FILE):
        try:
            found = msgspec.json.decode(path.read_bytes(), type=tuple[Task, ...])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise TaskError(f"{path}: {error}") from None
        if strange := [task.name for task in found if task.game != game]:
            raise TaskError(f"{path}: {strange[0]} is a task of another game")
        return found
    return ()


def every() -> Iterator[Task]:
    """Yield the tasks of the suite, then all others; raise TaskError for a damaged file of an installed game."""
    yield from suite()
    for game in envs.games():
        yield from (task for task in tasks_of(game) if task not in suite())


def names() -> list[str]:
    """Return the names of all tasks: those of the suite, then all others."""
    return [task.name for task in every()]


def playable() -> list[Task]:
    """Return the tasks of the suite whose game still has the version of the suite; `check` refuses the others."""
    return [task for task in suite() if task.rules.version == task.version]


def load(name: str) -> Task:
    """Return the task called `name`; raise TaskError naming those there are."""
    for task in every():
        if task.name == name:
            return task
    raise TaskError(f"no task {name!r:.100}; {SUITE} has {', '.join(names())}")


def score(task: Task, agent: Agent) -> Score:
    """Return the score of `agent` at `task`.

    The deals are public and the same for all: do not train on deals of `task.seed`. Raises TaskError if rules, panel
    or pool differ from the suite.
    """
    check(task)
    measured = _measure(task, agent, opponents(task), 0)
    low, high = task.anchors[LOWEST], task.anchors[HIGHEST]
    spread = high - low
    ends = [(end - low) / spread for end in bootstrap(measured.by_deal)]
    held_out = pool_of(task)
    return Score(
        score=(measured.value - low) / spread,
        low=ends[0],
        high=ends[1],
        value=measured.value,
        against=measured.against,
        pool=_measure(task, agent, held_out, 1).against if held_out else {},
        deals=task.deals,
        plies=measured.plies,
        forfeits=measured.forfeits,
    )


def pool_score(task: Task, pool: dict[str, float]) -> float:
    """Return the score for the values `pool` among the held-out pool: 0 for `random`, 1 for `strong`; nan for {}.

    Raises PoolError unless `pool` has a value from 0 to 1 for each of its bots.
    """
    if not pool:
        return float("nan")
    if pool.keys() != task.pool.keys() or not all(-ROUNDING <= value <= 1 + ROUNDING for value in pool.values()):
        raise PoolError(f"{task.name}: {pool!r:.200} are not values from 0 to 1 for {', '.join(task.pool) or 'no bot'}")
    low, high = task.pool_anchors[LOWEST], task.pool_anchors[HIGHEST]
    return (float(np.mean([*pool.values()])) - low) / (high - low)


def interval_of(task: Task, value: float, low: float, high: float) -> tuple[float, float]:
    """Return the interval of a score of `value` stored as `low` and `high`.

    If all deals had the same outcome, so that the stored interval has no width, it is that of `arena.score.interval`.
    """
    if low < high:
        return low, high
    lowest, highest = task.anchors[LOWEST], task.anchors[HIGHEST]
    ends = ((end - lowest) / (highest - lowest) for end in interval(np.full(task.deals, value)))
    return next(ends), next(ends)


def anchored(task: Task, pool: bool = False) -> dict[str, float]:
    """Return the values of the two agents with scores 0 and 1, among the panel or the pool."""
    met = pool_of(task) if pool else opponents(task)
    if pool and not met:
        return {}
    return {name: _measure(task, agents.load(name, task.rules), met, pool).value for name in (LOWEST, HIGHEST)}


def opponents(task: Task) -> list[Agent]:
    """Return the agents of the panel; [] for a team."""
    return [] if task.team else [agents.load(name, task.rules) for name in PANEL]


def pool_of(task: Task) -> list[Agent]:
    """Return the bots of the held-out pool; [] without its files or onnxruntime, or for a team of one seat."""
    if task.seats == 1 or find_spec("onnxruntime") is None:
        return []
    return list(_pool(task.game))


@cache
def _pool(game: str) -> tuple[Bot, ...]:
    return tuple(load_bot(path.parent, envs.load(game)) for path in sorted((POOL / game).glob("*/bot.json")))


class _Measured(NamedTuple):
    by_deal: np.ndarray  # (K,) float64
    against: dict[str, float]
    plies: float
    forfeits: int

    @property
    def value(self) -> float:
        return float(self.by_deal.mean())


def _measure(task: Task, agent: Agent, met: Sequence[Agent], stream: int) -> _Measured:
    """Return the results of `agent` among copies of each of `met`, or of a team of copies of it without any.

    `stream` 1 takes other deals than 0.
    """
    game, kind = task.rules, nature(task.rules)
    seatings = _seatings(task, len(met))  # all at once: fewer calls of a network
    rows = play_seated(game, [agent, *met], task.deals, seatings, task.seed + stream, "", task.setup, None)
    mine = rows.seating == 0
    worth = (kind.worth(rows.payoffs) * mine).sum(1) / mine.sum(1)
    groups = max(1, len(met))
    by_deal = worth.reshape(task.deals, groups, -1).mean(2).T
    plies = rows.plies.reshape(task.deals, groups, -1).mean((0, 2))
    return _Measured(
        np.mean([*by_deal], axis=0),
        {name: float(values.mean()) for name, values in zip([one.name for one in met] or [""], by_deal, strict=True)},
        float(np.mean(plies)),
        sum(int(rows.seating[row, seat] == 0) for row, seat in rows.forfeited()),
    )


def _seatings(task: Task, met: int) -> list[list[int]]:
    """Return seatings: the scored agent (0) in turn at every seat, or in its role, among copies of each opponent (1 to
    `met`).

    Without opponents it plays every seat.
    """
    if not met:
        return [[0] * task.seats]
    mine = range(task.seats) if task.seat is None else [task.seat]
    return [[0 if seat == one else other for seat in range(task.seats)] for other in range(1, met + 1) for one in mine]


# Whether today's rules and agents are those of the suite.


def check(task: Task) -> None:
    """Raise TaskError if the rules, the panel or the pool have changed since `task` was made."""
    why = _problem(task.name) if task in suite() else _compare(task)
    if why:
        raise TaskError(f"{task.name} of {SUITE}: {why}")


@cache
def _problem(name: str) -> str:
    return _compare(load(name))


def _compare(task: Task) -> str:
    """Return why `task` cannot be scored; "" if it can."""
    if why := misfit(task, task.rules, RULES):
        return why
    for name, digest in panel_of(task).items():
        if task.panel.get(name) != digest:
            return f"{name} has changed (it plays {digest}, not {task.panel.get(name)})"
    found = {one.name: digest_of(one) for one in pool_of(task)}
    if found and found != task.pool:
        return f"{POOL / task.game} has another pool than the suite ({found}, not {task.pool})"
    return ""


def digest_of(bot: Agent) -> str:
    """Return the digest of a bot of the pool."""
    return identity(bot).rpartition("#")[2]


def refuse_pool(task: Task, met: Sequence[Agent]) -> None:
    """Raise PoolError if one of `met`, whom training is to meet, is a bot of the held-out pool or a search over one."""
    graphs = {one.manifest["sha256"] for one in _pool(task.game)}
    for bot in (bot for one in met for bot in _bots(one)):
        if bot.manifest["sha256"] in graphs or digest_of(bot) in task.pool.values():
            raise PoolError(f"{bot.name} is in the held-out pool of {task.game}: do not train with it")


def _bots(agent: Agent) -> Iterator[Bot]:
    """Yield the exported bots in `agent`, also inside a search or a restriction."""
    if isinstance(agent, Bot):
        yield agent
    for inner in (getattr(agent, name, None) for name in ("base", "rollout")):
        if isinstance(inner, Agent):
            yield from _bots(inner)


def misfit_of(task: Task, row: Any) -> str:
    """Return why `row`, a point of a curve, cannot be of `task`; "" if its score follows from its values."""
    value = float(np.mean([*row.against.values()])) if row.against else float("nan")
    low, high = task.anchors[LOWEST], task.anchors[HIGHEST]
    names = {""} if task.team else {*PANEL}
    if row.against.keys() != names or not -ROUNDING <= value <= 1 + ROUNDING:
        return f"its values {row.against!r:.100} are not win rates against {', '.join(sorted(names)) or 'the deals'}"
    if abs(row.value - value) > ROUNDING or abs(row.score - (value - low) / (high - low)) > ROUNDING:
        return f"its score {row.score:.4f} does not follow from its values {row.against!r:.100}"
    pool_score(task, row.pool)
    return ""


def panel_of(task: Task) -> dict[str, str]:
    """Return a digest of each agent of the panel: of the results of some deals among its copies.

    A digest of the code would change with versions of Python.
    """
    game, setup = task.rules, dict[str, Any](task.setup)
    found = {}
    for name in dict.fromkeys((LOWEST, HIGHEST) if task.team else (LOWEST, *PANEL, HIGHEST)):
        deals = min(task.deals, _HASHED_DEALS)
        rows = copies(game, agents.load(name, game), deals, seed=task.seed, secret="", **setup)
        digest = hashlib.sha256(rows.plies.astype("<i8").tobytes() + rows.payoffs.astype("<f4").tobytes())
        found[name] = digest.hexdigest()[:12]
    return found


def stamped(task: Task) -> Task:
    """Return `task` with the current rules, panel, pool and anchors."""
    game = task.rules
    now: dict[str, Any] = {"version": game.version, "rules_hash": rules_hash(game), "panel": panel_of(task)}
    now["pool"] = {one.name: digest_of(one) for one in pool_of(task)}
    return msgspec.structs.replace(task, **now, anchors=anchored(task), pool_anchors=anchored(task, pool=True))
