"""Check published results against the code of today, or measure a row again."""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sobremesa import agents, envs
from sobremesa.agents.arena import leaderboard_file, shutouts
from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.exact.tree import table_name
from sobremesa.agents.exported import Bot
from sobremesa.agents.named import is_search, named, programs
from sobremesa.report import results
from sobremesa.report.results import ResultsError, Row
from sobremesa.training.benchmark import exactness
from sobremesa.training.benchmark.tasks import suite

EXAMPLE = "sobremesa results check"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("what", choices=("check", "rerun"), help="list stale rows and odd cells, or rerun a row")
    parser.add_argument("row", nargs="?", metavar="ROW", help="row to measure again, such as erase_una_vez/trained/1")
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
    stale += [f"{name}: {', '.join(why)}" for name, why in stale_of_library().items()]
    odd = [one for name, table in results.every(arguments.folder) for one in results.odd(table, name)]
    for name in envs.all_games():
        if (ladder := leaderboard_file.frozen(envs.load(name), ())) is not None:
            odd += [f"ladder of {name}: {one}" for one in shutouts.odd(ladder)]
    print("\n".join([*stale, *odd, f"stale rows: {len(stale)}, odd cells: {len(odd)}"]))
    return 1 if stale or odd else 0


def _rows(folder: Path) -> Iterator[tuple[str, Row]]:
    for name, table in results.every(folder):
        for number, row in enumerate(table.whole(name), 1):
            yield f"{name}/{number}", row


def stale_of_library() -> dict[str, list[str]]:
    """Return the changes since ladders, tasks of the benchmark and exact figures were made, by their names."""
    ladders = {name: leaderboard_file.frozen(envs.load(name), ()) for name in envs.all_games()}
    found = {f"ladder of {name}": changes(ladder) for name, ladder in ladders.items() if ladder is not None}
    for one in suite():
        why = results.other_rules(f"{one.game}-v{one.version}", one.rules_hash)
        found[f"benchmark task {one.name}"] = [why] * bool(why)
    for exact in exactness.records():
        table = table_name(envs.load(exact.game.rpartition("-v")[0]), exact.setup)
        agent = {exact.bot: exact.made.get("agent", "")}
        row = Row(cells=[], games={exact.game: exact.made.get("rules", "")}, agents=agent)
        found[f"exact {table}, {exact.bot}"] = results.stale(row)
    return {name: why for name, why in found.items() if why}


def changes(ladder: Leaderboard) -> list[str]:
    """Return in words the changes since a ladder was made: of the rules, or of bots on it."""
    rules = results.other_rules(f"{ladder.game}-v{ladder.version}", ladder.rules_hash)
    bots = {name: agents.load(name, ladder.game) for name in ladder.builds if not is_search(name)}
    graphs = {name: bot.manifest["sha256"] for name, bot in bots.items() if isinstance(bot, Bot)}
    changed = [name for name, digest in graphs.items() if ladder.builds[name] != digest]
    return [rules] * bool(rules) + [f"measured with an earlier `{name}`" for name in changed]


def _rerun(folder: Path, name: str) -> int:
    """Run the command of a row in an empty folder, print its figures then and now; return 1 if one does not fit."""
    row = dict(_rows(folder)).get(name)
    if row is None:
        raise ResultsError(f"{folder} has no row {name!r:.200}; `sobremesa results check` lists the stale ones")
    command = shlex.split(row.command)
    if not row.read or command[:1] != ["sobremesa"] or any(programs(named(word)) for word in command):
        raise ResultsError(f"{name} can only be measured by hand: {row.command or 'no command'}, commit {row.commit}")
    head = dict(results.every(folder))[name.rpartition("/")[0]].head
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "figures.json"
        line = [sys.executable, "-m", "sobremesa", *command[1:], "--json", str(file)]
        done = subprocess.run(line, cwd=place, stdout=subprocess.DEVNULL, check=False)
        if not file.exists():
            raise ResultsError(f"{row.command} wrote no figures; its exit code is {done.returncode}")
        figures = json.loads(file.read_text(encoding="utf-8"))
    return 0 if print_compared(row, head, figures) else 1


def print_compared(row: Row, head: list[str], figures: Any) -> bool:
    """Print the figures of a row then and now; return whether all fit."""
    fits = True
    for column, was, now, same in results.compared(row, head, figures):
        fits &= same
        away = "" if same else f", more than {row.tolerance:g} away"
        print(f"{column}: {was:g} at commit {row.commit}, now {now:g}{away}")
    return fits
