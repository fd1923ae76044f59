"""Cards of *Érase una vez* and things of a tale, as arrays, from the tables in `data/` (see table_files.py).

A *thing* is a possible subject of a sentence: the elements of the 105 story cards come first, then the 32 concepts that
are on no card (C1.1, C1.3).
"""

import numpy as np

from sobremesa.envs.core.picture.words import key
from sobremesa.envs.erase_una_vez.table_files import (
    GROUPS,
    LINK_WEIGHT,
    MOST_CLAUSES,
    MOST_THINGS,
    MOST_WORDS,
    NEED_NAMES,
    TAGS,
    read,
)

PERSON, OBJECT, PLACE, ASPECT, EVENT = range(len(GROUPS))
NEEDS_NOTHING, NEEDS_PERSON, NEEDS_TWO, NEEDS_OBJECT, NEEDS_ANYTHING, NEEDS_ANIMAL, NEEDS_TROUBLE = range(
    len(NEED_NAMES)
)

TABLES = read()
THINGS, ENDINGS, RELATIONS = TABLES.things, TABLES.endings, TABLES.relations
FACTS = tuple(fact.id for fact in TABLES.facts)
FACT_WORDS = {"es": tuple(fact.spanish for fact in TABLES.facts), "en": tuple(fact.english for fact in TABLES.facts)}

NUM_ELEMENTS = sum(thing.id[0] in GROUPS for thing in THINGS)
NUM_THINGS = len(THINGS)
NO_THING = NUM_THINGS
NUM_FACTS, NUM_ENDINGS = len(FACTS), len(ENDINGS)
NO_ENDING = NUM_ENDINGS
NUMBER = {thing.id: number for number, thing in enumerate(THINGS)}
INTERRUPTIONS = np.array([number for number, thing in enumerate(THINGS) if thing.interruption])
NUM_INTERRUPTIONS = len(INTERRUPTIONS)


def fact_mask(facts: tuple[str, ...]) -> int:
    """Return `facts` as bits."""
    return sum(1 << FACTS.index(fact) for fact in facts)


def _meanings() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the elements that each thing means, their weights in hundredths, and the facts that they depend on.

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
        meant[row, free], weights[row, free] = NUMBER[element], round(weight * 100)
        facts[row, free] = fact_mask((fact,)) if fact else 0
    return meant, weights, facts


def _ties() -> np.ndarray:
    """Return how things are tied `(NUM_THINGS, NUM_THINGS)` (C4.4): 0 not, 1 by a theme, 2 closely.

    Close ties are two themes, a relation in either direction, and being the same.
    """
    tags = np.array([[tag in thing.tags for tag in TAGS] for thing in THINGS], np.int64)
    tied = np.minimum(tags @ tags.T, 2).astype(np.uint8)
    np.fill_diagonal(tied, 2)
    for said, meant, weight, _ in RELATIONS:
        if weight >= LINK_WEIGHT:
            tied[NUMBER[said], NUMBER[meant]] = tied[NUMBER[meant], NUMBER[said]] = 2
    return np.asarray(tied)


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
TIES = _ties()
LINKED = (TIES > 0).astype(np.uint8)
GROUP = np.array([thing.group for thing in THINGS], np.int8)
NEEDS = np.array([NEED_NAMES.index(thing.needs) for thing in THINGS], np.int8)
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


def meanings(least: int) -> tuple[np.ndarray, ...]:
    """Return the cards that each thing means, `(2, thing)` hundredths and cards; then other meanings with their things.

    Weights are from `least` on. Meanings that depend on facts are among the others. Unused hundredths are 0.
    """
    hundredths, by = np.zeros((2, NUM_THINGS), np.int32), np.full((2, NUM_THINGS), NUM_ELEMENTS, np.uint8)
    others, count = [], [0] * NUM_THINGS
    for thing, word in zip(*np.nonzero((least <= WEIGHTS) & (MEANT != NO_THING)), strict=True):
        meant, weight, while_facts = MEANT[thing, word], WEIGHTS[thing, word], WEIGHT_FACTS[thing, word]
        if while_facts or count[thing] == 2:
            others.append((thing, weight, meant, while_facts))
        else:
            hundredths[count[thing], thing], by[count[thing], thing] = weight, meant
            count[thing] += 1
    return hundredths, by, *(np.array(column) for column in zip(*others, strict=True))
