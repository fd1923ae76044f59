"""Generated parts of the documents: tables between marks, and the board of every game.

`make fresh` writes them. A table stands between `<!-- layout -->` and `<!-- /layout -->`. In the README of a game, the
names `layout`, `actions`, `options`, `ladder` and those of the game's `readme.py` mean that game; in any other document
the game follows the name, for example `<!-- ladder:estafado -->`. Tables of the whole library are in `LIBRARY`, and
`<!-- results:PAGE/NAME -->` is a table of docs/results/PAGE.json. `board.json` is made from the submissions.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from sobremesa import agents, configs, envs
from sobremesa.agents.arena import leaderboard_file
from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.commands.results import stale_of_library
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.report import results, show, submissions
from sobremesa.report.ladder_words import interval
from sobremesa.training.benchmark import comparison, exactness, published as benchmark
from sobremesa.training.benchmark.cells import Record

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results"
SUBMISSIONS, BOARD = ROOT / "submissions", RESULTS / "board.json"
EARLIER = " (earlier version)"  # of the game or of an agent
FOLDERS = ("sobremesa", "envs", "agents", "training", "configs", "docs", "examples", "tests")


def documents() -> list[Path]:
    """Return the Markdown pages of the project, without the changelog."""
    pages = [page for folder in FOLDERS for page in sorted((ROOT / folder).rglob("*.md"))]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages]


def layout_table(game: Game) -> str:
    """Return a Markdown table of the blocks of the observation."""
    rows = [
        (f"`{block.name}`", _span(game.layout.start(block.name), block.size), " × ".join(map(str, block.shape)),
         f"{block.low:g} to {block.high:g}", block.doc)
        for block in game.layout
    ]  # fmt: skip
    total = ("", f"{game.layout.size} numbers", "", "", "")
    return _table(("block", "numbers", "shape", "range", "what it holds"), [*rows, total])


def action_table(game: Game) -> str:
    """Return a Markdown table of the actions, grouped by the first word of their names."""
    runs = []
    for _, run in groupby(range(game.num_actions), lambda action: game.words.action_name(action, "en").split()[0]):
        actions = list(run)
        examples = [f"`{game.words.action_name(actions[0], language)}`" for language in ("en", "es")]
        runs.append((_span(actions[0], len(actions)), *examples, str(len(actions))))
    total = ("", "", "", str(game.num_actions))
    return _table(("numbers", "first of them", "in Spanish", "how many"), [*runs, total])


def option_table(game: Game) -> str:
    """Return a Markdown table of the setup fields."""
    rows = [
        (f"`{option.name}`", f"`{option.default!r}`", option.allowed().replace("'", "`"), option.doc)
        for option in game.options
    ]
    return _table(("field", "default", "takes", "what it means"), rows)


def size_table() -> str:
    """Return a Markdown table of the games' seats, payoffs, observation sizes and action counts."""
    head = ("game", "seats", "payoffs", "numbers in an observation", "actions")
    rows = []
    for name in envs.games():
        game = envs.load(name)
        paid = "all alike" if game.cooperative else "sum to zero" + ", two roles" * bool(game.roles)
        seats = _span(game.seat_range[0], len(game.seat_range))
        rows.append((f"`{name}`", seats, paid, f"{game.layout.size:,}", str(game.num_actions)))
    return _table(head, rows)


def config_table() -> str:
    """Return a Markdown table of the shipped configurations, each with the first sentence of its file."""
    rows = []
    for name in configs.names():
        text = configs.path(name).read_text(encoding="utf-8")
        lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
        first, _, _ = " ".join(line.lstrip("# ") for line in lines).partition(". ")
        link = (Path("..") / configs.path(name).relative_to(ROOT)).as_posix()
        rows.append((f"[`{name}`]({link})", first.removesuffix(".")))
    return _table(("configuration", "what it trains"), rows)


def exact_table() -> str:
    """Return a Markdown table of the exploitability of the agents of the reference games; stale rows are marked."""
    head, *rows = exactness.table(exactness.records())
    return _table(head, [_marked(f"exact {row[0]}, {row[1].strip('`')}", row) for row in rows])


@cache
def _stale() -> dict[str, list[str]]:
    return stale_of_library()


def _marked(name: str, row: Sequence[str]) -> list[str]:
    """Return `row` with the changes since `name` was made in its first cell."""
    return [f"{row[0]} ({'; '.join(_stale()[name])})", *row[1:]] if name in _stale() else list(row)


def search_table() -> str:
    """Return a Markdown table of the gain of each search at each kind of table."""
    found = results.read(RESULTS / "search_gains.json")
    gains: dict[tuple[str, str], dict[str, str]] = {}
    for name in envs.games():
        for row in found[name].whole(name):
            place, agent, gain = str(row.cells[0]), str(row.cells[1]), results.text_of(row.cells[5], "+.3f")
            gains.setdefault((f"`{name}`", place), {})[agent] = gain + EARLIER * bool(results.stale(row))
    names = sorted({agent for one in gains.values() for agent in one})
    head = ("game", "seats", *(f"{name} adds" for name in names))
    return _table(head, [(*key, *(one.get(name, "") for name in names)) for key, one in gains.items()])


def benchmark_table() -> str:
    """Return Markdown tables of the benchmark's results, one for each budget; tasks of other rules are marked."""
    return "\n".join(
        _table(head, [_marked(f"benchmark task {row[0].strip('`')}", row) for row in rows])
        for head, rows in by_budget(benchmark.records())
    )


def by_budget(made: Sequence[Record]) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield head and rows for each budget, the largest first; agents that do not learn are in each."""
    for budget in sorted({record.cell.budget for record in made} - {0}, reverse=True):
        head, *rows = benchmark.table(comparison.compare([one for one in made if one.cell.budget in (0, budget)]))
        yield head, rows


GAME: dict[str, Callable[[Game], str]] = {"layout": layout_table, "actions": action_table, "options": option_table}
LIBRARY: dict[str, Callable[[], str]] = {
    "sizes": size_table, "configs": config_table, "exact": exact_table, "search": search_table,
    "benchmark": benchmark_table,
}  # fmt: skip


def tables_of(game: Game) -> dict[str, Callable[[], str]]:
    """Return the functions that make the tables of `game`, by their marks."""
    found: dict[str, Callable[[], str]] = {name: partial(table, game) for name, table in GAME.items()}
    package = f"sobremesa.envs.{game.name}"
    if find_spec(package) is not None and find_spec(f"{package}.readme") is not None:
        own = import_module(f"{package}.readme").TABLES
        found |= {name: partial(_table, *rows) for name, rows in own.items()}
    if (ladder := leaderboard_file.frozen(game, ())) is not None:
        found["ladder"] = partial(ladder_table, ladder)
    return found


def ladder_table(ladder: Leaderboard) -> str:
    """Return a Markdown table of the rungs: points, or for teams success, and the lead over the next agent."""
    form = ".0f" if ladder.anchors else ".3f"
    rows = []
    for one in ladder.rungs:
        value = f"{one.value:{form}}" + ("" if one.agent in ladder.anchors else f" ({_ends(one.low, one.high, form)})")
        ahead = "" if one.ahead is None else f"{one.ahead[0]:+{form}} ({_ends(*one.ahead[1:], f'+{form}')})"
        rows.append((f"`{one.agent}`", value, ahead, f"{one.deals:,}"))
    head = ("agent", "points" if ladder.anchors else "success", "ahead of the next", "deals a match")
    return _table(head, rows)


def _ends(low: float, high: float, form: str) -> str:
    return interval(low, high, form, "en")


def all_tables() -> dict[str, Callable[[], str]]:
    """Return the functions that make every table, by mark; a game's are `mark:game`."""
    games = {f"{mark}:{name}": make for name in envs.all_games() for mark, make in tables_of(envs.load(name)).items()}
    return LIBRARY | games | measured_tables()


def measured_tables(folder: Path = RESULTS) -> dict[str, Callable[[], str]]:
    """Return the functions that make the tables of published results, by mark."""

    def made(name: str, table: results.Table) -> str:
        (head, *rows), note = results.shown(table, name)
        return _table(head, rows) + f"\n{note}\n" * bool(note)

    return {f"results:{name}": partial(made, name, table) for name, table in results.every(folder)}


def marks(page: Path, text: str) -> dict[str, str]:
    """Return the marks in `text` and the table that each encloses, for example `layout` and `layout:estafado`."""
    game = page.parent.name if page.parent.name in envs.all_games() and page.parent.parent.name == "envs" else ""
    found = re.findall(r"^<!-- /([\w:/-]+) -->", text, re.MULTILINE)
    return {mark: f"{mark}:{game}" if game and ":" not in mark else mark for mark in found}


def fresh(text: str, tables: dict[str, Callable[[], str]], where: str) -> str:
    """Return `text` with each of `tables` between its marks.

    Raises:
        ValueError: the marks of a table do not occur exactly once; the message names `where`.
    """
    for mark, make in tables.items():
        start, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
        if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
            raise ValueError(f"{where} must hold {start.strip()} and {end}, once each")
        text = text.split(start)[0] + start + make() + end + text.split(end)[1]
    return text


def fresh_page(page: Path) -> str:
    """Return the text of `page` with fresh tables; raise ValueError for an unknown mark or one without its twin."""
    text, known = page.read_text(encoding="utf-8"), all_tables()
    found = marks(page, text)
    if unknown := sorted(found.keys() - {mark for mark, table in found.items() if table in known}):
        raise ValueError(f"{page} has the mark {unknown[0]}; tables are {', '.join(sorted(known))}")
    return fresh(text, {mark: known[table] for mark, table in found.items()}, str(page))


def picture(game: Game, language: str) -> str:
    """Return an SVG of the open table a quarter into a deal between the best scripted agents."""
    best = agents.load(agents.scripted_names(game)[-1], game)
    plies = list(deal_between(game, [best] * game.max_seats, seed=1))
    return game.words.scene(plies[len(plies) // 4].states, None, language)


def _span(start: int, count: int) -> str:
    return f"{start} to {start + count - 1}" if count > 1 else str(start)


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(cells) + " |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def _written() -> Iterator[Path]:
    results.write(BOARD, submissions.board(SUBMISSIONS))
    yield BOARD
    for page in documents():
        if "<!-- /" in page.read_text(encoding="utf-8"):
            page.write_text(fresh_page(page), encoding="utf-8")
            yield page
    for game in map(envs.load, envs.all_games()):
        for language in LANGUAGES:
            board = show.board(game, language)
            board.write_text(picture(game, language), encoding="utf-8")
            yield board


def main() -> None:
    """Write every generated table and picture, and print the paths."""
    for path in _written():
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
