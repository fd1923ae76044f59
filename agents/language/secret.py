"""Texts of an endpoint without the key that was sent to it.

An endpoint may repeat the key as it is, or in another form: with escapes of JSON, Python, URLs or HTML, between other
signs, backwards, in hexadecimal, as numbers, or in base64. An endpoint that wants to show its key can always find
another form.
"""

import json
import re
import unicodedata
from base64 import b64encode
from functools import lru_cache
from urllib.parse import quote

KEY = "[key]"
HIDDEN = "[a text that repeats the key]"
SHORTEST = 8  # characters; a shorter key, such as EMPTY, is a placeholder
_RUN = 12  # letters and digits of the parts of a key that are looked for
_ROUNDS = 3  # escapes within escapes
_HEX = re.compile(r"(?:\\(?:u\{?0*|x)|%(?:25|u00)*|&#x0*|=)([0-9a-f]{2})\}?;?", re.IGNORECASE)
_DECIMAL = re.compile(r"&#0*([0-9]{2,3});?")
_OCTAL = re.compile(r"\\([01][0-7]{2})")
_SPACE = re.compile(r"\\[nrtfvb]")


def redact(text: str, key: str) -> str:
    """Return `text` without `key`; HIDDEN if the key may be there in another form."""
    if len(key) < SHORTEST:
        return text
    for form in (key, escaped := json.dumps(key)[1:-1], escaped.replace("/", "\\/"), quote(key, safe="")):
        text = text.replace(form, KEY)
    return HIDDEN if _repeats(text, key) else text


def _repeats(text: str, key: str) -> bool:
    parts = _parts(key)
    for _ in range(_ROUNDS):
        found = _squeezed(text)
        if any(part in found for part in parts):
            return True
        before, text = text, _decoded(text)
        if text == before:
            break
    return False


@lru_cache(2)
def _parts(key: str) -> tuple[str, ...]:
    """Return parts of the forms of `key`; at least one is in each text that has a longer part of the key."""
    raw = key.encode()
    forms = [(key, 1), (key[::-1], 1), (raw.hex(), 2), ("".join(str(one) for one in raw), 2)]
    for shift in range(3):  # base64 of the key within another text
        coded = b64encode(bytes(shift) + raw).decode().rstrip("=")
        forms.append((coded[4 if shift else 0 :][:-1], 1))
    found = []
    for form, width in forms:
        whole = _squeezed(form)
        run = min(_RUN * width, len(whole))
        if run >= SHORTEST:
            found += [whole[start : start + run] for start in range(0, len(whole) - run + 1, run // 2)]
            found.append(whole[-run:])
    return tuple(found)


def _squeezed(text: str) -> str:
    """Return the letters and digits of `text`, in lower case."""
    return re.sub(r"[^0-9a-z]+", "", unicodedata.normalize("NFKC", text).lower())


def _decoded(text: str) -> str:
    """Return `text` with its escapes of ASCII signs replaced."""
    text = text.replace("\\\\", "\\")  # an escape within an escape
    text = _HEX.sub(lambda match: chr(int(match[1], 16)), text)
    text = _DECIMAL.sub(lambda match: chr(int(match[1])), text)
    text = _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)
    return _SPACE.sub(" ", text)
