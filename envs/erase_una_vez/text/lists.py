"""Lists in a text: short items between commas, dashes or full stops, and a last one after `and`.

The rulebook lets no card be played for what a list only names.
"""

from collections.abc import Mapping, Sequence

from sobremesa.envs.erase_una_vez.text.forms import Word

LONG_LIST, _ITEM, _LAST = 4, 3, 5  # items of a list that matters no more; words in each of them, and in the last one
_SIGNS = (",", " - ", " – ", " — ", "/", "·", ";", "•")  # between items
_Contexts = Mapping[str, frozenset[str]]


def listed(words: Sequence[Word], contexts: _Contexts) -> frozenset[int]:
    """Return the places of words in long lists."""
    if not words:
        return frozenset()
    found = _fragments(words)
    start = 0
    for place in range(1, len(words) + 1):
        if place == len(words) or words[place].sentence != words[place - 1].sentence:
            found |= _list_in(words, start, place, contexts)
            start = place
    return frozenset(found)


def _fragments(words: Sequence[Word]) -> set[int]:
    """Return the places of words in a row of sentences that are as short as the items of a list: King. Wolf. Frog."""
    starts = [place for place, word in enumerate(words) if not place or word.sentence != words[place - 1].sentence]
    found: set[int] = set()
    first = many = 0  # where a row begins, and its sentences so far
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        many = many + 1 if end - start < _ITEM else 0
        first = start if many == 1 else first
        if many >= LONG_LIST:
            found |= set(range(first if many == LONG_LIST else start, end))
    return found


def _list_in(words: Sequence[Word], start: int, end: int, contexts: _Contexts) -> set[int]:
    """Return the places of words in the long lists of a sentence from `start` to `end`."""
    joins = contexts["and"]
    cuts = [p for p in range(start + 1, end) if any(s in words[p].gap for s in _SIGNS) or words[p].key in joins]
    # "Many, many years ago" and "she spun and spun" are no lists.
    cuts = [p for p in cuts if words[p - 1].key not in (word.key for word in words[p : min(p + 2, end)])]
    found: set[int] = set()
    run: list[int] = []
    for p in [*cuts, end + _LAST + 2]:
        # "The old man, who was blind," is no list, nor is "she found, in the cave, a letter".
        clause = p < end and words[p].key in (contexts["but"] - joins) | contexts["aside"]
        if run and (clause or p - run[-1] > _ITEM + (words[run[-1]].key in joins)):
            if len(run) >= LONG_LIST - 1:
                last = _LAST if words[run[-1]].key in joins else _ITEM
                found |= set(range(max(start, run[0] - 1), min(end, run[-1] + last)))
            run = []
        if not clause:
            run.append(p)
    return found
