"""Cards of *Corre el encierro* as SVG fragments: faces, backs, piles and the card being resolved.

A face has the colour of its purpose, a picture, its name, and the mark that the rulebook puts in its corner.
"""

from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

from sobremesa.envs.core.picture.drawing import place, symbols, text, titled, width_of
from sobremesa.envs.corre_el_encierro import cards as c
from sobremesa.envs.corre_el_encierro.drawing import pieces as p
from sobremesa.envs.corre_el_encierro.drawing.pieces import bull_head, charging_bull, heart, name_of, ox_head
from sobremesa.envs.corre_el_encierro.text.cards import card_name

CARD_WIDTH, CARD_HEIGHT = 102, 96
UPRIGHT_HEIGHT = 102  # of a narrow card
BIG_WIDTH, BIG_HEIGHT = 164, 186

_COATS = {
    c.CHULIN: "#8a4b2a",
    c.TORNASOL: "#b88a4a",
    c.MANCHADO: "#2d2623",
    c.PERDIGON: "#84807c",
    c.BRAVUCON: "#241d1d",
    c.HURON: "#c9a06a",
}
_PICTURES = symbols(Path(__file__).with_name("cards.svg"))


def picture(kind: int) -> str:
    """Draw the picture of a kind of card, about 46 wide and high, without its frame."""
    name = name_of(c.CARDS[kind].name)
    drawn = bull_head(_COATS[kind], p.BULLS.get(f"{name}-brow", "")) if c.is_bull(kind) else _PICTURES[name]
    return f'<g stroke="{p.INK}" stroke-width="1.2" stroke-linejoin="round">{drawn}</g>'


def _family(kind: int) -> tuple[str, str]:
    """Return the colours of a card's purpose: its edge and the ground of its picture."""
    families = (
        (c.stops_bull(kind) or kind == c.TORO_VOLTEADO, "#2f6ca8", "#d6e7f5"),
        (c.stops_fall(kind), "#2c8a5b", "#d8f0df"),
        (c.costs_object(kind), "#d0571f", "#fbe0cb"),
        (c.costs_card(kind) or kind == c.PILLO, "#7b4a9e", "#eadcf3"),
        (kind == c.BARRERA, p.WOOD_DARK, "#f0ddc0"),
        (kind == c.OTRA_VEZ, "#b3123a", "#fbdbe0"),
        (kind in (c.AVANZAR, c.CARRERA, c.INTERCAMBIO), "#b8860b", "#fdf0c4"),
        (kind == c.PERDIDOS, "#c2497b", "#fbdfea"),
        (c.is_special(kind), "#6a3fb0", "#e4daf7"),
        (c.is_bull(kind), "#a01722", "#f3c9a6"),
        (c.is_fall(kind), "#4d6280", "#dce4ee"),
    )
    return next((edge, ground) for belongs, edge, ground in families if belongs)


def _mark(kind: int) -> str:
    """Draw the mark in the corner: a shield, a road, an eye, or the heart of a special object."""
    edge, _ = _family(kind)
    if c.stops_bull(kind) or c.stops_fall(kind) or kind == c.TORO_VOLTEADO:
        return p.MARKS["shield"].format(fill=edge)
    if kind == c.AVANZAR:
        return p.MARKS["road"].format(fill=edge)
    if c.is_special(kind):
        return heart("#8a4fd0")
    return eye(edge) if c.is_shown_on_draw(kind) else ""


def eye(fill: str) -> str:
    """Draw the small eye that marks seen cards."""
    return p.MARKS["eye"].format(fill=fill)


def _lines(name: str, letters: float) -> list[str]:
    """Break a name of more than `letters` letters into two lines of about the same length."""
    words = name.split()
    if len(words) == 1 or width_of(name) <= letters:
        return [name]
    breaks = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    return list(min(breaks, key=lambda lines: max(map(len, lines))))


def _name(name: str, middle: float, foot: float, size: float, room: float) -> str:
    lines = _lines(name, room / size)
    top = foot - (len(lines) - 1) * size * 0.55
    return "".join(
        text(middle, top + step * size * 1.12, line, size, p.INK, room=room) for step, line in enumerate(lines)
    )


@cache
def face(kind: int, language: str) -> str:
    """Draw a card face up; its upper left corner is the origin."""
    (edge, ground), name = _family(kind), card_name(kind, language)
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="8"'
    return titled(
        name,
        f'<rect {box} x="1" y="2.5" fill="#000" fill-opacity=".2"/><rect {box} fill="{p.CREAM}"/>'
        f'<path d="M0,58 V8 q0,-8 8,-8 H{CARD_WIDTH - 8} q8,0 8,8 V58 Z" fill="{ground}"/>'
        f'{place(CARD_WIDTH / 2, 30, picture(kind), 1.04)}<rect {box} fill="none" stroke="{edge}" stroke-width="2.4"/>'
        f"{place(13, 14, _mark(kind), 0.9)}{_name(name, CARD_WIDTH / 2, 80.5, 13.5, CARD_WIDTH - 10)}",
    )


def _upright_lines(name: str, room: float) -> list[str]:
    """Break a name into as few lines as fit `room`, in ems, and three at most."""
    words = name.split()
    for count in range(1, 4):
        breaks = [
            [" ".join(words[start:end]) for start, end in pairwise((0, *cuts, len(words)))]
            for cuts in combinations(range(1, len(words)), count - 1)
        ]
        best = min(breaks, key=lambda lines: max(map(width_of, lines)), default=[name])
        if max(map(width_of, best)) <= room or count == min(3, len(words)):
            return best
    return [name]


@cache
def upright_face(kind: int, wide: float, language: str) -> str:
    """Draw a narrow card face up, `wide` units across; its upper left corner is the origin."""
    edge, ground = _family(kind)
    box, room = f'width="{wide:g}" height="{UPRIGHT_HEIGHT}" rx="8"', wide - 6
    lines = _upright_lines(card_name(kind, language), room / 12)
    top = 81.5 - 6.6 * (len(lines) - 1)
    name = "".join(text(wide / 2, top + 13.2 * row, line, 12, p.INK, room=room) for row, line in enumerate(lines))
    return titled(
        card_name(kind, language),
        f'<rect {box} x="1" y="2.5" fill="#000" fill-opacity=".2"/><rect {box} fill="{p.CREAM}"/>'
        f'<path d="M0,56 V8 q0,-8 8,-8 H{wide - 8:g} q8,0 8,8 V56 Z" fill="{ground}"/>'
        f'{place(wide / 2, 30, picture(kind), 0.96)}<rect {box} fill="none" stroke="{edge}" stroke-width="2.2"/>'
        f"{place(11, 12, _mark(kind), 0.75)}{name}",
    )


@cache
def back() -> str:
    """Draw a card face down; its upper left corner is the origin."""
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="8"'
    inner = f'x="6" y="6" width="{CARD_WIDTH - 12}" height="{CARD_HEIGHT - 12}" rx="5"'
    emblem = f'<path d="M-30,-14 Q0,-2 30,-14 L2,28 Q0,30 -2,28 Z" fill="{p.CREAM}"/>' + place(
        0, 4, bull_head(p.RED).replace(f'fill="{p.INK}"', f'fill="{p.DARK_RED}"'), 0.62
    )
    return (
        f'<rect {box} x="1" y="2.5" fill="#000" fill-opacity=".2"/><rect {box} fill="{p.RED}" stroke="{p.DARK_RED}" '
        f'stroke-width="1.6"/><rect {inner} fill="none" stroke="#ffd9c9" stroke-width="1.6" stroke-dasharray="5 3"/>'
        f"{place(CARD_WIDTH / 2, CARD_HEIGHT / 2 - 4, emblem, 1.02)}"
    )


@cache
def remembered(kind: int, words: str, language: str) -> str:
    """Draw a card in another hand that the viewer knows of, marked with an eye and with the `words` for it."""
    box = f'x="-3" y="-3" width="{CARD_WIDTH + 6}" height="{CARD_HEIGHT + 6}" rx="10"'
    frame = f'<rect {box} fill="none" stroke="#7b4a9e" stroke-width="2.6" stroke-dasharray="7 4"/>'
    seen = f'<circle r="13" fill="#fff" stroke="#7b4a9e" stroke-width="1.6"/>{eye("#7b4a9e")}'
    return titled(words, face(kind, language) + frame + place(CARD_WIDTH - 10, 11, seen))


def empty_slot(words: str) -> str:
    """Draw the empty place of a special object."""
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="8"'
    lines = _lines(words, CARD_WIDTH / 12.5 - 1)
    return (
        f'<rect {box} fill="#fff" fill-opacity=".35" stroke="#8a4fd0" stroke-opacity=".5" stroke-width="1.4" '
        f'stroke-dasharray="5 4"/><g opacity=".6">{place(CARD_WIDTH / 2, 28, heart("#8a4fd0"), 1.3)}'
        + "".join(
            text(CARD_WIDTH / 2, 58 + 17 * step, line, 14.5, p.FAINT, room=CARD_WIDTH - 6)
            for step, line in enumerate(lines)
        )
        + "</g>"
    )


# In the middle of the table: upright cards, drawn around their middle.


def _big(edge: str, ground: str, inside: str) -> str:
    half, tall = BIG_WIDTH / 2, BIG_HEIGHT / 2
    box = f'x="{-half:g}" y="{-tall:g}" width="{BIG_WIDTH}" height="{BIG_HEIGHT}" rx="13"'
    return (
        f'<rect {box} transform="translate(2 6)" fill="#000" fill-opacity=".28"/><rect {box} fill="{p.CREAM}"/>'
        f'<path d="M{-half:g},34 V{-tall + 13:g} q0,-13 13,-13 H{half - 13:g} q13,0 13,13 V34 Z" fill="{ground}"/>'
        f'{inside}<rect {box} fill="none" stroke="{edge}" stroke-width="4"/>'
    )


@cache
def big_face(kind: int, language: str) -> str:
    """Draw the card that is being resolved, a bull at full gallop."""
    (edge, ground), name = _family(kind), card_name(kind, language)
    if c.is_bull(kind):
        drawn = place(
            0, -20, charging_bull(_COATS[kind], p.BULLS.get(f"{name_of(c.CARDS[kind].name)}-flank", "")), 0.98
        )
    else:
        drawn = place(0, -26, picture(kind), 2.1)
    mark = place(-BIG_WIDTH / 2 + 18, -BIG_HEIGHT / 2 + 20, _mark(kind), 1.3)
    return titled(name, _big(edge, ground, drawn + mark + _name(name, 0, 70, 20, BIG_WIDTH - 18)))


@cache
def big_cabestros(name: str, words: str) -> str:
    """Draw the card of the Cabestros while they close a location, with their `name` and the `words` below."""
    herd = place(-40, -34, ox_head(), 1.1) + place(40, -34, ox_head(), 1.1) + place(0, -18, ox_head(), 1.35)
    drawn = herd + text(0, 61, name, 20, p.INK) + text(0, 81, words, 13, p.DARK_RED, room=BIG_WIDTH - 18)
    return titled(name, _big(p.WOOD_DARK, "#f3dcae", drawn))


def sign(inside: str) -> str:
    """Draw the sign in the middle for times when no card is being resolved."""
    scarf = f'<path d="M-81,-82 q2,-10 12,-10 H69 q10,0 12,10 L4,-46 Q0,-44 -4,-46 Z" fill="{p.RED}"/>'
    return _big(p.RED, "#fdeecb", scarf + inside)


@cache
def _small_cabestros(name: str) -> str:
    box = 'width="84" height="104" rx="8"'
    return titled(
        name,
        f'<rect {box} fill="#f3dcae" stroke="{p.WOOD_DARK}" stroke-width="2"/>{place(42, 82, ox_head(), 0.62)}',
    )


def draw_pile(count: int, name: str) -> str:
    """Draw the pile to draw from over the card of the Cabestros, called `name`, and how many cards it has; 84 wide."""
    drawn = [place(0, 12, _small_cabestros(name))]
    for step in range(min(4, -(-count // 12))):
        drawn.append(place(0, -3 * step, _upright_back()))
    return "".join(drawn) + _count(count)


@cache
def _upright_back() -> str:
    box = 'width="84" height="92" rx="8"'
    emblem = f'<path d="M-24,-12 Q0,-2 24,-12 L2,22 Q0,24 -2,22 Z" fill="{p.CREAM}"/>'
    return (
        f'<rect {box} y="-6" fill="{p.RED}" stroke="{p.DARK_RED}" stroke-width="1.6"/><rect x="5" y="-1" width="74" '
        f'height="82" rx="5" fill="none" stroke="#ffd9c9" stroke-width="1.4" stroke-dasharray="5 3"/>'
        f"{place(42, 56, emblem)}"
    )


def discard_pile(count: int) -> str:
    """Draw the discard pile, cards face up in a heap, and how many there are; 84 wide."""
    if not count:
        shape = f'<rect width="84" height="98" rx="8" fill="none" stroke="{p.FAINT}" stroke-dasharray="5 4"/>'
        return shape + _count(count)
    turns = ((-7, *_family(c.OLE)), (6, *_family(c.MIRON)), (-3, *_family(c.TXIKI)), (8, *_family(c.CARRERA)))
    heap = (
        f'<g transform="rotate({turn} 42 49)"><rect width="84" height="98" rx="8" fill="{p.CREAM}"/>'
        f'<path d="M0,62 V8 q0,-8 8,-8 H76 q8,0 8,8 V62 Z" fill="{ground}"/>'
        f'<rect width="84" height="98" rx="8" fill="none" stroke="{edge}" stroke-width="2.4"/></g>'
        for turn, edge, ground in turns[: min(4, -(-count // 8))]
    )
    scarf = f'<path d="M14,56 Q42,66 70,56 L44,84 Q42,86 40,84 Z" fill="{p.RED}" fill-opacity=".55"/>'
    return "".join(heap) + scarf + _count(count)


def _count(count: int) -> str:
    return f'<circle cx="42" cy="30" r="20" fill="{p.INK}" stroke="#fff" stroke-width="2"/>' + text(
        42, 37.5, str(count), 21, "#fff"
    )
