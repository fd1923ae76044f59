"""Benchmark of learning algorithms: a versioned suite of tasks, reproducible cells, and results.

A `Task` is a game at one kind of table with a score against fixed agents, 0 for `random` and 1 for `strong`. A *cell*
is one algorithm on one task with one seed and one budget of decisions. `sobremesa benchmark` runs cells and reports
them.
"""

from sobremesa.training.benchmark.practice import BudgetSpent, Practice
from sobremesa.training.benchmark.published import publish
from sobremesa.training.benchmark.sweep import plan, play as run, records, verify
from sobremesa.training.benchmark.tasks import SUITE, Task, TaskError, load, score

__all__ = [
    "SUITE", "BudgetSpent", "Practice", "Task", "TaskError", "load", "plan", "publish", "records", "run", "score",
    "verify",
]  # fmt: skip
