"""Words of *Ese Toro enamorado* by language, from `en.toml` and `es.toml`; pieces and places are in board.py."""

from sobremesa.envs.core.words import load_words

TEXTS = load_words(__file__)
TITLE = {"en": "The Bull in Love", "es": "Ese Toro enamorado"}
MOVES, TILES = TEXTS["moves"], TEXTS["tiles"]
WORDS: dict[str, dict[str, str]] = TEXTS["table"]
STORY: dict[str, dict[str, str]] = TEXTS["story"]
PIECES: dict[str, dict[str, str]] = TEXTS["pieces"]
PLACES: dict[str, dict[str, dict[str, str]]] = TEXTS["places"]
WHY: dict[str, dict[str, str]] = TEXTS["why"]


def place_name(name: str, language: str, key: str = "named") -> str:
    """Return a place with its kind: `crossing O3`, with `key` `at` `on crossing O3`, with `to` `to crossing O3`."""
    return PLACES[language][key][name[0]].format(name)
