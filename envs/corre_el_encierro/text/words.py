"""Words of *Corre el encierro* by language, from `en.toml` and `es.toml`."""

from sobremesa.envs.core.words import load_words

TEXTS = load_words(__file__)
MOVES, NAMES, WORDS, STORY, WHY = (TEXTS[section] for section in ("moves", "names", "table", "story", "why"))
COLUMNS = 78
SHORT_LOCATIONS = ("Santo Domingo", "Ayuntamiento", "Mercaderes", "Estafeta", "Telefónica", "Callejón", "Plaza")
