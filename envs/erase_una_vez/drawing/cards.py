"""Cards of *Érase una vez*, 100 by 140 around the origin: story cards, and things told without one."""

from functools import cache

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text, titled
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS, emblem
from sobremesa.envs.erase_una_vez.drawing.pieces import (
    FAINT,
    GROUP_COLOURS,
    GROUP_GROUNDS,
    ITALIC,
    PAPER,
    wrap,
    written,
)
from sobremesa.envs.erase_una_vez.tables import THINGS
from sobremesa.envs.erase_una_vez.text.words import name_of

WIDE, HIGH = 100, 140
_ROOM = 84  # for words
_NAMES_TOP, _NAMES_DEEP = 20, 46

_SMALL, _LARGE = (13.5, 6.0, 9.5, 9.0), (13.8, 12.0, 12.5, 12.5)  # letters: name, its least, gloss, ribbon
_SQUEEZED = 1.3  # large letters may be narrower by so much

UNPOINTED = '<g pointer-events="none">{}</g>'  # words: a pointer there is at the whole card, not at a line of its name
_INTERRUPTION = {"es": "Interrupción", "en": "Interruption"}


@cache
def story_card(thing: int, language: str, large: bool = False) -> str:
    """Draw the card of an element; `large` letters are legible in a narrow picture."""
    group = THINGS[thing].group
    return titled(
        label(thing, language),
        f'<rect x="-48.5" y="-68.5" width="97" height="137" rx="8" fill="{PAPER}" stroke="{GROUP_COLOURS[group]}" '
        f'stroke-width="3"/><rect x="-42" y="-62" width="84" height="78" rx="3" fill="{GROUP_GROUNDS[group]}" '
        f'stroke="{GROUP_COLOURS[group]}" stroke-width="1"/>'
        f"{place(0, -23, emblem(thing), 0.74)}{_ribbon(thing, language, large)}{_names(thing, language, False, large)}",
    )


@cache
def sketch(thing: int, language: str, large: bool = False) -> str:
    """Draw something told without a card: no frame, only a vignette."""
    group = THINGS[thing].group
    return titled(
        label(thing, language),
        '<rect x="-44" y="-62" width="88" height="132" fill="#fff" fill-opacity="0"/>'
        f'<ellipse cy="-22" rx="44" ry="40" fill="{GROUP_GROUNDS[group]}" fill-opacity=".75"/>'
        f"{place(0, -23, emblem(thing), 0.74)}{_names(thing, language, True, large)}"
        f'<path d="M-26,18 Q-13,14 0,18 T26,18" fill="none" stroke="{GROUP_COLOURS[group]}" stroke-width="1.8"/>',
    )


@cache
def label(thing: int, language: str) -> str:
    """Return the label of a thing."""
    name = name_of(thing, language)
    return name[:1].upper() + name[1:]


def picture_card(thing: int, language: str) -> str:
    """Draw the card of an element with its picture alone, for places where letters would be too small."""
    group = THINGS[thing].group
    return titled(
        label(thing, language),
        f'<rect x="-48.5" y="-68.5" width="97" height="137" rx="8" fill="{GROUP_GROUNDS[group]}" '
        f'stroke="{GROUP_COLOURS[group]}" stroke-width="4"/>{place(0, 0, emblem(thing), 0.9)}',
    )


def _names(thing: int, language: str, light: bool, large: bool) -> str:
    """Write the name, and in the English view the name that is printed on the card below, small."""
    name, printed = label(thing, language), label(thing, "es")
    bilingual = language == "en" and name != printed
    name = name.replace("/", " / ") if len(name) > 10 else name
    style = ITALIC + ' font-weight="bold"' if light else 'text-anchor="middle" font-weight="bold"'
    most, least, below, _ = _LARGE if large else _SMALL
    room = _ROOM * (_SQUEEZED if large else 1)
    lines, size = wrap(name, most, room, 3 if language == "es" else 2, least)
    gloss, small = wrap(printed, below, room, 2, least - 1) if bilingual else ([], 0.0)
    deep = 1.18 * (size * len(lines) + small * len(gloss)) + (2 if gloss else 0)
    while deep > _NAMES_DEEP + (8 if large else 0):  # three lines, or two and two
        size, small = size * 0.94, small * 0.94
        deep = 1.18 * (size * len(lines) + small * len(gloss)) + (2 if gloss else 0)
    top = max(_NAMES_TOP + (_NAMES_DEEP - deep) / 2, _NAMES_TOP - 3) + 0.86 * size
    below = top + 1.18 * size * len(lines) - size * 0.86 + small * 0.86 + 2
    name = written(0, top, lines, size, INK, style, _ROOM) + written(0, below, gloss, small, FAINT, ITALIC, _ROOM)
    return UNPOINTED.format(name)


@cache
def _ribbon(thing: int, language: str, large: bool) -> str:
    """Draw the ribbon of a card that interrupts."""
    if not THINGS[thing].interruption:
        return ""
    words = text(-27, 14.8, _INTERRUPTION[language], (_LARGE if large else _SMALL)[3], PAPER, LEFT_BOLD, 68)
    return MARKS["ribbon"] + UNPOINTED.format(words)
