"""Text that all games share."""

import unicodedata


def key(text: str, signs: str = "") -> str:
    """Return the letters and digits of `text`, and characters in `signs`, in lower case without accents.

    Other digits than 0 to 9 stay as they are: ② is a seat, not a number.
    """
    plain = "".join(map(_plain, text)).casefold()
    return "".join(sign for sign in plain if sign.isalnum() or sign in signs)


def _plain(sign: str) -> str:
    plain = unicodedata.normalize("NFKD", sign)
    return sign if plain != sign and any(one.isdigit() for one in plain) else plain
