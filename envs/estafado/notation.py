"""Names of the actions of *Estafado*, written and parsed, and the help."""

from functools import cache

from sobremesa.envs.core.game import check_language
from sobremesa.envs.core.picture.words import key
from sobremesa.envs.estafado.board import CELL_NAMES, RING, space_name
from sobremesa.envs.estafado.cards import HAND_SIZE
from sobremesa.envs.estafado.state import EAGLE_STEPS, NUM_ACTIONS, SLIDE_STEPS

# Inputs for each block of actions, the name first, then synonyms.
_CELL_WORDS = {
    "en": (
        ("go", "go to", "move", "move to", "fox", "fox to", "run to", "creep to", "leap", "leap to", "jump", "jump to"),
        ("tunnel", "tunnel to", "burrow", "burrow to"),
        ("vixen", "vixen on", "place vixen on", "place the vixen on", "protect"),
        ("look", "look at", "peek", "peek at"),
        ("swap", "swap with", "exchange", "exchange with", "switch", "switch with"),
        ("bear", "bear to", "move bear to", "move the bear to"),
    ),
    "es": (
        ("ir", "ir a", "mover", "mover a", "zorro", "zorro a", "correr a", "saltar", "saltar a", "salto a"),
        ("túnel", "túnel a", "por el túnel a", "ir por el túnel a"),
        ("zorra", "zorra en", "colocar zorra en", "colocar a la zorra en", "proteger"),
        ("mirar", "miro", "ver", "espiar"),
        ("cambiar", "cambiar por", "cambiar con", "cambio", "intercambiar", "intercambiar con"),
        ("oso", "oso a", "mover oso a", "mover al oso a"),
    ),
}
_START_WORDS = {"en": ("eagle at", "eagle on", "start at", "start"), "es": ("águila en", "empezar en", "empezar")}
_EAGLE_WORDS = {"en": ("eagle", "fly", "dive"), "es": ("águila", "volar", "zambullir", "zambullida")}
_SLIDE_WORDS = {"en": ("crow", "slide"), "es": ("cuerva", "deslizar")}
_HAND_WORDS = {"en": ("hand", "play", "card", "replace with"), "es": ("mano", "jugar", "juego", "carta")}
_PASS_WORDS = {
    "en": ("pass", "keep", "keep it", "no", "none", "nothing", "stop", "skip", "done"),
    "es": ("pasar", "paso", "dejar", "dejarla", "no", "nada", "ninguna", "parar", "seguir"),
}
_DECK_WORDS = {
    "en": ("deck", "swap deck", "swap with deck", "swap with the deck", "bury", "bury it"),
    "es": ("baraja", "cambiar por la baraja", "cambiar con la baraja", "mazo", "enterrar", "enterrarla"),
}
_WAYS = {  # clockwise, anticlockwise
    "en": (("clockwise",), ("anticlockwise", "counterclockwise")),
    "es": (("horario", "sentido horario"), ("antihorario", "sentido antihorario")),
}
_MINUS_SIGNS = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}", "---")
_NO_SUCH_MOVE = {
    "en": "{!r} is no move; try `go c3`, `look b2`, `eagle +1`, `hand 2` or `pass`",
    "es": "{!r} no es una jugada; prueba `ir c3`, `mirar b2`, `águila +1`, `mano 2` o `pasar`",
}


def _said(language: str) -> list[tuple[str, ...]]:
    """Return the accepted inputs of each action, its name first."""
    said = [tuple(f"{word} {cell}" for word in words) for words in _CELL_WORDS[language] for cell in CELL_NAMES]
    spaces = [dict.fromkeys(space_name(space, known) for known in (language, "en")) for space in range(RING)]
    said += [tuple(f"{word} {name}" for name in names for word in _START_WORDS[language]) for names in spaces]
    said += [_steps(_EAGLE_WORDS[language], int(step), language) for step in EAGLE_STEPS]
    said += [_steps(_SLIDE_WORDS[language], int(step), language) for step in SLIDE_STEPS]
    said += [tuple(f"{word} {slot + 1}" for word in _HAND_WORDS[language]) for slot in range(HAND_SIZE)]
    return [*said, _PASS_WORDS[language], _DECK_WORDS[language]]


def _steps(words: tuple[str, ...], step: int, language: str) -> tuple[str, ...]:
    """Return the accepted inputs for a number of steps along the ring, clockwise if positive."""
    ways = _WAYS[language][step < 0]
    counts = ("", " 1") if abs(step) == 1 else (f" {abs(step)}",)
    said = [f"{word} {step:+d}" for word in words]
    said += [f"{word} {step}" for word in words if step > 0]
    return (*said, *(f"{word} {way}{count}" for word in words for way in ways for count in counts))


@cache
def _names(language: str) -> list[str]:
    return [words[0] for words in _said(language)]


@cache
def _typed(language: str) -> dict[str, int]:
    """Return the action of each accepted input; cached, because it takes a while."""
    return {key(word, "+-"): action for action, words in enumerate(_said(language)) for word in words}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`, unique in its language: `go c3`, `eagle +2`, `hand 1`."""
    check_language(language)
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action={action!r} is not known; it takes a whole number from 0 to {NUM_ACTIONS - 1}")
    return _names(language)[action]


def parse_action(text: str, language: str) -> int:
    """Return the action that `text` names; case, accents and spaces do not matter. Raise ValueError for other text."""
    check_language(language)
    typed = key(text.translate(_MINUS_SIGNS), "+-")
    if typed not in _typed(language):
        raise ValueError(_NO_SUCH_MOVE[language].format(text))
    return _typed(language)[typed]
