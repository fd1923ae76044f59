"""Names of the actions of *Ese Toro enamorado*, written and parsed, and the help."""

from collections import defaultdict
from functools import cache

import numpy as np

from sobremesa.envs.core.game import LANGUAGES, check_language
from sobremesa.envs.core.picture.words import key
from sobremesa.envs.ese_toro_enamorado import board as b
from sobremesa.envs.ese_toro_enamorado.state import A_GO, A_LAY, A_LILY, A_STAY, NUM_ACTIONS
from sobremesa.envs.ese_toro_enamorado.text.words import MOVES, TEXTS, place_name


def _names(language: str) -> tuple[str, ...]:
    """Return the names of all actions, in the order of the blocks in state.py."""
    tiles = b.TILE_NAMES[language]
    return (
        *(f"{MOVES[language]['mountain']} {name}" for name in b.NODE_NAMES[b.MOUNTAIN : b.MOUNTAIN + b.NUM_MOUNTAINS]),
        *(
            f"{tiles[kind]} {name}"
            for kind in b.LAND_KINDS
            for name in b.NODE_NAMES[b.OUTER : b.OUTER + b.NUM_CROSSINGS]
        ),
        *(f"{tiles[b.LILY]} {name}" for name in b.PLACE_NAMES[b.WATER :]),
        *(f"{MOVES[language]['go']} {name}" for name in b.NODE_NAMES),
        MOVES[language]["stay"],
    )


_NAMES = {language: _names(language) for language in LANGUAGES}


def action_name(action: int, language: str) -> str:
    """Return the name of `action`, unique in its language: `fence O3`, `go S3`, `stay`."""
    check_language(language)
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action={action!r} is not known; it takes a whole number from 0 to {NUM_ACTIONS - 1}")
    return _NAMES[language][action]


def entry(action: int, language: str, table: np.ndarray | None = None) -> tuple[str, str]:
    """Return the heading of `action` in a list, and its name there; both together can be typed.

    `("fence", "crossing O3")`, `("", "go to shore S3")`.
    """
    name = action_name(action, language)
    *_, verb, place = ("", "", *name.rsplit(" ", 1))
    if A_LAY <= action < A_GO:
        return verb, place_name(place, language)
    return "", f"{verb} {place_name(place, language, 'to')}" if A_GO <= action < A_STAY else name


@cache
def spellings(language: str) -> dict[str, list[int]]:
    """Return the names of places and tiles, with the actions about each, and actions with places as texts have them."""
    found: dict[str, list[int]] = defaultdict(list)
    for action, name in enumerate(_NAMES[language][:A_STAY]):
        verb, _, place = name.rpartition(" ")
        for form in (place, place_name(place, language), " ".join(entry(action, language)).strip()):
            found[form].append(action)
        if A_LAY <= action < A_GO:
            found[verb].append(action)
    return found


def _typed(names: tuple[str, ...], language: str) -> dict[str, int]:
    """Return the action for every accepted input: names, synonyms, bare places."""
    typed = {key(" ".join(entry(action, language))): action for action in range(NUM_ACTIONS)}
    typed |= {key(name): action for action, name in enumerate(names)}
    for other, word in MOVES[language]["others"]:
        for action, name in enumerate(names):
            if name.startswith(word + " "):
                typed[key(other + name.removeprefix(word))] = action
    typed |= {key(name): A_GO + node for node, name in enumerate(b.NODE_NAMES)}
    typed |= {key(name): A_LILY + water for water, name in enumerate(b.PLACE_NAMES[b.WATER :])}
    return typed | {key(word): A_STAY for word in MOVES[language]["other_stays"]}


_TYPED = {language: _typed(names, language) for language, names in _NAMES.items()}


def parse_action(text: str, language: str) -> int:
    """Return the action that `text` names; case, accents and spaces do not matter.

    A bare node means going there, a mountain too (`M2` is `go M2`; one is chosen by `mountain M2`); a bare water, such
    as `W5`, means the lily on it. Raises ValueError for any other text.
    """
    check_language(language)
    action = _TYPED[language].get(key(text))
    if action is None:
        raise ValueError(MOVES[language]["no_such_move"].format(text))
    return action


def details(table: np.ndarray, language: str) -> str:
    """Return the rules that `help_text` leaves out, with the limits and the paths of the `(1,)` state `table`."""
    state, text = table[0], str(TEXTS["details"][language])
    near = b.NEIGHBOURS[state.board]
    paths = (
        f"{name}: {', '.join(b.NODE_NAMES[other] for other in near[node] if other != b.NO_NODE)}"
        for node, name in enumerate(b.NODE_NAMES)
        if near[node][0] != b.NO_NODE
    )
    return text.format(vueltas=int(state.max_vueltas), rounds=int(state.max_rounds), paths="\n".join(paths))


def help_text(language: str) -> str:
    """Return the rules in short and how to type moves."""
    check_language(language)
    help_: str = TEXTS["help"][language]
    return help_
