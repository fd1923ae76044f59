"""What texts of all games have in common."""

import unicodedata


def key(text: str, signs: str = "") -> str:
    """Return the letters and digits of `text`, and what is among `signs`, small and without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(sign for sign in plain if sign.isalnum() or sign in signs)
