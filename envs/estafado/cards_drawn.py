"""The cards of *Estafado* as they lie: faces, backs, remembered cards, and the symbols of what they do (C1, C7)."""

from functools import cache

from sobremesa.envs.core.drawing import place, text, titled, width_of
from sobremesa.envs.estafado import heads_drawn
from sobremesa.envs.estafado.animals_drawn import picture, storm
from sobremesa.envs.estafado.cards import (
    BEAR_SKIP,
    CARDS,
    HURRICANE,
    HURRICANE_BLOWS,
    LEAP,
    LOSE_TURN,
    NO_EFFECT,
    OUCH,
    PEEK_ADJACENT,
    PEEK_ANYWHERE,
    RABBIT,
    STEAL,
    SWAP_TWO,
    TUNNEL,
    WATER_DIVE,
    YIKES,
)
from sobremesa.envs.estafado.pieces import (
    BOLD,
    GOLD,
    INK,
    PAPER,
    RED,
    SEAT_COLOURS,
    both,
    box,
    fern,
    line,
    oval,
    shape,
    turned,
)

WIDTH, HEIGHT = 100, 106  # of a card on the floor
SMALL_WIDTH, SMALL_HEIGHT = 58, 74  # of a card beside it
FACE_DOWN = {"en": "{}, face-down", "es": "{}, boca abajo"}
BACK = {"en": "Face-down card", "es": "Carta boca abajo"}
_NO_RABBIT = {"en": "no rabbit", "es": "no es conejo"}
_SWAPS = {"en": "may be swapped", "es": "se puede cambiar"}
_SAW = {"en": ("the fox has seen it", "the crow has seen it"), "es": ("el zorro la ha visto", "la cuerva la ha visto")}
# effect -> the colour of its symbol, and a light one behind the picture
_TINTS = {
    NO_EFFECT: ("#9b8a68", "#ece3c8"), RABBIT: ("#d99a1c", "#fbe7b0"), YIKES: ("#c23b2e", "#f8d9cd"),
    OUCH: ("#c23b2e", "#f8d9cd"), LOSE_TURN: ("#a8456f", "#f4d8e2"), LEAP: ("#4f8f3a", "#dcedc8"),
    TUNNEL: ("#8a5a33", "#ecdac4"), PEEK_ADJACENT: ("#2f77b4", "#d6e8f6"), PEEK_ANYWHERE: ("#2f77b4", "#d6e8f6"),
    SWAP_TWO: ("#7c55b5", "#e6dbf4"), WATER_DIVE: ("#1f8f9c", "#cfecee"), BEAR_SKIP: ("#4f8f3a", "#dcedc8"),
    STEAL: ("#c23b2e", "#f8d9cd"), HURRICANE_BLOWS: ("#4c6175", "#d7e1e8"),
}  # fmt: skip
_BACK, _BACK_EDGE, _BACK_LEAF = "#3f6a4a", "#274a35", "#568560"
_STORM, _STORM_EDGE = "#4c6175", "#2f4152"
_NONE = (NO_EFFECT, 0)


# Symbols, white on a disc of radius 11.


def _glyph(effect: int, amount: int) -> str:
    """Draw the sign of an effect around the origin."""
    white = "#fff"
    drawn = {
        NO_EFFECT: lambda: turned(
            35,
            shape("M0,5 C-7,1 -5.5,-5 0,-9 C5.5,-5 7,1 0,5 Z", white)
            + line("M0,8.5 V-4 M0,1.5 l-2.6,-2.4 M0,1.5 l2.6,-2.4", "#9b8a68", 1.3),
        ),
        RABBIT: lambda: text(0, 4.4, f"#{amount}", 12.5, white),
        YIKES: lambda: line("M6,6 V-1 A4.5,4.5 0 0 0 -3,-1 V5 M-6.5,1.5 L-3,5.5 L0.5,1.5", white, 2.4),
        OUCH: lambda: shape(
            "M0,-9 L2,-3.4 L7.5,-6 L4.4,-0.8 L9,2 L3.2,3 L3.4,8.6 L0,4 L-4.2,8 L-3.4,2.6 L-9,1.4 "
            "L-4.4,-1.4 L-7,-6.4 L-1.8,-3.6 Z",
            white,
        ),
        LOSE_TURN: lambda: shape(
            "M-5.5,-7.5 H5.5 C5.5,-3 1.5,-1.5 1.5,0 C1.5,1.5 5.5,3 5.5,7.5 H-5.5 C-5.5,3 -1.5,1.5 -1.5,0 "
            "C-1.5,-1.5 -5.5,-3 -5.5,-7.5 Z",
            white,
        ),
        LEAP: lambda: (
            line("M-7.5,5 Q-4,-9 5,-3 M5.6,-7.5 L6,-2 L0.8,-2.2", white, 2) + text(1.5, 8, str(amount), 8.5, white)
        ),
        TUNNEL: lambda: (
            shape("M-8,6 C-8,-4 -5,-7.5 0,-7.5 C5,-7.5 8,-4 8,6 Z", white)
            + shape("M-4.4,6 C-4.4,0 -3,-2.6 0,-2.6 C3,-2.6 4.4,0 4.4,6 Z", "#4a2d16")
        ),
        PEEK_ADJACENT: lambda: place(0, -2, eye(white), 0.78) + text(0, 8.6, str(amount), 7.5, white),
        PEEK_ANYWHERE: lambda: (
            place(0, 0.5, eye(white), 0.86)
            + line(
                "M-5.5,-6 l-1.4,-1.8 M0,-7.4 v-2 M5.5,-6 l1.4,-1.8 M-5.5,7 l-1.4,1.8 M0,8.2 v1.8 M5.5,7 l1.4,1.8",
                white,
                1.3,
            )
        ),
        SWAP_TWO: lambda: arrows(white),
        WATER_DIVE: lambda: (
            shape("M0,-9 C4,-3 6,-0.5 6,2.6 A6,6 0 0 1 -6,2.6 C-6,-0.5 -4,-3 0,-9 Z", white)
            + text(0, 6, str(amount), 8.5, "#1f8f9c")
        ),
        BEAR_SKIP: lambda: place(0, 0.6, heads_drawn.bear(), 0.31) + line("M-7.5,7.5 L7.5,-7.5", "#ffd9d2", 2),
        STEAL: lambda: place(-1, 1.5, heads_drawn.rabbit(), 0.26) + line("M3,-3 L8,-8 M3.8,-8 H8 V-3.8", white, 1.8),
        HURRICANE_BLOWS: lambda: place(0, 0, storm(white, "#4c6175"), 0.32),
    }
    return drawn[effect]()


def eye(fill: str) -> str:
    """Draw an open eye, 22 wide."""
    return (
        shape("M-11,0 Q0,-10.5 11,0 Q0,10.5 -11,0 Z", fill)
        + oval(0, 0, 4.3, 4.3, INK)
        + oval(1.4, -1.4, 1.2, 1.2, "#fff")
    )


def arrows(colour: str) -> str:
    """Draw two arrows that pass each other."""
    return line("M-6.5,-3 H6 M3,-6.2 L6.4,-3 L3,0.2 M6.5,4 H-6 M-3,0.8 L-6.4,4 L-3,7.2", colour, 1.9)


@cache
def symbol(effect: int, amount: int) -> str:
    """Draw the badge of an effect."""
    return f'<circle r="11.5" fill="{_TINTS[effect][0]}" stroke="#fff" stroke-width="1.6"/>' + _glyph(effect, amount)


@cache
def _marks(kind: int) -> str:
    """Draw one above the other a card's symbols, and whether it keeps face-up and bars swaps."""
    card = CARDS[kind]
    drawn = [symbol(effect, amount) for effect, amount in card.effects or (_NONE,)]
    if card.keeps_up:
        drawn.append(
            place(
                -1,
                1,
                f'<circle r="8.5" fill="{GOLD}" stroke="#fff" stroke-width="1.3"/>'
                + line("M0,5 V-4 M-3.8,-0.6 L0,-4.6 L3.8,-0.6", INK, 2),
            )
        )
    if card.no_swap:
        drawn.append(
            place(
                -1,
                3,
                f'<circle r="8.5" fill="#fff" stroke="{RED}" stroke-width="1.8"/>'
                + place(0, -0.4, arrows(INK), 0.72)
                + line("M-5.6,5.6 L5.6,-5.6", RED, 1.8),
            )
        )
    return "".join(place(0, -21.5 * order, one) for order, one in enumerate(drawn))


# Cards.


def _title_lines(words: str, size: float, room: float) -> list[str]:
    """Break a name in two where that is needed and balances best."""
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


def name_of(kind: int, language: str) -> str:
    """Return the name of a kind of card."""
    return CARDS[kind].name if language == "en" else CARDS[kind].spanish


def _tints(kind: int) -> tuple[str, str]:
    return _TINTS[CARDS[kind].effects[0][0] if CARDS[kind].effects else NO_EFFECT]


@cache
def face(kind: int, language: str) -> str:
    """Draw a card that lies face-up, its corner at the origin."""
    tint, pale = _tints(kind)
    return titled(
        name_of(kind, language),
        box(0, 0, WIDTH, HEIGHT, 9, PAPER, f'stroke="{tint}" stroke-width="2.6"')
        + box(5, 27, WIDTH - 10, HEIGHT - 32, 6, pale)
        + _name(name_of(kind, language), WIDTH / 2, 10.6, 92, INK)
        + place(55, 64, picture(kind), 0.96)
        + place(16, HEIGHT - 16, _marks(kind)),
    )


@cache
def small_face(kind: int, language: str) -> str:
    """Draw a card that lies face-up beside the floor, its corner at the origin."""
    tint, pale = _tints(kind)
    return titled(
        name_of(kind, language),
        box(0, 0, SMALL_WIDTH, SMALL_HEIGHT, 6, PAPER, f'stroke="{tint}" stroke-width="2"')
        + box(3, 19, SMALL_WIDTH - 6, SMALL_HEIGHT - 22, 4, pale)
        + _name(name_of(kind, language), SMALL_WIDTH / 2, 7.8, 54, INK)
        + place(32, 45, picture(kind), 0.68)
        + place(10, SMALL_HEIGHT - 10, _marks(kind), 0.72),
    )


@cache
def _back(width: float, height: float, stormy: bool) -> str:
    """Draw the back of a card: ferns and a paw, or the storm by which the Hurricane is known (C2.6)."""
    fill, edge = (_STORM, _STORM_EDGE) if stormy else (_BACK, _BACK_EDGE)
    scale = width / WIDTH
    if stormy:
        inside = place(width / 2, height / 2, storm("#dfe9ef", "#4c6175"), 1.15 * scale)
    else:
        corner = place(-width / 2 + 9 * scale, height / 2 - 8 * scale, fern(_BACK_LEAF), 1.15 * scale)
        inside = place(
            width / 2, height / 2, both(corner) + turned(180, both(corner)) + place(0, 0, paw("#86ac86"), 1.1 * scale)
        )
    return (
        box(0, 0, width, height, 9 * scale, fill, f'stroke="{edge}" stroke-width="{2.4 * scale:.1f}"')
        + box(
            5 * scale,
            5 * scale,
            width - 10 * scale,
            height - 10 * scale,
            6 * scale,
            "none",
            f'stroke="{"#8ba1b3" if stormy else "#6b9873"}" stroke-width="1"',
        )
        + inside
    )


def paw(fill: str) -> str:
    """Draw the print of a paw."""
    toes = "".join(
        oval(x, y, 3.4, 4.6, fill, f'transform="rotate({lean} {x} {y})"')
        for x, y, lean in ((-9, -3, -24), (-3.4, -9, -8), (3.4, -9, 8), (9, -3, 24))
    )
    return toes + shape("M0,-1 C6,-1 9,5 8,9 C6,12 3,10 0,10 C-3,10 -6,12 -8,9 C-9,5 -6,-1 0,-1 Z", fill)


@cache
def back(stormy: bool, language: str) -> str:
    """Draw a card that lies face-down on the floor."""
    words = FACE_DOWN[language].format(name_of(HURRICANE, language)) if stormy else BACK[language]
    return titled(words, _back(WIDTH, HEIGHT, stormy))


@cache
def small_back(stormy: bool, language: str) -> str:
    """Draw a card that lies face-down beside the floor."""
    words = FACE_DOWN[language].format(name_of(HURRICANE, language)) if stormy else BACK[language]
    return titled(words, _back(SMALL_WIDTH, SMALL_HEIGHT, stormy))


@cache
def ghost(kind: int, language: str) -> str:
    """Draw a card that lies face-down and is remembered: its back, and faintly what is on the other side (C12.1)."""
    pale = _tints(kind)[1]
    return titled(
        FACE_DOWN[language].format(name_of(kind, language)),
        box(0, 0, WIDTH, HEIGHT, 9, _BACK, f'stroke="{_BACK_EDGE}" stroke-width="2.4"')
        + oval(54, 64, 38, 34, pale, 'fill-opacity=".5"')
        + f'<g opacity=".92">{place(54, 64, picture(kind), 0.86)}</g>'
        + box(5, 5, WIDTH - 10, HEIGHT - 10, 6, "none", 'stroke="#a9c7a4" stroke-width="1.3" stroke-dasharray="4 3"')
        + place(0, 4, _name(name_of(kind, language), WIDTH / 2, 10.2, 84, "#f4f8e6"))
        + place(18, HEIGHT - 18, _marks(kind), 0.88),
    )


@cache
def small_ghost(kind: int, language: str) -> str:
    """Draw a card beside the floor that is known, but not to all."""
    return titled(
        FACE_DOWN[language].format(name_of(kind, language)),
        box(0, 0, SMALL_WIDTH, SMALL_HEIGHT, 6, _BACK, f'stroke="{_BACK_EDGE}" stroke-width="1.8"')
        + oval(32, 46, 22, 21, _tints(kind)[1], 'fill-opacity=".5"')
        + f'<g opacity=".92">{place(32, 46, picture(kind), 0.6)}</g>'
        + box(3, 3, SMALL_WIDTH - 6, SMALL_HEIGHT - 6, 4, "none", 'stroke="#a9c7a4" stroke-dasharray="3 2.4"')
        + place(0, 2.5, _name(name_of(kind, language), SMALL_WIDTH / 2, 7.6, 50, "#f4f8e6"))
        + place(11, SMALL_HEIGHT - 11, _marks(kind), 0.66),
    )


# What all know of a card that lies face-down.


@cache
def seen_by(seat: int, language: str) -> str:
    """Draw the mark that a seat has seen a card, which is no secret (C12.1)."""
    disc = f'<circle r="9" fill="{SEAT_COLOURS[seat]}" stroke="#fff" stroke-width="1.3"/>'
    return titled(_SAW[language][seat], disc + place(0, 0, eye("#fff"), 0.6))


@cache
def public_marks(no_rabbit: bool, swappable: bool, language: str) -> str:
    """Draw what all know of a card that nobody need have seen: that it is no rabbit, that it bars no swap (C12.1)."""
    drawn = []
    disc = '<circle r="9" fill="#eef0da" fill-opacity=".92"/>'
    if no_rabbit:
        drawn.append(
            titled(
                _NO_RABBIT[language], disc + place(0, 1.5, heads_drawn.rabbit(), 0.25) + line("M-6,6 L6,-6", RED, 1.7)
            )
        )
    if swappable:
        drawn.append(titled(_SWAPS[language], disc + place(0, -0.4, arrows("#5d7a4f"), 0.75)))
    return "".join(place(0, -20 * order, one) for order, one in enumerate(drawn))


def empty_slot() -> str:
    """Draw the place of a card that is gone."""
    return box(
        1,
        1,
        SMALL_WIDTH - 2,
        SMALL_HEIGHT - 2,
        6,
        "#000",
        'fill-opacity=".05" stroke="#b99a6b" stroke-width="1.2" stroke-dasharray="4 3"',
    )
