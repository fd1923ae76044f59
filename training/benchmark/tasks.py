"""The tasks of the suite, and what an agent is worth at one.

A task's value is how an agent does beside each of a frozen panel, over deals that are kept from training, each in all
cyclic seatings: its mean part of the win among copies of `random`, of `simple` and of `strong`; where seats have roles,
in one role alone; in a cooperative game the success of a team of copies. The score puts that between the same figure of
`random`, 0, and of `strong`, 1, so that scores of different games can be averaged. Above 1 is better than `strong`.

The file `sobremesa-v1.json` holds all that a score follows from (`version.py` writes it). Rules or agents that are no
longer those are refused: a score made under others means something else.

Letters: `K` deals, `S` seats.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from sobremesa import agents, envs
from sobremesa.agents.arena.pairings import copies
from sobremesa.agents.arena.play import play_seated
from sobremesa.agents.arena.score import LANGUAGE, bootstrap, interval, nature
from sobremesa.agents.stored import RULES, Count, Setup, Whole, misfit
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash

SUITE = "sobremesa-v1"
FILE = Path(__file__).with_name(f"{SUITE}.json")
LOWEST, HIGHEST = "random", "strong"  # whose scores are 0 and 1
PANEL = ("random", "simple", "strong")
_HASHED_DEALS = 8  # on which an agent of the panel is told from other builds of it


class TaskError(ValueError):
    """No such task, or the rules or the panel of today are not those of the suite; the message says which."""


class Task(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game at one kind of table, and what an agent's score there follows from."""

    name: str
    game: str
    version: int  # of the game
    rules_hash: str
    setup: Setup  # fields that are not as they are by default; `seats` among them
    role: str  # that is scored, as `score.LANGUAGE` names it; "" where seats are alike
    deals: Annotated[int, Meta(ge=1, le=100_000)]
    seed: Whole  # of the deals
    panel: dict[str, str]  # who is met, with a digest of how it plays; of a team none but the two anchors
    anchors: dict[str, float]  # values of LOWEST and HIGHEST

    @property
    def seats(self) -> Count:
        """How many sit at the table."""
        return int(self.setup["seats"])

    @property
    def seat(self) -> int | None:
        """The seat of the role that is scored; None where seats are alike."""
        return nature(self.rules).roles[LANGUAGE].index(self.role) if self.role else None

    @property
    def rules(self) -> Game:
        """The game itself."""
        return envs.load(self.game)

    @property
    def floor(self) -> float | None:
        """The score of an agent that wins all deals against `LOWEST` and none against the others; None of a team."""
        if not nature(self.rules).rated:
            return None
        low, high = self.anchors[LOWEST], self.anchors[HIGHEST]
        return (1 / len(PANEL) - low) / (high - low)

    def digest(self) -> str:
        """Return a digest of all that scores follow from: they can be compared where this is the same."""
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()[:16]


class Score(NamedTuple):
    """What an agent is worth at a task."""

    score: float  # 0 is `random`, 1 `strong`
    low: float  # ends of its percentile interval over deals, of no width if all are alike: see `interval_of`
    high: float
    value: float  # mean part of the win, or success
    against: dict[str, float]  # values by who was met; of a team, by nobody: {"": value}
    deals: int  # each in all seatings, with each of the panel
    plies: float  # mean length of a deal
    forfeits: int  # rows that the agent forfeited


@cache
def suite() -> tuple[Task, ...]:
    """Return the tasks of the suite."""
    return msgspec.json.decode(FILE.read_bytes(), type=tuple[Task, ...])


def names() -> list[str]:
    """Return the names of all tasks."""
    return [task.name for task in suite()]


def load(name: str) -> Task:
    """Return the task called `name`; raise TaskError naming those there are."""
    for task in suite():
        if task.name == name:
            return task
    raise TaskError(f"no task {name!r:.100}; {SUITE} has {', '.join(names())}")


def score(task: Task, agent: Agent) -> Score:
    """Return the score of `agent` at `task`.

    Its deals are the same for all, and anybody can deal them again: what learns must take no deals of `task.seed`.
    Raises TaskError where rules or panel are no longer those of the suite.
    """
    check(task)
    measured = _measure(task, agent)
    low, high = task.anchors[LOWEST], task.anchors[HIGHEST]
    spread = high - low
    ends = [(end - low) / spread for end in bootstrap(measured.by_deal)]
    return Score(
        score=(measured.value - low) / spread,
        low=ends[0],
        high=ends[1],
        value=measured.value,
        against=measured.against,
        deals=task.deals,
        plies=measured.plies,
        forfeits=measured.forfeits,
    )


def interval_of(task: Task, value: float, low: float, high: float) -> tuple[float, float]:
    """Return the ends of the interval of a score of `value`, which `score` stored as `low` and `high`.

    If all deals had the same outcome, and so the stored interval has no width, it is that of `arena.score.interval`.
    """
    if low < high:
        return low, high
    lowest, highest = task.anchors[LOWEST], task.anchors[HIGHEST]
    ends = ((end - lowest) / (highest - lowest) for end in interval(np.full(task.deals, value)))
    return next(ends), next(ends)


def anchored(task: Task) -> dict[str, float]:
    """Return the values of the two agents that stand for 0 and 1."""
    return {name: _measure(task, agents.load(name, task.rules)).value for name in (LOWEST, HIGHEST)}


class _Measured(NamedTuple):
    by_deal: np.ndarray  # (K,) float64
    against: dict[str, float]
    plies: float
    forfeits: int

    @property
    def value(self) -> float:
        return float(self.by_deal.mean())


def _measure(task: Task, agent: Agent) -> _Measured:
    game, kind = task.rules, nature(task.rules)
    panel = PANEL if kind.rated else ("",)
    met = [agents.load(name, game) for name in panel if name]
    seatings = _seatings(task, len(met))  # all at once: a network is asked a third as often
    rows = play_seated(game, [agent, *met], task.deals, seatings, task.seed, "", task.setup, None)
    mine = rows.seating == 0
    worth = (kind.worth(rows.payoffs) * mine).sum(1) / mine.sum(1)
    by_deal = worth.reshape(task.deals, len(panel), -1).mean(2).T
    plies = rows.plies.reshape(task.deals, len(panel), -1).mean((0, 2))
    return _Measured(
        np.mean([*by_deal], axis=0),
        {name: float(values.mean()) for name, values in zip(panel, by_deal, strict=True)},
        float(np.mean(plies)),
        sum(int(rows.seating[row, seat] == 0) for row, seat in rows.forfeited()),
    )


def _seatings(task: Task, met: int) -> list[list[int]]:
    """Return who sits where, 0 for who is scored: in turn at every seat, or in its role, with copies of each who is met
    (1 to `met`); everywhere where there are none.
    """
    if not met:
        return [[0] * task.seats]
    mine = range(task.seats) if task.seat is None else [task.seat]
    return [[0 if seat == one else other for seat in range(task.seats)] for other in range(1, met + 1) for one in mine]


# Whether today's rules and agents are those of the suite.


def check(task: Task) -> None:
    """Raise TaskError where the rules or the panel are no longer those that `task` was made with."""
    why = _problem(task.name) if task in suite() else _compare(task)
    if why:
        raise TaskError(f"{task.name} of {SUITE}: {why}")


@cache
def _problem(name: str) -> str:
    return _compare(load(name))


def _compare(task: Task) -> str:
    """Return why scores of `task` cannot be made today; "" if they can."""
    if why := misfit(task, task.rules, RULES):
        return why
    for name, digest in panel_of(task).items():
        if task.panel.get(name) != digest:
            return f"{name} is another one than it was then (it plays {digest}, not {task.panel.get(name)})"
    return ""


def panel_of(task: Task) -> dict[str, str]:
    """Return a digest of how each agent of the panel plays: of what a table of its copies does in some of the deals.

    A digest of its code would change with Python's own versions; this one changes where agents do.
    """
    game, setup = task.rules, dict[str, Any](task.setup)
    found = {}
    for name in PANEL if nature(game).rated else (LOWEST, HIGHEST):
        deals = min(task.deals, _HASHED_DEALS)
        rows = copies(game, agents.load(name, game), deals, seed=task.seed, secret="", **setup)
        told = hashlib.sha256(rows.plies.astype("<i8").tobytes() + rows.payoffs.astype("<f4").tobytes())
        found[name] = told.hexdigest()[:12]
    return found


def stamped(task: Task) -> Task:
    """Return `task` with rules, panel and anchors as they are today."""
    game = task.rules
    now = {"version": game.version, "rules_hash": rules_hash(game), "panel": panel_of(task)}
    return msgspec.structs.replace(task, **now, anchors=anchored(task))
