"""The phrases of the detector, read from `data/phrases_*.toml` and compiled, and where they occur in a text.

A table has a list `apart` (forms.py), `contexts`, `sets` of words, `valid` phrases that mention an element, `hint`
phrases that mention none by themselves, `named` phrases that have a word of an element but do not mean it, and `silent`
phrases in which words count for no element. Phrases are separated by `;`:

    castillo        a noun or adjective in all its forms
    ladrón+         also in the other gender
    =castillo       this form alone
    ugly+           in English also comparative, superlative and adverb
    mor/muer-ir     a Spanish verb by its stems
    escape!         an English verb; flee/fled! one with irregular forms
    a|b             alternatives
    a|=             an alternative, or no word, within a phrase
    *               up to three other words without a sign between them
    ^               a word with a capital letter within a sentence
    @people         a word of a set
    //              before phrases that are heard less surely

`contexts` are words by their use. `not` denies the next two words; `deny` denies verbs and aspects near it, and things
after a verb of `lacks`, up to a word of `but`; a person after a word of `known` is there even so. `wish` makes an event
expected. `like`, or `twice` for the second time, before one of `articles` begins a comparison. `and` joins lists, and
one of `aside` after a comma begins no item of them. One of `far` after `twice` begins no comparison. A capitalized
word after one of `titles` or `called` is a name, and so is one next to one of `streets`. Verb forms of `later`, or that
end in one of `tense`, are yet to come. A thing is heard less surely after `of`, or a word of `wish` or `open`, near a
denial, and in a sentence with a word of `told`, which tells of the present or of who speaks. Who is only seen (`sees`)
is not met. A verb of speech belongs to the subject of its sentence after `and` or one of `begins`, unless one of
`pronouns` comes between. `spelled` are right words that are one letter off from others.

A table that does not fit together raises ValueError.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sobremesa.envs.core.files import read_inside, text_of
from sobremesa.envs.core.game import LANGUAGES, check_language
from sobremesa.envs.erase_una_vez.table_files import DATA, LARGEST
from sobremesa.envs.erase_una_vez.tables import NUMBER
from sobremesa.envs.erase_una_vez.text.forms import Word, english_verb, key, noun_forms, spanish_verb, split

ANY = "*"  # whose phrases are for every element
CAPITAL = "^"  # any word with a capital letter
HEARD = tuple(language for language in LANGUAGES if (DATA / f"phrases_{language}.toml").is_file())
WIDEST_GAP = 3  # words that `*` stands for
STOPS = ";:,—"  # signs that no gap passes
VALID, HINT, NAMED, SILENT = "valid", "hint", "named", "silent"
_TABLES = ("apart", "contexts", "sets", VALID, HINT, NAMED, SILENT)
_CONTEXTS = tuple(
    split(
        "not deny lacks but known wish later tense like twice far articles and aside titles called streets "
        "sees begins pronouns open of told spelled"
    )
)
_VERBS = ("ar", "er", "ir")


@dataclass(frozen=True)
class Phrase:
    """A sequence of words or gaps that is heard as an element."""

    of: str  # id of a thing, or ANY
    verdict: str  # VALID, HINT, NAMED or SILENT
    items: tuple[frozenset[str] | None, ...]  # keys; None for a gap
    sure: bool = True  # False if it often means something else, or is only close to its element


@dataclass(frozen=True)
class Hit:
    """A phrase in a text: words `start` to `end`, the latter excluded."""

    phrase: Phrase
    start: int
    end: int


@dataclass(frozen=True)
class PhraseIndex:
    """All phrases of a language by the key of their first word, and the words that change what follows."""

    apart: frozenset[str]
    contexts: dict[str, frozenset[str]]
    sets: dict[str, frozenset[str]]
    first: dict[str, tuple[Phrase, ...]]


@cache
def phrase_index(language: str) -> PhraseIndex:
    """Return the phrases of a language."""
    if check_language(language) not in HEARD:
        raise ValueError(f"language={language!r} is not heard yet; the detector has phrases in {', '.join(HEARD)}")
    name = f"phrases_{language}.toml"
    table = tomllib.loads(text_of(read_inside(DATA, name, LARGEST)))
    if set(table) != set(_TABLES):
        raise ValueError(f"{name}: the tables are {', '.join(_TABLES)}, not {', '.join(sorted(table))}")
    if set(table["contexts"]) != set(_CONTEXTS):
        raise ValueError(f"{name}: the contexts are {', '.join(_CONTEXTS)}, not {', '.join(sorted(table['contexts']))}")
    apart = frozenset(table["apart"].split())
    contexts = {use: frozenset(key(one, apart) for one in text.split()) for use, text in table["contexts"].items()}
    sets: dict[str, frozenset[str]] = {}
    for one, text in table["sets"].items():
        sets[one] = frozenset().union(*(_keys(item, language, apart, sets) for item in text.split()))
    first: dict[str, list[Phrase]] = {}
    for verdict in (VALID, HINT, NAMED, SILENT):
        for phrase in _phrases(table[verdict], verdict, language, apart, sets):
            for start in (phrase.items[0] or frozenset()) - {""}:
                first.setdefault(start, []).append(phrase)
    return PhraseIndex(apart, contexts, sets, {start: tuple(phrases) for start, phrases in first.items()})


def _phrases(
    table: dict[str, str], verdict: str, language: str, apart: frozenset[str], sets: dict[str, frozenset[str]]
) -> Iterator[Phrase]:
    for ids, text in table.items():
        for of in ids.replace("any", ANY).split("_"):
            if of != ANY and of not in NUMBER:
                raise ValueError(f"phrases_{language}.toml, {verdict}: {of!r} is no element")
            sure, _, loose = text.partition("//")
            for one in filter(str.strip, f"{sure};{loose}".split(";")):
                parts = one.split()
                items = tuple(None if item == "*" else _keys(item, language, apart, sets) for item in parts)
                if items[0] is None or items[-1] is None:
                    raise ValueError(f"phrases_{language}.toml, {of}: {one.strip()!r} begins or ends with a gap")
                yield Phrase(of, verdict, items, one in sure.split(";"))


def _keys(item: str, language: str, apart: frozenset[str], sets: dict[str, frozenset[str]]) -> frozenset[str]:
    """Return the keys of the words that an item of a phrase means."""
    found = []
    for one in item.split("|"):
        if one.startswith("@"):
            if one[1:] not in sets:
                raise ValueError(f"phrases_{language}.toml: {item!r} names no set; the sets are {', '.join(sets)}")
            found.append(sets[one[1:]])
        elif one == CAPITAL:
            found.append(frozenset([CAPITAL]))
        else:
            found.append(_form_keys(one, language, apart))
    return found[0] if len(found) == 1 else frozenset().union(*found)


@cache
def _form_keys(one: str, language: str, apart: frozenset[str]) -> frozenset[str]:
    return frozenset(key(form, apart) for form in _forms(one, language))


def _forms(one: str, language: str) -> tuple[str, ...]:
    stems, dash, kind = one.partition("-")
    if one.startswith("="):
        return (one[1:],)
    if one.endswith("!"):
        return tuple(english_verb(*one[:-1].split("/")))
    if dash and kind in _VERBS:
        return tuple(spanish_verb(stems.split("/"), kind))
    return tuple(noun_forms(one.removesuffix("+"), language, one.endswith("+")))


def hits(words: Sequence[Word], language: str) -> list[Hit]:
    """Return where phrases of a language occur in the words of a text, in time linear in their number."""
    table, found = phrase_index(language).first, []
    for start, word in enumerate(words):
        capital = table.get(CAPITAL, ()) if _capital(word) else ()
        for phrase in (*table.get(word.key, ()), *capital):
            end = _end(phrase.items, 1, words, start + 1)
            if end:
                found.append(Hit(phrase, start, end))
    return found


def _capital(word: Word) -> bool:
    """Return whether a word has a capital letter that its place does not explain."""
    return word.capital and not word.first


def _end(items: tuple[frozenset[str] | None, ...], item: int, words: Sequence[Word], place: int) -> int:
    """Return the end of a phrase from its `item` on if it is at `place`, else 0; it stays in one sentence."""
    if item == len(items):
        return place
    if place >= len(words) or words[place].sentence != words[place - 1].sentence:
        return 0
    keys = items[item]
    if keys is not None:
        fits = words[place].key in keys or (CAPITAL in keys and _capital(words[place]))
        end = _end(items, item + 1, words, place + 1) if fits else 0
        return end or (_end(items, item + 1, words, place) if "" in keys and item + 1 < len(items) else 0)
    for more in range(WIDEST_GAP + 1):
        inside = words[place : place + more]
        if any(word.sentence != words[place - 1].sentence for word in inside):
            return 0
        if place + more < len(words) and any(sign in words[place + more].gap for sign in STOPS):
            return 0
        end = _end(items, item + 1, words, place + more)
        if end:
            return end
    return 0
