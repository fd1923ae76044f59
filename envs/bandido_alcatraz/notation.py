"""Names of the actions of *Bandido Alcatraz*, and their parser, in Spanish and English.

An open end is `end 3`, a flooded half `water 1`; both keep their numbers while they are there. A way to lay a card is
its slot in the hand, the half that goes there, and the side on which the other half is placed: `2a east`.
"""

from collections.abc import Iterator

from sobremesa.envs.bandido_alcatraz.cards import MOST_ENDS, NUM_FLOODS, NUM_WAYS, OTHER_SIDE, ROTATIONS
from sobremesa.envs.bandido_alcatraz.state import A_GATHER, A_LAY, A_SIGNAL, A_WHERE, BIG_HAND, NUM_ACTIONS
from sobremesa.envs.bandido_alcatraz.text.words import MOVES
from sobremesa.envs.core.picture.words import Names


def said(language: str) -> Iterator[tuple[str, int]]:
    """Yield every accepted text in `language` with its action, the name of an action first."""
    for kind, first, count in (
        ("end", A_WHERE, MOST_ENDS),
        ("water", A_WHERE + MOST_ENDS, NUM_FLOODS),
        ("gather", A_GATHER, BIG_HAND),
    ):
        for number in range(count):
            yield from ((f"{word} {number + 1}", first + number) for word in MOVES[language][kind])
    for slot in range(BIG_HAND):
        for way in range(NUM_WAYS):
            action = A_LAY + slot * NUM_WAYS + way
            yield from ((words, action) for words in _way(slot, way, language))
    for signal, words in enumerate(MOVES[language]["signals"]):
        yield from ((word, A_SIGNAL + signal) for word in words)


def _way(slot: int, way: int, language: str) -> Iterator[str]:
    """Yield the accepted texts for a way to lay a card, the name first."""
    half, turn = divmod(way, ROTATIONS)
    side = int(OTHER_SIDE[turn, half])
    name = MOVES[language]["sides"][side]
    card = f"{slot + 1}{'ab'[half]}"
    yield f"{card} {name}"
    for word in (name, name[0], *MOVES[language]["other_sides"][side]):
        yield f"{card} {word}"
        yield from (f"{verb} {card} {word}" for verb in MOVES[language]["lay"])


NAMES = Names(NUM_ACTIONS, said, MOVES, ("n", "no_side"))
action_name, parse_action = NAMES.name, NAMES.parse  # `end 3`, `gather 2`, `1a north`
