"""Published results: records of finished cells, one file for each candidate."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sobremesa.agents.stored import read_object
from sobremesa.envs.core.files import write_whole
from sobremesa.training.benchmark import cells, tasks
from sobremesa.training.benchmark.cells import Cell, CellError, Record
from sobremesa.training.benchmark.comparison import Comparison, Entry, compare
from sobremesa.training.benchmark.statistics import Figure

FOLDER = Path(__file__).with_name("results")
FORMAT = 1


def records(folder: Path = FOLDER) -> list[Record]:
    """Return the records in all files of `folder`; raise CellError for one that is damaged."""
    return [record for path in sorted(folder.glob("*.json")) for record in _read(path)]


def _read(path: Path) -> list[Record]:
    found = read_object(path, "file of benchmark results", FORMAT, CellError, inside=True)
    rows = found.get("records")
    if set(found) != {"format", "records"} or not isinstance(rows, list):
        raise CellError(f"{path}: it takes format and records, a list")
    return [cells.checked(row, f"{path}: record {number}") for number, row in enumerate(rows)]


def beside(own: Sequence[Record]) -> list[Record]:
    """Return the published records comparable with `own`: those of the same tasks, or all if `own` is empty."""
    mine = {record.cell.name for record in own}
    at = {(record.cell.task, record.cell.task_digest) for record in own}
    return [
        record
        for record in records()
        if record.cell.name not in mine and ((record.cell.task, record.cell.task_digest) in at or not own)
    ]


def named(name: str, out: Path) -> Record:
    """Return the record of a cell by its folder, its name below `out`, or its published name; raise CellError."""
    for folder in (Path(name), out / name):
        if (folder / cells.FILE).exists():
            return cells.read(folder)
    for record in records():
        if record.cell.name == name:
            return record
    raise CellError(f"no cell {name!r:.200}: give a folder, or the name of a cell below {out} or published")


def publish(found: Sequence[Record], folder: Path = FOLDER) -> list[str]:
    """Write the complete results among `found` into `folder`, and return in words which were left out.

    A candidate is complete at a budget in the seeds in which all its tasks are finished, where tasks of teams may be
    missing beside others. They replace the same seeds at
    that budget, and results of another configuration. Results with uncommitted changes are left out. Raises CellError,
    before writing, if one of those files is damaged.
    """
    folder.mkdir(exist_ok=True)
    left_out = [f"{record.cell.name} is {record.status}" for record in found if record.status != "finished"]
    by_name: dict[str, list[Record]] = {}
    for entry in compare(found).entries:
        kept, why = _complete(entry)
        left_out += why
        by_name.setdefault(entry.every()[0].cell.candidate.name, []).extend(kept)
    files = {folder / f"{name}.json": kept for name, kept in by_name.items() if kept}
    whole = {path: _merged_records(path, kept) for path, kept in files.items()}  # read all before writing one
    for path, rows in whole.items():
        text = ",\n".join(json.dumps(stored(record)) for record in rows)
        write_whole(path, f'{{"format": {FORMAT}, "records": [\n{text}\n]}}\n')
    return left_out


def _merged_records(path: Path, kept: list[Record]) -> list[Record]:
    """Return `kept` and the other records of the file at `path`, by budget, task and seed."""
    new = {(cell.budget, cell.candidate.build(), cell.seed) for cell in (record.cell for record in kept)}
    builds = {budget: {build for at, build, _ in new if at == budget} for budget, _, _ in new}

    def stays(cell: Cell) -> bool:
        budget, build = cell.budget, cell.candidate.build()
        return build in builds.get(budget, {build}) and (budget, build, cell.seed) not in new

    others = [record for record in (_read(path) if path.exists() else []) if stays(record.cell)]
    return sorted([*others, *kept], key=lambda record: (record.cell.budget, record.cell.task, record.cell.seed))


def stored(record: Record) -> dict[str, Any]:
    """Return a record as JSON for publication, without local folders."""
    return {"format": cells.FORMAT, **msgspec.to_builtins(record), "made": cells.without_places(record.made)}


def _complete(entry: Entry) -> tuple[list[Record], list[str]]:
    """Return the publishable records of an entry, and the reasons against the others."""
    every = entry.every()
    fitting = [task for task in tasks.suite() if every[0].cell.candidate.fits(task)]
    wanted = [task.name for task in fitting if not task.team] or [task.name for task in fitting]
    if lacking := [name for name in wanted if name not in entry.records]:
        return [], [f"{entry.label} has no finished cell of {', '.join(lacking)}"]
    commits = {record.made.get("commit", "unknown") for record in every}
    if loose := [commit for commit in sorted(commits) if not commit.isalnum() or commit == "unknown"]:
        return [], [f"{entry.label} was made at commit {loose[0]!r:.60}, which is not published"]
    seeds = entry.seeds
    others = sorted({record.cell.seed for record in every} - set(seeds))
    lines = [f"{entry.label} lacks tasks in seed {', '.join(map(str, others))}"] if others else []
    return [record for record in every if record.cell.seed in seeds], lines


def table(found: Comparison) -> list[list[str]]:
    """Return `found` as table rows: a head, mean scores by task, then summaries.

    In brackets: win rates against each of the panel.
    """
    rows = [["task", *(f"`{entry.label}`" for entry in found.entries)]]
    rows += [_row(found, name) for name in found.counted]
    rows.append(["interquartile mean", *_means(found.entries, found.means, bold=True)])
    if found.pool_means:
        rows.append(["among the held-out pool", *_means(found.entries, found.pool_means)])
        rows.append(["less among the pool by", *_means(found.entries, found.drops)])
    rows += [_row(found, name) for name in found.apart]
    if found.apart:
        rows.append(["interquartile mean of the teams", *_means(found.entries, found.team_means)])
    return rows + _made(found)


def placed(found: Comparison) -> list[str]:
    """Return a sentence for each own candidate at each task: score, interval and rank. Equal scores share a rank."""
    lines = []
    for entry in found.entries:
        for name in [name for name in found.tasks if entry.label in found.own and name in entry.records]:
            means = {one.label: float(one.scores[name].mean()) for one in found.entries if name in one.records}
            place = 1 + sum(mean > means[entry.label] for mean in means.values())
            ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10 if place // 10 % 10 != 1 else 0, "th")
            level = sum(mean == means[entry.label] for mean in means.values()) - 1
            shared = f", level with {level} other{'s' * (level > 1)}" if level else ""
            beside = f", {place}{ending} of {len(means)}{shared}" if len(means) > 1 else ""
            lines.append(f"{entry.label} at {name}: {means[entry.label]:z.2f} ({_reach(entry, name)}){beside}")
    return lines


def _reach(entry: Entry, task: str) -> str:
    """Return the interval of one seed over deals, or the range of several seeds."""
    low, high = float(entry.scores[task].min()), float(entry.scores[task].max())
    if len(entry.records[task]) > 1:
        return f"{len(entry.records[task])} seeds, {low:z.2f} to {high:z.2f}"
    last = entry.records[task][0].last
    low, high = tasks.interval_of(tasks.load(task), last.value, last.low, last.high)
    return f"{low:z.2f} to {high:z.2f}"


def by_candidate(found: Comparison) -> list[list[str]]:
    """Return mean scores as table rows, one for each candidate, with the decisions that it learned from."""
    several = len(found.counted) > 1
    rows = [["candidate", *found.tasks, *["interquartile mean"] * several, "decisions"]]
    for entry in found.entries:
        scores = (f"{entry.scores[name].mean():z.2f}" if name in entry.records else "" for name in found.tasks)
        mean = f"{found.means[entry.label].value:z.2f}" if entry.label in found.means else ""
        rows.append([entry.label, *scores, *[mean] * several, f"{entry.budget:,}" if entry.budget else ""])
    return rows


def _row(found: Comparison, name: str) -> list[str]:
    return [f"`{name}`", *(_mean(entry, name) for entry in found.entries)]


def _means(entries: Sequence[Entry], of: dict[str, Figure], bold: bool = False) -> list[str]:
    marks = "**" if bold else ""
    means = [of.get(entry.label) for entry in entries]
    return [
        f"{marks}{one.value:z.2f}{marks}" + (f" ({one.interval(2)})" if one.known else "") if one else ""
        for one in means
    ]


def _made(found: Comparison) -> list[list[str]]:
    def learners(of: Callable[[Entry], str]) -> list[str]:
        return [of(entry) if entry.budget else "" for entry in found.entries]

    return [
        ["met in training", *learners(lambda entry: ", ".join(entry.met) or "-")],
        ["decisions", *learners(lambda entry: f"{entry.budget:,}")],
        ["seeds", *learners(lambda entry: str(len(entry.seeds)))],
        ["CPU hours", *learners(lambda entry: f"{entry.cpu / 3600:.2f}")],
        ["decisions a CPU second", *learners(lambda entry: f"{entry.speed:,.0f}")],
        ["commit", *(", ".join(entry.commits) for entry in found.entries)],
    ]


def _mean(entry: Entry, task: str) -> str:
    if task not in entry.records:
        return ""
    against = [record.last.against for record in entry.records[task]]
    wins = [f"{np.mean([one[name] for one in against]):z.2f}" for name in tasks.PANEL if name in against[0]]
    return f"{entry.scores[task].mean():z.2f}" + (f" ({', '.join(wins)})" if wins else "")
