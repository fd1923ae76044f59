"""Where an algorithm of others learns a task: the library's environments, with decisions counted against a budget."""

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
from sobremesa.training.benchmark.tasks import Task

_Env = TypeVar("_Env", "_Aec", "_Seat", "_SeatVector", "_Tables")


class BudgetSpent(RuntimeError):
    """A step would take more decisions than the budget allows; the environment stays as it was."""


class NotCounted(RuntimeError):
    """A step in a process whose decisions nobody would hear of; the environment stays as it was."""


class Practice:
    """A task and a budget of decisions; every step in an environment of it counts, in copies of one, too.

    `game`, `setup` and `seat` are the task's; where roles differ `seat` is that of the one which is scored, but who
    learns may sit at any. An environment takes its other arguments as the library's does. A step that would go beyond
    the budget raises BudgetSpent, with nothing changed: look at `left` before, and end there. Environments of a task
    are played in the process that has it, NotCounted is raised in others; who plays there makes environments of the
    library there, and calls `count` here.
    """

    def __init__(self, task: Task, budget: int) -> None:
        self.task, self.budget, self.spent = task, budget, 0
        self.game, self.seat = task.rules, task.seat
        self.setup: dict[str, Any] = dict(task.setup)
        self._process = os.getpid()

    @property
    def left(self) -> int:
        """How many decisions may still be taken."""
        return self.budget - self.spent

    def count(self, decisions: int) -> None:
        """Take `decisions` (0 or more) from the budget: for what is played in environments of your own, too."""
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
        """Return this one: what a copied environment plays counts as well."""
        return self

    def __deepcopy__(self, memo: object) -> "Practice":
        """Return this one, too."""
        return self

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: what the other one counted nobody would hear of."""
        raise NotCounted(f"{self.task.name}: decisions in a pickled copy are not counted; see Practice")

    def aec(self, **arguments: Any) -> TableEnv:
        """Make a PettingZoo AEC environment, in which every seat's decision counts; see `TableEnv`."""
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
        """Make `num_envs` tables at which every seat's decision is yours; see `envs.make_vec`."""
        return self._counting(_Tables(self.game, num_envs, seed, **self.setup, **arguments))

    def _met(self, opponents: Any) -> list[Agent]:
        several = isinstance(opponents, Sequence) and not isinstance(opponents, str)
        return [agents.load(one, self.game) for one in (opponents if several else [opponents])]

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
