"""*Bandido Alcatraz*: actions by name, both ways, in Spanish and English.

An open end is `end 3`, a flooded half `water 1`; both keep their numbers while they are there. A way to lay a card is
its slot in the hand, the half that goes there, and the side on which the other half comes to lie: `2a east`.
"""

from collections.abc import Iterator

from sobremesa.envs.bandido_alcatraz.cards import MOST_ENDS, NUM_FLOODS, NUM_WAYS, OTHER_SIDE, ROTATIONS
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_SIGNAL, A_WHERE, BIG_HAND, NUM_ACTIONS
from sobremesa.envs.bandido_alcatraz.text.words import (
    END_WORDS,
    GATHER_WORDS,
    LAY_WORDS,
    NO_SIDE,
    NO_SUCH_MOVE,
    OTHER_SIDE_WORDS,
    SIDE_WORDS,
    SIGNALS,
    WATER_WORDS,
)
from sobremesa.envs.core.game import LANGUAGES, check_language
from sobremesa.envs.core.picture.words import key


def said(language: str) -> Iterator[tuple[str, int]]:
    """Give everything that people may type in `language`, each with its action, the name of an action first."""
    for heads, first, count in (
        (END_WORDS, A_WHERE, MOST_ENDS),
        (WATER_WORDS, A_WHERE + MOST_ENDS, NUM_FLOODS),
        (GATHER_WORDS, A_GATHER, BIG_HAND),
    ):
        for number in range(count):
            yield from ((f"{word} {number + 1}", first + number) for word in heads[language])
    for slot in range(BIG_HAND):
        for way in range(NUM_WAYS):
            action = A_LAY + slot * NUM_WAYS + way
            yield from ((words, action) for words in _way(slot, way, language))
    for signal, words in enumerate(SIGNALS[language]):
        yield from ((word, A_SIGNAL + signal) for word in words)


def _way(slot: int, way: int, language: str) -> Iterator[str]:
    """Give what people may type for a way to lay a card, the name first."""
    half, turn = divmod(way, ROTATIONS)
    side = int(OTHER_SIDE[turn, half])
    name = SIDE_WORDS[language][side]
    card = f"{slot + 1}{'ab'[half]}"
    yield f"{card} {name}"
    for word in (name, name[0], *OTHER_SIDE_WORDS[language][side]):
        yield f"{card} {word}"
        yield from (f"{verb} {card} {word}" for verb in LAY_WORDS[language])


def _names(language: str) -> tuple[str, ...]:
    first: dict[int, str] = {}
    for words, action in said(language):
        first.setdefault(action, words)
    return tuple(first[action] for action in range(NUM_ACTIONS))


_NAMES = {language: _names(language) for language in LANGUAGES}
_TYPED = {language: {key(words): action for words, action in said(language)} for language in LANGUAGES}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`, unique in its language: `end 3`, `gather 2`, `1a north`."""
    check_language(language)
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action={action!r} is not known; it takes a whole number from 0 to {NUM_ACTIONS - 1}")
    return _NAMES[language][action]


def parse_action(text: str, language: str) -> int:
    """Return the action that `text` names, whatever its case, accents and spaces; raise ValueError if there is none."""
    check_language(language)
    action = _TYPED[language].get(key(text))
    if action is None and key(f"{text} {SIDE_WORDS[language][0]}") in _TYPED[language]:
        raise ValueError(NO_SIDE[language].format(text))
    if action is None:
        raise ValueError(NO_SUCH_MOVE[language].format(text))
    return action
