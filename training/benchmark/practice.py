"""Environments of a task for external algorithms, with decisions counted against a budget."""

import os
from collections.abc import Sequence
from operator import index
from typing import Any, NoReturn, TypeVar

from sobremesa import agents
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.api.aec import TableEnv
from sobremesa.envs.core.api.gym import SeatEnv
from sobremesa.envs.core.api.gym_vector import SeatVectorEnv
from sobremesa.envs.core.api.vector import VectorEnv, VectorStep
from sobremesa.training.benchmark.tasks import Task, refuse_pool

_Env = TypeVar("_Env", "_Aec", "_Seat", "_SeatVector", "_Tables")


class BudgetSpent(RuntimeError):
    """A step beyond the budget of decisions; the environment has not changed."""


class NotCounted(RuntimeError):
    """A step in another process, whose decisions cannot be counted; the environment has not changed."""


class Practice:
    """A task and a budget of decisions; each step in its environments and their copies counts.

    `game`, `setup` and `seat` are the task's; with roles, `seat` is the scored one, but you may train at any. Other
    arguments of environments are the library's; an opponent of the held-out pool raises PoolError. A step beyond the
    budget raises BudgetSpent: check `left` first. Steps in another process raise NotCounted; make the library's
    environments there, and call `count` here. `met` names the opponents of its environments.
    """

    def __init__(self, task: Task, budget: int) -> None:
        self.task, self.budget, self.spent = task, budget, 0
        self.game, self.seat = task.rules, task.seat
        self.setup: dict[str, Any] = dict(task.setup)
        self.met: set[str] = set()  # opponents of its environments
        self._process = os.getpid()

    @property
    def left(self) -> int:
        """The decisions left in the budget."""
        return self.budget - self.spent

    def count(self, decisions: int) -> None:
        """Take `decisions` (0 or more) from the budget, also for environments of your own."""
        if os.getpid() != self._process:
            raise NotCounted(f"{self.task.name}: decisions in another process are not counted; see Practice")
        if (decisions := index(decisions)) < 0:
            raise ValueError(f"decisions={decisions} is not allowed; it takes 0 or more")
        if decisions > self.left:
            raise BudgetSpent(
                f"{self.task.name}: {decisions} decisions are asked for, {self.left} of {self.budget:,} are left"
            )
        self.spent += decisions

    def __copy__(self) -> "Practice":
        """Return itself: copies of environments count too."""
        return self

    def __deepcopy__(self, memo: object) -> "Practice":
        """Return itself."""
        return self

    def __reduce__(self) -> NoReturn:
        """Raise NotCounted: the decisions of a pickled copy could not be counted."""
        raise NotCounted(f"{self.task.name}: decisions in a pickled copy are not counted; see Practice")

    def aec(self, **arguments: Any) -> TableEnv:
        """Make a PettingZoo AEC environment, where each decision of every seat counts; see `TableEnv`."""
        return self._counting(_Aec(self.game, **self.setup, **arguments))

    def seat_env(self, opponents: Any = "simple", **arguments: Any) -> SeatEnv:
        """Make a Gymnasium environment of one seat, `opponents` at the others; see `agents.make_seat_env`."""
        arguments = {"seat": self.seat, **arguments}
        return self._counting(_Seat(self.game, self._met(opponents), **self.setup, **arguments))

    def seat_vec(self, num_envs: int, opponents: Any = "simple", **arguments: Any) -> SeatVectorEnv:
        """Make a Gymnasium VectorEnv of one seat at each of `num_envs` tables; see `agents.make_seat_vec`."""
        arguments = {"seat": self.seat, **arguments}
        met = self._met(opponents)
        return self._counting(_SeatVector(self.game, num_envs, met, **self.setup, **arguments))

    def tables(self, num_envs: int, seed: int, **arguments: Any) -> VectorEnv:
        """Make `num_envs` tables where you play every seat; see `envs.make_vec`."""
        return self._counting(_Tables(self.game, num_envs, seed, **self.setup, **arguments))

    def _met(self, opponents: Any) -> list[Agent]:
        several = isinstance(opponents, Sequence) and not isinstance(opponents, str)
        found = [agents.load(one, self.game) for one in (opponents if several else [opponents])]
        refuse_pool(self.task, found)
        self.met |= {one.name for one in found}
        return found

    def _counting(self, env: _Env) -> _Env:
        env.practice = self
        return env


class _Aec(TableEnv):
    practice: Practice

    def step(self, action: int | None) -> None:
        if action is not None:
            self.practice.count(1)
        super().step(action)


class _Seat(SeatEnv):
    practice: Practice

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.practice.count(1)
        return super().step(action)


class _SeatVector(SeatVectorEnv):
    practice: Practice

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self.practice.count(self.num_envs)
        return super().step(actions)


class _Tables(VectorEnv):
    practice: Practice

    def step(self, actions: Any) -> VectorStep:
        self.practice.count(self.num_envs)
        return super().step(actions)
