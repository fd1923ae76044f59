"""Which things of a tale a free text mentions, and which ones it only names in passing (C5).

The detector is deterministic and works offline: the phrases of `data/phrases_*.toml`, the relations of the game, and
rules for proper names, long lists, negation, comparison and plans. Its work is linear in the length of the text.
"""

import itertools
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sobremesa.envs.erase_una_vez.table_files import rows
from sobremesa.envs.erase_una_vez.text.forms import Word, split, words_of
from sobremesa.envs.erase_una_vez.text.phrases import ANY, HEARD, NAMED, SILENT, VALID, Hit, heard, hits

__all__ = ["HEARD", "Mention", "detect"]
SURE, PHRASED, DOUBTFUL = 1.0, 0.9, 0.7  # certainty of a word, of a phrase, and of a rule for a context
IMPLIED = 0.8  # relations from this weight on imply the other thing
_KIN = {("E20", "E07"), ("P21", "P13")}  # relations between things that a text names apart
_LONG_LIST, _LIST_ITEM = 4, 3  # items of a list that matters no more, and words in each of them
_REACH = 4  # words between a negation and the word that it denies

_NOT = {
    "es": frozenset(["sin", "ni", "ningun", "ninguna", "ninguno", "tampoco"]),
    "en": frozenset(["without", "neither", "nor", "no", "never", "not"]),
}
_LACKS = {  # after "no" or "nobody": verbs whose object is absent
    "es": frozenset(
        split(
            "habia hay hubo haya tenia tiene tenian tenia tuvo traia traian llevaba llevaban quedaba quedaban "
            "existia era es fue estaba estaban esta parecia tengo"
        )
    ),
    "en": frozenset(["have", "had", "has", "was", "were", "is", "are", "be", "been", "seem", "look"]),
}
_DENY = {
    "es": frozenset(["no", "nunca", "jamas", "nadie", "ninguno", "ninguna", "tampoco"]),
    "en": frozenset(["not", "never"]),
}
_BUT = {  # words that end what a negation denies
    "es": frozenset(["mas", "sino", "pero", "que", "porque", "aunque", "cuando", "hasta", "solo", "y", "si"]),
    "en": frozenset(
        ["but", "only", "because", "until", "when", "and", "who", "that", "which", "so", "even", "just", "longer"]
    ),
}
_PERHAPS = {
    "es": frozenset(["quiza", "quizas", "ojala", "acaso", "podria", "podrian", "tal-vez"]),
    "en": frozenset(["perhaps", "maybe", "if", "someday", "might"]),
}
_WISH = {
    "es": frozenset(split("queria querian quiere quisiera deseaba desea esperaba espera soñaba pensaba pretendia")),
    "en": frozenset(split("want wants wanted wish wishes wished hope hoped hopes hoping longed dreamed planned would")),
}
_LIKE = {
    "es": (frozenset(["como", "cual"]), frozenset(["un", "una", "unos", "unas"])),
    "en": (frozenset(["like", "as"]), frozenset(["a", "an", "the"])),
}
_AND = {"es": frozenset(["y", "e", "o", "u"]), "en": frozenset(["and", "or"])}
_TITLES = frozenset(["mr", "mrs", "miss", "ms", "sir", "don", "doña", "señor", "señora"])
_CALLED = frozenset(split("called named llamada llamado llamaba llamaban llamaron llaman apodado apodada apodaban"))


class Mention(NamedTuple):
    """A thing that a text mentions."""

    thing: str  # id of an element or concept
    certainty: float  # 0..1
    kind: str  # "valid", or "named" for a thing that is only named in passing
    words: str  # as written


def detect(text: str, language: str) -> list[Mention]:
    """Return the things that a text in a language of `HEARD` mentions, each once.

    They are in the order of their words, those that another thing implies last.

    A *valid* mention states that the thing is there or happens. A *named* one is a figure of speech, a homograph, a
    proper name, part of a long list, a comparison, denied, or only expected. Raises ValueError for another language.
    """
    text = unicodedata.normalize("NFC", text)
    words = words_of(text, heard(language).apart)
    listed = _listed(words, language)
    best: dict[str, tuple[tuple[bool, float], Mention]] = {}
    for hit in _standing(hits(words, language)):
        passing = hit.phrase.verdict == NAMED or _in_passing(hit, words, language, listed)
        certainty = DOUBTFUL if passing else SURE if hit.end == hit.start + 1 else PHRASED
        said = text[words[hit.start].start : words[hit.end - 1].end]
        _add(best, Mention(hit.phrase.of, certainty, NAMED if passing else VALID, said))
    for said, meant, weight in _IMPLIED:
        if said in best and best[said][1].kind == VALID:
            _add(best, Mention(meant, weight, VALID, best[said][1].words))
    return [mention for _, mention in best.values()]


def _implied() -> list[tuple[str, str, float]]:
    found = []
    for row in rows("relations"):
        weight = float(row["weight"])
        if weight >= IMPLIED and not row["if"] and (row["said"], row["meant"]) not in _KIN:
            found.append((row["said"], row["meant"], weight))
    return found


_IMPLIED = _implied()


def _add(best: dict[str, tuple[tuple[bool, float], Mention]], mention: Mention) -> None:
    """Keep the strongest mention of each thing: a valid one first."""
    strength = (mention.kind == VALID, mention.certainty)
    if mention.thing not in best or best[mention.thing][0] < strength:
        best[mention.thing] = (strength, mention)


def _standing(found: Sequence[Hit]) -> list[Hit]:
    """Return the hits that no longer phrase for the same thing, or for every thing, overrules."""
    covering: dict[int, list[Hit]] = {}  # by the place of a word
    for hit in found:
        for place in range(hit.start, hit.end):
            covering.setdefault(place, []).append(hit)
    heard_of = [hit for hit in found if hit.phrase.of != ANY and hit.phrase.verdict != SILENT]
    return [hit for hit in heard_of if not _overruled(hit, covering)]


def _overruled(hit: Hit, covering: Mapping[int, Sequence[Hit]]) -> bool:
    """Return whether a hit of another verdict on the same words is longer, or as long and not valid."""
    strength = (hit.end - hit.start, hit.phrase.verdict != VALID)
    return any(
        other.phrase.of in (hit.phrase.of, ANY)
        and other.phrase.verdict != hit.phrase.verdict
        and (other.end - other.start, other.phrase.verdict != VALID) > strength
        for place in range(hit.start, hit.end)
        for other in covering[place]
    )


def _in_passing(hit: Hit, words: Sequence[Word], language: str, listed: frozenset[int]) -> bool:
    """Return whether the words around a hit show that it is only named."""
    return (
        hit.start in listed
        or _proper(hit, words)
        or _compared(hit, words, language)
        or _denied(hit, words, language)
        or (hit.phrase.of[0] == "E" and _expected(hit, words, language))
    )


def _before(hit: Hit, words: Sequence[Word], reach: int) -> Sequence[Word]:
    """Return up to `reach` words before a hit in its sentence, as far as the last stop."""
    start = hit.start
    while start > 0 and hit.start - start < reach and words[start - 1].sentence == words[hit.start].sentence:
        if any(sign in words[start].gap for sign in ";:,—"):
            break
        start -= 1
    return words[start : hit.start]


def _proper(hit: Hit, words: Sequence[Word]) -> bool:
    """Return whether a hit is part of a proper name."""
    own = words[hit.start : hit.end]
    if not own[0].text[0].isupper():
        return False
    before = words[hit.start - 1] if hit.start else None
    after = words[hit.end] if hit.end < len(words) else None
    if before is not None and (before.key in _TITLES or before.key in _CALLED):
        return True
    if own[0].first:
        return False
    capital = before is not None and before.text[0].isupper() and not before.first and not own[0].gap.strip()
    follows = after is not None and after.text[0].isupper() and not after.gap.strip()
    person = hit.phrase.of[0] in "PC"
    return capital or (follows and not person) or (not person and hit.phrase.of[0] in "OAE")


def _compared(hit: Hit, words: Sequence[Word], language: str) -> bool:
    """Return whether a hit is the second part of a comparison: like a wolf."""
    like, articles = _LIKE[language]
    if hit.phrase.of[0] == "E" or hit.end - hit.start > 2:
        return False
    before = [word.key for word in words[max(0, hit.start - 3) : hit.start + 1]]
    return any(
        one in like and other in (articles if one != "as" else articles - {"the"})
        for one, other in itertools.pairwise(before)
    )


def _denied(hit: Hit, words: Sequence[Word], language: str) -> bool:
    """Return whether a hit is denied: without an axe, there was no bridge, he did not escape."""
    keys = [word.key for word in _before(hit, words, _REACH)]
    last = max((place for place, one in enumerate(keys) if one in _BUT[language]), default=-1)
    keys = keys[last + 1 :]
    if set(keys[-2:]) & _NOT[language] or any(one.endswith("n't") for one in keys[-2:]):
        return language == "es" or hit.phrase.of[0] != "P" or keys[-1] not in ("the", "his", "her")
    if hit.phrase.of[0] in "AE":
        return bool(set(keys[-3:]) & _DENY[language])
    denied = [place for place, one in enumerate(keys) if one in _DENY[language] or one.endswith("n't")]
    return any(set(keys[place + 1 :]) & _LACKS[language] for place in denied)


def _expected(hit: Hit, words: Sequence[Word], language: str) -> bool:
    """Return whether an event is only expected or wished for."""
    sentence = words[max(0, hit.start - 12) : hit.start]
    keys = {word.key for word in sentence if word.sentence == words[hit.start].sentence}
    near = {word.key for word in _before(hit, words, _REACH)}
    return bool(keys & _PERHAPS[language] or near & _WISH[language])


def _listed(words: Sequence[Word], language: str) -> frozenset[int]:
    """Return the places of words in long lists: short items between commas, and a last one after `and`."""
    found: set[int] = set()
    start = 0
    for place in range(1, len(words) + 1):
        if place == len(words) or words[place].sentence != words[place - 1].sentence:
            found |= _list_in(words, start, place, language)
            start = place
    return frozenset(found)


def _list_in(words: Sequence[Word], start: int, end: int, language: str) -> set[int]:
    cuts = [p for p in range(start + 1, end) if "," in words[p].gap or words[p].key in _AND[language]]
    cuts = [p for i, p in enumerate(cuts) if not (i and cuts[i - 1] == p - 1 and words[p].key in _AND[language])]
    found: set[int] = set()
    run: list[int] = []
    for p in [*cuts, end + _LIST_ITEM + 2]:
        if run and p - run[-1] > _LIST_ITEM + (words[run[-1]].key in _AND[language]):
            if len(run) >= _LONG_LIST - 1:
                found |= set(range(max(start, run[0] - 1), min(end, run[-1] + _LIST_ITEM)))
            run = []
        run.append(p)
    return found
