"""Report of a benchmark: scores over the suite, per task, and sample efficiency."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from sobremesa.envs.core.files import write_whole
from sobremesa.report.curves import Line, Panel, grid
from sobremesa.report.page import Bar, render, scale
from sobremesa.report.tables import markdown
from sobremesa.training.benchmark import cells, exactness, statistics
from sobremesa.training.benchmark.cells import Record
from sobremesa.training.benchmark.comparison import THRESHOLDS, Comparison, Entry, compare
from sobremesa.training.benchmark.published import placed, table
from sobremesa.training.benchmark.tasks import SUITE

_EXACT = (
    "Exact exploitability of agents in small games, computed over the whole tree, beside the estimates of `exploit` by "
    "training and by search. An estimate can exceed the exact value only by luck of the deals."
)
PAGE, TABLE = "report.html", "report.md"
_METHOD = (
    "The score of a task is 0 for `random` and 1 for `strong`. It is the mean win rate of one agent among copies of "
    "`simple` and of `strong`, in one role if seats have roles; for a team, the success of copies. All candidates play "
    "the same held-out deals, each in all cyclic seatings. In brackets after a score are the two win rates.",
    "The held-out pool has two bots a game, which serve only this. The score among them is scaled "
    "alike: an agent that is fitted to `simple` and `strong` has a lower one. `met in training` names agents of the "
    "library that training met or imitated, as far as its configuration or its environments tell.",
    "The interquartile mean is the mean of the middle half of all scores, over the seeds that every task has "
    "(rliable's definition, Agarwal et al. 2021). Tasks of teams have a mean of their own, if there are others, "
    "because nearly all learners have a success of 0 there. Intervals are those of the jackknife over seeds with "
    f"Student's t. In simulations of three to ten seeds {statistics.COVERS}. One run, or runs that are all alike, have "
    "no interval.",
    "The probability of improvement is the probability that a run of the first candidate scores above a run of the "
    "second at the same task. A tie counts half. It is a mean over the tasks of the interquartile mean.",
    "Decisions are those that the algorithm learnt from, without the decisions of rollouts and of exploiters "
    "(`league_every`). CPU seconds are the learning of all threads, without scoring.",
)


def write(folder: Path, records: Sequence[Record], command: str, own: Sequence[Record] = ()) -> Comparison:
    """Write a Markdown table and a page of the finished cells of `records`, made by `command`, into `folder`.

    The candidates of the records `own` come first. Without Matplotlib there is no page.

    Raises CellError if no cell is finished, TaskError if one was made with another suite.
    """
    found = compare(records, own)
    unfinished = sum(record.status != "finished" for record in records)
    write_whole(folder / TABLE, in_markdown(found, unfinished, command))
    if has_curves():
        write_whole(folder / PAGE, page(found, unfinished, command))
    return found


def has_curves() -> bool:
    """Return whether Matplotlib is installed, which draws the curves of the page."""
    return find_spec("matplotlib") is not None


def page(found: Comparison, unfinished: int, command: str) -> str:
    """Return the report (HTML)."""
    means = [Bar(label, *one, f"{one.value:.3f} ({one.interval(3)})") for label, one in found.means.items()]
    means.sort(key=lambda bar: -bar.value)
    labels = [bar.label for bar in means]
    return render(
        "benchmark",
        title=f"Benchmark {SUITE}",
        language="en",
        line=_line(found, unfinished, command),
        own=placed(found),
        apart=found.apart,
        means=means,
        mean_ends=scale(means, 0.0, 1.0) if means else (0.0, 1.0),
        lacking=[entry.label for entry in found.entries if entry not in found.whole],
        profile=_profile(found) if found.whole else None,
        labels=labels,
        chances=[[_chance(found, one, other) for other in labels] for one in labels],
        chance_rows=_chance_rows(found, labels),
        efficiency=[(f"{threshold:g}", efficiency(found, threshold)) for threshold in THRESHOLDS],
        scores=[[cell.replace("`", "").replace("**", "") for cell in row] for row in table(found)],
        by_decisions=_curves(found, "decisions"),
        by_cpu=_curves(found, "cpu"),
        exact=exact_rows(),
        exact_made=exactness.made(exactness.records()),
        method=[sentence.replace("`", "") for sentence in _METHOD],
        made=made(found),
        exact_note=_EXACT.replace("`", ""),
    )


def in_markdown(found: Comparison, unfinished: int, command: str) -> str:
    """Return the tables as Markdown."""
    parts = [
        f"# Benchmark {SUITE}\n", f"{_line(found, unfinished, command)}\n", *(f"- {one}" for one in placed(found)),
        *[""] * bool(found.own), *markdown(table(found)),
        *(line for threshold in THRESHOLDS for line in (f"\n## Decisions to {threshold:g}\n",
                                                        *markdown(efficiency(found, threshold)))),
        "\n## Probability of improvement\n", *markdown(_chance_rows(found, list(found.means))),
        "\n## Exact exploitability\n", f"{_EXACT}\n", *markdown(exact_rows()),
        "\n## What the numbers mean\n", *(f"{sentence}\n" for sentence in _METHOD),
        "## Method\n", *(f"- {label}: {told}" for label, told in made(found)),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _line(found: Comparison, unfinished: int, command: str) -> str:
    count = sum(len(entry.every()) for entry in found.entries)
    cpu = sum(entry.cpu for entry in found.entries) / 3600
    more = f" {unfinished} more cells are not finished and not included." if unfinished else ""
    return (
        f"{count} cells of {len(found.entries)} candidates at {len(found.tasks)} tasks, {cpu:.2f} CPU hours of "
        f"learning.{more} Made by: {command}"
    )


def efficiency(found: Comparison, threshold: float) -> list[list[str]]:
    """Return rows with the decisions and CPU seconds of each candidate to `threshold`, by task."""
    learners = [entry for entry in found.entries if entry.budget]
    rows = [["task", *(entry.label for entry in learners)]]
    return rows + [[task, *(_reached(entry, task, threshold) for entry in learners)] for task in found.tasks]


def _reached(entry: Entry, task: str, threshold: float) -> str:
    if task not in entry.records:
        return ""
    one = entry.reached(task, threshold)
    return f"{one.decisions:,.0f}, {one.cpu:,.1f} s ({one.reached} of {one.runs})" if one.reached else "never"


def exact_rows() -> list[list[str]]:
    """Return rows with the exact exploitabilities."""
    return exactness.table(exactness.records())


def _chance(found: Comparison, one: str, other: str) -> float:
    return found.improvements[one, other].value if one != other else float("nan")


def _chance_rows(found: Comparison, labels: Sequence[str]) -> list[list[str]]:
    """Return rows with the probability of improvement of each pair of candidates, with its interval."""
    rows = [["candidate", "over", "probability of improvement", "interval", "interval on one side of 0.5"]]
    for number, one in enumerate(labels):
        for other in labels[number + 1 :]:
            chance = found.improvements[one, other]
            sure = "yes" if chance.low > 0.5 or chance.high < 0.5 else "no" if chance.known else "not known"
            rows.append([one, other, f"{chance.value:.2f}", chance.interval(2), sure])
    return rows


def _profile(found: Comparison) -> Markup:
    """Return an SVG of the share of runs above each score."""
    runs = {entry.label: entry.runs(found.tasks) for entry in found.whole}
    top = max(float(scores.max()) for of in runs.values() for scores in of)
    at = np.linspace(0, max(1.0, top), 101)
    lines = []
    for label, of in runs.items():
        parts = statistics.profile(of, at)
        lines.append(Line(label, at.tolist(), parts.tolist(), parts.tolist(), parts.tolist()))
    return grid([Panel("all tasks and seeds", lines)], "score", "share of runs above it")


def _curves(found: Comparison, along: str) -> Markup:
    """Return an SVG with a chart for each task: mean score and range of the seeds by decisions or CPU time."""
    panels = [
        Panel(task, [_line_of(entry, task, along) for entry in found.entries if task in entry.records])
        for task in found.tasks
    ]
    xlabel = "decisions" if along == "decisions" else "CPU seconds of learning"
    return grid(panels, xlabel, "score", levels=(0.0, 1.0))


def _line_of(entry: Entry, task: str, along: str) -> Line:
    records = entry.records[task]
    if not entry.budget:
        return Line(entry.label, (), [float(np.mean([record.last.score for record in records]))], (), ())
    points = min(len(record.rows) for record in records)
    scores = np.array([[row.score for row in record.rows[:points]] for record in records])
    x = np.array([[getattr(row, along) for row in record.rows[:points]] for record in records]).mean(0)
    return Line(entry.label, *(values.tolist() for values in (x, scores.mean(0), scores.min(0), scores.max(0))))


def made(found: Comparison) -> list[tuple[str, str]]:
    """Return for each candidate a line with the budget, commit, command and configuration of its cells."""
    told = []
    for entry in found.entries:
        every = entry.every()
        seeds = ", ".join(map(str, sorted({record.cell.seed for record in every})))
        learning = f"{entry.budget:,} decisions, seeds {seeds}" if entry.budget else "as it is"
        versions = "; ".join(dict.fromkeys(_versions(record.made) for record in every))
        of = every[0].cell.candidate
        how = _configuration(of.keys) or of.spec
        words = f"{learning}; commit {_each(every, 'commit')}; {_each(every, 'command')}; {versions}; {how}"
        told.append((entry.label, words))
    return told


def _each(records: Sequence[Record], name: str) -> str:
    return "; ".join(dict.fromkeys(cells.without_places(record.made).get(name, "unknown") for record in records))


def _versions(of: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in of.items() if name not in ("commit", "command"))


def _configuration(keys: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in keys.items())
