"""*Estafado*: actions by name, both ways, in Spanish and English."""

from sobremesa.envs.core.game import LANGUAGES, check_language
from sobremesa.envs.core.words import key
from sobremesa.envs.estafado.board import CELL_NAMES, RING, space_name
from sobremesa.envs.estafado.cards import HAND_SIZE
from sobremesa.envs.estafado.state import EAGLE_STEPS, NUM_ACTIONS, SLIDE_STEPS

# What is said for each block of actions, the name first, then what else people may type.
_CELL_WORDS = {
    "en": (("go", "move", "fox", "leap"), ("tunnel",), ("vixen", "protect"), ("look", "peek"), ("swap",), ("bear",)),
    "es": (("ir", "mover", "zorro", "saltar"), ("túnel",), ("zorra", "proteger"), ("mirar", "ver"), ("cambiar",),
           ("oso",)),
}  # fmt: skip
_START_WORDS = {"en": ("eagle at", "start"), "es": ("águila en", "empezar")}
_EAGLE_WORDS = {"en": ("eagle", "dive"), "es": ("águila", "zambullir")}
_SLIDE_WORDS = {"en": ("crow", "slide"), "es": ("cuerva", "deslizar")}
_HAND_WORDS = {"en": ("hand", "play", "replace"), "es": ("mano", "jugar", "cambiar por")}
_PASS_WORDS = {"en": ("pass", "keep", "no", "stop"), "es": ("pasar", "dejar", "no", "parar")}
_DECK_WORDS = {"en": ("deck", "bury"), "es": ("baraja", "enterrar", "mazo")}
_NO_SUCH_MOVE = {
    "en": "{!r} is no move; try `go c3`, `look b2`, `eagle +1`, `hand 2` or `pass`",
    "es": "{!r} no es una jugada; prueba `ir c3`, `mirar b2`, `águila +1`, `mano 2` o `pasar`",
}


def _said(language: str) -> list[tuple[str, ...]]:
    """Return for each action all that people may say for it, its name first."""
    said = [tuple(f"{word} {cell}" for word in words) for words in _CELL_WORDS[language] for cell in CELL_NAMES]
    spaces = [space_name(space, language) for space in range(RING)]
    said += [tuple(f"{word} {space}" for word in _START_WORDS[language]) for space in spaces]
    said += [tuple(f"{word} {step:+d}" for word in _EAGLE_WORDS[language]) for step in EAGLE_STEPS]
    said += [tuple(f"{word} {step:+d}" for word in _SLIDE_WORDS[language]) for step in SLIDE_STEPS]
    said += [tuple(f"{word} {slot + 1}" for word in _HAND_WORDS[language]) for slot in range(HAND_SIZE)]
    return [*said, _PASS_WORDS[language], _DECK_WORDS[language]]


_NAMES = {language: [words[0] for words in _said(language)] for language in LANGUAGES}
_TYPED = {
    language: {key(word, "+-"): action for action, words in enumerate(_said(language)) for word in words}
    for language in LANGUAGES
}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`, unique in its language: `go c3`, `eagle +2`, `hand 1`."""
    check_language(language)
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action={action!r} is not known; it takes a whole number from 0 to {NUM_ACTIONS - 1}")
    return _NAMES[language][action]


def parse_action(text: str, language: str) -> int:
    """Return the action that `text` names, whatever its case, accents and spaces; raise ValueError if there is none."""
    check_language(language)
    typed = key(text, "+-")
    if typed not in _TYPED[language]:
        raise ValueError(_NO_SUCH_MOVE[language].format(text))
    return _TYPED[language][typed]
