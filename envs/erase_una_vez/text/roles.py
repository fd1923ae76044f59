"""Who speaks in a text: an animal or an object that is the subject of a verb of speech later in its sentence."""

from collections.abc import Iterator, Sequence

from sobremesa.envs.erase_una_vez.text.forms import Word, words_of
from sobremesa.envs.erase_una_vez.text.phrases import VALID, Hit, Phrase, PhraseIndex, phrase_index

_SPEAKERS = {"animal": "A19", "object": "A22"}  # the element that a speaking one of each set tells of
_REACH = 12  # words between a subject and its verb


def speakers(words: Sequence[Word], index: PhraseIndex) -> Iterator[Hit]:
    """Yield hits from an animal or object to its verb of speech: a raven landed on the sill and spoke."""
    for kind, of in _SPEAKERS.items():
        for start, word in enumerate(words):
            if word.key in index.sets[kind] and _is_subject(words, start, index):
                end = _verb(words, start, index)
                if end:
                    yield Hit(Phrase(of, VALID, ()), start, end)


def only_sees(text: str, language: str) -> bool:
    """Return whether people in a text are seen, and speak with nobody: that is no meeting."""
    index = phrase_index(language)
    keys = {word.key for word in words_of(text, index.apart)}
    return bool(keys & index.contexts["sees"]) and not keys & index.sets["talk"]


def _is_subject(words: Sequence[Word], place: int, index: PhraseIndex) -> bool:
    """Return whether the noun at `place` begins its clause: no preposition and no verb of speech comes before it."""
    for earlier in range(place - 1, max(-1, place - 4), -1):
        if words[earlier].sentence != words[place].sentence or words[earlier + 1].gap.strip():
            return True
        key = words[earlier].key
        if key in index.contexts["and"] | index.contexts["but"]:
            return True
        if key in index.contexts["aside"] or key in index.sets["say"] or key in index.contexts["deny"]:
            return False
    return place < 4 or words[place - 1].key in index.sets["det"]


def _verb(words: Sequence[Word], start: int, index: PhraseIndex) -> int:
    """Return the place after the verb of speech whose subject is at `start`, 0 without one."""
    contexts, begins = index.contexts, index.contexts["begins"]
    for place in range(start + 1, min(len(words), start + _REACH + 1)):
        word, earlier = words[place], words[place - 1]
        if word.sentence != words[start].sentence:
            return 0
        if word.key in contexts["deny"] or word.key in index.sets["person"] or word.key in contexts["pronouns"]:
            return 0
        if word.key not in index.sets["talk"]:
            continue
        follows = place == start + 1 or earlier.key in contexts["and"] | begins
        return place + 1 if follows and not any(sign in word.gap for sign in ".;:") else 0
    return 0
