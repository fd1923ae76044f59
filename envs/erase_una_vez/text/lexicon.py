"""The words of a tale in Spanish and English: nouns and wordings, read from `data/` and checked.

A *wording* is a sentence with gaps. It is for one thing, or for all nouns of some classes, and for a thing that is
the `first` of the tale, `new`, told `again`, or claimed as the thing that the tale `meant` by another word. Apart from
its thing it names at most the hook, so no other card could be claimed for it. It may `need` states of those that it
speaks of, be `barred` by others, and `set` and `clear` states of the one that it is about. Its gaps:

    {who}               a role that the hook fills, with its article: a the first time, the from then on (an aspect
                        then: that beauty)
    {hero}              a character who can be claimed no more, by a name or a pronoun (H14)
    {a thing}           always with the indefinite article
    {at where} {to where} {of where}   with a preposition
    {tail}              a distinguishing phrase, when the thing is new
    {goal}              the goal of the seeker, the character with the wish; no other acts in the sentence
    {who:he/she/it}     the form that agrees, by gender; in Spanish o/a, or with plurals o/a/os/as
    {where#was/were}    the form that agrees, by number

An inconsistent table raises ValueError on import.
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property

from sobremesa.envs.core.game import LANGUAGES, check_language
from sobremesa.envs.erase_una_vez.table_files import GROUPS, rows
from sobremesa.envs.erase_una_vez.tables import NUMBER, THINGS

CLASSES = {  # of nouns, and the groups of the things that they name
    "person": "P", "child": "P", "beast": "P", "baby": "P",
    "item": "O", "boat": "O", "fixture": "O", "natural": "O", "food": "O", "spell": "O",
    "place": "L", "room": "L", "night": "L", "trait": "A", "deed": "E",
}  # fmt: skip
# What a sentence hangs on can fill a gap, by its class; `thing` is what the sentence is about.
ROLES = {
    "who": ("person", "child", "beast"),
    "human": ("person", "child"),  # with hands, and with words
    "lover": ("person",),
    "beast": ("beast",),
    "babe": ("baby",),
    "what": ("item", "boat", "fixture", "natural", "food"),
    "solid": ("item", "boat", "fixture"),
    "small": ("item",),
    "where": ("place", "room"),
    "trait": ("trait", "spell"),
    "deed": ("deed",),
    "it": ("person", "child", "beast", "baby", "item", "boat", "fixture", "natural", "food", "place", "room"),
}
CAST_ROLES = {"hero": ROLES["who"], "doer": ROLES["human"], "suitor": ROLES["lover"]}  # who acts next to the hook
# States of where those in a sentence are: what a wording bars, and what it sets.
HERE, AWAY, KNOWS, STRANGE, THERE, LEFT = "here", "away", "knows", "strange", "there", "left"
MOVES = frozenset({THERE, LEFT})
LIVING = ("person", "child", "beast", "baby")
GOAL, SEEKING = "goal", "seeking"  # the gap, and the state of the seeker
FAR = "far"  # the state of a new character of whom others only hear
BARRIERS = ("boat", "fixture", "natural")  # classes of things that can be in the way
GUARD, RIVAL, HELPER, MEANS = "guard", "rival", "helper", "means"  # parts of a new thing in the plot
PARTS = frozenset({GUARD, RIVAL, HELPER, MEANS})
TROUBLES = frozenset({
    "asleep", "hidden", "lost", "trapped", "gone", "scared", "sad", "hungry", "hurt", "blind", "tiny", "mad", "fool",
    "cursed", "poisoned", "robbed", "changed", "chased", "fought", "quarrelled", "wet", "mourning", "old",
})  # fmt: skip
STARTERS = {"who", "human", "lover", "beast", "babe", "thing", *CAST_ROLES}  # roles of living beings
OBSTACLE = "obstacle"  # a beat of the plot, as MEANS is
FIRST, NEW, AGAIN, MEANT = WHEN = ("first", "new", "again", "meant")
LEADS = ("", "then", "while")  # what connectives may lead a sentence: none, to what happened next, to what was so
GAP = re.compile(r"\{(?:(a|at|to|of) )?(\w+)(?:([:#])([^{}]+))?\}")
CONTRACTION = re.compile(r"\b(de|a) el\b", re.IGNORECASE)
_STARTS = re.compile(r"\{(\w+)\}(?!'s| y | and )")
_ADVERBIAL = re.compile(
    r"\{(at|to|of) |(durante|tras|junto|al|de|en|muy|más|sin|para|contra|desde|close|beyond|near|over|out|in|past"
    r"|within|from|up|to|without|upon|beside)\b"
)
_VAGUE = re.compile(r"\b(alguien|algo|todos|nadie|cualquiera)\b", re.IGNORECASE)
STRESSED = re.compile(r"h?[aá]")  # a Spanish feminine noun with el begins so: el hada, el hambre
HEADED = 2  # the row of a table's first line, after its heading
SILENT = ("hour", "honest", "heir")  # English words with an h that is not heard


@dataclass(frozen=True)
class Noun:
    """The name of a thing in both languages."""

    thing: int
    kind: str  # one of CLASSES
    gender: dict[str, str]  # by language; m or f, in English n too
    plural: bool
    the: dict[str, str]
    a: dict[str, str]
    noun: dict[str, str]
    tail: dict[str, str]
    at: dict[str, str]  # the preposition for being there; "" for what is no place
    row: int  # of its table

    @property
    def place(self) -> str:
        """Return its file and row, for errors."""
        return f"lexicon.csv, row {self.row}, {THINGS[self.thing].id}"


@dataclass(frozen=True)
class Wording:
    """A sentence with gaps."""

    number: int
    of: tuple[str, ...]  # ids of things, or classes
    when: str  # one of WHEN
    lead: str  # one of LEADS
    text: dict[str, str]  # by language
    roles: frozenset[str]  # that its gaps name and the hook fills
    cast: frozenset[str]  # that its gaps name and a character fills who acts
    needs: frozenset[str] = frozenset()  # states of which it needs all
    bars: frozenset[str] = frozenset()  # states with which it contradicts the tale
    sets: frozenset[str] = frozenset()
    clears: frozenset[str] = frozenset()

    @cached_property
    def all_roles(self) -> frozenset[str]:
        """Return the roles of all that it names."""
        return self.roles | self.cast | {"thing"}

    @cached_property
    def starter(self) -> str:
        """Return the role of the living being with which the sentence begins in both languages; "" for none."""
        begun = {match[1] if (match := _STARTS.match(text)) else "" for text in self.text.values()}
        role = begun.pop()
        return role if not begun and role in STARTERS else ""

    @cached_property
    def whom(self) -> str:
        """Return the role whose states it changes: who acts, else what a new thing hangs on, else the thing."""
        return next(iter(self.cast), "") or (self.when == NEW and next(iter(self.roles), "")) or "thing"

    @cached_property
    def is_consequence(self) -> bool:
        """Return whether it tells the consequence of something."""
        return any(not state.startswith("tail") for state in self.needs - {SEEKING})

    @cached_property
    def seeks(self) -> bool:
        """Return whether it speaks of the goal of the tale."""
        return _names(self.text["es"], GOAL) or SEEKING in self.needs

    @cached_property
    def beat(self) -> str:
        """Return its beat in the plot: OBSTACLE, MEANS or ""."""
        if self.sets & {HELPER, MEANS}:
            return MEANS
        return OBSTACLE if self.sets & {GUARD, RIVAL} or (self.seeks and self.sets & TROUBLES) else ""

    @cached_property
    def is_adverbial(self) -> bool:
        """Return whether it begins with a place or a time."""
        return any(_ADVERBIAL.match(text) for text in self.text.values())

    @cached_property
    def is_vague(self) -> bool:
        """Return whether somebody acts whom the tale does not know."""
        return _VAGUE.search(self.text["es"]) is not None

    @property
    def place(self) -> str:
        """Return its file and row, for errors."""
        return f"sentences.csv, row {self.number + HEADED}, {' '.join(self.of)}"


def _both(row: dict[str, str], column: str) -> dict[str, str]:
    return {language: row[f"{language}_{column}" if column else language] for language in LANGUAGES}


def read_nouns(table: list[dict[str, str]]) -> tuple[Noun, ...]:
    """Return the nouns of all things, in their order."""
    ids = [row["id"] for row in table]
    for number, (one, row) in enumerate(zip(ids, table, strict=True), HEADED):
        if one not in NUMBER or one in ids[: number - HEADED]:
            raise ValueError(f"lexicon.csv, row {number}, {one}: no thing, or a thing that was there before")
        if row["number"] not in ("s", "p"):
            raise ValueError(f"lexicon.csv, row {number}, {one}: the number is s or p, not {row['number']!r}")
    if len(ids) != len(NUMBER):
        raise ValueError(f"lexicon.csv: no row for {sorted(set(NUMBER) - set(ids))}")
    nouns = (
        Noun(NUMBER[row["id"]], row["class"], {"es": row["gender"], "en": row["en_gender"]}, row["number"] == "p",
             _the(row), _both(row, "a"), _both(row, ""), _both(row, "tail"), _both(row, "at"), number)
        for number, row in enumerate(table, HEADED)
    )  # fmt: skip
    return tuple(sorted(nouns, key=lambda noun: noun.thing))


def _the(row: dict[str, str]) -> dict[str, str]:
    return {"es": row["es_the"], "en": "the"}


def check_noun(noun: Noun) -> None:
    """Raise ValueError unless the articles of a noun agree with it, and its class with its thing."""
    thing = THINGS[noun.thing]
    if CLASSES.get(noun.kind) != GROUPS[thing.group]:
        raise ValueError(f"{noun.place}: {thing.name} is no {noun.kind}")
    spanish, english = noun.noun["es"], noun.noun["en"]
    if not spanish.strip() or not english.strip():
        raise ValueError(f"{noun.place}: no noun in one language")
    the = {("m", False): "el", ("f", False): "la", ("m", True): "los", ("f", True): "las"}
    if noun.gender["es"] not in ("m", "f") or noun.gender["en"] not in ("m", "f", "n"):
        raise ValueError(f"{noun.place}: {thing.name} has no gender")
    stressed = noun.gender["es"] == "f" and not noun.plural and STRESSED.match(spanish) and noun.the["es"] == "el"
    if noun.the["es"] != the[noun.gender["es"], noun.plural] and not stressed:
        raise ValueError(f"{noun.place}: {noun.the['es']} does not agree with {spanish}")
    a = {"el": "un", "la": "una", "los": "unos", "las": "unas"}[noun.the["es"]]
    if noun.a["es"] not in (a, "algo de"):
        raise ValueError(f"{noun.place}: {noun.a['es']} does not agree with {spanish}")
    vowel = english[0] in "aeiou" or english.startswith(SILENT)
    if noun.a["en"] != "some" and (noun.plural or noun.a["en"] != ("an" if vowel else "a")):
        raise ValueError(f"{noun.place}: {noun.a['en']} does not go with {english}")
    if not all(noun.tail.values()) or bool(noun.at["es"]) != bool(noun.at["en"]):
        raise ValueError(f"{noun.place}: {thing.name} lacks words in one language")
    if (noun.kind in ROLES["where"]) != bool(noun.at["es"]):
        raise ValueError(f"{noun.place}: a place without a preposition, or one for what is none")


def read_wordings(table: list[dict[str, str]]) -> tuple[Wording, ...]:
    """Return the wordings."""
    return tuple(
        Wording(number, tuple(row["of"].split()), row["when"], row["lead"],
                {"es": row["spanish"], "en": row["english"]}, roles_of(row["spanish"]), cast_of(row["spanish"]),
                *(frozenset(row[column].split()) for column in ("needs", "bars", "sets", "clears")))
        for number, row in enumerate(table)
    )  # fmt: skip


def cast_of(text: str) -> frozenset[str]:
    """Return the roles of characters who act that the gaps of a text name."""
    return frozenset(gap[2] for gap in GAP.finditer(text)) & set(CAST_ROLES)


def roles_of(text: str) -> frozenset[str]:
    """Return the roles of the hook that the gaps of a text name."""
    return frozenset(gap[2] for gap in GAP.finditer(text)) - {"thing", "tail", GOAL, *CAST_ROLES}


def check_wording(wording: Wording) -> None:
    """Raise ValueError unless a wording has only gaps that can be filled, the same in both languages."""
    known = {*CLASSES, *NUMBER}
    if not wording.of or not set(wording.of) <= known or wording.when not in WHEN or wording.lead not in LEADS:
        raise ValueError(f"{wording.place}: {wording.when!r}, {wording.lead!r} or whom it is for is not known")
    for language, text in wording.text.items():
        left = GAP.sub("", text)
        if "{" in left or "}" in left or wording.roles != roles_of(text) or wording.roles - set(ROLES):
            raise ValueError(
                f"{wording.place}: gaps that cannot be filled, or not the same in both languages: {text!r}"
            )
        if len(wording.cast) > 1 or wording.cast != cast_of(text):
            raise ValueError(f"{wording.place}: another character acts in each language, or two act: {text!r}")
        if len(wording.roles) > 1:
            raise ValueError(f"{wording.place}: more named than its thing and what it hangs on: {text!r}")
        if not text.endswith((".", "!", "»", "”")) or "  " in text or text != text.strip():
            raise ValueError(f"{wording.place}: no sentence: {text!r}")
        if wording.lead and not (text[0] == "{" or text[0].islower()):
            raise ValueError(f"{wording.place}: a sentence that a connective may lead begins small: {text!r}")
        if _names(text, "tail") != _names(wording.text["es"], "tail"):
            raise ValueError(f"{wording.place}: a tail in one language alone: {text!r}")
        if _names(text, "thing") != _names(wording.text["es"], "thing"):
            raise ValueError(f"{wording.place}: its thing is named in one language alone: {text!r}")
        if _names(text, GOAL) != _names(wording.text["es"], GOAL):
            raise ValueError(f"{wording.place}: the goal is named in one language alone: {text!r}")
        for gap in GAP.finditer(text):
            _check_forms(gap, language, wording.place)


def _names(text: str, role: str) -> bool:
    """Return whether a text has a gap that names `role`, not one that only agrees with it."""
    return any(gap[2] == role and not gap[3] for gap in GAP.finditer(text))


def _check_forms(gap: re.Match[str], language: str, place: str) -> None:
    """Raise ValueError unless a gap has as many forms as its role may need."""
    role, sign, forms = gap[2], gap[3], gap[4]
    if sign is None:
        return
    some = ("where", "it")  # roles that several may fill: ruinas
    allowed = {("#", "es"): (2,), ("#", "en"): (2,), (":", "es"): (2, 4), (":", "en"): (3, 4)}[sign, language]
    count = len(forms.split("/"))
    if count not in allowed or (sign == ":" and role in some and count != 4):
        raise ValueError(f"{place}: {count} forms in {gap[0]!r}")


def check_reach(nouns: tuple[Noun, ...], wordings: tuple[Wording, ...]) -> None:
    """Raise ValueError unless every thing can be told of, first, new and again, after any earlier tale."""
    for noun in nouns:
        own = [w for w in wordings if noun.kind in w.of or THINGS[noun.thing].id in w.of]
        for moment in (FIRST, NEW, AGAIN):
            if not any(w.when == moment and not w.seeks and not w.roles | w.cast | w.needs for w in own):
                raise ValueError(f"{noun.place}: no wording in sentences.csv without others when {moment}")


def read() -> tuple[tuple[Noun, ...], tuple[Wording, ...]]:
    """Return the nouns and wordings of the tables, checked."""
    nouns, wordings = read_nouns(rows("lexicon")), read_wordings(rows("sentences"))
    for noun in nouns:
        check_noun(noun)
    for wording in wordings:
        check_wording(wording)
    check_reach(nouns, wordings)
    return nouns, wordings


NOUNS, WORDINGS = read()


@cache
def wordings_of(thing: int, when: str) -> tuple[Wording, ...]:
    """Return the wordings that tell of `thing` when it is FIRST, NEW, told AGAIN or MEANT."""
    of = {NOUNS[thing].kind, THINGS[thing].id}
    return tuple(wording for wording in WORDINGS if wording.when == when and of & set(wording.of))


def phrase(thing: int, language: str, article: str = "the") -> str:
    """Return the name of `thing` within a sentence, with the article "the", "a" or "none"."""
    check_language(language)
    noun = NOUNS[thing]
    before = {"the": noun.the, "a": noun.a, "none": {"es": "", "en": ""}}[article][language]
    return f"{before} {noun.noun[language]}".strip()


def with_demonstrative(thing: int, language: str) -> str:
    """Return `thing` with a word that points back to it: aquella belleza, that beauty."""
    noun = NOUNS[thing]
    if language == "en":
        return f"{'those' if noun.plural else 'that'} {noun.noun['en']}"
    words = ("aquellos", "aquellas") if noun.plural else ("aquel", "aquella")
    return f"{words[noun.gender['es'] == 'f']} {noun.noun['es']}"


def agreeing(thing: int, language: str, sign: str, forms: str, *, named: bool = False) -> str:
    """Return which of `forms`, parted by /, agrees with `thing` in gender (sign :) or number (sign #).

    In English an animal is he or she where it has a name.
    """
    noun, choices = NOUNS[thing], forms.split("/")
    if sign == "#":
        return choices[noun.plural]
    if language == "en":
        gender = noun.gender["es" if named else "en"]
        return choices[3 if noun.plural and len(choices) == 4 else "mfn".index(gender)]
    return choices[(noun.gender["es"] == "f") + (2 if noun.plural and len(choices) == 4 else 0)]


def preposition(before: str | None, thing: int, language: str) -> str:
    """Return the preposition of a gap; "" for none."""
    if before == "at":
        return NOUNS[thing].at[language]
    return {"to": {"es": "a", "en": "to"}, "of": {"es": "de", "en": "of"}}.get(before or "", {}).get(language, "")


def tidy(text: str, language: str) -> str:
    """Return a sentence with its contractions, signs and capital."""
    if language == "es":
        text = CONTRACTION.sub(lambda match: f"{match[1]}l", text)
    text = re.sub(r",([,.!;:»”])", r"\1", re.sub(r" ,", ",", text))
    first = next(place for place, sign in enumerate(text) if sign.isalpha())
    return text[:first] + text[first].upper() + text[first + 1 :]
