"""Cards of *Érase una vez*, 100 by 140 around the origin: story cards, and things told without one."""

from functools import cache

from sobremesa.envs.core.picture.drawing import LEFT_BOLD, place, text, titled
from sobremesa.envs.erase_una_vez.drawing import pieces as p
from sobremesa.envs.erase_una_vez.drawing.art import INK, MARKS, emblem
from sobremesa.envs.erase_una_vez.drawing.pieces import wrap, written
from sobremesa.envs.erase_una_vez.tables import THINGS
from sobremesa.envs.erase_una_vez.text.words import name_of

WIDE, HIGH = 100, 140
_ROOM = 84  # for words
_NAMES_TOP, _NAMES_DEEP = 3, 64
_NAME, _LEAST, _GLOSS, _RIBBON = 15.5, 14.5, 13.5, 13.5  # letters; those of the name, at least
_SQUEEZED = 1.55  # letters may be narrower by so much

UNPOINTED = '<g pointer-events="none">{}</g>'  # words: a pointer there is at the whole card, not at a line of its name
_INTERRUPTION = {"es": "Interrupción", "en": "Interruption"}


@cache
def story_card(thing: int, language: str) -> str:
    """Draw the card of an element."""
    group = THINGS[thing].group
    return titled(
        label(thing, language),
        f'<rect x="-48.5" y="-68.5" width="97" height="137" rx="8" fill="{p.PAPER}" stroke="{p.GROUP_COLOURS[group]}" '
        f'stroke-width="3"/><rect x="-42" y="-62" width="84" height="61" rx="3" fill="{p.GROUP_GROUNDS[group]}" '
        f'stroke="{p.GROUP_COLOURS[group]}" stroke-width="1"/>'
        f"{place(0, -31.5, emblem(thing), 0.58)}{_ribbon(thing, language)}{_names(thing, language, False)}",
    )


@cache
def sketch(thing: int, language: str) -> str:
    """Draw something told without a card: no frame, only a vignette."""
    group = THINGS[thing].group
    return titled(
        label(thing, language),
        '<rect x="-44" y="-62" width="88" height="132" fill="#fff" fill-opacity="0"/>'
        f'<ellipse cy="-31" rx="42" ry="32" fill="{p.GROUP_GROUNDS[group]}" fill-opacity=".75"/>'
        f"{place(0, -32, emblem(thing), 0.59)}{_names(thing, language, True)}"
        f'<path d="M-26,3 Q-13,-1 0,3 T26,3" fill="none" stroke="{p.GROUP_COLOURS[group]}" stroke-width="1.8"/>',
    )


@cache
def vignette(thing: int, language: str) -> str:
    """Return the picture of a thing as an SVG document, on the ground of its group."""
    body = f'<ellipse rx="56" ry="50" fill="{p.GROUP_GROUNDS[THINGS[thing].group]}"/>{emblem(thing)}'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-60 -60 120 120" role="img" '
        f'aria-label="{label(thing, language)}">{titled(label(thing, language), body)}</svg>'
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
        f'<rect x="-48.5" y="-68.5" width="97" height="137" rx="8" fill="{p.GROUP_GROUNDS[group]}" '
        f'stroke="{p.GROUP_COLOURS[group]}" stroke-width="4"/>{place(0, 0, emblem(thing), 0.9)}',
    )


def _names(thing: int, language: str, light: bool) -> str:
    """Write the name, and in the English view the name that is printed on the card below, small."""
    name, printed = label(thing, language), label(thing, "es")
    bilingual = language == "en" and name != printed
    name = name.replace("/", " / ") if len(name) > 10 else name
    style = p.ITALIC + ' font-weight="bold"' if light else 'text-anchor="middle" font-weight="bold"'
    room = _ROOM * _SQUEEZED
    lines, size = wrap(name, _NAME, room, 3 if language == "es" else 2, _LEAST)
    gloss, small = wrap(printed, _GLOSS, room, 2, 13) if bilingual else ([], 0.0)
    deep = 1.1 * (size * len(lines) + small * len(gloss))
    while deep > _NAMES_DEEP:  # three lines, or two and two
        size, small, deep = size * 0.97, small * 0.97, deep * 0.97
    top = _NAMES_TOP + (_NAMES_DEEP - deep) / 2 + 0.84 * size
    below = top + 1.1 * size * len(lines) - size * 0.84 + small * 0.9
    above = written(0, top, lines, size, INK, style, _ROOM, 1.1)
    return UNPOINTED.format(above + written(0, below, gloss, small, p.FAINT, p.ITALIC, _ROOM, 1.1))


@cache
def _ribbon(thing: int, language: str) -> str:
    """Draw the ribbon of a card that interrupts."""
    if not THINGS[thing].interruption:
        return ""
    words = text(-27, 16.2, _INTERRUPTION[language], _RIBBON, p.PAPER, LEFT_BOLD, 72)
    return place(0, -15.5, MARKS["ribbon"] + UNPOINTED.format(words))
