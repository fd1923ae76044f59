"""Words of a tale that name no thing: names and wishes of characters, tails, connectives and effects.

A *tail* distinguishes a noun when it is new. An *effect* begins a sentence with what its character still feels from an
earlier one: still trembling, on waking. A *hard* state ends with its effect, and until then its character does not act.
An inconsistent table raises ValueError on import.
"""

from dataclasses import dataclass

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez.table_files import rows
from sobremesa.envs.erase_una_vez.tables import NUMBER
from sobremesa.envs.erase_una_vez.text import lexicon as lex
from sobremesa.envs.erase_una_vez.text.lexicon import Wording

STARTER = "one"  # the gap of an effect or wish: the character
# Glad states: their effects do not begin a sentence of trouble.
GLAD = frozenset({"happy", "lucky", "free", "brave", "kissed", "danced", "flying", "planning"})


@dataclass(frozen=True)
class Name:
    """A name of a character, the same in both languages."""

    text: str
    gender: str  # m or f


@dataclass(frozen=True)
class Tail:
    """A phrase that distinguishes a thing, and the states that it implies."""

    text: dict[str, str]
    sets: frozenset[str]


@dataclass(frozen=True)
class Lead:
    """Words before a sentence: a connective, or the effect of a state."""

    text: dict[str, str]
    lead: str = ""  # one of LEADS that a connective may lead
    kind: str = ""  # of connective; two in a row are of different kinds
    state: str = ""  # whose effect it is; "" for a connective
    hard: bool = False
    lasts: int = 0  # sentences after which the state is over; 0 for never
    row: int = 0


@dataclass(frozen=True)
class Wish:
    """A wish: the sentence that states it, its goal for the later sentences, and the clause that grants it."""

    text: dict[str, str]
    goal: dict[str, str]
    after: dict[str, str]


def _both(row: dict[str, str], after: str = "") -> dict[str, str]:
    return {"es": row[f"spanish{after}"], "en": row[f"english{after}"]}


def _names() -> tuple[Name, ...]:
    return tuple(Name(row["name"], row["gender"]) for row in rows("names"))


def _tails() -> tuple[tuple[Tail, ...], ...]:
    """Return the tails of each thing, that of the lexicon first."""
    found = [[Tail(noun.tail, frozenset())] for noun in lex.NOUNS]
    for row in rows("tails"):
        found[NUMBER[row["id"]]].append(Tail(_both(row), frozenset(row["sets"].split())))
    return tuple(map(tuple, found))


def _connectives() -> tuple[Lead, ...]:
    return tuple(
        Lead(_both(row), lead=row["lead"], kind=row["kind"], row=number)
        for number, row in enumerate(rows("connectives"), lex.HEADED)
    )


def _effects() -> dict[str, tuple[Lead, ...]]:
    found: dict[str, tuple[Lead, ...]] = {}
    for number, row in enumerate(rows("effects"), lex.HEADED):
        one = Lead(_both(row), state=row["state"], hard=row["hard"] == "1", lasts=int(row["lasts"]), row=number)
        found[one.state] = (*found.get(one.state, ()), one)
    return found


def check_connectives(connectives: tuple[Lead, ...], wordings: tuple[Wording, ...] = ()) -> None:
    """Raise ValueError unless there are enough connectives never to repeat one soon, and no wording brings its own."""
    for lead in lex.LEADS[1:]:
        texts = [one.text for one in connectives if one.lead == lead]
        if any(len({text[language] for text in texts}) < 4 for language in LANGUAGES):
            raise ValueError(f"connectives.csv: too few connectives of the kind {lead!r}")
    for one in connectives:
        if one.lead not in lex.LEADS[1:] or not one.text["es"] or not one.text["en"] or not one.kind:
            raise ValueError(f"connectives.csv, row {one.row}: a connective of no kind, or without words")
    for wording in wordings:
        for language, text in wording.text.items():
            if any(f"{text} ".startswith(f"{one.text[language]} ") for one in connectives):
                raise ValueError(f"{wording.place}: begins with a connective, which may just have been: {text!r}")


def check_effects(effects: dict[str, tuple[Lead, ...]]) -> None:
    """Raise ValueError unless each effect has words in both languages that name only its character."""
    for one in (one for group in effects.values() for one in group):
        for text in one.text.values():
            roles = {gap[2] for gap in lex.GAP.finditer(text)}
            if not text.endswith(",") or roles - {STARTER} or "{" in lex.GAP.sub("", text):
                raise ValueError(f"effects.csv, row {one.row}: no beginning of a sentence: {text!r}")
        if {(one.hard, one.lasts)} != {(other.hard, other.lasts) for other in effects[one.state]}:
            raise ValueError(f"effects.csv, row {one.row}: {one.state} is hard, or lasts, in one row alone")


def check_states(wordings: tuple[Wording, ...], effects: dict[str, tuple[Lead, ...]]) -> None:
    """Raise ValueError if a wording needs or bars a state that no wording, tail or rule sets."""
    known = (
        {state for wording in wordings for state in wording.sets}
        | set(effects)
        | {"seen", "wanted", lex.SEEKING, lex.HERE, lex.AWAY, lex.KNOWS, lex.STRANGE}
    )
    known |= {state for group in TAILS for number, tail in enumerate(group) for state in {*tail.sets, f"tail{number}"}}
    for wording in wordings:
        if unknown := (wording.needs | wording.bars | wording.clears) - known:
            raise ValueError(f"{wording.place}: no wording leads to {sorted(unknown)}")


NAMES, TAILS, CONNECTIVES, EFFECTS = _names(), _tails(), _connectives(), _effects()
WISHES = tuple(Wish(_both(row), _both(row, "_goal"), _both(row, "_after")) for row in rows("wishes"))
LASTS = {state: group[0].lasts for state, group in EFFECTS.items() if group[0].lasts}
HARD = frozenset(state for state, group in EFFECTS.items() if group[0].hard)
check_connectives(CONNECTIVES, lex.WORDINGS)
check_effects(EFFECTS)
check_states(lex.WORDINGS, EFFECTS)
