"""Text that all games share."""

import unicodedata
from typing import Literal

MOST_MARKS = 30  # combining marks in a row, as in Unicode's stream-safe text format


def normalized(form: Literal["NFC", "NFD"], text: str) -> str:
    """Return `text` in a normalization form of Unicode, in linear time.

    Normalization sorts adjacent combining marks in quadratic time, so marks after MOST_MARKS in a row are dropped.
    """
    if text.isascii():
        return text
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    return unicodedata.normalize(form, "".join(kept))


def key(text: str, signs: str = "") -> str:
    """Return the letters and digits of `text`, and characters in `signs`, in lower case without accents.

    Other digits than 0 to 9 stay as they are: ② is a seat, not a number.
    """
    plain = "".join(map(_plain, text)).casefold()
    return "".join(sign for sign in plain if sign.isalnum() or sign in signs)


def _plain(sign: str) -> str:
    plain = unicodedata.normalize("NFKD", sign)
    return sign if plain != sign and any(one.isdigit() for one in plain) else plain
