"""Text that all games share."""

import unicodedata


def key(text: str, signs: str = "") -> str:
    """Return the letters and digits of `text`, and characters in `signs`, in lower case without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(sign for sign in plain if sign.isalnum() or sign in signs)
