"""*Bandido Alcatraz*: actions by name, both ways, in Spanish and English.

An open end is `end 3`, a flooded half `water 1`; both keep their numbers while they are there. A way to lay a card is
its slot in the hand, the half that goes there, and the side on which the other half comes to lie: `2a east`.
"""

from sobremesa.envs.bandido_alcatraz.cards import MOST_ENDS, NUM_FLOODS, NUM_WAYS, OTHER_SIDE, ROTATIONS
from sobremesa.envs.bandido_alcatraz.state import BIG_HAND, NUM_ACTIONS
from sobremesa.envs.core.game import LANGUAGES, check_language
from sobremesa.envs.core.words import key

SIDE_WORDS = {"en": ("north", "east", "south", "west"), "es": ("norte", "este", "sur", "oeste")}
SIGNAL_WORDS = {
    "en": (
        "silence", "I can close a tunnel", "I can join two tunnels", "I can cover water", "I will give a raincoat",
        "I will give a rope", "I have nothing good",
    ),
    "es": (
        "silencio", "puedo cerrar un túnel", "puedo unir dos túneles", "puedo cubrir agua", "doy un impermeable",
        "doy una cuerda", "no tengo nada bueno",
    ),
}  # fmt: skip
_END_WORDS = {"en": ("end", "tunnel"), "es": ("túnel", "boca")}
_WATER_WORDS = {"en": ("water", "flood"), "es": ("agua",)}
_GATHER_WORDS = {"en": ("gather", "give"), "es": ("reunir", "dar")}
_NO_SUCH_MOVE = {
    "en": "{!r} is no move; try `end 3`, `water 1`, `gather 2` or `1a north`",
    "es": "{!r} no es una jugada; prueba `túnel 3`, `agua 1`, `reunir 2` o `1a norte`",
}


def _ways(language: str) -> list[tuple[str, ...]]:
    """Return what people may say for each way to lay each card, the name first."""
    said = []
    for slot in range(BIG_HAND):
        for way in range(NUM_WAYS):
            half, turn = divmod(way, ROTATIONS)
            card, side = f"{slot + 1}{'ab'[half]}", SIDE_WORDS[language][OTHER_SIDE[turn, half]]
            said.append((f"{card} {side}", f"{card} {side[0]}"))
    return said


def _said(language: str) -> list[tuple[str, ...]]:
    """Return for each action all that people may say for it, its name first."""
    numbered = (
        (_END_WORDS, MOST_ENDS),
        (_WATER_WORDS, NUM_FLOODS),
        (_GATHER_WORDS, BIG_HAND),
    )
    said = [
        tuple(f"{word} {number + 1}" for word in words[language])
        for words, count in numbered
        for number in range(count)
    ]
    return [*said, *_ways(language), *((words,) for words in SIGNAL_WORDS[language])]


_NAMES = {language: [words[0] for words in _said(language)] for language in LANGUAGES}
_TYPED = {
    language: {key(word): action for action, words in enumerate(_said(language)) for word in words}
    for language in LANGUAGES
}


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
    if action is None:
        raise ValueError(_NO_SUCH_MOVE[language].format(text))
    return action
