"""Where a text only names a thing: proper names, comparisons, denials and wishes (C5, O16.1)."""

import itertools
from collections.abc import Collection, Mapping, Sequence

from sobremesa.envs.erase_una_vez.tables import ASPECT, EVENT, GROUP, NUMBER
from sobremesa.envs.erase_una_vez.text.forms import Word
from sobremesa.envs.erase_una_vez.text.phrases import STOPS, Hit

Contexts = Mapping[str, frozenset[str]]  # words that change what follows, by use; phrases.py describes them
_REACH, _WISHED, _FAR = 5, 7, 12  # words between a negation, a wish or a condition and the word that it concerns
_NAMED_BY = frozenset({"P01", "P02", "P04", "P07", "P11", "P12", "P17", "P18"})  # whose nouns stand before a name


def is_only_named(hit: Hit, words: Sequence[Word], contexts: Contexts, listed: frozenset[int]) -> bool:
    """Return whether the words around a hit show that it is only named."""
    happens = GROUP[NUMBER[hit.phrase.of]] in (ASPECT, EVENT)
    return (
        hit.start in listed
        or _proper(hit, words, contexts)
        or _compared(hit, words, contexts)
        or _denied(hit, words, contexts, happens)
        or (happens and _expected(hit, words, contexts))
    )


def is_open(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether what is near a hit leaves open whether it is stated.

    That is a capital letter, a hyphen, `of`, a denial, or a word after which it may only be expected.
    """
    first, after, near = words[hit.start], words[hit.end : hit.end + 1], before(hit, words, _WISHED)
    earlier = [word.key for word in _earlier(hit, words)]
    return (
        (first.capital and not first.first)
        or any(word.gap == "-" for word in (first, *after))
        or any(word.key in contexts["of"] for word in near[-1:])
        or any(negative(word.key, contexts["deny"] | contexts["not"]) for word in near)
        or any(one in contexts["wish"] | contexts["open"] or _is_later(one, contexts) for one in earlier)
    )


def _is_later(word: str, contexts: Contexts) -> bool:
    """Return whether a verb is yet to come."""
    return word in contexts["later"] or word.endswith(tuple(contexts["tense"]))


def negative(word: str, negations: Collection[str]) -> bool:
    """Return whether a word denies."""
    return word in negations or word.endswith("n't")


def before(hit: Hit, words: Sequence[Word], reach: int) -> Sequence[Word]:
    """Return up to `reach` words before a hit in its sentence, as far as the last stop."""
    start = hit.start
    while start > 0 and hit.start - start < reach and words[start - 1].sentence == words[hit.start].sentence:
        if any(sign in words[start].gap for sign in STOPS):
            break
        start -= 1
    return words[start : hit.start]


def _proper(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether a hit is part of a proper name."""
    own = words[hit.start : hit.end]
    earlier = words[hit.start - 1] if hit.start else None
    after = words[hit.end] if hit.end < len(words) else None
    if _is_street(own, words[max(0, hit.start - 3) : hit.start], after, contexts):
        return True
    if earlier is not None and earlier.key in contexts["titles"] | contexts["called"] and own[0].text[0].isupper():
        return True
    if own[0].first or not own[0].capital:
        return False
    capital = earlier is not None and earlier.capital and not earlier.first and not own[0].gap.strip()
    follows = after is not None and after.capital and not after.gap.strip()
    group = hit.phrase.of[0]
    if group == "P" and hit.phrase.of not in _NAMED_BY and earlier is not None and not own[0].gap.strip():
        return capital or earlier.key not in contexts["articles"] | contexts["known"]
    return capital or (follows and group not in "PC") or group in "OAE"


def _is_street(own: Sequence[Word], earlier: Sequence[Word], after: Word | None, contexts: Contexts) -> bool:
    """Return whether a word with a capital names a street, a square or a house: King Street, la calle del Rey."""
    if not own[0].text[0].isupper():
        return False
    if after is not None and after.text[0].isupper() and after.key in contexts["streets"] and not after.gap.strip():
        return True
    return not own[0].first and any(word.key in contexts["streets"] for word in earlier)


def _compared(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether a hit is the second part of a comparison: like a wolf, as big as a house."""
    if hit.phrase.of[0] == "E" or hit.end - hit.start > 2:
        return False
    keys = [word.key for word in words[max(0, hit.start - 6) : hit.start + 1]]
    return any(
        other in contexts["articles"]
        and (one in contexts["like"] or (one in contexts["twice"] and _begins_comparison(keys[:-3], contexts)))
        for one, other in itertools.pairwise(keys[-4:])
    )


def _begins_comparison(keys: Sequence[str], contexts: Contexts) -> bool:
    """Return whether a comparison begins in some words: as big, but not as far."""
    return any(
        one in contexts["twice"] and other not in contexts["far"] for one, other in itertools.pairwise((*keys, ""))
    )


def _denied(hit: Hit, words: Sequence[Word], contexts: Contexts, happens: bool) -> bool:
    """Return whether a hit is denied: without an axe, there was no bridge, he did not escape."""
    keys = [word.key for word in before(hit, words, _REACH)]
    last = max((place for place, one in enumerate(keys) if one in contexts["but"]), default=-1)
    keys = keys[last + 1 :]
    if any(negative(one, contexts["not"]) for one in keys[-2:]):
        return hit.phrase.of[0] != "P" or keys[-1] not in contexts["known"]
    if any(negative(word.key, contexts["deny"]) and not _says(hit, word.key) for word in words[hit.start : hit.end]):
        return True
    denied = [place for place, one in enumerate(keys) if negative(one, contexts["deny"])]
    if happens:
        return bool(denied)
    return any(set(keys[place + 1 :]) & contexts["lacks"] for place in denied)


def _says(hit: Hit, word: str) -> bool:
    """Return whether a word is one of the words of a phrase, and not in a gap of it."""
    return any(item is not None and word in item for item in hit.phrase.items)


def _expected(hit: Hit, words: Sequence[Word], contexts: Contexts) -> bool:
    """Return whether an event or a state is only expected or wished for: perhaps, if, wanted to, moriría."""
    wished = any(word.key in contexts["wish"] for word in _earlier(hit, words))
    return wished or any(_is_later(one, contexts) for one in _verbs(hit, words))


def _earlier(hit: Hit, words: Sequence[Word]) -> list[Word]:
    """Return the words of the same sentence before a hit, as far as they concern it."""
    sentence = words[hit.start].sentence
    return [word for word in words[max(0, hit.start - _FAR) : hit.start] if word.sentence == sentence]


def _verbs(hit: Hit, words: Sequence[Word]) -> list[str]:
    """Return the keys of a hit that no article makes a noun."""
    return [
        words[place].key
        for place in range(hit.start, hit.end)
        if not place or words[place - 1].key not in ("la", "una", "su", "de")
    ]
