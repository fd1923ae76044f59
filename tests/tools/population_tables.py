"""Rows of docs/results/population.json from a file of `sobremesa population GAME --json FILE`.

    python tests/tools/population_tables.py NAME FILE && make fresh

The tables are called `NAME-SEATS`, with the place if there is one, `NAME-levels` and `NAME-verdict`; each needs a mark
in docs/results/population.md. Tables of other numbers of seats stay.
"""

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sobremesa.report import results
from sobremesa.report.results import Table
from sobremesa.report.tables import short

FILE = Path(__file__).resolve().parents[2] / "docs" / "results" / "population.json"
COVERS = "95 % over deals, not corrected for the number of cells"
PLACES = re.compile(r" --(out|json|processes) \S+")  # options that no result depends on
SAME = 0.0005  # by which a figure may differ when it is measured again


def tables_of(name: str, figures: dict[str, Any]) -> dict[str, Table]:
    """Return the tables of one test by name."""
    places = dict.fromkeys((one["seats"], one["place"]) for one in figures["cells"])
    found = {f"{name}-{seats}" + f"-{place}" * bool(place): matrix(figures, seats, place) for seats, place in places}
    if figures["steps"]:
        found[f"{name}-levels"] = levels(figures)
    reasons = "; ".join(one["sentence"] for one in figures["failures"])
    cells = [f"`{figures['candidate']}`", f"fails: {reasons}" if reasons else "passes", figures["claims"]]
    found[f"{name}-verdict"] = Table(
        head=["agent", "verdict", "claims", "odd"], rows=[{"cells": [*cells, "; ".join(figures["odd"])]}],
        forms=["", "", ",.0f", ""],
    )  # fmt: skip
    shared = {"games": figures["games"], "seeds": [figures["seed"]], "commit": figures["commit"], "covers": COVERS}
    shared["command"] = PLACES.sub("", figures["command"])
    for table in found.values():
        table.shared = shared
    return found


def matrix(figures: dict[str, Any], seats: int, place: str) -> Table:
    """Return the matrix at one kind of table: a row for each member; in a place, leads in columns of their own."""
    here = [one for one in figures["cells"] if (one["seats"], one["place"]) == (seats, place)]
    cells = {(one["agent"], one["among"]): one for one in here}
    candidate, references = figures["candidate"], figures["references"]
    columns = [(f"{short(one)} among it", one, "") for one in (candidate, *references)]
    columns.append((f"it among {short(candidate)}", "", candidate))
    columns = [(head, *pair) for head, *pair in columns if any(_pair(one, pair) in cells for one in figures["members"])]
    parts = ("value", "lead") if place else ("value",)
    head = [f"{text}, lead" if part == "lead" else text for text, *_ in columns for part in parts]
    rows = []
    for member in figures["members"]:
        met = [cells.get(_pair(member, pair)) for _, *pair in columns]
        shown = [_figure(cell and cell[part]) for cell in met for part in parts]
        deals = max(cell["deals"] for cell in met if cell)
        where = [cell and _where(cell, "cells") + f".{part}.mean" for cell in met for part in parts]
        named = {name for cell in met if cell for name in (cell["agent"], cell["among"])}
        rows.append({
            "cells": [f"`{short(member)}`", deals, *shown], "deals": deals, "setup": {"seats": seats},
            "agents": _digests(figures, sorted(named)), "tolerance": SAME,
            "read": {text: at for text, at in zip(head, where, strict=True) if at},
        })  # fmt: skip
    forms = ["", ",.0f", *["+.3f" if place else ",.3f"] * len(head)]
    return Table(head=["member", "deals", *head], forms=forms, rows=rows)


def levels(figures: dict[str, Any]) -> Table:
    """Return the steps between levels: one agent of the upper level among copies of the lower one."""
    rows = []
    for one in figures["steps"]:
        step = f"{one['level']} ({one['agent']}) over {one['above']} ({one['among']})"
        table = f"{one['seats']}, {one['place']}" if one["place"] else str(one["seats"])
        shown = [_figure(one["value"]), one["baseline"], _figure(one["lead"]), _figure(one["points"])]
        rows.append({
            "cells": [step, table, *shown], "deals": one["deals"], "setup": {"seats": one["seats"]}, "tolerance": SAME,
            "agents": _digests(figures, (one["agent"], one["among"])),
            "read": {"value": _where(one, "steps") + ".value.mean"},
        })  # fmt: skip
    head = ["step", "seats", "value", "of the lower level", "lead", "points"]
    return Table(head=head, forms=["", "", ",.3f", ",.3f", "+.3f", "+.0f"], rows=rows)


def _pair(member: str, pair: list[str]) -> tuple[str, str]:
    """Return the agent and the others of a cell of the matrix; "" in `pair` is the member."""
    return pair[0] or member, pair[1] or member


def _figure(one: dict[str, float] | None) -> results.Cell:
    return "" if one is None else [one["mean"], one["low"], one["high"]]


def _digests(figures: dict[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Return the digests of the agents `names` of a test, by the name that `agents.load` takes."""
    return {figures["agents"][name]: figures["digests"][name] for name in names}


def _where(one: dict[str, Any], field: str) -> str:
    return f"{field}[" + ",".join(f"{key}={one[key]}" for key in ("agent", "among", "seats", "place")) + "]"


def main() -> None:
    """Write the tables of one test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="name of the tables")
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    figures = json.loads(asked.file.read_text(encoding="utf-8"))
    kept, found = results.read(FILE), tables_of(asked.name, figures)
    for name in kept.keys() & found.keys():
        found[name].explained = kept[name].explained
    results.write(FILE, kept | found)


if __name__ == "__main__":
    main()
