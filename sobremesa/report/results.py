"""Published results: the tables of docs/results, with a record of how each row was measured.

`PAGE.json` has the tables of `PAGE.md` by name: the head, the form of each column, the rows, and in `shared` the fields
that all rows have. Rows are called `PAGE/TABLE/NUMBER`, counted from 1. `make fresh` writes the tables into the page.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from sobremesa import agents, envs
from sobremesa.agents.arena.results import ROUNDING
from sobremesa.agents.arena.shutouts import RARE
from sobremesa.agents.exported import Bot
from sobremesa.agents.named import is_search
from sobremesa.agents.search.improve import Improve
from sobremesa.agents.search.ismcts import Ismcts
from sobremesa.agents.stored import structured
from sobremesa.envs.core.agent import Agent, CompiledAgent
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.files import write_whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.report.ladder_words import interval

FOLDER = Path("docs/results")
DEALS = 2  # of the digest of a scripted agent
RATES = (",.3f", ".3f")  # forms of columns of win rates
LOWEST, HIGHEST = RARE / 6, 0.9995  # win rates beyond which a table has to explain them
Interval = Annotated[list[float | None], msgspec.Meta(min_length=3, max_length=3)]  # a number and the ends around it
Cell = str | int | float | Interval


class ResultsError(ValueError):
    """A file of results that cannot be read, or a row that does not exist or cannot be measured again."""


class Row(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One row of a table; an empty field is not known, or does not apply."""

    cells: list[Cell]  # one a column
    games: dict[str, str] = {}  # digest of rules and observation then (`rules_hash`), by the id of the game
    agents: dict[str, str] = {}  # digest (`digest_of`) by name, of the first game
    setup: dict[str, Any] = {}
    seeds: list[int] = []
    deals: int = 0  # of a figure, each in all seatings
    command: str = ""
    commit: str = ""
    versions: dict[str, str] = {}
    machine: str = ""  # processor, cores and load; card and driver
    covers: str = ""  # what the intervals cover
    read: dict[str, str] = {}  # place of a column's figure in the JSON of the command (`found_at`), by its head
    tolerance: float = 0.0  # by which a figure may differ when it is measured again


class Table(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One table of a page."""

    head: list[str]
    forms: list[str] = []  # of the columns: a format and a unit, such as ".0f %"; "" for texts
    shared: dict[str, Any] = {}
    rows: list[dict[str, Any]]
    explained: str = ""  # a sentence below the table: why its win rates near 0 or 1 are right

    def whole(self, where: str) -> list[Row]:
        """Return the rows with the shared fields; raise ResultsError for a row that does not fit."""
        found = [structured(self.shared | row, Row, f"{where}/{n}", ResultsError) for n, row in enumerate(self.rows, 1)]
        for number, row in enumerate(found, 1):
            sizes = {len(row.cells), len(self.forms or self.head)}
            if sizes != {len(self.head)} or not row.read.keys() <= set(self.head):
                takes = f"{len(self.head)} cells and forms, and `read` takes heads of columns"
                raise ResultsError(f"{where}/{number}: it takes {takes}")
        return found


def read(file: Path) -> dict[str, Table]:
    """Return the tables in `file` by name; raise ResultsError if it cannot be read."""
    try:
        return structured(msgspec.json.decode(file.read_bytes()), dict[str, Table], file, ResultsError)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise ResultsError(f"{file}: no file of results: {error}") from None


def write(file: Path, tables: Mapping[str, Table]) -> None:
    """Write `tables` into `file`, a line a row."""
    parts = []
    for name, table in tables.items():
        fields = {key: value for key, value in msgspec.structs.asdict(table).items() if value and key != "rows"}
        lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in fields.items()]
        rows = ",\n".join(f"   {json.dumps(row, ensure_ascii=False)}" for row in table.rows)
        parts.append("\n".join([f" {json.dumps(name)}: {{", *lines, f'  "rows": [\n{rows}\n  ]\n }}']))
    write_whole(file, "{\n" + ",\n".join(parts) + "\n}\n")


def every(folder: Path = FOLDER) -> Iterator[tuple[str, Table]]:
    """Yield the name `PAGE/TABLE` of each table in `folder`, and the table; raise ResultsError if there is none."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise ResultsError(f"{folder} has no files of results; give the folder docs/results of a clone with --folder")
    for file in files:
        for name, table in read(file).items():
            yield f"{file.stem}/{name}", table


@cache
def digest_of(agent: str, game: Game) -> str:
    """Return eight hex digits that change with the play of an agent; "" if they are not known or it is gone.

    They are a digest of the graph and the choice of a bot; of the actions of a scripted agent in fixed deals, so that
    they stay the same where only its text changes; of the settings and the agents of a search.
    """
    try:
        found = agents.load(agent, game)
    except ValueError:
        return ""
    return _digest(found, game)


def _digest(agent: Agent, game: Game) -> str:
    if isinstance(agent, Bot):
        content = f"{agent.manifest['sha256']} {agent.choice}"
    elif isinstance(agent, (Improve, Ismcts)):
        content = f"{_digest(agent.base, game)} {_digest(agent.rollout, game)} {agent.content}"
    elif isinstance(agent, CompiledAgent):
        deals = [deal_between(game, [agent] * game.max_seats, seed) for seed in range(DEALS)]
        content = repr([ply.action for deal in deals for ply in deal])
    else:
        return ""
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def stale(row: Row) -> list[str]:
    """Return in words the changes since `row` was measured: of the version or the rules of a game, or of an agent."""
    found = {name: why for name, digest in row.games.items() if (why := other_rules(name, digest))}
    if len(set(found.values())) == 1 and len(found) == len(row.games):
        return [*found.values()][:1]
    if found or not row.games:
        return [f"{why} of {name.rpartition('-v')[0]}" for name, why in found.items()]
    game = envs.load(next(iter(row.games)).rpartition("-v")[0])
    changed = [one for one, digest in row.agents.items() if digest and digest_of(one, game) != digest]
    return ["measured with an earlier " + ("search" if is_search(one) else f"`{one}`") for one in changed]


def other_rules(name: str, digest: str) -> str:
    """Return in words how the rules or the observation of the game `name` differ from those of `digest`."""
    game_name, _, version = name.rpartition("-v")
    if not envs.is_game(game_name):
        return "measured with a game that is gone"
    game = envs.load(game_name)
    if game.id != name:
        return f"measured with version {version}"
    return "" if rules_hash(game) == digest else "measured with other rules"


def odd(table: Table, where: str) -> list[str]:
    """Return a sentence for each win rate near 0 or 1 without `random`, unless the table explains them."""
    found = []
    for number, row in enumerate(table.whole(where) if table.forms and not table.explained else (), 1):
        for column, form, cell in zip(table.head, table.forms, row.cells, strict=True):
            value = cell[0] if isinstance(cell, list) else cell
            named = f"{column} {' '.join(one for one in row.cells if isinstance(one, str))}"
            rate = form in RATES and row.games and "random" not in named
            if rate and isinstance(value, (int, float)) and (0 <= value < LOWEST or value > HIGHEST):
                found.append(f"{where}/{number}, {column}: {value:.3f}")
    return found


def shown(table: Table, where: str) -> tuple[list[list[str]], str]:
    """Return head and cells of `table` as text, and a note: its explanation, and whether all rows are stale.

    Where only some rows are stale, or for several reasons, their first cells state the changes.
    """
    found = table.whole(where)
    forms = table.forms or [""] * len(table.head)
    lines = [[text_of(cell, form) for cell, form in zip(row.cells, forms, strict=True)] for row in found]
    reasons = ["; ".join(stale(row)) for row in found]
    if len(set(reasons)) == 1 and reasons[0]:
        return [table.head, *lines], f"{table.explained} All rows: {reasons[0]}.".strip()
    for texts, reason in zip(lines, reasons, strict=True):
        if reason:
            texts[next((place for place, text in enumerate(texts) if text), 0)] += f" ({reason})"
    return [table.head, *lines], table.explained


def text_of(cell: Cell, form: str) -> str:
    """Return a cell as it is shown in a column of the form `form`."""
    if isinstance(cell, str):
        return cell
    spec, _, unit = form.partition(" ")
    value, *ends = cell if isinstance(cell, list) else [cell]
    text = format(value, spec) + f" {unit}" * bool(unit)
    if ends:
        low, high = (float(sign) if end is None else end for end, sign in zip(ends, ("-inf", "inf"), strict=True))
        text += f" ({interval(low, high, spec, 'en')})"
    return text.replace("-", "−")


def found_at(figures: Any, place: str) -> Any:
    """Return the part of `figures`, parsed JSON, at `place`, for example `scores[seats=2,role=Fox].lead`.

    In brackets is the number of an element, or fields that only this element has. Raises ResultsError if it is missing.
    """
    found = figures
    for name, chosen in re.findall(r"(\w+)(?:\[([^]]*)\])?", place):
        try:
            found = found[name]
            if chosen.isdecimal():
                found = found[int(chosen)]
            elif chosen:
                wanted = [one.split("=", 1) for one in re.split(r",(?=\w+=)", chosen)]
                (found,) = [one for one in found if all(str(one[key]) == value for key, value in wanted)]
        except (KeyError, IndexError, TypeError, ValueError):
            raise ResultsError(f"the result of the command has no {place}") from None
    return found


def compared(row: Row, head: list[str], figures: Any) -> Iterator[tuple[str, float, float, bool]]:
    """Yield for each column of `read` its head, the figure of `row`, the one in `figures`, and whether it fits."""
    for column, place in row.read.items():
        cell = row.cells[head.index(column)]
        was, now = (cell[0] if isinstance(cell, list) else cell), found_at(figures, place)
        if not isinstance(was, (int, float)) or not isinstance(now, (int, float)):
            raise ResultsError(f"{column}: {was!r} and {now!r} are not two numbers")
        yield column, was, now, abs(now - was) <= row.tolerance + ROUNDING
