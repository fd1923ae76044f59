"""Check published results against the code of today, or measure a row again."""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.arena import leaderboard_file, shutouts
from sobremesa.report import results
from sobremesa.report.results import ResultsError, Row

EXAMPLE = "sobremesa results check"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("what", choices=("check", "rerun"), help="list stale rows and odd cells, or rerun a row")
    parser.add_argument("row", nargs="?", metavar="ROW", help="row to measure again, such as training-defaults/wins/1")
    parser.add_argument(
        "--folder", type=Path, default=results.FOLDER, help="folder of the files (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check all rows, or measure one again; return 1 if a row is stale, a cell is odd or a figure differs."""
    if (arguments.what == "rerun") != (arguments.row is not None):
        raise ValueError("sobremesa results takes `check`, or `rerun` and a row")
    if arguments.what == "rerun":
        return _rerun(arguments.folder, arguments.row)
    stale = [f"{name}: {', '.join(why)}" for name, row in _rows(arguments.folder) if (why := results.stale(row))]
    odd = [one for name, table in results.every(arguments.folder) for one in results.odd(table, name)]
    odd += [f"ladder of {game}: {one}" for game in envs.all_games() for one in _odd_cells(game)]
    print("\n".join([*stale, *odd, f"stale rows: {len(stale)}, odd cells: {len(odd)}"]))
    return 1 if stale or odd else 0


def _rows(folder: Path) -> Iterator[tuple[str, Row]]:
    for name, table in results.every(folder):
        for number, row in enumerate(table.whole(name), 1):
            yield f"{name}/{number}", row


def _odd_cells(name: str) -> list[str]:
    ladder = leaderboard_file.frozen(envs.load(name), ())
    return [] if ladder is None else shutouts.odd(ladder)


def _rerun(folder: Path, name: str) -> int:
    """Run the command of a row in an empty folder, print its figures then and now; return 1 if one does not fit."""
    row = dict(_rows(folder)).get(name)
    if row is None:
        raise ResultsError(f"{folder} has no row {name!r:.200}; `sobremesa results check` lists the stale ones")
    if not row.read or not row.command.startswith("sobremesa "):
        raise ResultsError(
            f"{name} cannot be measured by this version: {row.command or 'no command'}, commit {row.commit}"
        )
    head = dict(results.every(folder))[name.rpartition("/")[0]].head
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "figures.json"
        words = [*shlex.split(row.command)[1:], "--json", str(file)]
        done = subprocess.run([sys.executable, "-m", "sobremesa", *words], cwd=place, check=False)
        if not file.exists():
            raise ResultsError(f"{row.command} wrote no figures; its exit code is {done.returncode}")
        figures = json.loads(file.read_text(encoding="utf-8"))
    fits = True
    for column, was, now, same in results.compared(row, head, figures):
        fits &= same
        away = "" if same else f", more than {row.tolerance:g} away"
        print(f"{column}: {was:g} at commit {row.commit}, now {now:g}{away}")
    return 0 if fits else 1
