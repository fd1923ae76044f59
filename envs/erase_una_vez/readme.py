"""Tables of the README next to this file, by their marks: a head and rows. `make fresh` writes them."""

from sobremesa.envs.erase_una_vez import tables

_NAMES = {thing.id: thing.name for thing in tables.THINGS}
_NAMES |= dict(zip(tables.FACTS, tables.FACT_WORDS["en"], strict=True))
_ENDINGS = [
    (ending.id, ending.spanish, ending.english,
     "; ".join(" or ".join(_NAMES[one] for one in clause) for clause in ending.clauses),
     ", ".join(_NAMES[one] for one in ending.blockers))
    for ending in tables.ENDINGS
]  # fmt: skip

TABLES = {"endings": (("", "in Spanish", "in English", "asks for", "barred if"), _ENDINGS)}
