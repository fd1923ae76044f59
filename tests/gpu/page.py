"""Rows of docs/results/gpu.json from a report of `make gpu`.

    python -m tests.gpu.page build/gpu.json && make fresh

A report of `make gpu GPU=--quick` becomes the row of its card. A new table needs a mark in docs/results/gpu.md.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sobremesa import envs
from sobremesa.report import results
from sobremesa.report.results import Table

FILE = Path(__file__).parents[2] / "docs" / "results" / "gpu.json"
LISTS = ("rollouts", "searches", "counterfactual", "training")  # parts with a row for each measurement
CHECKED = ["game", "staged", "unstaged", "a planted bit", "registers", "local memory", "ready in"]


def tables(report: dict[str, Any]) -> dict[str, Table]:
    """Return the tables of the parts of a report."""
    named = {name: _listed(report[name]) for name in LISTS if report.get(name)}
    named |= {"sameness": _checks(report["checks"])} if report["checks"] else {}
    named |= {"speed": _speed(report["speed"])} if report["speed"] else {}
    versions = {name: text for name, text in report["versions"].items() if name not in ("card", "driver", "commit")}
    shared = {"command": "make gpu", "commit": report["versions"]["commit"], "machine": _machine(report)}
    shared |= {"versions": versions}
    return {
        name: Table(head=head, forms=forms, shared=shared, rows=[_row(report, *one) for one in rows])
        for name, (head, forms, rows) in named.items()
    }


def keep(report: dict[str, Any], kept: dict[str, Table]) -> dict[str, Table]:
    """Return the tables `kept` with those of `report`; raise SystemExit if one of its checks failed."""
    if failed := sorted({one["game"] for one in report["checks"] if not one["passed"]}):
        raise SystemExit(f"the checks of {', '.join(failed)} fail, and a report that fails is not published")
    if not report.get("quick"):
        return kept | tables(report)
    speeds = {one["game"]: one["million_turns"] for one in report["speed"]}
    games = envs.games()
    machine = _machine(report)
    cells = [machine, len(report["checks"]), *(speeds.get(name, "") for name in games)]
    row = {"cells": cells, "games": report["rules"], "commit": report["versions"]["commit"], "machine": machine}
    cards = kept.get("cards") or Table(
        head=["card", "checks passed", *(f"`{name}`" for name in games)],
        forms=["", ",.0f", *[",.0f"] * len(games)], shared={"command": "make gpu GPU=--quick"}, rows=[],
    )  # fmt: skip
    cards.rows = [*(one for one in cards.rows if one["machine"] != machine), row]
    return kept | {"cards": cards}


def _machine(report: dict[str, Any]) -> str:
    return f"{report['versions']['card']}, driver {report['versions']['driver']}"


def _row(report: dict[str, Any], game: str, cells: list[Any]) -> dict[str, Any]:
    games = {name: digest for name, digest in report["rules"].items() if name.rpartition("-v")[0] == game}
    return {"cells": cells, "games": games}


def _checks(checks: Sequence[dict[str, Any]]) -> tuple[list[str], list[str], list[tuple[str, list[Any]]]]:
    rows = []
    for name, some in _by_game(checks):
        staged, planted, unstaged = (
            next(one for one in some if (one["staged"], one["planted"] is not None) == kind)
            for kind in ((True, False), (True, True), (False, False))
        )
        differ = [f"{one['differ']} of {one['checkpoints']}" for one in (staged, unstaged)]
        used = staged["usage"]["step"]
        size, seconds = used["local bytes"], staged["compile_seconds"]
        rows.append(
            (name, [f"`{name}`", *differ, f"found at turn {planted['first']}", used["registers"], size, seconds])
        )
    return CHECKED, ["", "", "", "", ",.0f", ",.0f bytes", ",.0f s"], rows


def _speed(speed: Sequence[dict[str, Any]]) -> tuple[list[str], list[str], list[tuple[str, list[Any]]]]:
    sizes = sorted({one["tables"] for one in speed})
    rows = []
    for name, some in _by_game(speed):
        turns = {one["tables"]: round(one["million_turns"], 1) for one in some}
        most = max(some, key=lambda one: one["tables"])
        share = 100 * most["million_turns"] / most["million_copies"]
        cells = [turns.get(size, "does not fit") for size in sizes]
        rows.append((name, [f"`{name}`", *cells, most["bytes"], round(most["million_copies"]), round(share)]))
    head = ["game", *(f"{size:,} tables" for size in sizes), "bytes a turn", "a copy allows", "share"]
    return head, ["", *[",.1f"] * len(sizes), ",.0f", ",.0f", ",.0f %"], rows


def _listed(found: Sequence[dict[str, Any]]) -> tuple[list[str], list[str], list[tuple[str, list[Any]]]]:
    """Return a table whose heads are the keys of the rows; a row may lack some."""
    names = list(dict.fromkeys(name for one in found for name in one))
    rows = [(one["game"], [str(one.get(name, "")) for name in names]) for one in found]
    return [name.replace("_", " ") for name in names], [], rows


def _by_game(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name, some in groupby(rows, lambda one: str(one["game"])):
        yield name, list(some)


def main() -> None:
    """Keep the measurements that the command line names."""
    for name in sys.argv[1:]:
        report = json.loads(Path(name).read_text(encoding="utf-8"))
        results.write(FILE, keep(report, results.read(FILE) if FILE.exists() else {}))


if __name__ == "__main__":
    main()
