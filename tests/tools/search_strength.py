"""Gain of search over its base agents, at every table and over budgets.

    python tests/tools/search_strength.py                       # every game, tables and budgets
    python tests/tools/search_strength.py estafado --budgets    # only the budgets of one game
    python tests/tools/search_strength.py --bases champion      # with champions as base agents
    python tests/tools/search_strength.py --publish             # write the stored cells as published rows

Each cell is one match, stored in its own file when it ends (`runs/strength`). Cells of the same agents that are stored
there are not played again. `--publish` writes rows of docs/results/search_gains.json. Deals are those of `sobremesa
rate`: one search agent among copies of its base in all seatings, in both roles, or a team on the same decks.
"""

import argparse
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sobremesa import agents, envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.pairings import play_matches
from sobremesa.agents.arena.score import Score, for_json, score
from sobremesa.agents.stored import LARGEST
from sobremesa.arguments import count
from sobremesa.commit import commit
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.progress import progress
from sobremesa.report import results
from sobremesa.report.results import Table

ROOT = Path(__file__).resolve().parents[2]
FILE, BUDGETS = ROOT / "docs" / "results" / "search_gains.json", "budgets"
PICTURE = ROOT / "agents" / "search" / "strength.svg"
SEED = 0
FOLDER = Path("runs/strength")
BASES = ("strong", "trained")  # every game has these
CHAMPION = "champion"
WORLDS = (4, 8, 16, 32, 64, 128)  # budgets of the curve, in worlds a decision
ACROSS = 3  # panels in a row of the picture
PLAYED = 240  # deals of a cell, each seating counted


class Cell(NamedTuple):
    """A match to play."""

    game: Game
    candidate: str
    reference: str
    seats: int
    deals: int
    worlds: int = 0  # budget of a point of the curve; 0 for the default budget

    @property
    def who(self) -> list[str]:
        """Identities of the candidate and of the reference in the present code."""
        return [identity(agents.load(name, self.game)) for name in (self.candidate, self.reference)]


def merged(found: Sequence[tuple[str, dict[str, Any]]], kept: dict[str, Table]) -> dict[str, Table]:
    """Return the published tables `kept` with the rows `found`, which replace those of the same match."""
    for name, new in found:
        table, key = kept[name], 4 if name == BUDGETS else 3  # the first cells name the match
        others = [one for one in table.rows if one["cells"][:key] != new["cells"][:key]]
        table.rows = sorted([*others, new], key=lambda one: [str(cell) for cell in one["cells"][:3]])
    return kept


def cells(game: Game, bases: Sequence[str], played: int, tables: bool, budgets: bool) -> Iterator[Cell]:
    """Yield the cells of `game` for its `bases`: all `tables`, and all `budgets` at the default table."""
    for base in bases:
        if base not in agents.names(game):
            continue
        for seats in game.seat_range if tables else ():
            yield Cell(game, f"search({base})", base, seats, _deals(game, seats, played))
        for worlds in WORLDS if budgets else ():
            seats, name = game.default_seats, f"search({base}, worlds={worlds})"
            yield Cell(game, name, base, seats, _deals(game, seats, played), worlds)


def _deals(game: Game, seats: int, played: int) -> int:
    return max(1, played // (1 if game.cooperative else seats))


def measure(cell: Cell) -> list[tuple[str, dict[str, Any]]]:
    """Play the match of `cell` and return its rows, one or one for each role, with the names of their tables."""
    game, made = cell.game, commit()
    met = [agents.load(name, game) for name in (cell.candidate, cell.reference)]
    with progress(f"{game.name}, {cell.seats} seats: {cell.candidate}") as update:
        found = play_matches(game, met, cell.deals, seed=SEED, first=True, progress=update, seats=cell.seats)
    return [row_of(cell, one, made) for one in score(game, found, *(agent.name for agent in met), SEED)]


def row_of(cell: Cell, one: Score, made: str) -> tuple[str, dict[str, Any]]:
    """Return the name of the table of docs/results/search_gains.json, and the row there, of a score at a commit."""
    game, place = cell.game, f"{cell.seats}, {one.role}" if one.role else str(cell.seats)
    figures = for_json([[one.value, one.low, one.high], [one.lead, one.lead_low, one.lead_high]])
    cells = [place, f"`{one.candidate}`", f"`{one.reference}`", cell.deals, *figures, made]
    record = {
        "games": {game.id: rules_hash(game)}, "agents": {one.candidate: results.digest_of(one.candidate, game)},
        "setup": {"seats": cell.seats}, "seeds": [SEED], "deals": cell.deals, "commit": made,
    }  # fmt: skip
    if cell.worlds:
        return BUDGETS, {"cells": [f"`{game.name}`", *cells[:2], cell.worlds, *cells[2:]], **record}
    return game.name, {"cells": cells, **record}


def _file(folder: Path, cell: Cell) -> Path:
    key = repr((cell.game.id, *cell.who, cell.seats, cell.deals, SEED, cell.worlds))
    return folder / cell.game.name / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


def picture(found: Table) -> str:
    """Return an SVG of the gains by budget: a panel for each game, a line for each base and role."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [[str(cell) for cell in row["cells"][:3]] + row["cells"][3:] for row in found.rows]
    games = list(dict.fromkeys(row[0] for row in rows))
    across = min(ACROSS, len(games))
    down = -(-len(games) // across)
    with matplotlib.rc_context({"svg.hashsalt": "sobremesa", "font.size": 11, "svg.fonttype": "none"}):
        figure, panels = pyplot.subplots(
            down, across, figsize=(3.6 * across, 3.2 * down), layout="constrained", squeeze=False, sharey=True
        )
        for number, axes in enumerate(panels.flat):
            if number < len(games):
                _panel(axes, [row for row in rows if row[0] == games[number]])
                axes.tick_params(labelleft=True)
            else:
                axes.set_axis_off()
        for across_panels in panels:
            across_panels[0].set_ylabel("gain of search")
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, facecolor="white")
        pyplot.close(figure)
    return out.getvalue()


def _panel(axes: Any, own: Sequence[Sequence[Any]]) -> None:
    """Draw the curves of the rows `own` of one game."""
    for base, place in dict.fromkeys((row[4], row[1]) for row in own):
        points = sorted((row for row in own if (row[4], row[1]) == (base, place)), key=lambda row: row[3])
        worlds = [row[3] for row in points]
        means, low, high = zip(*(row[7] for row in points), strict=True)
        label = f"search({base.strip('`')})" + place[1:]
        (line,) = axes.plot(worlds, means, "o-", markersize=4, label=label)
        axes.fill_between(worlds, low, high, alpha=0.15, color=line.get_color())
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({row[3] for row in own}))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    title = envs.load(own[0][0].strip("`")).words.title["es"]
    axes.set(title=f"{title}, {own[0][1].partition(',')[0]} seats", xlabel="worlds a decision")
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Play the missing cells and print all cells; with `--publish`, write the stored ones into the published rows."""
    parser = argparse.ArgumentParser(prog="python tests/tools/search_strength.py", description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="games (default: all)")
    parser.add_argument("--tables", action="store_true", help="only every table at the default budget")
    parser.add_argument("--budgets", action="store_true", help="only the default table at every budget")
    parser.add_argument(
        "--bases", nargs="+", choices=(*BASES, CHAMPION), default=BASES,
        help=f"base agents of the search (default: {' and '.join(BASES)})",
    )  # fmt: skip
    parser.add_argument("--seats", type=count, nargs="+", help="tables (default: all)")
    parser.add_argument(
        "--played", type=count, default=PLAYED, help="deals of a cell times seatings (default: %(default)s)"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="folder of stored cells (default: %(default)s)")
    parser.add_argument("--publish", action="store_true", help=f"only write the stored cells to {FILE.name}")
    arguments = parser.parse_args()
    both = arguments.tables == arguments.budgets
    wanted = [
        cell
        for name in arguments.games or envs.games()
        for cell in cells(
            envs.load(name), arguments.bases, arguments.played, both or arguments.tables, both or arguments.budgets
        )
        if cell.seats in (arguments.seats or [cell.seats])
    ]
    found = []
    for cell in wanted:
        file = _file(arguments.folder, cell)
        if not file.exists():
            if arguments.publish:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(measure(cell), indent=1))
        for table, row in json.loads(read_inside(file.parent, file.name, LARGEST)):
            found.append((table, row))
            gain = results.text_of(row["cells"][-2], "+.3f")
            print(f"{cell.game.name}, {row['setup']['seats']} seats: {cell.candidate} {gain}", flush=True)
    if arguments.publish:
        kept = merged(found, results.read(FILE))
        results.write(FILE, kept)
        write_whole(PICTURE, picture(kept[BUDGETS]))


if __name__ == "__main__":
    main()
