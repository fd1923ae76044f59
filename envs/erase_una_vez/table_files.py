"""The tables in `data/`: the cards of *Érase una vez* and the things of a tale, read cell by cell and checked.

All tables are CSV files to be read and edited by people; lists within a field are parted by spaces, by `;` where their
members are phrases. A table that does not fit together raises ValueError, with its file, the row (the first one has
the names of the columns), and the id that is there.
"""

import csv
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from sobremesa.envs.core.files import read_inside, text_of
from sobremesa.envs.core.picture.words import key

DATA = Path(__file__).parent / "data"
LARGEST = 2**20  # bytes of a table

GROUPS = "POLAE"  # Personajes, Objetos, Lugares, Aspectos, Acontecimientos
# What a thing needs in the tale before it can be told of (C4.1).
NEED_NAMES = ("", "per", "per2", "obj", "alg", "ani", "apuro")
# Themes: things that share one are tied (C4.2).
TAGS = (
    "agua", "amor", "animal", "comida", "cuerpo", "encierro", "familia", "fe", "hogar", "magia", "mente", "naturaleza",
    "noche", "peligro", "pobreza", "realeza", "riqueza", "secreto", "tiempo", "viaje", "violencia",
)  # fmt: skip
LINK_WEIGHT = 0.3  # from here on a relation ties two things together (C4.2)
MOST_WORDS = 5  # elements that telling of one thing may mean, itself included
MOST_CLAUSES, MOST_THINGS = 2, 4  # of an ending; things in a clause
COLUMNS = {
    "elements": ("id", "name", "english", "group", "interruption", "tags", "words", "needs", "sets", "clears"),
    "concepts": ("id", "name", "english", "group", "tags"),
    "facts": ("id", "spanish", "english"),
    "relations": ("said", "meant", "weight", "if"),
    "endings": ("id", "spanish", "english", "clauses", "blockers"),
}
COUNTS = {"elements": 105, "concepts": 32, "endings": 56}  # rows (C1.1 to C1.3)
COUNT_INTERRUPTIONS = 21  # of the elements (C1.1)
IDS = {"elements": rf"[{GROUPS}]\d\d", "concepts": r"C\d\d", "endings": r"F\d\d", "facts": r"[^\W\d_]+"}


@dataclass(frozen=True)
class Thing:
    """A subject of sentences: an element of a story card, or a concept that is on no card."""

    id: str
    name: str  # in Spanish, as the card has it
    english: str
    group: int  # PERSON..EVENT
    interruption: bool
    tags: tuple[str, ...]
    words: tuple[str, ...]  # other words for it, in Spanish
    needs: str  # one of NEED_NAMES
    sets: tuple[str, ...]  # facts that hold once it is told
    clears: tuple[str, ...]  # facts that then hold no more


@dataclass(frozen=True)
class Ending:
    """A card Final feliz: every clause must be met, each by any one of its facts and things, and no blocker hold."""

    id: str
    spanish: str
    english: str
    clauses: tuple[tuple[str, ...], ...]
    blockers: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """A fact that can be true in a tale."""

    id: str
    spanish: str
    english: str


class Relation(NamedTuple):
    """Telling of the thing `said` means the element `meant`, as much as `weight` says, where `fact` is true."""

    said: str
    meant: str
    weight: float
    fact: str  # "": always


@dataclass(frozen=True)
class Tables:
    """All tables but those of the words of a tale; elements come first among the things."""

    things: tuple[Thing, ...]
    endings: tuple[Ending, ...]
    facts: tuple[Fact, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class Row:
    """A row of a table, with its position for errors."""

    table: str
    number: int  # of the row, the names of the columns being row 1
    cells: dict[str, str]

    def wrong(self, reason: str) -> ValueError:
        """Return the error that names this row, to be raised."""
        return ValueError(f"{_at(self.table, self.number, next(iter(self.cells.values())))}: {reason}")

    def text(self, column: str) -> str:
        """Return a cell that must not be empty."""
        cell = self.cells[column]
        if not cell or cell != cell.strip():
            raise self.wrong(f"{column} is {cell!r}: empty, or with a space at its edge")
        return cell

    def one_of(self, column: str, allowed: Collection[str]) -> str:
        """Return a cell that must have one of `allowed`."""
        cell = self.cells[column]
        if cell not in allowed:
            raise self.wrong(f"{column} is {cell!r}, none of {', '.join(map(repr, allowed))}")
        return cell

    def id(self) -> str:
        """Return the id, formed as those of this table are."""
        cell = self.cells["id"]
        if not re.fullmatch(IDS[self.table], cell):
            raise self.wrong(f"id is {cell!r}, not formed as {IDS[self.table]}")
        return cell

    def listed(self, column: str, sign: str = " ", among: Collection[str] | None = None) -> tuple[str, ...]:
        """Return the members of a list in a cell, if given all of them `among` these; an empty cell has none."""
        return self._members(column, self.cells[column], sign, among)

    def clauses(self, column: str) -> tuple[tuple[str, ...], ...]:
        """Return the lists, parted by `|`, of a list parted by `&`."""
        return tuple(self._members(column, clause, "|", None) for clause in self.listed(column, "&"))

    def _members(self, column: str, text: str, sign: str, among: Collection[str] | None) -> tuple[str, ...]:
        found = tuple(part.strip() for part in text.split(sign)) if text.strip() else ()
        if not all(found) or len(set(found)) < len(found):
            raise self.wrong(f"{column} lists {text!r}, with nothing between two signs or something twice")
        if among is not None and not set(found) <= set(among):
            raise self.wrong(f"{column} has {sorted(set(found) - set(among))}, none of {', '.join(among)}")
        return found

    def weight(self, column: str) -> float:
        """Return a number of hundredths from 0.01 to 1."""
        try:
            weight = Decimal(self.cells[column])
        except InvalidOperation:
            raise self.wrong(f"{column} is {self.cells[column]!r}, no number") from None
        if not weight.is_finite() or not 1 <= 100 * weight <= 100 or 100 * weight % 1:
            raise self.wrong(f"{column} is {weight}, no whole number of hundredths from 0.01 to 1")
        return float(weight)


def _at(table: str, number: int, id: str) -> str:
    return f"{table}.csv, row {number}, {id or 'without id'}"


def rows(table: str, folder: Path = DATA) -> list[dict[str, str]]:
    """Return the rows of a table, by column; each has a cell for each column."""
    return [row.cells for row in _rows(table, folder)]


def _rows(table: str, folder: Path) -> list[Row]:
    text = text_of(read_inside(folder, f"{table}.csv", LARGEST))
    head, *lines = list(csv.reader(io.StringIO(text, newline=""))) or [[]]
    if tuple(head) != COLUMNS.get(table, tuple(head)):
        raise ValueError(f"{_at(table, 1, 'names of the columns')}: {','.join(head)}, not {','.join(COLUMNS[table])}")
    for number, line in enumerate(lines, 2):
        if len(line) != len(head):
            raise ValueError(f"{_at(table, number, ''.join(line[:1]))}: {len(line)} cells, not {len(head)}")
    return [Row(table, number, dict(zip(head, line, strict=True))) for number, line in enumerate(lines, 2)]


def read(folder: Path = DATA) -> Tables:
    """Return the tables in `folder`; raise ValueError with the place if they are inconsistent."""
    things = (*map(_element, _rows("elements", folder)), *map(_concept, _rows("concepts", folder)))
    endings = tuple(
        Ending(row.id(), row.text("spanish"), row.text("english"), row.clauses("clauses"), row.listed("blockers"))
        for row in _rows("endings", folder)
    )
    facts = tuple(Fact(row.id(), row.text("spanish"), row.text("english")) for row in _rows("facts", folder))
    relations = tuple(
        Relation(row.text("said"), row.text("meant"), row.weight("weight"), row.cells["if"])
        for row in _rows("relations", folder)
    )
    found = Tables(things, endings, facts, relations)
    check(found)
    return found


def _element(row: Row) -> Thing:
    group = row.one_of("group", tuple(GROUPS))
    if group != row.id()[0]:
        raise row.wrong(f"group is {group!r}, which is not the letter of the id")
    return Thing(
        row.id(), row.text("name"), row.text("english"), GROUPS.index(group),
        row.one_of("interruption", ("0", "1")) == "1", row.listed("tags", among=TAGS), row.listed("words", ";"),
        row.one_of("needs", NEED_NAMES), row.listed("sets"), row.listed("clears"),
    )  # fmt: skip


def _concept(row: Row) -> Thing:
    group = GROUPS.index(row.one_of("group", tuple(GROUPS)))
    tags = row.listed("tags", among=TAGS)
    return Thing(row.id(), row.text("name"), row.text("english"), group, False, tags, (), "", (), ())


# What must hold between rows.


def check(tables: Tables) -> None:
    """Raise ValueError with the row if the tables are inconsistent."""
    elements = [thing for thing in tables.things if thing.id[0] in GROUPS]
    concepts = [thing for thing in tables.things if thing.id[0] not in GROUPS]
    for table, found in (("elements", elements), ("concepts", concepts), ("endings", tables.endings)):
        if len(found) != COUNTS[table]:
            raise ValueError(f"{table}.csv has {len(found)} rows, not {COUNTS[table]}")
    if (breaking := sum(thing.interruption for thing in elements)) != COUNT_INTERRUPTIONS:
        raise ValueError(f"elements.csv has {breaking} interruptions, not {COUNT_INTERRUPTIONS}")
    _check_once(tables)
    facts = {fact.id for fact in tables.facts}
    for number, thing in enumerate(tables.things):
        unknown = {*thing.sets, *thing.clears} - facts
        if unknown or thing.needs not in NEED_NAMES:
            raise ValueError(
                f"{_thing_at(tables, number)}: it speaks of {sorted(unknown) or thing.needs}, which is nowhere"
            )
    _check_relations(tables)
    for number, ending in enumerate(tables.endings):
        if reason := _flaw(ending, tables.things, facts):
            raise ValueError(f"{_at('endings', number + 2, ending.id)}: {reason}")
    for number, thing in enumerate(tables.things):
        if not _is_reached(thing, tables):
            raise ValueError(f"{_thing_at(tables, number)}: nothing leads to it")


def _thing_at(tables: Tables, number: int) -> str:
    """Return the table, row and name of a thing."""
    thing, within = tables.things[number], number - COUNTS["elements"]
    table, row = ("elements", number) if within < 0 else ("concepts", within)
    return f"{_at(table, row + 2, thing.id)} {thing.name}"


def _check_once(tables: Tables) -> None:
    """Raise ValueError where an id, a name or a sentence is in twice."""
    things = [_thing_at(tables, number) for number in range(len(tables.things))]
    endings = [_at("endings", number, ending.id) for number, ending in enumerate(tables.endings, 2)]
    facts = [_at("facts", number, fact.id) for number, fact in enumerate(tables.facts, 2)]
    relations = [
        _at("relations", number, f"{row.said} to {row.meant}") for number, row in enumerate(tables.relations, 2)
    ]
    for column in ("id", "name", "english"):
        _once(column, [_plain(getattr(thing, column)) for thing in tables.things], things)
    for column in ("id", "spanish", "english"):
        _once(column, [_plain(getattr(ending, column)) for ending in tables.endings], endings)
        _once(column, [_plain(getattr(fact, column)) for fact in tables.facts], facts)
    _once("relation", [f"{row.said} {row.meant}" for row in tables.relations], relations)


def _plain(text: str) -> str:
    """Return the key under which a typed text is found."""
    return " ".join(key(word) for word in text.split())


def _once(column: str, found: Sequence[str], places: Sequence[str]) -> None:
    for number, one in enumerate(found):
        if (first := found.index(one)) < number:
            raise ValueError(f"{places[number]}: {column} is in twice, first in {places[first]}")


def _check_relations(tables: Tables) -> None:
    """Raise ValueError unless each relation leads from a thing to the element of another, and none has too many."""
    ids = {thing.id for thing in tables.things}
    count = {thing.id: int(thing.id[0] in GROUPS) for thing in tables.things}  # an element means itself
    for number, (said, meant, _, fact) in enumerate(tables.relations, 2):
        where = _at("relations", number, f"{said} to {meant}")
        if said not in ids or meant not in ids or meant[0] not in GROUPS or said == meant:
            raise ValueError(f"{where}: it must lead from a thing to the element of another one")
        if fact and fact not in {one.id for one in tables.facts}:
            raise ValueError(f"{where}: it depends on {fact!r}, which is no fact")
        count[said] += 1
        if count[said] > MOST_WORDS:
            raise ValueError(f"{where}: {said} means more than {MOST_WORDS} elements")


def _flaw(ending: Ending, things: Sequence[Thing], facts: Collection[str]) -> str:
    """Return the reason why no tale can meet an ending; "" if one can."""
    ids = {thing.id for thing in things}
    named = {one for clause in ending.clauses for one in clause}
    unknown = (named - ids - set(facts)) | (set(ending.blockers) - set(facts))
    if not ending.clauses or unknown:
        return f"it asks for {sorted(unknown)}, or for nothing"
    if len(ending.clauses) > MOST_CLAUSES or max(len(set(clause) & ids) for clause in ending.clauses) > MOST_THINGS:
        return "it asks for too much at once"
    undone = {fact for thing in things for fact in thing.clears}
    for clause in ending.clauses:
        ways = [thing for thing in things if thing.id in clause or set(thing.sets) & set(clause)]
        if not any(set(way.sets) & set(ending.blockers) <= undone for way in ways):
            return f"no tale meets it: nothing gives {' or '.join(clause)}"
    return ""


def _is_reached(thing: Thing, tables: Tables) -> bool:
    """Return whether another thing of the tale can lead to a thing."""
    if any(other.id != thing.id and set(other.tags) & set(thing.tags) for other in tables.things):
        return True
    return any(thing.id in (row.said, row.meant) and row.weight >= LINK_WEIGHT for row in tables.relations)
