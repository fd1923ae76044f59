"""Words of *Estafado* by language, from `en.toml` and `es.toml`."""

from sobremesa.envs.core.words import load_words
from sobremesa.envs.estafado.board import SIDE, line_sign

TEXTS = load_words(__file__)
MOVES = TEXTS["moves"]
WORDS: dict[str, dict[str, str]] = TEXTS["table"]
STORY: dict[str, dict[str, str]] = TEXTS["story"]
PICTURE: dict[str, dict[str, str]] = TEXTS["picture"]
EFFECTS: dict[str, dict[str, str]] = TEXTS["effects"]
WHY: dict[str, dict[str, str]] = TEXTS["why"]
SEATS = {"en": ("Fox", "Crow"), "es": ("Zorro", "Cuerva")}


def line_name(space: int, language: str) -> str:
    """Return the name of the column or row of a space of the ring."""
    return WORDS[language]["row" if space // SIDE % 2 else "column"].format(line_sign(space))
