"""Cards and sentences for the referee of *Érase una vez*, read independently of the library.

A card, a thing, a fact and an ending go by their names (`P01`, `realeza`, `F01`).
"""

import csv
import re
from functools import cache
from importlib.resources import files

NAMES = ("elements", "concepts", "relations", "endings", "lexicon", "sentences")
ROWS = {
    name: list(
        csv.DictReader((files("sobremesa.envs.erase_una_vez") / f"data/{name}.csv").read_text("utf8").split("\n"))
    )
    for name in NAMES
}
CARDS = [row["id"] for row in ROWS["elements"]]
THINGS = CARDS + [row["id"] for row in ROWS["concepts"]]
ENDINGS = [row["id"] for row in ROWS["endings"]]
GROUP = {row["id"]: row["group"] for row in ROWS["elements"] + ROWS["concepts"]}
TAGS = {row["id"]: set(row["tags"].split()) for row in ROWS["elements"] + ROWS["concepts"]}
SPECIAL = [row["id"] for row in ROWS["elements"] if row["interruption"] == "1"]
NEEDS, SETS, CLEARS = (
    {row["id"]: row[column].split() for row in ROWS["elements"]} for column in ("needs", "sets", "clears")
)
HUNDREDTHS = {(row["said"], row["meant"]): round(100 * float(row["weight"])) for row in ROWS["relations"]}
ONLY_IF = {(row["said"], row["meant"]): row["if"] for row in ROWS["relations"] if row["if"]}
CLAUSES = {
    row["id"]: [[one.strip() for one in clause.split("|")] for clause in row["clauses"].split("&")]
    for row in ROWS["endings"]
}
BLOCKERS = {row["id"]: row["blockers"].split() for row in ROWS["endings"]}

MEETING = "E16"
LEXICON = {row["id"]: row["class"] for row in ROWS["lexicon"]}
PEOPLE = {thing for thing, kind in LEXICON.items() if kind in ("person", "child")}
CHARACTERS = PEOPLE | {thing for thing, kind in LEXICON.items() if kind == "beast"}
ROLES = {  # of a hook, by the kinds of things that fill it
    "who": "person child beast", "human": "person child", "lover": "person", "beast": "beast", "babe": "baby",
    "what": "item boat fixture natural food", "solid": "item boat fixture", "small": "item", "where": "place room",
    "trait": "trait spell", "deed": "deed",
    "it": "person child beast baby item boat fixture natural food place room",
}  # fmt: skip


@cache
def names_hook(thing, hook, again):
    """Return whether some words for a thing, new or told again, name a hook like this."""
    for row in ROWS["sentences"]:
        if row["when"] == ("again" if again else "new") and {thing, LEXICON[thing]} & set(row["of"].split()):
            roles = [role for role in re.findall(r"\{(?:(?:a|at|to|of) )?(\w+)", row["spanish"]) if role in ROLES]
            if roles and LEXICON[hook] in ROLES[roles[0]].split():
                return True
    return False


HAND = {2: 10, 3: 8, 4: 7, 5: 6, 6: 5}


class Tale:
    """What has been told: `told` 1, by its card 2; `told_at` and `facts` when, by sentence from 1; the latest first."""

    def __init__(self):
        self.told, self.told_at, self.facts, self.context = {}, {}, {}, []
        self.table = set()  # cards

    def weight(self, said, meant):
        """Return how far telling of one thing is telling of another, in hundredths."""
        if said == meant:
            return 100
        fact = ONLY_IF.get((said, meant))
        return HUNDREDTHS.get((said, meant), 0) if fact is None or fact in self.facts else 0

    def linked(self, one, other):
        strongest = max(self.weight(one, other), self.weight(other, one))
        return one == other or bool(TAGS[one] & TAGS[other]) or strongest >= 30

    def hook_of(self, thing):
        """Return what of the context a sentence hangs on by itself (C3.3)."""
        near = [one for one in self.context if self.linked(thing, one) and one != thing]
        safe = [one for one in near if one in self.table or one not in CARDS]
        return next(iter(safe + near + self.context), None)

    def has_all(self, thing):
        """Return whether what a thing needs is so (C4.1)."""
        return all(self._is_so(need) for need in NEEDS.get(thing, []))

    def closeness(self, thing):
        """Return how closely a thing ties to the context (C4.4): 0, 1 by a theme, 2 closely, as the first of a tale."""
        ties = [
            2 if one == thing or max(self.weight(one, thing), self.weight(thing, one), self._ever(one, thing)) >= 30
            else len(TAGS[one] & TAGS[thing])
            for one in self.context
        ]  # fmt: skip
        return min(2, max(ties, default=2))

    def _ever(self, one, other):
        """Return the weight of a relation in either direction, whatever it depends on."""
        return max(HUNDREDTHS.get((one, other), 0), HUNDREDTHS.get((other, one), 0))

    def claims_of(self, thing, hook, nonsense):
        """Return how far a sentence about `thing`, which is about to be told, tells of each card (C5.2).

        A card matters if the sentence is no nonsense, and the tale before it has what the card needs.
        """
        matter = [card for card in CARDS if self.has_all(card) and not nonsense]
        found = dict.fromkeys(CARDS, 0) | {card: self.weight(thing, card) for card in matter}
        again = thing in self.told
        if {thing, hook} <= CHARACTERS and thing != hook and MEETING in matter:
            both = {thing, hook} <= PEOPLE
            found[MEETING] = 100 if both and not again else 50
        if hook != thing and self.told.get(hook) == 1 and hook in CARDS and names_hook(thing, hook, again):
            found[hook] = 100
        return found

    def _is_so(self, need):
        people = sum(GROUP[thing] == "P" for thing in self.told)
        return {
            "per": people >= 1,
            "per2": people >= 2,
            "obj": any(GROUP[thing] == "O" for thing in self.told),
            "alg": bool(self.told),
            "ani": "animal" in self.facts or "C12" in self.told,
            "apuro": bool({"peligro", "cautivo", "herido", "perdido"} & set(self.facts)),
        }[need]

    def fits(self, ending, strictness, sentences):
        """Say whether the judge finds that an ending ends a tale of so many sentences (C9.3)."""
        if any(fact in self.facts for fact in BLOCKERS[ending]):
            return False
        oldest = sentences - 11 if strictness == "strict" else 1
        when = self.facts | self.told_at
        met = [any(one in when and when[one] >= oldest for one in clause) for clause in CLAUSES[ending]]
        return all(met)

    def becomes_told(self, thing, by_card, number):
        """Take in what sentence `number` tells of (C3.4)."""
        self.told[thing] = 2 if by_card else max(1, self.told.get(thing, 0))
        self.told_at[thing] = number
        for fact in CLEARS.get(thing, []):
            self.facts.pop(fact, None)
        self.facts |= dict.fromkeys(SETS.get(thing, []), number)
        self.context = [thing, *self.context][:3]
