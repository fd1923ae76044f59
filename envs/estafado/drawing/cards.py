"""Cards of *Estafado* as SVG fragments: faces, backs, remembered cards, and symbols of effects (C1, C7)."""

from functools import cache
from pathlib import Path

from sobremesa.envs.core.picture.drawing import place, symbols, text, titled, width_of
from sobremesa.envs.estafado import cards
from sobremesa.envs.estafado.cards import CARDS, HURRICANE, NO_EFFECT
from sobremesa.envs.estafado.drawing.animals import ART, fern, picture, storm
from sobremesa.envs.estafado.drawing.pieces import BOLD, INK, PAPER, SEAT_COLOURS, both, box, oval, turned
from sobremesa.envs.estafado.text.cards import card_name
from sobremesa.envs.estafado.text.words import PICTURE

WIDTH, HEIGHT = 100, 106  # of a card on the floor
SMALL_WIDTH, SMALL_HEIGHT = 58, 74  # of a card next to it
# effect -> its sign in signs.svg, the colour of its symbol, and a light one behind the picture
_EFFECTS = {
    NO_EFFECT: ("none", "#9b8a68", "#ece3c8"),
    cards.RABBIT: ("rabbit", "#d99a1c", "#fbe7b0"),
    cards.YIKES: ("yikes", "#c23b2e", "#f8d9cd"),
    cards.OUCH: ("ouch", "#c23b2e", "#f8d9cd"),
    cards.LOSE_TURN: ("lose-turn", "#a8456f", "#f4d8e2"),
    cards.LEAP: ("leap", "#4f8f3a", "#dcedc8"),
    cards.TUNNEL: ("tunnel", "#8a5a33", "#ecdac4"),
    cards.PEEK_ADJACENT: ("peek-adjacent", "#2f77b4", "#d6e8f6"),
    cards.PEEK_ANYWHERE: ("peek-anywhere", "#2f77b4", "#d6e8f6"),
    cards.SWAP_TWO: ("swap-two", "#7c55b5", "#e6dbf4"),
    cards.WATER_DIVE: ("water-dive", "#1f8f9c", "#cfecee"),
    cards.BEAR_SKIP: ("bear-skip", "#4f8f3a", "#dcedc8"),
    cards.STEAL: ("steal", "#c23b2e", "#f8d9cd"),
    cards.HURRICANE_BLOWS: ("hurricane", "#4c6175", "#d7e1e8"),
}
_SIGNS = symbols(Path(__file__).with_name("signs.svg"))
_BACK, _BACK_EDGE, _BACK_LEAF = "#3f6a4a", "#274a35", "#568560"
_STORM, _STORM_EDGE = "#4c6175", "#2f4152"
_NONE = (NO_EFFECT, 0)


# Symbols on a disc of radius 11.


def _sign(name: str, amount: int = 0, colour: str = "") -> str:
    """Draw a sign with optional contents."""
    whirl = storm("#fff", "#4c6175")
    return _SIGNS[name].format(amount=amount, colour=colour, bear=ART["bear"], rabbit=ART["rabbit"], storm=whirl)


def arrows(colour: str) -> str:
    """Draw two arrows that pass each other."""
    return _sign("arrows", colour=colour)


@cache
def symbol(effect: int, amount: int) -> str:
    """Draw the badge of an effect."""
    name, tint, _ = _EFFECTS[effect]
    return f'<circle r="11.5" fill="{tint}" stroke="#fff" stroke-width="1.6"/>' + _sign(name, amount)


@cache
def _marks(kind: int) -> str:
    """Draw a card's symbols, and its marks for keeping face-up and barring swaps, in a column."""
    card = CARDS[kind]
    drawn = [symbol(effect, amount) for effect, amount in card.effects or (_NONE,)]
    if card.keeps_up:
        drawn.append(place(-1, 1, _SIGNS["keeps-up"]))
    if card.no_swap:
        drawn.append(place(-1, 3, _SIGNS["no-swap"]))
    return "".join(place(0, -21.5 * order, one) for order, one in enumerate(drawn))


# Cards.


def _title_lines(words: str, size: float, room: float) -> list[str]:
    """Break a long name in two lines of similar length."""
    if width_of(words) * size <= room or " " not in words:
        return [words]
    gaps = [at for at, sign in enumerate(words) if sign == " "]
    best = min(gaps, key=lambda at: max(width_of(words[:at]), width_of(words[at + 1 :])))
    return [words[:best], words[best + 1 :]]


def _name(words: str, middle: float, size: float, room: float, ink: str) -> str:
    lines = _title_lines(words, size, room)
    top = size * (1.75 if len(lines) == 1 else 1.15)
    return "".join(
        text(middle, top + order * size * 1.04, one, size, ink, BOLD, room) for order, one in enumerate(lines)
    )


def _large_name(words: str, middle: float, size: float, room: float, ink: str) -> tuple[str, float]:
    """Write a name in up to three lines, for narrow pictures; return it and where it ends."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and (width_of(longer) * size <= room * 1.1 or len(lines) == 3):
            lines[-1] = longer
        else:
            lines.append(word)
    rows = (text(middle, size * (1.15 + order), one, size, ink, BOLD, room) for order, one in enumerate(lines))
    return "".join(rows), size * (len(lines) + 0.45)


def _tints(kind: int) -> tuple[str, str]:
    return _EFFECTS[CARDS[kind].effects[0][0] if CARDS[kind].effects else NO_EFFECT][1:]


@cache
def face(kind: int, language: str) -> str:
    """Draw a card that is face-up, its corner at the origin."""
    tint, pale = _tints(kind)
    return titled(
        card_name(kind, language),
        box(0, 0, WIDTH, HEIGHT, 9, PAPER, f'stroke="{tint}" stroke-width="2.6"')
        + box(5, 27, WIDTH - 10, HEIGHT - 32, 6, pale)
        + _name(card_name(kind, language), WIDTH / 2, 11.6, 92, INK)
        + place(55, 64, picture(kind), 0.96)
        + place(16, HEIGHT - 16, _marks(kind)),
    )


@cache
def large_face(kind: int, language: str, small: bool) -> str:
    """Draw a face with a large name, for narrow pictures and (`small`) next to the floor."""
    tint, pale = _tints(kind)
    wide, high, rim, size = (SMALL_WIDTH, SMALL_HEIGHT, 3, 11.4) if small else (WIDTH, HEIGHT, 5, 19.0)
    name, below = _large_name(card_name(kind, language), wide / 2, size, wide - 6, INK)
    room = high - below - rim
    return titled(
        card_name(kind, language),
        box(0, 0, wide, high, 0.09 * wide, PAPER, f'stroke="{tint}" stroke-width="{0.03 * wide:.1f}"')
        + box(rim, below, wide - 2 * rim, room, 0.06 * wide, pale)
        + place(0.58 * wide, below + room / 2, picture(kind), min(0.0098 * wide, room / 64))
        + name
        + place(0.17 * wide, high - 0.16 * wide, _marks(kind), 0.0118 * wide),
    )


@cache
def large_ghost(kind: int, language: str, small: bool) -> str:
    """Draw a known card that is face-down with a large name, for narrow pictures and (`small`) next to the floor."""
    wide, high, rim, size = (SMALL_WIDTH, SMALL_HEIGHT, 3, 11.2) if small else (WIDTH, HEIGHT, 4, 18.8)
    name, below = _large_name(card_name(kind, language), wide / 2, size, wide - 4 * rim, "#f4f8e6")
    room, x = high - below - 2 * rim, 0.56 * wide
    y = below + room / 2
    dashes = 'stroke="#a9c7a4" stroke-dasharray="4 3"'
    return titled(
        PICTURE[language]["face_down"].format(card_name(kind, language)),
        box(0, 0, wide, high, 0.09 * wide, _BACK, f'stroke="{_BACK_EDGE}" stroke-width="2"')
        + oval(x, y, 0.36 * wide, room / 2, _tints(kind)[1], 'fill-opacity=".5"')
        + f'<g opacity=".92">{place(x, y, picture(kind), min(0.009 * wide, room / 66))}</g>'
        + box(rim, rim, wide - 2 * rim, high - 2 * rim, 0.06 * wide, "none", dashes)
        + place(0, rim, name)
        + place(0.19 * wide, high - 0.18 * wide, _marks(kind), 0.0108 * wide),
    )


@cache
def _back(width: float, height: float, stormy: bool) -> str:
    """Draw the back of a card: ferns and a paw, or the storm of the Hurricane (C2.6)."""
    fill, edge = (_STORM, _STORM_EDGE) if stormy else (_BACK, _BACK_EDGE)
    scale = width / WIDTH
    if stormy:
        inside = place(width / 2, height / 2, storm("#dfe9ef", "#4c6175"), 1.15 * scale)
    else:
        corner = both(place(-width / 2 + 9 * scale, height / 2 - 8 * scale, fern(_BACK_LEAF), 1.15 * scale))
        paw = place(0, 0, _sign("paw", colour="#86ac86"), 1.1 * scale)
        inside = place(width / 2, height / 2, corner + turned(180, corner) + paw)
    outline = f'stroke="{edge}" stroke-width="{2.4 * scale:.1f}"'
    frame = f'stroke="{"#8ba1b3" if stormy else "#6b9873"}" stroke-width="1"'
    rim = 5 * scale
    return (
        box(0, 0, width, height, 9 * scale, fill, outline)
        + box(rim, rim, width - 2 * rim, height - 2 * rim, 6 * scale, "none", frame)
        + inside
    )


@cache
def back(stormy: bool, language: str, small: bool = False) -> str:
    """Draw a card that is face-down on the floor, or (`small`) next to it."""
    words = (
        PICTURE[language]["face_down"].format(card_name(HURRICANE, language)) if stormy else PICTURE[language]["back"]
    )
    return titled(words, _back(*((SMALL_WIDTH, SMALL_HEIGHT) if small else (WIDTH, HEIGHT)), stormy))


@cache
def ghost(kind: int, language: str) -> str:
    """Draw a remembered card that is face-down: its back, and faintly its face (C12.1)."""
    pale = _tints(kind)[1]
    return titled(
        PICTURE[language]["face_down"].format(card_name(kind, language)),
        box(0, 0, WIDTH, HEIGHT, 9, _BACK, f'stroke="{_BACK_EDGE}" stroke-width="2.4"')
        + oval(54, 64, 38, 34, pale, 'fill-opacity=".5"')
        + f'<g opacity=".92">{place(54, 64, picture(kind), 0.86)}</g>'
        + box(5, 5, WIDTH - 10, HEIGHT - 10, 6, "none", 'stroke="#a9c7a4" stroke-width="1.3" stroke-dasharray="4 3"')
        + place(0, 4, _name(card_name(kind, language), WIDTH / 2, 11.2, 84, "#f4f8e6"))
        + place(18, HEIGHT - 18, _marks(kind), 0.88),
    )


# What all know of a card that lies face-down.


@cache
def seen_by(seat: int, language: str) -> str:
    """Draw the public mark that a seat has seen a card (C12.1)."""
    return titled(PICTURE[language][f"saw{seat}"], _sign("seen", colour=SEAT_COLOURS[seat]))


@cache
def public_marks(no_rabbit: bool, swappable: bool, language: str) -> str:
    """Draw the public knowledge of an unseen card: that it is no rabbit, that it bars no swap (C12.1)."""
    drawn = []
    if no_rabbit:
        drawn.append(titled(PICTURE[language]["no_rabbit"], _sign("no-rabbit")))
    if swappable:
        drawn.append(titled(PICTURE[language]["may_swap"], _sign("swappable")))
    return "".join(place(0, -20 * order, one) for order, one in enumerate(drawn))


@cache
def creeping() -> str:
    """Draw the mark of a card that the fox may go to without turning it up: a track on a disc."""
    disc = f'<circle r="12" fill="#fff8e4" stroke="{SEAT_COLOURS[0]}" stroke-width="2"/>'
    return disc + place(0, 0, _sign("paw", colour=SEAT_COLOURS[0]), 0.75)


def frame(margin: float, round_: float, fill: str, more: str = "") -> str:
    """Draw a rectangle around a card on the floor."""
    return box(-margin, -margin, WIDTH + 2 * margin, HEIGHT + 2 * margin, round_, fill, more)


def empty_slot() -> str:
    """Draw the place of a card that is gone."""
    dashes = 'fill-opacity=".05" stroke="#b99a6b" stroke-width="1.2" stroke-dasharray="4 3"'
    return box(1, 1, SMALL_WIDTH - 2, SMALL_HEIGHT - 2, 6, "#000", dashes)
