"""Names of the actions of *Ese Toro enamorado*, written and parsed, and the help."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np

from sobremesa.envs.core.picture.words import Names
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
    for action, name in enumerate(NAMES.all(language)[:A_STAY]):
        verb, _, place = name.rpartition(" ")
        for form in (place, place_name(place, language), " ".join(entry(action, language)).strip()):
            found[form].append(action)
        if A_LAY <= action < A_GO:
            found[verb].append(action)
    return found


def said(language: str) -> Iterator[tuple[str, int]]:
    """Yield every accepted input with its action: names, as they are in lists, synonyms, bare places.

    A bare node means going there, a mountain too (`M2` is `go M2`; one is chosen by `mountain M2`); a bare water, such
    as `W5`, means the lily on it.
    """
    names = _names(language)
    yield from zip(names, range(NUM_ACTIONS), strict=True)
    yield from ((" ".join(entry(action, language)), action) for action in range(NUM_ACTIONS))
    for other, word in MOVES[language]["others"]:
        for action, name in enumerate(names):
            if name.startswith(word + " "):
                yield other + name.removeprefix(word), action
    yield from zip(b.NODE_NAMES, range(A_GO, A_STAY), strict=True)
    yield from zip(b.PLACE_NAMES[b.WATER :], range(A_LILY, A_LILY + b.NUM_SHORES), strict=True)
    yield from ((word, A_STAY) for word in MOVES[language]["other_stays"])


NAMES = Names(NUM_ACTIONS, said, MOVES)
action_name, parse_action = NAMES.name, NAMES.parse  # `fence O3`, `go S3`, `stay`


def details(table: np.ndarray, language: str) -> str:
    """Return the rules that the help leaves out, with the limits and the paths of the `(1,)` state `table`."""
    state, text = table[0], str(TEXTS["details"][language])
    near = b.NEIGHBOURS[state.board]
    paths = (
        f"{name}: {', '.join(b.NODE_NAMES[other] for other in near[node] if other != b.NO_NODE)}"
        for node, name in enumerate(b.NODE_NAMES)
        if near[node][0] != b.NO_NODE
    )
    return text.format(vueltas=int(state.max_vueltas), rounds=int(state.max_rounds), paths="\n".join(paths))
