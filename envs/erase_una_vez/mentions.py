"""What the words of a sentence name besides its subject: the thing that it hangs on, and a meeting (C5.2, H9).

The arrays follow from the wordings. They tell apart sentences about something new, first, and about something known.
"""

import numpy as np

from sobremesa.envs.erase_una_vez.tables import NO_THING, NUM_THINGS, NUMBER
from sobremesa.envs.erase_una_vez.text.lexicon import AGAIN, NEW, NOUNS, ROLES, wordings_of

MEETING = NUMBER["E16"]
_MET, _PERHAPS = 100, 50  # hundredths
_PEOPLE, _CHARACTERS = ("person", "child"), ("person", "child", "beast")


def _hooks() -> np.ndarray:
    """Return which hooks the words of a sentence can name `(2, NUM_THINGS, NUM_THINGS + 1)`."""
    named = np.zeros((2, NUM_THINGS, NUM_THINGS + 1), np.uint8)
    for again, moment in enumerate((NEW, AGAIN)):
        for thing in range(NUM_THINGS):
            kinds = {kind for wording in wordings_of(thing, moment) for role in wording.roles for kind in ROLES[role]}
            named[again, thing, :NUM_THINGS] = [noun.kind in kinds and noun.thing != thing for noun in NOUNS]
    return named


def _meetings() -> np.ndarray:
    """Return how far a sentence about a character that hangs on another tells of a meeting, in hundredths."""
    people = np.array([noun.kind in _PEOPLE for noun in NOUNS])
    characters = np.array([noun.kind in _CHARACTERS for noun in NOUNS])
    met = np.zeros((2, NUM_THINGS, NUM_THINGS + 1), np.int8)
    met[:, :, :NO_THING] = _PERHAPS * np.outer(characters, characters)
    met[0, :, :NO_THING][np.outer(people, people)] = _MET
    met[:, range(NUM_THINGS), range(NUM_THINGS)] = 0  # nobody meets himself
    return met


NAMES_HOOK, MEETS = _hooks(), _meetings()
