"""What the words of a sentence name apart from its subject: the thing that it hangs on, and a meeting (C5.2, H9).

This follows from the wordings and the classes of nouns, and differs for something new and something told of before.
"""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.erase_una_vez.tables import NUM_THINGS, NUMBER
from sobremesa.envs.erase_una_vez.text.lexicon import AGAIN, CLASSES, NEW, NOUNS, ROLES, wordings_of

MEETING = NUMBER["E16"]
_MET, _PERHAPS = 100, 50  # hundredths
_KINDS = tuple(CLASSES)
_NO_KIND = len(_KINDS)
_ANIMAL, _PERSON = 1, 2


def _hooks() -> np.ndarray:
    """Return which classes of hooks the words for each thing can name `(2, NUM_THINGS, classes + 1)`."""
    named = np.zeros((2, NUM_THINGS, _NO_KIND + 1), np.uint8)
    for again, moment in enumerate((NEW, AGAIN)):
        for thing in range(NUM_THINGS):
            kinds = {kind for wording in wordings_of(thing, moment) for role in wording.roles for kind in ROLES[role]}
            named[again, thing, :_NO_KIND] = [kind in kinds for kind in _KINDS]
    return named


_NAMED = _hooks()
_KIND = np.array([*(_KINDS.index(noun.kind) for noun in NOUNS), _NO_KIND], np.int8)  # of each thing, and NO_THING
_LIVES = np.array([*({"person": _PERSON, "child": _PERSON, "beast": _ANIMAL}.get(noun.kind, 0) for noun in NOUNS), 0],
                  np.int8)  # fmt: skip


@kernel
def names_hook(again, thing, hook):
    """Return whether the words of a sentence about `thing`, told of `again` (1) or new (0), name its `hook`."""
    return hook != thing and _NAMED[again, thing, _KIND[hook]] == 1


@kernel
def meeting_weight(again, thing, hook):
    """Return how far a sentence about `thing` that hangs on `hook` tells of a meeting, in hundredths."""
    lives = _LIVES[thing] * _LIVES[hook]
    if lives == 0 or thing == hook:
        return 0
    return _MET if lives == _PERSON * _PERSON and not again else _PERHAPS
