"""Word forms for the detector of free text: words of a text, and Spanish and English inflection.

Words are compared by a *key*: lower case without accents, but with ñ, because people omit accents when they type. A few
words differ only by an accent (*sabía* knew, *sabia* wise); they are listed as `apart` and keep their own key.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby


def split(text: str) -> list[str]:
    """Return the words of a table that is written as one text."""
    return text.split()


# A sentence with more capital letters than this share of its words after the first is like a heading, from 3 words on.
MOST_CAPITALS, _HEADING = 0.75, 3
LONGEST_WORD = 40  # letters; longer strings are no words
_ACCENTS = re.compile("(?<!n)[\u0300-\u036f]|(?<=n)[\u0300-\u0302\u0304-\u036f]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_ENDS = re.compile(r"[.!?…\n]")  # of a sentence

DIMINUTIVES = ["it", "uel", "ot", "az", "uch", "ecit", "ecill", "cit", "cill"]
_CLITICS = split("me te se lo la le los las les nos os selo sela selos selas melo mela telo tela")
_AR = split(
    "o as a amos ais an aba abas abamos aban é aste ó asteis aron e es emos en ara aras aramos aran ase "
    "asen ando ado ada ados adas ar aré arás ará aremos arán aría arías aríamos arían ad"
)
_ER = split(
    "o es e emos eis en ía ías íamos ían í iste ió imos isteis ieron a as amos an iera ieras ieran iese "
    "iesen iendo ido ida idos idas ó eron era eran ese esen endo"
)
_FUTURE = ["", "é", "ás", "á", "emos", "án", "ía", "ías", "íamos", "ían"]
_SOFTENED = {"c": "qu", "g": "gu", "z": "c"}  # last letters of a stem before e and i
_PLURALS = (
    *((end, f"{end}es") for end in ("s", "x", "z", "ch", "sh", "o")),
    *(("y", "ies"), ("f", "ves"), ("fe", "ves"), ("man", "men")),
)  # of English nouns besides -s
# Words that only hold a phrase together have no other forms.
FUNCTION_WORDS = frozenset(
    split(
        "de del la el los las lo le les un una a al y e o u en por con su sus se que no ni sin como para más "
        "muy me te nos mi tu the of an and or in on to at by for with his her its their my your our it he she "
        "they them him is was were be been as so no not had has have did do away out up down off into from "
        "over under that who whom more one"
    )
)


@dataclass(frozen=True)
class Word:
    """A word of a text."""

    key: str
    text: str  # as written
    start: int
    end: int
    sentence: int
    first: bool  # of its sentence or of a quotation
    gap: str  # the signs before it, since the last word
    capital: bool  # whether it begins with a capital letter that is not that of every word


def key(word: str, apart: Collection[str] = ()) -> str:
    """Return what a word is compared by; a word in `apart` equals only itself."""
    word = word.lower()
    if word in apart:
        return f"{word}'"
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word)))


def words_of(text: str, apart: Collection[str] = ()) -> list[Word]:
    """Return the words of a text in composed form (NFC), without English possessive endings."""
    words: list[Word] = []
    sentence = last = 0
    for match in _WORD.finditer(text):
        gap = text[last : match.start()]
        ends = bool(words) and _ENDS.search(gap) is not None
        sentence += ends
        first = not words or ends or any(sign in gap for sign in "—¿¡«“\"'‘:(")
        plain = _POSSESSIVE.sub("", match[0])[:LONGEST_WORD].replace("’", "'")
        capital = match[0][0].isupper() and not _loud(match[0])
        words.append(Word(key(plain, apart), match[0], match.start(), match.end(), sentence, first, gap, capital))
        last = match.end()
    sentences = groupby(words, key=lambda word: word.sentence)
    return [word for _, sentence in sentences for word in _without_headings(list(sentence))]


def _loud(text: str) -> bool:
    """Return whether a word of two letters or more is written in capitals: that makes no name of it."""
    return len(text) > 1 and text.isupper()


def _without_headings(sentence: Sequence[Word]) -> Sequence[Word]:
    """Return the words of a sentence, without capitals where these state nothing.

    So it is IN CAPITALS ONLY, and in a longer sentence Where Most Words Have One.
    """
    capitals = [word.text[0].isupper() for word in sentence[1:]]
    heading = len(capitals) >= _HEADING and sum(capitals) > MOST_CAPITALS * len(capitals)
    if heading or all(word.text.isupper() for word in sentence):
        return [replace(word, capital=False) for word in sentence]
    return sentence


def noun_forms(word: str, language: str, more: bool = False) -> Iterator[str]:
    """Yield the forms of a noun or adjective: number, and in Spanish diminutives and superlatives.

    If `more`, also the other gender in Spanish, and degrees and adverbs in English.
    """
    yield word
    if word in FUNCTION_WORDS:
        return
    if language == "en":
        yield from _english_plurals(word)
        yield from _english_degrees(word) if more else ()
        return
    yield from _spanish_plurals(word)
    genders = [word]
    if more:
        genders.append(f"{word[:-1]}a" if word.endswith(("o", "e")) else f"{key(word)}a")
        yield genders[1]
        yield f"{genders[1]}s"
    for one in genders:
        yield from _sized(key(one))


def _english_plurals(word: str) -> Iterator[str]:
    yield f"{word}s"
    for ending, plural in _PLURALS:
        if word.endswith(ending):
            yield word.removesuffix(ending) + plural


def _english_degrees(word: str) -> Iterator[str]:
    """Yield comparatives, superlatives and adverbs of an English adjective."""
    stem = word.removesuffix("e")
    if word.endswith("y"):
        stem = f"{word[:-1]}i"
    for base in (stem, f"{stem}{stem[-1]}"):
        yield from (f"{base}er", f"{base}est")
    yield f"{word[:-2]}ly" if word.endswith("le") else f"{stem if word.endswith('y') else word}ly"


def _spanish_plurals(word: str) -> Iterator[str]:
    if word.endswith("z"):
        yield f"{word[:-1]}ces"
    elif key(word)[-1:] in "aeiou":
        yield f"{word}s"
    else:
        yield f"{word}es"


def _sized(word: str) -> Iterator[str]:
    """Yield diminutives, augmentatives and superlatives of a Spanish word without accents."""
    vowel = word[-1:] if word[-1:] in ("o", "a", "e") else ""
    stem = word.removesuffix(vowel) if vowel else word
    soft = stem[:-1] + _SOFTENED.get(stem[-1:], stem[-1:])
    endings = (vowel,) if vowel in ("o", "a") else ("o", "a")
    for suffix in (*DIMINUTIVES, "isim", "quisim"):
        base = soft if suffix[0] in "ei" else stem if suffix[0] != "c" or not vowel else word
        for ending in endings:
            yield f"{base}{suffix}{ending}"
            yield f"{base}{suffix}{ending}s"


def spanish_verb(stems: list[str], kind: str) -> Iterator[str]:
    """Yield the forms of a Spanish verb from its stems, infinitive first, and its `kind`: ar, er or ir."""
    endings = _AR if kind == "ar" else _ER
    for stem in stems:
        soft = stem[:-1] + _SOFTENED.get(stem[-1:], stem[-1:]) if kind == "ar" else stem
        for ending in endings:
            yield f"{soft if key(ending)[0] == 'e' else stem}{ending}"
    infinitive = f"{stems[0]}{kind}"
    yield from (f"{infinitive}{ending}" for ending in _FUTURE)
    gerunds = [f"{stem}{'ando' if kind == 'ar' else ending}" for stem in stems for ending in ("iendo", "endo")]
    commands = [f"{stem}{ending}" for stem in stems for ending in ("a", "e")]
    for one in (infinitive, *gerunds, *commands):
        yield from (f"{one}{clitic}" for clitic in _CLITICS)


def english_verb(word: str, *irregular: str) -> Iterator[str]:
    """Yield the forms of an English verb; irregular pasts and participles take the place of those in -ed.

    Raises ValueError if there is no word.
    """
    if not word:
        raise ValueError("an English verb needs a word before '!'")
    yield word
    yield from _english_plurals(word)
    stem = word.removesuffix("e")
    if word.endswith("ee"):
        stem = word
    endings = ("ing",) if irregular else ("ed", "ing")
    yield from irregular
    for ending in endings:
        yield f"{stem}{ending}"
        yield f"{word}{word[-1]}{ending}"
    if word.endswith("ie"):
        yield f"{word[:-2]}ying"
    if word.endswith("y") and not irregular:
        yield f"{word[:-1]}ied"
