"""The language of a sentence, by its frequent words and its letters."""

import re

from sobremesa.envs.erase_una_vez.text.flavour import NAMES
from sobremesa.envs.erase_una_vez.text.forms import split, words_of
from sobremesa.envs.erase_una_vez.text.phrases import HEARD

_FREQUENT = {
    "es": split(
        "el la los las un una unos unas de del al a en y o que se no es era fue con por para su sus lo le les mi "
        "me te si como pero porque cuando donde mas muy ya sin sobre entre hasta desde este esta ese esa aquel "
        "aquella todo todos nadie nada alguien algo habia hay estaba tenia dijo vez dia ella ellos nos ni tan dos "
        "tres entonces luego siempre nunca hacia tras junto mientras aun asi e u he ha han solo otro otra "
    ),
    "en": split(
        "the a an of to in and or that it is was were be been with for on at by from as his her he she they them "
        "their its my me your you we our but not no when where who which there had has have did do would could "
        "upon into out up down over under then than all one so if nobody nothing somebody something said "
        "time day very never always two three this these those him i after before until while other another "
    ),
}
_LETTERS = {"es": re.compile("[ñ¿¡áéíóú]"), "en": re.compile(r"\w['’]\w")}
_NAMES = re.compile(rf"\b({'|'.join(name.text for name in NAMES)})\b", re.IGNORECASE)  # both languages have them
_SIGN = 2  # words that a letter of one language alone counts for


def language_of(text: str, usual: str) -> str:
    """Return the language of `HEARD` in which a text is written, `usual` where its words do not show it."""
    keys = [word.key for word in words_of(text)]
    letters = _NAMES.sub("", text).lower()
    points = {
        language: sum(key in _FREQUENT[language] for key in keys)
        + _SIGN * (_LETTERS[language].search(letters) is not None)
        for language in HEARD
    }
    best = max(points.values())
    return usual if usual in points and points[usual] == best else max(points, key=lambda language: points[language])
