"""Names in prompts, by game: those of cards, places and tiles, and what each action is about, from the game's tables.

Written without the spellings that the parser uses, to compare with them.
"""

import re

from sobremesa.envs.corre_el_encierro.cards import CARDS
from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS, THINGS
from sobremesa.envs.ese_toro_enamorado.board import PLACE_NAMES, TILE_NAMES
from sobremesa.envs.estafado.board import CELL_NAMES, RING, space_name
from sobremesa.envs.estafado.cards import CARDS as BEASTS, NO_CARD
from sobremesa.envs.estafado.state import A_HAND, FOX

_VERBS = {
    "erase_una_vez": {
        "en": ("play", "tell", "discard", "claim", "interrupt"),
        "es": ("carta", "contar", "descartar", "reclamar", "interrumpir"),
    },
    "corre_el_encierro": {"en": ("discard", "lay"), "es": ("descartar", "bajar")},
}


def _tale(language):
    names = {}
    for number, one in enumerate(THINGS):
        own = one.english if language == "en" else one.name
        names |= dict.fromkeys((own, one.name, *(f"{one.name} ({one.english})" for _ in [0] if language == "en")), own)
        if number < NUM_ELEMENTS:
            names |= dict.fromkeys((one.name.replace("(a)", ""), one.name.replace("o(a)", "a")), own)
    return {name: own for name, own in names.items() if name != "carta"}  # also the verb of cards


def _run(language):
    own = {one.name: one.english if language == "en" else one.name for one in CARDS}
    return own | {name: name for name in own.values()}


def _hunt(language):
    places = (*CELL_NAMES, *(space_name(space, language) for space in range(RING)))
    beasts = {name: f"card {one.name}" for one in BEASTS for name in (one.spanish, one.name)[: 1 + (language == "en")]}
    return {name: name for name in places} | beasts


def _lake(language):
    return {name: name for name in (*PLACE_NAMES, *TILE_NAMES[language])}


_TABLES = {"erase_una_vez": _tale, "corre_el_encierro": _run, "estafado": _hunt, "ese_toro_enamorado": _lake}


def names_of(game, language):
    """Return the names that prompts of `game` may have, with what each is a name of; empty for other games."""
    return _TABLES[game.name](language) if game.name in _TABLES else {}


def subjects_of(game, action, language, states):
    """Return what `action` is about in the `(1,)` state `states`, as in `names_of`."""
    name = game.words.action_name(action, language)
    if game.name in _VERBS:
        verb, _, rest = name.partition(" ")
        bare = rest if verb in _VERBS[game.name][language] else name
        return {re.sub(r" \+\d$", "", part) for part in bare.split(" + ")}
    if game.name == "estafado" and A_HAND <= action < A_HAND + len(states[0].hand):
        kind = int(states[0].hand[action - A_HAND])
        return {"card " + BEASTS[kind].name} if kind != NO_CARD and states[0].seat == FOX else set()
    return set(name.split(" "))


def fragments(text):
    """Return the parts of `text` between signs, such as the items of a list and the choices of a question."""
    joined = re.sub(r"\n {2,}", " ", text)
    parts = re.split(r"[\n,;:·|“”«»✓✗]| (?:or|o) |  +", joined)
    return {part.strip(" .*>–") for part in parts if len(part.strip(" .*>–")) > 1}
