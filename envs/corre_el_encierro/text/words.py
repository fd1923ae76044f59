"""Words of *Corre el encierro* by language, from `en.toml` and `es.toml`."""

from sobremesa.envs.core.words import load_words

TEXTS = load_words(__file__)
TITLE = {"en": "Run the Encierro", "es": "Corre el encierro"}
MOVES, NAMES = TEXTS["moves"], TEXTS["names"]
WORDS: dict[str, dict[str, str]] = TEXTS["table"]
STORY: dict[str, dict[str, str]] = TEXTS["story"]
WHY: dict[str, dict[str, str]] = TEXTS["why"]
SHORT_LOCATIONS = ("Santo Domingo", "Ayuntamiento", "Mercaderes", "Estafeta", "Telefónica", "Callejón", "Plaza")
