"""The close of a tale: the wish is granted by a cause, troubles end, each character is sent off, then the ending.

It is composed from the told rows of the log, when the ending is played. A finished tale can name all its things,
because no card can be claimed any more; its earlier sentences do not change. The table `closings.csv` has sentences for
each `kind` and `key`; its column `who` lists ids and states of things.
"""

import re
from dataclasses import dataclass
from functools import partial

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.erase_una_vez.table_files import rows
from sobremesa.envs.erase_una_vez.tables import ENDINGS, NO_THING, NUMBER, THINGS
from sobremesa.envs.erase_una_vez.text import lexicon as lex
from sobremesa.envs.erase_una_vez.text.flavour import HARD, NAMES, WISHES
from sobremesa.envs.erase_una_vez.text.lexicon import GAP, agreeing, phrase, tidy
from sobremesa.envs.erase_una_vez.text.plot import Tale
from sobremesa.envs.erase_una_vez.text.words import ending_words

KINDS = ("bridge", "way", "cause", "price", "state", "part", "bye", "rest", "motif", "lead")
BRIDGE, WAY, CAUSE, PRICE, STATE, PART, BYE, REST, MOTIF, LEAD = KINDS
BEFORE = HARD | {"chased"}  # troubles that end before the wish is granted; the others end by it
CURSED, MOURNING = "cursed", "mourning"  # also states of things that do not live
WANTING, BOUND = "wanting", "bound"  # for a thing, and for a place
WICKED = "wicked"
STUCK = "stuck"  # a thing that cannot be given away
OFTEN = 4  # sentences that speak of a thing whose end the close tells
MOST_OTHERS = 3  # characters with a sentence of their own


@dataclass(frozen=True)
class Closing:
    """A sentence at the close of a tale."""

    kind: str  # one of KINDS
    key: str  # a state, a part, a class of things, the id of one, the number of characters, or an ending
    who: tuple[str, ...]  # ids and states: the first found is the subject of the lead
    settles: frozenset[str]  # states that the ending itself brings to an end, or whose end says the same
    text: dict[str, str]


def read_closings(table: list[dict[str, str]]) -> tuple[Closing, ...]:
    """Return the closings; raise ValueError for one of no kind, or for an ending that there is not."""
    endings = {one.id for one in ENDINGS}
    found = []
    for number, row in enumerate(table, lex.HEADED):
        one = Closing(row["kind"], row["key"], tuple(row["who"].split()), frozenset(row["settles"].split()),
                      {"es": row["spanish"], "en": row["english"]})  # fmt: skip
        gaps = [{gap[2] for gap in GAP.finditer(text) if not gap[3]} for text in one.text.values()]
        if one.kind not in KINDS or gaps[0] != gaps[1] or (one.kind == LEAD and one.key not in endings):
            raise ValueError(f"closings.csv, row {number}: no kind, other gaps in each language, or no ending: {one}")
        found.append(one)
    return tuple(found)


CLOSINGS = read_closings(rows("closings"))
_Planned = tuple[Closing, dict[str, list[int]]]  # a sentence, and the things in its gaps


def closing(tale: Tale, ending: int, language: str) -> str:
    """Return the close of a tale with an ending, the sentence of the ending last."""
    lead, subject = _lead(tale, ending)
    said = [_said(tale, one, gaps, language) for one, gaps in _plan(tale, ending, lead, subject)]
    if lead is not None:
        said.append(_said(tale, lead, {"one": [subject]}, language))
    return " ".join([*(text for text in said if text), ending_words(ending, language)])


def _plan(tale: Tale, ending: int, lead: Closing | None, subject: int) -> list[_Planned]:
    """Return the sentences before the lead of the ending, with the things in their gaps."""
    hero = _protagonist(tale)
    if hero == NO_THING:
        return []
    settled = lead.settles if lead is not None else frozenset()
    found = _trouble(tale, hero, settled, early=True)
    if tale.wish >= 0:
        cause = _cause(tale, subject if WICKED in settled else NO_THING)
        paid = _price(tale, cause, ending, settled)
        found += [*_bridge(tale, hero, cause), _granted(tale, hero, cause), paid]
        settled |= {paid[0].key}
    found += _trouble(tale, hero, settled, early=False)
    mourned = any(MOURNING in states for states in tale.states.values())
    if mourned and MOURNING not in settled | {one.key for one, _ in found}:
        found.append((_pick(tale, STATE, MOURNING), {"one": [hero]}))
    found += _others(tale, hero, settled | {MOURNING} if mourned else settled, subject)
    return _varied([*found, *_motif(tale, hero, subject, found)])


def _varied(found: list[_Planned]) -> list[_Planned]:
    """Return the sentences in other words where their words came before, as long as there are others."""
    told: list[_Planned] = []
    for one, gaps in found:
        fresh = [row for row in _rows(one.kind, one.key) if all(row is not before for before, _ in told)]
        told.append((one if one in fresh or not fresh else fresh[0], gaps))
    return told


def _protagonist(tale: Tale) -> int:
    """Return the protagonist: the character with the wish or a name, else the character with most mentions."""
    living = [one for one in tale.told if lex.NOUNS[one].kind in lex.LIVING]
    return tale.hero if tale.hero != NO_THING else max(living, key=tale.acts.__getitem__, default=NO_THING)


def _others(tale: Tale, hero: int, settled: frozenset[str], subject: int) -> list[_Planned]:
    """Return how the tale takes leave of the other characters: those with a name or in trouble first, then the rest."""
    found: list[_Planned] = []
    rest = []
    cursed = {one for one, states in tale.states.items() if CURSED in states.keys() - settled}
    for one in sorted(tale.acts, key=lambda one: (one not in cursed, one not in tale.names, -tale.acts[one])):
        lives = lex.NOUNS[one].kind in lex.LIVING
        if one in (hero, subject) or not (lives or one in cursed):
            continue
        part = tale.parts.get(one, "")
        ends = _trouble(tale, one, settled, early=True)
        if not ends or one in cursed:
            ends += _trouble(tale, one, settled, early=False)
        if not ends and part:
            ends = [(_pick(tale, PART, part, one), {"one": [one], "hero": [hero]})]
        if not ends and one in tale.names:
            ends = [(_pick(tale, BYE, lex.NOUNS[one].kind, one), {"one": [one]})]
        if ends and len(found) < MOST_OTHERS:
            found += ends
        elif lives:
            rest.append(one)
    if rest:
        found.append((_pick(tale, REST, "one" if len(rest) == 1 else "many"), {"rest": rest}))
    return found


def _rows(kind: str, key: str) -> list[Closing]:
    return [one for one in CLOSINGS if one.kind == kind and one.key == key]


def _pick(tale: Tale, kind: str, key: str, more: int = 0) -> Closing:
    found = _rows(kind, key)
    return found[(sum(tale.lines) + more) % len(found)]


def _trouble(tale: Tale, one: int, settled: frozenset[str], *, early: bool) -> list[_Planned]:
    """Return how the worst trouble of a character ends, if any is left."""
    states = tale.states.get(one, {}).keys() - settled
    keys = [row.key for row in CLOSINGS if row.kind == STATE and (row.key in BEFORE) == early and row.key in states]
    if not keys:
        return []
    if keys[0] != WANTING:
        return [(_pick(tale, STATE, keys[0], one), {"one": [one]})]
    wanted = tale.longs[one]
    return [(_pick(tale, STATE, BOUND if _class_of(wanted) == "place" else WANTING), {"one": [one], "thing": [wanted]})]


def _bridge(tale: Tale, hero: int, cause: int) -> list[_Planned]:
    """Return how the thing told of last leads back to the wish; an empty list if it is the hero or the cause."""
    last = tale.told[-1]
    kind = _class_of(last)
    if kind == "living":
        part = lex.FAR if tale.has(last, lex.FAR) else tale.parts.get(last, "")
        kind = part if _rows(BRIDGE, part) else kind
    if last in (hero, cause) or cause == NO_THING or not _rows(BRIDGE, kind) or lex.NOUNS[last].kind == "spell":
        return []
    return [(_pick(tale, BRIDGE, kind), {"one": [hero], "last": [last], "cause": [cause]})]


def _granted(tale: Tale, hero: int, cause: int) -> _Planned:
    """Return how the cause grants the wish: past the last thing that was in the way, or in its own manner."""
    stopped = [one for one, part in tale.parts.items() if part == lex.GUARD and lex.NOUNS[one].kind in lex.BARRIERS]
    gaps = {"one": [hero], "cause": [cause], "thing": stopped[-1:]}
    if stopped and stopped[-1] != cause:
        return _pick(tale, WAY, _class_of(cause)), gaps
    return _pick(tale, CAUSE, _own_key(CAUSE, cause)), gaps


def _own_key(kind: str, thing: int) -> str:
    """Return the key of the sentences of a kind for a thing: its id if there are any, else its class."""
    own = THINGS[thing].id if thing != NO_THING else ""
    return own if _rows(kind, own) else _class_of(thing)


def _motif(tale: Tale, hero: int, subject: int, found: list[_Planned]) -> list[_Planned]:
    """Return what became of the thing that was spoken of most and is not in the close yet."""
    spoken = {subject} | {one for _, gaps in found for ones in gaps.values() for one in ones}
    ended = {one.key for one, _ in found}
    often = sorted((one for one in tale.told if tale.acts[one] >= OFTEN), key=tale.acts.__getitem__)
    ends = [
        (_pick(tale, MOTIF, key), {"one": [hero], "thing": [one]})
        for one in often
        if one not in spoken and _rows(MOTIF, key := _own_key(MOTIF, one))
    ]
    return [end for end in ends if not end[0].settles & ended][-1:]


def _cause(tale: Tale, villain: int) -> int:
    """Return the thing by which the wish is granted: the last help or means, else the last thing or place told of."""
    helpful = [
        one for one, part in tale.parts.items()
        if part in (lex.HELPER, lex.MEANS) and not tale.is_bound(one) and one != villain
    ]  # fmt: skip
    others = [one for one in tale.told if one != tale.hero and _class_of(one) in ("item", "place")]
    return next(reversed(helpful or others), NO_THING)


def _class_of(thing: int) -> str:
    kind = lex.NOUNS[thing].kind if thing != NO_THING else ""
    if kind in lex.LIVING:
        return "living"
    if kind in lex.ROLES["where"]:
        return "place"
    return "item" if kind in (*lex.ROLES["what"], "spell") else kind if kind == "deed" else "none"


def _price(tale: Tale, cause: int, ending: int, settled: frozenset[str]) -> _Planned:
    """Return the price of the wish: years, wounds, or a thing that the ending does not ask for."""
    hero = tale.hero
    paid = [one.key for one in CLOSINGS if one.kind == PRICE and one.key in tale.states[hero].keys() - settled]
    if paid:
        return _pick(tale, PRICE, paid[0]), {"one": [hero]}
    asked = {NUMBER[name] for clause in ENDINGS[ending].clauses for name in clause if name in NUMBER}
    kept = {one for one in tale.told if tale.has(one, STUCK)} | {cause, *asked}
    items = [one for one in tale.told if lex.NOUNS[one].kind in ("item", "boat") and one not in kept]
    if items:
        return _pick(tale, PRICE, "item"), {"one": [hero], "thing": [max(items, key=tale.parts.__contains__)]}
    return _pick(tale, PRICE, "none"), {"one": [hero]}


def _lead(tale: Tale, ending: int) -> tuple[Closing | None, int]:
    """Return the sentence that leads to an ending and its subject; None and NO_THING if no character fits."""
    for one in _rows(LEAD, ENDINGS[ending].id):
        for who in one.who:
            subject = _find(tale, who)
            if subject != NO_THING:
                return one, subject
    return None, NO_THING


def _find(tale: Tale, who: str) -> int:
    """Return the thing told of last that has an id, a class or a state; the protagonist for "hero"."""
    if who == "hero":
        return _protagonist(tale)
    for one in reversed(tale.told):
        noun = lex.NOUNS[one]
        if who in (THINGS[one].id, noun.kind) or (noun.kind in lex.LIVING and who in tale.states.get(one, {})):
            return one
    return NO_THING


def _said(tale: Tale, one: Closing, gaps: dict[str, list[int]], language: str) -> str:
    """Return a closing in words; the payoff of the wish follows on its cause."""
    text = one.text[language]
    if one.kind in (CAUSE, WAY):
        text = f"{text} {WISHES[tale.wish].after[language]}"
    filled = GAP.sub(partial(_filled, tale, gaps, language), text)
    return tidy(filled, language)


def _filled(tale: Tale, gaps: dict[str, list[int]], language: str, gap: re.Match[str]) -> str:
    before, role, sign, forms = gap.groups()
    if role == lex.GOAL:
        return f"{lex.preposition(before, NO_THING, language)} {WISHES[tale.wish].goal[language]}".strip()
    things = gaps[role]
    if sign:
        return agreeing(things[0], language, sign, forms, named=things[0] in tale.names)
    called = [NAMES[tale.names[one]].text if one in tale.names else phrase(one, language) for one in things]
    last = {"es": " y ", "en": " and "}[language]
    led = [f"{lex.preposition(before, one, language)} {name}".strip() for one, name in zip(things, called, strict=True)]
    if language == "en":  # one preposition is enough
        led[1:] = called[1:]
    return last.join([", ".join(led[:-1]), led[-1]]) if len(led) > 1 else led[0]


def check_closings(closings: tuple[Closing, ...]) -> None:
    """Raise ValueError unless there is a closing for each need of a plan, and words in both languages."""
    known = {(one.kind, one.key) for one in closings}
    needed = {(kind, key) for kind in (CAUSE, WAY) for key in ("living", "item", "place", "none")}
    needed |= {(PART, key) for key in (lex.GUARD, lex.RIVAL, lex.HELPER)}
    needed |= {(PRICE, "item"), (PRICE, "none"), (REST, "one"), (REST, "many")} | {(BYE, key) for key in lex.LIVING}
    needed |= {(LEAD, one.id) for one in ENDINGS} | {(STATE, key) for key in BEFORE}
    if missing := needed - known:
        raise ValueError(f"closings.csv: no row for {sorted(missing)}")
    if any(not one.text[language] for one in closings for language in LANGUAGES):
        raise ValueError("closings.csv: a row without words in one language")


check_closings(CLOSINGS)
