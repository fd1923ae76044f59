"""Comparison of finished cells: means, probabilities of improvement, and decisions to a score."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from sobremesa.training.benchmark import statistics, tasks
from sobremesa.training.benchmark.cells import CellError, Record, task_of
from sobremesa.training.benchmark.statistics import Figure

THRESHOLDS = (0.5, 1.0)  # scores whose first reaching is reported


class Reached(NamedTuple):
    """Decisions and time to the first point at a score."""

    runs: int
    reached: int  # runs that reached it at a point of their curve
    decisions: float  # median of those runs, or nan
    cpu: float  # CPU seconds of learning, likewise


class Entry(NamedTuple):
    """One candidate, at one budget, and its finished cells."""

    label: str
    budget: int
    records: dict[str, list[Record]]  # by task, in order of seeds

    @property
    def scores(self) -> dict[str, np.ndarray]:
        """The last score of each seed, by task."""
        return {task: np.array([record.last.score for record in found]) for task, found in self.records.items()}

    @property
    def seeds(self) -> list[int]:
        """The seeds that every task has."""
        return self.common(list(self.records))

    def common(self, named: Sequence[str]) -> list[int]:
        """Return the seeds that each of the tasks `named` has."""
        return sorted(set.intersection(*({record.cell.seed for record in self.records[task]} for task in named)))

    @property
    def cpu(self) -> float:
        """CPU seconds of learning, over all cells."""
        return sum(record.last.cpu for found in self.records.values() for record in found)

    @property
    def speed(self) -> float:
        """Decisions per CPU second of learning, over all cells."""
        return sum(record.last.decisions for record in self.every()) / max(self.cpu, 1e-9)

    def runs(self, named: Sequence[str]) -> list[np.ndarray]:
        """Return the last scores at the tasks `named` in their common seeds, so that tasks count alike."""
        seeds = set(self.common(named))
        return [
            np.array([record.last.score for record in self.records[task] if record.cell.seed in seeds])
            for task in named
        ]

    def every(self) -> list[Record]:
        """Return all records."""
        return [record for found in self.records.values() for record in found]

    def reached(self, task: str, score: float) -> Reached:
        """Return decisions and time to `score` at `task`."""
        rows = [next((row for row in record.rows if row.score >= score), None) for record in self.records[task]]
        there = [row for row in rows if row is not None]
        reached = (
            (np.median([row.decisions for row in there]), np.median([row.cpu for row in there])) if there else None
        )
        return Reached(len(rows), len(there), *(map(float, reached) if reached else (float("nan"), float("nan"))))


class Comparison(NamedTuple):
    """All entries, and statistics of those with every task."""

    tasks: list[str]  # tasks of any entry, in the order of the suite
    counted: list[str]  # tasks in the means: without team tasks, if there are others
    entries: list[Entry]  # own first, then best first; incomplete ones last
    own: list[str]  # labels of own candidates
    whole: list[Entry]  # entries with all counted tasks
    means: dict[str, Figure]  # interquartile means by label
    means_of_all: dict[str, Figure]  # the same over all tasks
    improvements: dict[tuple[str, str], Figure]  # probabilities of improvement


def compare(records: Sequence[Record], own: Sequence[Record] = ()) -> Comparison:
    """Compare the finished cells of `records`, with the candidates of the records `own` first.

    Means leave out team tasks, where nearly all learners score 0. Raises CellError if no cell is finished, TaskError
    for a cell of another suite.
    """
    entries = _entries([record for record in records if record.status == "finished"])
    if not entries:
        raise CellError("no cell is finished; there is nothing to report yet")
    named = [name for name in tasks.names() if any(name in entry.records for entry in entries)]
    counted = [name for name in named if tasks.load(name).floor is not None] or named
    whole = [entry for entry in entries if entry.records.keys() >= set(counted) and entry.common(counted)]
    runs = {entry.label: entry.runs(counted) for entry in whole}
    single = {entry.label for entry in whole if len(entry.common(counted)) < 2}
    learnt_once = {entry.label for entry in whole if entry.budget} & single  # agents that do not learn have one run
    means = {label: _figure(statistics.interquartile_mean, [label], runs, single) for label in runs}
    improvements = {pair: _figure(statistics.improvement, pair, runs, learnt_once) for pair in permutations(runs, 2)}
    every = {
        entry.label: _figure(statistics.interquartile_mean, [entry.label], {entry.label: entry.runs(named)}, single)
        for entry in whole
        if entry.records.keys() >= set(named) and entry.common(named)
    }
    asked = {_key(record) for record in own}
    mine = [entry.label for entry in entries if _key(entry.every()[0]) in asked]
    entries.sort(key=lambda one: (one.label not in mine, -means[one.label].value if one.label in means else np.inf))
    whole.sort(key=entries.index)
    return Comparison(named, counted, entries, mine, whole, means, every, improvements)


def _figure(
    statistic: Callable[..., np.ndarray], labels: Sequence[str], runs: dict[str, list[np.ndarray]], single: set[str]
) -> Figure:
    """Return `statistic` of the candidates `labels`, with an interval unless one of them has a `single` run a task."""
    found = statistics.figure(statistic, *(runs[label] for label in labels))
    return found._replace(low=float("nan"), high=float("nan")) if single & set(labels) else found


def _key(record: Record) -> tuple[str, int, str]:
    """Return the label of an entry."""
    return record.cell.candidate.name, record.cell.budget, record.cell.candidate.build()


def _entries(finished: Sequence[Record]) -> list[Entry]:
    """Return the candidates at each budget; labels of one name differ by budget or build."""
    by_key: dict[tuple[str, int, str], dict[str, list[Record]]] = {}
    for record in sorted(finished, key=lambda one: one.cell.seed):
        task_of(record.cell)
        by_key.setdefault(_key(record), {}).setdefault(record.cell.task, []).append(record)
    names, budgets = [key[0] for key in by_key], [key[:2] for key in by_key]

    def label(name: str, budget: int, build: str) -> str:
        if names.count(name) == 1:
            return name
        return f"{name}, {budget:,}" if budgets.count((name, budget)) == 1 else f"{name}, {budget:,}, {build}"

    return [Entry(label(*key), key[1], found) for key, found in by_key.items()]
