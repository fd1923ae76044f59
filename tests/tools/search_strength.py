"""Gain of search over its base agents, at every table and over budgets.

    python tests/tools/search_strength.py                       # every game, tables and budgets
    python tests/tools/search_strength.py estafado --budgets    # only the budgets of one game
    python tests/tools/search_strength.py --bases champion      # with champions as base agents
    python tests/tools/search_strength.py --publish             # write the rows that documents show

Each cell is one match, stored in its own file when it ends (`runs/strength`). Cells of the same agents that are stored
there, or have a row in the library, are not played again (with `--again` only stored ones are skipped). Deals are those
of `sobremesa rate`: one search agent among copies of its base in all seatings, in both roles, or a team on the same
decks.
"""

import argparse
import hashlib
import io
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sobremesa import agents, envs
from sobremesa.agents.arena.identity import identity
from sobremesa.agents.arena.pairings import play_matches
from sobremesa.agents.arena.score import score
from sobremesa.agents.search.published import FILE, Row, rows
from sobremesa.agents.stored import LARGEST
from sobremesa.arguments import count
from sobremesa.commit import commit
from sobremesa.envs.core.files import read_inside, write_whole
from sobremesa.envs.core.game import Game
from sobremesa.progress import progress

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

    def made(self, row: Row) -> bool:
        """Return whether `row` is a result of this match of the present candidate, over at least as many deals."""
        match = (self.game.name, self.game.version, self.seats, self.candidate, self.reference, self.worlds)
        return row.deals >= self.deals and row.match[:-1] == match and row.identity == self.who[0]


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


def measure(cell: Cell) -> list[Row]:
    """Play the match of `cell` and return its scores: one, or one for each role."""
    game = cell.game
    met = [agents.load(name, game) for name in (cell.candidate, cell.reference)]
    began, made = time.process_time(), commit()
    with progress(f"{game.name}, {cell.seats} seats: {cell.candidate}") as update:
        found = play_matches(game, met, cell.deals, seed=SEED, first=True, progress=update, seats=cell.seats)
    used = time.process_time() - began
    candidate, reference = (agent.name for agent in met)
    return [
        Row(game.name, game.version, cell.seats, one.candidate, one.reference, one.role, cell.worlds, cell.deals, SEED,
            *one[4:11], identity(met[0]), round(used, 1), made)
        for one in score(game, found, candidate, reference, SEED)
    ]  # fmt: skip


def _file(folder: Path, cell: Cell) -> Path:
    key = repr((cell.game.id, *cell.who, cell.seats, cell.deals, SEED, cell.worlds))
    return folder / cell.game.name / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


def picture(found: Sequence[Row]) -> str:
    """Return an SVG of the gains by budget: a panel for each game, a line for each base and role."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    games = list(dict.fromkeys(row.game for row in found))
    across = min(ACROSS, len(games))
    down = -(-len(games) // across)
    with matplotlib.rc_context({"svg.hashsalt": "sobremesa", "font.size": 11, "svg.fonttype": "none"}):
        figure, panels = pyplot.subplots(
            down, across, figsize=(3.6 * across, 3.2 * down), layout="constrained", squeeze=False, sharey=True
        )
        for number, axes in enumerate(panels.flat):
            if number < len(games):
                _panel(axes, [row for row in found if row.game == games[number]])
                axes.tick_params(labelleft=True)
            else:
                axes.set_axis_off()
        for row in panels:
            row[0].set_ylabel("gain of search")
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, facecolor="white")
        pyplot.close(figure)
    return out.getvalue()


def _panel(axes: Any, own: Sequence[Row]) -> None:
    """Draw the curves of the rows `own` of one game."""
    for base, role in dict.fromkeys((row.reference, row.role) for row in own):
        points = sorted((row for row in own if (row.reference, row.role) == (base, role)), key=lambda row: row.worlds)
        worlds = [row.worlds for row in points]
        label = f"search({base}){', ' * bool(role)}{role}"
        (line,) = axes.plot(worlds, [row.lead for row in points], "o-", markersize=4, label=label)
        low, high = [row.lead_low for row in points], [row.lead_high for row in points]
        axes.fill_between(worlds, low, high, alpha=0.15, color=line.get_color())
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({row.worlds for row in own}))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    title = envs.load(own[0].game).words.title["es"] if own[0].game in envs.games() else own[0].game
    axes.set(title=f"{title}, {own[0].seats} seats", xlabel="worlds a decision")
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Play the missing cells and print all cells; with `--publish`, write them into the library."""
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
    parser.add_argument("--again", action="store_true", help=f"also play cells with a row in {FILE.name}")
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
    found, published = [], rows()
    for cell in wanted:
        file, known = _file(arguments.folder, cell), [row for row in published if cell.made(row)]
        if not (file.exists() or arguments.publish or (known and not arguments.again)):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, msgspec.json.format(msgspec.json.encode(measure(cell)), indent=1))
        here = (
            msgspec.json.decode(read_inside(file.parent, file.name, LARGEST), type=list[Row])
            if file.exists()
            else known
        )
        found += here
        for row in here:
            print(row.told(), flush=True)
    if arguments.publish:
        today = {row.game: row.version for row in found}
        kept_on = [row for row in published if row.version == today.get(row.game, row.version)]
        every = {row.match: row for row in [*kept_on, *found]}
        kept = sorted(every.values(), key=lambda row: (row.game, row.seats, row.reference, row.worlds, row.role))
        write_whole(FILE, msgspec.json.format(msgspec.json.encode(kept), indent=1))
        if curves := [row for row in kept if row.worlds]:
            write_whole(FILE.with_suffix(".svg"), picture(curves))


if __name__ == "__main__":
    main()
