"""Comparison of finished cells: means, probabilities of improvement, and decisions to a score."""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from sobremesa.training.benchmark import statistics, tasks
from sobremesa.training.benchmark.cells import CellError, Record, task_of
from sobremesa.training.benchmark.statistics import Figure, Runs

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

    def runs(self, named: Sequence[str], pool: bool = False) -> list[np.ndarray]:
        """Return the last scores at the tasks `named` in their common seeds, so that tasks count alike.

        With `pool` they are those among the held-out pool; [] if it was missing for one of them.
        """
        seeds = set(self.common(named))
        used = {task: [one for one in self.records[task] if one.cell.seed in seeds] for task in named}
        if not pool:
            return [np.array([record.last.score for record in used[task]]) for task in named]
        if not all(record.last.pool for found in used.values() for record in found):
            return []
        return [
            np.array([tasks.pool_score(tasks.load(task), record.last.pool) for record in used[task]]) for task in named
        ]

    @property
    def met(self) -> list[str]:
        """The agents of the library that training met or imitated."""
        return sorted({name for record in self.every() for name in record.met})

    @property
    def commits(self) -> list[str]:
        """The commits that made the cells."""
        return sorted({record.made["commit"] for record in self.every()})

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
    apart: list[str]  # team tasks, if there are others
    entries: list[Entry]  # own first, then best first; incomplete ones last
    own: list[str]  # labels of own candidates
    whole: list[Entry]  # entries with all counted tasks
    means: dict[str, Figure]  # interquartile means by label
    team_means: dict[str, Figure]  # the same over the tasks apart
    pool_means: dict[str, Figure]  # the same over the counted tasks, among the held-out pool
    drops: dict[str, Figure]  # the means less those among the pool
    improvements: dict[tuple[str, str], Figure]  # probabilities of improvement


def compare(records: Sequence[Record], own: Sequence[Record] = ()) -> Comparison:
    """Compare the finished cells of `records`, with the candidates of the records `own` first.

    Means leave out team tasks, where nearly all learners score 0; these have a mean of their own. Raises CellError if
    no cell is finished, TaskError for a cell of another suite.
    """
    entries = _entries([record for record in records if record.status == "finished"])
    if not entries:
        raise CellError("no cell is finished; there is nothing to report yet")
    named = [name for name in tasks.names() if any(name in entry.records for entry in entries)]
    counted = [name for name in named if not tasks.load(name).team] or named
    apart = [name for name in named if name not in counted]
    whole = [entry for entry in entries if entry.records.keys() >= set(counted) and entry.common(counted)]
    runs = {entry.label: entry.runs(counted) for entry in whole}
    held_out = {entry.label: found for entry in whole if (found := entry.runs(counted, pool=True))}
    once = {entry.label for entry in whole if entry.budget and len(entry.common(counted)) < 2}
    means = {label: statistics.figure(statistics.interquartile_mean, of) for label, of in runs.items()}
    chances = {
        (one, other): _chance(runs[one], runs[other], bool(once & {one, other})) for one, other in permutations(runs, 2)
    }
    teams = [entry for entry in entries if apart and entry.records.keys() >= set(apart) and entry.common(apart)]
    team_means = {entry.label: statistics.figure(statistics.interquartile_mean, entry.runs(apart)) for entry in teams}
    pool_means = {label: statistics.figure(statistics.interquartile_mean, of) for label, of in held_out.items()}
    both = {label: [np.stack(pair, 1) for pair in zip(runs[label], of, strict=True)] for label, of in held_out.items()}
    drops = {label: statistics.figure(_drop, of) for label, of in both.items()}
    asked = {_key(record) for record in own}
    mine = [entry.label for entry in entries if _key(entry.every()[0]) in asked]
    entries.sort(key=lambda one: (one.label not in mine, -means[one.label].value if one.label in means else np.inf))
    whole.sort(key=entries.index)
    return Comparison(named, counted, apart, entries, mine, whole, means, team_means, pool_means, drops, chances)


def _chance(mine: Runs, theirs: Runs, once: bool) -> Figure:
    """Return the probability of improvement, without an interval if a learner has one run a task (`once`)."""
    found = statistics.figure(statistics.improvement, mine, theirs)
    low, high = (np.nan, np.nan) if once else np.clip(found[1:], 0.0, 1.0)
    return found._replace(low=float(low), high=float(high))


def _drop(both: Runs) -> np.ndarray:
    """Return the interquartile mean of the first column of runs `(n, 2)` less that of the second."""
    panel, pool = ([scores[:, column] for scores in both] for column in (0, 1))
    return np.asarray(statistics.interquartile_mean(panel) - statistics.interquartile_mean(pool))


def _key(record: Record) -> tuple[str, int, str]:
    """Return the label of an entry."""
    return record.cell.candidate.name, record.cell.budget, record.cell.candidate.build()


def _entries(finished: Sequence[Record]) -> list[Entry]:
    """Return the candidates at each budget; labels of one name differ by budget or build."""
    by_key: dict[tuple[str, int, str], dict[str, list[Record]]] = {}
    for record in sorted(finished, key=lambda one: one.cell.seed):
        task_of(record.cell)
        by_key.setdefault(_key(record), {}).setdefault(record.cell.task, []).append(record)
    for (name, *_), records in by_key.items():
        for task, found in records.items():
            if len({record.cell.seed for record in found}) < len(found):
                raise CellError(f"two results of {name} at {task} with one seed: two builds, or two datasets")
    names, budgets = [key[0] for key in by_key], [key[:2] for key in by_key]

    def label(name: str, budget: int, build: str) -> str:
        if names.count(name) == 1:
            return name
        return f"{name}, {budget:,}" if budgets.count((name, budget)) == 1 else f"{name}, {budget:,}, {build}"

    return [Entry(label(*key), key[1], found) for key, found in by_key.items()]
