"""Write the tables of `sobremesa population GAME --json FILE` into docs/results/population.md.

    python tests/tools/population_page.py FILE...

A file `NAME.json` replaces the lines between the marks `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

from sobremesa.agents.arena.members import Plan
from sobremesa.agents.arena.population import Cell, Failure, Population, Step
from sobremesa.agents.arena.score import Estimate
from sobremesa.commands.population import levels, matrix
from sobremesa.envs.core.files import write_whole
from sobremesa.report.tables import markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results" / "population.md"
OPEN = {"low": float("-inf"), "mean": float("inf"), "high": float("inf")}  # where JSON has null


def read_estimate(stored: dict[str, Any] | None) -> Estimate | None:
    """Return a stored estimate; null is an open end."""
    if stored is None:
        return None
    return Estimate(**{name: OPEN[name] if value is None else value for name, value in stored.items()})


def read_cell(stored: dict[str, Any]) -> Cell:
    """Return a stored cell; other fields are left out."""
    estimates = {name: read_estimate(stored[name]) for name in ("value", "lead")}
    return Cell(**{name: stored[name] for name in Cell._fields} | estimates)


def read_population(figures: dict[str, Any]) -> Population:
    """Return the test that `--json` wrote, without its matches."""
    steps = [Step(one["level"], one["above"], read_cell(one), read_estimate(one["points"])) for one in figures["steps"]]
    failures = [Failure(**one) for one in figures["failures"]]
    plan = Plan(**{name: figures[name] for name in Plan._fields})
    cells = [read_cell(one) for one in figures["cells"]]
    return Population(plan, cells, steps, failures, figures["odd"], figures["claims"], figures["secret"], [])


def section(figures: dict[str, Any]) -> str:
    """Return the tables of one test in Markdown."""
    found = read_population(figures)
    lines = [f"`{figures['command']}`, commit {figures['commit']}"]
    for seats, place in dict.fromkeys((one.seats, one.place) for one in found.cells):
        lines += ["", f"{seats} seats{f', {place}' if place else ''}:", "", *markdown(matrix(found, seats, place))]
    lines += (
        ["", "Levels, one among copies of the next lower one:", "", *markdown(levels(found))] if found.steps else []
    )
    verdict = "fails" if found.failures else "passes"
    numbers = f"failures: {len(found.failures)}, claims: {found.claims}"
    lines += ["", f"`{found.plan.candidate}` {verdict} ({numbers})", ""]
    lines += [f"- {one.sentence}" for one in found.failures]
    lines += [f"- odd: {one}" for one in found.odd]
    return "\n".join(lines).strip()


def main() -> None:
    """Write the tables of all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    text = PAGE.read_text(encoding="utf-8")
    for file in parser.parse_args().files:
        figures = json.loads(file.read_text(encoding="utf-8"))
        mark = file.stem
        body = f"<!-- begin {mark} -->\n{section(figures)}\n<!-- end {mark} -->"
        marked = rf"<!-- begin {mark} -->.*?<!-- end {mark} -->"
        text, many = re.subn(marked, lambda _, body=body: body, text, flags=re.DOTALL)
        if not many:
            raise SystemExit(f"{PAGE} has no mark <!-- begin {mark} -->")
    write_whole(PAGE, text)


if __name__ == "__main__":
    main()
