"""Results that come with the library: the records of finished cells, a file for each candidate, as they were made."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from sobremesa.agents.stored import read_object
from sobremesa.envs.core.files import write_whole
from sobremesa.training.benchmark import cells, tasks
from sobremesa.training.benchmark.cells import Cell, CellError, Record
from sobremesa.training.benchmark.comparison import Comparison, Entry, compare

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


def publish(found: Sequence[Record], folder: Path = FOLDER) -> list[str]:
    """Write the complete results among `found` into `folder`, and return what was left out, in words.

    Complete is a candidate at one budget in those seeds in which all tasks that it fits are finished. Of its file it
    replaces the same seeds at that budget, and what is there of another configuration. Left out is what was made with
    changes that no commit holds. Raises CellError, and writes nothing, if one of those files is damaged.
    """
    folder.mkdir(exist_ok=True)
    told = [f"{record.cell.name} is {record.status}" for record in found if record.status != "finished"]
    by_name: dict[str, list[Record]] = {}
    for entry in compare(found).entries:
        kept, why = _complete(entry)
        told += why
        by_name.setdefault(entry.every()[0].cell.candidate.name, []).extend(kept)
    files = {folder / f"{name}.json": kept for name, kept in by_name.items() if kept}
    whole = {path: _beside(path, kept) for path, kept in files.items()}  # all are read before one is written
    for path, rows in whole.items():
        lines = ",\n".join(json.dumps(_as_told(record)) for record in rows)
        write_whole(path, f'{{"format": {FORMAT}, "records": [\n{lines}\n]}}\n')
    return told


def _beside(path: Path, kept: list[Record]) -> list[Record]:
    """Return `kept` with what else the file at `path` has, by budget, task and seed."""
    new = {(cell.budget, cell.candidate.build(), cell.seed) for cell in (record.cell for record in kept)}
    builds = {budget: {build for at, build, _ in new if at == budget} for budget, _, _ in new}

    def stays(cell: Cell) -> bool:
        budget, build = cell.budget, cell.candidate.build()
        return build in builds.get(budget, {build}) and (budget, build, cell.seed) not in new

    others = [record for record in (_read(path) if path.exists() else []) if stays(record.cell)]
    return sorted([*others, *kept], key=lambda record: (record.cell.budget, record.cell.task, record.cell.seed))


def _as_told(record: Record) -> dict[str, Any]:
    return {"format": cells.FORMAT, **msgspec.to_builtins(record), "made": cells.told(record.made)}


def _complete(entry: Entry) -> tuple[list[Record], list[str]]:
    """Return the records of an entry that may be published, and why others may not."""
    every = entry.every()
    wanted = [task.name for task in tasks.suite() if every[0].cell.candidate.fits(task)]
    if lacking := [name for name in wanted if name not in entry.records]:
        return [], [f"{entry.label} has no finished cell of {', '.join(lacking)}"]
    commits = {record.made.get("commit", "unknown") for record in every}
    if loose := [commit for commit in sorted(commits) if not commit.isalnum() or commit == "unknown"]:
        return [], [f"{entry.label} was made at commit {loose[0]!r:.60}, which nobody else can have"]
    seeds = entry.seeds
    others = sorted({record.cell.seed for record in every} - set(seeds))
    told = [f"{entry.label} lacks tasks in seed {', '.join(map(str, others))}"] if others else []
    return [record for record in every if record.cell.seed in seeds], told


HEAD = "task"


def table(found: Comparison) -> list[list[str]]:
    """Return `found` as rows of words under a head: mean scores by task, then what is said of the whole."""
    rows = [[HEAD, *(f"`{entry.label}`" for entry in found.entries)]]
    for name in found.tasks:
        rows.append([f"`{name}`", *(_mean(entry, name) for entry in found.entries)])
    means = [found.means.get(entry.label) for entry in found.entries]
    rows.append(["interquartile mean", *(f"**{one.value:.2f}** ({one.interval(2)})" if one else ""
                                         for one in means)])  # fmt: skip
    rows.append(["decisions", *(f"{entry.budget:,}" if entry.budget else "" for entry in found.entries)])
    rows.append(["seeds", *(str(len(entry.seeds)) if entry.budget else "" for entry in found.entries)])
    rows.append(["CPU hours", *(f"{entry.cpu / 3600:.2f}" if entry.budget else "" for entry in found.entries)])
    rows.append(["decisions a CPU second", *(f"{entry.speed:,.0f}" if entry.budget else "" for entry in found.entries)])
    rows.append(["commit", *(", ".join(sorted({record.made["commit"] for record in entry.every()}))
                             for entry in found.entries)])  # fmt: skip
    return rows


def _mean(entry: Entry, task: str) -> str:
    return f"{entry.scores[task].mean():.2f}" if task in entry.records else ""
