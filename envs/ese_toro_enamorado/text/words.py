"""Words of *Ese Toro enamorado* by language, from `en.toml` and `es.toml`; pieces and places are in board.py."""

from sobremesa.envs.core.words import load_words

TEXTS = load_words(__file__)
MOVES, TILES, WORDS, STORY, WHY = (TEXTS[section] for section in ("moves", "tiles", "table", "story", "why"))
