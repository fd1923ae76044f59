"""Which things of a tale a free text mentions, and which ones it only names in passing (C5).

The detector is deterministic and works offline: the phrases of `data/phrases_*.toml`, the relations of the game, and
rules for proper names, long lists, negation, comparison and plans. Its work is linear in the length of the text.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sobremesa.envs.core.picture.words import normalized
from sobremesa.envs.erase_una_vez.text.forms import words_of
from sobremesa.envs.erase_una_vez.text.lists import listed
from sobremesa.envs.erase_una_vez.text.passing import is_only_named, is_open
from sobremesa.envs.erase_una_vez.text.phrases import ANY, HEARD, HINT, NAMED, VALID, Hit, hits, phrase_index
from sobremesa.envs.erase_una_vez.text.roles import speakers
from sobremesa.envs.erase_una_vez.text.spelling import mended

__all__ = ["HEARD", "Mention", "detect"]
SURE, DOUBTFUL = 1.0, 0.7  # certainty
_OWN = (VALID, HINT)


class Mention(NamedTuple):
    """A thing that a text mentions."""

    thing: str  # id of an element or concept
    certainty: float  # 0..1
    kind: str  # "valid", or "named" for a thing that is only named in passing
    words: str  # as written


def detect(text: str, language: str) -> list[Mention]:
    """Return the things that a text in a language of `HEARD` mentions, each once, in the order of their words.

    A *valid* mention states that the thing is there or happens. A *named* one is a figure of speech, a homograph, a
    proper name, part of a long list, a comparison, denied, or only expected. A mention is less certain where its words
    often mean something else, or a wish, a denial, speech or a name is near. Raises ValueError for another language.
    """
    text = normalized("NFC", text)
    index = phrase_index(language)
    words, guessed = mended(words_of(text, index.apart), language)
    lists = listed(words, index.contexts)
    spoken = {word.sentence for word in words if word.key in index.contexts["told"]}
    best: dict[str, Mention] = {}
    for hit in _standing([*hits(words, language), *speakers(words, index)]):
        passing = hit.phrase.verdict == NAMED or is_only_named(hit, words, index.contexts, lists)
        doubtful = (
            passing
            or not hit.phrase.sure
            or words[hit.start].sentence in spoken
            or not guessed.isdisjoint(range(hit.start, hit.end))
            or is_open(hit, words, index.contexts)
        )
        said = text[words[hit.start].start : words[hit.end - 1].end]
        mention = Mention(hit.phrase.of, DOUBTFUL if doubtful else SURE, NAMED if passing else VALID, said)
        best[mention.thing] = max(best.get(mention.thing, mention), mention, key=_strength)
    return list(best.values())


def _strength(mention: Mention) -> tuple[bool, float]:
    """Return what makes a mention of a thing count before another one: a valid one first."""
    return mention.kind == VALID, mention.certainty


def _standing(found: Sequence[Hit]) -> list[Hit]:
    """Return the hits that no longer phrase for the same thing, or for every thing, overrules.

    A named hit counts only for words that are heard as its thing, or hint at it, without the phrase.
    """
    covering: dict[int, list[Hit]] = {}  # by the place of a word
    for hit in found:
        for place in range(hit.start, hit.end):
            covering.setdefault(place, []).append(hit)
    own = {(hit.phrase.of, place) for place, over in covering.items() for hit in over if hit.phrase.verdict in _OWN}
    return [
        hit
        for hit in found
        if hit.phrase.of != ANY
        and hit.phrase.verdict in (VALID, NAMED)
        and any((hit.phrase.of, place) in own for place in range(hit.start, hit.end))
        and not _overruled(hit, covering)
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
