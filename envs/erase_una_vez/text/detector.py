"""Which things of a tale a free text mentions, and which ones it only names in passing (C5).

The detector is deterministic and works offline: the phrases of `data/phrases_*.toml`, the relations of the game, and
rules for proper names, long lists, negation, comparison and plans. Its work is linear in the length of the text.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sobremesa.envs.core.picture.words import normalized
from sobremesa.envs.erase_una_vez.table_files import rows
from sobremesa.envs.erase_una_vez.text.forms import words_of
from sobremesa.envs.erase_una_vez.text.lists import listed
from sobremesa.envs.erase_una_vez.text.passing import is_only_named, is_void
from sobremesa.envs.erase_una_vez.text.phrases import ANY, HEARD, HINT, NAMED, VALID, Hit, hits, phrase_index
from sobremesa.envs.erase_una_vez.text.roles import speakers
from sobremesa.envs.erase_una_vez.text.spelling import mended

__all__ = ["HEARD", "Mention", "detect"]
SURE, PHRASED, DOUBTFUL = 1.0, 0.9, 0.7  # certainty of a word, of a phrase, and of a rule for a context
IMPLIED = 0.8  # relations from this weight on imply the other thing
_KIN = {("E20", "E07"), ("P21", "P13")}  # relations between things that a text names apart
_OWN = (VALID, HINT)


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
    index = phrase_index(language)
    words, guessed = mended(words_of(text, index.apart), language)
    lists = listed(words, index.contexts)
    best: dict[str, tuple[tuple[bool, float], Mention]] = {}
    found = [one for one in hits(words, language) if not is_void(one, words, index.contexts)]
    for hit in _standing([*found, *speakers(words, index)]):
        passing = hit.phrase.verdict == NAMED or is_only_named(hit, words, index.contexts, lists)
        doubtful = passing or not guessed.isdisjoint(range(hit.start, hit.end))
        certainty = DOUBTFUL if doubtful else SURE if hit.end == hit.start + 1 else PHRASED
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
