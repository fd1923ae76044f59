"""Which things of a tale a free text mentions, and which ones it only names in passing (C5).

The detector is deterministic and works offline: the phrases of `data/phrases_*.toml`, the relations of the game, and
rules for proper names, long lists, negation, comparison and plans. Its work is linear in the length of the text.
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sobremesa.envs.core.picture.words import normalized
from sobremesa.envs.erase_una_vez.table_files import rows
from sobremesa.envs.erase_una_vez.text.forms import Word, words_of
from sobremesa.envs.erase_una_vez.text.phrases import ANY, HEARD, HINT, NAMED, VALID, Hit, hits, phrase_index

__all__ = ["HEARD", "Mention", "detect"]
SURE, PHRASED, DOUBTFUL = 1.0, 0.9, 0.7  # certainty of a word, of a phrase, and of a rule for a context
IMPLIED = 0.8  # relations from this weight on imply the other thing
_KIN = {("E20", "E07"), ("P21", "P13")}  # relations between things that a text names apart
_LONG_LIST, _LIST_ITEM = 4, 3  # items of a list that matters no more, and words in each of them
_OWN = (VALID, HINT)
_REACH = 5  # words between a negation and the word that it denies
Contexts = Mapping[str, frozenset[str]]  # words that change what follows, by use; phrases.py describes them


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
    text = normalized("NFC", text)
    words = words_of(text, phrase_index(language).apart)
    contexts = phrase_index(language).contexts
    listed = _listed(words, contexts)
    best: dict[str, tuple[tuple[bool, float], Mention]] = {}
    for hit in _standing([one for one in hits(words, language) if not _is_void(one, words, contexts)]):
        passing = hit.phrase.verdict == NAMED or _is_only_named(hit, words, contexts, listed)
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
    """Return the hits that no longer phrase for the same thing, or for every thing, overrules.

    A named hit counts only for words that are heard as its thing, or hint at it, without the phrase.
    """
    covering: dict[int, list[Hit]] = {}  # by the place of a word
    for hit in found:
        for place in range(hit.start, hit.end):
            covering.setdefault(place, []).append(hit)
    own = {(hit.phrase.of, place) for place, over in covering.items() for hit in over if hit.phrase.verdict in _OWN}
    heard_of = [hit for hit in found if hit.phrase.of != ANY and hit.phrase.verdict in (VALID, NAMED)]
    return [
        hit
        for hit in heard_of
        if any((hit.phrase.of, place) in own for place in range(hit.start, hit.end)) and not _overruled(hit, covering)
    ]


def _overruled(hit: Hit, covering: Mapping[int, Sequence[Hit]]) -> bool:
    """Return whether a hit of another verdict on the same words is longer, or as long and not valid."""
    strength = (hit.end - hit.start, hit.phrase.verdict != VALID)
    return any(
        other.phrase.of in (hit.phrase.of, ANY)
        and other.phrase.verdict not in (hit.phrase.verdict, HINT)
        and (other.end - other.start, other.phrase.verdict != VALID) > strength
        for place in range(hit.start, hit.end)
        for other in covering[place]
    )


def _is_only_named(hit: Hit, words: Sequence[Word], contexts: Contexts, listed: frozenset[int]) -> bool:
    """Return whether the words around a hit show that it is only named."""
    return (
        hit.start in listed
        or _proper(hit, words, contexts)
        or _compared(hit, words, contexts)
        or _denied(hit, words, contexts)
        or (hit.phrase.of[0] == "E" and _expected(hit, words, contexts))
    )


def _before(hit: Hit, words: Sequence[Word], reach: int) -> Sequence[Word]:
    """Return up to `reach` words before a hit in its sentence, as far as the last stop."""
    start = hit.start
    while start > 0 and hit.start - start < reach and words[start - 1].sentence == words[hit.start].sentence:
        if any(sign in words[start].gap for sign in ";:,—"):
            break
        start -= 1
    return words[start : hit.start]


def _proper(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether a hit is part of a proper name."""
    own = words[hit.start : hit.end]
    before = words[hit.start - 1] if hit.start else None
    after = words[hit.end] if hit.end < len(words) else None
    named = before is not None and (before.key in contexts["titles"] or before.key in contexts["called"])
    if named and own[0].text[0].isupper():
        return True
    if own[0].first or not own[0].capital:
        return False
    capital = before is not None and before.capital and not before.first and not own[0].gap.strip()
    follows = after is not None and after.capital and not after.gap.strip()
    person = hit.phrase.of[0] in "PC"
    return capital or (follows and not person) or (not person and hit.phrase.of[0] in "OAE")


def _compared(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether a hit is the second part of a comparison: like a wolf, as big as a house."""
    if hit.phrase.of[0] == "E" or hit.end - hit.start > 2:
        return False
    before = [word.key for word in words[max(0, hit.start - 6) : hit.start + 1]]
    return any(
        other in contexts["articles"]
        and (one in contexts["like"] or (one in contexts["twice"] and _begins_comparison(before[:-3], contexts)))
        for one, other in itertools.pairwise(before[-4:])
    )


def _begins_comparison(before: Sequence[str], contexts: Contexts) -> bool:
    """Return whether a comparison begins in some words: as big, but not as far."""
    return any(
        one in contexts["twice"] and other not in contexts["far"] for one, other in itertools.pairwise((*before, ""))
    )


def _denied(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether a hit is denied: without an axe, there was no bridge, he did not escape."""
    keys = [word.key for word in _before(hit, words, _REACH)]
    last = max((place for place, one in enumerate(keys) if one in contexts["but"]), default=-1)
    keys = keys[last + 1 :]
    if any(_negative(one, contexts["not"]) for one in keys[-2:]):
        return hit.phrase.of[0] != "P" or keys[-1] not in contexts["known"]
    if hit.phrase.of[0] in "AE":
        return any(_negative(one, contexts["deny"]) for one in keys[-3:])
    denied = [place for place, one in enumerate(keys) if _negative(one, contexts["deny"])]
    return any(set(keys[place + 1 :]) & contexts["lacks"] for place in denied)


def _is_void(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether a phrase that only names does not apply: it passes a comma, or takes its denial back.

    So "he could not forget the fear" states the fear.
    """
    if hit.phrase.verdict != NAMED:
        return False
    if any("," in word.gap for word in words[hit.start + 1 : hit.end]):
        return True
    keys = [word.key for word in words[hit.start : hit.end]]
    first = next((place for place, one in enumerate(keys) if _negative(one, contexts["deny"])), len(keys))
    return bool(set(keys[first + 1 : -1]) & contexts["but"])


def _negative(word: str, negations: Collection[str]) -> bool:
    return word in negations or word.endswith("n't")


def _expected(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether an event is only expected or wished for."""
    sentence = words[max(0, hit.start - 12) : hit.start]
    keys = {word.key for word in sentence if word.sentence == words[hit.start].sentence}
    near = {word.key for word in _before(hit, words, _REACH)}
    return bool(keys & contexts["perhaps"] or near & contexts["wish"])


def _listed(words: Sequence[Word], contexts: Contexts) -> frozenset[int]:
    """Return the places of words in long lists: short items between commas, and a last one after `and`."""
    found: set[int] = set()
    start = 0
    for place in range(1, len(words) + 1):
        if place == len(words) or words[place].sentence != words[place - 1].sentence:
            found |= _list_in(words, start, place, contexts)
            start = place
    return frozenset(found)


def _list_in(words: Sequence[Word], start: int, end: int, contexts: Contexts) -> set[int]:
    joins = contexts["and"]
    cuts = [p for p in range(start + 1, end) if "," in words[p].gap or words[p].key in joins]
    # "Many, many years ago" and "she spun and spun" are no lists.
    cuts = [p for p in cuts if words[p - 1].key not in (word.key for word in words[p : min(p + 2, end)])]
    cuts = [p for i, p in enumerate(cuts) if not (i and cuts[i - 1] == p - 1 and words[p].key in joins)]
    found: set[int] = set()
    run: list[int] = []
    for p in [*cuts, end + _LIST_ITEM + 2]:
        # "The old man, who was blind," is no list, nor is "she found, in the cave, a letter".
        clause = p < end and words[p].key in (contexts["but"] - joins) | contexts["aside"]
        if run and (clause or p - run[-1] > _LIST_ITEM + (words[run[-1]].key in joins)):
            if len(run) >= _LONG_LIST - 1:
                found |= set(range(max(start, run[0] - 1), min(end, run[-1] + _LIST_ITEM)))
            run = []
        if not clause:
            run.append(p)
    return found
