"""How the cards of *Corre el encierro* look: faces, backs, piles and the one being resolved, as fragments of SVG.

A face has the colour of what it is for, a picture, its name, and the mark that the rulebook puts in its corner.
"""

from functools import cache

from sobremesa.envs.core.drawing import place, text, titled, width_of
from sobremesa.envs.corre_el_encierro.cards import (
    ACURRUCADO,
    AVANZAR,
    BARRERA,
    BRAVUCON,
    CAPOTE,
    CARDS,
    CARRERA,
    CHULIN,
    CHUPETE,
    CONSEJO,
    DESAYUNO,
    FIRST_FALL,
    FIRST_SPECIAL,
    GARROTAZO,
    GIGANTES,
    GLORIA,
    HEMINGWAY,
    HURON,
    INTERCAMBIO,
    KILIKIS,
    LINEA_ROJA,
    LIQUIDO,
    MANCHADO,
    MIRON,
    OLE,
    OTRA_VEZ,
    PERDIDOS,
    PERDIGON,
    PILLO,
    PINTXOS,
    POBRE,
    RECORTE,
    SANTO_PATRON,
    SELFIE,
    TORNASOL,
    TORO_VOLTEADO,
    TXIKI,
    ZALDIKO,
    ZAPATILLAS,
)
from sobremesa.envs.corre_el_encierro.pieces import (
    CREAM,
    DARK_RED,
    FAINT,
    GOLD,
    INK,
    RED,
    WOOD,
    WOOD_DARK,
    bull_head,
    burst,
    charging_bull,
    fence,
    heart,
    ox_head,
)

CARD_WIDTH, CARD_HEIGHT = 102, 96
BIG_WIDTH, BIG_HEIGHT = 164, 186

_COATS = {
    CHULIN: "#8a4b2a",
    TORNASOL: "#b88a4a",
    MANCHADO: "#2d2623",
    PERDIGON: "#84807c",
    BRAVUCON: "#241d1d",
    HURON: "#c9a06a",
}
_BROWS = {
    MANCHADO: '<path d="M-9,-12 C-4,-17 3,-16 3,-10 C3,-5 -5,-4 -9,-7 Z M5,4 q4,1 3,5 l-4,0 z" fill="#f6efe2"/>',
    PERDIGON: '<g fill="#f0ebe4"><circle cx="-5" cy="-10" r="1.6"/><circle cx="2" cy="-12" r="1.4"/>'
    '<circle cx="6" cy="-7" r="1.5"/><circle cx="0" cy="-5" r="1.4"/></g>',
    TORNASOL: '<path d="M-7,-13 Q0,-16 7,-13 L4,-6 H-4 Z" fill="#e9cc86"/>',
    HURON: '<path d="M-11,-3 Q0,-7 11,-3 L10,4 Q0,0 -10,4 Z" fill="#6b4a2c"/>',
}
_FLANKS = {
    MANCHADO: '<path d="M-40,-18 q14,-8 20,2 q-2,14 -14,12 q-12,-2 -6,-14 z M2,-24 q14,-6 18,6 q-6,12 -16,8 z" '
    'fill="#f6efe2"/>',
    PERDIGON: '<g fill="#f0ebe4">'
    + "".join(
        f'<circle cx="{x}" cy="{y}" r="2"/>'
        for x, y in ((-38, -12), (-28, 2), (-22, -16), (-12, -4), (-2, -20), (4, 4), (14, -12), (24, 2), (26, -22))
    )
    + "</g>",
    TORNASOL: '<path d="M-42,-16 Q-10,-28 24,-26 Q0,-18 -40,-8 Z" fill="#e9cc86"/>',
    HURON: '<path d="M-46,4 Q-10,12 34,8 Q22,18 6,16 Q-40,16 -46,4 Z" fill="#6b4a2c"/>',
}


def _runner_head(hat: str) -> str:
    return (
        f'<circle cy="2" r="12" fill="#f0c49a"/><g fill="{INK}" stroke="none"><circle cx="-4" cy="1" r="1.5"/>'
        f'<circle cx="4" cy="1" r="1.5"/></g>{hat}'
    )


def _arrow(turn: int) -> str:
    head = "M-18,-5 H3 V-14 L20,0 L3,14 V5 H-18 Z"
    return f'<path d="{head}" fill="{GOLD}" transform="rotate({turn})"/>'


_CROWN = '<path d="M-6,-14 l2,-7 3,4 2,-6 2,6 3,-4 2,7 z" fill="#f2b632"/>'
_PICTURES = {
    RECORTE: place(9, 4, bull_head("#4b3328"), 0.72)
    + f'<path d="M-20,17 C-30,-6 -18,-20 2,-20 L0,-25 L12,-18 L2,-10 L2,-15 C-12,-15 -20,-4 -14,16 Z" fill="{RED}"/>',
    OLE: f'<path d="M-18,-16 H16 L22,18 Q10,10 2,19 Q-8,10 -22,17 Z" fill="{RED}"/><path d="M-20,-17 H20" '
    f'stroke="{WOOD_DARK}" stroke-width="3.4"/>'
    + text(0, 6, "¡Olé!", 13, "#fff", 'stroke="none" text-anchor="middle"'),
    SANTO_PATRON: '<circle cy="-9" r="15" fill="none" stroke="#f2b632" stroke-width="3"/>'
    f'<path d="M-15,20 C-14,4 14,4 15,20 Z" fill="{RED}"/><circle cy="-3" r="8" fill="#e9bd92"/>'
    '<path d="M-8,-7 L-6,-19 L0,-24 L6,-19 L8,-7 Z" fill="#fff"/><path d="M0,-21 V-9 M-4,-15 H4" stroke="#f2b632"/>',
    ACURRUCADO: '<path d="M-22,18 C-24,-2 -8,-14 8,-9 C22,-5 24,10 20,18 Z" fill="#fff"/>'
    '<circle cx="-14" cy="8" r="8" fill="#f0c49a"/><path d="M-21,12 Q-13,20 -4,14 L-3,18 Q-14,23 -22,16 Z" '
    f'fill="{RED}"/>'
    f'<path d="M0,4 C10,6 12,12 8,18" fill="none"/><path d="M-4,-8 L14,-6" stroke="{RED}" stroke-width="4"/>',
    TORO_VOLTEADO: f'<g transform="rotate(180)">{place(0, 0, bull_head("#33282a"), 0.86)}</g>'
    f'<path d="M20,18 C32,4 26,-18 8,-19" fill="none" stroke="{RED}" stroke-width="4"/>'
    f'<path d="M12,-27 L0,-19 L12,-11 Z" fill="{RED}"/>',
    GIGANTES: '<g transform="translate(-11 0)"><path d="M-10,21 L-6,0 H6 L10,21 Z" '
    f'fill="#7a3e9d"/>{place(0, -7, _runner_head(_CROWN), 0.72)}</g>'
    '<g transform="translate(12 2)"><path d="M-10,19 L-6,0 H6 L10,19 Z" '
    f'fill="#2a7f62"/>{place(0, -7, _runner_head(_CROWN), 0.72)}</g>',
    ZALDIKO: '<path d="M-12,20 L-8,-4 C-10,-16 2,-22 8,-17 L18,-4 C19,2 12,4 9,0 L4,0 C6,8 4,14 6,20 Z" '
    'fill="#b5793c"/>'
    '<path d="M-8,-4 C-12,-12 -6,-20 4,-21 L0,-14 L-3,-8 Z" fill="#4a2a16"/><path d="M4,-9 h.1" stroke-width="4" '
    'stroke-linecap="round"/>'
    f'<path d="M7,-14 L2,1 M-9,8 H5" stroke="{RED}" stroke-width="2.6"/>',
    DESAYUNO: '<ellipse cy="6" rx="22" ry="13" fill="#d6dbe2"/><path d="M-14,6 C-18,-6 -4,-8 2,-5 C14,-7 20,4 12,9 '
    'C6,15 -10,15 -14,6 Z" fill="#fff"/><circle cx="-2" cy="3" r="6" fill="#f7a91f"/><path d="M8,-14 q4,-4 0,-8 '
    'M-4,-14 q4,-4 0,-8" fill="none"/>',
    HEMINGWAY: _runner_head(
        '<path d="M-12,3 C-14,18 -6,21 0,21 C6,21 14,18 12,3 C8,8 4,6 0,6 C-4,6 -8,8 -12,3 Z" fill="#eeeae2"/>'
        '<path d="M-13,-3 C-15,-15 -4,-18 4,-17 C14,-16 15,-8 12,-3 C4,-8 -4,-8 -13,-3 Z" fill="#3b4a63"/>'
        '<path d="M-4,10 Q0,12.5 4,10" fill="none"/>'
    ),
    TXIKI: place(0, -5, bull_head("#3c5f9a"), 0.78)
    + f'<path d="M-18,14 H18" stroke="{WOOD}" stroke-width="5"/><circle cx="-11" cy="18" r="5" fill="#e5b04a"/>'
    '<circle cx="11" cy="18" r="5" fill="#e5b04a"/>',
    GLORIA: '<path d="M-22,-9 H6 V14 H-22 Z M6,-2 L20,-10 V15 L6,7 Z" fill="#3e4450"/>'
    f'<path d="M-8,-7 l2.8,6 6.4,.8 -4.8,4.4 1.3,6.5 -5.7,-3.2 -5.7,3.2 1.3,-6.5 -4.8,-4.4 6.4,-.8 z" fill="{GOLD}"/>'
    f'<circle cx="-16" cy="-15" r="4" fill="{RED}"/>',
    MIRON: '<path d="M-23,0 C-12,-17 12,-17 23,0 C12,17 -12,17 -23,0 Z" fill="#fff"/>'
    '<circle r="10" fill="#3d7fb5"/><circle r="4.6" fill="#1c1a1f"/><circle cx="3" cy="-3" r="2" fill="#fff" '
    'stroke="none"/>',
    CONSEJO: '<path d="M-21,-18 H21 V8 H2 L-9,20 L-8,8 H-21 Z" fill="#fff"/>'
    f'<path d="M-14,-10 H14 M-14,-4 H10 M-14,2 H4" stroke="{FAINT}" stroke-width="2.4"/>',
    KILIKIS: '<path d="M-17,4 C-18,-14 18,-14 17,4 C17,16 9,21 0,21 C-9,21 -17,16 -17,4 Z" fill="#eab88c"/>'
    '<path d="M-24,-5 C-12,-10 -10,-22 0,-22 C10,-22 12,-10 24,-5 C12,-3 -12,-3 -24,-5 Z" fill="#24365e"/>'
    '<path d="M-24,-5 C-10,-10 10,-10 24,-5" stroke="#f2b632" stroke-width="2" fill="none"/>'
    f'<path d="M-9,2 h5 M4,2 h5 M0,3 l-3,7 h5 M-7,15 Q0,11 7,15" fill="none" stroke="{INK}" stroke-width="2"/>',
    LINEA_ROJA: '<path d="M-22,19 L-10,-19 H10 L22,19 Z" fill="#b9ab95"/><path d="M0,-17 V17" stroke="#fff" '
    'stroke-width="2" '
    f'stroke-dasharray="6 5"/><path d="M-23,2 H23" stroke="{RED}" stroke-width="7" stroke-linecap="round"/>',
    CHUPETE: '<ellipse cy="-12" rx="8" ry="9" fill="#f3c98b"/><path d="M-17,-4 C-12,3 12,3 17,-4 C17,-10 -17,-10 '
    '-17,-4 Z" '
    'fill="#5aa9dc"/><circle cy="11" r="9" fill="none" stroke="#5aa9dc" stroke-width="4"/>',
    GARROTAZO: place(9, -8, burst(14))
    + f'<path d="M-22,20 L9,-9" stroke="{WOOD_DARK}" stroke-width="8" stroke-linecap="round"/>'
    f'<path d="M-22,20 L9,-9" stroke="{WOOD}" stroke-width="5" stroke-linecap="round"/>',
    PILLO: _runner_head(
        '<path d="M-13,-6 C-6,-3 6,-3 13,-6 L12,5 C6,8 3,3 0,3 C-3,3 -6,8 -12,5 Z" fill="#1d1b22"/>'
        '<g fill="#fff" stroke="none"><circle cx="-5.5" cy="0" r="2"/><circle cx="5.5" cy="0" r="2"/></g>'
        '<path d="M-13,-6 C-14,-20 14,-20 13,-6 Z" fill="#5d4a7a"/><path d="M-4,9 Q2,12 6,8" fill="none"/>'
    ),
    BARRERA: place(0, 2, fence(44), 1.1)
    + place(0, -14, f'<circle r="6" fill="#f0c49a"/><path d="M-6,4 H6 L0,11 Z" fill="{RED}"/>'),
    OTRA_VEZ: '<path d="M-9,19 V-4 q0,-4 3,-4 q2,0 2,3 V-16 q0,-4 3,-4 q3,0 3,4 V-17 q0,-3 3,-3 q3,0 3,4 V-10 '
    "q0,-4 3,-3 "
    'q2,0 2,3 V8 q0,11 -9,11 z" fill="#f0c49a" transform="translate(-2 0)"/>'
    f'<circle r="22" fill="none" stroke="{RED}" stroke-width="4"/><path d="M-15,-15 L15,15" stroke="{RED}" '
    'stroke-width="4"/>',
    AVANZAR: _arrow(0),
    CARRERA: place(-9, 5, _arrow(0), 0.8) + place(9, -6, _arrow(0), 0.8),
    INTERCAMBIO: place(2, -8, '<path d="M-18,-4 H6 V-10 L19,0 L6,10 V4 H-18 Z" fill="#56b4e9"/>', 0.9)
    + place(-2, 10, '<path d="M18,-4 H-6 V-10 L-19,0 L-6,10 V4 H18 Z" fill="#e2562b"/>', 0.9),
    PERDIDOS: f'<path d="M-12,2 L-6,-18 L10,-14 L8,4 Z" fill="{RED}"/><path d="M-2,2 L2,-22 L14,-19 L14,4 Z" '
    'fill="#f4efe2"/>'
    f'<path d="M-21,0 H21 L18,20 H-18 Z" fill="{WOOD}"/><path d="M-21,0 H21 M-19,9 H19" stroke="{WOOD_DARK}" '
    'stroke-width="2"/>',
    CAPOTE: '<path d="M-8,-19 C-4,-22 4,-22 8,-19 C20,-8 24,8 23,18 C8,24 -8,24 -23,18 C-24,8 -20,-8 -8,-19 Z" '
    'fill="#d6336c"/>'
    '<path d="M0,-20 C8,-8 10,8 8,20 L22,18 C23,6 18,-10 8,-19 Z" fill="#f4cf4a"/><path d="M-4,-18 L-10,19" '
    'fill="none"/>',
    LIQUIDO: '<path d="M-5,-22 H5 V-13 C13,-10 13,-4 13,0 V20 H-13 V0 C-13,-4 -13,-10 -5,-13 Z" fill="#9ad1e8"/>'
    f'<rect x="-6" y="-25" width="12" height="7" fill="{RED}"/><path d="M0,-3 C5,3 6,6 6,9 A6,6 0 0 1 -6,9 C-6,6 '
    '-5,3 0,-3 Z" fill="#2c7fb0"/>',
    ZAPATILLAS: '<path d="M-22,12 V-12 C-16,-8 -10,-10 -8,-14 L2,-2 C8,4 20,3 22,12 Z" fill="#fff"/>'
    f'<path d="M-23,11 H22 Q23,18 18,18 H-23 Z" fill="{RED}"/><path d="M-7,-7 L-13,0 M-3,-3 L-9,4 M2,1 L-4,7" '
    f'stroke="{RED}" stroke-width="2"/>',
    SELFIE: '<rect x="-12" y="-23" width="24" height="44" rx="4" fill="#2b2f3a"/><rect x="-9.5" y="-18" '
    'width="19" height="31" fill="#bfe3f2"/>'
    + place(0, 0, _runner_head(""), 0.62)
    + '<circle cy="17" r="2" fill="#fff"/>',
    PINTXOS: '<path d="M0,-24 V22" stroke="#c79a5b" stroke-width="2.6"/><ellipse cy="-14" rx="8" ry="7" '
    'fill="#6f8f3a"/>'
    f'<path d="M-15,-6 Q0,-12 15,-6 L12,2 H-12 Z" fill="{RED}"/><path d="M-19,3 Q0,-2 19,3 L16,14 H-16 Z" '
    'fill="#e2b56d"/>',
    POBRE: '<path d="M0,-24 C6,-17 6,-13 0,-10 C-6,-13 -6,-17 0,-24 Z" fill="#f7a91f"/><rect x="-5" y="-9" '
    'width="10" height="24" fill="#fff8e6"/>'
    '<path d="M-16,14 H16 L12,21 H-12 Z" fill="#a9b4c4"/><path d="M5,-5 q4,4 1,8" fill="none"/>',
    **{kind: bull_head(coat, _BROWS.get(kind, "")) for kind, coat in _COATS.items()},
}


def picture(kind: int) -> str:
    """Draw what is on the card of this kind, about 46 wide and high, without its frame."""
    return f'<g stroke="{INK}" stroke-width="1.2" stroke-linejoin="round">{_PICTURES[kind]}</g>'


def _family(kind: int) -> tuple[str, str]:
    """Return the colours of what a card is for: its edge and the ground of its picture."""
    families = (
        (TORO_VOLTEADO, "#2f6ca8", "#d6e7f5"),  # against bulls
        (TXIKI, "#2c8a5b", "#d8f0df"),  # against falls
        (KILIKIS, "#d0571f", "#fbe0cb"),  # takes an object
        (PILLO, "#7b4a9e", "#eadcf3"),  # takes a card
        (BARRERA, WOOD_DARK, "#f0ddc0"),
        (OTRA_VEZ, "#b3123a", "#fbdbe0"),
        (INTERCAMBIO, "#b8860b", "#fdf0c4"),  # moves
        (PERDIDOS, "#c2497b", "#fbdfea"),
        (ZAPATILLAS, "#6a3fb0", "#e4daf7"),  # special objects
        (HURON, "#a01722", "#f3c9a6"),  # bulls
        (POBRE, "#4d6280", "#dce4ee"),  # falls
    )
    return next((edge, ground) for last, edge, ground in families if kind <= last)


def _mark(kind: int) -> str:
    """Draw the mark in the corner: a shield, a road, an eye, or the heart of a special object."""
    edge, _ = _family(kind)
    if kind <= TXIKI:
        return f'<path d="M-7,-7 Q0,-10 7,-7 C7,3 4,7 0,9 C-4,7 -7,3 -7,-7 Z" fill="{edge}" stroke="#fff"/>'
    if kind == AVANZAR:
        line = '<path d="M0,-6 V7" stroke="#fff" stroke-dasharray="3 2"/>'
        return f'<path d="M-8,8 L-3,-8 H3 L8,8 Z" fill="{edge}" stroke="#fff"/>{line}'
    if FIRST_SPECIAL <= kind <= ZAPATILLAS:
        return heart("#8a4fd0")
    if kind >= CHULIN:
        return eye(edge)
    return ""


def eye(fill: str) -> str:
    """Draw the small eye of what is seen."""
    return (
        f'<path d="M-9,0 C-5,-7 5,-7 9,0 C5,7 -5,7 -9,0 Z" fill="#fff" stroke="{fill}" stroke-width="1.6"/>'
        f'<circle r="3.4" fill="{fill}"/>'
    )


def _lines(name: str, letters: float) -> list[str]:
    """Break a name that is wider than so many `letters` into two lines of about the same length."""
    words = name.split()
    if len(words) == 1 or width_of(name) <= letters:
        return [name]
    breaks = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    return list(min(breaks, key=lambda lines: max(map(len, lines))))


def _name(kind: int, middle: float, foot: float, size: float, room: float) -> str:
    lines = _lines(CARDS[kind].name, room / size)
    top = foot - (len(lines) - 1) * size * 0.55
    return "".join(
        text(middle, top + step * size * 1.12, line, size, INK, room=room) for step, line in enumerate(lines)
    )


@cache
def face(kind: int) -> str:
    """Draw a card face up; its upper left corner is the origin."""
    edge, ground = _family(kind)
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="8"'
    return titled(
        CARDS[kind].name,
        f'<rect {box} x="1" y="2.5" fill="#000" fill-opacity=".2"/><rect {box} fill="{CREAM}"/>'
        f'<path d="M0,58 V8 q0,-8 8,-8 H{CARD_WIDTH - 8} q8,0 8,8 V58 Z" fill="{ground}"/>'
        f'{place(CARD_WIDTH / 2, 30, picture(kind), 1.04)}<rect {box} fill="none" stroke="{edge}" stroke-width="2.4"/>'
        f"{place(13, 14, _mark(kind), 0.9)}{_name(kind, CARD_WIDTH / 2, 80.5, 13.5, CARD_WIDTH - 10)}",
    )


@cache
def back() -> str:
    """Draw a card face down; its upper left corner is the origin."""
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="8"'
    inner = f'x="6" y="6" width="{CARD_WIDTH - 12}" height="{CARD_HEIGHT - 12}" rx="5"'
    emblem = f'<path d="M-30,-14 Q0,-2 30,-14 L2,28 Q0,30 -2,28 Z" fill="{CREAM}"/>' + place(
        0, 4, bull_head(RED).replace(f'fill="{INK}"', f'fill="{DARK_RED}"'), 0.62
    )
    return (
        f'<rect {box} x="1" y="2.5" fill="#000" fill-opacity=".2"/><rect {box} fill="{RED}" stroke="{DARK_RED}" '
        f'stroke-width="1.6"/><rect {inner} fill="none" stroke="#ffd9c9" stroke-width="1.6" stroke-dasharray="5 3"/>'
        f"{place(CARD_WIDTH / 2, CARD_HEIGHT / 2 - 4, emblem, 1.02)}"
    )


@cache
def remembered(kind: int, words: str) -> str:
    """Draw a card in another hand that the viewer knows of, marked with an eye and with the `words` for it."""
    box = f'x="-3" y="-3" width="{CARD_WIDTH + 6}" height="{CARD_HEIGHT + 6}" rx="10"'
    frame = f'<rect {box} fill="none" stroke="#7b4a9e" stroke-width="2.6" stroke-dasharray="7 4"/>'
    seen = f'<circle r="13" fill="#fff" stroke="#7b4a9e" stroke-width="1.6"/>{eye("#7b4a9e")}'
    return titled(words, face(kind) + frame + place(CARD_WIDTH - 10, 11, seen))


def empty_slot(words: str) -> str:
    """Draw where a special object would lie."""
    box = f'width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="8"'
    lines = _lines(words, CARD_WIDTH / 12.5 - 1)
    return (
        f'<rect {box} fill="#fff" fill-opacity=".35" stroke="#8a4fd0" stroke-opacity=".5" stroke-width="1.4" '
        f'stroke-dasharray="5 4"/><g opacity=".6">{place(CARD_WIDTH / 2, 28, heart("#8a4fd0"), 1.3)}'
        + "".join(text(CARD_WIDTH / 2, 58 + 16 * step, line, 12.5, FAINT) for step, line in enumerate(lines))
        + "</g>"
    )


# In the middle of the table: upright cards, drawn around their middle.


def _big(edge: str, ground: str, inside: str) -> str:
    half, tall = BIG_WIDTH / 2, BIG_HEIGHT / 2
    box = f'x="{-half:g}" y="{-tall:g}" width="{BIG_WIDTH}" height="{BIG_HEIGHT}" rx="13"'
    return (
        f'<rect {box} transform="translate(2 6)" fill="#000" fill-opacity=".28"/><rect {box} fill="{CREAM}"/>'
        f'<path d="M{-half:g},34 V{-tall + 13:g} q0,-13 13,-13 H{half - 13:g} q13,0 13,13 V34 Z" fill="{ground}"/>'
        f'{inside}<rect {box} fill="none" stroke="{edge}" stroke-width="4"/>'
    )


@cache
def big_face(kind: int) -> str:
    """Draw the card that is being resolved, a bull at full gallop."""
    edge, ground = _family(kind)
    if CHULIN <= kind < FIRST_FALL:
        drawn = place(0, -20, charging_bull(_COATS[kind], _FLANKS.get(kind, "")), 0.98)
    else:
        drawn = place(0, -26, picture(kind), 2.1)
    mark = place(-BIG_WIDTH / 2 + 18, -BIG_HEIGHT / 2 + 20, _mark(kind), 1.3)
    return titled(CARDS[kind].name, _big(edge, ground, drawn + mark + _name(kind, 0, 70, 20, BIG_WIDTH - 18)))


@cache
def big_cabestros(words: str) -> str:
    """Draw the card of the Cabestros while they close a location, with the `words` below."""
    herd = place(-40, -34, ox_head(), 1.1) + place(40, -34, ox_head(), 1.1) + place(0, -18, ox_head(), 1.35)
    drawn = herd + text(0, 61, "Cabestros", 20, INK) + text(0, 81, words, 13, DARK_RED, room=BIG_WIDTH - 18)
    return titled("Cabestros", _big(WOOD_DARK, "#f3dcae", drawn))


def sign(inside: str) -> str:
    """Draw the sign in the middle that says how things stand when no card is being resolved."""
    scarf = f'<path d="M-81,-82 q2,-10 12,-10 H69 q10,0 12,10 L4,-46 Q0,-44 -4,-46 Z" fill="{RED}"/>'
    return _big(RED, "#fdeecb", scarf + inside)


@cache
def _small_cabestros() -> str:
    box = 'width="84" height="104" rx="8"'
    return titled(
        "Cabestros",
        f'<rect {box} fill="#f3dcae" stroke="{WOOD_DARK}" stroke-width="2"/>{place(42, 82, ox_head(), 0.62)}',
    )


def draw_pile(count: int) -> str:
    """Draw the pile to draw from with the Cabestros face up under it, and how many cards there are; 84 wide."""
    drawn = [place(0, 12, _small_cabestros())]
    for step in range(min(4, -(-count // 12))):
        drawn.append(place(0, -3 * step, _upright_back()))
    return "".join(drawn) + _count(count)


@cache
def _upright_back() -> str:
    box = 'width="84" height="92" rx="8"'
    emblem = f'<path d="M-24,-12 Q0,-2 24,-12 L2,22 Q0,24 -2,22 Z" fill="{CREAM}"/>'
    return (
        f'<rect {box} y="-6" fill="{RED}" stroke="{DARK_RED}" stroke-width="1.6"/><rect x="5" y="-1" width="74" '
        f'height="82" rx="5" fill="none" stroke="#ffd9c9" stroke-width="1.4" stroke-dasharray="5 3"/>'
        f"{place(42, 56, emblem)}"
    )


@cache
def pile_sign() -> str:
    """Draw a small back, for a card that came from the pile; 22 wide, around its middle."""
    return (
        f'<rect x="-11" y="-13" width="22" height="26" rx="4" fill="{RED}" stroke="{DARK_RED}" stroke-width="1.4"/>'
        f'<path d="M-7,-4 Q0,0 7,-4 L1,6 H-1 Z" fill="{CREAM}"/>'
    )


def discard_pile(count: int) -> str:
    """Draw the discard pile, cards face up in a heap, and how many there are; 84 wide."""
    if not count:
        shape = f'<rect width="84" height="98" rx="8" fill="none" stroke="{FAINT}" stroke-dasharray="5 4"/>'
        return shape + _count(count)
    turns = ((-7, *_family(OLE)), (6, *_family(MIRON)), (-3, *_family(TXIKI)), (8, *_family(CARRERA)))
    heap = (
        f'<g transform="rotate({turn} 42 49)"><rect width="84" height="98" rx="8" fill="{CREAM}"/>'
        f'<path d="M0,62 V8 q0,-8 8,-8 H76 q8,0 8,8 V62 Z" fill="{ground}"/>'
        f'<rect width="84" height="98" rx="8" fill="none" stroke="{edge}" stroke-width="2.4"/></g>'
        for turn, edge, ground in turns[: min(4, -(-count // 8))]
    )
    return "".join(heap) + _count(count)


def _count(count: int) -> str:
    return f'<circle cx="42" cy="30" r="20" fill="{INK}" stroke="#fff" stroke-width="2"/>' + text(
        42, 37.5, str(count), 21, "#fff"
    )
