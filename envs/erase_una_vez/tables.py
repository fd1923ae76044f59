"""The cards of *Érase una vez*, and what a tale can speak of: read from the tables in `data/`, checked, as arrays.

A *thing* is whatever a sentence can be about: the elements of the 105 story cards come first, then the 32 concepts that
are on no card (C1.1, C1.3). All tables are CSV files to be read and edited by people; lists within a field are parted
by spaces, by `;` where their members are phrases. A table that does not hold together raises ValueError on import.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sobremesa.envs.core.words import key

DATA = Path(__file__).parent / "data"

GROUPS = "POLAE"  # Personajes, Objetos, Lugares, Aspectos, Acontecimientos
PERSON, OBJECT, PLACE, ASPECT, EVENT = range(len(GROUPS))
# What a thing needs in the tale before it can be told of (C4.1).
ANYBODY = ("", "per", "per2", "obj", "alg", "ani", "apuro")
NEEDS_NOTHING, NEEDS_PERSON, NEEDS_TWO, NEEDS_OBJECT, NEEDS_ANYTHING, NEEDS_ANIMAL, NEEDS_TROUBLE = range(len(ANYBODY))
LINK_WEIGHT = 0.3  # from here on a relation ties two things together (C4.2)
MOST_WORDS = 5  # elements that telling of one thing may mean, itself included
MOST_CLAUSES, MOST_THINGS = 2, 4  # of an ending; things in a clause


@dataclass(frozen=True)
class Thing:
    """What a sentence can be about: an element of a story card, or a concept that is on no card."""

    id: str
    name: str  # in Spanish, as the card has it
    english: str
    group: int  # PERSON..EVENT
    interruption: bool
    tags: tuple[str, ...]
    words: tuple[str, ...]  # other words for it, in Spanish
    needs: str  # one of ANYBODY
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


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table in `data/`, by column."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _phrases(text: str, sign: str = ";") -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(sign) if part.strip())


def read_things() -> tuple[Thing, ...]:
    """Return the elements and the concepts."""
    blank = {"interruption": "0", "words": "", "needs": "", "sets": "", "clears": ""}
    return tuple(
        Thing(row["id"], row["name"], row["english"], GROUPS.index(row["group"]), row["interruption"] == "1",
              _phrases(row["tags"], " "), _phrases(row["words"]), row["needs"], _phrases(row["sets"], " "),
              _phrases(row["clears"], " "))
        for row in (*rows("elements"), *({**blank, **row} for row in rows("concepts")))
    )  # fmt: skip


def read_endings() -> tuple[Ending, ...]:
    """Return the endings."""
    return tuple(
        Ending(row["id"], row["spanish"], row["english"],
               tuple(_phrases(clause, "|") for clause in _phrases(row["clauses"], "&")),
               _phrases(row["blockers"], " "))
        for row in rows("endings")
    )  # fmt: skip


THINGS = read_things()
ENDINGS = read_endings()
FACTS = tuple(row["id"] for row in rows("facts"))
FACT_WORDS = {
    language: tuple(row[column] for row in rows("facts")) for language, column in (("es", "spanish"), ("en", "english"))
}
RELATIONS = tuple((row["said"], row["meant"], float(row["weight"]), row["if"]) for row in rows("relations"))

NUM_ELEMENTS = sum(thing.id[0] in GROUPS for thing in THINGS)
NUM_THINGS = len(THINGS)
NO_THING = NUM_THINGS
NUM_FACTS, NUM_ENDINGS = len(FACTS), len(ENDINGS)
NO_ENDING = NUM_ENDINGS
NUMBER = {thing.id: number for number, thing in enumerate(THINGS)}
INTERRUPTIONS = np.array([number for number, thing in enumerate(THINGS) if thing.interruption])
NUM_INTERRUPTIONS = len(INTERRUPTIONS)
TAGS = tuple(sorted({tag for thing in THINGS for tag in thing.tags}))


def fact_mask(facts: tuple[str, ...]) -> int:
    """Return `facts` as bits."""
    return sum(1 << FACTS.index(fact) for fact in facts)


def check(
    things: tuple[Thing, ...], endings: tuple[Ending, ...], relations: tuple[tuple[str, str, float, str], ...]
) -> None:
    """Raise ValueError, naming the row, where the tables do not hold together."""
    ids = [thing.id for thing in things]
    elements = {thing.id for thing in things if thing.id[0] in GROUPS}
    for names in (ids, [ending.id for ending in endings], [f"{row[0]} to {row[1]}" for row in relations]):
        if len(set(names)) < len(names):
            raise ValueError(f"in twice: {sorted({name for name in names if names.count(name) > 1})}")
    for thing in things:
        unknown = {*thing.sets, *thing.clears} - set(FACTS)
        if unknown or thing.needs not in ANYBODY:
            raise ValueError(f"{thing.id} {thing.name} speaks of {sorted(unknown) or thing.needs}, which is nowhere")
    for said, meant, weight, fact in relations:
        if said not in ids or meant not in elements or said == meant or fact not in ("", *FACTS):
            raise ValueError(f"the relation from {said} to {meant} names what is not there")
        if not 0.01 <= weight <= 1:
            raise ValueError(f"the relation from {said} to {meant} weighs {weight}, not 0.01 to 1")
    for ending in endings:
        _check_ending(ending, things)
    for number, thing in enumerate(things):
        _check_reach(number, thing, things, relations)


def _check_ending(ending: Ending, things: tuple[Thing, ...]) -> None:
    """Raise ValueError unless some tale meets an ending."""
    ids = {thing.id for thing in things}
    named = {one for clause in ending.clauses for one in clause} | set(ending.blockers)
    if not ending.clauses or named - ids - set(FACTS) or not set(ending.blockers) <= set(FACTS):
        raise ValueError(f"{ending.id} asks for {sorted(named - ids - set(FACTS))}, or for nothing")
    if len(ending.clauses) > MOST_CLAUSES or max(len(set(clause) & ids) for clause in ending.clauses) > MOST_THINGS:
        raise ValueError(f"{ending.id} asks for too much at once")
    undone = {fact for thing in things for fact in thing.clears}
    for clause in ending.clauses:
        ways = [thing for thing in things if thing.id in clause or set(thing.sets) & set(clause)]
        if not any(set(way.sets) & set(ending.blockers) <= undone for way in ways):
            raise ValueError(f"no tale meets {ending.id}: nothing gives {' or '.join(clause)}")


def _check_reach(
    number: int, thing: Thing, things: tuple[Thing, ...], relations: tuple[tuple[str, str, float, str], ...]
) -> None:
    """Raise ValueError unless something else in the tale can lead to a thing."""
    tied = {
        pair for said, meant, weight, _ in relations if weight >= LINK_WEIGHT for pair in ((said, meant), (meant, said))
    }
    for other in things:
        if other.id != thing.id and (set(other.tags) & set(thing.tags) or (other.id, thing.id) in tied):
            return
    raise ValueError(f"nothing leads to {thing.id} {thing.name}, number {number}")


check(THINGS, ENDINGS, RELATIONS)


def _meanings() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the elements that telling of each thing means, their weights in hundredths, and the facts they depend on.

    Each `(NUM_THINGS, MOST_WORDS)`; an element means itself first, NO_THING fills the rest.
    """
    meant = np.full((NUM_THINGS, MOST_WORDS), NO_THING, np.int16)
    weights = np.zeros((NUM_THINGS, MOST_WORDS), np.int8)
    facts = np.zeros((NUM_THINGS, MOST_WORDS), np.int64)
    meant[:NUM_ELEMENTS, 0] = range(NUM_ELEMENTS)
    weights[:NUM_ELEMENTS, 0] = 100
    for said, element, weight, fact in RELATIONS:
        row = NUMBER[said]
        free = int((meant[row] != NO_THING).sum())
        if free == MOST_WORDS:
            raise ValueError(f"{said} means more than {MOST_WORDS} elements")
        meant[row, free], weights[row, free] = NUMBER[element], round(weight * 100)
        facts[row, free] = fact_mask((fact,)) if fact else 0
    return meant, weights, facts


def _links() -> np.ndarray:
    """Return which things are tied to which: by a tag, by a relation in either direction, or as the same (C4.2)."""
    tags = np.array([[tag in thing.tags for tag in TAGS] for thing in THINGS], np.int64)
    tied = (tags @ tags.T > 0) | np.eye(NUM_THINGS, dtype=bool)
    for said, meant, weight, _ in RELATIONS:
        if weight >= LINK_WEIGHT:
            tied[NUMBER[said], NUMBER[meant]] = tied[NUMBER[meant], NUMBER[said]] = True
    return tied.astype(np.uint8)


def _clauses() -> tuple[np.ndarray, np.ndarray]:
    """Return of each clause its facts `(56, MOST_CLAUSES)`, as bits, and things `(56, MOST_CLAUSES, MOST_THINGS)`."""
    facts = np.zeros((NUM_ENDINGS, MOST_CLAUSES), np.int64)
    things = np.full((NUM_ENDINGS, MOST_CLAUSES, MOST_THINGS), NO_THING, np.int16)
    for row, ending in enumerate(ENDINGS):
        for column, clause in enumerate(ending.clauses):
            facts[row, column] = fact_mask(tuple(one for one in clause if one in FACTS))
            named = [NUMBER[one] for one in clause if one in NUMBER]
            things[row, column, : len(named)] = named
    return facts, things


MEANT, WEIGHTS, WEIGHT_FACTS = _meanings()
LINKED = _links()  # (NUM_THINGS, NUM_THINGS)
GROUP = np.array([thing.group for thing in THINGS], np.int8)
NEEDS = np.array([ANYBODY.index(thing.needs) for thing in THINGS], np.int8)
SETS = np.array([fact_mask(thing.sets) for thing in THINGS], np.int64)
CLEARS = np.array([fact_mask(thing.clears) for thing in THINGS], np.int64)
# The number of each element among the interruptions; NUM_INTERRUPTIONS for a plain card.
INTERRUPTION = np.full(NUM_ELEMENTS, NUM_INTERRUPTIONS, np.int8)
INTERRUPTION[INTERRUPTIONS] = range(NUM_INTERRUPTIONS)
CLAUSE_FACTS, CLAUSE_THINGS = _clauses()
CLAUSES = np.array([len(ending.clauses) for ending in ENDINGS], np.int8)
BLOCKERS = np.array([fact_mask(ending.blockers) for ending in ENDINGS], np.int64)


def _letters() -> np.ndarray:
    """Return the place of each card in the alphabet: accents and a leading Un or Una do not count (O11)."""
    names = [thing.name.removeprefix("Una ").removeprefix("Un ") for thing in THINGS[:NUM_ELEMENTS]]
    order = sorted(range(NUM_ELEMENTS), key=lambda number: [key(word) for word in names[number].split()])
    places = np.empty(NUM_ELEMENTS, np.int16)
    places[order] = range(NUM_ELEMENTS)
    return places


LETTERS = _letters()
