"""What is generated in READMEs, of rooms and others, and pictures of rooms; `python -m sobremesa.fresh` writes it anew.

A table stands between two marks, `<!-- layout -->` and `<!-- /layout -->`, and so for `actions` and `options`, and for
`search` where thinking ahead was measured. A room may have more, in its `readme.py`: `TABLES`, by their marks, each a
head and rows of words.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from sobremesa import agents, configs, envs, house
from sobremesa.agents.search import published
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import LANGUAGES, Game
from sobremesa.report import show
from sobremesa.training.benchmark import comparison, exactness
from sobremesa.training.benchmark import published as results
from sobremesa.training.benchmark.cells import Record


def layout_table(game: Game) -> str:
    """Return a Markdown table of the blocks of the observation."""
    rows = [
        (f"`{block.name}`", _span(game.layout.start(block.name), block.size), _shape(block.shape),
         f"{block.low:g} to {block.high:g}", block.doc)
        for block in game.layout
    ]  # fmt: skip
    total = ("", f"{game.layout.size} numbers", "", "", "")
    return _table(("block", "numbers", "shape", "range", "what it holds"), [*rows, total])


def action_table(game: Game) -> str:
    """Return a Markdown table of the actions: runs of neighbours whose names begin with the same word."""
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
    """Return a Markdown table of what the games are to a learner: who plays for what, and how large views are."""
    head = ("game", "seats", "payoffs", "numbers in an observation", "actions")
    rows = []
    for name in envs.games():
        game = envs.load(name)
        paid = "all alike" if game.cooperative else "sum to zero" + ", two roles" * bool(game.roles)
        seats = _span(game.seat_range[0], len(game.seat_range))
        rows.append((f"`{name}`", seats, paid, f"{game.layout.size:,}", str(game.num_actions)))
    return _table(head, rows)


def config_table() -> str:
    """Return a Markdown table of the configurations that come with the library: the sentence that each begins with."""
    rows = []
    for name in configs.names():
        text = configs.path(name).read_text(encoding="utf-8")
        lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
        said, _, _ = " ".join(line.lstrip("# ") for line in lines).partition(". ")
        rows.append((f"[`{name}`]({name}.toml)", said.removesuffix(".")))
    return _table(("configuration", "what it trains"), rows)


TABLES: dict[str, Callable[[Game], str]] = {"layout": layout_table, "actions": action_table, "options": option_table}


def tables_of(game: Game) -> dict[str, str]:
    """Return the tables of the README of `game`, in Markdown: those of every game, and those of its `readme.py`."""
    found = {name: table(game) for name, table in TABLES.items()}
    room = f"sobremesa.envs.{game.name}"
    if find_spec(room) is not None and find_spec(f"{room}.readme") is not None:
        found |= {name: _table(*rows) for name, rows in import_module(f"{room}.readme").TABLES.items()}
    if measured := published.rows(game.name):
        found["search"] = _table(published.HEAD, published.table(measured))
    return found


def fresh(game: Game, text: str) -> str:
    """Return `text`, a README, with each marked table as the game now has it; raise ValueError if a mark is missing."""
    for name, table in tables_of(game).items():
        text = house.between(text, name, table, f"{game.name}: its README")
    return text


def pages() -> dict[str, dict[str, str]]:
    """Return the tables of documents that are about no game, in Markdown by their marks, of each by its path."""
    head, *rows = exactness.table(exactness.records())
    found = {
        "README.md": {"sizes": size_table(), "house": house.import_map()},
        "docs/results/exact_exploitability.md": {"exact": _table(head, rows)},
        "configs/README.md": {"configs": config_table()},
    }
    if measured := published.rows():
        found["docs/results/search_gains.md"] = {"search": _table(*published.in_short(measured))}
    if made := results.records():
        tables = "\n".join(_table(*rows) for rows in _by_budget(made))
        found["training/benchmark/README.md"] = {"benchmark": tables}
    return found


def fresh_page(name: str, text: str) -> str:
    """Return `text`, the document at the path `name`, with its tables as they now are; ValueError as in `fresh`."""
    for mark, table in pages()[name].items():
        text = house.between(text, mark, table, name)
    return text


def _by_budget(made: Sequence[Record]) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield head and rows of the table of each budget, the largest first, in all of them who does not learn."""
    for budget in sorted({record.cell.budget for record in made} - {0}, reverse=True):
        head, *rows = results.table(comparison.compare([one for one in made if one.cell.budget in (0, budget)]))
        yield head, rows


def readme(game_name: str) -> Path:
    """Return the README of a room."""
    return Path(envs.__path__[0]) / game_name / "README.md"


def _span(start: int, count: int) -> str:
    return f"{start} to {start + count - 1}" if count > 1 else str(start)


def _shape(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(cells) + " |\n" for cells in (head, *rows)]
    return "".join([lines[0], "|---" * len(head) + "|\n", *lines[1:]])


def picture(game: Game, language: str) -> str:
    """Return an SVG of the open table in the middle of a deal between the best scripted agents."""
    best = agents.load(agents.scripted_names(game)[-1], game)
    plies = list(deal_between(game, [best] * game.max_seats, seed=1))
    return game.words.scene(plies[len(plies) // 4].states, None, language)


def main() -> None:
    """Write the tables and the picture of every room anew, and the tables of documents that are about no game."""
    for name in envs.all_games():
        path = readme(name)
        path.write_text(fresh(envs.load(name), path.read_text(encoding="utf-8")), encoding="utf-8")
        for language in LANGUAGES:
            show.board(name, language).write_text(picture(envs.load(name), language), encoding="utf-8")
        print(path)
    for page in pages():
        path = Path(envs.__path__[0]).parent / page
        path.write_text(fresh_page(page, path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
